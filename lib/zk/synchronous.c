// SPDX-License-Identifier: Apache-2.0
#include "zk/synchronous.h"

#include "zk/translate.h"

void synchronous_init(struct synchronous_answer *answer)
{
    answer->names = (struct String_vector){0};
}

void synchronous_deinit(const struct library *library, struct synchronous_answer *answer)
{
    library->deallocate_names(&answer->names);
}

static int call_multi(const struct library *library, zhandle_t *zk,
                      const struct client_request *request)
{
    zoo_op_t ops[CLIENT_PARTS_MAX];
    zoo_op_result_t results[CLIENT_PARTS_MAX];
    translate_parts(library, request, ops);
    return library->multi(zk, (int)request->part_count, ops, results);
}

int synchronous_call(const struct library *library, zhandle_t *zk,
                     const struct client_request *request, struct synchronous_answer *answer)
{
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    switch (request->operation) {
    case CLIENT_CREATE:
        return library->create(zk, path, translate_value(request), length, library->open_acl,
                               translate_mode(request->mode), answer->created,
                               sizeof answer->created);
    case CLIENT_EXISTS:
        return library->exists(zk, path, watch, &answer->stat);
    case CLIENT_GET:
        answer->value_length = sizeof answer->value;
        return library->get(zk, path, watch, answer->value, &answer->value_length, &answer->stat);
    case CLIENT_GET_CHILDREN:
        return library->get_children(zk, path, watch, &answer->names);
    case CLIENT_SET:
        return library->set(zk, path, translate_value(request), length, request->version,
                            &answer->stat);
    case CLIENT_DELETE:
        return library->remove(zk, path, request->version);
    case CLIENT_MULTI:
        return call_multi(library, zk, request);
    case CLIENT_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

struct client_reply synchronous_reply(enum client_operation operation, int code,
                                      const struct synchronous_answer *answer)
{
    switch (operation) {
    case CLIENT_GET:
        return translate_data(code, answer->value, answer->value_length, &answer->stat);
    case CLIENT_GET_CHILDREN:
        return translate_names(code, &answer->names);
    case CLIENT_CREATE:
        return translate_created(code, answer->created);
    case CLIENT_EXISTS:
    case CLIENT_SET:
        return translate_stat(code, &answer->stat);
    case CLIENT_DELETE:
    case CLIENT_MULTI:
    case CLIENT_CHECK:
        break;
    }
    return (struct client_reply){.status = translate_status(code)};
}
