// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the modules of this folder share. Layer: load.
 */
#ifndef LOAD_INTERNAL_H
#define LOAD_INTERNAL_H

#include "base/random.h"
#include "fleet/actor.h"
#include "fleet/workers.h"
#include "load/load.h"
#include "servers/ensemble.h"

/* ------------------------------------------------------------------ fan-out
 *
 * Which write fired which notification, and how long each was under way.
 *
 * A watch left by a read of version v fires once, at the write that makes version v+1: so a session
 * remembers the version that it watches, and names the write when it is notified. The library's
 * synchronous calls (DRIVER_THREADS) hand over a reply with the new version before the notification
 * at times: then the session expects that notification. A writer learns its version from the reply,
 * and publishes the write in the znode's ring of recent writes. What is notified before that, and
 * what is expected, waits in a list of the session.
 *
 * A notification is untimed when its write never was published (the reply was lost, or a multi's,
 * which has no version), when the ring has lost the write, when the list has no room, or when the
 * session does not know which version it watches, as after a loss of its connection.
 *
 * Invariant: each notification is timed once, untimed once, or waits in its session's list; the
 * fan-outs of all writes sum to the notifications that were timed. All sessions may call everything
 * at once but fan_out_close, each for itself. */

/* Notifications of a session that wait for their writes, or are expected, at most. */
#define FAN_OUT_WAITING_MAX 64

/* A recent write. Whoever changes the rest has put FAN_OUT_TAKEN in the version's place. */
struct fan_out_write {
    _Atomic int32_t version; /* that the write has made, from 1; 0: no write yet */
    uint32_t fan_out;        /* notifications so far */
    bool measured;
    uint64_t sent_ns;
    uint64_t first_ns; /* when the first notification came; UINT64_MAX: none has */
    uint64_t last_ns;  /* the last */
};

#define FAN_OUT_TAKEN INT32_MIN

struct fan_out_notification {
    uint32_t znode;
    int32_t version;  /* of the write that has fired it */
    uint64_t come_ns; /* 0: it is expected */
};

struct fan_out_session {
    struct fan_out_counts *counts; /* of its worker */
    int32_t *watched;              /* of each znode: the version that fires the watch; 0: unknown */
    bool lost_track;               /* of what it watches, for good */
    uint32_t waiting;
    struct fan_out_notification list[FAN_OUT_WAITING_MAX]; /* oldest first */
};

struct fan_out {
    uint32_t znodes;
    uint32_t watchable; /* znodes of a session: its own alone, or all */
    uint32_t ring;      /* recent writes of each znode: a power of two */
    struct fan_out_session *sessions;
    struct fan_out_write *writes; /* the ring of znode 0, that of znode 1, … */
    _Atomic bool *written;        /* of each znode: a write of it was published */
};

struct fan_out *fan_out_lay_out(const struct load_plan *plan, struct load_worker *workers,
                                struct shared_layout *layout);

/* A read that leaves a watch was answered: it has read this version. */
void fan_out_watch(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version);

/* A write was answered: it has made this version. Does nothing if the ring holds a later write in
 * its place. */
void fan_out_publish(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version,
                     uint64_t sent_ns, bool measured);

/* The session was notified of a change of the znode's data, at a time that is not 0; or of
 * something that no write of the load has caused. */
void fan_out_notify(struct fan_out *fan_out, uint32_t session, uint32_t znode, uint64_t come_ns);
void fan_out_notify_other(struct fan_out *fan_out, uint32_t session);

/* Looks for the writes of what waits in the session's list. */
void fan_out_retry(struct fan_out *fan_out, uint32_t session);

/* The session has lost its connection: it does not know what its watches are of. */
void fan_out_forget(struct fan_out *fan_out, uint32_t session);

/* The session is notified no more, and all writes were published: empties its list. */
void fan_out_settle(struct fan_out *fan_out, uint32_t session);

/* Once, when all sessions are settled: counts the writes that the rings still hold. */
void fan_out_close(struct fan_out *fan_out, struct fan_out_counts *counts);

