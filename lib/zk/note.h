// SPDX-License-Identifier: Apache-2.0
/*
 * note: a request kept beyond the call that asked for it. Layer: zk, below threads.
 *
 * Invariant: what a note's request points to lies in the note itself; nothing is allocated.
 */
#ifndef ZK_NOTE_H
#define ZK_NOTE_H

#include "zk/client.h"

#include <stdbool.h>

/* The longest path, with its terminator; and how many bytes the values of a request, or of all its
 * parts, may have together. */
#define NOTE_PATH_MAX   256
#define NOTE_VALUES_MAX 1024

struct note {
    struct client_request request;
    struct client_request parts[CLIENT_PARTS_MAX];
    char paths[CLIENT_PARTS_MAX][NOTE_PATH_MAX];
    size_t values_length;
    char values[NOTE_VALUES_MAX];
};

/* Takes a copy of the request; false if it has no room for it: then only the operation is kept. A
 * note must not be moved. */
bool note_take(struct note *note, const struct client_request *request);

#endif
