// SPDX-License-Identifier: Apache-2.0
/*
 * load_series: a series (bench/output/series.h) whose trials are those of a load. Layer:
 * bench/output.
 *
 * Invariant: whatever the outcome, no private server and no worker is left after load_series_run;
 * files that were opened have the trials that were finished, or are removed if there was none.
 */
#ifndef BENCH_OUTPUT_LOAD_SERIES_H
#define BENCH_OUTPUT_LOAD_SERIES_H

#include "bench/cli/options.h"
#include "bench/output/series.h"
#include "bench/output/trial_findings.h"
#include "hosts/load_hosts.h"
#include "load/load.h"
#include "load/load_plan.h"
#include "measure/table.h"

/* ------------------------------------------------------------------ trials: load.csv
 *
 * A trial whose times are not the server's is not valid, and the reason names what was: the driver,
 * a session that was lost, another client. */

/* What a trial is of: a mix at a number of sessions and an offered rate on a topology. */
struct load_cell {
    struct mix mix;
    uint32_t sessions;
    uint64_t rate_per_s; /* 0: a closed loop */
    size_t topology;     /* index of the target */
    uint32_t trial;      /* from 1; 0: of a rehearsal, not to be kept */
};

#define LOAD_SERVER_COLUMN(X, T, name, keys, word, meaning)                                        \
    X(T, server_##name, COUNT, "", 0, NONE,                                                        \
      "what the servers counted then, without the session of zkherd; empty if not reported")
#define LOAD_KIND_COLUMN(X, T, kind, name)                                                         \
    X(T, name, COUNT, "", 0, NONE, "operations answered, as foreseen, by kind")
/* The kinds of operations, and their columns. */
#define LOAD_KIND_COLUMNS(K, X, T)                                                                 \
    K(X, T, LOAD_GET, gets)                                                                        \
    K(X, T, LOAD_EXISTS, exists)                                                                   \
    K(X, T, LOAD_CHILDREN, get_children)                                                           \
    K(X, T, LOAD_SET, sets)                                                                        \
    K(X, T, LOAD_CREATE, creates)                                                                  \
    K(X, T, LOAD_DELETE, deletes)                                                                  \
    K(X, T, LOAD_MULTI, multis)                                                                    \
    K(X, T, LOAD_TRYLOCK, trylocks)                                                                \
    K(X, T, LOAD_UNLOCK, unlocks)                                                                  \
    K(X, T, LOAD_CREATE_DELETE, create_deletes)                                                    \
    K(X, T, LOAD_ASYNC_DELETE, async_deletes)
