// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of bench/plan share. Layer: bench/plan.
 *
 *   command_line   the options of `zkherd plan --slo`
 *   question       what is asked, and what a size means: sessions, locks, requests
 *   demand         --dry-run: what the searches demand at most
 *   lead           a series: guard, searches, answers; for each topology a record: the folder with
 *                  plan.csv, answers.csv, manifest, plots
 *     turn         one trial of a search: run below the guard, judged, kept, reported
 *       guard      a bystander beside the trials, and a brake
 *       probe      what a trial is of, and when it has measured enough
 *       sample     the figures of a finished trial, its verdict, its row of plan.csv
 *     answer       the figures of a search that has ended, as a row and as JSON
 *     sentences    the same as a table and in sentences
 */
#ifndef BENCH_PLAN_INTERNAL_H
#define BENCH_PLAN_INTERNAL_H

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/options.h"
#include "bench/output/file_set.h"
#include "bench/output/manifest.h"
#include "bench/output/series.h"
#include "capacity/brake.h"
#include "capacity/search.h"
#include "load/load.h"
#include "measure/table.h"
#include "trial/trial.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ question */

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
};

/* The words, by value; NULL behind the last. */
extern const char *const plan_question_unknowns[];

/* The sessions that a search may have if nothing else is said. */
#define PLAN_SESSIONS_MOST 1001

/* Votes of a ballot, and of a ballot of fresh trials (capacity/search.h); trials of one search. */
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

/* plan_question_fit to the servers of --connect, which give up connections to the bystander and to
 * zkherd's own sessions. Why no larger sizes are tried goes to text, "" if all may be. */
void plan_fit_to_servers(struct plan_question *question, const struct target *target, char *text,
                         size_t size);

/* What a trial of this size has: sessions, locks, and requests a second of the load beside it; 0:
 * there is no load. */
uint64_t plan_question_sessions(const struct plan_question *question, uint64_t size);
uint64_t plan_question_locks(const struct plan_question *question, uint64_t size);
uint64_t plan_question_rate(const struct plan_question *question, uint64_t size);

/* The search for the answer. */
struct search_plan plan_question_search(const struct plan_question *question);

/* Writes a size for a person: "12 waiters", "200 requests a second"; size >= 64. Returns text. */
const char *plan_question_format(const struct plan_question *question, uint64_t number, char *text,
                                 size_t size);

/* ------------------------------------------------------------------ options */

struct plan_guard_options {
    uint64_t brake_ns;    /* the bound of the bystander's response times; 0: from its p99 alone */
    uint64_t max_rate;    /* requests a second of a probe; 0: no limit */
    uint64_t max_time_ns; /* from plan_guard_begin on; 0: no limit */
    uint64_t alone_ns;    /* that the bystander reads alone; 0: 100 reads of each server */
};

struct plan_options {
    bool asks; /* --slo is given */
    struct plan_question question;
    struct plan_guard_options guard;
    bool dry_run; /* say what the searches demand, and run nothing */
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    uint64_t clients; /* of a lock; 0: not given */
    struct target_options target;
    struct output_options output;
};

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled and
 * its question completed, for target_options_deinit; or the exit status. */
int plan_command_line_parse(int argc, char **argv, struct plan_options *options);

/* ------------------------------------------------------------------ guard */

/* Why the guard has ended a probe. After all but the last the probe is judged JUDGE_BRAKED. */
enum plan_guard_reason {
    PLAN_GUARD_NONE,      /* it has not */
    PLAN_GUARD_BYSTANDER, /* a bystander has suffered */
    PLAN_GUARD_LOSSES,    /* sessions of the probe have lost their connections */
    PLAN_GUARD_RATE,      /* it sent more requests a second than it may */
    PLAN_GUARD_TIME,      /* the time for all is up: the search is over */
};

/*
 * Keeps the probes of a search from harming others. A bystander (load/load.h) reads from every
 * server, and the brake (capacity/brake.h) judges its response times by the given bound, or by one
 * that follows from its p99 alone.
 *
 *   plan_guard_begin       once
 *     plan_guard_open      before each probe: waits until the bystander is served in time
 *     plan_guard_note      in the trial's callback progress, and once after a trial of real
 *                          sessions, which may be shorter than the time between two callbacks
 *     plan_guard_allows    in the trial's callback has_company: false ends the trial at once,
 *                          END_ALONE, and the trial clears up after itself as always
 *     plan_guard_close     after each probe
 *   plan_guard_end         once
 *
 * The trial is to be run with plan_guard_sessions more companions.
 *
 * Invariant: a probe that the guard has ended is never judged by what was measured of it. The first
 * reason is the one that counts.
 */
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
    char why[200]; /* a clause: "a bystander's reads took longer than 100 ms at zk1:2181" */
    uint64_t looked_ns;
    uint64_t rated_ns; /* when rpcs was read */
    uint64_t rpcs;
    struct brake brakes[CONNECT_ENDPOINTS_MAX]; /* of each session of the bystander */
};

