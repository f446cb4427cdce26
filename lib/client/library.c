// SPDX-License-Identifier: Apache-2.0
#include "client/library.h"

#include "base/memory.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where in struct library the value of a symbol belongs. */
struct place {
    const char *symbol; /* NULL: the end of the list */
    size_t offset;
    bool is_integer; /* the value is an integer, not an address */
};

#define PLACE(field, symbol)                {#symbol, offsetof(struct library, field), false},
#define PLACE_MT(field, symbol, parameters) PLACE(field, symbol)
#define PLACE_INTEGER(field, symbol)        {#symbol, offsetof(struct library, field), true},
#define COMMON                                                                                     \
    LIBRARY_LIST(PLACE)                                                                            \
    LIBRARY_INTEGER_LIST(PLACE_INTEGER)                                                            \
    PLACE(open_acl, ZOO_OPEN_ACL_UNSAFE) PLACE(creator_acl, ZOO_CREATOR_ALL_ACL)

static const struct place of_st[] = {COMMON LIBRARY_ST_LIST(PLACE){.symbol = NULL}};
static const struct place of_mt[] = {COMMON LIBRARY_MT_LIST(PLACE_MT){.symbol = NULL}};

static const struct {
    const char *name;
    const char *file;
    const char *package;
    const struct place *places; /* the last has no symbol */
} builds[] = {
    [LIBRARY_ST] = {"libzookeeper_st", "libzookeeper_st.so.2", "libzookeeper-st2", of_st},
    [LIBRARY_MT] = {"libzookeeper_mt", "libzookeeper_mt.so.2", "libzookeeper-mt2", of_mt},
};

enum error_kind library_load(enum library_build build, const struct identity *identity,
                             struct library *library, struct error *error)
{
    const char *file = builds[build].file, *package = builds[build].package;
    struct library table = {.identity = identity};
    void *loaded = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL)
        return error_raise(error, ERROR_NO_CLIENT_LIBRARY, 0, file, "it is in the package %s",
                           package);
    for (const struct place *place = builds[build].places; place->symbol != NULL; place++) {
        const void *address = dlsym(loaded, place->symbol);
        if (address == NULL)
            return error_raise(error, ERROR_NO_CLIENT_LIBRARY, 0, file,
                               "it has no %s, unlike that of the package %s", place->symbol,
                               package);
        char *field = (char *)&table + place->offset;
        if (place->is_integer)
            memcpy(field, address, sizeof(int));
        else
            memcpy(field, &address, sizeof address);
    }
    assert(table.set_debug_level != NULL && table.deterministic_conn_order != NULL);
    /* Settings of the library, not of a handle: no log on stderr, servers in the string's order. */
    table.set_debug_level((ZooLogLevel)0);
    table.deterministic_conn_order(1);
    table.acl = identity != NULL && identity->creator ? table.creator_acl : table.open_acl;
    *library = table;
    return ERROR_NONE;
}

const char *library_name(enum library_build build)
{
    return builds[build].name;
}

/* The library only logs its version, before it parses the servers: these do not parse. */
void library_version(const struct library *library, char *text, size_t size)
{
    static const char mark[] = "zookeeper C client ";
    char *log = NULL;
    size_t length;
    text[0] = '\0';
    FILE *stream = memory_or_end(open_memstream(&log, &length));
    library->set_log_stream(stream);
    library->set_debug_level(ZOO_LOG_LEVEL_INFO);
    zhandle_t *none = library->init("no-port", NULL, 0, NULL, NULL, 0);
    if (none != NULL)
        library->close(none);
    library->set_debug_level((ZooLogLevel)0);
    library->set_log_stream(NULL);
    memory_or_end(fclose(stream) == 0 ? text : NULL);
    const char *at = strstr(log, mark);
    if (at != NULL)
        snprintf(text, size, "%.*s", (int)strcspn(at + strlen(mark), " \n"), at + strlen(mark));
    free(log);
}

/* ------------------------------------------------------------------ a session's handle */

static enum client_state state_of(const struct library *library, int state)
{
    if (state == library->connected_state)
        return CLIENT_ESTABLISHED;
    if (state == library->auth_failed_state)
        return CLIENT_REFUSED;
    if (state == library->expired_state)
        return CLIENT_EXPIRED;
    return CLIENT_CONNECTING;
}