/* ------------------------------------------------------------------ outages
 *
 * What the sessions find out about faults of the servers: how soon after a fault an operation is
 * completed (answered as foreseen), how long none is, and how many are in each tenth of a second.
 * Times are since the measured time began. A millisecond without a completed operation is silent.
 *
 * Invariant: recording neither allocates nor locks; all sessions may record at once. */

/* In the coordinator's hands. */
struct outages_fault {
    uint64_t began_ns; /* what is timed begins here */
    uint64_t ended_ns; /* what was sent from here on was sent after the fault */
};

struct outages {
    const struct load_plan *plan;
    _Atomic uint32_t begun; /* faults that the sessions know of */
    struct outages_fault *faults;
    /* For each worker, one behind the other: */
    _Atomic uint64_t (*first_ns)[OUTAGES_KINDS]; /* of each fault: +1; 0: none yet */
    _Atomic uint64_t (*loud)[OUTAGES_KINDS];     /* a bit for each millisecond */
    _Atomic uint64_t (*samples)[OUTAGES_KINDS];
};

struct outages *outages_lay_out(const struct load_plan *plan, struct shared_layout *layout);

/* The next fault has happened. For the coordinator; at most as often as the plan has faults. */
void outages_begin(struct outages *outages, uint64_t began_ns, uint64_t ended_ns);

/* An operation was completed by a session of this worker. */
void outages_record(struct outages *outages, uint32_t worker, bool reads, uint64_t sent_ns,
                    uint64_t now_ns);

/* From the beginning of a fault to the first completion of an operation that was sent after the
 * fault, and before the next one; UINT64_MAX: there was none. */
uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind);

/* The longest silence between these two, in whole milliseconds. */
uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind);

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

/* ------------------------------------------------------------------ schedule
 *
 * When a session is to send each of its operations, at an offered rate. Each draws its own due
 * times, and all together offer the rate: constant times interleave; the sum of independent Poisson
 * processes is one. No due time depends on a reply (an open system).
 *
 * Invariant: due times never go back, and depend on the seed alone. */

struct schedule {
    uint64_t due_ns; /* of the next operation */
    uint64_t start_ns;
    uint64_t rate_per_s; /* of all sessions together; not 0 */
    uint32_t sessions;
    bool poisson;          /* else at constant distances */
    uint64_t number;       /* constant: of the next operation, among those of all sessions */
    double since_start_ns; /* Poisson: due_ns, but in fractions */
    struct random random;
};

void schedule_init(struct schedule *schedule, uint64_t rate_per_s, bool poisson, uint32_t session,
                   uint32_t sessions, uint64_t start_ns, uint64_t seed);

/* The operation of due_ns is sent or given up: due_ns is the next one's. */
void schedule_advance(struct schedule *schedule);

/* Gives up all operations that are due before until_ns, and returns how many they are. At constant
 * distances that takes no time; at random, a draw for each. */
uint64_t schedule_skip(struct schedule *schedule, uint64_t until_ns);

/* ------------------------------------------------------------------ session
 *
 * A session that sends a mix of requests, in a closed loop or at an offered rate: a kind of actor
 * (fleet/actor.h) on struct load_shared. The coordinator leads all of them together through four
 * orders, and a session that has done one counts itself among those that rest:
 *
 *   LAY_OUT  creates its share of the data znodes, some together in a multi, and a folder for the
 *            znodes that it will create
 *   START    sends operations until the load's end, and then waits for the replies; a session
 *            without a connection stops at STOP
 *   STOP     sends no further operation
 *   CLEAR    deletes its znodes
 *
 * What is notified after ORDER_REPORT, such as the znodes that are deleted, is not counted.
 *
 * At each reply, and at each alarm of its schedule, the session sends as many operations as are due
 * and as its depth allows; what is due beyond that is sent as soon as a reply makes room, and its
 * response time begins when it was due. An UNLOCK follows a TRYLOCK that succeeded as the next
 * operation, within the depth. The ASYNC_DELETE of a CREATE_DELETE is sent before anything else, on
 * top of the depth. Replies come in order: while the oldest ASYNC_DELETE is outstanding, only
 * creates can be answered that were outstanding before it, so at most as many of them are
 * outstanding as operations may be (mix_requests).
 *
 * Invariant: every operation that was sent is answered before the session rests. A DELETE deletes a
 * znode that a CREATE has created before, and before CLEAR none is deleted twice; the same holds of
 * CREATE_DELETE and ASYNC_DELETE. */

