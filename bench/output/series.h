// SPDX-License-Identifier: Apache-2.0
/*
 * series: the driver of experiments: leads the trials of a subcommand from the start of the servers
 * to the exit status. Layer: bench/output.
 *
 * An experiment is cells × trials on one topology of servers or several. The driver opens the
 * servers and a record of each topology, makes the trials in rounds, shows how far they are, closes
 * the records and has them printed. The user, a subcommand, gives what differs: its cells, a trial
 * of one, the row that it gives, and the words.
 *
 * Invariant: whatever the outcome, no private server is left after series_run; records that were
 * opened have been closed, and printed if they have a trial.
 */
#ifndef BENCH_OUTPUT_SERIES_H
#define BENCH_OUTPUT_SERIES_H

#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/output/file_set.h"
#include "bench/output/findings.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/noise_watch.h"
#include "bench/output/plots.h"
#include "bench/output/rounds.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The results on one topology: a folder with the rows, the other files, and the manifest. */
struct series_record {
    size_t topology;
    char target[80]; /* a copy of its name: the target is closed before the record */
    size_t servers;
    struct file_set files;
    struct csv csv; /* of the rows, the first of the files */
    struct table rows;
    struct table made_again; /* rows of attempts that another one followed; not in the files */
    size_t disturbed;        /* trials in `rows` */
    struct table findings;   /* what they come to: series_user.finish adds to it */
    struct manifest manifest;
    size_t planned; /* trials */
    bool warned;    /* that the counts cannot be compared with the servers' */
    bool whole;     /* closed without an error */
};

/* What the user does; constant. The calls stand in their order; context is that of series_init, a
 * topology an index in the targets. NULL: nothing. The first error ends the series. */
struct series_user {
    /* Before the first server is started: what else the trials need of this machine. */
    enum error_kind (*check)(void *context, struct error *error);
    /* The servers are there, and what they do not allow is left out of the numbers of clients:
     * plans the trials, as series.rounds; or sets series.planned, for `run`. */
    enum error_kind (*lay_out)(void *context, struct error *error);

    /* A record: the type of its rows; its other files; the object "plan" of its manifest; and what
     * to warn of before the first trial (series_warn). */
    const struct table_type *rows;
    enum error_kind (*add_files)(void *context, struct series_record *record, struct error *error);
    json_t *(*describe_plan)(const void *context);
    void (*warn)(void *context, struct series_record *record);
    /* Instead, with `rows` NULL: there is no record, the user keeps the trials, this many. */
    size_t (*kept)(const void *context);

    /* Says what the trials demand, and warms up. */
    enum error_kind (*begin)(void *context, struct error *error);
    /* Makes series.trial, whose root znode is series.root, and keeps it unless it is a rehearsal.
     * series.targets.signals is readable when it is to end. */
    enum error_kind (*make)(void *context, struct error *error);
    /* Instead of these two: makes all trials. */
    enum error_kind (*run)(void *context, struct error *error);

    /* The files of a record's trials are closed; series.cut_short says why the trials ended. If the
     * files are whole: writes those of all trials. Adds the findings; findings.csv is written then.
     */
    enum error_kind (*finish)(void *context, struct series_record *record, bool whole,
                              struct error *error);
    /* Sets the kind of the plots of a record, and adds their recipes. Returns why there may be
     * nothing to draw. */
    const char *(*name_plots)(const void *context, struct plots *plots);
    /* When all records are closed: writes what is of all of them. */
    enum error_kind (*join)(void *context, struct error *error);
    /* Prints the results, and writes what the records do not; not called without a trial. Returns
     * 0, or the exit status of an error that it has complained about. *verdict, 0 before: 1:
     * something fails; 4: not valid, or not determined. */
    int (*print_results)(void *context, int *verdict);
};

