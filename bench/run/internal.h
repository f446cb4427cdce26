// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of bench/run declare for each other, from the command line to the texts
 * at the end. Layer: bench/run.
 */
#ifndef BENCH_RUN_INTERNAL_H
#define BENCH_RUN_INTERNAL_H

#include "base/error.h"
#include "bench/background/background.h"
#include "bench/cli/options.h"
#include "bench/output/series.h"
#include "bench/output/trial_columns.h"
#include "client/connect.h"
#include "measure/csv.h"
#include "measure/fit.h"
#include "measure/histogram.h"
#include "measure/statistics.h"
#include "trial/trial.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ command_line */

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to options_deinit, and they can be run: what contradicts each other is refused. Else
 * the exit status: the help is printed, or the mistake has been complained about. */
int command_line_parse(int argc, char **argv, struct options *options);

/* ------------------------------------------------------------------ cells */

/* What a trial is of: a recipe at a number of clients on a topology of servers. */
struct cell {
    const struct recipe *recipe;
    uint32_t clients;
    uint32_t trial;  /* from 1 */
    size_t topology; /* index of the target */
    size_t alike;    /* index of the recipe among those of all targets: in rounds */
    uint64_t rpcs;   /* by the law: exact under lockstep, an estimate otherwise */
    uint64_t bytes;  /* sent and received: an upper bound for the messages of the law */
};

/* The cells of a run, each once, and the sums over all their trials. */
struct cells {
    struct cell *list;
    size_t count;
    size_t trials;
    uint64_t rpcs, bytes;
};

/* The list is the caller's to free. */
struct cells cells_new(const struct options *options);

/* Their trials, whose time is that of the options with --duration, else follows from their
 * requests. */
void cells_lay_out(const struct cells *cells, const struct options *options, struct rounds *rounds);

/* The plan of a trial, without root, servers and seed. */
struct trial_plan cell_plan(const struct options *options, const struct recipe *recipe,
                            uint64_t clients);

/* The discarded trial of recipe `recipe`: a drain of few clients on one lock. */
struct cell cells_warm_up(const struct options *options, size_t recipe, size_t topology,
                          struct trial_plan *plan);

/* ------------------------------------------------------------------ demand */

/* Prints what a run demands of the servers of --connect: the number of sessions at a time, and the
 * requests and bytes in all, with the discarded trials and without zkherd's own session; then the
 * sessions and the rate of --background. */
void demand_tell(const struct options *options, const struct cells *cells,
                 const struct connect_string *servers);

/* ERROR_NO_SPACE, with the numbers, if the results are larger than the free space of the file
 * system of their folder, which need not exist yet, or than the limit of a file's size (ulimit -f).
 * The computed size is a lower bound, so that a run that is refused would certainly fail. */
MUST_CHECK enum error_kind space_check(const struct options *options, struct error *error);

/* Warns of what may not suffice on this machine: request numbers, ports. */
void limits_warn(const struct series *series, const struct cells *cells,
                 struct series_record *record);

/* ------------------------------------------------------------------ trial_rows
 *
 * The trials of a run as rows of trials.csv. Invariant: a trial whose times are not those of the
 * servers alone is not valid, and says why; its counts stand if it is complete. */

/* Fills what a row has before its trial has ended: no flag is set, and no reason is given. */
void trial_row_begin(const struct cell *cell, const struct options *options,
                     const struct series_record *record, struct table_value *row);

/* Fills the row of a finished trial and of the load beside it, without beta, which waiters_add
 * computes. cores_allowed: the cores that the trial's processes could use (cores.h). */
void trial_row_take(const struct cell *cell, const struct trial_result *result,
                    const struct background_figures *background, const struct options *options,
                    const struct series_record *record, double cores_allowed,
                    struct table_value *row);

/* Sets the flags of a row that has its violations: complete, valid, and what follows from them. */
void trial_row_judge(struct table_value *row, bool complete, bool valid);

