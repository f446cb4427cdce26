// SPDX-License-Identifier: Apache-2.0
/*
 * meeting: hosts that run the same command meet in ZooKeeper, take their steps together, and notice
 * when one of them is gone. Layer: hosts.
 *
 * A member is the ephemeral znode of a host. Its data is the host's last word: a step, the host's
 * name, and a text. Nothing else is said, no clock is compared, and nothing stays:
 *
 *   /lab                          the place, of --meet
 *   /lab/8b1a9953c4611296-02      the member of rank 2 with the settings of this digest
 *   /lab/8b1a9953c4611296-02-0    a part of that host's record
 *
 * A host takes the lowest rank whose member it can create. Sequential znodes would have it list and
 * sort them, and do so again for each that a killed host has left: a name is a claim by itself. A
 * host that was killed while the hosts met, or before the first trial, counts until its session
 * ends: then the new ones go apart, once.
 *
 * Rank 0 leads: it watches all members, and the others watch that of rank 0 alone, so a word costs
 * a request and a notification of each host that it is for. A trial is a double barrier:
 *
 *   rank 0                                       the others
 *   TRIAL, with what to do                 --->
 *                                          <---  OPEN: the sessions are established
 *   (reads the servers' counters)
 *   GO                                     --->
 *                                          <---  BEGUN: has received GO
 *                                          <---  REST: all requests are answered
 *   (reads the counters again)
 *   READ                                   --->
 *                                          <---  SENT: the record, in parts; has cleared its znodes
 *   (adds up) the next TRIAL, or END       --->
 *   (writes its results) LAST              --->  (go)
 *
 * A host that goes takes its member along: rank 0 is notified of another's, and says END to those
 * that are left; they are notified of rank 0's. Invariant: words only grow; once `why` is set it
 * stays, and no step is taken any more.
 */
#ifndef HOSTS_MEETING_H
#define HOSTS_MEETING_H

#include "fleet/setup_session.h"
#include "measure/tally.h"

#define MEETING_HOSTS_MAX 100 /* the last one asks for as many ranks */
#define MEETING_PATH_SIZE 400
#define MEETING_NAME_SIZE 80

enum meeting_step {
    MEETING_COME, /* with the settings */
    MEETING_MET,
    MEETING_TRIAL,
    MEETING_OPEN,
    MEETING_GO,
    MEETING_BEGUN,
    MEETING_REST,
    MEETING_READ,
    MEETING_SENT,
    MEETING_STEPS,
    MEETING_END = 1 << 30, /* with an exit status, and why: no trial follows */
    MEETING_LAST           /* the same, of rank 0: it has written its results */
};

struct meeting_member {
    char path[MEETING_PATH_SIZE];
    char name[MEETING_NAME_SIZE]; /* the host's, and the number of the process: "node3:4711" */
    uint32_t word;                /* the last one: its step, and the number of the trial */
    char *data;                   /* with the last word; NULL: not read yet */
    const char *text;             /* that of the last word, in `data` */
    bool changed;                 /* since it was read, or to be read again before all have met */
    bool is_gone;
};

/* What the pointers are to must last as long as the meeting. */
struct meeting_plan {
    const struct connect_string *servers; /* their chroot is the place */
    uint32_t hosts;                       /* 1 to MEETING_HOSTS_MAX */
    uint64_t timeout_ns;                  /* the longest wait for them */
    const char *settings; /* the same on all hosts: lines of a name, a blank, and a value */
    int interrupts;       /* a descriptor of signals, or -1 */
};

struct meeting {
    struct meeting_plan plan;
    struct setup_session *session;  /* with the meeting place */
    struct meeting_member *members; /* by rank */
    char name[MEETING_NAME_SIZE];   /* this host's */
    uint32_t rank;
    struct meeting_member *heard; /* the members that this host watches */
    uint32_t heard_count;
    bool has_come, has_met; /* this host has a member; all have */
    uint32_t trial;         /* from 1; 0 before the first */
    struct tally spent;     /* by this host for words, since the owner has set it to 0 */
    char why[480];          /* the hosts are not, or no longer, together; "": they are */
};

/* ------------------------------------------------------------------ together, and apart */

/* Waits for as many hosts with these settings. *meeting is the caller's to meeting_leave.
 * ERROR_NOT_MET says how many came and who else waits at the place; ERROR_NO_CHROOT: a znode above
 * the place is missing; ERROR_INTERRUPTED, ERROR_APART, and errors of setup_session_new. */
MUST_CHECK enum error_kind meeting_join(const struct meeting_plan *plan, struct meeting **meeting,
                                        struct error *error);

/* Says END or LAST, with an exit status and why the hosts have gone apart. */
void meeting_end(struct meeting *meeting, enum meeting_step step, int status);

/* Rank 0 says LAST, and waits until the others have gone; they wait for that, and say END before if
 * it is they who end; at most until a session would have ended. Deletes the place if zkherd has
 * made it and nobody is left there. Returns the exit status: that of rank 0 if this host has heard
 * it; MEETING_LOST: rank 0 has gone without a word. NULL is fine. */
#define MEETING_LOST (-1)
int meeting_leave(struct meeting *meeting, int status);

/* The hosts go apart, for a reason of the caller's. */
void meeting_break(struct meeting *meeting, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ------------------------------------------------------------------ steps */

/* Reads what has been said. Whether all hosts are still there, and this one has kept its connection
 * to the place. context: a struct meeting (see struct fleet_host). */
bool meeting_stands(void *context);

/* Says that this host has reached a step: of the next trial with TRIAL, else of the present one. */
void meeting_say(struct meeting *meeting, enum meeting_step step, const char *text);

/* Whether rank 0 has reached a step of its own; for rank 0, whether all others have one of theirs.
 * As of the last meeting_stands. */
bool meeting_has(const struct meeting *meeting, enum meeting_step step);

/* Waits for that where no other loop turns, TRIAL being that of the next one. ERROR_INTERRUPTED;
 * ERROR_APART: the hosts have gone apart. */
MUST_CHECK enum error_kind meeting_await(struct meeting *meeting, enum meeting_step step,
                                         struct error *error);

/* Sends this host's record to rank 0. The text of SENT, afterwards, is its count. */
void meeting_send(struct meeting *meeting, const uint64_t *numbers, size_t count);

/* The record of a host that has SENT, whose znodes it deletes: *count numbers, the caller's to
 * free. If one is missing or damaged, the hosts have gone apart. */
uint64_t *meeting_take(struct meeting *meeting, uint32_t rank, size_t *count);

/* Whether the meeting's session is with one of these servers, whose hosts are addresses. */
bool meeting_is_at(const struct meeting *meeting, const struct connect_string *servers);

#endif
