// SPDX-License-Identifier: Apache-2.0
/*
 * rename: recorded paths as paths below another root, and recorded requests with such paths. Layer:
 * relay.
 *
 * A server chooses the last digits of a sequential znode's name, so a znode that is made again has
 * another name: that of the recording waits until its own is settled.
 *
 * Invariant: no path below the old root becomes one that is not below the new one.
 */
#ifndef RELAY_RENAME_H
#define RELAY_RENAME_H

#include "relay/path_tree.h"
#include "wire/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds the path of a sequential znode of the recording, unless it is there. */
void rename_add(path_tree *names, const char *path, size_t length);

/* Settles such a path: `actual` is the znode's path now, without the root; NULL: there is none, and
 * the name stays. Does nothing for another path. */
void rename_settle(path_tree *names, const char *path, size_t length, const char *actual,
                   size_t actual_length);

void rename_free(path_tree *names);

/* ------------------------------------------------------------------ whole messages */

/* Where, and how fast. */
struct rename_target {
    path_tree names; /* of sequential znodes */
    const char *root;
    uint64_t speed_percent;
};

/* What else is different in a message that is sent again. */
struct rename_session {
    int64_t number;             /* of an opening: the session now; 0: a new one */
    unsigned char password[64]; /* of that session */
    size_t password_length;     /* 0: the recorded one, which is blank */
    int64_t zxid; /* the last that it has seen: in openings, and to set watches again */
};

/* Bytes with their message's length before them. All zero bytes: none; `bytes` is the caller's to
 * free. */
struct rename_message {
    unsigned char *bytes;
    size_t count, room;
};

/* Fills *out with a client's message anew: paths below the root, everybody's permission in place of
 * ACLs, the session, and its time-out divided by the speed. Returns false if a name in it is not
 * settled. */
bool rename_message(const struct rename_target *target, const struct rename_session *session,
                    const struct fields_message *message, struct rename_message *out);

#endif
