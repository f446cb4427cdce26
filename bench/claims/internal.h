// SPDX-License-Identifier: Apache-2.0
/*
 * The claims about locks and ensembles that are tried on real servers, and what the attempts at
 * them share. Layer: bench/claims.
 *
 * A claim is an entry of the catalogue: its words, recipes, the cells of each, what is expected of
 * them, and the functions that compare. A round makes one trial of each cell. A test can give the
 * attempt a lock, or servers, for which the claim is false, and check that the claim fails.
 * Therefore what is predicted is never taken from the law of the recipe.
 */
#ifndef BENCH_CLAIMS_INTERNAL_H
#define BENCH_CLAIMS_INTERNAL_H

#include "base/error.h"
#include "base/noise.h"
#include "base/text.h"
#include "bench/cli/progress.h"
#include "bench/output/findings.h"
#include "measure/fit.h"
#include "measure/tally.h"
#include "recipes/recipe.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ a claim */

struct attempt;
typedef void attempt_function(struct attempt *attempt);

/* A figure of a drain is an enum tally_kind, or one of these sums. */
enum { GROWTH_RPCS = TALLY_KINDS, GROWTH_BYTES };

/* How a figure of drains is to grow with their clients. */
struct growth {
    const char *what; /* NULL: none */
    int figure;
    struct fit_polynomial law; /* exact */
    enum fit_verdict class;    /* of its exponent; FIT_CONSTANT: it has the law instead */
};

#define CLAIM_RECIPES_MAX 6
#define CLAIM_CELLS_MAX   12
#define CLAIM_ROUNDS_MAX  36
#define CLAIM_ENSEMBLES   2

struct claim {
    const char *id; /* "C1"; a number is never used again */
    const char *statement;
    const char *source;
    const char *tried, *expected;      /* behind what `experiment` says */
    uint64_t servers[CLAIM_ENSEMBLES]; /* of private ensembles side by side; 0: it needs none */
    attempt_function *experiment;      /* runs first; NULL: nothing does */

    const struct recipe *recipes[CLAIM_RECIPES_MAX]; /* the rest are NULL */
    struct trial_plan trials[CLAIM_CELLS_MAX]; /* the cells of each; plan_trial fills in the rest */
    unsigned rounds;                           /* 0: one */
    struct growth growths[2][2];               /* of the first two recipes */
    bool notifies_one, notifies_deleter; /* a release: one waiter, not all; its own client too */
    /* Examines a trial that ran to its end, in which a planned death took place; or any trial. */
    attempt_function *examine;
    bool examines_any;
    attempt_function *judge; /* of all trials of a recipe, if none is left out; NULL: nothing */
    /* Called about ten times a second while a trial runs, with the attempt as its context. */
    void (*observe)(void *context, const struct trial_progress *progress);
};

extern const struct claim catalogue[];
extern const size_t catalogue_count;

/* ------------------------------------------------------------------ an attempt */

/* A verdict follows from checks of measured figures. All zero bytes: nothing was tried. */
struct outcome {
    char experiment[512];
    char expected[768];
    char measured[1024];
    unsigned checks;
    unsigned failed;
    unsigned trials; /* made */
    bool undecided;
    bool wide; /* because of the width of an interval: more rounds may decide */
};

#define EXPERIMENT_ROOT_MAX 96

/* Where attempts run: on servers, or in a simulation. */
struct claim_host {
    struct fleet_host fleet;
    const char *root; /* the parent of the trials' root znodes */
    uint64_t seed;
    uint64_t sessions_most;          /* sessions that the servers allow at a time; 0: no limit */
    uint64_t timeout_ns;             /* the longest time without progress in a trial */
    unsigned trials;                 /* trials that have begun */
    const struct progress *progress; /* NULL: progress is not shown */
};

/* What an outsider has seen of a lock, and done to it. */
struct visit {
    size_t in_lock;   /* znodes, at the last visit */
    char first[64];   /* the first of those in line; "" if none is in line */
    int32_t sequence; /* the sequence number of `first` */
    bool broken;      /* `first` was deleted */
    enum error_kind kind;
    struct error error;
};

/* An attempt at a claim that runs, with its present trial. After an error no trial runs any more.
 */
