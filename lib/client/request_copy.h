// SPDX-License-Identifier: Apache-2.0
/*
 * request_copy: a copy of a request. Layer: client, below thread_session.
 *
 * Invariant: what a copy's request points to lies in the copy or its values; nothing is allocated.
 */
#ifndef CLIENT_REQUEST_COPY_H
#define CLIENT_REQUEST_COPY_H

#include "client/client.h"

#include <stdbool.h>

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

#endif
