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
#include "bench/output/trial_findings.h"
#include "capacity/brake.h"
#include "capacity/search.h"
#include "capacity/utilisation.h"
#include "client/connect.h"
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

/* Fills in what is not given: clients, locks, the bounds, the length of a trial; the largest size
 * is one with at most max_clients sessions. */
void plan_question_complete(struct plan_question *question, uint64_t max_clients);

/* Lowers the largest size to one with at most most_sessions, which the servers accept, but not
 * below the least. A rate has the same sessions at all sizes, and is left alone. */
void plan_question_fit(struct plan_question *question, uint64_t most_sessions);

/* plan_question_fit to the servers of --connect, which give up connections to the bystander and to
 * zkherd's own sessions. Why no larger sizes are tried goes to text, "" if all may be. */
void plan_question_fit_servers(struct plan_question *question, const struct target *target,
                               char *text, size_t size);

/* What a trial of this size has: sessions, locks, and requests a second of the load beside it; 0:
 * there is no load. */
uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size);
uint64_t plan_question_locks(const struct plan_question *question, uint64_t size);
uint64_t plan_question_rate(const struct plan_question *question, uint64_t size);

struct search_plan plan_question_search(const struct plan_question *question);

/* Writes a size for a person: "12 waiters", "200 requests a second"; size >= 64. Returns text. */
const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size);

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

/* The load beside it; its rate is 0 if there is none. */
struct background_plan plan_probe_background(const struct plan_probe *probe);

/* The trial: all but its root, its servers and its seed. */
struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver);

/* The samples of an objective on handoffs; may be asked while the trial goes on. Adds these
 * handoffs to `latency`, unless it is NULL. */
struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory,
                                            struct histogram *latency);

/* The samples of an objective on the rate: handoffs a second of all locks together, however many
 * waited, in each of PLAN_BATCHES equal parts of the time in which all clients took part: from the
 * first handoff that counts of every lock to the last. Returns the number of parts; 0: there was no
 * such time. */
size_t plan_probe_rates(const struct trial_memory *memory, double per_s[PLAN_BATCHES]);

/* Whether a trial is in steady state after elapsed_ns: as many handoffs of each lock as it has
 * clients, or PLAN_STEADY_NS. */
bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns);

/* Whether a trial has measured enough after elapsed_ns. beside: the samples of its load so far. */
bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns);

/* ------------------------------------------------------------------ guard
 *
 * Keeps the probes of a search from harming others. A bystander (load/load.h) reads from every
 * server, and the brake (capacity/brake.h) judges its response times by the given bound, or by one
 * that follows from its p99 alone. The guard also watches the probe's rate and connections, and the
 * time of the whole search.
 *
 * Invariant: a probe that the guard has ended is never judged by what was measured of it. The first
 * reason is the one that counts. */

/* Why the guard has ended a probe. After all but the last the probe is judged JUDGE_BRAKED. */
enum plan_guard_reason {
    PLAN_GUARD_NONE,      /* it has not */
    PLAN_GUARD_BYSTANDER, /* a bystander has suffered */
    PLAN_GUARD_LOSSES,    /* sessions of the probe have lost their connections */
    PLAN_GUARD_RATE,      /* it sent more requests a second than it may */
    PLAN_GUARD_TIME,      /* the time for all is up: the search is over */
};

struct plan_guard_options {
    uint64_t brake_ns;    /* the bound of the bystander's response times; 0: from its p99 alone */
    uint64_t max_rate;    /* requests a second of a probe; 0: no limit */
    uint64_t max_time_ns; /* from plan_guard_begin on; 0: no limit */
    uint64_t alone_ns;    /* that the bystander reads alone; 0: 100 reads of each server */
};

struct plan_guard {
    struct plan_guard_options options;
    const struct load_host *host;
    const char *root; /* of the bystander */
    bool has_bystander;
    struct bystander bystander;
    uint64_t begun_ns;
    uint64_t alone_p99_ns; /* the highest of all servers; 0: no bystander */
    uint64_t bound_ns;     /* of the bystander's response times; 0: no bystander */
    /* The present probe's, or the last one's. */
    enum plan_guard_reason reason;
    char why[200]; /* a clause: "zk1:2181 did not answer a bystander (bound 100 ms)" */
    uint64_t checked_ns;
    uint64_t rated_ns; /* when rpcs was read */
    uint64_t rpcs;
    struct brake brakes[CONNECT_ENDPOINTS_MAX]; /* of each session of the bystander */
};

/* Begins the time of the search, and the bystander. host: as for a load; its watch is asked for
 * interruptions alone. NULL: nobody else uses the servers, and there is no bystander. root: the
 * path of a znode that does not exist yet. Both must outlive plan_guard_end, and *guard must not be
 * moved. On an error nothing is left behind. Errors are those of bystander_begin. */
