// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of zkherd reproduce share. Two lists, compiled in as texts, declare what is
 * reproduced: figures.txt has each sentence of a document with the rows of the reference results
 * that its figures are of, parts.txt the commands that make such files. A figure is taken twice by
 * the same words, of the reference and of new results, and the two are judged.
 *
 * Invariant: no expected value is written down here: it is taken of the reference results.
 */
#ifndef BENCH_REPRODUCE_INTERNAL_H
#define BENCH_REPRODUCE_INTERNAL_H

#include "base/error.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern const char figures_txt[], parts_txt[];

/* ------------------------------------------------------------------ the lists */

/* A figure of a document: exact, a count that is the same on any machine; measured, one with an
 * interval; or the verdict of a claim, a row of a file. */
enum figure_kind { FIGURE_EXACT, FIGURE_MEASURED, FIGURE_VERDICT };

struct figure {
    enum figure_kind kind;
    char *document;
    char *sentence; /* without braces */
    char *printed;  /* as the document has it; NULL: not known */
    char *from;     /* the rows of files, as figures.txt describes */
    char *take;     /* what is taken of them; of a verdict: the columns that name the claim */
};

struct figures {
    struct figure *list;
    size_t count;
};

struct figures figures_read(const char *text);
void figures_deinit(struct figures *figures);

#define PART_COMMANDS_MAX 8

struct part {
    char *name, *about, *makes;
    char *in;        /* a folder below the results; "": none */
    char *elsewhere; /* who makes it; NULL: the commands */
    char *run[PART_COMMANDS_MAX], *quick[PART_COMMANDS_MAX];
    size_t run_count, quick_count;
    bool wanted;
};

struct parts {
    struct part *list;
    size_t count;
};

struct parts parts_read(const char *text);
void parts_deinit(struct parts *parts);

/* The part that makes a file of the reference; NULL: none. *path, if not NULL, becomes where it
 * is below the folder of the results, the caller's to free. */
struct part *parts_find(const struct parts *parts, const char *file, char **path);

/* How the names of the reference's files begin in figures.txt. */
#define REFERENCE_PREFIX "results/reference/"

/* The same of the first file that a figure is of. */
struct part *parts_of(const struct parts *parts, const struct figure *figure, char **path);

/* The words of a line: blanks separate them, and quotes of this kind keep blanks together and are
 * taken off. The list ends with NULL; free the list alone, the words are in it. */
char **list_words(const char *line, char quote, size_t *count);

/* ------------------------------------------------------------------ figures of files */

/* Where the files of the reference are: the reference itself, or new results of the parts. */
struct results {
    const char *folder;
    const struct parts *parts; /* NULL: at the same places as in the reference */
};

/* A figure that was taken. */
struct evidence {
    double value;
    double low, high; /* its interval; NaN: none */
    size_t left_out;  /* rows of trials that are not valid */
    char *words;      /* of a verdict: the word; the caller's to free */
    char *why;        /* why there is none: "several rows"; NULL: there is one; the caller's */
    bool differ;      /* why: rows that must be equal are not */
};

/* Takes a figure. An interval is that of the columns behind "between"; of columns of the same name
 * with _low and _high; of the trials, from STATISTICS_TRIALS_MIN on; of the rows, for min and max;
 * of the share (Wilson, 95 %), for a count. Of an exact figure there is none. */
struct evidence evidence_take(const struct figure *figure, const struct results *results);
void evidence_deinit(struct evidence *evidence);

/* Puts a figure for each row of the reference in the place of a file of claims. */
void figures_expand_verdicts(struct figures *figures, const struct results *reference);

/* ------------------------------------------------------------------ the judgement */

enum reproduced {
    REPRODUCED_EQUAL,
    REPRODUCED_WITHIN,
    REPRODUCED_DIFFERENT,
    REPRODUCED_UNDETERMINED,
    REPRODUCED_COUNT
};

extern const char *const reproduced_words[];

/* Judges what was found by what was expected. Exact: equal or different. Measured: equal if it is
 * rounded to what the document prints; within if the intervals overlap; different if they do not,
 * and undetermined if that may be because the machine is another one, or if there is no interval.
 * A verdict: equal or different, undetermined if one of the two is. *why: the reason of an
 * undetermined one: constant, or of *found; NULL: none is needed. */
enum reproduced judge_figure(const struct figure *figure, const struct evidence *expected,
                             const struct evidence *found, bool same_machine, const char **why);

/* The exit status of so many of each: 1 if some are different, 4 if some are undetermined. */
int judge_status(const size_t counts[REPRODUCED_COUNT]);

/* ------------------------------------------------------------------ the commands */

/* What the commands have taken, in the folder of the results: those that are finished are not run
 * again. The reference has the same file: from it are the times that are left, and what is needed.
 */
