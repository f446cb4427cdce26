// SPDX-License-Identifier: Apache-2.0
/*
 * load session: a session that sends a mix of requests, in a closed loop or at an offered rate.
 * Layer: load. A kind of actor (fleet/actor.h); its memory is struct load_shared.
 *
 * The coordinator leads all load sessions together through four orders, and a session that has done
 * an order counts itself among those that rest:
 *
 *   LAY_OUT  creates its share of the data znodes, some together in a multi, and a folder for the
 *            znodes that it will create
 *   START    sends operations until the load's end, and then waits for the replies; a session
 *            without a connection stops at STOP
 *   STOP     sends no further operation
 *   CLEAR    deletes its znodes
 *
 * ORDER_REPORT comes when all have their replies and their notifications: a session counts no
 * notification that comes later, such as those of the znodes that are deleted.
 *
 * At each reply, and at each alarm of its schedule, the session sends as many operations as are due
 * and as its depth allows. An operation that is due while as many as its depth are outstanding is
 * sent as soon as one of these has been answered; its response time begins when it was due.
 *
 * An UNLOCK and an ASYNC_DELETE follow from an operation that has succeeded. The UNLOCK is the next
 * operation, within the depth. The ASYNC_DELETE is sent before anything else is, on top of the
 * depth, so no operation waits for it. Replies come in order: while the oldest ASYNC_DELETE is
 * outstanding, only creates can be answered that were outstanding before it, and so at most as many
 * of them are outstanding as operations may be (mix_requests).
 *
 * Invariant: every operation that was sent is answered before the session rests, and a znode that
 * it deletes is one that it has created. Before CLEAR it deletes no znode twice.
 */
#ifndef LOAD_LOAD_SESSION_H
#define LOAD_LOAD_SESSION_H

#include "fleet/actor.h"
#include "load/load_chores.h"
#include "load/load_meter.h"
#include "load/load_requests.h"
#include "load/load_shared.h"
#include "load/load_watches.h"
#include "load/schedule.h"

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

struct load_session {
    struct actor actor;
    struct load_shared *load;
    struct load_meter meter;
    struct load_requests requests;
    struct load_chores chores; /* of the present LAY_OUT or CLEAR */
    enum load_session_state state;
    struct schedule schedule; /* at an offered rate */
    bool alarmed;             /* the alarm is set for the next due time */
    bool blocked;       /* `depth` are outstanding, or it has no connection: what is due waits */
    uint64_t looked_ns; /* when the driver last found the session not blocked, with work due */
    uint32_t async_deletes; /* ASYNC_DELETEs outstanding */
    uint32_t unlocks_due;   /* tries that got the lock, and have yet to give it up */
    struct load_watches watches;
    bool settled; /* what it is notified of from here on counts nowhere */
};

extern const struct actor_ops load_session_ops;

#endif
