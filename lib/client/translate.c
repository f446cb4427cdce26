// SPDX-License-Identifier: Apache-2.0
#include "client/translate.h"

#include <assert.h>

enum zk_status translate_status(int code)
{
    switch (code) {
    case ZOK:
        return ZK_OK;
    case ZNONODE:
        return ZK_NO_NODE;
    case ZNODEEXISTS:
        return ZK_NODE_EXISTS;
    case ZBADVERSION:
        return ZK_BAD_VERSION;
    case ZNOTEMPTY:
        return ZK_NOT_EMPTY;
    case ZNOAUTH:
        return ZK_NO_AUTH;
    case ZCONNECTIONLOSS:
    case ZOPERATIONTIMEOUT:
    case ZCLOSING:
    /* The library lost a connection while it sent, and noticed it by replies over the next one. */
    case ZRUNTIMEINCONSISTENCY:
        return ZK_CONNECTION_LOSS;
    case ZSESSIONEXPIRED:
    case ZINVALIDSTATE:
        return ZK_SESSION_EXPIRED;
    default:
        return ZK_OTHER_ERROR;
    }
}

enum client_event translate_event(const struct library *library, int type)
{
    if (type == library->created_event)
        return EVENT_CREATED;
    if (type == library->deleted_event)
        return EVENT_DELETED;
    if (type == library->changed_event)
        return EVENT_CHANGED;
    if (type == library->child_event)
        return EVENT_CHILD;
    return EVENT_OTHER;
}

enum client_state translate_state(const struct library *library, int state)
{
    if (state == library->connected_state)
        return CLIENT_ESTABLISHED;
    if (state == library->expired_state || state == library->auth_failed_state)
        return CLIENT_EXPIRED;
    return CLIENT_CONNECTING;
}

int translate_mode(enum create_mode mode)
{
    static const int flags_of_mode[] = {
        [PERSISTENT] = 0, [EPHEMERAL] = 1, [EPHEMERAL_SEQUENTIAL] = 3};
    return flags_of_mode[mode];
}

const char *translate_value(const struct request *request)
{
    return request->value != NULL ? request->value : "";
}

static void translate_part(const struct library *library, const struct request *part, zoo_op_t *op)
{
    int length = (int)part->value_length;
    switch (part->operation) {
    case OP_CREATE:
        library->create_op_init(op, part->path, translate_value(part), length, library->open_acl,
                                translate_mode(part->mode), NULL, 0);
        break;
    case OP_SET:
        library->set_op_init(op, part->path, translate_value(part), length, part->version, NULL);
        break;
    case OP_DELETE:
        library->delete_op_init(op, part->path, part->version);
        break;
    case OP_CHECK:
        library->check_op_init(op, part->path, part->version);
        break;
    case OP_EXISTS:
    case OP_GET:
    case OP_GET_CHILDREN:
    case OP_MULTI:
        assert(false && "an operation that no part of a multi can be");
    }
}

void translate_parts(const struct library *library, const struct request *request,
                     zoo_op_t ops[static REQUEST_PARTS_MAX])
{
    for (size_t i = 0; i < request->part_count; i++)
        translate_part(library, &request->parts[i], &ops[i]);
}

struct client_reply translate_created(int code, const char *path)
{
    if (code == ZOK && path == NULL)
        return (struct client_reply){.status = ZK_OTHER_ERROR};
    return (struct client_reply){.status = translate_status(code),
                                 .path = code == ZOK ? path : NULL};
}

/* In this field containers have a mark, and so have znodes with a time to live, which is in the
 * lower 40 bits. */
static int64_t owner_of(const struct Stat *stat)
{
    uint64_t owner = (uint64_t)stat->ephemeralOwner;
    bool has_mark = stat->ephemeralOwner == INT64_MIN || owner >> 40 == 0xff0000;
    return has_mark ? 0 : stat->ephemeralOwner;
}

struct client_reply translate_stat(int code, const struct Stat *stat)
{
    struct client_reply reply = {.status = translate_status(code)};
    if (code == ZOK) {
        reply.version = stat->version;
        reply.owner = owner_of(stat);
        reply.created_ms = stat->ctime;
    }
    return reply;
}

struct client_reply translate_data(int code, const char *value, int length, const struct Stat *stat)
{
    struct client_reply reply = translate_stat(code, stat);
    if (code == ZOK && length > 0) {
        reply.value = value;
        reply.value_length = (size_t)length;
    }
    return reply;
}

struct client_reply translate_names(int code, const struct String_vector *names)
{
    struct client_reply reply = {.status = translate_status(code)};
    if (code == ZOK && names != NULL) {
        reply.names = (const char *const *)names->data;
        reply.name_count = (size_t)names->count;
    }
    return reply;
}

bool translate_is_gone(const struct library *library, zhandle_t *zk)
{
    return translate_state(library, library->state(zk)) == CLIENT_EXPIRED;
}