/*
 * host: as for a load; its watch is asked for interruptions alone. NULL: nobody else uses the
 * servers, and the guard watches the rate and the time alone. root: the path of a znode that does
 * not exist yet, below the root znode of the search. Both must outlive plan_guard_end, and *guard
 * must not be moved. On an error nothing is left behind. Errors are those of bystander_begin.
 */
MUST_CHECK enum error_kind plan_guard_begin(struct plan_guard *guard,
                                            const struct plan_guard_options *options,
                                            const struct load_host *host, const char *root,
                                            struct error *error);

/* The bystander's sessions, which are companions of every trial. */
uint32_t plan_guard_sessions(const struct plan_guard *guard);

/* Whether the time for all is up: no probe should begin. */
bool plan_guard_is_out_of_time(const struct plan_guard *guard);

/*
 * Waits until no read of the bystander was slow for BRAKE_WINDOW_NS; at once if the servers have
 * been calm. A bystander that has lost a session is begun anew, with the same bound.
 * ERROR_NO_ANSWER if the servers do not recover in a minute, ERROR_INTERRUPTED, and those of
 * bystander_begin; plan_guard_end is due in any case.
 */
MUST_CHECK enum error_kind plan_guard_open(struct plan_guard *guard, struct error *error);

/* The probe's requests so far, and the connections that its sessions have lost. */
void plan_guard_note(struct plan_guard *guard, uint64_t rpcs, uint64_t losses);

/* Whether the probe may go on; may be asked at any rate. Once false it stays false until
 * plan_guard_open. */
bool plan_guard_allows(struct plan_guard *guard);

/* The probe has ended in whatever way, its sessions having lost so many connections. Returns why
 * the guard has ended it, or would have. */
enum plan_guard_reason plan_guard_close(struct plan_guard *guard, uint64_t losses);

/* Ends the bystander. Errors are those of load_trial_end. */
MUST_CHECK enum error_kind plan_guard_end(struct plan_guard *guard, struct error *error);

/* ------------------------------------------------------------------ probe */

/*
 * A trial is in steady state and free pace. Where the objective is about a latency, it ends when it
 * has its samples, or so many over the limit that it fails whatever the others are, or when it has
 * lasted as long as samples take that meet the objective; else by its time. To end a trial early
 * never changes its verdict.
 *
 * Those handoffs count that all other clients of the lock waited for, once each client has been
 * granted: others are of smaller sizes. Of the load beside a trial those requests count that were
 * due from plan_probe_is_steady on, however slow their replies are, until the trial has enough.
 */
struct plan_probe {
    const struct plan_question *question;
    struct search_probe asked;
    uint64_t load_per_s; /* requests of the load beside the trial; 0: there is none */
    uint64_t samples;    /* that are enough; 0: the time decides */
    uint64_t fails_at;   /* so many over the limit are a failure, of so many samples */
    uint64_t longest_ns; /* from the gate on */
};

/* The samples of a trial, and those of them that are over the objective's limit. */
struct plan_count {
    uint64_t samples, over;
};

/* The samples that are enough for a trial; 0: the time decides. */
uint64_t plan_probe_samples(const struct plan_question *question, const struct search_probe *asked);

struct plan_probe plan_probe_of(const struct plan_question *question,
                                const struct search_probe *asked);

/* The load beside it; its rate is 0 if there is none. */
struct background_plan plan_probe_background(const struct plan_probe *probe);

/* The trial: all but its root, its servers and its seed. */
struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver);

/* What an objective on handoffs is judged by; may be asked while the trial goes on. Adds these
 * handoffs to `latency`, unless it is NULL. */
struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory,
                                            struct histogram *latency);

/* What an objective on the rate is judged by: how many handoffs a second all locks made together,
 * in each of so many equal parts of the time in which all clients took part. Returns how many there
 * are: 0 if there was no such time. */
#define PLAN_BATCHES 10
size_t plan_probe_rates(const struct trial_memory *memory, double per_s[PLAN_BATCHES]);

/* Whether a trial that has gone on for so long is in steady state: as many handoffs of each lock as
 * it has clients; or PLAN_STEADY_NS, which is enough for all clients to arrive. */
#define PLAN_STEADY_NS (5 * NS_PER_S)
bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns);

