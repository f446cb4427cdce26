// SPDX-License-Identifier: Apache-2.0
/*
 * load: one trial of a load, from its fresh root znode to its result. Layer: load; the top of the
 * library, beside trial.
 *
 * Creates the trial's root znode, forks the workers, has the load sessions lay out their znodes,
 * reads the servers' counters, lets the sessions send their mix of requests, waits until all are
 * answered, reads the counters again and compares them with what the sessions counted, and clears
 * everything away.
 *
 * Invariant: whatever the outcome, no process, no session and no znode of the trial is left behind;
 * what a server does not confirm in time ends with its session's timeout.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "base/error.h"
#include "fleet/reconcile.h"
#include "fleet/setup_session.h"
#include "fleet/watchdog.h"
#include "load/load_shared.h"
#include "servers/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

/* What is shown while a load runs. */
struct load_progress {
    enum { LOAD_CONNECTS, LOAD_LAYS_OUT, LOAD_WARMS_UP, LOAD_MEASURES, LOAD_CLEARS } phase;
    uint32_t established; /* sessions */
    uint32_t second;      /* LOAD_MEASURES: seconds that have passed */
    const struct load_shared *load;
};

/* How a load is watched over from outside. */
struct load_watch {
    /* Called about ten times a second; may be NULL. */
    void (*progress)(void *context, const struct load_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
};

/* Where a load is sent to. */
struct load_host {
    struct setup_session *setup;          /* a simulation has its own */
    const struct connect_string *servers; /* all of them: the plan's may be a part; those of a
                                             simulation have their numbers, from 1, as ports */
    struct ensemble *ensemble;            /* NULL: the servers are somebody else's */
    const struct sim_options *simulation; /* for DRIVER_SIMULATED; its seed is the plan's */
    struct load_watch watch;
};

/* What the coordinator reads at the end of each second of the measured time. CPU times are those of
 * the second. */
struct load_usage {
    uint64_t client_cpu_ns; /* by all workers */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* by all private servers */
    uint64_t outstanding;   /* requests */
};

/* Operations are those that were due in the measured time, where nothing else is said. */
struct load_result {
    enum fleet_end end;
    char reason[512];    /* why it did not end well; "" when it did */
    char not_valid[160]; /* why what a load that ended well has measured proves nothing; else "" */
    struct tally total;  /* all that was sent, warm-up included */
    uint64_t replies[LOAD_KINDS][LOAD_STATUSES];
    uint64_t offered;           /* operations that were due; in a closed loop: sent */
    uint64_t answered;          /* in the measured time, as foreseen */
    uint64_t errors;            /* in the measured time: other replies */
    uint64_t delayed;           /* see struct load_worker */
    uint64_t unsent;            /* see struct load_worker */
    struct histogram *service;  /* LOAD_KINDS + 1 of them: the last is of all kinds */
    struct histogram *response; /* the same */
    struct histogram *lag;
    struct histogram (*service_of)[LOAD_KINDS]; /* for each role, ROLES of them */
    struct histogram (*response_of)[LOAD_KINDS];
    struct load_usage *usage; /* of each second */
    uint64_t client_cpu_ns;   /* by all workers in the measured time */
    uint64_t client_rss_kib;  /* all workers together, what they share counted once each */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* in the measured time */
    uint64_t reconnects;
    uint32_t losses;                      /* of connections, from the gate on */
    struct server_counters_count servers; /* from the start to the last reply */
    enum reconciled reconciled;
    char not_reconciled[160];           /* why it is RECONCILED_NA; else "" */
    struct reconcile_result difference; /* if it is RECONCILED_NO */
    struct load_shared *load;           /* the seconds, the sessions' places */
};

/*
 * Runs a trial. On success (of the run: the trial itself may not have reached its end, which the
 * result says) *result is the caller's to load_result_free. The plan must outlive the result.
 */
MUST_CHECK enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                                    struct load_result **result, struct error *error);

/* NULL is fine. */
void load_result_free(struct load_result *result);

#endif
