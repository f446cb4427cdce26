// SPDX-License-Identifier: Apache-2.0
/*
 * internal: drains in free pace, measured on servers or simulated with costs. Layer: bench/model.
 *
 * Each client of a drain acquires its lock once and holds it for no time.
 *
 * Invariant: a measured drain and a simulated one have the same plan, and are read in the same way.
 */
#ifndef BENCH_MODEL_INTERNAL_H
#define BENCH_MODEL_INTERNAL_H

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "bench/model/costs_file.h"
#include "bench/output/series.h"
#include "measure/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ one drain: drain.c */

/* "drain", "handoff p50"; a static string. */
const char *drain_word(enum drain_time time);

/*
 * The times, in seconds, of a simulation with these options; NaN: there was no handoff. The seed of
 * its jitter is `seed`. interrupts: a descriptor that is readable when the simulation is to be
 * given up, or -1. Errors of trial_run, and ERROR_ZOOKEEPER if the drain did not end well.
 */
MUST_CHECK enum error_kind drain_simulate(const struct sim_options *options,
                                          const struct drain_cell *cell, uint64_t seed,
                                          int interrupts, double times_s[DRAIN_TIMES],
                                          struct error *error);

/* The geometric means of DRAIN_SEEDS such simulations, always with the same seeds: a function of
 * the costs alone. The same errors. */
#define DRAIN_SEEDS 4
MUST_CHECK enum error_kind drain_expect(const struct sim_options *options,
                                        const struct drain_cell *cell, int interrupts,
                                        double times_s[DRAIN_TIMES], struct error *error);

/* ------------------------------------------------------------------ the options: drain.c
 *
 * The options of the subcommands that measure or predict drains. Each macro is one row of a table
 * (bench/cli/arguments.h). `type` is the subcommand's own struct, which has a struct drain_options
 * called drains. Options that drain_options_fit has accepted have at least one cell, and no more
 * than a file of costs can have. */

#define DRAIN_OPTIONS_RECIPES "nonscalable,childwatch,scalable,ticket"

struct drain_options {
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    struct levels clients;
    struct levels locks; /* count 0: one lock */
    uint32_t trials;
    bool trials_given;  /* on the command line: --trials */
    bool warm_up_given; /* on the command line: --warm-up */
    uint32_t processes;
    uint64_t warm_up_ns; /* if it was not given: of each server */
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
};

/* Parser: names of recipes, into a struct drain_options. */
bool drain_options_recipes(struct option_given *given);

#define DRAIN_ROW_RECIPES(type)                                                                    \
    {                                                                                              \
        .name = "--recipes", .letter = 'r', .parse = drain_options_recipes,                        \
        .member = OPTION_MEMBER(type, drains), .value = DRAIN_OPTIONS_RECIPES,                     \
        .help = "  -r, --recipes LIST       names (see zkherd recipes)\n"                          \
                "                           [" DRAIN_OPTIONS_RECIPES "]\n"                         \
    }

#define DRAIN_ROW_CLIENTS(type, default_)                                                          \
    {                                                                                              \
        .name = "--clients", .letter = 'n', .parse = option_row_levels,                            \
        .member = OPTION_MEMBER(type, drains.clients), .least = 2, .most = 20000,                  \
        .expected = "expected whole numbers from 2 to 20000, such as 10,20 or 8..256x2",           \
        .value = default_,                                                                         \
        .help =                                                                                    \
            "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [" default_ "]\n"    \
    }

#define DRAIN_ROW_TRIALS(type, least_, default_)                                                   \
    {                                                                                              \
        .name = "--trials", .letter = 't', OPTION_NUMBER(type, drains.trials, least_, 1000),       \
        .given = OPTION_MEMBER(type, drains.trials_given), .value = default_,                      \
        .help = "  -t, --trials K           of each cell [" default_ "]\n"                         \
    }

#define DRAIN_ROW_WARM_UP(type)                                                                    \
    {                                                                                              \
        .name = "--warm-up", OPTION_DURATION(type, drains.warm_up_ns, 0),                          \
        .given = OPTION_MEMBER(type, drains.warm_up_given), .value = "30s",                        \
        .help = "      --warm-up D          drains before the trials, not kept [30s a server]\n"   \
    }

/* How long so many servers are warmed up. Where they share the cores of one machine, so do the
 * compilers of their JVMs: each server takes its time. */
uint64_t drain_options_warm_up_ns(const struct drain_options *options, size_t servers);

/* Frees the lists. */
void drain_options_deinit(struct drain_options *options);

/* Lays out the cells: each recipe with each number of clients and of locks, but not with more locks
 * than clients. The caller's to free. */
struct drain_cell *drain_options_cells(const struct drain_options *options, size_t *count);

/* Whether there are cells with these recipes, clients and locks; complains if not. */
bool drain_options_fit(const char *subcommand, const struct drain_options *options);

/* ------------------------------------------------------------------ the series: drain.c
 *
 * Drains of several cells on servers, a series (bench/output/series.h) of one topology. Every round
 * makes one trial of each cell, in a random order of its own. Before the first round drains are run
 * that are not kept, until the servers are warm: a JVM compiles what it runs often, and in its
 * first seconds a server takes several times longer. A series that is cut short keeps nothing. */