/* The watcher of the handle, and of all its watches: one call for each message of the server, with
 * the protocol's number of the event. Session events come here too, and are no notifications. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct handle *handle = context;
    if (type == handle->library->session_event)
        handle->events->state_changed(handle, state_of(handle->library, state));
    else
        handle->events->notified(handle,
                                 type >= (int)EVENT_CREATED && type < (int)EVENT_OTHER
                                     ? (enum client_event)type
                                     : EVENT_OTHER,
                                 path);
}

static void authenticated(int code, const void *context)
{
    struct handle *handle = ((const struct handle *)context)->self;
    handle->events->authenticated(handle, code == ZOK);
}

static enum error_kind raise_init(struct error *error, const char *hosts)
{
    switch (errno) {
    case EINVAL:
        return error_raise(error, ERROR_USAGE, 0, hosts, "the connect string does not parse");
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        return error_from_errno(error, errno, hosts, "cannot make a session");
    default:
        return error_raise(error, ERROR_UNRESOLVED, 0, hosts, "%s", "");
    }
}

enum error_kind handle_open(struct handle *handle, const struct library *library,
                            const struct handle_events *events, const char *hosts,
                            uint32_t session_timeout_ms, struct error *error)
{
    const struct identity *identity = library->identity;
    handle->library = library;
    handle->events = events;
    handle->self = handle;
    handle->unanswered = identity_is_known(identity);
    handle->zk =
        library->init(hosts, watcher, (int)session_timeout_ms, NULL, handle, ZOO_NO_LOG_CLIENTENV);
    if (handle->zk == NULL)
        return raise_init(error, hosts);
    /* Else each call of zookeeper_interest resolves the host names, at 300 times its cost. */
    library->set_servers_resolution_delay(handle->zk, -1);
    if (handle->unanswered &&
        library->add_auth(handle->zk, "digest", identity->credentials,
                          (int)strlen(identity->credentials), authenticated, handle) != ZOK) {
        library->close(handle->zk);
        return error_raise(error, ERROR_NO_MEMORY, 0, hosts, "for the credentials");
    }
    return ERROR_NONE;
}

static const struct handle *of_client(const struct client *client)
{
    return (const struct handle *)client;
}

uint32_t handle_timeout_ms(const struct client *client)
{
    const struct handle *handle = of_client(client);
    return (uint32_t)handle->library->recv_timeout(handle->zk);
}

int64_t handle_session_id(const struct client *client)
{
    const struct handle *handle = of_client(client);
    return handle->library->client_id(handle->zk)->client_id;
}

/* As lib/servers writes the addresses of endpoints, so that they can be compared. */
void handle_server(const struct client *client, char *text, size_t size)
{
    const struct handle *handle = of_client(client);
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[CLIENT_SERVER_SIZE], port[sizeof "65535"];
    text[0] = '\0';
    if (handle->library->get_connected_host(handle->zk, (struct sockaddr *)&address, &length) ==
            NULL ||
        getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return;
    bool is_ipv6 = address.ss_family == AF_INET6;
    snprintf(text, size, "%s%s%s:%s", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "", port);
}

/* ------------------------------------------------------------------ replies */

static const struct {
    int code;
    enum zk_status status;
} statuses[] = {
    {ZOK, ZK_OK},
    {ZNONODE, ZK_NO_NODE},
    {ZNODEEXISTS, ZK_NODE_EXISTS},
    {ZBADVERSION, ZK_BAD_VERSION},
    {ZNOTEMPTY, ZK_NOT_EMPTY},
    {ZNOAUTH, ZK_NO_AUTH},
    {ZAUTHFAILED, ZK_REFUSED},
    {ZSESSIONCLOSEDREQUIRESASLAUTH, ZK_REFUSED}, /* whatever the scheme that it requires */
    {ZCONNECTIONLOSS, ZK_CONNECTION_LOSS},
    {ZOPERATIONTIMEOUT, ZK_CONNECTION_LOSS},
    {ZCLOSING, ZK_CONNECTION_LOSS},
    /* The library lost a connection while it sent, and noticed it by replies over the next one. */
    {ZRUNTIMEINCONSISTENCY, ZK_CONNECTION_LOSS},
    {ZSESSIONEXPIRED, ZK_SESSION_EXPIRED},
    {ZINVALIDSTATE, ZK_SESSION_EXPIRED},
};

enum zk_status library_status(int code)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].code == code)
            return statuses[i].status;
    }
    return ZK_OTHER_ERROR;
}

