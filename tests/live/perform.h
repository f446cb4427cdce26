// SPDX-License-Identifier: Apache-2.0
/*
 * perform: a request out of a test's script, made through the function of client/client.h that is
 * for it.
 */
#ifndef TESTS_PERFORM_H
#define TESTS_PERFORM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "client/client.h"

static inline void perform(struct client *client, const struct request *request)
{
    switch (request->operation) {
    case OP_CREATE:
        client_create(client, request->path, request->value, request->value_length, request->mode);
        break;
    case OP_EXISTS:
        client_exists(client, request->path, request->watch);
        break;
    case OP_GET:
        client_get(client, request->path, request->watch);
        break;
    case OP_GET_CHILDREN:
        client_get_children(client, request->path, request->watch);
        break;
    case OP_SET:
        client_set(client, request->path, request->value, request->value_length, request->version);
        break;
    case OP_DELETE:
        client_delete(client, request->path);
        break;
    case OP_MULTI:
        client_multi(client, request->parts, request->part_count);
        break;
    case OP_CHECK:
        fail();
    }
}

#endif
