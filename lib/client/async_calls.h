// SPDX-License-Identifier: Apache-2.0
/*
 * async_calls: requests by the asynchronous calls of the Apache C client, in both builds. Layer:
 * client, below the drivers.
 *
 * Invariant: a request that the library has taken gets exactly one reply, in the order of the
 * requests, where the library makes its completions: inside its calls in the build without threads,
 * on its completion thread in the other.
 */
#ifndef CLIENT_ASYNC_CALLS_H
#define CLIENT_ASYNC_CALLS_H

#include "client/client.h"
#include "client/library.h"

struct async_calls {
    const struct library *library;
    zhandle_t *zk;
    /* The reply but for what client_deliver_reply fills in; valid until this returns. */
    void (*replied)(void *owner, struct client_reply *reply);
    void *owner;
    /* The library writes into it until multis have their replies; their codes say all that is
     * asked. */
    zoo_op_result_t results[REQUEST_PARTS_MAX];
};

/* Makes the call for a request, and returns the library's code: other than ZOK, the request was not
 * taken. */
int async_calls_call(struct async_calls *calls, const struct request *request);

#endif
