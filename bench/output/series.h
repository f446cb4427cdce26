// SPDX-License-Identifier: Apache-2.0
/*
 * series: the trials of a subcommand on one topology of servers or several, from the start of the
 * servers to the exit status. Layer: bench/output.
 *
 * The user is the subcommand: it plans and runs the trials, and has a record of each topology.
 *
 * Invariant: whatever the outcome, no private server is left after series_lead; records that were
 * opened have been closed, and the user has told of them if they have a trial.
 */
#ifndef BENCH_OUTPUT_SERIES_H
#define BENCH_OUTPUT_SERIES_H

#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/metrics/metrics.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the user does; constant. The calls stand in their order; context is that of series_init, and
 * a topology is an index in the targets. The first error ends the series. */
struct series_user {
    /* Before the first server is started: what else the trials need of this machine. NULL: nothing.
     */
    enum error_kind (*check)(void *context, struct error *error);
    /* The servers are there, and what they do not allow is left out of the numbers of clients:
     * plans the trials, and sets series.planned. */
    enum error_kind (*lay_out)(void *context, struct error *error);
    /* Opens the record of a topology. out: its folder, as of targets_folder. */
    enum error_kind (*open_record)(void *context, size_t topology, const char *out,
                                   struct error *error);
    /* Runs all trials. series.targets.signals is readable when they are to end. */
    enum error_kind (*run)(void *context, struct error *error);
    /* Closes a record that was opened, without a trial too: it is removed then. cut_short: why the
     * trials ended before the last one; NULL: they did not. Raises cut_short->kind again only for
     * the same reason. */
    enum error_kind (*close_record)(void *context, size_t topology, const struct error *cut_short,
                                    struct error *error);
    /* When all records are closed: writes what is of all of them. NULL: nothing. */
    enum error_kind (*join)(void *context, struct error *error);
    /* The trials that the record of a topology keeps. */
    size_t (*kept)(const void *context, size_t topology);
    /* Prints the results, and writes what the records do not; not called without a trial. Returns
     * 0, or the exit status of an error that it has complained about. *verdict, 0 before: 1:
     * something fails; 4: not valid, or not determined. */
    int (*tell)(void *context, int *verdict);
    /* Writes what --metrics tells (struct metrics_source). NULL: there is no such option. */
    void (*write_metrics)(void *context, FILE *stream);
};

/* The options of a series, and who complains. The pointers are the caller's, and must outlive it.
 */
struct series_options {
    const char *subcommand;
    const struct target_options *target;
    const struct output_options *output;
    struct levels *clients; /* at a time; the largest is the last */
    uint32_t processes;
    const char *piece; /* what an interrupted series keeps; NULL: "trial" */
};

struct series {
    const struct series_user *user;
    void *context;
    struct series_options options;
    int argc; /* the command line: argv[0] is the subcommand */
    char **argv;
    struct targets targets;
    size_t record_count; /* of the topologies whose record is open */
    size_t planned;      /* trials that would be kept; the user's to set */
    struct progress progress;
    struct metrics_source source;
    struct metrics_server *metrics; /* of --metrics; else NULL */
    char left_out[512];             /* which numbers of clients, and why; "": none */
    struct error left;              /* ERROR_LEFT_BEHIND: znodes that could not be removed */
    bool made_data;                 /* the folder of --data */
    bool interrupted;               /* by a signal */
};

/* user and context must outlive the series. */
void series_init(struct series *series, const struct series_options *options,
                 const struct series_user *user, void *context);
void series_deinit(struct series *series);

/* Starts or finds the servers, has all trials run, stops the servers, has the records closed and
 * the results told. Returns the exit status; errors have been complained about. */
int series_lead(struct series *series, int argc, char **argv);

/* Answers who has asked for the metrics, where there is time for that. */
void series_answer(const struct series *series);

/* The largest number of clients at a time. */
uint64_t series_most_clients(const struct series *series);

/* Whether to say what the trials demand of the servers: they are those of --connect, and somebody
 * else may use them. */
bool series_tells_demand(const struct series *series);

/* If so, says how many clients there are at most, each of which waits for its replies alone. */
void series_tell_demand(const struct series *series);

#endif
