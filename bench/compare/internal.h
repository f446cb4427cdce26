// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd compare` share. Layer: bench/compare.
 *
 *   kinds      what kinds of results there are, and what is compared of each
 *   sides      the folders that are compared, and which with which
 *   places     the cells of all sides, found by their keys
 *   ratios     what is compared in a cell
 *   overall    the ratio of a metric over all sizes
 *   gate       --fail-if: limits of such ratios, and their verdicts
 *   records    compare.csv and JSON
 *   tell       the table             sentences  what is said below
 *
 * A folder of results is a side of the comparison. Side A is the first; every other side is
 * compared with its base: side A, or another with as many servers (find_base in sides.c).
 *
 * Times are compared by the ratio of their geometric means over trials, with its interval. Counts
 * are compared for equality where the plan determines them: those of runs under lockstep, without
 * --duration. Elsewhere counts are compared like times. All that is told is written from one list
 * of compared cells.
 *
 * A place is a group, such as a recipe, at a size, such as a number of clients. What is concluded
 * of times is concluded of a group, over all its sizes at once.
 *
 * Invariants: every side has trials; no two labels are equal; nothing is marked without an interval
 * that excludes 1, or an exact count that differs. All intervals that are marked exclude 1 at once
 * with 95 %, and so do those of all overall ratios, and of all gates.
 */
#ifndef BENCH_COMPARE_INTERNAL_H
#define BENCH_COMPARE_INTERNAL_H

#include "base/memory.h"
#include "bench/output/past_run.h"
#include "bench/output/plots.h"
#include "bench/output/verdict.h"
#include "measure/statistics.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CONFIDENCE      0.95
#define SIDE_LABEL_SIZE (PATH_MAX + 128)

/* ------------------------------------------------------------------ kinds */

#define METRIC_NAME_SIZE 64

/* A figure that is compared. */
struct metric {
    size_t column;
    bool is_count;    /* of a run: equal under lockstep */
    bool per_handoff; /* the column's value by the trial's handoffs */
    double factor;    /* of the column's value */
    const char *over; /* the title of its column on the screen; NULL: it has none there */
    const char *title;
    unsigned spare;                  /* as in struct grid_column */
    bool shows_interval;             /* on the screen */
    char name[METRIC_NAME_SIZE];     /* in compare.csv */
    char words[2][METRIC_NAME_SIZE]; /* over and title, if they are made of the name */
};

/* Constant. */
struct kind {
    const struct table_type *type;    /* of its file, by which a folder is known */
    const char *word;                 /* "a run" */
    const struct table_type *answers; /* a file of findings besides; NULL: none */
};

/* What a folder holds; NULL: none of them. */
const struct kind *kind_of_folder(const char *folder);
const struct kind *kind_of_runs(void);

/* Whether the column of a type is of the trial or its circumstances, not of what is measured. */
bool kind_sets_aside(const struct table_column *column);

/* ERROR_OTHER_PLAN, with what differs: for a kind but runs, a value of the plan that decides what
 * is measured at a place. Lists decide nothing: they are of places. */
MUST_CHECK enum error_kind kind_check_plan(const struct past_run *first,
                                           const struct past_run *other, struct error *error);

/* The column of a type with this name; SIZE_MAX: none. */
size_t kind_column(const struct table_type *type, const char *name);

/* ------------------------------------------------------------------ sides */

struct side {
    struct past_run run;
    char letter[2];      /* "A", "B", … */
    const char *target;  /* points into the run, as the next three do */
    const char *version; /* of ZooKeeper, as the servers answered; NULL: not known, or not one */
    const char *home;    /* of private servers' release; NULL: not known */
    const char *zkherd;  /* the version that made it; NULL: not known */
    uint64_t servers;
    size_t operand;           /* of the command line, from 0: of which it is a part */
    const struct side *base;  /* with which this one is compared; of side A itself */
    struct table_cells cells; /* its trials by place */
    struct table answers;     /* of the kind; without a row if it has none */
    bool *counted, *timed;    /* of each row: whether its counts, its times can be used */
    size_t timed_rows;
    size_t failed;    /* trials with a violation */
    size_t disturbed; /* trials that other programs disturbed, and that were kept */
    char label[SIDE_LABEL_SIZE];
};