/* The pointers are the caller's, and must outlive the series. */
struct series_options {
    const char *subcommand;
    const struct target_options *target;
    const struct output_options *output;
    struct levels *clients; /* at a time; the largest is the last */
    uint32_t processes;
    const char *piece; /* what an interrupted series keeps; NULL: "trial" */
    /* The verdict of the object that --json prints if the series is interrupted before its first
     * trial has ended; NULL: none is printed. */
    const char *verdict_of_nothing;
    uint64_t seed; /* of the manifests of the series' own records */
    bool votes;    /* the trials are votes of a search (noise_watch.h) */
};

#define SERIES_JSON_SIZE 120

struct series {
    const struct series_user *user;
    void *context;
    struct series_options options;
    int argc; /* the command line: argv[0] is the subcommand */
    char **argv;
    struct targets targets;
    struct series_record *records; /* of each topology of the options */
    size_t record_count;           /* of the topologies whose record is open */
    struct rounds rounds;
    size_t planned; /* trials that would be kept */
    struct progress progress;
    struct noise_watch noise;
    /* The present one: */
    const struct rounds_trial *trial; /* NULL: none of a round */
    size_t attempts;                  /* begun so far, of all trials of rounds */
    char root[96];

    const struct error *cut_short; /* why the trials ended before the last; NULL: they did not */
    char left_out[512];            /* which numbers of clients, and why; "": none */
    struct error left;             /* ERROR_LEFT_BEHIND: znodes that could not be removed */
    bool made_data;                /* the folder of --data */
    bool interrupted;              /* by a signal */
    char json_of_nothing[SERIES_JSON_SIZE]; /* before a trial has ended; "": none */
};

/* user and context must outlive the series, which must not be moved. */
void series_init(struct series *series, const struct series_options *options,
                 const struct series_user *user, void *context);
void series_deinit(struct series *series);

/* Starts or finds the servers, has all trials made, stops the servers, closes the records and has
 * the results printed. Returns the exit status; errors have been complained about. */
int series_run(struct series *series, int argc, char **argv);

/* A signal before the servers of --connect have answered ends the program: it then discards this
 * folder, too, which has just been made. */
void series_discard_on_signal(const char *folder);

/* The largest number of clients at a time. */
uint64_t series_most_clients(const struct series *series);

/* Whether to say what the trials demand of the servers: they are those of --connect, and somebody
 * else may use them. */
bool series_announces_demand(const struct series *series);

/* If so, says how many clients there are at most, and a clause on what each of them sends. */
void series_announce_demand(const struct series *series, const char *each);

/* The name of the topology of the present trial; "" if there is only one. */
const char *series_topology(const struct series *series);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void series_warn(const struct series *series, struct series_record *record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Measures what others do before the first trial; for a user that makes all trials itself. */
void series_measure_noise(struct series *series);

/* For a user that makes all trials itself, after noise_watch_end: an attempt whose row is the
 * record's last is either to be made again, and then no longer among the rows, or kept. */
void series_finish_attempt(const struct series *series, struct series_record *record);

/* A trial that ran on this fleet is to be kept: for the manifest. Warns once if its counts could
 * not be compared with the servers': not_reconciled says why; "": they could. */
void series_keep(const struct series *series, struct series_record *record,
                 const struct shared *fleet, const char *not_reconciled);

/* "standalone: " where a message has to say which of several topologies it is of; else "". */
const char *series_where(const struct series *series, const struct series_record *record,
                         char where[100]);

/* With --brief, the sentences below the verdict, at most. */
#define SERIES_BRIEF_FINDINGS 4

/* How the results of a record are printed: the findings stand below what `write` writes; with
 * --quiet and --json those that fail or are not valid go to stderr. */
struct series_view {
    /* To stdout. */
    void (*write)(const void *context, const struct series_record *record);
    /* The list of cells of --json. */
    json_t *(*cells)(const void *context, const struct series_record *record);
};

/* Complains about all records that have a trial, and prints them, or the object of --json. Returns
 * the exit status of all that was found. */
int series_print_results(const struct series *series, const struct series_view *view);

#endif
