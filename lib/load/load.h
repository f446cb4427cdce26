// SPDX-License-Identifier: Apache-2.0
/*
 * load: a trial of a load: a warm-up, and a measured time of whole seconds; or a load that goes on
 * while something else contends for the servers. Layer: load; the top of the library, beside trial.
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include "base/clock.h"
#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/setup_session.h"
#include "fleet/watchdog.h"
#include "load/load_shared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ what happened to the servers
 */

#define LOAD_MARKS_MAX 512

/* X(name, word): "server 2 " stands before the word, except that of NO_LEADER. */
#define LOAD_MARK_LIST(X)                                                                          \
    X(KILLED, "killed")       /* by zkherd */                                                      \
    X(RESTARTED, "restarted") /* by zkherd */                                                      \
    X(LOST, "lost")           /* refuses connections, or does not answer for a second */           \
    X(BACK, "back")           /* answers again */                                                  \
    X(LEADS, "leads")         /* and did not at the end of the second before */                    \
    X(NO_LEADER, "no server leads")                                                                \
    X(SNAPSHOT, "snapshot") /* the server has written one */

enum load_mark_kind {
#define X(name, word) LOAD_MARK_##name,
    LOAD_MARK_LIST(X)
#undef X
};

struct load_mark {
    uint64_t time_ns; /* since the measured time began */
    enum load_mark_kind kind;
    uint32_t server; /* from 0, in the order of struct load_host; of NO_LEADER: 0 */
};

struct load_marks {
    uint32_t count;
    uint32_t left_out;                     /* for want of room */
    struct load_mark list[LOAD_MARKS_MAX]; /* in the order of their times */
};

/* Marks of the same time stand in the order in which they are added. When the list is full, the
 * latest snapshot is left out; if there is none, the latest mark that is not of zkherd's own
 * faults. The new mark is left out itself if none gives way to it. Allocates nothing. */
void load_marks_add(struct load_marks *marks, uint64_t time_ns, enum load_mark_kind kind,
                    uint32_t server);

/* Enough for the words of all marks of a second. */
#define LOAD_MARKS_TEXT_SIZE (LOAD_MARKS_MAX * 32)

/* Writes the words of the marks of a second of the measured time, from 0, with semicolons between:
 * "server 3 lost;no server leads". Servers are numbered from 1 there. What happens at the very end
 * of a second belongs to that second. size >= LOAD_MARKS_TEXT_SIZE. Returns text. */
const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size);

/* What has become of a fault. Times without a fault's name are since the measured time began. */
struct load_fault_result {
    bool carried_out;
    char why[96];                           /* why it was not; else "" */
    uint32_t count;                         /* servers */
    uint32_t servers[ENSEMBLE_SERVERS_MAX]; /* from 0 */
    enum role roles[ENSEMBLE_SERVERS_MAX];  /* just before; of a start: ROLE_UNKNOWN */
    uint64_t at_ns;
    uint64_t took_ns; /* until the processes had ended, or were started */
    /* Since the fault; UINT64_MAX: not within the measured time. */
    uint64_t first_operation_ns; /* that was sent after the fault, until its completion */
    uint64_t first_write_ns;
    uint64_t served_ns; /* of a start: when the last of its servers was seen to serve */
    uint64_t led_ns;    /* of a leader's death: when another server was seen to lead */
    /* By so much sooner the two may have come: the same server was asked in vain then. */
    uint64_t served_within_ns;
    uint64_t led_within_ns;
    uint32_t leader; /* the server that was seen to lead */
    /* The longest times until the next fault in which no operation, or no write, was completed. */
    uint64_t silence_ns;
    uint64_t write_silence_ns;
};

/* The word for what a fault does: a static string, "kill" or "restart". */
const char *load_fault_word(enum load_fault_action action);

/* One second, of all servers together. A server that refused connections at the beginning and at
 * the end of the second has counted nothing. */
