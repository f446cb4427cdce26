// SPDX-License-Identifier: Apache-2.0
#include "tests/support/perform.h"

void perform(struct client *client, const struct request *request)
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
    case OP_SYNC:
        client_sync(client, request->path);
        break;
    case OP_MULTI:
        client_multi(client, request->parts, request->part_count);
        break;
    case OP_CHECK:
        fail();
    }
}
