// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the modules of this folder share. Layer: fleet.
 */
#ifndef FLEET_INTERNAL_H
#define FLEET_INTERNAL_H

#include "base/error.h"
#include "base/text_fields.h"
#include "fleet/actor.h"
#include "fleet/crew.h"
#include "fleet/fleet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------ timers
 *
 * Alarms of many owners, on one timerfd. epoll waits in milliseconds; a timerfd is as fine as the
 * kernel's clock. The alarms are in a binary heap: setting an alarm and ringing one take O(log n).
 *
 * Invariant: in a batch alarms ring in the order of their due times, equal times in the order in
 * which they were set, and no alarm rings before its time. The timerfd is armed for the earliest,
 * by a system call only when that time changes. */

struct alarm {
    uint64_t due_ns; /* of the monotonic clock */
    uint64_t order;  /* the number of alarms that were set before */
    void *owner;
};

struct timers {
    int descriptor; /* readable when an alarm is due */
    size_t count;   /* alarms in the heap */
    size_t fresh;   /* alarms that were set while others rang; they lie behind the heap */
    size_t capacity;
    struct alarm *heap;
    uint64_t order;
    uint64_t armed_ns; /* the time for which the timerfd is armed; UINT64_MAX: none */
    bool ringing;      /* in timers_ring */
    void (*ring)(void *owner, uint64_t late_ns);
};

/* Timers for at most `capacity` alarms at once. `ring` is called for each alarm that is due, and
 * may set alarms. To be undone by timers_deinit, except after an error. */
MUST_CHECK enum error_kind timers_init(struct timers *timers, size_t capacity,
                                       void (*ring)(void *owner, uint64_t late_ns),
                                       struct error *error);

/* Timers that are all zero are fine. */
void timers_deinit(struct timers *timers);

/* Sets an alarm; there must be room for it. A time that has passed is fine. An alarm cannot be
 * taken back, so its owner must live until it rings. */
void timers_set(struct timers *timers, uint64_t due_ns, void *owner);

/* Rings every alarm that is due. An alarm that is set meanwhile rings in the next call at the
 * earliest, so that an owner that always sets a time that has passed does not keep the loop. */
void timers_ring(struct timers *timers);

/* ------------------------------------------------------------------ workers and runtimes
 *
 * A worker, and the ways of running its actors.
 *
 * With an event loop, all actors run on the worker's only thread. With threads, each actor runs on
 * a thread of its own, and the worker's first thread only opens sessions and passes on orders. In a
 * simulation, all actors and the coordinator run on one thread.
 *
 * Invariant: an actor is used on its own thread only; the runtime brings orders to that thread. */

struct sim;

struct worker {
    struct shared *shared;
    struct shared_worker *place; /* this worker's, in the shared memory */
    const struct actor_ops *ops;
    const struct runtime *runtime;
    void *own;       /* the runtime's */
    struct sim *sim; /* NULL: real servers */
    char *actors;    /* `count` actors of ops->size bytes each */
    uint32_t index;
    uint32_t count;
    uint32_t opened; /* actors whose session is open or opening */
    enum fleet_phase phase;
    uint32_t inquiry; /* the last that was answered */
    uint64_t cpu_at_gate_ns;
    uint64_t turned_ns; /* the host's clock when the worker last looked whether it runs */
};

