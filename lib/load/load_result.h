// SPDX-License-Identifier: Apache-2.0
/*
 * load_result: what a trial of a load has measured. Layer: load.
 */
#ifndef LOAD_LOAD_RESULT_H
#define LOAD_LOAD_RESULT_H

#include "base/error.h"
#include "fleet/reconcile.h"
#include "fleet/watchdog.h"
#include "load/load_faults.h"
#include "load/load_servers.h"
#include "load/load_shared.h"

#include <stdbool.h>
#include <stdint.h>

/* What the coordinator reads at the end of each second of the measured time. CPU times are those of
 * the second. */
struct load_usage {
    uint64_t client_cpu_ns; /* by all workers */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* by all private servers */
    uint64_t outstanding;   /* requests */
};

/* Operations that were due in the contended time; those answered, and errors, came in it. */
struct load_contended_result {
    uint64_t length_ns; /* of the contended time */
    uint64_t answered;
    uint64_t errors;
    uint64_t delayed;
    uint64_t unsent;
    uint64_t failed; /* see struct load_contended */
    uint64_t over;   /* the same */
    struct histogram *lag;
    struct histogram *service;
    struct histogram *response;
};

/* Operations are those that were due in the measured time, where nothing else is said. Unlocks and
 * asynchronous deletes, which no mix asks for, are in their own kind's figures and in the errors
 * alone. */
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
    /* Of a load that leaves watches: see struct fan_out_counts. All notifications of `total` are
     * timed or untimed. */
    uint64_t timed, untimed; /* notifications */
    uint64_t fired;          /* measured writes that fired a notification at least */
    uint64_t fan_out_max;    /* notifications of one measured write */
    struct histogram *notification;
    struct histogram *first_notification; /* of each of these writes */
    struct histogram *last_notification;  /* the same */
    /* The same for each role, ROLES of them. */
    struct histogram (*service_of)[LOAD_KINDS + 1];
    struct histogram (*response_of)[LOAD_KINDS + 1];
    uint32_t seconds;                          /* of the measured time that have ended */
    struct load_usage *usage;                  /* of each of the plan's seconds */
    struct load_server_second *server_seconds; /* the same */
    struct load_marks marks;                   /* what happened to the servers */
    uint64_t client_cpu_ns;                    /* by all workers in the measured time */
    uint64_t client_rss_kib; /* all workers together, what they share counted once each */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* in the measured time */
    /* The longest that a worker or the coordinator did not run, from the measured time to the last
     * reply: see shared_absent_ns. */
    uint64_t absent_ns;
    uint64_t reconnects;
    uint32_t losses;                      /* of connections, from the gate on */
    uint32_t apart;                       /* sessions without a connection after the last reply */
    struct load_fault_result *faults;     /* of each fault of the plan */
    struct server_counters_count servers; /* from the start to the last reply */
    enum reconciled reconciled;
    char not_reconciled[160];               /* why it is RECONCILED_NA; else "" */
    struct reconcile_result difference;     /* if it is RECONCILED_NO */
    struct load_contended_result contended; /* of a load in the background */
    struct load_shared *load;               /* the seconds, the sessions' places */
};

/* Lays out the memory of a trial and its result, for the plan, which must outlive it. *result is
 * the caller's to load_result_free. ERROR_NO_MEMORY and those of errno. */
MUST_CHECK enum error_kind load_result_new(const struct load_plan *plan,
                                           struct load_result **result, struct error *error);

/* NULL is fine. */
void load_result_free(struct load_result *result);

/* Adds up what the workers have counted: once, when no session records any more. */
void load_result_add_up(struct load_result *result);

#endif
