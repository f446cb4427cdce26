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

/* Size of the text why the times of a trial cannot be used; a longer one is cut. */
#define TRIAL_REASON_SIZE 832

/* The columns of every table of trials, M(X, T, name, kind, unit, decimals, meaning). */
#define NOISE_PRESSURE(M, X, T, name)                                                              \
    M(X, T, noise_##name##_pressure_percent, REAL, "%", 1,                                         \
      "share of the trial in which a task waited for a core, a disk or memory, those of zkherd "   \
      "and its servers included: `some` of `/proc/pressure`, or of the cgroup's own file")
#define NOISE_LIST(M, X, T)                                                                        \
    M(X, T, attempt, COUNT, "", 0, "1; more if made again: those before are in `made_again.csv`")  \
    M(X, T, noise_others_cores, REAL, "cores", 3,                                                  \
      "CPU time of other programs by the trial's length, on the cores that zkherd may use, "       \
      "but for its servers and the kernel; empty if servers of `--connect` cannot be told apart")  \
    M(X, T, noise_stolen_cores, REAL, "cores", 3,                                                  \
      "CPU time that the hypervisor took from these cores, divided by the trial's length")         \
    NOISE_PRESSURE(M, X, T, cpu)                                                                   \
    NOISE_PRESSURE(M, X, T, io)                                                                    \
    NOISE_PRESSURE(M, X, T, memory)                                                                \
    M(X, T, noise_throttled_percent, REAL, "%", 1,                                                 \
      "share of the trial in which zkherd's cgroup was stopped by its quota")                      \
    M(X, T, noise_clock_jump_us, REAL, "us", 1,                                                    \
      "how far the clock of the day moved against the monotonic one")                              \
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

/* The columns of a table of trials by which these are judged. */
struct trial_kind {
    size_t subject; /* the text that findings are about */
    size_t valid;   /* the flag whether the times count; 0: none, as of the votes of a search: one
                       that is not valid is no vote, and no finding */
    size_t reason;  /* the text why not, or why the verdict fails */
    size_t reconciled; /* the word */
    size_t noise;      /* the first column of noise_row_table */
    size_t fails;      /* the flag or the count that is above 0 if the verdict fails */
    /* Writes which of the subject's trials a row is: "trial 2 with 16 clients". */
    void (*describe)(const struct table_value *row, char *text, size_t size);
};

bool trial_kind_fails(const struct trial_kind *kind, const struct table_value *row);

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

/* An attempt at a trial that has ended. */
struct noise_attempt {
    bool complete;          /* it ran to its end */
    bool stalled;           /* a server stalled: another reason to make the trial again */
    int64_t others_packets; /* struct reconcile_result */
};

/* After the attempt: fills the columns of its row, which has its verdict, and decides whether it is
 * to be made again. False: its times do not count, which the row says, too. */
bool noise_watch_end(struct noise_watch *watch, const struct trial_kind *kind,
                     struct table_value *row, const struct noise_attempt *attempt);

/* The same, of what was measured; the watch measures. */
bool noise_watch_judge(struct noise_watch *watch, const struct noise *noise,
                       const struct trial_kind *kind, struct table_value *row,
                       const struct noise_attempt *attempt);

/* Whether noise that lasts is to end a search, which could not get a vote. */
bool noise_watch_lasts(const struct noise_watch *watch);

/* For the manifest; the caller's to json_decref. */
json_t *noise_watch_describe(const struct noise_watch *watch);

#endif
