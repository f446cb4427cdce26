// SPDX-License-Identifier: Apache-2.0
/*
 * plan_question: what `zkherd plan --slo` is asked: an objective, and what is to be as large as the
 * objective allows. Layer: bench/probe.
 *
 * Invariant: a question that plan_question_complete has completed has bounds with least <= most,
 * and every size between them has at least two clients of a lock, so that there are handoffs. An
 * objective on the background, or an unknown rate, has a background.
 */
#ifndef BENCH_PROBE_PLAN_QUESTION_H
#define BENCH_PROBE_PLAN_QUESTION_H

#include "bench/cli/options.h"
#include "capacity/search.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is searched for. X(name, the word for it on the command line and in files) */
#define PLAN_UNKNOWN_LIST(X)                                                                       \
    X(WAITERS, "waiters")   /* of one lock, which has one client more: the holder */               \
    X(LOCKS, "locks")       /* with the same number of clients each */                             \
    X(SESSIONS, "sessions") /* on the same number of locks */                                      \
    X(RATE, "rate")         /* of the load beside the locks, in requests a second */

enum plan_unknown {
#define X(name, word) PLAN_##name,
    PLAN_UNKNOWN_LIST(X)
#undef X
        PLAN_UNKNOWNS
};

/* The words, by value; NULL behind the last. */
extern const char *const plan_question_unknowns[];

/* Why no larger size is tried than the largest. */
enum plan_most_by {
    PLAN_MOST_BY_AT_MOST,     /* --at-most was given */
    PLAN_MOST_BY_DEFAULT,     /* nothing was: PLAN_SESSIONS_MOST sessions, or PLAN_RATE_MOST */
    PLAN_MOST_BY_MAX_CLIENTS, /* --max-clients alone was */
    PLAN_MOST_BY_MAX_RATE,    /* --max-rate alone was, of an unknown rate */
    PLAN_MOST_BY_SERVERS,     /* they accept no more connections */
};

/* The sessions that a search may have if nothing else is said. */
#define PLAN_SESSIONS_MOST 1001

/* Of a ballot, and of a ballot of fresh trials (capacity/search.h); trials of one search. */
#define PLAN_VOTES       3
#define PLAN_FRESH       5
#define PLAN_TRIALS_MOST 200

/* A long trial has so many times the samples, or the length, of a short one. */
#define PLAN_LONG 4

/* A short trial of which nothing is said decides with so many samples over the limit, and has no
 * fewer samples than this. */
#define PLAN_OVER_DEFAULT    5
#define PLAN_SAMPLES_LEAST   100
#define PLAN_TRIAL_NS        (5 * NS_PER_S)
#define PLAN_TRIAL_LEAST_NS  NS_PER_S /* of the background: a pause does not decide it */
#define PLAN_CLIENTS_DEFAULT 2

/* The bounds of an unknown rate: at a lower one a trial takes long. */
#define PLAN_RATE_LEAST 100
#define PLAN_RATE_MOST  100000

struct plan_question {
    struct objective objective;
    enum plan_unknown unknown;
    uint64_t least, most; /* sizes; 0: not given */
    enum plan_most_by most_by;
    uint32_t resolution_percent;
    uint64_t clients; /* of each lock; 0: not given, or it is the unknown */
    uint32_t locks;   /* that the sessions are spread over */
    struct background_options
        background; /* beside each trial; the rate is 0 if it is the unknown */
    struct hold hold;
    uint64_t trial_samples; /* of a short trial; 0: not given, or the time decides */
    uint64_t trial_ns;      /* of a short trial; 0: not given, or the samples decide */
    /* That the samples of the background are spread over, at least, in a short trial. */
    uint64_t trial_least_ns;
    uint32_t processes;
    uint64_t session_timeout_ns;
    uint64_t timeout_ns;
    uint64_t seed;
};

/* Fills in what is not given: clients, the length of a trial, the bounds; the largest size is one
 * with at most so many sessions (--max-clients), or PLAN_SESSIONS_MOST. */
void plan_question_complete(struct plan_question *question, uint64_t max_clients);

/* Lowers the largest size to one with at most so many sessions, which the servers accept, but not
 * below the least. A rate has the same sessions at all sizes, and is left alone. */
void plan_question_fit(struct plan_question *question, uint64_t most_sessions);

/* Sessions and locks at a size. */
uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size);
uint64_t plan_question_locks(const struct plan_question *question, uint64_t size);

/* Requests a second of the load beside a trial; 0: there is none. */
uint64_t plan_question_rate(const struct plan_question *question, uint64_t size);

/* The search for the answer; it begins at the size that is proposed, or, if that is 0, at the
 * least.
 */
struct search_plan plan_question_search(const struct plan_question *question, uint64_t proposal);

/* Writes a size for a person: "12 waiters", "1 hot lock", "200 requests a second"; size >= 64.
 * Returns text. */
const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size);

#endif
