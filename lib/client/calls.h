// SPDX-License-Identifier: Apache-2.0
/*
 * calls: requests as calls of the Apache C client, and its results as replies. Layer: client, above
 * library.
 *
 * Nothing is copied: a reply points to what it was made of, or into the answer of a synchronous
 * call. Of a reply only what client_deliver_reply does not fill in is made here.
 */
#ifndef CLIENT_CALLS_H
#define CLIENT_CALLS_H

#include "client/client.h"
#include "client/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum client_event calls_event(const struct library *library, int type);
enum client_state calls_state(const struct library *library, int state);

/* The reply to a call from its results, which are read only if `code` is ZOK. A create with ZOK and
 * path NULL, a reply without a body, is ZK_OTHER_ERROR. */
struct client_reply calls_created(int code, const char *path);
struct client_reply calls_stat(int code, const struct Stat *stat);
struct client_reply calls_data(int code, const char *value, int length, const struct Stat *stat);
struct client_reply calls_names(int code, const struct String_vector *names);

/* Whether the session has expired or was refused. To be asked before a multi: for such a session
 * the library would free paths that are not its own (zoo_amulti in its zookeeper.c). */
bool calls_is_gone(const struct library *library, zhandle_t *zk);

/* The library hands what a completion was given back as constant. */
static inline void *calls_context(const void *context)
{
    void *given;
    memcpy(&given, &context, sizeof given);
    return given;
}

/*
 * Asynchronous calls, in both builds. Invariant: requests that the library has taken are answered
 * at most once each, in their order; one that it took while its session did not expire is answered.
 * Replies come inside the library's calls in the single-threaded build, on its completion thread in
 * the other.
 */
struct async_calls {
    const struct library *library;
    zhandle_t *zk;
    /* Called with the reply, which is valid until it returns. */
    void (*replied)(void *owner, struct client_reply *reply);
    void *owner;
    /* The library writes here until multis are answered; nobody reads what it writes. */
    zoo_op_result_t results[REQUEST_PARTS_MAX];
};

/* Makes the call for a request. Returns the library's code: unless ZOK, the request was not taken.
 */
int async_calls_call(struct async_calls *calls, const struct request *request);

/* A copy of a request, for a synchronous call. What it points to lies in the copy or its values. */
#define REQUEST_COPY_PATH_MAX   256               /* bytes of a path, its terminator included */
#define REQUEST_COPY_VALUES_MAX ((size_t)1 << 20) /* bytes of the values of all parts together */

struct request_copy {
    struct request request;
    struct request parts[REQUEST_PARTS_MAX]; /* a request that is no multi: the first */
    char paths[REQUEST_PARTS_MAX][REQUEST_COPY_PATH_MAX];
    size_t values_length;
    char *values; /* of the owner: REQUEST_COPY_VALUES_MAX bytes */
};

/* Copies the request; false if there is no room: then the copy is not to be used. A copy must not
 * be moved. */
bool request_copy_take(struct request_copy *copy, const struct request *request);

/* Room for a znode's data: more than servers take by default. Bytes beyond that are cut off. */
#define SYNC_CALLS_VALUE_MAX ((size_t)1 << 20)

/* What a synchronous call writes. */
struct sync_calls_answer {
    char created[REQUEST_COPY_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    char *value; /* of the owner: SYNC_CALLS_VALUE_MAX bytes */
};

/* Makes the call for a request, which may take as long as the session lives. *answer is zero but
 * for `value`; its names are the caller's to deallocate by the library. */
struct client_reply sync_calls_call(const struct library *library, zhandle_t *zk,
                                    const struct request *request,
                                    struct sync_calls_answer *answer);

#endif
