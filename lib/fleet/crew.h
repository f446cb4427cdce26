// SPDX-License-Identifier: Apache-2.0
/*
 * crew: the sessions of a fleet on many hosts. Layer: fleet, above meeting and below workers.
 *
 * Every host lays out the memory of the same plan and runs its own part of the worker processes; it
 * is led by what the run writes to its memory: phases, commands, inquiries. So there are two halves
 * that bring these to each other through the meeting place (fleet/meeting.h):
 *
 *   the run's (crew_…)   writes an order when the run has changed its memory, and puts what the
 *                        hosts tell there, as if the workers had written it
 *   a host's (host_…)    carries an order out in its own memory, tells how far its workers are,
 *                        and sends what they have counted when they have reported
 *
 * A time of the run is told as a distance from now, and counts from its receipt: no clock is
 * compared. Results are records of memory, compressed, in chunks, with a digest: the run copies
 * them to the same places of its own memory, and adds up as it does for its own workers.
 *
 * Invariant: the load of a host that has gone is moved to no other: the run's part ends with
 * END_GONE, and what the host had told stays in that trial, which is not valid.
 */
#ifndef FLEET_CREW_H
#define FLEET_CREW_H

#include "base/error.h"
#include "base/memory.h"
#include "fleet/meeting.h"
#include "fleet/shared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fleet;

/* ------------------------------------------------------------------ a kind of fleet
 *
 * What hosts have to know of a kind of actor (fleet/actor.h) and its memory: `kind` is that of
 * struct fleet. */

#define CREW_LIVE_MAX  80
#define CREW_TIMES_MAX 5
#define CREW_WORDS_MAX 16

/* A piece of memory in which the workers of one process alone write. */
struct crew_part {
    void *place;
    size_t size_bytes;
    bool empty; /* nothing has been written there: it need not be sent */
};

struct crew_kind {
    const char *name;
    /* Adds what the kind's plan and its parts look like in this program: hosts for which that is
     * another text would misread them. */
    void (*mean)(struct growing_text *text);
    /* The part of this process and number, from 0; false behind the last. */
    bool (*part)(void *kind, uint32_t process, size_t index, struct crew_part *part);
    /* In the run: whether all that the parts of this process have brought, as an index or a text,
     * is what a worker writes there; NULL: there is none. */
    bool (*is_sound)(void *kind, uint32_t process);
    /* When its parts are sent: with the reports to an inquiry (there is one), or with the last
     * readings. */
    bool ends_with_report;
    /* The times of the run, UINT64_MAX where one is not known yet; NULL: it has none, and so
     * below. */
    void (*get_times)(const void *kind, uint64_t times_ns[CREW_TIMES_MAX]);
    /* False, and nothing is changed: the plan has no such times. */
    bool (*put_times)(void *kind, const uint64_t times_ns[CREW_TIMES_MAX]);
    /* The rests so far: each session adds one when it has carried out a command; NULL: nobody asks.
     */
    _Atomic uint32_t *(*rests)(void *kind);
    /* On a host, about 50 times a second: what it tells while the run goes on, of all its
     * processes, from `first` on; they have used so much CPU time. */
    void (*tell)(void *kind, uint32_t first, uint32_t count, uint64_t cpu_ns,
                 uint64_t live[CREW_LIVE_MAX]);
    /* In the run: puts that in the place of the host's first process. False, and nothing is
     * changed: no worker tells that. */
    bool (*hear)(void *kind, uint32_t first, const uint64_t live[CREW_LIVE_MAX]);
    /* While all of a fleet rests that is led in steps (crew_share). get_words, in the run: the
     * words of its memory that all hosts are to have. put_words, on a host that has these
     * processes: writes them there; false, and nothing is changed: no run has such words. */
    void (*get_words)(const void *kind, uint64_t words[CREW_WORDS_MAX]);
    bool (*put_words)(void *kind, uint32_t first, uint32_t count,
                      const uint64_t words[CREW_WORDS_MAX]);
    /* In the run, when the parts of a process have come: adds shift_ns, which may wrap, to the
     * times in them. They are by its host's clock, and about by the run's then. */
    void (*shift)(void *kind, uint32_t process, uint64_t shift_ns);
    /* The requests a second that the plan offers; 0, and NULL: as fast as they are answered. */
    uint64_t (*rate_per_s)(const void *kind);
    /* On a host: reads a plan that the run has written (struct fleet), with these servers and this
     * root, for processes from `here_first` on, and lays out its memory; `close` frees all of it.
     * False if that is no plan. ERROR_NO_MEMORY. */
    enum error_kind (*open)(const char *text, const struct fleet_plan *here, const char *root,
                            struct fleet *fleet, struct error *error);
    void (*close)(struct fleet *fleet);
};

