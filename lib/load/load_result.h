// SPDX-License-Identifier: Apache-2.0
/*
 * load_result: what the sessions of a load count, what happens to the servers meanwhile, and what
 * comes of it. Layer: load, above load_plan.
 *
 * struct load_shared is memory that the processes of a load share besides the fleet's own: laid out
 * once, from the plan, before the workers are forked, at the same address in all of them. The
 * coordinator writes the times before it gives the order to start; the sessions write everything
 * else, with atomic additions, because on threads those of a worker run at the same time. What is
 * never touched costs no memory.
 *
 * Invariant: after the gate has opened nothing in struct load_shared grows.
 */
#ifndef LOAD_LOAD_RESULT_H
#define LOAD_LOAD_RESULT_H

#include "base/error.h"
#include "fleet/server_counters.h"
#include "fleet/shared.h"
#include "load/fan_out.h"
#include "measure/histogram.h"
#include "measure/tally.h"
#include "servers/four_letter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ what its sessions count */

#define LOAD_PATH_SIZE 160 /* enough for any path of a load, with its terminator */

#define LOAD_STATUSES (ZK_OTHER_ERROR + 1)

/* One second of the measured time: the operations that were answered in that second. */
struct load_second {
    _Atomic uint64_t answered; /* by a server, as the load foresees; no kind that follows */
    _Atomic uint64_t errors;   /* any other reply, that of a lost connection included */
    _Atomic uint64_t lag_ns;   /* the largest of the operations that were sent in that second */
};

/* The response times of a span: of the operations that were answered in that, as foreseen. */
struct load_times {
    struct histogram reads; /* of those that only read */
    struct histogram writes;
};

/* The times of a trial in which operations count: behind the measured time of a load in the
 * background comes the contended time. */
enum load_window_kind { LOAD_MEASURED, LOAD_CONTENDED, LOAD_WINDOWS };

/* X(counter). Where nothing else is said, of operations that were due in the window, without the
 * kinds that follow from others (MIX_KINDS) and succeed. */
#define LOAD_COUNTERS(X)                                                                           \
    X(answered) /* as foreseen, in the window, whenever due */                                     \
    X(errors)   /* other replies, in the window, whenever due */                                   \
    X(delayed)  /* sent late, because `depth` others were outstanding */                           \
    X(unsent)   /* never sent, for the same reason, or for want of a connection */                 \
    X(replied)  /* whenever */                                                                     \
    X(failed)   /* of these: not as foreseen */                                                    \
    X(over)     /* of the others: not below the plan's limit, exactly */

/* Histograms and replies are of operations that were due in the window, whenever they were
 * answered. The row ROLES and the column LOAD_KINDS, sums of all roles and of the kinds that a mix
 * may name, are filled in the result alone. */
struct load_window {
#define X(counter) _Atomic uint64_t counter;
    LOAD_COUNTERS(X)
#undef X
    _Atomic uint64_t replies[LOAD_KINDS][LOAD_STATUSES];
    struct histogram lag; /* of those that were not delayed: how late the driver was by itself */
    struct histogram service[ROLES + 1][LOAD_KINDS + 1];  /* from the sending to the reply */
    struct histogram response[ROLES + 1][LOAD_KINDS + 1]; /* from the due time to the reply */
};

/* What the sessions of a worker count. `total` has all that was sent since the order to start. */
struct load_worker {
    _Alignas(SHARED_CACHE_LINE) struct tally total;
    _Atomic uint64_t replied; /* of total */
    struct load_window windows[LOAD_WINDOWS];
};

/* An operation that was sent and has no reply yet: what its tag has no room for. */
struct load_sent {
    uint32_t znode; /* of those that use a data znode */
    bool watch;
    uint64_t sent_ns;
};

struct load_shared {
    const struct load_plan *plan;
    struct shared *shared;           /* the fleet's */
    struct load_worker *workers;     /* one more than the plan's: the sum of all, in the result */
    struct load_second *seconds;     /* the plan's seconds of worker 0, those of worker 1, … */
    struct load_times *times;        /* its spans, in the same way */
    char (*paths)[LOAD_PATH_SIZE];   /* of the data znodes */
    char *value;                     /* value_bytes of it */
    struct fan_out *fan_out;         /* of a load that leaves watches; else NULL */
    struct fan_out_counts *fan_outs; /* of each worker, and of all in the result */
    struct load_sent *sent;          /* with fan_out: the depth's of session 0, a ring, … */
    size_t size_bytes;
    /* The measured time is from measures_ns to settles_ns, the contended time from contends_ns to
     * ends_ns. A time that is not known yet is UINT64_MAX. */
    uint64_t starts_ns; /* when the sessions get the order to start */
    _Atomic uint64_t measures_ns;
    _Atomic uint64_t settles_ns;
    _Atomic uint64_t contends_ns;
    _Atomic uint64_t ends_ns; /* from here on the sessions send nothing more */
    _Alignas(SHARED_CACHE_LINE) _Atomic uint32_t resting; /* sessions that have done the order */
    _Atomic uint64_t chores_done; /* data znodes that LAY_OUT has created, or CLEAR deleted */
};

/* The window that the time lies in; LOAD_WINDOWS: in none. */
enum load_window_kind load_shared_window(const struct load_shared *load, uint64_t time_ns);

/* The second of a worker that this time lies in, NULL if it is not measured, or the plan has no
 * seconds; and the times of its span, if it is measured. */
struct load_second *load_shared_second(const struct load_shared *load, uint32_t worker,
                                       uint64_t time_ns);
struct load_times *load_shared_times(const struct load_shared *load, uint32_t worker,
                                     uint64_t time_ns);