struct attempt {
    const struct claim *claim;
    struct claim_host *host;
    struct outcome *outcome;
    struct error *error;
    enum error_kind kind; /* of the error; ERROR_NONE: there is none */
    struct trial_plan plan;
    char root[EXPERIMENT_ROOT_MAX];
    struct trial_result *result;                      /* NULL: the trial has not run */
    size_t recipe, cell;                              /* of the present trial */
    size_t rounds;                                    /* made before it; all, for `judge` */
    size_t disturbed;                                 /* the last rounds or loads, in a row */
    struct tally totals[CLAIM_CELLS_MAX];             /* of the last round */
    double values[CLAIM_CELLS_MAX][CLAIM_ROUNDS_MAX]; /* one of each trial, kept for `judge` */
    struct visit visit;
    char faults[CLAIM_ENSEMBLES][160]; /* of the first loads of writes, reads that do not count */
};

/* Errors of trial_run, but for ERROR_CONNECTION_LIMIT, as when a trial needs more sessions than the
 * servers allow: then the claim is undetermined. */
MUST_CHECK enum error_kind attempt_run(const struct claim *claim, struct claim_host *host,
                                       struct outcome *outcome, struct error *error);

/* Fails after a failed check; undetermined if it was undecided, or without a check. */
enum verdict outcome_verdict(const struct outcome *outcome);

/* Each appends to a text of the outcome, with "; " between two parts. */
#define CLAIM_APPEND(text, ...)       text_append_clause((text), sizeof(text), __VA_ARGS__)
#define claim_tried(attempt_, ...)    CLAIM_APPEND((attempt_)->outcome->experiment, __VA_ARGS__)
#define claim_expected(attempt_, ...) CLAIM_APPEND((attempt_)->outcome->expected, __VA_ARGS__)
#define claim_measured(attempt_, ...) CLAIM_APPEND((attempt_)->outcome->measured, __VA_ARGS__)

/* Makes the claim undetermined; the reason is appended to `measured`. */
#define claim_undecide(attempt_, ...)                                                              \
    (claim_measured(attempt_, __VA_ARGS__), (void)((attempt_)->outcome->undecided = true))

void claim_check(struct attempt *attempt, bool as_expected);

/* Checks the class of growth; undetermined if the interval has several classes. */
void claim_check_class(struct attempt *attempt, const struct fit_exponent *fit,
                       enum fit_verdict expected);

/* Whether the trial ran to its end without a violation. If not, the outcome has the reason: a
 * violation makes the claim fail, anything else undetermined. */
bool attempt_accepts(struct attempt *attempt);

/* Whether more rounds may decide what they have left open: an interval is wide, and no check has
 * failed. After NOISE_IN_A_ROW disturbed rounds or loads they cannot, and the outcome says so. */
bool attempt_goes_on(struct attempt *attempt);

/* Counts the rounds in a row in which other programs used more of the cores than a trial of a
 * series may lose to them (bench/output/noise_watch.h); what is not known is quiet. */
void attempt_add_noise(struct attempt *attempt, const struct noise *noise);

const char *attempt_recipe(const struct attempt *attempt);

/* The row of a handoff of the first lock. */
const struct ledger_row *attempt_row(const struct attempt *attempt, uint64_t handoff);

/* ------------------------------------------------------------------ the functions of claims */

attempt_function growth_check, growth_keep_time, growth_of_time_is_linear;
attempt_function releases_notify, releases_notify_alike, releases_let_readers_in_together;
attempt_function contention_has_one_winner, contention_loses_no_wakeup, contention_count_overtaken,
    contention_keeps_order, contention_waits_for_nothing, contention_shows_and_breaks;
void contention_break_lock(void *context, const struct trial_progress *progress);
attempt_function deaths_count_holders, deaths_need_another_list, deaths_of_waiters_wake_one,
    deaths_of_replies_need_a_guid, deaths_of_holders_take_the_timeout,
    deaths_of_leaders_have_one_successor;
bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns);

/* Reads are to rise from the claim's first number of servers to the second, and writes to fall. */
attempt_function ensembles_compare;

/* What follows from the rates of all rounds, which are values: by writes and reads, and in these by
 * the ensemble. */
void ensembles_judge(struct attempt *attempt, bool reads);

#endif
