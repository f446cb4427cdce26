// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of bench/plan share. Layer: bench/plan. A file uses those below it.
 *
 *   plan           `zkherd plan`: a series of all searches, a record for each topology
 *     command_line   the options
 *     demand         what the searches demand at most: --dry-run
 *     answer         what a search has found: a row of answers.csv, findings, the table
 *     turn           one trial of a search: run below the guard, judged, kept, reported
 *       trial_row      a trial that has ended: its row of plan.csv, with the verdict
 *       guard          a bystander beside the trials, and a brake
 *       probe          what a trial is of, and when it has measured enough
 *         question       what is asked, and what a size means: sessions, locks, requests
 */
#ifndef BENCH_PLAN_INTERNAL_H
#define BENCH_PLAN_INTERNAL_H

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/options.h"
#include "bench/output/series.h"
#include "bench/plan/guard.h"
#include "capacity/search.h"
#include "capacity/utilisation.h"
#include "load/load.h"
#include "measure/table.h"
#include "trial/trial.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ question */

/* The unknown of a search. X(name, the word for it on the command line and in files) */
#define PLAN_UNKNOWN_LIST(X)                                                                       \
    X(WAITERS, "waiters")   /* of one lock, which has one client more: the holder */               \
    X(LOCKS, "locks")       /* with the same number of clients each */                             \
    X(SESSIONS, "sessions") /* on the same number of locks */                                      \
    X(RATE, "rate")         /* of the load beside the locks, in requests a second */

enum plan_unknown {
#define X(name, word) PLAN_##name,
    PLAN_UNKNOWN_LIST(X)
#undef X
};

#define PLAN_TRIALS_MOST     200 /* of one search */
#define PLAN_LONG            4   /* samples, or the length, of a long trial: by a short one's */
#define PLAN_SAMPLES_LEAST   100 /* of a short trial, if none are given */
#define PLAN_TRIAL_NS        (5 * NS_PER_S)
#define PLAN_TRIAL_LEAST_NS  NS_PER_S /* of the background: a pause does not decide it */
#define PLAN_CLIENTS_DEFAULT 2
#define PLAN_RATE_LEAST      100 /* of an unknown rate: at a lower one a trial takes long */
#define PLAN_RATE_MOST       100000
#define PLAN_STEADY_NS       (5 * NS_PER_S) /* enough for all clients to arrive */

/* Invariant, when plan_question_complete has completed it: least <= most, and every size between
 * them has at least two clients of a lock, so that there are handoffs. */
struct plan_question {
    struct objective objective;
    enum plan_unknown unknown;
    uint64_t least, most; /* sizes; 0: not given */
    const char *most_by;  /* why no larger size is tried, a clause; NULL: --at-most */
    uint32_t resolution_percent;
    uint64_t clients;                     /* of each lock; 0: not given, or it is the unknown */
    uint32_t locks;                       /* that the sessions are spread over */
    struct background_options background; /* beside each trial; rate 0: it is the unknown */
    struct hold hold;
    uint64_t trial_samples;  /* of a short trial; 0: not given, or the time decides */
    uint64_t trial_ns;       /* of a short trial; 0: not given, or the samples decide */
    uint64_t trial_least_ns; /* that the samples of the background are spread over, at least */
    uint32_t processes;
    uint64_t session_timeout_ns, timeout_ns;
    uint64_t seed;
};

extern const char *const plan_question_unknowns[]; /* the words, by value; behind them NULL */

void plan_question_complete(struct plan_question *question, uint64_t max_clients);
void plan_question_fit(struct plan_question *question, uint64_t most_sessions);
void plan_question_fit_servers(struct plan_question *question, const struct target *target,
                               char *text, size_t size);
uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size);
uint64_t plan_question_locks(const struct plan_question *question, uint64_t size);
uint64_t plan_question_rate(const struct plan_question *question, uint64_t size);
struct search_plan plan_question_search(const struct plan_question *question);
const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size);

/* ------------------------------------------------------------------ options */

struct plan_options {
    bool asks; /* --slo is given */
    struct plan_question question;
    struct plan_guard_options guard;
    bool dry_run;
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    uint64_t clients; /* of a lock; 0: not given */
    struct target_options target;
    struct output_options output;
};

/* Returns ARGUMENTS_GO (bench/cli/arguments.h), with *options for target_options_deinit and the
 * question completed; or the exit status. */
int plan_command_line_parse(int argc, char **argv, struct plan_options *options);

/* --dry-run: prints how many trials, sessions at a time, requests, transactions and hours the
 * searches take at most. Servers of --connect are asked for their limit of connections, and for
 * nothing else. Returns the exit status. */
int plan_dry_run(struct plan_options *options);

/* Prints the same in a line, before the first trial on servers that somebody else may use. */
void plan_demand_print(const struct plan_options *options, const struct connect_string *servers);

/* ------------------------------------------------------------------ probe: see probe.c */

struct plan_probe {
    const struct plan_question *question;
    struct search_probe asked;
    uint64_t load_per_s; /* requests of the load beside the trial; 0: there is none */
    uint64_t samples;    /* that are enough; 0: the time decides */
    uint64_t fails_at;   /* samples over the limit that are a failure, of `samples` */
    uint64_t longest_ns; /* from the gate on */
};

/* The samples of a trial, and those of them that are over the objective's limit. */
struct plan_count {
    uint64_t samples, over;
};

#define PLAN_BATCHES 10 /* of the time in which a rate is measured */

struct plan_probe plan_probe_of(const struct plan_question *question,
                                const struct search_probe *asked);
struct background_plan plan_probe_background(const struct plan_probe *probe);
struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver);
struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory,
                                            struct histogram *latency);
size_t plan_probe_rates(const struct trial_memory *memory, double per_s[PLAN_BATCHES]);
bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns);
bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns);

/* ------------------------------------------------------------------ answer
 *
 * No size is said to meet the objective, or not to, that is undecided. */

/* Why searches ended before their own end. */
enum plan_cut {
    PLAN_CUT_NOT,
    PLAN_CUT_BY_TIME,  /* --max-time is over */
    PLAN_CUT_BY_NOISE, /* other programs disturbed one attempt after the other */
    PLAN_CUT_SHORT,    /* an error, or a signal */
};

/* The state of a search and its trials. */
struct plan_answer {
    const struct plan_question *question;
    const struct recipe *recipe;
    const struct search *search;
    const struct table *rows; /* of plan.csv: those of other recipes are passed over */
    enum plan_cut cut;
    struct search_answer found; /* of search_answer */
};

/* The answers of all searches of a record. */
struct plan_results {
    struct table answers; /* answers.csv */
    struct table sizes;   /* that the answers are about: the table on the terminal */
};

/* Adds the answer of a search to the results, and its findings. */
void plan_answer_add(const struct plan_answer *answer, const struct series_record *record,
                     struct plan_results *results, struct table *findings);

/* A row of answers.csv for --json, with the sentences of its findings: a new object. */
json_t *plan_answer_json(const struct table_value *row, const struct table *findings);

/* Prints the table of the sizes for a terminal of `width` columns. */
void plan_sizes_print(const struct plan_question *question, const struct table *sizes, size_t width,
                      FILE *stream);

#endif