struct drain_series;

/* What the subcommand does beside the trials; constant. */
struct drain_series_user {
    const char *subcommand;
    const char *piece; /* what an interrupted series would have made: "calibration" */
    /* The servers are open, and the cells laid out. The first error ends the series. */
    enum error_kind (*begin)(struct drain_series *series, void *context, struct error *error);
    /* All trials have been made, and the servers are stopped. Returns 0, or the exit status of an
     * error that it has complained about. *verdict, 0 before: 1: something fails; 4: not valid. */
    int (*tell)(struct drain_series *series, void *context, int *verdict);
};

struct drain_sample {
    size_t cell;
    bool stands; /* the trial was led to its end, and its times are those of the servers */
    double times_s[DRAIN_TIMES];
    double messages;      /* that the clients sent or received */
    double client_cpu_ns; /* of the driver */
};

struct drain_series {
    struct series base;
    const struct drain_series_user *user;
    void *context;
    const struct drain_options *options;
    const struct target_options *target;
    struct drain_cell *cells;
    size_t cell_count;
    struct drain_sample *samples; /* of all trials, in the order in which they are made */
    size_t sample_count;          /* that have been made */
};

/*
 * Starts or finds the servers, warms them up, makes all trials, and stops the servers. Complains
 * about each trial that does not stand. The options are those of one topology; output->out is a
 * name that must not be in use, as of series_init. Returns the exit status; errors have been
 * complained about.
 */
int drain_series_lead(struct drain_options *options, const struct target_options *target,
                      const struct output_options *output, const struct drain_series_user *user,
                      void *context, int argc, char **argv);

/* Raises an interruption of a computation, which is no series' own, in these words, and prints the
 * object of --json that says so. */
void drain_note_interruption(const struct output_options *output, const char *subcommand,
                             const char *words, struct error *error);

/* Describes the open servers. */
struct costs_record drain_series_record(const struct drain_series *series);

/* The trials of a cell. */
struct drain_summary {
    uint32_t trials;             /* that stand */
    double times_s[DRAIN_TIMES]; /* geometric means; NaN: none */
};

/* The trials of a cell that stand. ERROR_NOT_VALID, about the subcommand: there is none. */
MUST_CHECK enum error_kind drain_series_summarize(const struct drain_series *series, size_t cell,
                                                  struct drain_summary *summary,
                                                  struct error *error);

/* The standard deviation of the logarithm of a time over the trials of one cell, from all cells
 * together; 0 if no cell has two trials that stand. */
double drain_series_scatter(const struct drain_series *series, enum drain_time time);

/* The driver's CPU time for a message, in the cell with the most messages, where it matters most;
 * NaN if no trial stands. */
double drain_series_message_ns(const struct drain_series *series);

/* ------------------------------------------------------------------ a calibration: calibrate.c */

/* The costs with their intervals, the cells as measured and as fitted, and what the model does not
 * explain. */
void calibrate_write_table(const struct costs_file *costs, FILE *stream);

/* A warning, the caller's to free, if the trials scatter so much in this time that the costs tell
 * little; else NULL. */
char *calibrate_warning(const struct costs_file *costs, enum drain_time time);

/* ------------------------------------------------------------------ predictions: predict.c
 *
 * The interval of a predicted time is to cover, in 95 of 100 cases, the geometric mean of so many
 * trials. Its width has three parts, as variances of logarithms: that of the costs (drawn from
 * their covariance and simulated again), what the simulation did not explain of the calibration's
 * cells, and the scatter of trials. The same basis, cell and servers have the same prediction. */

struct prediction_basis {
    const struct costs_file *costs;
    uint32_t draws;  /* of the costs, at least 2 */
    uint32_t trials; /* of which the mean is predicted */
    uint64_t seed;   /* of the draws */
    int interrupts;  /* readable when the prediction is to be given up; -1: never */
};

/* On so many servers; NaN: there is no such time. Errors of drain_expect. */
MUST_CHECK enum error_kind prediction_make(const struct prediction_basis *basis,
                                           const struct drain_cell *cell, unsigned servers,
                                           struct interval predicted_s[DRAIN_TIMES],
                                           struct error *error);

struct prediction_cell {
    struct drain_cell drain;
    unsigned servers;
    struct interval predicted_s[DRAIN_TIMES];
    struct drain_summary measured; /* trials 0: it was not */
};

struct prediction_cells {
    const char *costs_path;
    const struct costs_file *costs;
    bool validates;
    struct prediction_cell *list;
    size_t count;
};

/* How many of the intervals cover what was measured. A time that was not measured is in no score.
 */
struct prediction_score {
    size_t covered;
    size_t count;
    double worst; /* of |predicted / measured - 1|; 0 with count 0 */
    bool passes;  /* eight of ten are covered, at least; false without any */
};

struct prediction_score prediction_cells_score(const struct prediction_cells *cells);

/* Prints the table, and what to know about it: with a measurement the score, else what the costs do
 * not know. */
void prediction_cells_print(const struct prediction_cells *cells, FILE *stream);

/* Writes a row for each cell and time, with the titles. */
void prediction_cells_write(const struct prediction_cells *cells, struct csv *csv);

#endif