/* A percentile for the files of a run: among values above the range the largest of them, exactly
 * (lib/measure/histogram.h); NaN of an empty histogram. */
double trial_row_percentile_us(const struct histogram *histogram, double percent);

/* The exit status that a row deserves: 0; 1: its verdict fails; 4: not valid. */
int trial_row_verdict(const struct table_value *row);

struct record;

/* ------------------------------------------------------------------ waiters
 *
 * The cost of a handoff by the number of its waiters.
 *
 * Collects the handoffs of all trials of one recipe: counts for each number of waiters W, latencies
 * for each octave of W (1, 2-3, 4-7, …). Arrivals (handoff 0) and releases without a waiter are not
 * handoffs.
 * Each trial gives one median, and the geometric mean is over trials: the handoffs of one trial are
 * correlated. The 99th percentile, for which one has too few, is of all handoffs of an octave. */

#define WAITERS_OCTAVES   20
#define WAITERS_P99_LEAST 100 /* handoffs, for a 99th percentile */

struct waiters_level {
    uint64_t handoffs, creates, notifications, rpcs;
    uint64_t lawful; /* handoffs for which the law predicts the two counts behind it */
    uint64_t law_creates, law_notifications;
    uint64_t timed;    /* handoffs of trials whose times are valid */
    double handoff_us; /* the sum over the timed handoffs */
    /* For several levels: the waiters of all handoffs, and of the timed ones, added up. */
    uint64_t waiters, timed_waiters;
};

struct waiters_octave {
    struct histogram latency;
    double *medians_us; /* of each trial with handoffs in this octave */
    size_t median_count;
};

struct waiters {
    const struct recipe *recipe;
    struct waiters_level *levels; /* by W; index 0 is not used */
    size_t level_count;
    struct waiters_octave octaves[WAITERS_OCTAVES];
};

/* For handoffs with at most most_waiters waiters. */
MUST_CHECK enum error_kind waiters_new(const struct recipe *recipe, uint64_t most_waiters,
                                       struct waiters **waiters, struct error *error);
void waiters_free(struct waiters *waiters);

/*
 * Adds the handoffs of a trial, and their times if the trial is `timed`. *beta becomes the cost of
 * one more waiter in this trial, in bare handoffs: that of the line handoff = (1 + beta·W) / gamma
 * through the medians of the octaves; NaN with fewer than two medians.
 */
MUST_CHECK enum error_kind waiters_add(struct waiters *waiters, const struct trial_result *result,
                                       bool timed, double *beta, struct error *error);

/* Adds up all levels of an octave. */
struct waiters_level waiters_octave_sum(const struct waiters *waiters, size_t octave);

/* The columns of waiters.csv, and its rows: for each recipe one for each octave with a handoff. */
extern const char waiters_columns[];
void waiters_write(const struct record *record, struct csv *csv);

/* ------------------------------------------------------------------ outcome
 *
 * What the trials of a run on one target come to, computed once: the figures of each cell,
 * and how those of each recipe grow. The table, the sentences, the JSON and the CSV files of a run
 * are made of it.
 *
 * Counts of a cell are medians over its complete trials (under lockstep all are equal), or over all
 * trials if none is complete; times are medians over its valid trials. The growth is that of means
 * over trials; it leaves out each trial that is not valid where it is of times, and each trial with
 * a failed verdict. */

enum figure {
    FIGURE_RPCS,
    FIGURE_CREATES,
    FIGURE_NOTIFICATIONS,
    FIGURE_NAMES_LISTED,
    FIGURE_BYTES,
    FIGURE_ELAPSED,
    FIGURE_DRAIN,
    FIGURE_HANDOFF_P50,
    FIGURE_HANDOFF_P99,
    FIGURES
};

