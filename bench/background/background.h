// SPDX-License-Identifier: Apache-2.0
/*
 * background: the load of --background beside a trial, and its figures. Layer: bench/background.
 *
 * A trial may have the load measured twice: alone, before the trial, and while the trial's clients
 * contend for the lock. Both are of the same sessions and the same minute, so their ratio is the
 * price of the contention.
 *
 * Response times count from when a request was due: a request that had to wait for those before it,
 * or that was never sent, is no fast one.
 *
 * Invariant: every request that was due in the contended time is judged, once.
 */
#ifndef BENCH_BACKGROUND_BACKGROUND_H
#define BENCH_BACKGROUND_BACKGROUND_H

#include "bench/output/trial_findings.h"
#include "load/load.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BACKGROUND_SESSIONS    10
#define BACKGROUND_DEPTH       16
#define BACKGROUND_VALUE_BYTES 1024
#define BACKGROUND_WARM_UP_NS  (500 * NS_PER_MS)
#define BACKGROUND_ALONE_S     2
#define BACKGROUND_LATE_NS     NS_PER_MS
#define BACKGROUND_ABSENT_NS   (100 * NS_PER_MS)

/* Operations of all sessions that may be outstanding. */
#define BACKGROUND_OUTSTANDING (BACKGROUND_SESSIONS * BACKGROUND_DEPTH)

struct background_plan {
    struct mix mix;
    uint64_t rate_per_s;
    uint32_t alone_s;  /* measured alone, before the trial; 0: not at all */
    uint64_t limit_ns; /* of a response, exclusive; 0: none */
    double percent;    /* of contended_at_us; 0: none */
    /* The contended time is what the trial's callbacks mark, by load_background_begin_contention
     * and load_background_end_contention; else it is from the gate to the end of the trial. */
    bool is_marked;
};

/* Response times, from when a request was due; NaN: no request was due, or too few for a
 * p99 (histogram_has_percentile); infinite: above the histogram's range, or, but for the maximum,
 * among those of requests that were never sent. */
struct background_figures {
    bool measured;
    double alone_p50_us, alone_p99_us;
    double contended_p50_us, contended_p99_us, contended_max_us;
    double contended_at_us; /* the plan's percent, of however many requests; NaN also: none asked */
    uint64_t requests;      /* answered, of those due while the lock was contended for */
    uint64_t judged;        /* all that were due then: answered, failed or never sent */
    uint64_t over;          /* of these: failed, never sent, or not below the plan's limit */
    double contended_per_s; /* answered while the lock was contended for; NaN: for no time */
    uint64_t errors;        /* alone and contended */
    uint64_t unsent;        /* the same */
    uint64_t sent;          /* of the load alone: requests for which the driver had room */
    uint64_t sent_late;     /* of these: more than BACKGROUND_LATE_NS after they were due */
    uint64_t contended_sent, contended_sent_late; /* the same while the lock was contended for */
    uint64_t rpcs;                                /* sent in all, warm-up included */
    uint64_t absent_ns;                           /* the longest that the driver did not run */
    uint32_t losses;                              /* of connections */
    char ended[512];                              /* why the load ended too early; "": it did not */
};

/* A load and the trial beside it. */
struct background {
    const struct background_plan *plan;
    const struct fleet_host *host; /* the caller's */
    struct load_trial *load;
    bool is_open;          /* what follows may be asked: in the trial's callbacks */
    uint64_t sent, losses; /* after the trial */
};

/* The figures of a load of this plan that has ended. */
struct background_figures background_figures_of(const struct background_plan *plan,
                                                const struct load_result *result);

/* Gives the reasons for which the times of a trial and of the load beside it, of all zero bytes
 * without one, may not be those of the servers. result NULL: the load had ended before the trial
 * began. A simulation has no driver that could be the limit. */
void background_judge_trial(const struct background_figures *figures,
                            const struct trial_result *result, double cores_allowed,
                            struct validity *validity);

/*
 * Runs a trial like trial_run, with the load beside it; has_company of the host is asked while
 * the load begins, too. *background, of all zero bytes, must not be moved until this returns.
 * If the load has ended before the trial could begin, *result is NULL, and figures->ended says why
 * ("" if has_company has ended it). Errors of load_background_end and of trial_run.
 */
MUST_CHECK enum error_kind
background_run(struct background *background, const struct background_plan *plan,
               const struct trial_plan *trial, const struct fleet_host *host,
               const struct trial_watch *watch, struct background_figures *figures,
               struct trial_result **result, struct error *error);

/* How far the load is. */
struct background_counts {
    /* Requests that were due in the contended time: those that have been replied to so far, and
     * those of them that are over, as in struct background_figures. 0 while there is no load. */
    uint64_t replied, over;
    uint64_t sent, losses; /* requests, and connections; after the trial, in all */
};
struct background_counts background_counts(const struct background *background);

#endif