static struct client_reply reply_to(int code)
{
    return (struct client_reply){.status = library_status(code), .code = code};
}

/* A server may answer anything, and the library passes on what it could not read: such a reply is
 * ZK_OTHER_ERROR. The results below are read only if `code` is ZOK. */
static const struct client_reply malformed = {.status = ZK_OTHER_ERROR};

static struct client_reply reply_created(int code, const char *path)
{
    struct client_reply reply = reply_to(code);
    if (code != ZOK)
        return reply;
    reply.path = path;
    return path == NULL ? malformed : reply;
}

#define TTL_MOST_MS INT64_C(31536000000) /* a year */

static struct client_reply reply_stat(int code, const struct Stat *stat)
{
    struct client_reply reply = reply_to(code);
    if (code != ZOK)
        return reply;
    if (stat == NULL)
        return malformed;
    /* Containers have a mark here, and znodes with a time to live, in the lower 40 bits. A session
     * of server 255 has the time since its machine was started there: years of a time to live. */
    int64_t owner = stat->ephemeralOwner;
    bool has_mark = (uint64_t)owner >> 40 == 0xff0000 && (owner & 0xffffffffff) < TTL_MOST_MS;
    reply.owner = owner == INT64_MIN || has_mark ? 0 : owner;
    reply.version = stat->version;
    reply.created_ms = stat->ctime;
    reply.children_made = ((uint32_t)stat->cversion + (uint32_t)stat->numChildren) / 2;
    return reply;
}

/* A znode without data has a length of -1. */
static struct client_reply reply_data(int code, const char *value, int length,
                                      const struct Stat *stat)
{
    struct client_reply reply = reply_stat(code, stat);
    if (reply.status != ZK_OK || length <= 0)
        return reply;
    reply.value = value;
    reply.value_length = (size_t)length;
    return value == NULL ? malformed : reply;
}

/* The library takes the number of names from the reply, and stops at the first name that the reply
 * does not have: that one and all behind it are NULL. */
static struct client_reply reply_names(int code, const struct String_vector *names)
{
    struct client_reply reply = reply_to(code);
    if (code != ZOK)
        return reply;
    if (names == NULL || names->count < 0 || (names->count > 0 && names->data == NULL))
        return malformed;
    for (int32_t i = 0; i < names->count; i++) {
        if (names->data[i] == NULL)
            return malformed;
    }
    reply.names = (const char *const *)names->data;
    reply.name_count = (size_t)names->count;
    return reply;
}

/* ------------------------------------------------------------------ requests */

static const int flags_of[] = {[PERSISTENT] = 0, [EPHEMERAL] = 1, [EPHEMERAL_SEQUENTIAL] = 3};

static const char *value_of(const struct request *request)
{
    return request->value != NULL ? request->value : "";
}

static void set_operation(const struct library *library, const struct request *part, zoo_op_t *op)
{
    int length = (int)part->value_length;
    switch (part->operation) {
    case OP_CREATE:
        library->create_op_init(op, part->path, value_of(part), length, library->acl,
                                flags_of[part->mode], NULL, 0);
        break;
    case OP_SET:
        library->set_op_init(op, part->path, value_of(part), length, part->version, NULL);
        break;
    case OP_DELETE:
        library->delete_op_init(op, part->path, part->version);
        break;
    default:
        assert(part->operation == OP_CHECK);
        library->check_op_init(op, part->path, part->version);
    }
}

/* False, with nothing written, if the session has expired or was refused: of a multi of such a
 * session the library would free paths that are not its own (zoo_amulti in its zookeeper.c). */
static bool set_operations(const struct handle *handle, const struct request *request,
                           zoo_op_t ops[static REQUEST_PARTS_MAX])
{
    const struct library *library = handle->library;
    if (state_of(library, library->state(handle->zk)) >= CLIENT_EXPIRED)
        return false;
    for (size_t i = 0; i < request->part_count; i++)
        set_operation(library, &request->parts[i], &ops[i]);
    return true;
}

/* ------------------------------------------------------------------ asynchronous calls */

static void deliver(const void *data, struct client_reply reply)
{
    const struct handle *handle = data;
    client_deliver_reply(&handle->self->client, &reply);
}

static void completed_create(int code, const char *path, const void *data)
{
    deliver(data, reply_created(code, path));
}