enum load_order {
    LOAD_ORDER_LAY_OUT = ORDER_OWN,
    LOAD_ORDER_START,
    LOAD_ORDER_STOP,
    LOAD_ORDER_CLEAR,
};

enum load_session_state {
    LOAD_IDLE,
    LOAD_LAYING_OUT,
    LOAD_SENDING,
    LOAD_DRAINING, /* sends nothing more, and waits for the replies */
    LOAD_CLEARING,
    LOAD_LOST,
    LOAD_READ /* the last readings are taken: the rest counts nowhere */
};

/* What the session asks for, and has asked for. */
struct load_requests {
    struct random random;
    uint64_t seed;               /* of the operations of an offered rate */
    uint64_t created;            /* znodes of its own that it has sent a create for */
    uint64_t deleted;            /* of those: that it has sent a delete for */
    uint64_t deletes_owed;       /* drawn when there was nothing to delete */
    uint64_t pairs;              /* znodes that it has sent a CREATE_DELETE for */
    uint64_t pairs_answered;     /* of those: in their order */
    char folder[LOAD_PATH_SIZE]; /* of the znodes that it creates */
    char child[LOAD_PATH_SIZE];  /* one of these: the digits at its end change */
    char pair[LOAD_PATH_SIZE];   /* the same, of a CREATE_DELETE */
    char lock[LOAD_PATH_SIZE];
};

struct load_session {
    struct actor actor;
    struct load_shared *load;
    struct load_worker *worker; /* where it counts */
    uint32_t process;           /* the worker's number */
    struct load_requests requests;
    uint64_t chores_sent; /* of the present LAY_OUT or CLEAR: of its data znodes, and the folder */
    enum load_session_state state;
    struct schedule schedule; /* at an offered rate */
    bool alarmed;             /* the alarm is set for the next due time */
    bool blocked;       /* `depth` are outstanding, or it has no connection: what is due waits */
    uint64_t looked_ns; /* when the driver last found the session not blocked, with work due */
    uint32_t async_deletes;   /* ASYNC_DELETEs outstanding */
    uint32_t unlocks_due;     /* tries that got the lock, and have yet to give it up */
    uint64_t operations_sent; /* and their replies, of a load that leaves watches */
    uint64_t operations_replied;
    bool settled; /* what it is notified of from here on counts nowhere */
};

extern const struct actor_ops load_session_ops;

void load_requests_init(struct load_session *session, uint64_t seed);

/* At an offered rate: what is drawn next is for the operation of this number of the schedule. So an
 * operation depends on the seed and on its number, and not on how many before it were given up. */
void load_requests_seek(struct load_session *session, uint64_t number);

/* The kind of the next operation of the mix. */
enum load_kind load_requests_draw(struct load_session *session);

/* Submits a request of this kind. An ASYNC_DELETE deletes the znode of the last of pairs_answered.
 * *sent: what the fan-out has to know of it, without the time. */
void load_requests_submit(struct load_session *session, enum load_kind kind, uint64_t tag,
                          struct load_sent *sent);

/* A create of a znode with a value of the load; valid as long as the path. */
struct request load_requests_create(const struct load_session *session, const char *path);

/* Whether a znode that a CREATE has created may be left; the delete of the oldest, which is valid
 * until the next request is made. */
bool load_requests_has_own(const struct load_session *session);
struct request load_requests_delete_own(struct load_session *session);

/* The tag of a request (client/client.h) is what the operation is, and when it was due: nothing is
 * allocated or looked up when the reply comes. */
#define LOAD_TAG_KIND_BITS 4
_Static_assert(LOAD_KINDS <= 1 << LOAD_TAG_KIND_BITS, "a kind fits in its bits of a tag");

static inline enum load_kind load_tag_kind(uint64_t tag)
{
    return (enum load_kind)(tag & ((1U << LOAD_TAG_KIND_BITS) - 1));
}