/* A way of running actors. */
struct runtime {
    /* Makes the runtime's own data, and fills in how alarms are set. */
    enum error_kind (*set_up)(struct worker *worker, struct actor_timer *timer,
                              struct error *error);
    /* Begins to open an actor's session, and fills in its client. */
    enum error_kind (*open)(struct worker *worker, struct actor *actor, const char *hosts,
                            struct error *error);
    /* Has worker_carry_out called on the actor's thread. */
    void (*tell)(struct actor *actor, int order);
    /* Runs the sessions, for most_ns at most; calls worker_woken when the coordinator has woken the
     * worker. */
    enum error_kind (*wait)(struct worker *worker, uint64_t most_ns, struct error *error);
    /* Closes the sessions, until until_ns at most. False if a thread has not ended and still uses
     * its actor. Also called after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

extern const struct runtime runtime_events;
extern const struct runtime runtime_threads;
extern const struct runtime runtime_sim;

/* For the runtimes: in workers.c. */
void worker_carry_out(struct actor *actor, int order);
void worker_woken(void *worker);

/* ------------------------------------------------------------------ what hosts say to each other
 *
 * Texts of base/text_fields.h, and records of memory. */

/* The head of a job's data. After it come as many seats, and the plan. */
struct crew_job {
    uint32_t protocol;
    char meaning[SHA256_TEXT_SIZE];
    char kind[16];
    char servers[CONNECT_TEXT_SIZE]; /* that are measured */
    char root[MEETING_PATH_SIZE];    /* of the trial, on those */
    /* As in struct fleet_plan: */
    uint32_t driver, depth, session_timeout_ms;
    uint64_t timeout_ns, seed;
    uint32_t sessions, processes, hosts;
};

struct crew_job_seat {
    char member[MEETING_NAME_SIZE];
    uint32_t first, count; /* processes */
};

struct crew_order {
    uint64_t serial; /* of the order, from 1 */
    uint32_t phase;  /* enum fleet_phase */
    uint32_t inquiry;
    uint64_t commanded;                /* the serial at which the command was given; 0: none was */
    uint64_t command;                  /* as in struct shared_worker */
    uint64_t times_ns[CREW_TIMES_MAX]; /* from the receipt on; UINT64_MAX: not known */
    uint64_t shared;                   /* the serial at which the words were told; 0: none were */
    bool quiet; /* a host that has answered sends nothing but pings until the next order */
    uint64_t words[CREW_WORDS_MAX];
    uint32_t roles[CONNECT_ENDPOINTS_MAX];
};

/* What a host tells. Counts are of its own sessions and processes. */
struct crew_state {
    uint64_t serial;  /* of the last order that has come */
    uint64_t came_ns; /* and when, of the host's clock */
    uint64_t taken;   /* the last command that the workers have taken, by its serial */
    uint32_t inquiry; /* the last whose reports are written */
    bool final;       /* its parts are sent, in `parts` chunks with this digest */
    uint32_t parts;
    char digest[SHA256_TEXT_SIZE];
    uint64_t reported_ns; /* when they were made, of the host's clock */
    uint32_t established, ready, finished, rests;
    uint64_t busy; /* of a fleet that is led in steps */
    uint64_t lost;
    uint32_t first_lost, first_lost_status, losses;
    uint64_t steps, absent_ns, cpu_ns, rss_kib;
    struct sync_session_traffic traffic; /* for this job, with the write that tells this */
    uint64_t live[CREW_LIVE_MAX];
    bool closed;
    uint32_t error; /* enum error_kind, and the rest of struct error: why the host gives up */
    char subject[256];
    char detail[512];
};

extern const struct text_field crew_job_fields[], crew_job_seat_fields[], crew_order_fields[],
    crew_state_fields[];

/* The path of a job's znode, with /NAME behind it unless name is "". */
void crew_path(const char *job, const char *name, char path[MEETING_PATH_SIZE]);

/* Sends the parts of these processes: creates chunks, whose paths begin with `path`. state: its
 * parts and its digest are set. */
MUST_CHECK enum error_kind crew_parts_send(struct meeting *meeting, const char *path,
                                           const struct fleet *fleet, uint32_t first,
                                           uint32_t count, struct crew_state *state,
                                           struct error *error);

/* Takes what was sent: deletes the chunks, and copies the parts to their places. ERROR_MALFORMED if
 * they are not those of these processes, or of another digest. The places are zero after an error.
 */
MUST_CHECK enum error_kind crew_parts_take(struct meeting *meeting, const char *path,
                                           const struct fleet *fleet, uint32_t first,
                                           uint32_t count, const struct crew_state *state,
                                           struct error *error);

/* ------------------------------------------------------------------ the run's half
 *
 * crew.c orders, crew_states.c reads what hosts tell. */

struct crew_host {
    struct crew_seat seat;
    struct crew_state state; /* as it was told last */
    bool changed;            /* it has told something that is not read yet */
    bool told;               /* anything so far */
    bool gone;
    uint64_t told_ns; /* when the last order had come, as far as is known here */
    bool has_clock;
    int64_t clock_low_ns, clock_high_ns; /* see crew_clock */
};

struct crew {
    struct meeting *meeting;
    char meaning[SHA256_TEXT_SIZE];
    int interrupts;
    struct crew_host *hosts;
    uint32_t count;
    char gone[256]; /* why the first of them has gone; "": all are there */
    bool has_died;  /* its session with the meeting place has ended */
    size_t members; /* at the last look: chosen or not */
    bool is_measured;

