// SPDX-License-Identifier: Apache-2.0
/*
 * search: finds the largest size that meets an objective, from the verdicts of trials. Layer:
 * capacity.
 *
 * The size is what is searched for: the number of waiters or of hot locks. The objective must be
 * harder to meet at larger sizes; where it is not, search_plan.look_above notices.
 *
 * The trials of one size are a ballot: a pass or a failure is a vote, and the majority decides. A
 * trial that is undetermined or not valid is no vote; after an undetermined one the others of the
 * ballot are long; when trials without a vote outnumber the votes that are possible, the size stays
 * undecided. A trial that the brake has ended decides at once, and no trial of that size or a
 * larger one follows.
 *
 * The search doubles the size from the least while sizes pass, and then bisects. The largest size
 * that passed must pass again in a ballot of fresh, long trials, else the search goes down: an
 * answer is never the luckiest of many trials. The smallest that failed must fail again likewise,
 * else the search goes up. Servers and machine may change meanwhile, so fresh trials count only if
 * no other size has been located after them. docs/operators.md says more.
 *
 * Invariants: the next trial depends on the plan and on the verdicts so far, on no clock and no
 * server. A size is located once, no size has two ballots of fresh trials between two moves
 * (moved_at), and no trial is run beyond the budget: every search ends. Once it has ended by
 * itself, each end of the interval is decided by fresh trials or by the brake.
 */
#ifndef CAPACITY_SEARCH_H
#define CAPACITY_SEARCH_H

#include "capacity/objective.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct search_plan {
    uint64_t least, most;        /* sizes: 1 <= least <= most */
    uint32_t votes;              /* of a ballot: odd */
    uint32_t fresh;              /* votes of a ballot of fresh trials: odd */
    uint32_t resolution_percent; /* bisect until the interval is no wider, compared with its lower
                                    end; 0: to neighbouring sizes */
    bool look_above;             /* at the end, try twice the smallest size that failed as well;
                                    if it passes, by fresh trials too */
    size_t trials_most;          /* the budget: > 0 */
};

/* What a trial is for. */
#define SEARCH_STAGE_LIST(X)                                                                       \
    X(LOCATE, "locate")   /* grow, shrink or bisect */                                             \
    X(CONFIRM, "confirm") /* an end of the interval, or the size above, in fresh, long trials */   \
    X(ABOVE, "above")     /* whether a larger size passes although a smaller one failed */

/* Why the search ended, the first that is true. */
#define SEARCH_REASON_LIST(X)                                                                      \
    X(BUDGET, "out of trials")              /* the answer holds what is known so far */            \
    X(NOT_MONOTONE, "not monotone")         /* a larger size passed than one that failed */        \
    X(UNDETERMINED, "undetermined")         /* the next size above `passed` is undecided */        \
    X(NOTHING_MEETS, "nothing meets")       /* the least size failed */                            \
    X(EVERYTHING_MEETS, "everything meets") /* the most passed */                                  \
    X(FOUND, "found")

/* What fresh trials say of an end of the interval; the word is why the end is undecided. */
#define SEARCH_END_LIST(X)                                                                         \
    X(NONE, "")    /* there is no such end */                                                      \
    X(DECIDED, "") /* or stopped by the brake: such a size is not tried again */                   \
    X(NOT_TRIED, "no fresh trial was made")                                                        \
    X(UNDER_WAY, "the search ended before there were enough fresh trials")                         \
    X(OUTDATED, "the search ended before fresh trials were made again")

#define X(name, word) SEARCH_##name,
enum search_stage { SEARCH_STAGE_LIST(X) };
enum search_reason { SEARCH_REASON_LIST(X) };
#undef X
#define X(name, word) SEARCH_END_##name,
enum search_end { SEARCH_END_LIST(X) };
#undef X

/* The words for them in files. */
extern const char *const search_stage_words[], *const search_reason_words[],
                                                   *const search_end_lacks[];

struct search_probe {
    uint64_t size;
    bool longer; /* a long trial: fresh, or after an undetermined one */
    enum search_stage stage;
};

enum search_state {
    SEARCH_PASSED,
    SEARCH_FAILED,
    SEARCH_STOPPED,   /* by the brake */
    SEARCH_UNDECIDED, /* too few of its trials were votes */
};

/* A size that was decided. */
struct search_size {
    uint64_t size;
    enum search_state state;
    bool fresh;        /* by fresh trials */
    bool lost;         /* it has failed, and had passed before */
    size_t fresh_from; /* trials before its latest ballot of fresh ones; 0: it had none */
    size_t decided_at; /* trials until it was decided */
};

/* The answer is the interval from `passed` to `failed`. 0: there is no such size. */
struct search_answer {
    enum search_reason reason;
    uint64_t passed; /* the largest that passed, below all that did not */
    enum search_end passed_end;
    uint64_t failed; /* the smallest that failed or was stopped by the brake */
    enum search_end failed_end;
    bool stopped;             /* `failed` was */
    uint64_t undecided;       /* the smallest whose trials decided nothing */
    uint64_t passed_above;    /* the largest that passed, in fresh trials too, above `failed` */
    uint64_t lost, lost_most; /* the smallest, and the largest, that passed and failed later */
};

/* The verdicts of one ballot. */
struct search_ballot {
    struct search_probe probe; /* the next trial */
    uint32_t votes;            /* possible */
    uint32_t of[JUDGE_VERDICTS];
};

struct search {
    struct search_plan plan;
    size_t step_count;         /* trials that were reported */
    struct search_size *sizes; /* in the order in which they were first decided */
    size_t size_count;
    size_t moved_at; /* trials until a size was located, or one above `failed` confirmed: fresh
                        trials before that count no longer */
    struct search_ballot ballot; /* under way, unless concluded */
    bool settles;                /* no size is located, and fresh trials are short */
    bool ended;                  /* nothing is tried any more */
    bool concluded;              /* and nothing is left to try */
};

/* Begins a search, at the least size; the end frees the memory, not the struct. */
void search_init(struct search *search, const struct search_plan *plan);
void search_deinit(struct search *search);

/* The trial to run next (false, with *probe unchanged, when the search has ended), the same until
 * its verdict is reported. */
bool search_next(const struct search *search, struct search_probe *probe);
void search_report(struct search *search, enum judge_verdict verdict);

/* For a search that is short of time: no further size is located once one is decided, not even the
 * one under way; the ends are confirmed, by short trials. Without a size that failed the reason of
 * the answer is then BUDGET. */
void search_settle(struct search *search);

/* What is known; before the end with the reason BUDGET. */
struct search_answer search_answer(const struct search *search);

/* The trials that a search still runs if the capacity lies where it looks next: in the middle of
 * the interval so far. */
struct search_forecast {
    size_t short_trials, long_trials;
};
struct search_forecast search_foresee(const struct search *search);

/* The trials, from 0, of the latest ballot of fresh ones at a size are those from this one on; 0 if
 * it had none. */
size_t search_fresh_from(const struct search *search, uint64_t size);

#endif