/* ------------------------------------------------------------------ places, ratios */

#define PLACE_KEYS_MAX 16

/* A group at a size. */
struct place {
    char *group;                                    /* "scalable" */
    char *at;                                       /* other sizes that vary: "depth 4"; "": none */
    uint64_t size;                                  /* the first key that is a number */
    const struct table_value *keys;                 /* a row that has them */
    const struct table_cell *of[COMPARED_RUNS_MAX]; /* of each side; NULL: it has no trial there */
};

enum ratio_mark { RATIO_UNKNOWN, RATIO_PLAIN, RATIO_MARKED };

struct ratio {
    struct interval a, b;  /* geometric means; exact counts: the least, with lowest and highest */
    struct interval ratio; /* of b to a; the interval is NaN with too few trials */
    size_t trials_a, trials_b;
    bool is_compared; /* there are trials on both sides */
    enum ratio_mark mark;
};

/* One cell: a place, of a side against its base. */
struct ratio_cell {
    const struct place *place;
    const struct side *side;
    struct ratio *of;   /* of each metric */
    bool counts_differ; /* an exact count does */
};

/* The ratio of a metric over all sizes of a group, of a side against its base. */
struct overall {
    const char *group;
    const struct side *side;
    size_t metric;
    size_t sizes;              /* that it is over: those with enough trials on both sides */
    size_t left_out;           /* other sizes of the group */
    uint64_t only;             /* the size, where it is one */
    size_t trials_a, trials_b; /* that were used at a size: the fewest */
    struct statistics_contrast contrast;
    struct interval ratio; /* the interval is NaN with too few trials */
    double confidence;     /* of the interval */
};

/* ------------------------------------------------------------------ gates */

/* --fail-if: METRIC > RATIO, or METRIC < RATIO, [at n=SIZE]. */
struct gate {
    const char *text; /* as it was given */
    char metric[METRIC_NAME_SIZE];
    double limit;
    bool below; /* worse is below the limit */
    bool has_size;
    uint64_t size;
};

#define GATES_MAX 32

enum gate_verdict { GATE_NO_WORSE, GATE_WORSE, GATE_UNDETERMINED };

/* A gate of a group of a side. */
struct gate_result {
    const struct gate *gate;
    struct overall overall;
    enum gate_verdict verdict;
    size_t needed; /* trials of each side at each size that would decide; 0: not known, or more than
                      STATISTICS_TRIALS_MOST */
};

/* ------------------------------------------------------------------ the comparison */

/* All zero bytes: without a side. Must not be moved once it has cells. */
struct comparison {
    const struct kind *kind; /* of all sides */
    struct side sides[COMPARED_RUNS_MAX];
    size_t side_count;
    bool releases_vary, servers_vary;         /* the sides are not all of one */
    size_t names[PLACE_KEYS_MAX], name_count; /* columns that are keys: texts, and numbers */
    size_t numbers[PLACE_KEYS_MAX], number_count;
    struct metric *metrics;
    size_t metric_count;
    size_t lead;          /* the metric of which sentences tell */
    struct place *places; /* group by group, sizes ascending */
    size_t place_count;
    struct ratio_cell *cells; /* place by place, side by side */
    size_t cell_count;
    size_t marked_of;        /* ratios that have an interval: so many chances of a mark */
    struct overall *overall; /* of the lead metric: group by group, side by side */
    size_t overall_count;
    struct gate_result *results; /* gate by gate, group by group, side by side */
    size_t result_count;
    bool is_of_runs;
    bool exact;       /* counts have to be equal */
    bool per_handoff; /* counts are those of a handoff: the plan has a duration */
};

/* Adds the results of a folder, a part of an operand. ERROR_USAGE: there are too many, or it is
 * there already, by whatever name, or it is of another kind; ERROR_MALFORMED, also if the trials of
 * a run are not all of one target; errors of past_run. */
MUST_CHECK enum error_kind comparison_add(struct comparison *comparison, const char *folder,
                                          size_t operand, struct error *error);

/* Sorts the sides from `first` on by their number of servers, the smallest first, then by their
 * version, the oldest first. */
