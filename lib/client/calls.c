// SPDX-License-Identifier: Apache-2.0
#include "client/calls.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* ------------------------------------------------------------------ types */

enum zk_status client_status_of(int code)
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
    case ZAUTHFAILED:
    case ZSESSIONCLOSEDREQUIRESASLAUTH: /* whatever the scheme that it requires */
        return ZK_REFUSED;
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

enum client_event calls_event(const struct library *library, int type)
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

enum client_state calls_state(const struct library *library, int state)
{
    if (state == library->connected_state)
        return CLIENT_ESTABLISHED;
    if (state == library->auth_failed_state)
        return CLIENT_REFUSED;
    if (state == library->expired_state)
        return CLIENT_EXPIRED;
    return CLIENT_CONNECTING;
}

static int calls_mode(enum create_mode mode)
{
    static const int flags_of_mode[] = {
        [PERSISTENT] = 0, [EPHEMERAL] = 1, [EPHEMERAL_SEQUENTIAL] = 3};
    return flags_of_mode[mode];
}

static const char *calls_value(const struct request *request)
{
    return request->value != NULL ? request->value : "";
}

static void calls_part(const struct library *library, const struct request *part, zoo_op_t *op)
{
    int length = (int)part->value_length;
    switch (part->operation) {
    case OP_CREATE:
        library->create_op_init(op, part->path, calls_value(part), length, library->acl,
                                calls_mode(part->mode), NULL, 0);
        break;
    case OP_SET:
        library->set_op_init(op, part->path, calls_value(part), length, part->version, NULL);
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
    case OP_SYNC:
    case OP_MULTI:
        assert(false && "an operation that no part of a multi can be");
    }
}

static void calls_parts(const struct library *library, const struct request *request,
                        zoo_op_t ops[static REQUEST_PARTS_MAX])
{
    for (size_t i = 0; i < request->part_count; i++)
        calls_part(library, &request->parts[i], &ops[i]);
}

/* A server may answer anything, and the library passes on what it could not read. */
static const struct client_reply malformed = {.status = ZK_OTHER_ERROR};

