// SPDX-License-Identifier: Apache-2.0
/*
 * load chores: a load session's share of the znodes that a load lays out before it, and clears away
 * after it. Layer: load.
 *
 * Each call submits the next request, whose tag is how many data znodes it creates or deletes; it
 * returns false, and submits nothing, if there is none left. The znodes that a CREATE of the load
 * has created are cleared away too.
 *
 * Invariant: a session lays out and clears away the data znodes whose number is its own, modulo all
 * sessions, and a folder for the znodes that it creates.
 */
#ifndef LOAD_LOAD_CHORES_H
#define LOAD_LOAD_CHORES_H

#include "load/load_requests.h"

struct load_chores {
    struct load_requests *requests;
    uint64_t sent; /* of its data znodes, and then the folder */
};

/* To lay out, or to clear away: from the first znode. requests must outlive the chores. */
void load_chores_begin(struct load_chores *chores, struct load_requests *requests);

bool load_chores_lay_out_next(struct load_chores *chores, struct client *client);
bool load_chores_clear_next(struct load_chores *chores, struct client *client);

#endif
