// SPDX-License-Identifier: Apache-2.0
/*
 * question: what a plan asks, and what a size means: sessions and locks; and the trial of a
 * size, when it has measured enough (probe.c). Layer: bench/plan.
 */
#ifndef BENCH_PLAN_QUESTION_H
#define BENCH_PLAN_QUESTION_H

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/options.h"
#include "bench/target/target.h"
#include "capacity/search.h"
#include "measure/histogram.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The unknown of a search. */
enum plan_unknown {
    PLAN_WAITERS, /* of one lock, which has one client more: the holder */
    PLAN_LOCKS,   /* with the same number of clients each */
};

#define PLAN_TRIALS_MOST     200 /* of one search */
#define PLAN_LONG            4   /* samples, or the length, of a long trial: by a short one's */
#define PLAN_SAMPLES_LEAST   100 /* of a short trial, if none are given */
#define PLAN_TRIAL_LEAST_NS  NS_PER_S /* of the background: a pause does not decide it */
#define PLAN_CLIENTS_DEFAULT 2
#define PLAN_STEADY_NS       (5 * NS_PER_S) /* enough for all clients to arrive */

/* Invariant, when plan_question_complete has completed it: least <= most, and every size between
 * them has at least two clients of a lock, so that there are handoffs. */
struct plan_question {
    struct objective objective;
    enum plan_unknown unknown;
    uint64_t least, most; /* sizes; 0: not given */
    const char *most_by;  /* why no larger size is tried, a clause; NULL: --at-most */
    uint32_t resolution_percent;
    uint64_t clients;                     /* of each of several locks; 0: not given */
    struct background_options background; /* beside each trial */
    struct hold hold;
    uint64_t trial_samples;  /* of a short trial; 0: not given, or the time decides */
    uint64_t trial_ns;       /* of a short trial; 0: not given, or the samples decide */
    uint64_t trial_least_ns; /* that the samples of the background are spread over, at least */
    uint32_t processes;
    uint64_t session_timeout_ns, timeout_ns;
    uint64_t seed;
};

extern const char *const plan_question_unknowns[]; /* the words, by value; behind them NULL */

/* Fills in what is not given: clients, the bounds, the length of a trial; the largest size is one
 * with at most max_clients sessions. */
void plan_question_complete(struct plan_question *question, uint64_t max_clients);

/* Lowers the largest size to what the target's servers accept beside the bystander and zkherd's own
 * sessions, but not below the least. Why no larger sizes are tried goes to text, "" if all may be.
 */
void plan_question_fit(struct plan_question *question, const struct target *target, char *text,
                       size_t size);

/* What a trial of this size has. */
uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size);
uint64_t plan_question_locks(const struct plan_question *question, uint64_t size);

struct search_plan plan_question_search(const struct plan_question *question);

/* Writes a size for a person: "12 waiters"; size >= 64. Returns text. */
const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size);

/* ------------------------------------------------------------------ probe
 *
 * When a trial ends, and what counts of it: probe.c. */

struct plan_probe {
    const struct plan_question *question;
    struct search_probe asked;
    uint64_t samples;    /* that are enough; 0: the time decides */
    uint64_t fails_at;   /* samples over the limit that are a failure, of `samples` */
    uint64_t longest_ns; /* from the gate on */
};

/* The samples of a trial, and those of them that are over the objective's limit. */
struct plan_count {
    uint64_t samples, over;
};

struct plan_probe plan_probe_of(const struct plan_question *question,
                                const struct search_probe *asked);

/* The load beside it; its rate is 0 if there is none. */
struct background_plan plan_probe_background(const struct plan_probe *probe);

/* The trial: all but its root, its servers and its seed. */
struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver);

/* The samples of an objective on handoffs, so far. Adds these to `latency`, unless it is NULL. */
struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory,
                                            struct histogram *latency);

/* Handoffs a second of all locks, however many waited, while all clients took part: from the first
 * handoff that counts of every lock to the last. NaN: there is no such time. */
double plan_probe_handoffs_per_s(const struct trial_memory *memory);

/* Whether a trial is in steady state after elapsed_ns: as many handoffs of each lock as it has
 * clients, or PLAN_STEADY_NS. */
bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns);

/* Whether a trial has measured enough after elapsed_ns. beside: the samples of its load so far. */
bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns);

#endif
