// SPDX-License-Identifier: Apache-2.0
/*
 * load session: a session that sends a mix of requests, in a closed loop or at an offered rate: an
 * actor of a fleet whose kind is struct load_shared. Layer: load.
 *
 * The coordinator gives all of them four orders (enum load_order), and a session that has done one
 * counts itself among those that rest. What is notified after ORDER_REPORT, such as the znodes that
 * are deleted, is not counted.
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
 * CREATE_DELETE and ASYNC_DELETE.
 */
#ifndef LOAD_LOAD_SESSION_H
#define LOAD_LOAD_SESSION_H

#include "base/random.h"
#include "fleet/actor.h"
#include "load/load_result.h"

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

/* The operation of due_ns is sent or given up: goes on to the next. */
void schedule_advance(struct schedule *schedule);

/* Gives up all operations that are due before until_ns, and returns how many they are. At constant
 * distances that takes no time; at random, a draw for each. */
uint64_t schedule_skip(struct schedule *schedule, uint64_t until_ns);

/* ------------------------------------------------------------------ session */

enum load_order {
    LOAD_ORDER_LAY_OUT = ORDER_OWN, /* creates its data znodes, some in a multi, and a folder */
    LOAD_ORDER_START, /* sends until the load's end (unconnected: until STOP), awaits replies */
    LOAD_ORDER_STOP,  /* sends no further operation */
    LOAD_ORDER_CLEAR, /* deletes its znodes */
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
    bool has_ended; /* what it is notified of from here on counts nowhere */
};

extern const struct actor_ops load_session_ops;

void load_requests_init(struct load_session *session, uint64_t seed);

/* At an offered rate: what is drawn next is for the operation of this number of the schedule. So an
 * operation depends on the seed and on its number, and not on how many before it were given up. */
void load_requests_seek(struct load_session *session, uint64_t number);

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

/* An operation due at due_ns is sent now: the driver is late by the time until it looked. */
void load_session_record_lag(const struct load_session *session, uint64_t due_ns,
                             uint64_t looked_ns, uint64_t now_ns);

#endif
