// SPDX-License-Identifier: Apache-2.0
#include "client/sync_calls.h"

#include "client/translate.h"

static int call_multi(const struct library *library, zhandle_t *zk, const struct request *request)
{
    zoo_op_t ops[REQUEST_PARTS_MAX];
    zoo_op_result_t results[REQUEST_PARTS_MAX];
    if (translate_is_gone(library, zk))
        return ZINVALIDSTATE;
    translate_parts(library, request, ops);
    return library->multi(zk, (int)request->part_count, ops, results);
}

struct client_reply sync_calls_call(const struct library *library, zhandle_t *zk,
                                    const struct request *request, struct sync_calls_answer *answer)
{
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length, code = ZBADARGUMENTS;
    switch (request->operation) {
    case OP_CREATE:
        code =
            library->create(zk, path, translate_value(request), length, library->open_acl,
                            translate_mode(request->mode), answer->created, sizeof answer->created);
        return translate_created(code, answer->created);
    case OP_EXISTS:
        code = library->exists(zk, path, watch, &answer->stat);
        return translate_stat(code, &answer->stat);
    case OP_GET:
        length = SYNC_CALLS_VALUE_MAX;
        code = library->get(zk, path, watch, answer->value, &length, &answer->stat);
        return translate_data(code, answer->value, length, &answer->stat);
    case OP_GET_CHILDREN:
        code = library->get_children(zk, path, watch, &answer->names);
        return translate_names(code, &answer->names);
    case OP_SET:
        code = library->set(zk, path, translate_value(request), length, request->version,
                            &answer->stat);
        return translate_stat(code, &answer->stat);
    case OP_DELETE:
        code = library->remove(zk, path, request->version);
        break;
    case OP_MULTI:
        code = call_multi(library, zk, request);
        break;
    case OP_CHECK:
        break;
    }
    return (struct client_reply){.status = translate_status(code)};
}
