// SPDX-License-Identifier: Apache-2.0
#include "client/sync_calls.h"

#include "client/translate.h"

void sync_calls_init(struct sync_calls_answer *answer, char *value)
{
    answer->names = (struct String_vector){0};
    answer->value = value;
}

void sync_calls_deinit(const struct library *library, struct sync_calls_answer *answer)
{
    library->deallocate_names(&answer->names);
}

static int call_multi(const struct library *library, zhandle_t *zk, const struct request *request)
{
    zoo_op_t ops[REQUEST_PARTS_MAX];
    zoo_op_result_t results[REQUEST_PARTS_MAX];
    if (translate_is_gone(library, zk))
        return ZINVALIDSTATE;
    translate_parts(library, request, ops);
    return library->multi(zk, (int)request->part_count, ops, results);
}

int sync_calls_call(const struct library *library, zhandle_t *zk, const struct request *request,
                    struct sync_calls_answer *answer)
{
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    switch (request->operation) {
    case OP_CREATE:
        return library->create(zk, path, translate_value(request), length, library->open_acl,
                               translate_mode(request->mode), answer->created,
                               sizeof answer->created);
    case OP_EXISTS:
        return library->exists(zk, path, watch, &answer->stat);
    case OP_GET:
        answer->value_length = SYNC_CALLS_VALUE_MAX;
        return library->get(zk, path, watch, answer->value, &answer->value_length, &answer->stat);
    case OP_GET_CHILDREN:
        return library->get_children(zk, path, watch, &answer->names);
    case OP_SET:
        return library->set(zk, path, translate_value(request), length, request->version,
                            &answer->stat);
    case OP_DELETE:
        return library->remove(zk, path, request->version);
    case OP_MULTI:
        return call_multi(library, zk, request);
    case OP_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

struct client_reply sync_calls_reply(enum operation operation, int code,
                                     const struct sync_calls_answer *answer)
{
    switch (operation) {
    case OP_GET:
        return translate_data(code, answer->value, answer->value_length, &answer->stat);
    case OP_GET_CHILDREN:
        return translate_names(code, &answer->names);
    case OP_CREATE:
        return translate_created(code, answer->created);
    case OP_EXISTS:
    case OP_SET:
        return translate_stat(code, &answer->stat);
    case OP_DELETE:
    case OP_MULTI:
    case OP_CHECK:
        break;
    }
    return (struct client_reply){.status = translate_status(code)};
}