/* The digest of what the records of these kinds, NULL behind the last, mean in this program. */
void crew_meaning(const struct crew_kind *const *kinds, char digest[SHA256_TEXT_SIZE]);

/* ------------------------------------------------------------------ the run's half */

/* A member that takes part, and its worker processes. */
struct crew_seat {
    struct meeting_member member;
    uint32_t first, count;
};

struct crew;

/* Joins the meeting place and leads its members: ERROR_LED if another run does. What runs
 * that have gone left is removed; with credentials on no servers but the measured ones. `who`: this
 * run, in words. kinds: as in crew_meaning. *crew is the caller's to crew_close. */
MUST_CHECK enum error_kind crew_open(const struct connect_string *place,
                                     const struct connect_string *measured, const char *who,
                                     const struct crew_kind *const *kinds, int interrupts,
                                     struct crew **crew, struct error *error);

/* Says which root znode on these servers is to be removed if the run dies before its first job;
 * jobs say the same then. To be called before the znode is made. */
MUST_CHECK enum error_kind crew_announce(struct crew *crew, const struct connect_string *servers,
                                         const char *root, struct error *error);

/* To be called when the run has removed its znodes on the measured servers: hosts remove them if it
 * dies before that. NULL is fine. */
void crew_close(struct crew *crew);

/* Chooses the members that take part in the next trials, at most `most`: those that have joined
 * first. Waits for `least` of them, and for those that have yet to end their last job, for wait_ns
 * at most: ERROR_FEW_WORKERS, which says why others cannot take part. */
MUST_CHECK enum error_kind crew_gather(struct crew *crew, uint32_t least, uint32_t most,
                                       uint64_t wait_ns, struct error *error);

/* One of those that were chosen, from 0; NULL behind the last. */
const struct crew_seat *crew_seat(const struct crew *crew, uint32_t index);

/* Shares so many sessions out, and returns the worker processes of all hosts. */
uint32_t crew_processes(struct crew *crew, uint32_t sessions);
double crew_cores(const struct crew *crew);

/* Why a host has gone, in words: "" while all are there. Gone is also one that has given up, or has
 * told what is not to be believed; crew_has_died: the first was none of these. */
const char *crew_gone(const struct crew *crew);
bool crew_has_died(const struct crew *crew);

/* How many members there are that can take part, now or when they have ended their last job. */
MUST_CHECK enum error_kind crew_left(struct crew *crew, uint32_t *left, struct error *error);

/* The clock of the host whose first process this is, minus this one (CLOCK_MONOTONIC of both): it
 * is between these two. Each order that comes to the host says that the host's clock showed its
 * time of receipt after the order was written here, and before the answer was read. False: it has
 * had no order. */
bool crew_clock(const struct crew *crew, uint32_t first, int64_t *low_ns, int64_t *high_ns);

/* The longest that a host can have begun after another: from the order to start until the last of
 * them had told that it came; 0 before that. */
uint64_t crew_spread_ns(const struct crew *crew);

/* When the last of them can have begun, by this host's clock; the order to start has been written.
 */
uint64_t crew_begun_ns(const struct crew *crew);

/* The requests that this run and its hosts have sent to the meeting place for the present job. */
uint64_t crew_requests(const struct crew *crew);

/* ------------------------------------------------------------------ on the measured servers
 *
 * Where the meeting place is on the servers that are measured, these count what the meeting sends
 * as well. Its sessions count that, too, and server_counters_read subtracts it. */

