// SPDX-License-Identifier: Apache-2.0
#include "client/async_calls.h"

#include "client/translate.h"

static void deliver(const void *data, struct client_reply reply)
{
    const struct async_calls *calls = data;
    calls->replied(calls->owner, &reply);
}

static void completed_create(int code, const char *path, const void *data)
{
    deliver(data, translate_created(code, path));
}

static void completed_stat(int code, const struct Stat *stat, const void *data)
{
    deliver(data, translate_stat(code, stat));
}

static void completed_data(int code, const char *value, int length, const struct Stat *stat,
                           const void *data)
{
    deliver(data, translate_data(code, value, length, stat));
}

static void completed_names(int code, const struct String_vector *names, const void *data)
{
    deliver(data, translate_names(code, names));
}

static void completed_void(int code, const void *data)
{
    deliver(data, (struct client_reply){.status = translate_status(code)});
}

static int call_multi(struct async_calls *calls, const struct request *request)
{
    zoo_op_t ops[REQUEST_PARTS_MAX];
    if (translate_is_gone(calls->library, calls->zk))
        return ZINVALIDSTATE;
    translate_parts(calls->library, request, ops);
    return calls->library->amulti(calls->zk, (int)request->part_count, ops, calls->results,
                                  completed_void, calls);
}

int async_calls_call(struct async_calls *calls, const struct request *request)
{
    const struct library *library = calls->library;
    zhandle_t *zk = calls->zk;
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    switch (request->operation) {
    case OP_CREATE:
        return library->acreate(zk, path, translate_value(request), length, library->open_acl,
                                translate_mode(request->mode), completed_create, calls);
    case OP_EXISTS:
        return library->aexists(zk, path, watch, completed_stat, calls);
    case OP_GET:
        return library->aget(zk, path, watch, completed_data, calls);
    case OP_GET_CHILDREN:
        return library->aget_children(zk, path, watch, completed_names, calls);
    case OP_SET:
        return library->aset(zk, path, translate_value(request), length, request->version,
                             completed_stat, calls);
    case OP_DELETE:
        return library->adelete(zk, path, request->version, completed_void, calls);
    case OP_MULTI:
        return call_multi(calls, request);
    case OP_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}