/* Whether a trial that has gone on for so long has measured enough. beside: of the load beside it,
 * so far. */
bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns);

/* ------------------------------------------------------------------ sample */

/* A trial that has ended. */
struct plan_trial {
    const struct plan_probe *probe;
    const struct recipe *recipe;
    const struct trial_result *result; /* NULL: the load beside it had ended before it began */
    struct background_figures beside;  /* of all zero bytes without a load */
    double cores;            /* that zkherd and its private servers may use (base/cores.h) */
    unsigned server_percent; /* of a core, for each private server; 0: no limit */
};

/* The latency that the objective is about; its own percentile comes first. */
enum { PLAN_AT, PLAN_P50, PLAN_P99, PLAN_LARGEST, PLAN_FIGURES };

/* What is judged of it. If its times are not those of the servers, its counts disagree, its figures
 * do not add up (capacity/utilisation.h), or its load was not sent as planned, its verdict is
 * JUDGE_NOT_VALID, and the reason says why. */
struct plan_sample {
    struct search_probe probe;
    struct plan_count count;
    enum judge_verdict verdict;
    /* NaN: none, as for the objective's own percentile if it is about a rate; infinite: above the
     * range of a histogram. */
    double latency_us[PLAN_FIGURES];
    double handoff_p50_us; /* of the handoffs that count, whatever is judged; NaN: there is none */
    double handoffs_per_s; /* while all clients took part; NaN: no such time */
    bool is_explained;     /* the figures of the trial add up; else the next is not known */
    struct utilisation_finding gave_out; /* what gave out first */
    char reason[832]; /* why it is not valid, was braked, or which verdict failed; "": neither */
};

/* The trials of one search, in their order; `list` is the owner's to free. */
struct plan_samples {
    struct plan_sample *list;
    size_t count;
};

struct plan_sample plan_sample_take(const struct plan_trial *trial);

/* Whether it is a vote of its search. */
bool plan_sample_is_vote(const struct plan_sample *sample);

void plan_samples_add(struct plan_samples *samples, const struct plan_sample *sample);

/* The first columns of plan.csv and answers.csv. */
#define PLAN_KEY_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, target, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, servers, COUNT, "", 0, KEY, "number of servers")                                          \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, objective, TEXT, "", 0, KEY, "as in the plan")                                            \
    X(T, unknown, TEXT, "", 0, KEY, "as in the plan")
void plan_row_begin(const struct series_record *record, const struct plan_question *question,
                    const struct recipe *recipe, struct table_value *row);

/* The table of plan.csv; the columns of a row from the step on, which is that of the search, from
 * 1, but for the verdict and what the noise tells. */
extern const struct table_type plan_row_table;
void plan_row_take(const struct plan_trial *trial, const struct plan_sample *sample, size_t step,
                   struct table_value *row);

/* These, when the trial has just ended: what else the machine did meanwhile. A trial that it has
 * disturbed is not valid, and no vote (bench/output/noise_watch.h). */
void plan_row_judge(const struct plan_trial *trial, struct noise_watch *noise,
                    struct plan_sample *sample, struct table_value *row);

/* Complains about each trial of these rows of which a verdict failed, in their order; whether there
 * is one. */
bool plan_rows_complain(const struct table *rows, const struct plan_question *question);

/* ------------------------------------------------------------------ answer */

/* The trials of one size that were votes. */
struct plan_votes {
    uint32_t passed, cast;
};

/* Why a search ended before its own end. */
enum plan_cut {
    PLAN_CUT_NOT,
    PLAN_CUT_BY_TIME, /* the time that it was given was used up */
    PLAN_CUT_SHORT,   /* by an error, or a signal */
};

/* The trials of the smallest size whose trials decided nothing. */
struct plan_undecided {
    size_t trials, not_valid, undetermined;
    const char *reason;      /* why the last one that was not valid was not */
    uint64_t samples_most;   /* of an undetermined trial; 0: none was, or the objective is a rate */
    uint64_t samples_needed; /* with which the trial of the most samples would have passed */
};

/* The answer of one search. Its figures are medians over the fresh trials at `best`, by which the
 * size was not chosen; if there are none, over the votes by which it was. */
struct plan_answer {
    const char *target; /* the name of the servers */
    const struct recipe *recipe;
    enum plan_cut cut;
    struct search_answer found;
    struct plan_votes first_passed, first_failed; /* the votes that located either end */
    struct plan_votes fresh_passed, fresh_failed; /* of the latest fresh trials at each end */
    struct plan_votes fresh_above;
    uint64_t best;         /* the size of the figures: the largest that passed, else the least */
    double measured_us;    /* of the objective's percentile; NaN: not known */
    double p50_us;         /* of the same latency */
    double handoffs_per_s; /* the same */
    /* What gave out first in most of the trials that failed at the smallest size that failed; NULL:
     * not known. */
    const struct utilisation_finding *gave_out;
    size_t trials, no_votes; /* of the search; those that were undetermined or not valid */
    struct plan_undecided undecided;
    const char *brake; /* why the trial at the smallest size that failed was ended; NULL */
};

