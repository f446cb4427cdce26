// SPDX-License-Identifier: Apache-2.0
/*
 * request_copy: a request kept beyond the call that asked for it. Layer: client, below threads.
 *
 * Invariant: what a copy's request points to lies in the copy or its values; nothing is allocated.
 */
#ifndef CLIENT_REQUEST_COPY_H
#define CLIENT_REQUEST_COPY_H

#include "client/client.h"

#include <stdbool.h>

/* The longest path, with its terminator; and how many bytes the values of a request, or of all its
 * parts, may have together. */
#define REQUEST_COPY_PATH_MAX   256
#define REQUEST_COPY_VALUES_MAX ((size_t)1 << 20)

struct request_copy {
    struct request request;
    struct request parts[REQUEST_PARTS_MAX];
    char paths[REQUEST_PARTS_MAX][REQUEST_COPY_PATH_MAX];
    size_t values_length;
    char *values; /* of the owner: REQUEST_COPY_VALUES_MAX bytes */
};

/* Takes a copy of the request; false if it has no room for it: then only the operation is kept. A
 * copy must not be moved. */
bool request_copy_take(struct request_copy *copy, const struct request *request);

#endif