/* Where a figure is in a row. */
struct outcome_figure {
    size_t column;
    size_t law;    /* what the law says of it, or OUTCOME_NO_LAW */
    size_t usable; /* the flag of trials that have it: of counts it is trial_row_complete */
};
#define OUTCOME_NO_LAW SIZE_MAX
extern const struct outcome_figure outcome_figures[FIGURES];

/* A recipe at a number of clients. */
struct outcome_cell {
    const struct recipe *recipe;
    uint64_t clients;
    struct table_cell trials;
    size_t complete, valid;
    bool fails;   /* the verdict of a trial does */
    bool has_law; /* each complete trial has one */
    double figures[FIGURES];
};

struct fitted {
    struct fit_exponent exponent;
    struct fit_polynomial polynomial;
    enum fit_verdict verdict;
};

/* How a total grows with the clients. */
struct growth {
    bool known; /* some trial has it; else the fit is not there */
    struct fitted fitted;
    /* Under lockstep, where no trial fails and each count is that of the law: */
    bool obeyed;
    struct fit_polynomial law;
    enum fit_verdict law_verdict; /* FIT_UNDETERMINED: not obeyed, or no polynomial */
    bool described;               /* `law` is the law at every level of the run */
};

struct outcome_recipe {
    const struct recipe *recipe;
    struct outcome_cell *cells; /* those that have a trial, in the order of their clients */
    size_t count;
    struct growth growth[FIGURES]; /* of totals */
    struct interval beta;          /* the herd coefficient (docs/counting.md) at the most clients */
};

struct outcome {
    const struct options *options;
    const struct table *rows;
    struct table_cells groups;
    struct outcome_cell *cells; /* of all recipes, in the order of the plan */
    size_t count;
    struct outcome_recipe recipes[OPTIONS_RECIPES_MAX];
};

/* Options and rows must outlive it. */
struct outcome *outcome_new(const struct table *rows, const struct options *options);
void outcome_free(struct outcome *outcome);

/* ------------------------------------------------------------------ fits
 *
 * How the costs of each recipe grow: fits.csv, and the sentences of the summary.
 *
 * Totals are fitted against the clients n, costs of a handoff against its measured waiters W.
 * Counts that equal their law at every level are reported as the law, without a fit. */

/* Fills growth and beta of a recipe that has its cells. */
void fits_find(const struct outcome *outcome, struct outcome_recipe *recipe);

extern const char fits_columns[];
void fits_write(const struct record *record, struct csv *csv);

/* The sentences of each recipe: "nonscalable: RPCs: exactly n² + n at every n: O(n²)", how bytes
 * and drain time grow, and the cost of one more waiter; and one for all recipes if the run has too
 * few numbers of clients for a fit. */
void fits_tell(const struct outcome *outcome, FILE *stream);

/* How the RPCs of a recipe grow: "O(n²)", as fits_tell says it; NULL if that is undetermined. */
const char *fits_order_of_rpcs(const struct outcome_recipe *recipe);

/* ------------------------------------------------------------------ record */

/* The number of rows that handoffs.csv has at most, about: each trial has an equal share, and a
 * trial with more handoffs is thinned evenly. */
#define RECORD_HANDOFFS_MAX UINT64_C(1000000)

/* What the record of a run on one target (bench/output/series.h) has besides: the files that grow
 * trial by trial, and what all trials come to. */
struct record {
    const struct options *options;
    struct series_record *base;
    uint64_t rows_per_trial; /* of handoffs.csv, at most */
    uint64_t thinning; /* 1 in so many handoffs has a row, in the trial that is thinned most */
    struct csv handoffs, sessions, latency, trace;
    FILE *hlog;
    struct waiters *waiters[OPTIONS_RECIPES_MAX]; /* of each recipe */
    struct outcome *outcome;                      /* once it is finished */
};

/* Adds the files to a record whose folder is open, trace.csv only with --trace. record_deinit must
 * be called also after an error. options and base must outlive the record. */
MUST_CHECK enum error_kind record_open(struct record *record, const struct options *options,
                                       struct series_record *base, struct error *error);
