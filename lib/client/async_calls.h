// SPDX-License-Identifier: Apache-2.0
/*
 * async_calls: requests by the asynchronous calls of the Apache C client, in both builds. Layer:
 * client, below the drivers.
 *
 * Invariant: requests that the library has taken are answered at most once each, in their order;
 * one that it took while its session did not expire is answered. Replies come inside the library's
 * calls in the single-threaded build, on its completion thread in the other.
 */
#ifndef CLIENT_ASYNC_CALLS_H
#define CLIENT_ASYNC_CALLS_H

#include "client/client.h"
#include "client/library.h"

struct async_calls {
    const struct library *library;
    zhandle_t *zk;
    /* Called with the reply but for what client_deliver_reply fills in; valid until it returns. */
    void (*replied)(void *owner, struct client_reply *reply);
    void *owner;
    /* The library writes here until multis are answered; nobody reads what it writes. */
    zoo_op_result_t results[REQUEST_PARTS_MAX];
};

/* Makes the call for a request. Returns the library's code: unless ZOK, the request was not taken.
 */
int async_calls_call(struct async_calls *calls, const struct request *request);

#endif