#define COMMAND_COLUMNS(X, T)                                                                      \
    X(T, part, TEXT, "", 0, KEY, "name of the part")                                               \
    X(T, command, TEXT, "", 0, KEY, "command line without the word zkherd")                        \
    X(T, seconds, REAL, "s", 1, NONE, "from its start to its end")                                 \
    X(T, memory_mib, REAL, "MiB", 1, NONE,                                                         \
      "most memory of all its processes at a time, servers included, looked at each second")       \
    X(T, disk_mib, REAL, "MiB", 1, NONE,                                                           \
      "most that the folder of the results has grown by, with the data of the servers at the "     \
      "time")                                                                                      \
    X(T, status, COUNT, "", 0, NONE, "its exit status")                                            \
    X(T, cpu, TEXT, "", 0, NONE, "model of the CPU")                                               \
    X(T, cores, COUNT, "", 0, NONE, "number of cores")                                             \
    X(T, version, TEXT, "", 0, NONE, "version of zkherd")
TABLE_DECLARE(command_row, COMMAND_COLUMNS);

struct progress;

struct commands {
    const char *program; /* the program's own path */
    const char *folder;  /* absolute */
    const char *zookeepers;
    bool quick;
    int interrupts;      /* a descriptor that a signal makes readable; -1: none */
    struct table done;   /* rows of commands.csv */
    struct table before; /* those of the reference */
    const struct progress *progress;
};

/* The commands of a part, for this kind of reproduction. */
char *const *commands_of(const struct commands *commands, const struct part *part, size_t *count);

/* The row of a command, NULL if there is none. */
const struct table_value *commands_row(const struct table *table, const char *part,
                                       const char *command);

/* Whether a command can be run: not without the releases of ZooKeeper that it needs. */
bool commands_can_run(const struct commands *commands, const char *command);

/* Runs what is wanted and not done, in order; adds a row each, and keeps the rows. A command that
 * ends with exit status 2 or 3, or by a signal, is done as well: its figures have no files.
 * ERROR_INTERRUPTED after a signal. */
MUST_CHECK enum error_kind commands_run(struct commands *commands, const struct parts *parts,
                                        struct error *error);

/* Raises *memory and *disk, in MiB, to what they are now: the memory of a process and of all below
 * it, and the files below the folder and in the folders in which these processes work. */
void usage_look(pid_t root, const char *folder, double *memory, double *disk);
double usage_disk_mib(const char *folder);

/* The name of the CPU, and the number of cores of this machine. */
void commands_machine(char *cpu, size_t size, uint64_t *cores);

/* ------------------------------------------------------------------ the whole */

/* A reproduction: the command line, and what is the same in all but tests. */
struct reproduction {
    const char *out, *zookeepers;
    bool quick, requirements, json, quiet;
    struct parts parts;
    struct figures figures;
    struct commands commands;
    char named[PATH_MAX], folder[PATH_MAX]; /* of the results: as it is told; absolute */
    char reference[PATH_MAX], program[PATH_MAX];
    struct table found; /* judged figures: rows of reproduced.csv */
    size_t counts[REPRODUCED_COUNT];
    size_t left_out; /* figures that are not of this kind of reproduction */
    bool cut_short;
};

#define REPRODUCED_COLUMNS(X, T)                                                                   \
    X(T, document, TEXT, "", 0, NONE, "document that has the figure")                              \
    X(T, claim, TEXT, "", 0, NONE, "its words, or those of the claim")                             \
    X(T, part, TEXT, "", 0, NONE, "part of zkherd reproduce")                                      \
    X(T, command, TEXT, "", 0, NONE, "command line that made the file")                            \
    X(T, minutes, REAL, "min", 2, NONE, "that the command took")                                   \
    X(T, memory_mib, REAL, "MiB", 1, NONE, "most memory of the command, servers included")         \
    X(T, kind, TEXT, "", 0, NONE, "`exact`, `measured` or `verdict`")                              \
    X(T, expected, TEXT, "", 0, NONE, "number of the reference, or its verdict")                   \
    X(T, expected_low, REAL, "", 6, NONE, "lower end of its interval")                             \
    X(T, expected_high, REAL, "", 6, NONE, "upper end of its interval")                            \
    X(T, found, TEXT, "", 0, NONE, "the same of the new results")                                  \
    X(T, found_low, REAL, "", 6, NONE, "lower end of its interval")                                \
    X(T, found_high, REAL, "", 6, NONE, "upper end of its interval")                               \
    X(T, verdict, TEXT, "", 0, NONE,                                                               \
      "`equal`, `within its interval`, `different` or `undetermined`")                             \
    X(T, reason, TEXT, "", 0, NONE, "why the figure is undetermined; empty: it is not")
TABLE_DECLARE(reproduced_row, REPRODUCED_COLUMNS);

/* Judges all figures of the wanted parts: fills found, counts, left_out. */
void reproduction_judge(struct reproduction *reproduction);

/* Prints the table; the minutes, memory and disk of each part; the JSON object. */
void tell_table(const struct reproduction *reproduction);
void tell_requirements(const struct reproduction *reproduction);
void tell_json(const struct reproduction *reproduction);

/* Runs, judges and tells. The lists, program and reference are set. Returns the exit status. */
int reproduction_lead(struct reproduction *reproduction);

#endif
