// SPDX-License-Identifier: Apache-2.0
/*
 * noise_watch: the policy on what other programs do to the times of a series: measured before it
 * and with each trial, and acted upon. Layer: bench/output.
 *
 * A trial is disturbed if others used more than NOISE_SHARE_MAX of the cores, the hypervisor's part
 * included, if the quota of the cgroup stopped zkherd, or if the clock of the day jumped
 * (docs/method.md). Its counts stand; its times are not valid, and with --noise retry the trial
 * is made again. So is a trial in which a server stalled, whatever --noise says.
 *
 * The votes of a search are judged otherwise: with --noise report a disturbed vote counts, and none
 * is made again before one was quiet, because the search asks for it anyway.
 *
 * Invariant: in a simulation, and with --noise off, nothing is measured at all, and the columns are
 * empty; in a simulation, which would repeat itself, no trial is made again.
 */
#ifndef BENCH_OUTPUT_NOISE_WATCH_H
#define BENCH_OUTPUT_NOISE_WATCH_H

#include "base/noise.h"
#include "bench/cli/options.h"
#include "bench/target/target.h"
#include "measure/table.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NOISE_SHARE_MAX    0.1
#define NOISE_JUMP_MAX_US  100e3
#define NOISE_THROTTLE_MAX 1.0 /* percent */
#define NOISE_ATTEMPTS     3 /* at a trial, at most: noise that lasts must not use all retries up */
#define NOISE_IN_A_ROW     4 /* disturbed attempts, after which nothing is made again */
#define NOISE_AT_FIRST     2 /* the same of votes, before any was quiet */

/* The columns of every table of trials, M(X, T, name, kind, unit, decimals, meaning). */
#define NOISE_PRESSURE(M, X, T, name)                                                              \
    M(X, T, noise_##name##_pressure_percent, REAL, "%", 1,                                         \
      "share of the trial in which a task waited for a core, a disk or memory, the tasks of "      \
      "zkherd and its servers included: the line `some` of `/proc/pressure`, or of the cgroup's "  \
      "own file")
#define NOISE_LIST(M, X, T)                                                                        \
    M(X, T, attempt, COUNT, "", 0,                                                                 \
      "1; more for a trial that was made again: the attempts before are in `made_again.csv`")      \
    M(X, T, noise_others_cores, REAL, "cores", 3,                                                  \
      "CPU time of other programs during the trial, divided by its length, on the cores that "     \
      "zkherd may use: what was not idle, without zkherd, its servers and the kernel's threads. "  \
      "Empty where servers of `--connect` cannot be told from other programs of this host")        \
    M(X, T, noise_stolen_cores, REAL, "cores", 3,                                                  \
      "CPU time that the hypervisor took from these cores, likewise")                              \
    NOISE_PRESSURE(M, X, T, cpu)                                                                   \
    NOISE_PRESSURE(M, X, T, io)                                                                    \
    NOISE_PRESSURE(M, X, T, memory)                                                                \
    M(X, T, noise_throttled_percent, REAL, "%", 1,                                                 \
      "share of the trial in which zkherd's cgroup was stopped by its quota")                      \
    M(X, T, noise_clock_jump_us, REAL, "us", 1,                                                    \
      "how far the clock of the day moved against the monotonic clock")                            \
    M(X, T, noise_frequency_percent, REAL, "%", 0,                                                 \
      "the lowest frequency of a core before and after the trial, as a share of the highest")      \
    M(X, T, noise_flush_us, REAL, "us", 1,                                                         \
      "time of one flush of 512 bytes on the disk of the private servers, before the trial")       \
    M(X, T, noise_others_packets, COUNT, "", 0,                                                    \
      "packets that the servers received from other clients, at least, by their counters: those "  \
      "that as many pings of the sessions as can be do not explain; empty if it is not known")     \
    M(X, T, noise_disturbed, FLAG, "", 0, "whether the trial was disturbed beyond the bound")
#define NOISE_COLUMN(X, T, name, kind, unit, decimals, meaning)                                    \
    X(T, name, kind, unit, decimals, NONE, meaning)
#define NOISE_COLUMN_AS_THERE(X, T, name, kind, unit, decimals, meaning)                           \
    X(T, name, kind, unit, decimals, NONE, "as in `trials.csv`")
#define NOISE_COLUMNS(X, T)          NOISE_LIST(NOISE_COLUMN, X, T)
#define NOISE_COLUMNS_AS_THERE(X, T) NOISE_LIST(NOISE_COLUMN_AS_THERE, X, T)

/* The columns alone, for their places behind the first. */
TABLE_DECLARE(noise_row, NOISE_COLUMNS);

/* The noise of a series. All zero bytes: nothing is measured, or made again. */
struct noise_watch {
    const struct noise_options *options; /* NULL: a simulation */
    const struct targets *targets;
    bool votes; /* the trials are votes of a search */
    size_t retries;
    bool measures;
    bool knows_others; /* servers of this host, if there are any, are known processes */
    struct noise_allies allies;
    struct noise at_first;                           /* before the series */
    size_t attempts, attempts_disturbed, made_again; /* so far; the first two of those measured */
    size_t in_a_row;                                 /* disturbed since the last quiet attempt */
    /* The present trial: */
    uint32_t attempt; /* from 1 */
    bool disturbed;   /* set by noise_watch_end, as is: */
    bool again;       /* it is to be made again */
    double flush_us;
    struct noise_reading before;
};

/* Measures nothing in a simulation. options and targets must outlive the watch. */
void noise_watch_init(struct noise_watch *watch, const struct target_options *options,
                      const struct targets *targets);

/* Measures what others do before the first trial, for a second. The servers of all targets serve.
 * planned: trials of the series. */
void noise_watch_measure_first(struct noise_watch *watch, size_t planned);

/* Before an attempt at a trial on a target: waits for a quiet machine, if that is asked for, and
 * begins to count. */
void noise_watch_begin(struct noise_watch *watch, const struct target *target);

/* What a row of the trial has, or is to have. */
struct noise_row {
    struct table_value *columns; /* the first of those of noise_row_table */
    struct table_value *valid;   /* the flag whether the trial's times count */
    struct table_value *reason;  /* the text why not */
    bool complete;               /* the trial ran to its end */
    bool fails;                  /* a verdict does */
    int64_t others_packets;      /* struct reconcile_result */
    bool stalled;                /* a server stalled: another reason to make the trial again */
};

/* After the trial: fills the columns, and decides whether it is to be made again. */
void noise_watch_end(struct noise_watch *watch, const struct noise_row *row);

/* The same, of what was measured; the watch measures. */
void noise_watch_judge(struct noise_watch *watch, const struct noise *noise,
                       const struct noise_row *row);

/* Whether noise that lasts is to end a search, which could not get a vote. */
bool noise_watch_lasts(const struct noise_watch *watch);

/* For the manifest; the caller's to json_decref. */
json_t *noise_watch_describe(const struct noise_watch *watch);

#endif