struct load_server_second {
    bool known; /* how many in this second: packets_received without zkherd's four-letter words, and
                   FOUR_LETTER_UNTOLD if others have asked, too: it is not known in which second */
    SERVER_COUNTERS_LIST(SERVER_COUNTERS_MEMBER)
    bool state_known; /* how many at its end: */
    uint64_t watches;
    uint64_t connections; /* that of the set-up session included */
    uint64_t outstanding; /* requests; FOUR_LETTER_UNTOLD: a server does not tell */
};

/* ------------------------------------------------------------------ what was measured */

/* What the coordinator reads at the end of each second of the measured time. CPU times are those of
 * the second. */
struct load_usage {
    uint64_t client_cpu_ns; /* by all workers */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* by all private servers */
    uint64_t outstanding;   /* requests */
};

struct load_contended_result {
    uint64_t length_ns; /* of the contended time */
#define X(counter) uint64_t counter;
    LOAD_CONTENDED_COUNTERS(X)
#undef X
#define X(times) struct histogram *times;
    LOAD_CONTENDED_TIMES(X)
#undef X
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

/* NULL is fine. */
void load_result_free(struct load_result *result);

/* ------------------------------------------------------------------ a trial */

/* What is shown while a load runs. */
struct load_progress {
    enum { LOAD_CONNECTS, LOAD_LAYS_OUT, LOAD_WARMS_UP, LOAD_MEASURES, LOAD_CLEARS } phase;
    uint32_t established; /* sessions */
    uint32_t second;      /* LOAD_MEASURES: seconds that have passed */
    const struct load_shared *load;
};

/* How a load is watched over from outside. */
struct load_watch {
    /* Called about ten times a second, and when all of a load that went well is answered; may be
     * NULL. */
    void (*progress)(void *context, const struct load_progress *progress);
    void *context;
    int interrupt_descriptor; /* readable when the trial is to be given up; -1: never */
    /* Whether what is to go on beside the load still does, asked after every wait of the
     * coordinator: if not, the trial ends, END_ALONE. May be NULL. */
    bool (*has_company)(void *context);
};

/* Where a load is sent to. */
struct load_host {
    struct setup_session *setup;          /* a simulation has its own */
    const struct connect_string *servers; /* all of them: the plan's may be a part; those of a
                                             simulation have their numbers, from 1, as ports */
    struct ensemble *ensemble;            /* NULL: the servers are somebody else's */
    const struct sim_options *simulation; /* for DRIVER_SIMULATED; its seed is the plan's */
    struct load_watch watch;
    uint32_t companions; /* sessions beside the load that are this program's */
};

/*
 * Runs a trial. On success (of the run: the trial itself may not have reached its end, which the
 * result says) *result is the caller's to load_result_free. The plan must outlive the result.
 */
MUST_CHECK enum error_kind load_run(const struct load_plan *plan, const struct load_host *host,
                                    struct load_result **result, struct error *error);

/* ------------------------------------------------------------------ a load in the background
 *
 * A load that goes on while something else contends for the servers.
 *
 * The load is measured twice: alone, for the plan's seconds, and while the servers are contended
 * for. What is between the two, the opening of other sessions, is measured in neither.
 *
 *   load_background_begin   opens the sessions, warms up, measures the load alone
 *   load_background_contend the contended time begins   (both may be called while another
 *   load_background_settle  the contended time ends      coordinator leads the process)
 *   load_background_end     waits for all replies, and clears everything away */

struct load_trial;

/* Whether the load goes on: false if it has ended too early, which load_background_end explains.
 * load_background_end must be called with *trial in any case. Real servers only. plan and host must
 * outlive that. */
bool load_background_begin(struct load_trial **trial, const struct load_plan *plan,
                           const struct load_host *host);

/* Whether the load still goes on: false once it has lost a session or its worker, which
 * load_background_end explains. May be called while another coordinator leads the process. */
bool load_background_goes_on(const struct load_trial *trial);

void load_background_contend(struct load_trial *trial);
void load_background_settle(struct load_trial *trial);

/* What its sessions have counted so far. */
const struct load_shared *load_background_counts(const struct load_trial *trial);

/* Those of load_run. Nothing is compared with the servers' counters, which count what else
 * has used them. */
MUST_CHECK enum error_kind load_background_end(struct load_trial *trial,
                                               struct load_result **result, struct error *error);

#endif