#define LOAD_ERROR_COLUMN(X, T, name)                                                              \
    X(T, errors_##name, COUNT, "", 0, NONE, "of operations due in the measured time, by status")
#define LOAD_TIME_COLUMNS(X, T, name, meaning)                                                     \
    X(T, name##_p50_us, REAL, "us", 1, GEOMETRIC, meaning)                                         \
    X(T, name##_p90_us, REAL, "us", 1, NONE, meaning)                                              \
    X(T, name##_p99_us, REAL, "us", 1, GEOMETRIC, meaning)                                         \
    X(T, name##_p999_us, REAL, "us", 1, NONE, meaning)                                             \
    X(T, name##_max_us, REAL, "us", 1, NONE, meaning)
#define LOAD_PAIR_COLUMNS(X, T, name, p50, p99, meaning)                                           \
    X(T, name##_p50_us, REAL, "us", 1, p50, meaning)                                               \
    X(T, name##_p99_us, REAL, "us", 1, p99, meaning)
#define LOAD_LAG                                                                                   \
    "how late the driver was with operations that were not `delayed`: from when they were due to " \
    "when it looked at their session; each is the upper end of a histogram's slot, at most 0.1 % " \
    "above the lag itself; empty in a closed loop, and if every operation was delayed"

#define LOAD_ROW_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, target, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, servers, COUNT, "", 0, KEY, "as in `trials.csv`")                                         \
    X(T, driver, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, processes, COUNT, "", 0, KEY, "as in `trials.csv`")                                       \
    X(T, mix, TEXT, "", 0, KEY, "the mix, as `--mix` takes it")                                    \
    X(T, reads_percent, COUNT, "%", 0, KEY, "its share of get, exists and children")               \
    X(T, sessions, COUNT, "", 0, KEY, "as on the command line")                                    \
    X(T, depth, COUNT, "", 0, KEY, "as on the command line")                                       \
    X(T, value_bytes, COUNT, "bytes", 0, KEY, "as on the command line")                            \
    X(T, rate_per_s, COUNT, "1/s", 0, KEY, "the offered rate; empty in a closed loop")             \
    X(T, trial, COUNT, "", 0, NONE, "its number within the cell")                                  \
    X(T, seed, COUNT, "", 0, NONE, "the seed of the load")                                         \
    X(T, seconds, COUNT, "s", 0, NONE, "the measured time in seconds")                             \
    X(T, offered_per_s, REAL, "1/s", 2, GEOMETRIC, "due, sent or not; empty in a closed loop")     \
    X(T, achieved_per_s, REAL, "1/s", 2, GEOMETRIC,                                                \
      "operations answered, as foreseen; rates and cores are empty if the time was cut short")     \
    X(T, delayed, COUNT, "", 0, NONE, "operations sent late: at `depth`, or without a connection") \
    X(T, unsent, COUNT, "", 0, SUM, "never sent at all: each counts as slower than all others")    \
    LOAD_KIND_COLUMNS(LOAD_KIND_COLUMN, X, T)                                                      \
    X(T, errors, COUNT, "", 0, SUM, "replies in the measured time that were not foreseen")         \
    LOAD_ERROR_COLUMN(X, T, no_node)                                                               \
    LOAD_ERROR_COLUMN(X, T, node_exists)                                                           \
    LOAD_ERROR_COLUMN(X, T, connection_loss)                                                       \
    LOAD_ERROR_COLUMN(X, T, session_expired)                                                       \
    LOAD_ERROR_COLUMN(X, T, other)                                                                 \
    LOAD_TIME_COLUMNS(X, T, response,                                                              \
                      "response times; `p99` is empty with fewer than 100 values, `p90` 10, "      \
                      "`p999` 1,000, those never sent among them, and if it falls among those or " \
                      "above one minute; `max` is the largest of the others")                      \
    X(T, over_range, COUNT, "", 0, NONE, "response times above one minute")                        \
    LOAD_TIME_COLUMNS(X, T, service,                                                               \
                      "service times; the mean is empty if one is above one minute")               \
    X(T, service_mean_us, REAL, "us", 1, NONE,                                                     \
      "service times; the mean is empty if one is above one minute")                               \
    LOAD_PAIR_COLUMNS(X, T, lag, NONE, NONE, LOAD_LAG)                                             \
    X(T, lag_max_us, REAL, "us", 1, NONE, LOAD_LAG)                                                \
    X(T, watch_percent, COUNT, "%", 0, NONE, "as on the command line")                             \
    X(T, notifications, COUNT, "", 0, NONE, "received from the start of the warm-up to the end")   \
    X(T, notifications_untimed, COUNT, "", 0, NONE,                                                \
      "those whose write is not known: a lost reply, a multi, or too many writes in between")      \
    X(T, writes_fired, COUNT, "", 0, NONE, "measured writes that fired a timed notification")      \
    X(T, fan_out_mean, REAL, "", 3, GEOMETRIC,                                                     \
      "timed notifications by `writes_fired`; empty if that is 0")                                 \
    X(T, fan_out_max, COUNT, "", 0, NONE, "the most of one write; empty if there was none")        \
    LOAD_PAIR_COLUMNS(X, T, notification, GEOMETRIC, NONE,                                         \
                      "from the sending of such a write to a notification")                        \
    LOAD_PAIR_COLUMNS(X, T, first_notification, GEOMETRIC, NONE,                                   \
                      "from there to the first notification of the write")                         \
    LOAD_PAIR_COLUMNS(X, T, last_notification, GEOMETRIC, GEOMETRIC,                               \
                      "from there to the last notification of the write")                          \
    LOAD_PAIR_COLUMNS(X, T, set_service, GEOMETRIC, NONE, "service times of sets alone")           \
    X(T, client_cores, REAL, "cores", 3, GEOMETRIC,                                                \
      "CPU time of all worker processes by the measured time; empty in a simulation")              \
    X(T, server_cores, REAL, "cores", 3, GEOMETRIC, "that of all private servers together")        \
    X(T, client_rss_kib, COUNT, "KiB", 0, NONE, "resident memory of all worker processes")         \
    X(T, rpcs, COUNT, "", 0, NONE, "requests from the start of the warm-up to the last reply")     \
    FOUR_LETTER_OF_LOADS(LOAD_SERVER_COLUMN, X, T)                                                 \
    X(T, reconciled, TEXT, "", 0, NONE, "`yes`, `no` or `na`, as in `trials.csv`")                 \
    X(T, reconnects, COUNT, "", 0, NONE, "connections that were lost and opened again")            \
    X(T, marks, COUNT, "", 0, NONE, "number of events at the servers in the measured time")        \
    X(T, marks_left_out, COUNT, "", 0, NONE,                                                       \
      "those that `timeline.csv` has no room for: it has 512, of them 256 snapshots")              \
    X(T, valid, FLAG, "", 0, NONE, "`yes` or `no`")                                                \
    X(T, reason, TEXT, "", 0, NONE, "why not, with semicolons between, or which counter differs")  \
    NOISE_COLUMNS_AS_THERE(X, T)                                                                   \
    X(T, complete, FLAG, "", 0, PRIVATE, "whether the trial ran to its end")                       \
    X(T, driver_bound, FLAG, "", 0, PRIVATE, "whether the driver was the limit")                   \
    X(T, miscounted, FLAG, "", 0, PRIVATE, "whether the servers counted otherwise")                \
    X(T, topology, COUNT, "", 0, PRIVATE, "the index of the target")

TABLE_DECLARE(load_row, LOAD_ROW_COLUMNS);

/* Fills the row of a finished trial. cores_allowed: that the trial's processes could use
 * (base/cores.h). */
void load_row_fill(const struct load_cell *cell, const struct load_result *result,
                   const struct load_options *options, const struct series_record *record,
                   double cores_allowed, struct table_value *row);

/* A percentile of these values and of `unsent` larger ones; NaN of too few
 * (histogram_has_percentile). */
double load_row_percentile_us(const struct histogram *histogram, uint64_t unsent, double percent);

/* The cores that the workers used, if this was their CPU time in a second; NaN in a simulation. */
double load_row_cores_of(const struct load_result *result, uint64_t cpu_ns);

/* How trials of loads are judged: one fails if the servers counted otherwise. */
extern const struct trial_kind load_row_trials;

/* ------------------------------------------------------------------ cells
 *
 * A cell is a mix at a number of sessions and an offered rate. The unit is the trial: a figure is
 * the geometric mean over the trials, with its 95 % interval from STATISTICS_TRIALS_MIN trials on.
 * Trials that are not valid count only if no trial of the cell is valid. A response time that is
 * not known, because it is above one minute or among those of operations that were never sent, has
 * no value, and its low end is what it is at least. */

/* The columns of load.csv of which a cell has a figure, in the order of cells.csv. A column of
 * cells.csv that load.csv has, too, is made of that one, by what becomes of it there. */
#define LOAD_CELL_FIGURES(F, X, T)                                                                 \
    F(X, T, offered_per_s, "1/s", 2)                                                               \
    F(X, T, achieved_per_s, "1/s", 2)                                                              \
    F(X, T, response_p50_us, "us", 1)                                                              \
    F(X, T, response_p99_us, "us", 1)                                                              \
    F(X, T, service_p50_us, "us", 1)                                                               \
    F(X, T, service_p99_us, "us", 1)                                                               \
    F(X, T, fan_out_mean, "", 3)                                                                   \
    F(X, T, first_notification_p50_us, "us", 1)                                                    \
    F(X, T, notification_p50_us, "us", 1)                                                          \
    F(X, T, last_notification_p50_us, "us", 1)                                                     \
    F(X, T, last_notification_p99_us, "us", 1)                                                     \
    F(X, T, set_service_p50_us, "us", 1)                                                           \
    F(X, T, client_cores, "cores", 3)                                                              \
    F(X, T, server_cores, "cores", 3)
#define LOAD_CELL_FIGURE(X, T, name, unit, decimals)                                               \
    X(T, name, REAL, unit, decimals, NONE, "as in `load.csv`")                                     \
    X(T, name##_low, REAL, unit, decimals, NONE, "lower end of the interval")                      \
    X(T, name##_high, REAL, unit, decimals, NONE, "upper end of the interval")

#define LOAD_CELL_COLUMNS(X, T)                                                                    \
    X(T, run, TEXT, "", 0, NONE, "as in `load.csv`")                                               \
    X(T, target, TEXT, "", 0, KEY, "as in `load.csv`")                                             \
    X(T, servers, COUNT, "", 0, KEY, "as in `load.csv`")                                           \
    X(T, mix, TEXT, "", 0, KEY, "as in `load.csv`")                                                \
    X(T, reads_percent, COUNT, "%", 0, KEY, "as in `load.csv`")                                    \
    X(T, sessions, COUNT, "", 0, KEY, "as in `load.csv`")                                          \
    X(T, rate_per_s, COUNT, "1/s", 0, KEY, "as in `load.csv`")                                     \
    X(T, trials, COUNT, "", 0, NONE, "trials that reached their end")                              \
    X(T, valid, COUNT, "", 0, NONE, "of these, those that are valid")                              \
    X(T, driver_bound, COUNT, "", 0, NONE, "of these, those of which the driver was the limit")    \
    X(T, errors, COUNT, "", 0, NONE, "of all these trials together")                               \
    X(T, unsent, COUNT, "", 0, NONE, "of all these trials together")                               \
    LOAD_CELL_FIGURES(LOAD_CELL_FIGURE, X, T)                                                      \
    X(T, miscounted, COUNT, "", 0, PRIVATE,                                                        \
      "trials whose operations the servers counted otherwise")                                     \
    X(T, disturbed, FLAG, "", 0, PRIVATE, "whether no trial is valid")                             \
    X(T, word, TEXT, "", 0, PRIVATE, "valid, FAILS, driver or not valid")                          \
    X(T, between, TEXT, "", 0, PRIVATE, "the interval of the rate, in words")                      \
    X(T, unsent_percent, REAL, "%", 1, PRIVATE, "of what was due; unknown if all was sent")
TABLE_DECLARE(load_cells, LOAD_CELL_COLUMNS);

/* Appends the cells of rows of load.csv in the order of the plan: by reads, rate and sessions. */
void load_cells_add(const struct table *rows, struct table *cells);

/* The verdict of a cell: holds if it has a complete trial, and all of these are valid. */
enum verdict load_cells_verdict(const struct table_value *cell);

/* Adds the largest rate, of the cells with a valid trial if there are any. */
void load_cells_add_findings(const struct table *cells, struct table *findings);

/* ------------------------------------------------------------------ files */

/* What a record has besides load.csv: timeline.csv, a row a second of the measured time;
 * operations.csv, a row for each kind of operation and each status of its replies; latency.csv,
 * percentiles for each kind and each role of the session's server, and of notifications;
 * latency.hlog, the same as histograms, and the response times of every second; hosts.csv, a row
 * for each of several hosts. */
struct load_files {
    struct series_record *record;
    struct csv timeline, operations, latency, hosts;
    FILE *hlog;
};

/* Adds the files to a record whose folder is open, and which must outlive them. */
MUST_CHECK enum error_kind load_files_open(struct load_files *files, bool has_hosts,
                                           struct series_record *record, struct error *error);

/* Writes a finished trial, and its row of load.csv. */
MUST_CHECK enum error_kind load_files_add(struct load_files *files, const struct table_value *row,
                                          const struct load_result *result, struct error *error);

/* ------------------------------------------------------------------ the series */

/* All zero bytes but for what the subcommand sets. */
struct load_series {
    struct series base;
    /* Set by the subcommand: */
    struct load_options *options;
    const char *subcommand;
    const char *verdict_of_nothing;                         /* as in struct series_options */
    const char *warning;                                    /* for every manifest; NULL: none */
    int (*print_results)(const struct load_series *series); /* as in struct series_user */
    void *user;                                             /* the subcommand's own */

    struct load_files files[OPTIONS_TOPOLOGIES_MAX]; /* of each target */
    struct table found[OPTIONS_TOPOLOGIES_MAX];      /* load_cells of a record that is finished */
    struct load_cell *cells;                         /* each once */
    struct load_hosts hosts;                         /* that have met, or none */
    int status;                                      /* the exit status of rank 0, on another */
};

/* Starts or finds the servers, makes all trials, stops the servers, closes the records and has the
 * results printed; then of the series only base.interrupted is left. argv[0] is the subcommand.
 * Returns the exit status; errors have been complained about. */
int load_series_run(struct load_series *series, int argc, char **argv);

#endif