    char ended[MEETING_PATH_SIZE]; /* the last job, which is still there; "": there is none */

    /* The present job: */
    struct fleet held; /* its `shared` is NULL: there is none */
    char job[MEETING_PATH_SIZE];
    struct crew_order order; /* as it was written last */
    bool pending;            /* its command is not taken by all whom it is for */
    uint64_t written_ns;     /* when the last order was */
    uint64_t ordered_ns;     /* when the last order was written that has a new time */
    uint64_t timed;          /* its serial; 0: there was none */
    bool shares;             /* the kind's words are to be told */
    uint64_t inquired_ns;    /* when the last inquiry was written, or the order to take readings */
    struct sync_session_traffic before; /* the job, of the run's session */
};

/* The host has gone, or is not to be believed: the trial ends. */
void crew_lose(struct crew *crew, struct crew_host *host, const char *why, bool has_died);

/* A watch has fired: of a host's state, or, if the connection was lost, of any. */
void crew_notified(void *crew, const char *path);

/* Puts into the run's memory what hosts have told, and what they tell until until_ns. */
MUST_CHECK enum error_kind crew_listen(struct crew *crew, uint64_t until_ns, struct error *error);

/* The traffic of the run and its hosts, for the present job. */
struct sync_session_traffic crew_traffic(const struct crew *crew);

/* Whether all hosts that have not gone have ended their workers. */
bool crew_have_closed(const struct crew *crew);

/* ------------------------------------------------------------------ a job that others wrote
 *
 * Invariant: a job is deleted only when there is nothing left of its run on the measured servers,
 * or by a run that begins: for whoever else removes that knows it from the job. */

struct job {
    const char *name;
    struct crew_job head;
    struct crew_job_seat seat; /* this member's, if `mine` */
    bool mine;
    const char *plan;              /* the text of its kind */
    struct connect_string servers; /* with addresses, after job_find_servers */
    char *data;
};

/* Raises ERROR_NOT_VALID: why this host does not take a job. */
MUST_CHECK enum error_kind job_refuse(struct error *error, const char *subject, const char *why);

/* Reads a job's data. *job is the caller's to job_free, whatever is returned; `name` is to live as
 * long. ERROR_NOT_VALID: there is none, or it is no job; `mine` may be true even then. */
MUST_CHECK enum error_kind job_fetch(struct meeting *meeting, const char *name, const char *member,
                                     struct job **job, struct error *error);
void job_free(struct job *job);

/* Sets the servers, for this host's credentials. ERROR_NOT_VALID if one of them is not among `only`
 * (NULL or empty: all are); errors of connect_parse and of resolving a name. */
MUST_CHECK enum error_kind job_find_servers(struct job *job, const struct meeting *meeting,
                                            const struct connect_string *only, struct error *error);

/* Whether a member is still at a job. Leaves a watch on the job's members. */
MUST_CHECK enum error_kind job_is_served(struct meeting *meeting, const char *name, bool *served,
                                         struct error *error);

/* The run has gone: removes its znodes on the measured servers, and then the job. If the first
 * fails the job stays, with the error, unless the caller `insists`. */
MUST_CHECK enum error_kind job_clear_away(struct meeting *meeting, const char *name,
                                          const struct connect_string *only, bool insists,
                                          struct error *error);

#endif
