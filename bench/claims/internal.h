// SPDX-License-Identifier: Apache-2.0
/*
 * The claims about locks and ensembles that are tried on real servers, and what their experiments
 * share. Layer: bench/claims.
 *
 * A claim is an entry of the catalogue: its words, recipes, the trials of each, what is expected of
 * them, and the function that looks at a trial and compares. A test can give the experiment a lock,
 * or servers, for which the claim is false, and check that the claim fails. Therefore what is
 * predicted is never taken from the law of the recipe.
 */
#ifndef BENCH_CLAIMS_INTERNAL_H
#define BENCH_CLAIMS_INTERNAL_H

#include "base/error.h"
#include "base/text.h"
#include "bench/cli/progress.h"
#include "bench/output/verdict.h"
#include "bench/target/target.h"
#include "measure/fit.h"
#include "measure/tally.h"
#include "recipes/recipe.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ a claim */

struct experiment;
typedef void experiment_function(struct experiment *experiment);

/* A figure of a drain is an enum tally_kind, or one of these sums. */
enum { GROWTH_RPCS = TALLY_KINDS, GROWTH_BYTES };

/* How a figure of drains is to grow with their clients. */
struct growth {
    const char *what; /* NULL: none */
    int figure;
    double law[3]; /* with n clients: [0] + [1] n + [2] n² */
    /* Without an exact law: how it grows, by its exponent. FIT_CONSTANT: there is a law. */
    enum fit_verdict class;
};

#define CLAIM_RECIPES_MAX 6
#define CLAIM_TRIALS_MAX  12

struct claim {
    const char *id; /* "C1"; a number is never used again */
    const char *statement;
    const char *source;
    /* For a claim about private ensembles side by side, which is tried first: how many servers each
     * has; else 0. */
    uint64_t servers[2];
    experiment_function *experiment;

    /* In the order that the experiment expects; the rest are NULL. */
    const struct recipe *recipes[CLAIM_RECIPES_MAX];
    /* The trials of each recipe, one after the other, and that so many times (0: once): plans, of
     * which experiment_plan fills in the rest. */
    struct trial_plan trials[CLAIM_TRIALS_MAX];
    unsigned times;
    /* What is done there, and what the claim predicts besides growths. {0} becomes the name of the
     * first recipe, {1} of the second; {#} their number. */
    const char *tried, *expected;
    struct growth growths[2][2]; /* of the first two recipes, for growth_is_lawful */
    /* Looks at each trial that is whole (it was led to its end, and a death that was planned took
     * place), or at any that has run. */
    experiment_function *look;
    bool looks_at_any;
    /* Judges all trials of a recipe, if none is left out. NULL: nothing. */
    experiment_function *judge;
    /* Called about ten times a second while a trial runs, with the experiment as its context. */
    void (*observe)(void *context, const struct trial_progress *progress);
};

extern const struct claim catalogue[];
extern const size_t catalogue_count;

/* ------------------------------------------------------------------ a finding */

/* What was tried, expected and measured. A verdict follows from checks, each of which compares a
 * measured figure with an expected one. All zero bytes: nothing was tried. */
struct claim_outcome {
    char experiment[512];
    char expected[768];
    char measured[1024];
    unsigned checks;
    unsigned failed;
    bool undecided;
};

/* Each appends to one of the texts, with "; " between two parts; a text that is too long is cut. */
#define finding_tried(finding, ...)                                                                \
    text_append_clause((finding)->experiment, sizeof(finding)->experiment, __VA_ARGS__)
#define finding_expected(finding, ...)                                                             \
    text_append_clause((finding)->expected, sizeof(finding)->expected, __VA_ARGS__)
#define finding_measured(finding, ...)                                                             \
    text_append_clause((finding)->measured, sizeof(finding)->measured, __VA_ARGS__)

/* Makes the claim undetermined; the reason is appended to `measured`. */
#define finding_undecide(finding, ...)                                                             \
    (finding_measured(finding, __VA_ARGS__), (void)((finding)->undecided = true))

/* Adds a check: whether a figure is as expected. */
void finding_check(struct claim_outcome *finding, bool as_expected);

/* Checks that something grows as a power of the numbers, by its exponent; undetermined if the
 * interval of the exponent has several classes. */
void finding_check_class(struct claim_outcome *finding, const struct fit_exponent *fit,
                         enum fit_verdict expected);

/* A failed check makes the claim fail. It is undetermined if a trial was cut short, if the event of
 * the claim did not happen, or if there is no check. */
enum verdict claim_outcome_verdict(const struct claim_outcome *finding);

/* ------------------------------------------------------------------ an experiment */

#define EXPERIMENT_ROOT_MAX 96

/* Where experiments run: on servers, or in a simulation. */
struct testbed {
    struct trial_host host; /* whose watch has no progress */
    const char *root;       /* the parent of the trials' root znodes */
    uint64_t seed;
    uint64_t sessions_most;          /* sessions that the servers allow at a time; 0: no limit */
    uint64_t timeout_ns;             /* the longest time without progress in a trial */
    unsigned trials;                 /* trials that have begun */
    const struct progress *progress; /* shows what an experiment does; NULL: nothing does */
    const char *id;                  /* of the claim, for that */
    struct noise_watch *noise;       /* makes disturbed loads again; NULL: nothing does */
};

/* What an outsider has seen of a lock, and done to it. */
struct visit {
    size_t in_lock;   /* znodes, when last looked at */
    char first[64];   /* the first of those in line; "" if none is in line */
    int32_t sequence; /* the sequence number of `first` */
    bool broken;      /* `first` was deleted */
    enum error_kind kind;
    struct error error;
};

