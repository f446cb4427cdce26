// SPDX-License-Identifier: Apache-2.0
/*
 * synchronous: a request by the synchronous calls of libzookeeper_mt. Layer: zk, below threads.
 *
 * Invariant: what a reply points to lies in the answer, until its end.
 */
#ifndef ZK_SYNCHRONOUS_H
#define ZK_SYNCHRONOUS_H

#include "zk/client.h"
#include "zk/library.h"
#include "zk/note.h"

/* What a znode's data are read into; what is more is cut off. */
#define SYNCHRONOUS_VALUE_MAX 1024

/* What a call fills in. */
struct synchronous_answer {
    char created[NOTE_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    int value_length;
    char value[SYNCHRONOUS_VALUE_MAX];
};

void synchronous_init(struct synchronous_answer *answer);
void synchronous_deinit(const struct library *library, struct synchronous_answer *answer);

/* Makes the call for a request, which may take as long as the session lives, and returns the
 * library's code. An answer serves one call. */
int synchronous_call(const struct library *library, zhandle_t *zk,
                     const struct client_request *request, struct synchronous_answer *answer);

/* The reply, but for its latency, that a call of this operation came to. */
struct client_reply synchronous_reply(enum client_operation operation, int code,
                                      const struct synchronous_answer *answer);

#endif
