// SPDX-License-Identifier: Apache-2.0
/*
 * rename: recorded paths as paths below another root. Layer: relay.
 *
 * A server chooses the last digits of a sequential znode's name, so a znode that is made again has
 * another name. The names of the recording wait for theirs until they are settled.
 *
 * Invariant: no path below the old root becomes one that is not below the new one.
 */
#ifndef RELAY_RENAME_H
#define RELAY_RENAME_H

#include "wire/fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A tree of tsearch; NULL: no name. */
typedef void *rename_names;

/* Adds a name of the recording, unless it is there: the path of a sequential znode. */
void rename_add(rename_names *names, const char *path, size_t length);

/* Settles a name: `actual` is the znode's path now, without the root; NULL: there is none, and the
 * name stays. Does nothing for a path that was not added. */
void rename_settle(rename_names *names, const char *path, size_t length, const char *actual,
                   size_t actual_length);

/* The path now, without the root: that of the longest settled part, and the rest. The caller's to
 * free. *waits: whether a part of it is not settled yet. */
char *rename_path(const rename_names *names, const char *path, size_t length, bool *waits);

void rename_free(rename_names *names);

/* ------------------------------------------------------------------ whole messages */

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
bool rename_message(const rename_names *names, const char *root, uint64_t speed_percent,
                    const struct rename_session *session, const struct fields_message *message,
                    struct rename_message *out);

#endif
