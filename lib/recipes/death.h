// SPDX-License-Identifier: Apache-2.0
/*
 * death: the injected failure of one session of a trial. Layer: recipes.
 *
 * A plan may have a death; a recipe may have one for all its trials. It strikes one session of
 * lock 0.
 */
#ifndef RECIPES_DEATH_H
#define RECIPES_DEATH_H

#include <stdint.h>

enum death_how {
    DEATH_NONE,
    DEATH_EXIT,      /* the session is closed: its ephemeral znodes are deleted at once */
    DEATH_CRASH,     /* the connection is cut: the servers expire the session at its timeout */
    DEATH_LOST_REPLY /* the reply to a CREATE is lost, and the session continues */
};

enum death_who {
    DEATH_HOLDER, /* lost reply: the first client that arrives */
    DEATH_WAITER, /* the waiter in the middle of the queue; with two waiters one is behind it. Lost
                     reply: the client in the middle of the arrivals */
    DEATH_WORKER, /* the next client that is granted, in the middle of its work; crash only. With
                     handoff 0: the first client that arrives */
};

struct death {
    enum death_how how;
    enum death_who who;
    uint64_t
        handoff; /* after this many releases; 0: after all arrivals, before the first release */
};

#endif
