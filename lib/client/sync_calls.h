// SPDX-License-Identifier: Apache-2.0
/*
 * sync_calls: requests by the synchronous calls of libzookeeper_mt. Layer: client, below
 * thread_session.
 *
 * Invariant: what a reply points to lies in the answer.
 */
#ifndef CLIENT_SYNC_CALLS_H
#define CLIENT_SYNC_CALLS_H

#include "client/client.h"
#include "client/library.h"
#include "client/request_copy.h"

/* Room for a znode's data: more than servers take by default. Bytes beyond that are cut off. */
#define SYNC_CALLS_VALUE_MAX ((size_t)1 << 20)

/* What a call writes. */
struct sync_calls_answer {
    char created[REQUEST_COPY_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    char *value; /* of the owner: SYNC_CALLS_VALUE_MAX bytes */
};

/*
 * Makes the call for a request, which may take as long as the session lives. Returns the reply but
 * for what client_deliver_reply fills in. *answer is zero but for `value`; its names are the
 * caller's to deallocate by the library.
 */
struct client_reply sync_calls_call(const struct library *library, zhandle_t *zk,
                                    const struct request *request,
                                    struct sync_calls_answer *answer);

#endif