static void completed_stat(int code, const struct Stat *stat, const void *data)
{
    deliver(data, reply_stat(code, stat));
}

static void completed_data(int code, const char *value, int length, const struct Stat *stat,
                           const void *data)
{
    deliver(data, reply_data(code, value, length, stat));
}

static void completed_names(int code, const struct String_vector *names, const void *data)
{
    deliver(data, reply_names(code, names));
}

/* The path is that of the request. */
static void completed_sync(int code, const char *path, const void *data)
{
    (void)path;
    deliver(data, reply_to(code));
}

static void completed_void(int code, const void *data)
{
    deliver(data, reply_to(code));
}

int handle_submit(struct handle *handle, const struct request *request)
{
    const struct library *library = handle->library;
    zhandle_t *zk = handle->zk;
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    zoo_op_t ops[REQUEST_PARTS_MAX];
    switch (request->operation) {
    case OP_CREATE:
        return library->acreate(zk, path, value_of(request), length, library->acl,
                                flags_of[request->mode], completed_create, handle);
    case OP_EXISTS:
        return library->aexists(zk, path, watch, completed_stat, handle);
    case OP_GET:
        return library->aget(zk, path, watch, completed_data, handle);
    case OP_GET_CHILDREN:
        return library->aget_children(zk, path, watch, completed_names, handle);
    case OP_SET:
        return library->aset(zk, path, value_of(request), length, request->version, completed_stat,
                             handle);
    case OP_DELETE:
        return library->adelete(zk, path, request->version, completed_void, handle);
    case OP_SYNC:
        return library->async(zk, path, completed_sync, handle);
    case OP_MULTI:
        if (!set_operations(handle, request, ops))
            return ZINVALIDSTATE;
        return library->amulti(zk, (int)request->part_count, ops, handle->results, completed_void,
                               handle);
    case OP_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

/* ------------------------------------------------------------------ synchronous calls */

/* The library has no synchronous sync: its own thread wakes the caller. */
struct waiting {
    sem_t answered;
    int code;
};

static void wake(int code, const char *path, const void *data)
{
    struct waiting *const *place = data;
    (void)path;
    (*place)->code = code;
    sem_post(&(*place)->answered);
}

static int call_sync(const struct library *library, zhandle_t *zk, const char *path)
{
    struct waiting waiting, *const place = &waiting;
    sem_init(&waiting.answered, 0, 0);
    int code = library->async(zk, path, wake, &place);
    bool is_sent = code == ZOK;
    while (is_sent && sem_wait(&waiting.answered) != 0)
        ; /* a signal */
    sem_destroy(&waiting.answered);
    return is_sent ? waiting.code : code;
}

struct client_reply handle_call(const struct handle *handle, const struct request *request,
                                struct handle_answer *answer)
{
    const struct library *library = handle->library;
    zhandle_t *zk = handle->zk;
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length, code = ZBADARGUMENTS;
    zoo_op_t ops[REQUEST_PARTS_MAX];
    zoo_op_result_t results[REQUEST_PARTS_MAX];
    switch (request->operation) {
    case OP_CREATE:
        code = library->create(zk, path, value_of(request), length, library->acl,
                               flags_of[request->mode], answer->created, sizeof answer->created);
        return reply_created(code, answer->created);
    case OP_EXISTS:
        code = library->exists(zk, path, watch, &answer->stat);
        return reply_stat(code, &answer->stat);
    case OP_GET:
        length = HANDLE_VALUE_MAX;
        code = library->get(zk, path, watch, answer->value, &length, &answer->stat);
        return reply_data(code, answer->value, length, &answer->stat);
    case OP_GET_CHILDREN:
        code = library->get_children(zk, path, watch, &answer->names);
        return reply_names(code, &answer->names);
    case OP_SET:
        code = library->set(zk, path, value_of(request), length, request->version, &answer->stat);
        return reply_stat(code, &answer->stat);
    case OP_DELETE:
        code = library->remove(zk, path, request->version);
        break;
    case OP_SYNC:
        code = call_sync(library, zk, path);
        break;
    case OP_MULTI:
        code = ZINVALIDSTATE;
        if (set_operations(handle, request, ops))
            code = library->multi(zk, (int)request->part_count, ops, results);
        break;
    case OP_CHECK:
        break;
    }
    return reply_to(code);
}
