// SPDX-License-Identifier: Apache-2.0
/*
 * sync_calls: a request by the synchronous calls of libzookeeper_mt. Layer: client, below threads.
 *
 * Invariant: what a reply points to lies in the answer, until its end.
 */
#ifndef CLIENT_SYNC_CALLS_H
#define CLIENT_SYNC_CALLS_H

#include "client/client.h"
#include "client/library.h"
#include "client/request_copy.h"

/* What a znode's data are read into: more than servers take, unless they are told to. The rest
 * would be cut off. */
#define SYNC_CALLS_VALUE_MAX ((size_t)1 << 20)

/* What a call fills in. */
struct sync_calls_answer {
    char created[REQUEST_COPY_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    int value_length;
    char *value; /* of the owner: SYNC_CALLS_VALUE_MAX bytes */
};

void sync_calls_init(struct sync_calls_answer *answer, char *value);
void sync_calls_deinit(const struct library *library, struct sync_calls_answer *answer);

/* Makes the call for a request, which may take as long as the session lives, and returns the
 * library's code. An answer serves one call. */
int sync_calls_call(const struct library *library, zhandle_t *zk, const struct request *request,
                    struct sync_calls_answer *answer);

/* The reply, but for its latency, that a call of this operation came to. */
struct client_reply sync_calls_reply(enum operation operation, int code,
                                     const struct sync_calls_answer *answer);

#endif