void comparison_sort(struct comparison *comparison, size_t first);

/* After the last was added: which trials can be used; letters, bases, metrics, places and labels. A
 * label is the first of these that differs between all sides: the target; the target and its
 * servers; the name of the folder; the folder as it was named. */
void comparison_settle(struct comparison *comparison);

void comparison_deinit(struct comparison *comparison);

/* Whether two sides ran different releases of ZooKeeper; false if that is not known. */
bool sides_differ_in_release(const struct side *one, const struct side *other);

/* Whether the trials of two sides were made in turn, by one command, or are simulated: their times
 * do not drift apart. */
bool sides_share_drift(const struct side *one, const struct side *other);

/* Chooses the metrics and the keys. */
void comparison_choose(struct comparison *comparison);

/* Finds the places. */
void comparison_place(struct comparison *comparison);

/* The values of a metric in the usable trials of a side at a place, for the caller to free; with
 * the round of each, if rounds is not NULL, likewise. */
double *comparison_values(const struct comparison *comparison, const struct side *side,
                          const struct place *place, size_t metric, size_t *count, size_t **rounds);

/* Compares two or more sides. */
void comparison_find(struct comparison *comparison);

/* The ratio over all sizes; has_size: over those of this size alone. */
struct overall comparison_over(const struct comparison *comparison, const char *group,
                               const struct side *side, size_t metric, const uint64_t *size,
                               double confidence);

/* Whether the place begins a group, or there is none. */
bool comparison_begins(const struct comparison *comparison, size_t place);

/* Whether a cell has trials on both sides. */
bool ratio_cell_is_compared(const struct comparison *comparison, const struct ratio_cell *cell);

/* ------------------------------------------------------------------ gates */

/* Parses a gate; false, with the reason in why. *gate points to the text. */
bool gate_parse(const char *text, struct gate *gate, char *why, size_t size);

/* Judges the gates. ERROR_USAGE: a gate is of no metric, or of no size that two sides have. */
MUST_CHECK enum error_kind comparison_judge(struct comparison *comparison, const struct gate *gates,
                                            size_t count, struct error *error);

/* "worse", "no worse" or "undetermined". */
const char *gate_verdict_word(enum gate_verdict verdict);

/* The verdict of a gate with its figures, as a sentence without a period. */
void gate_say(const struct comparison *comparison, const struct gate_result *result,
              struct growing_text *sentence);

/* The worst of the verdicts of all gates. */
enum verdict comparison_gates(const struct comparison *comparison);

/* ------------------------------------------------------------------ records */

/* The whole of compare.csv, of a struct comparison. */
void comparison_write_csv(FILE *stream, const void *comparison);

/* The keys of docs/schema/compare.schema.json. */
json_t *comparison_describe(const struct comparison *comparison);

/* ------------------------------------------------------------------ what is told */

#define RATIO_SIZE 16

/* A ratio in four columns at most; "-": it is not known. Returns text. */
const char *ratio_put(double ratio, char text[RATIO_SIZE]);

/* " (95 % CI 1.60 to 2.04)" behind a sentence, if there is an interval. */
void say_interval(struct growing_text *sentence, const struct overall *overall);

/* " at 8 clients", or " over all 3 sizes". */
void say_sizes(struct growing_text *sentence, const struct comparison *comparison,
               const struct overall *overall);

/* "clients": what a size is a number of. */
const char *comparison_size_word(const struct comparison *comparison);

/* To stdout: a line for each side; a row for each cell, without the least important columns where
 * it would be too wide, and what all cells have in common; a sentence for each group and side, over
 * all sizes; the verdict of each gate. A difference is stated only where an interval excludes 1. */
void comparison_tell(const struct comparison *comparison);

/* The sentences of each group and side, and what is to be known of them. */
void comparison_conclude(const struct comparison *comparison);

/* To stderr, a line for each side with trials whose verdict failed, and for each exact count that
 * differs. */
void comparison_complain(const struct comparison *comparison);

/* The same for each gate that is not passed: for those who do not see the sentences. */
void comparison_complain_of_gates(const struct comparison *comparison);

#endif