/* An experiment that runs, with its present trial. After an error no trial runs any more. */
struct experiment {
    const struct claim *claim;
    struct testbed *testbed;
    struct claim_outcome *finding;
    struct error *error;
    enum error_kind kind; /* of the error; ERROR_NONE: there is none */
    struct trial_plan plan;
    char root[EXPERIMENT_ROOT_MAX];
    struct trial_result *result; /* NULL: the trial has not run */
    size_t recipe, trial, time;  /* the present one's; the first two are indices of the claim's */
    struct tally totals[CLAIM_TRIALS_MAX]; /* of each trial of the recipe */
    uint64_t figures[CLAIM_TRIALS_MAX];    /* what `look` has kept of them */
    struct visit visit;
};

/* Runs the experiment of a claim. Errors of trial_run; and ERROR_CONNECTION_LIMIT if the servers do
 * not allow as many sessions as a trial needs. */
MUST_CHECK enum error_kind experiment_try(const struct claim *claim, struct testbed *testbed,
                                          struct claim_outcome *finding, struct error *error);

/* Whether the trial ran to its end without a violation, so that its counts can be used. If not, the
 * finding has the reason: a violation makes the claim fail, anything else undetermined. */
bool experiment_accepts(struct experiment *experiment);

/* The row of a handoff of the first lock. */
const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff);

/* Shows what the experiment does besides its trials. */
void experiment_say(const struct testbed *testbed, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ the experiments */

/* Functions of claims, whose entries say what they are about: they look at a trial; or keep a
 * figure of it, and judge those of a recipe. */
experiment_function growth_is_lawful, growth_keeps_fastest, growth_of_time_is_linear;
experiment_function releases_notify_all, releases_notify_children_watches, releases_notify_one,
    releases_let_readers_in_together;
experiment_function contention_has_one_winner, contention_loses_no_wakeup;
experiment_function contention_counts_overtaken, contention_keeps_order;
experiment_function contention_waits_for_nothing;
experiment_function deaths_count_holders, deaths_need_another_list;
experiment_function deaths_of_waiters_wake_one, deaths_of_replies_need_a_guid,
    deaths_of_holders_take_the_timeout, deaths_of_leaders_have_one_successor;

/* Says how the claim's figures are expected to grow. */
experiment_function growth_expect;

/* While a lock is held, a session that does not contend lists its znodes, and deletes the first. */
void contention_come_by(void *context, const struct trial_progress *progress);
experiment_function contention_shows_and_breaks;

/* Whether a lock is freed in time, so long after the last request of its dead holder: after one
 * session timeout at the earliest, and two at the latest. The servers count from the last message
 * of a session, and round up to a tick, which is at most half of the shortest timeout. */
bool deaths_frees_in_time(uint64_t freed_ns, uint64_t timeout_ns);

/* From the first number of servers of the claim to the second reads rise and writes fall: without
 * ensembles side by side, and in a simulation for writes, that is undetermined. */
experiment_function ensembles_scale_reads;

/* ------------------------------------------------------------------ two ensembles */

#define ENSEMBLE_PAIR            2
#define ENSEMBLE_PAIR_ROUNDS_MAX 12
#define ENSEMBLE_PAIR_WHY_SIZE   800

/* Two private ensembles of different numbers of servers beside the servers of the testbed; each
 * server has the same share of the CPU (bench/target/resources.h), so that a server more is a
 * machine more. In a simulation they are simulated. */
struct ensemble_pair {
    struct testbed *testbed;
    uint64_t servers[ENSEMBLE_PAIR]; /* of each ensemble */
    uint32_t cpu_percent;            /* of each server; 0: simulated */
    struct target targets[ENSEMBLE_PAIR];
};

/* What rounds of loads have found. */
struct ensemble_pair_rates {
    uint32_t reads_percent;
    size_t rounds; /* that count: the loads of both ensembles do */
    /* Operations a second, of these rounds. */
    double per_s[ENSEMBLE_PAIR][ENSEMBLE_PAIR_ROUNDS_MAX];
    unsigned left_out; /* rounds that do not count … */
    char why[160];     /* … and why the first does not */
};

/* Starts the ensembles, of so many servers each. Not every testbed allows that: why is "", and the
 * pair is the caller's to ensemble_pair_close; or why says why there are none. Errors of
 * target_open and target_make_root; nothing is left behind then. */
MUST_CHECK enum error_kind ensemble_pair_open(struct testbed *testbed, const uint64_t *servers,
                                              struct ensemble_pair *pair,
                                              char why[ENSEMBLE_PAIR_WHY_SIZE],
                                              struct error *error);

/* After it no server of the pair runs. A pair that is not open is fine. */
void ensemble_pair_close(struct ensemble_pair *pair);

/* Makes so many rounds, ENSEMBLE_PAIR_ROUNDS_MAX at most, of loads of this percentage of reads, 0
 * or 100. In each round both ensembles have one load, first the one, in the next round first the
 * other: a drift of the machine, and of servers whose code is still being compiled, affects both
 * alike. Therefore a round gives one ratio. Errors of load_run. */
MUST_CHECK enum error_kind ensemble_pair_load(struct ensemble_pair *pair, uint32_t reads_percent,
                                              size_t rounds, struct ensemble_pair_rates *rates,
                                              struct error *error);

/* What follows from rounds of loads: operations a second are to rise with the servers if they are
 * reads, and to fall if they are writes. */
void ensemble_pair_judge(const struct ensemble_pair *pair, const struct ensemble_pair_rates *rates,
                         struct claim_outcome *finding);

#endif