struct client_reply calls_created(int code, const char *path)
{
    if (code == ZOK && path == NULL)
        return malformed;
    return (struct client_reply){.status = client_status_of(code),
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

struct client_reply calls_stat(int code, const struct Stat *stat)
{
    struct client_reply reply = {.status = client_status_of(code)};
    if (code != ZOK)
        return reply;
    if (stat == NULL)
        return malformed;
    reply.version = stat->version;
    reply.owner = owner_of(stat);
    reply.created_ms = stat->ctime;
    return reply;
}

struct client_reply calls_data(int code, const char *value, int length, const struct Stat *stat)
{
    struct client_reply reply = calls_stat(code, stat);
    if (reply.status != ZK_OK || length <= 0)
        return reply;
    if (value == NULL)
        return malformed;
    reply.value = value;
    reply.value_length = (size_t)length;
    return reply;
}

/* The library takes the number of names from the reply, and stops at the first name that the reply
 * does not have: that one and all behind it are NULL. */
static bool are_all_there(const struct String_vector *names)
{
    if (names == NULL || names->count < 0 || (names->count > 0 && names->data == NULL))
        return false;
    for (int32_t i = 0; i < names->count; i++) {
        if (names->data[i] == NULL)
            return false;
    }
    return true;
}

struct client_reply calls_names(int code, const struct String_vector *names)
{
    struct client_reply reply = {.status = client_status_of(code)};
    if (code != ZOK)
        return reply;
    if (!are_all_there(names))
        return malformed;
    reply.names = (const char *const *)names->data;
    reply.name_count = (size_t)names->count;
    return reply;
}

bool calls_is_gone(const struct library *library, zhandle_t *zk)
{
    return calls_state(library, library->state(zk)) >= CLIENT_EXPIRED;
}

/* ------------------------------------------------------------------ asynchronous calls */

static void deliver(const void *data, struct client_reply reply)
{
    const struct async_calls *calls = data;
    calls->replied(calls->owner, &reply);
}

static void completed_create(int code, const char *path, const void *data)
{
    deliver(data, calls_created(code, path));
}

static void completed_stat(int code, const struct Stat *stat, const void *data)
{
    deliver(data, calls_stat(code, stat));
}

static void completed_data(int code, const char *value, int length, const struct Stat *stat,
                           const void *data)
{
    deliver(data, calls_data(code, value, length, stat));
}

static void completed_names(int code, const struct String_vector *names, const void *data)
{
    deliver(data, calls_names(code, names));
}

/* The path is that of the request. */
static void completed_sync(int code, const char *path, const void *data)
{
    (void)path;
    deliver(data, (struct client_reply){.status = client_status_of(code)});
}

static void completed_void(int code, const void *data)
{
    deliver(data, (struct client_reply){.status = client_status_of(code)});
}

static int call_async_multi(struct async_calls *calls, const struct request *request)
{
    zoo_op_t ops[REQUEST_PARTS_MAX];
    if (calls_is_gone(calls->library, calls->zk))
        return ZINVALIDSTATE;
    calls_parts(calls->library, request, ops);
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
        return library->acreate(zk, path, calls_value(request), length, library->acl,
                                calls_mode(request->mode), completed_create, calls);
    case OP_EXISTS:
        return library->aexists(zk, path, watch, completed_stat, calls);
    case OP_GET:
        return library->aget(zk, path, watch, completed_data, calls);
    case OP_GET_CHILDREN:
        return library->aget_children(zk, path, watch, completed_names, calls);
    case OP_SET:
        return library->aset(zk, path, calls_value(request), length, request->version,
                             completed_stat, calls);
    case OP_DELETE:
        return library->adelete(zk, path, request->version, completed_void, calls);
    case OP_SYNC:
        return library->async(zk, path, completed_sync, calls);
    case OP_MULTI:
        return call_async_multi(calls, request);
    case OP_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

/* ------------------------------------------------------------------ synchronous calls */

/* False, and *kept unchanged, if there is no room. */
static bool keep(struct request_copy *copy, char *path, const struct request *request,
                 struct request *kept)
{
    size_t length = strnlen(request->path, REQUEST_COPY_PATH_MAX);
    if (length == REQUEST_COPY_PATH_MAX ||
        request->value_length > REQUEST_COPY_VALUES_MAX - copy->values_length)
        return false;
    char *value = &copy->values[copy->values_length];
    memcpy(path, request->path, length + 1);
    if (request->value_length > 0)
        memcpy(value, request->value, request->value_length);
    copy->values_length += request->value_length;
    *kept = *request;
    kept->path = path;
    kept->value = value;
    return true;
}

bool request_copy_take(struct request_copy *copy, const struct request *request)
{
    bool is_multi = request->operation == OP_MULTI;
    const struct request *parts = is_multi ? request->parts : request;
    size_t count = is_multi ? request->part_count : 1;
    assert(count <= REQUEST_PARTS_MAX);
    copy->values_length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!keep(copy, copy->paths[i], &parts[i], &copy->parts[i]))
            return false;
    }
    copy->request = is_multi ? *request : copy->parts[0];
    if (is_multi)
        copy->request.parts = copy->parts;
    return true;
}

static int call_sync_multi(const struct library *library, zhandle_t *zk,
                           const struct request *request)
{
    zoo_op_t ops[REQUEST_PARTS_MAX];
    zoo_op_result_t results[REQUEST_PARTS_MAX];
    if (calls_is_gone(library, zk))
        return ZINVALIDSTATE;
    calls_parts(library, request, ops);
    return library->multi(zk, (int)request->part_count, ops, results);
}

/* The library has no synchronous sync: its own thread wakes the caller. */
struct waiting {
    pthread_mutex_t mutex;
    pthread_cond_t answered;
    bool done;
    int code;
};

static void wake(int code, const char *path, const void *data)
{
    struct waiting *const *place = data, *waiting = *place;
    (void)path;
    pthread_mutex_lock(&waiting->mutex);
    waiting->done = true;
    waiting->code = code;
    pthread_cond_signal(&waiting->answered);
    pthread_mutex_unlock(&waiting->mutex);
}

static int call_sync(const struct library *library, zhandle_t *zk, const char *path)
{
    struct waiting waiting = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                              .answered = PTHREAD_COND_INITIALIZER};
    struct waiting *const place = &waiting;
    int code = library->async(zk, path, wake, &place);
    if (code != ZOK)
        return code;
    pthread_mutex_lock(&waiting.mutex);
    while (!waiting.done)
        pthread_cond_wait(&waiting.answered, &waiting.mutex);
    pthread_mutex_unlock(&waiting.mutex);
    pthread_cond_destroy(&waiting.answered);
    pthread_mutex_destroy(&waiting.mutex);
    return waiting.code;
}

struct client_reply sync_calls_call(const struct library *library, zhandle_t *zk,
                                    const struct request *request, struct sync_calls_answer *answer)
{
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length, code = ZBADARGUMENTS;
    switch (request->operation) {
    case OP_CREATE:
        code = library->create(zk, path, calls_value(request), length, library->acl,
                               calls_mode(request->mode), answer->created, sizeof answer->created);
        return calls_created(code, answer->created);
    case OP_EXISTS:
        code = library->exists(zk, path, watch, &answer->stat);
        return calls_stat(code, &answer->stat);
    case OP_GET:
        length = SYNC_CALLS_VALUE_MAX;
        code = library->get(zk, path, watch, answer->value, &length, &answer->stat);
        return calls_data(code, answer->value, length, &answer->stat);
    case OP_GET_CHILDREN:
        code = library->get_children(zk, path, watch, &answer->names);
        return calls_names(code, &answer->names);
    case OP_SET:
        code =
            library->set(zk, path, calls_value(request), length, request->version, &answer->stat);
        return calls_stat(code, &answer->stat);
    case OP_DELETE:
        code = library->remove(zk, path, request->version);
        break;
    case OP_SYNC:
        code = call_sync(library, zk, path);
        break;
    case OP_MULTI:
        code = call_sync_multi(library, zk, request);
        break;
    case OP_CHECK:
        break;
    }
    return (struct client_reply){.status = client_status_of(code)};
}
