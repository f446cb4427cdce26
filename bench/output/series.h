// SPDX-License-Identifier: Apache-2.0
/*
 * series: the driver of experiments: takes the trials of a subcommand from the start of the servers
 * to the exit status. Layer: bench/output.
 *
 * An experiment is cells × trials on one topology of servers or several. The driver opens the
 * servers and a record of each topology, makes the trials in rounds, shows how far they are, closes
 * the records and has them printed. The user, a subcommand, gives its cells, trials, rows and
 * words.
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
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ rounds (rounds.c)
 *
 * Every round makes one trial of each cell, in a random order of its own, so that a drift of the
 * machine or of the servers affects all cells alike. Rehearsals, which are not kept, are a round of
 * the cells that say so, before the first. */

/* What the order and the time of a cell's trials depend on. */
struct rounds_cell {
    size_t topology; /* index of the target */
    double cost;     /* of a trial, in a unit of the user's: requests, say */
    double requests; /* of a trial of a run */
    size_t alike;    /* from 0: trials of cells with one number take time by their cost */
    bool rehearsed;
};

struct rounds_trial {
    size_t cell;
    uint32_t number; /* from 1; 0: a rehearsal */
};

struct rounds {
    struct rounds_cell *cells;
    size_t cell_count;
    struct rounds_trial *trials;
    size_t trial_count;
    size_t rehearsals; /* the first of the trials */
    uint64_t trial_ns; /* how long each takes; 0: as those learnt from */
    struct rounds_experience {
        double cost, took_ns;
    } * learnt; /* of the trials of cells that are alike */
};

/* The cells are the caller's to fill before `count` rounds of them are laid out, in orders that
 * follow from the seed. */
void rounds_init(struct rounds *rounds, size_t cell_count);
void rounds_lay_out(struct rounds *rounds, uint32_t count, uint64_t seed);
void rounds_deinit(struct rounds *rounds);

/* What a trial has taken; and the estimated time of the trials from an index on, of which those
 * that nothing is known of take as long as the others; 0: nothing is known of any. */
void rounds_learn(struct rounds *rounds, size_t alike, double cost, uint64_t took_ns);
uint64_t rounds_left_ns(const struct rounds *rounds, size_t from);

/* ------------------------------------------------------------------ the series */

/* The results on one topology: a folder with the rows, the other files, and the manifest. */
struct series_record {
    size_t topology;
    char target[80]; /* a copy of its name: the target is closed before the record */
    size_t servers;
    struct file_set files;
    struct csv csv; /* of the rows, the first of the files */
    struct table rows;
    struct table made_again; /* rows of attempts that another one followed; not in the files */
    struct table findings;   /* what they come to: series_user.finish adds to it */
    struct manifest manifest;
    size_t planned; /* trials */
    bool warned;    /* that the counts cannot be compared with the servers' */
    bool whole;     /* closed without an error */
};

/* What the user does; constant. The calls stand in their order; context is that of series_run.
 * NULL: nothing. The first error ends the series. */
struct series_user {
    /* The servers are there, and what they do not allow is left out of the numbers of clients:
     * plans the trials, as series.rounds; or sets series.planned, for `run`. Sets series.plan, and
     * series.follows. */
    enum error_kind (*lay_out)(void *context, struct error *error);
    /* A record: the type of its rows; its other files, and warnings. Without `rows` there is none:
     * the user keeps the trials, and counts them in series.kept. */
    const struct table_type *rows;
    enum error_kind (*open_record)(void *context, struct series_record *record,
                                   struct error *error);
    /* Says what the trials demand, and warms up. */
    enum error_kind (*begin)(void *context, struct error *error);
    /* Makes series.trial, whose root znode is series.root, and keeps it unless it is a rehearsal.
     * series.targets.signals is readable when it is to end. */
    enum error_kind (*make)(void *context, struct error *error);
    /* Makes all trials, instead of series_make_rounds, which uses these two. */
    enum error_kind (*run)(void *context, struct error *error);
    /* The files of a record's trials are closed; series.cut_short says why the trials ended. If the
     * files are whole: writes those of all trials. Adds the findings; findings.csv is written then.
     */
    enum error_kind (*finish)(void *context, struct series_record *record, bool whole,
                              struct error *error);
    bool has_plots; /* a record may have */
    /* When all records are closed: writes what is of all of them. */
    enum error_kind (*join)(void *context, struct error *error);
    /* Prints the results, and writes what the records do not; not called without a trial. Returns
     * the exit status of what was found, or of an error that it has complained about. */
    int (*print_results)(void *context);
};

/* The pointers are the caller's, and must outlive the series. */
struct series_options {
    const char *subcommand;
    const struct target_options *target;
    const struct output_options *output;
    struct levels *clients; /* at a time; the largest is the last */
    uint32_t hosts;         /* that share the clients; 0: this one has them all */
    uint32_t processes;
    const char *piece; /* what an interrupted series keeps; NULL: "trial" */
    /* The verdict of the object that --json prints if the series is interrupted before its first
     * trial has ended; NULL: none is printed. */
    const char *verdict_of_nothing;
    uint64_t seed; /* of the manifests of the series' own records */
    bool votes;    /* the trials are votes of a search (noise_watch.h) */
};

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
    json_t *plan;   /* of the manifests */
    size_t planned; /* trials that would be kept */
    size_t kept;    /* by a user without records */
    bool follows;   /* another host makes the roots, and keeps the records */
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
};

/* Starts or finds the servers, has all trials made, stops the servers, closes the records and has
 * the results printed. Returns the exit status; errors have been complained about. user and context
 * must outlive the series, which must not be moved, and ends with series_deinit. */
int series_run(struct series *series, const struct series_options *options,
               const struct series_user *user, void *context, int argc, char **argv);
enum error_kind series_make_rounds(struct series *series, struct error *error);

/* After the last trial, the exit status with a verdict's: what fails outweighs everything else, and
 * an error what is not valid. */
int series_status(const struct series *series, int verdict);
void series_deinit(struct series *series);

/* What the trials demand of servers of --connect, which others may use: whether it is said, and how
 * many clients there are at most, with a clause on what they send. */
bool series_announces_demand(const struct series *series);
void series_announce_demand(const struct series *series, const char *each);

/* The name of the topology of the present trial; "" if there is only one. */
const char *series_topology(const struct series *series);

/* Prints a warning, except with --quiet, and adds it to the manifest. */
void series_warn(const struct series *series, struct series_record *record, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For a user that makes all trials itself, before the first. */
void series_measure_noise(struct series *series);

/* After noise_watch_end, of an attempt whose row is the record's last. False: it is to be made
 * again, and the row has moved away. True: it is to be kept; the manifest has the fleet that it ran
 * on (NULL: none), and a warning, once, if its counts could not be compared with the servers':
 * not_reconciled says why; "": they could. */
bool series_keeps(const struct series *series, struct series_record *record,
                  const struct shared *fleet, const char *not_reconciled);

/* "standalone: " where a message has to say which of several topologies it is of; else "". */
const char *series_where(const struct series *series, const struct series_record *record,
                         char where[100]);

/* The results of a record: the text above the findings, to stdout; and the list of cells of --json.
 */
struct series_view {
    void (*write)(const void *context, const struct series_record *record);
    json_t *(*cells)(const void *context, const struct series_record *record);
};

/* Prints all records that have a trial, or the object of --json; with this and with --quiet the
 * findings that fail or are not valid go to stderr. Returns the exit status of the findings. */
int series_print_results(const struct series *series, const struct series_view *view);

#endif