MUST_CHECK enum error_kind plan_guard_begin(struct plan_guard *guard,
                                            const struct plan_guard_options *options,
                                            const struct load_host *host, const char *root,
                                            struct error *error);
/* Errors are those of bystander_end. */
MUST_CHECK enum error_kind plan_guard_end(struct plan_guard *guard, struct error *error);

/* The bystander's sessions, which are companions of every trial. */
uint32_t plan_guard_sessions(const struct plan_guard *guard);

/* Whether the time for all is up: no probe should begin. */
bool plan_guard_is_out_of_time(const struct plan_guard *guard);

/* To be called before each probe. After one that the guard has ended it waits until no read of the
 * bystander was slow for BRAKE_WINDOW_NS. A bystander that has lost a session is begun anew, with
 * the same bound. ERROR_NO_ANSWER if the servers do not recover in a minute, ERROR_INTERRUPTED, and
 * those of bystander_begin; plan_guard_end is due in any case. */
MUST_CHECK enum error_kind plan_guard_open(struct plan_guard *guard, struct error *error);

/* Checks the probe's requests so far, and the connections that its sessions have lost: while it
 * runs, and once after it, because it may be shorter than the time between two calls. */
void plan_guard_note(struct plan_guard *guard, uint64_t rpcs, uint64_t losses);

/* Whether the probe may go on; may be asked at any rate. False until plan_guard_open, once it is.
 */
bool plan_guard_allows(struct plan_guard *guard);

/* Ends the watch over a probe that has ended, with the connections that its sessions have lost.
 * Returns why the guard has ended it, or would have. */
enum plan_guard_reason plan_guard_close(struct plan_guard *guard, uint64_t losses);

/* ------------------------------------------------------------------ trial_row */

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
    X(T, over, COUNT, "", 0, NONE, "of these, those over the limit; 0 for a rate")                 \
    X(T, verdict, TEXT, "", 0, NONE, "`pass`, `fail`, `undetermined`, `not valid` or `braked`")    \
    X(T, limit_us, REAL, "us", 1, NONE, "the objective's limit of a latency")                      \
    X(T, least_per_s, COUNT, "1/s", 0, NONE, "the objective's limit of a rate")                    \
    X(T, measured_us, REAL, "us", 1, MEDIAN, "the objective's percentile; empty for a rate")       \
    X(T, p50_us, REAL, "us", 1, MEDIAN, "of the same samples; for a rate, of the handoffs")        \
    X(T, p99_us, REAL, "us", 1, MEDIAN, "the same; empty with fewer than 100 of them")             \
    X(T, max_us, REAL, "us", 1, NONE, "of the same samples; for a rate, of the handoffs")          \
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
extern const struct trial_findings plan_row_trials;

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

/* ------------------------------------------------------------------ turn
 *
 * The searches of a plan take turns, a trial each, so that a drift of the machine or of the servers
 * affects all of them alike.
 *
 * Invariant: a trial is reported to its search only when the files have it; one that --max-time or
 * an error has ended is neither kept nor reported. */

/* The search for one recipe on one topology. */
struct plan_search {
    struct search search;
    const struct recipe *recipe;
    size_t topology;
};

/* All searches: for each topology one for each recipe, in the order of the options. */
struct plan_searches {
    struct plan_options *options; /* the caller's */
    struct series series;
    struct plan_search *list;
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    enum plan_cut cut;
    uint64_t took_ns;  /* the trials so far, from the first znode to the last */
    size_t took_short; /* that many short trials would have taken as long */
    struct plan_results results[OPTIONS_TOPOLOGIES_MAX];
};

/* Runs the next trial of a search, again if other programs have disturbed it. *ran becomes true,
 * and is unchanged if this search has ended, or all have, as searches->cut then says. Errors of
 * plan_guard_open, background_run, trial_run and file_set_commit. */
MUST_CHECK enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search,
                                         bool *ran, struct error *error);

/* Runs a trial of the least size that is not kept: a JVM's first requests are slow. */
MUST_CHECK enum error_kind plan_turn_warm_up(struct plan_searches *searches,
                                             struct plan_search *search, struct error *error);

/* Adds the time of a trial, from which the time left is estimated. */
void plan_turn_learn(struct plan_searches *searches, bool longer, uint64_t took_ns);

/* How many trials all searches have still to run, and how long these take, both estimates: a long
 * trial takes PLAN_LONG times as long as a short one. */
size_t plan_turn_foresee(const struct plan_searches *searches, uint64_t *left_ns);

#endif
