// SPDX-License-Identifier: Apache-2.0
/*
 * death: how one session of a trial comes to grief. Layer: recipes.
 *
 * A plan may have a death, and so may a recipe, all of whose trials have it then. It comes to one
 * session of lock 0.
 */
#ifndef RECIPES_DEATH_H
#define RECIPES_DEATH_H

#include <stdint.h>

enum death_how {
    DEATH_NONE,
    DEATH_EXIT,      /* the session is closed in order: its ephemeral znodes go at once */
    DEATH_CRASH,     /* the connection drops without a word: the servers end the session at its
                        timeout */
    DEATH_LOST_REPLY /* nobody dies: the reply to a CREATE is lost, and the session goes on */
};

enum death_who {
    DEATH_HOLDER, /* lost reply: the first who arrives */
    DEATH_WAITER, /* the one in the middle of the line; it takes two who wait for anybody to be
                     behind it. Lost reply: the one in the middle of those who arrive */
    DEATH_WORKER, /* who is granted next, in the middle of its work (struct recipe); crash only.
                     After no release that is the first who arrives */
};

struct death {
    enum death_how how;
    enum death_who who;
    uint64_t handoff; /* after so many releases; 0: when all have arrived, before the first */
};

#endif
