// SPDX-License-Identifier: Apache-2.0
/*
 * trial_row: a trial that has ended: its row of plan.csv, with the verdict. Layer: bench/plan.
 */
#ifndef BENCH_PLAN_TRIAL_ROW_H
#define BENCH_PLAN_TRIAL_ROW_H

#include "bench/output/series.h"
#include "bench/output/trial_findings.h"
#include "bench/plan/question.h"
#include "capacity/utilisation.h"
#include "measure/table.h"

/* The first columns of plan.csv and answers.csv. */
#define PLAN_KEY_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, target, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, servers, COUNT, "", 0, KEY, "number of servers")                                          \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, objective, TEXT, "", 0, KEY, "as in the plan")                                            \
    X(T, unknown, TEXT, "", 0, KEY, "as in the plan")

#define PLAN_ROW_COLUMNS(X, T)                                                                     \
    PLAN_KEY_COLUMNS(X, T)                                                                         \
    X(T, step, COUNT, "", 0, NONE, "its number among the trials of its recipe, from 1")            \
    X(T, stage, TEXT, "", 0, NONE, "what it was for: `locate`, `confirm` or `above`")              \
    X(T, size, COUNT, "", 0, KEY, "in the unit of `unknown`")                                      \
    X(T, long, FLAG, "", 0, NONE, "`yes` or `no`")                                                 \
    X(T, sessions, COUNT, "", 0, NONE, "of the trial")                                             \
    X(T, locks, COUNT, "", 0, NONE, "of the trial")                                                \
    X(T, handoffs, COUNT, "", 0, NONE, "grants in all")                                            \
    X(T, samples, COUNT, "", 0, NONE, "what counts: handoffs, acquires or requests")               \
    X(T, over, COUNT, "", 0, NONE, "of these, those over the limit")                               \
    X(T, verdict, TEXT, "", 0, NONE, "`pass`, `fail`, `undetermined`, `not valid` or `braked`")    \
    X(T, limit_us, REAL, "us", 1, NONE, "the objective's limit")                                   \
    X(T, measured_us, REAL, "us", 1, MEDIAN, "the objective's percentile")                         \
    X(T, p50_us, REAL, "us", 1, MEDIAN, "of the same samples")                                     \
    X(T, p99_us, REAL, "us", 1, MEDIAN, "the same; empty with fewer than 100 of them")             \
    X(T, max_us, REAL, "us", 1, NONE, "of the same samples")                                       \
    X(T, handoff_p50_us, REAL, "us", 1, NONE, "of handoffs for which all others waited")           \
    X(T, elapsed_s, REAL, "s", 6, NONE, "from the gate to the answer to the last release")         \
    X(T, handoffs_per_s, REAL, "1/s", 2, MEDIAN, "of all locks, while all clients took part")      \
    X(T, background_rate, COUNT, "1/s", 0, NONE, "requests a second that were asked for")          \
    X(T, background_requests, COUNT, "", 0, NONE, "answered, of those due in the steady part")     \
    X(T, background_p50_us, REAL, "us", 1, NONE, "their response time, from when they were due")   \
    X(T, background_p99_us, REAL, "us", 1, NONE, "the same; empty with fewer than 100 requests")   \
    X(T, background_max_us, REAL, "us", 1, NONE, "the same")                                       \
    X(T, background_per_s, REAL, "1/s", 2, NONE, "requests answered per second in that part")      \
    X(T, background_errors, COUNT, "", 0, NONE, "replies with an error in that part")              \
    X(T, background_unsent, COUNT, "", 0, NONE, "requests of that part that were never sent")      \
    X(T, client_cores, REAL, "", 3, NONE, "cores that the driver used on average")                 \
    X(T, server_cores, REAL, "", 3, NONE, "cores that all private servers used on average")        \
    X(T, reconciled, TEXT, "", 0, NONE, "as in `trials.csv`")                                      \
    X(T, gave_out, TEXT, "", 0, NONE, "what would give out first; empty if it is not known")       \
    X(T, evidence, TEXT, "", 0, NONE, "the figures that say so")                                   \
    X(T, reason, TEXT, "", 0, NONE,                                                                \
      "why it is not valid, was ended by the brake, or which verdict failed")                      \
    NOISE_COLUMNS_AS_THERE(X, T)                                                                   \
    X(T, fails, FLAG, "", 0, PRIVATE, "whether the lock is broken, or a server miscounts")
TABLE_DECLARE(plan_row, PLAN_ROW_COLUMNS);

/* A trial that has ended. */
struct plan_trial {
    const struct plan_probe *probe;
    const struct recipe *recipe;
    struct trial_result *result;      /* NULL: the load beside it had ended before it began */
    struct background_figures beside; /* of all zero bytes without a load */
    const char *braked;               /* why the guard has ended it; NULL: it has not */
    size_t step;                      /* its number in its search, from 1 */
    double cores;            /* that zkherd and its private servers may use (base/cores.h) */
    unsigned server_percent; /* of a core, for each private server; 0: no limit */
};

/* The columns of these rows that findings are made of. */
extern const struct trial_kind plan_row_trials;

/* Fills the columns of PLAN_KEY_COLUMNS. */
void plan_row_begin(const struct series_record *record, const struct plan_question *question,
                    const struct recipe *recipe, struct table_value *row);

/* Fills the row of a trial that has just ended, with the noise during it.
 * Returns its verdict: JUDGE_NOT_VALID, with the reason in the row, if its times are not those of
 * the servers, its counts disagree, its figures do not add up, its load was not sent as planned, or
 * other programs have disturbed it. */
enum judge_verdict plan_row_fill(const struct series_record *record, struct noise_watch *noise,
                                 const struct plan_trial *trial, struct table_value *row);

/* The verdict of a row. */
enum judge_verdict plan_row_judged(const struct table_value *row);

#endif