void record_deinit(struct record *record);

/* Adds the row of a trial that has no result, as struct series_user.abandon. */
struct noise_row record_abandon(struct record *record, const struct cell *cell);

/* Adds a finished trial, and what the load beside it has measured; of one that is to be made again,
 * the row alone. */
MUST_CHECK enum error_kind record_add(struct record *record, struct series *series,
                                      const struct cell *cell, const struct trial_result *result,
                                      const struct background_figures *background,
                                      struct error *error);

/* Writes a trial into the files. On an error they keep the trials before it. */
MUST_CHECK enum error_kind record_write(struct record *record, const struct table_value *row,
                                        const struct trial_result *result, struct error *error);

/* Finds the outcome of all trials; whole: writes their files, too. */
MUST_CHECK enum error_kind record_finish(struct record *record, bool whole, struct error *error);

/* ------------------------------------------------------------------ table
 *
 * Writes a row for each cell, and a line below the table for each cell of which a trial is left
 * out. Where a row would be wider than `width`, all counts but RPCs are rounded, and the least
 * important columns are left out, which lines below it say. A verdict that all cells share is left
 * to the conclusion, else it is a column. */
void table_write(const struct outcome *outcome, size_t width, FILE *stream);

/* A new list of the cells for --json, in the order of the table, with the keys of
 * docs/schema/run.schema.json; json_decref frees. */
json_t *table_json(const struct outcome *outcome);

/* The stalls of all trials, for the manifest. */
json_t *table_json_stalls(const struct table *rows);

/* ------------------------------------------------------------------ conclusion
 *
 * Writes the growth of a handoff's RPCs with the clients, as bars of text: for each recipe a line
 * for each number of clients, the RPCs of its trials by their handoffs, grants that is; without
 * trials that were cut short, or whose verdict fails. Of many numbers of clients only some are
 * shown, the least and the largest among them. Nothing if fewer than two bars could be compared, or
 * if the terminal, of `width` columns, has no room for them. blocks: see bench/cli/terminal.h.
 *
 * Invariant: all bars are on one linear scale from 0, and no line is wider than 80 columns. */
void handoff_bars_write(const struct outcome *outcome, size_t width, bool blocks, FILE *stream);

/* Writes what else there is to say, behind an empty line: how costs grow, roles of servers, what
 * was left on servers, stalls, recoveries after a death, what the lock costs the load of
 * --background. */
void conclusion_sentences(const struct outcome *outcome, FILE *stream);

/* Writes the verdict, and below it how many of the planned trials it is of, if the run ended early;
 * which trials fail or are not valid; whether the counts of the others equal their laws; and how
 * the RPCs of the recipes grow, where that is known. colours: the word is green, red or yellow. */
void conclusion_write(const struct outcome *outcome, size_t planned, bool colours, FILE *stream);

/* Writes an indented line, of at most 4,095 bytes. */
void conclusion_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes to stderr a line for each reason for which trials of a recipe failed or were not valid:
 * `where`, the first such trial, their number, and in a simulation the seed, which repeats the
 * failure. Reasons that differ only in numbers are one reason. */
void conclusion_complain(const struct table *rows, const struct options *options,
                         const char *where);

/* ------------------------------------------------------------------ background_price
 *
 * What the contention for a lock costs the load beside it, as a ratio: the
 * response time while clients contend, to that of the same trial alone. A value is the geometric
 * mean over the valid trials of a cell, with its 95 % interval from STATISTICS_TRIALS_MIN trials
 * on. */

/* The columns of background.csv, and its rows: one for each cell that has a valid trial. */
extern const char background_price_columns[];
void background_price_write(const struct record *record, struct csv *csv);

/* Writes a sentence for each recipe and percentile, at the most clients; nothing without
 * --background. */
void background_price_tell(const struct outcome *outcome, FILE *stream);

#endif
