// SPDX-License-Identifier: Apache-2.0
/*
 * load_watches: the part of a load session that leaves watches: reports to the fan-out which
 * versions the session has read and written, and what it is notified of. Layer: load, below
 * load_session.
 *
 * Invariant: operations and their replies are reported in the order of the operations, each once.
 * In a load that leaves no watches nothing here does anything.
 */
#ifndef LOAD_LOAD_WATCHES_H
#define LOAD_LOAD_WATCHES_H

#include "client/client.h"
#include "load/load_shared.h"

#include <stdbool.h>
#include <stdint.h>

struct load_watches {
    struct load_shared *load;
    uint32_t session;
    uint64_t sent;    /* operations */
    uint64_t replied; /* of those */
};

void load_watches_init(struct load_watches *watches, struct load_shared *load, uint32_t session);

/* An operation was sent. */
void load_watches_sent(struct load_watches *watches, struct load_sent sent);

/* It has its reply. measured: it was due in the measured time. */
void load_watches_replied(struct load_watches *watches, const struct client_reply *reply,
                          bool measured);

/* A watch on the znode of this path has fired. */
void load_watches_notified(const struct load_watches *watches, enum client_event event,
                           const char *path, uint64_t now_ns);

/* The session has no connection. */
void load_watches_lost(const struct load_watches *watches);

/* Nothing of the above is reported any more. */
void load_watches_settle(const struct load_watches *watches);

#endif