/* Looks whether the measured servers, on which this session has a mark, are those of the meeting
 * place, whatever their names are. Before this call crew_is_measured is false. */
MUST_CHECK enum error_kind crew_look_for(struct crew *crew, const struct setup_session *measured,
                                         struct error *error);
bool crew_is_measured(const struct crew *crew);

/* Handles what has arrived, between two trials: while the run waits for something else for longer
 * than some seconds, only such calls keep its session at the meeting place. A loss is the error of
 * the next call that has one. */
void crew_rest(struct crew *crew);

/* Deletes a znode and all below it, as setup_session_delete_tree does, and keeps the session at the
 * meeting place meanwhile: the sessions of a trial that was lost early have left all their znodes.
 * A crew of NULL is fine. */
MUST_CHECK enum error_kind crew_delete_tree(struct crew *crew, struct setup_session *setup,
                                            const char *path, struct error *error);

/* Orders all hosts to be quiet, and waits until each has answered: until the next order they send
 * nothing but pings. *traffic: of the run and its hosts for the present job. A host that does not
 * answer in 20 s has gone. ERROR_INTERRUPTED, ERROR_MEETING_LOST. */
MUST_CHECK enum error_kind crew_hush(struct crew *crew, struct sync_session_traffic *traffic,
                                     struct error *error);
MUST_CHECK enum error_kind crew_unhush(struct crew *crew, struct error *error);

/* The number of the meeting's sessions: the run's, and one for each member that there was when the
 * job began; and the most pings that these can have sent since a time. */
uint64_t crew_sessions(const struct crew *crew);
uint64_t crew_pings(const struct crew *crew, uint64_t since_ns);

/* ------------------------------------------------------------------ for workers.c */

/* Gives the job of this fleet to the members that were chosen. */
MUST_CHECK enum error_kind crew_begin(struct crew *crew, const struct fleet *fleet,
                                      struct error *error);

/* Brings orders to the hosts, and what they tell to the fleet's memory. Waits for nothing but
 * replies of the meeting place. */
MUST_CHECK enum error_kind crew_turn(struct crew *crew, struct error *error);

/* The kind's words are to come to all hosts: crew_has_shared, after some turns, says that all have
 * them. */
void crew_share(struct crew *crew);
bool crew_has_shared(const struct crew *crew);

/* Readable when a host has told something. */
int crew_descriptor(const struct crew *crew);

/* The CPU time that the hosts' workers have used, as they told last. */
uint64_t crew_cpu_ns(const struct crew *crew);

/* Has the hosts end their workers, and waits for that, for most_ns at most. */
void crew_end(struct crew *crew, uint64_t most_ns);

/* ------------------------------------------------------------------ a host's half */

/* What a host lets no job exceed; 0 and an empty list: anything. */
struct host_limits {
    uint64_t max_clients, max_rate;
    struct connect_string only;
};

struct host {
    struct meeting *meeting;
    const struct meeting_member *member;
    const struct host_limits *limits;
    const struct crew_kind *const *kinds;
    int interrupts; /* a descriptor: readable when the host is to go */
    bool once;      /* it serves one run, however many jobs that has */
};

/* Waits until there is a job in which the member has a part, other than the last one, whose name is
 * in `name` before; then it is that of the job, or "" if the run that a host serves once has gone.
 * ERROR_INTERRUPTED and ERROR_MEETING_LOST. */
MUST_CHECK enum error_kind host_await(const struct host *host, char name[MEETING_PATH_SIZE],
                                      struct error *error);

/* Carries out the job: returns ERROR_NONE when the run has ended it, and ERROR_NOT_VALID when it
 * was refused or has ended too early, with the reason. Whatever it returns, its workers have ended.
 * When the run is seen to have gone, its znodes on the measured servers are deleted, if that can be
 * done: `only`, an ACL, or servers that are down may forbid it. */
MUST_CHECK enum error_kind host_serve(const struct host *host, const char *name,
                                      struct error *error);

#endif