/* All that the sessions have sent and were notified of so far, and the requests among it. */
struct tally load_shared_total(const struct load_shared *load);
uint64_t load_shared_sent(const struct load_shared *load);

/* One second of the measured time, from 0, of all workers. */
struct load_second_sum {
    uint64_t answered, errors;
    uint64_t lag_ns; /* the largest of the operations that were sent in that second */
};

struct load_second_sum load_shared_second_sum(const struct load_shared *load, uint32_t second);

/* Adds the response times of a second's reads and writes to two histograms of the caller's, which
 * may be one and the same: those of its span, if the second is the last of that, and else none. */
void load_shared_add_times(const struct load_shared *load, uint32_t second, struct histogram *reads,
                           struct histogram *writes);

/* The operations that were due in the contended time and have been replied to so far, and those of
 * them that have failed or were not below the plan's limit. */
void load_shared_contended(const struct load_shared *load, uint64_t *replied, uint64_t *over);

/* Whether a status is foreseen: ZK_OK, or of a TRYLOCK that another session holds the lock. */
bool load_shared_is_foreseen(enum load_kind kind, enum zk_status status);

/* ------------------------------------------------------------------ events of the servers */

#define LOAD_MARKS_MAX 512

/* X(name, word): "server 2 " stands before the word, except that of NO_LEADER. */
#define LOAD_MARK_LIST(X)                                                                          \
    X(LOST, "lost")   /* refuses connections, or does not answer for a second */                   \
    X(BACK, "back")   /* answers again */                                                          \
    X(LEADS, "leads") /* and did not at the end of the second before */                            \
    X(NO_LEADER, "no server leads")                                                                \
    X(SNAPSHOT, "snapshot") /* the server has written one */

enum load_mark_kind {
#define X(name, word) LOAD_MARK_##name,
    LOAD_MARK_LIST(X)
#undef X
};

struct load_mark {
    uint32_t second; /* of the measured time, from 0 */
    enum load_mark_kind kind;
    uint32_t server; /* from 0, in the order of struct fleet_host; of NO_LEADER: 0 */
};

struct load_marks {
    uint32_t count;
    uint32_t left_out;                     /* for want of room */
    struct load_mark list[LOAD_MARKS_MAX]; /* in the order of their seconds */
};

/* Marks are added in the order of their seconds. What has no room is left out: of snapshots, which
 * busy servers write all the time, there is room for half of the marks. */
void load_marks_add(struct load_marks *marks, uint32_t second, enum load_mark_kind kind,
                    uint32_t server);

#define LOAD_MARKS_TEXT_SIZE (LOAD_MARKS_MAX * 32) /* for all marks in one second */

/* Writes the marks of a second, from 0, with semicolons between, and returns text: "server 3
 * lost;no server leads", where servers count from 1. size >= LOAD_MARKS_TEXT_SIZE. */
const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size);

/* One second, of all servers together. A server that refused connections at the beginning and at
 * the end of the second has counted nothing. */
struct load_server_second {
    bool known; /* the counts of this second; packets_received without zkherd's own words */
    FOUR_LETTER_COUNTED(FOUR_LETTER_MEMBER, , )
    bool state_known; /* whether the numbers at its end are known */
    uint64_t watches;
    uint64_t connections; /* that of the set-up session included */
    uint64_t outstanding; /* requests; FOUR_LETTER_UNREPORTED: not known of a server */
};

/* What the coordinator reads at the end of each measured second. CPU times are of the second. */
struct load_usage {
    uint64_t client_cpu_ns; /* by all workers */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* by all private servers */
    uint64_t outstanding;   /* requests */
};

/* The counts of all workers are sums of `load`. Unlocks and asynchronous deletes, which no mix asks
 * for, are in their own kind's figures and in the errors alone. */
struct load_result {
    enum fleet_end end;
    char reason[512];         /* why it did not end well; "" when it did */
    char not_valid[160];      /* why what a load that ended well has measured proves nothing */
    struct tally total;       /* all that was sent, warm-up included */
    uint64_t offered;         /* measured operations that were due; in a closed loop: sent */
    uint64_t contended_ns;    /* the length of the contended time */
    struct load_shared *load; /* the seconds, the sessions' places */
    struct load_window *measured, *contended;
    struct fan_out_counts *fan_out; /* all notifications of `total` are timed or untimed */
    uint32_t seconds;               /* of the measured time that have ended */
    struct load_usage *usage;       /* of each of the plan's seconds */
    struct load_server_second *server_seconds; /* the same */
    struct load_marks marks;                   /* what happened to the servers */
    uint64_t client_cpu_ns;                    /* by all workers in the measured time */
    uint64_t client_rss_kib; /* all workers together, what they share counted once each */
    bool server_cpu_known;
    uint64_t server_cpu_ns; /* in the measured time */
    /* The longest that a worker or the coordinator did not run, from the measured time to the last
     * reply: see shared_absence_ns. */
    uint64_t absent_ns;
    uint64_t reconnects;
    uint32_t losses;                      /* of connections, from the gate on */
    struct server_counters_count servers; /* from the start to the last reply */
    struct reconcile_result reconcile;
};

/* A result, and the memory of a load and of its fleet for the plan, which must outlive it. *result
 * is the caller's to load_result_free, which takes NULL. ERROR_NO_MEMORY and those of errno. */
MUST_CHECK enum error_kind load_result_new(const struct load_plan *plan,
                                           struct load_result **result, struct error *error);

void load_result_free(struct load_result *result);

/* Adds up what the workers have counted: once, when no session records any more. */
void load_result_add_up(struct load_result *result);

#endif