/* The answer of a search for this recipe from its trials. It points into the samples; nothing has
 * cut the search, and the target is not filled in. */
struct plan_answer plan_answer_take(const struct plan_question *question,
                                    const struct search *search, const struct recipe *recipe,
                                    const struct plan_samples *samples);

/* Whether fresh trials say that the largest size that passed meets the objective, and that the
 * smallest that failed does not, or the brake has ended that; else the size is undecided, and
 * called neither. */
bool plan_answer_is_passed(const struct plan_answer *answer);
bool plan_answer_is_failed(const struct plan_answer *answer);

/* Why the search ended, in a word or two: a static string. */
const char *plan_answer_reason(const struct plan_answer *answer);

/* The table of answers.csv, and a row of it. */
extern const struct table_type answer_row_table;
void answer_row_take(const struct plan_answer *answer, const struct series_record *record,
                     const struct plan_question *question, struct table_value *row);

/* The same for --json, with the answer's sentences: a new object. */
json_t *plan_answer_json(const struct plan_answer *answer, const struct series_record *record,
                         const struct plan_question *question);

/* ------------------------------------------------------------------ sentences */

/* What a search has found; the caller's to free. No size is said to meet the objective, or not to,
 * that is undecided. */
char *plan_sentence_found(const struct plan_question *question, const struct plan_answer *answer);

/* Why an end of the interval is undecided; "" if it is decided. The caller's to free. */
enum plan_end { PLAN_PASSED, PLAN_FAILED };
char *plan_sentence_end(const struct plan_question *question, const struct plan_answer *answer,
                        enum plan_end end);

/* All sentences of an answer: what was found, and what gave out. several: of several targets. */
void plan_sentences_write(const struct plan_question *question, const struct plan_answer *answer,
                          bool several, FILE *stream);

/* ------------------------------------------------------------------ searches */

/* The search for one recipe on one topology. */
struct plan_search {
    struct search search;
    const struct recipe *recipe;
    size_t topology;
    struct plan_samples samples;
    struct plan_answer answer; /* when its record is closed */
};

/* The table of the answers. */
void plan_table_write(const struct plan_question *question, const struct plan_search *searches,
                      size_t count, bool several, FILE *stream);

/* How long the finished trials of one length took, from the first znode to the last. */
struct plan_experience {
    uint64_t took_ns;
    size_t trials;
};

/* All searches: for each topology one for each recipe, in the order of the options. They take
 * turns, a trial each, so that a drift of the machine or of the servers affects all of them alike.
 */
struct plan_searches {
    struct plan_options *options; /* the caller's */
    struct series series;
    struct plan_search *list;
    size_t count;
    size_t trials; /* begun, warm-ups included: no two have the same root */
    struct plan_guard guard;
    enum plan_cut cut;
    struct plan_experience experience[2]; /* of short trials, of long ones */
};

/* Leads the searches from the start of the servers to the exit status. Errors have been complained
 * about. argv[0] is the subcommand. */
int plan_searches_lead(struct plan_options *options, int argc, char **argv);

/* The trials that all searches have still to run. */
struct search_forecast plan_searches_foresee(const struct plan_searches *searches);

/* Runs the next trial of a search, again if other programs have disturbed it and a retry is left.
 * *ran becomes true, and is unchanged if the search has ended or if the time is up, as
 * searches->cut then says. A trial is reported to its search only when the files have it; one that
 * --max-time or an error has ended is neither kept nor reported. Errors of plan_guard_open,
 * background_run, trial_run and file_set_commit. */
MUST_CHECK enum error_kind plan_turn_run(struct plan_searches *searches, struct plan_search *search,
                                         bool *ran, struct error *error);

/* Runs a trial of the least size that is not kept: a JVM's first requests are slow. */
MUST_CHECK enum error_kind plan_turn_warm_up(struct plan_searches *searches,
                                             struct plan_search *search, struct error *error);

/* ------------------------------------------------------------------ demand */

/* --dry-run: says how many trials, sessions at a time, requests and hours the searches take at
 * most. Servers of --connect are asked for their limit of connections, and for nothing else.
 * Returns the exit status. */
int plan_dry_run(struct plan_options *options);

#endif
