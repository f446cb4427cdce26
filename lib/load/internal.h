// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the modules of this folder share. Layer: load.
 */
#ifndef LOAD_INTERNAL_H
#define LOAD_INTERNAL_H

#include "fleet/experiment.h"
#include "load/fan_out.h"
#include "load/load.h"
#include "load/load_faults.h"

/* ------------------------------------------------------------------ memory and result */

/* Lays out the memory of a load and of its fleet for the plan, which must outlive it. *load is the
 * caller's to load_shared_free, which takes NULL. ERROR_NO_MEMORY and those of errno. */
MUST_CHECK enum error_kind load_shared_new(const struct load_plan *plan, struct load_shared **load,
                                           struct error *error);
void load_shared_free(struct load_shared *load);

/* The window that the time lies in; LOAD_WINDOWS: in none. */
enum load_window_kind load_shared_window(const struct load_shared *load, uint64_t time_ns);

/* The second of a worker that this time lies in; NULL if it is not measured, or the plan has no
 * seconds. */
struct load_second *load_shared_second(const struct load_shared *load, uint32_t worker,
                                       uint64_t time_ns);

/* The times of the span that this time lies in; it must be measured. */
struct load_times *load_shared_times(const struct load_shared *load, uint32_t worker,
                                     uint64_t time_ns);

/* All that the sessions have sent and were notified of so far. */
struct tally load_shared_total(const struct load_shared *load);

/* The same with the memory of a trial's result; its errors are those of load_shared_new. *result is
 * the caller's to load_result_free. */
MUST_CHECK enum error_kind load_result_new(const struct load_plan *plan,
                                           struct load_result **result, struct error *error);

/* Adds up what the workers have counted: once, when no session records any more. */
void load_result_add_up(struct load_result *result);

/* ------------------------------------------------------------------ servers
 *
 * What the servers' counters tell of each second of the measured time, and what happened to the
 * servers. They are asked when it begins and at the end of each second (server_poll); what they
 * answer is taken when the next second has ended.
 *
 * Invariant: a figure is the servers' own, or not known. An answer that came more than
 * LOAD_SERVERS_LATE_NS after the end of its second is none: it is of another time. */

#define LOAD_SERVERS_LATE_NS (250 * NS_PER_MS)

/* What a server has told at the end of a second. */
struct load_server_reading {
    bool known;
    bool absent; /* and all counters are 0 */
    struct four_letter_counters counters;
};

struct load_servers {
    size_t count;
    uint64_t measures_ns;        /* when the measured time begins */
    const uint64_t *other_words; /* that others have asked the servers so far; NULL: nobody does */
    uint64_t words_before;       /* of those: when answers were taken last */
    bool were_asked;             /* any of those between the two times before */
    struct load_server_second *seconds; /* of the measured time, all zero so far */
    struct load_marks *marks;
    struct load_server_reading before[CONNECT_ENDPOINTS_MAX];
    bool lost[CONNECT_ENDPOINTS_MAX];
    uint64_t snapshots[CONNECT_ENDPOINTS_MAX]; /* FOUR_LETTER_UNTOLD: not known yet */
    int leader; /* its index, LOAD_SERVERS_LEADERLESS, or LOAD_SERVERS_LEADER_UNKNOWN */
};

#define LOAD_SERVERS_LEADERLESS     (-1)
#define LOAD_SERVERS_LEADER_UNKNOWN (-2)

void load_servers_init(struct load_servers *servers, size_t count, uint64_t measures_ns,
                       const uint64_t *other_words, struct load_server_second *seconds,
                       struct load_marks *marks);

/* Takes what the servers have answered, in their order, since they were asked after so many
 * seconds of the measured time, from 0. */
void load_servers_take(struct load_servers *servers, uint32_t ended,
                       const struct server_poll_answer *answers);

/* ------------------------------------------------------------------ trial
 *
 * What the ways of leading a load have in common, in this order: load_trial_begin,
 * load_trial_start; the caller lets time pass; load_trial_end.
 *
 * Invariant: whatever the outcome, after load_trial_end no process, no session and no znode of the
 * trial is left; what a server does not confirm in time ends with its session's timeout. After a
 * trial that did not fail every private server serves. */

struct load_trial {
    const struct load_plan *plan;
    const struct load_host *host;
    struct experiment experiment;
    struct load_result *result;
    struct load_shared *load; /* the result's */
    struct load_faults faults;
    struct load_progress progress;
    uint64_t shown_ns; /* the last progress, on the host's clock */
    /* The longest that this process did not run in the measured time: what it reads at the end of
     * a second, of the servers' and of the workers' CPU, is late then. */
    uint64_t absent_ns;
};

/* Whether it goes well so far. */
static inline bool load_trial_goes_on(const struct load_trial *trial)
{
    return trial->experiment.end == END_DONE;
}

/* The loop's time. */
uint64_t load_trial_now_ns(const struct load_trial *trial);

/* Creates the trial's root znode, starts the workers, opens the sessions, has them lay out their
 * znodes, and reads the servers' counters. plan and host must outlive load_trial_end, which is due
 * in any case, and returns the errors. */
struct load_trial *load_trial_begin(const struct load_plan *plan, const struct load_host *host);

/* Has the sessions send operations from now on, and waits for the end of the warm-up, from when it
 * counts how long a worker does not run. The caller has set the times of struct load_shared behind
 * starts_ns. Does nothing if the trial has ended. */
void load_trial_start(struct load_trial *trial);

/* Lets time pass until until_ns, while the fleet is watched over and the faults that are due before
 * then are carried out: the last of them may take longer. */
void load_trial_wait(struct load_trial *trial, uint64_t until_ns);

/* Waits for all replies, compares the counts with the servers' if `alone` (nobody else has used
 * them since load_trial_begin, but the set-up session for reading), deletes all znodes, ends the
 * workers, and frees the trial. On success *result is the caller's to load_result_free;
 * result->end is how the trial has ended. */
MUST_CHECK enum error_kind load_trial_end(struct load_trial *trial, bool alone,
                                          struct load_result **result, struct error *error);

#endif