static inline uint64_t load_tag_due_ns(const struct load_shared *load, uint64_t tag)
{
    return load->starts_ns + (tag >> LOAD_TAG_KIND_BITS);
}

/* Counts and times a reply to an operation. Rates are of what was answered in a window, and
 * latencies of what was due in it. */
void load_meter_replied(const struct load_session *session, const struct client_reply *reply,
                        uint64_t now_ns);

/* An operation that was due at due_ns is sent now. The driver is late by the time until it looked;
 * or the servers have delayed the operation. */
void load_meter_late(const struct load_session *session, uint64_t due_ns, uint64_t looked_ns,
                     uint64_t now_ns);
void load_meter_delayed(const struct load_session *session, uint64_t due_ns);

/* ------------------------------------------------------------------ faults
 *
 * Kills private servers and starts them again while a load runs, and looks when they are back. For
 * the coordinator: a turn kills or starts servers, or asks one server what it is (srvr), which
 * takes a few milliseconds. Before a kill all servers are asked.
 *
 * Invariant: a kill leaves a quorum of servers that serve; a fault that finds no such server waits
 * until there is one, until the next fault is due, or until the measured time ends: then it is not
 * carried out, and the result says why. */

/* How often a server is asked that is looked for, about. */
#define LOAD_FAULTS_LOOK_NS (10 * NS_PER_MS)

/* What a server was last asked for. */
struct load_faults_look {
    bool awaited;        /* it was started, and has not been seen to serve */
    uint32_t fault;      /* that has started it */
    uint64_t in_vain_ns; /* when it last was asked in vain, on the loop's clock; 0: not yet */
};

struct load_faults {
    const struct load_plan *plan;
    struct ensemble *ensemble;
    struct outages *outages;
    struct load_fault_result *results;     /* of every fault of the plan; the caller's */
    uint64_t measures_ns;                  /* the measured time of the loop's clock; UINT64_MAX: */
    uint64_t settles_ns;                   /* not known yet */
    uint32_t next;                         /* fault */
    bool was_killed[ENSEMBLE_SERVERS_MAX]; /* ever */
    struct load_faults_look looks[ENSEMBLE_SERVERS_MAX];
    bool leaderless;   /* a leader was killed, and no other was seen to lead */
    uint32_t orphaned; /* the fault that has killed it */
    uint32_t asked;    /* the server that was asked last */
    uint64_t words;    /* four-letter words that servers were asked, answered or not */
    uint64_t turned_ns;
};

/* results: as many as the plan has faults. */
void load_faults_init(struct load_faults *faults, const struct load_plan *plan,
                      struct ensemble *ensemble, struct outages *outages,
                      struct load_fault_result *results);

/* When the next turn is due; UINT64_MAX: never. */
uint64_t load_faults_due_ns(const struct load_faults *faults);

/* Does what is due at this time. Errors of ensemble_kill and ensemble_restart. */
MUST_CHECK enum error_kind load_faults_turn(struct load_faults *faults, uint64_t now_ns,
                                            struct error *error);

/* When no session records any more: completes the results, and marks each server of the faults that
 * were carried out. */
void load_faults_take(struct load_faults *faults, struct load_marks *marks);

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
    struct sim *sim;             /* of a simulated load; else NULL */
    struct setup_session *setup; /* the host's, or the simulation's own */
    struct server_counters counters;
    struct load_shared *load; /* the result's */
    struct load_result *result;
    struct load_faults faults;
    struct workers workers;
    bool are_working; /* the workers */
    bool has_root;    /* the trial's root znode exists */
    struct watchdog watchdog;
    struct error error; /* the watchdog's */
    struct load_progress progress;
    uint64_t shown_ns; /* the last progress, on the host's clock */
    struct server_counters_reading at_start;
    uint64_t started_ns; /* when that was taken, of the loop's time */
    /* The longest that this process did not run in the measured time: what it reads at the end of
     * a second, of the servers' and of the workers' CPU, is late then. */
    uint64_t absent_ns;
    enum fleet_end end; /* how it has gone so far */
};

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
