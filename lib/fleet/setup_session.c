// SPDX-License-Identifier: Apache-2.0
#include "fleet/setup_session.h"

#include "base/clock.h"
#include "fleet/pings.h"
#include "fleet/sync_session.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PURPOSE        "run"
#define EXPIRY_NS      (SYNC_SESSION_TIMEOUT_MS * NS_PER_MS)
#define PATH_MAX_BYTES 512
#define ATTEMPTS       3

struct setup_session {
    struct sync_session session;
    uint64_t timeout_ns;
    uint64_t away_ns;          /* how long to wait for a connection */
    int interrupts;            /* see setup_session_heed */
    bool gave_up;              /* the servers have not answered a request */
    char mark[PATH_MAX_BYTES]; /* the run's ephemeral znode, or "" */
    int64_t marked_session;    /* the session that made the mark */
    char chroot[sizeof((struct connect_string *)0)->chroot]; /* before every path */
};

/* ------------------------------------------------------------------ the session */

static enum zk_status status(const struct setup_session *setup)
{
    return setup->session.reply.status;
}

static uint64_t now_ns(const struct setup_session *setup)
{
    return loop_now_ns(&setup->session.loop);
}

static enum error_kind await_session(struct setup_session *setup, struct error *error)
{
    char timeout[32];
    snprintf(timeout, sizeof timeout, "%.0f s", (double)setup->timeout_ns / 1e9);
    const struct sync_session_limit limit = {.until_ns = now_ns(setup) + setup->timeout_ns,
                                             .why = "no session within",
                                             .about = timeout};
    return sync_session_connect(&setup->session, limit, error);
}

static void hear(void *flag)
{
    *(bool *)flag = true;
}

/* Ends the wait for the session when the owner is to be interrupted. */
static enum error_kind await_first_session(struct setup_session *setup, struct error *error)
{
    struct sync_session *session = &setup->session;
    struct event_loop *events = session->loop.event_loop;
    if (setup->interrupts < 0)
        return await_session(setup, error);
    enum error_kind kind =
        event_loop_watch(events, setup->interrupts, hear, &session->interrupted, error);
    if (kind == ERROR_NONE)
        kind = await_session(setup, error);
    event_loop_unwatch(events, setup->interrupts);
    session->interrupted = false;
    return kind;
}

/* With these servers, or with NULL in the simulation. */
static enum error_kind open_one(const struct connect_string *servers,
                                const struct ensemble *ensemble, struct sim *sim,
                                uint64_t timeout_ns, int interrupts, struct setup_session **setup,
                                struct error *error)
{
    struct setup_session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "session", "%s", "");
    made->timeout_ns = timeout_ns;
    made->away_ns = (servers != NULL && servers->count > 1 ? 2 : 1) * EXPIRY_NS;
    made->interrupts = interrupts;
    snprintf(made->chroot, sizeof made->chroot, "%s", servers != NULL ? servers->chroot : "");
    enum error_kind kind = sync_session_open(&made->session, PURPOSE, servers, sim, error);
    made->session.ensemble = ensemble;
    if (kind == ERROR_NONE)
        kind = await_first_session(made, error);
    if (kind == ERROR_NONE)
        *setup = made;
    else
        setup_session_free(made);
    return kind;
}

enum error_kind setup_session_new(const struct connect_string *servers,
                                  const struct ensemble *ensemble, uint64_t timeout_ns,
                                  int interrupts, struct setup_session **setup, struct error *error)
{
    return open_one(servers, ensemble, NULL, timeout_ns, interrupts, setup, error);
}

enum error_kind setup_session_new_simulated(struct sim *sim, uint64_t timeout_ns,
                                            struct setup_session **setup, struct error *error)
{
    return open_one(NULL, NULL, sim, timeout_ns, -1, setup, error);
}

void setup_session_free(struct setup_session *setup)
{
    if (setup == NULL)
        return;
    sync_session_close(&setup->session);
    free(setup);
}

void setup_session_abandon(struct setup_session *setup)
{
    event_loop_abandon(setup->session.loop.event_loop);
}

void setup_session_heed(struct setup_session *setup, int interrupts)
{
    setup->interrupts = interrupts;
}

const struct loop *setup_session_loop(const struct setup_session *setup)
{
    return &setup->session.loop;
}

void setup_session_server(const struct setup_session *setup, char *text, size_t size)
{
    client_server(setup->session.client, text, size);
}

uint64_t setup_session_requests(const struct setup_session *setup)
{
    return setup->session.requests;
}

uint64_t setup_session_pings(const struct setup_session *setup, uint64_t since_ns)
{
    const struct client *client = setup->session.client;
    uint32_t timeout_ms = client_timeout_ms(client);
    if (client->sent_ns < since_ns)
        return pings_most(now_ns(setup) - client->sent_ns, timeout_ms);
    /* How long the session had been silent at that time is not known. */
    return pings_most(now_ns(setup) - since_ns, timeout_ms) + 1;
}

bool setup_session_stayed(const struct setup_session *setup, uint64_t since_ns)
{
    return setup->session.state == CLIENT_ESTABLISHED && setup->session.lost_ns <= since_ns;
}

/* ------------------------------------------------------------------ asking */

static bool is_interrupted(const struct setup_session *setup)
{
    struct pollfd descriptor = {.fd = setup->interrupts, .events = POLLIN};
    return setup->interrupts >= 0 && poll(&descriptor, 1, 0) > 0;
}

/* Makes the mark again if the session that made it has expired. The status of the reply does not
 * matter to the request at hand. */
static enum error_kind renew_mark(struct setup_session *setup, struct error *error)
{
    struct sync_session *session = &setup->session;
    const struct request request = request_create(setup->mark, NULL, 0, EPHEMERAL);
    const struct sync_session_limit limit = {
        .until_ns = now_ns(setup) + setup->timeout_ns, .why = "asked about", .about = setup->mark};
    if (setup->mark[0] == '\0' || client_session_id(session->client) == setup->marked_session)
        return ERROR_NONE;
    enum error_kind kind = sync_session_ask(session, &request, &limit, error);
    if (kind == ERROR_NONE && status(setup) != ZK_CONNECTION_LOSS)
        setup->marked_session = client_session_id(session->client);
    return kind;
}

/* Before each request. Waits for a connection until the session would have expired; with an
 * ensemble twice as long: when the host of a leader vanishes, the other servers wait in the
 * election (syncLimit, and 5 s for each connection), and the client library waits for two thirds of
 * the session's timeout before it tries the next server. */
static enum error_kind make_ready(struct setup_session *setup, const char *about,
                                  struct error *error)
{
    struct sync_session *session = &setup->session;
    if (setup->gave_up)
        return error_raise(error, ERROR_NO_ANSWER, 0, session->servers,
                           "to an earlier request than that about %s", about);
    if (is_interrupted(setup))
        return error_raise(error, ERROR_INTERRUPTED, 0, PURPOSE, "%s", "");
    const struct sync_session_limit limit = {.since_loss_ns = setup->away_ns,
                                             .why = "no connection in time, to ask about",
                                             .about = about};
    enum error_kind kind = sync_session_connect(session, limit, error);
    if (kind == ERROR_NONE)
        kind = renew_mark(setup, error);
    return kind == ERROR_NONE ? sync_session_connect(session, limit, error) : kind;
}

/* Sends a request about this path, and waits for the reply. Servers that have not answered once in
 * time are not asked again: each request would take as long. */
static enum error_kind ask_once(struct setup_session *setup, const struct request *request,
                                const char *about, struct error *error)
{
    enum error_kind kind = make_ready(setup, about, error);
    const struct sync_session_limit limit = {
        .until_ns = now_ns(setup) + setup->timeout_ns, .why = "asked about", .about = about};
    if (kind == ERROR_NONE)
        kind = sync_session_ask(&setup->session, request, &limit, error);
    setup->gave_up = kind == ERROR_NO_ANSWER || setup->session.client->outstanding;
    return kind;
}

/* The same for a request that may be sent twice. When a server dies, its whole ensemble closes its
 * connections for an election; a run that gave up then would leave its znodes behind. */
static enum error_kind ask(struct setup_session *setup, const struct request *request,
                           const char *about, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        kind = ask_once(setup, request, about, error);
        if (kind != ERROR_NONE || status(setup) != ZK_CONNECTION_LOSS)
            return kind;
    }
    return kind;
}

/* The permission that a request needs, and on which znode. */
static const char *permission_for(enum operation operation)
{
    switch (operation) {
    case OP_CREATE:
    case OP_MULTI: /* setup_session_create_marked */
        return "to create it takes the permission c of the znode above it";
    case OP_DELETE:
        return "to delete it takes the permission d of the znode above it";
    case OP_SET:
        return "to write it takes the permission w";
    default:
        return "to read it takes the permission r";
    }
}

/* The error of a request that must succeed: `kind`, or what the reply's status means. */
static enum error_kind check_done(const struct setup_session *setup, enum error_kind kind,
                                  const char *asked, struct error *error)
{
    char path[sizeof setup->chroot + PATH_MAX_BYTES];
    if (kind != ERROR_NONE)
        return kind;
    snprintf(path, sizeof path, "%s%s", setup->chroot,
             setup->chroot[0] != '\0' && strcmp(asked, "/") == 0 ? "" : asked);
    switch (status(setup)) {
    case ZK_OK:
        return ERROR_NONE;
    case ZK_NO_NODE:
        return error_raise(error, ERROR_NO_CHROOT, 0, path, "a znode above it is missing");
    case ZK_NODE_EXISTS:
        return error_raise(error, ERROR_EXISTS, 0, path, "the znode is not this run's");
    case ZK_NO_AUTH:
        return error_raise(error, ERROR_FORBIDDEN, 0, path, "%s",
                           permission_for(setup->session.reply.operation));
    case ZK_CONNECTION_LOSS:
    case ZK_SESSION_EXPIRED:
        return error_raise(error, ERROR_SESSION_LOST, 0, path, "the driver's own session");
    default:
        return error_raise(error, ERROR_ZOOKEEPER, 0, path, "%s", "");
    }
}

/* The same for a request whose znode may be missing. */
static enum error_kind check_gone(const struct setup_session *setup, enum error_kind kind,
                                  const char *path, struct error *error)
{
    return status(setup) == ZK_NO_NODE ? kind : check_done(setup, kind, path, error);
}

enum error_kind setup_session_create(struct setup_session *setup, const char *path,
                                     struct error *error)
{
    return setup_session_create_holding(setup, path, "", error);
}

enum error_kind setup_session_create_parent(struct setup_session *setup, const char *path,
                                            struct error *error)
{
    char parent[PATH_MAX_BYTES];
    int length = (int)(strrchr(path, '/') - path);
    if (setup->session.loop.sim == NULL || length == 0)
        return ERROR_NONE;
    snprintf(parent, sizeof parent, "%.*s", length, path);
    return setup_session_create(setup, parent, error);
}

/* A create is not sent twice: the second would find the znode of the first. */
enum error_kind setup_session_create_holding(struct setup_session *setup, const char *path,
                                             const char *text, struct error *error)
{
    const struct request request = request_create(path, text, strlen(text), PERSISTENT);
    return check_done(setup, ask_once(setup, &request, path, error), path, error);
}

enum error_kind setup_session_create_marked(struct setup_session *setup, const char *path,
                                            const char *text, const char *mark, struct error *error)
{
    const struct request parts[] = {request_create(path, text, strlen(text), PERSISTENT),
                                    request_create(mark, NULL, 0, EPHEMERAL)};
    const struct request both = {.operation = OP_MULTI, .parts = parts, .part_count = 2};
    enum error_kind kind = check_done(setup, ask_once(setup, &both, path, error), path, error);
    if (kind != ERROR_NONE)
        return kind;
    setup->marked_session = client_session_id(setup->session.client);
    snprintf(setup->mark, sizeof setup->mark, "%s", mark);
    return ERROR_NONE;
}

/* The next ones, as many as a transaction has room for. */
static enum error_kind create_some(struct setup_session *setup, const char *path, uint32_t first,
                                   uint32_t count, struct error *error)
{
    char paths[REQUEST_PARTS_MAX][PATH_MAX_BYTES];
    struct request parts[REQUEST_PARTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s%u", path, first + i);
        parts[i] = request_create(paths[i], NULL, 0, PERSISTENT);
    }
    const struct request all = {.operation = OP_MULTI, .parts = parts, .part_count = count};
    return check_done(setup, ask_once(setup, &all, path, error), path, error);
}

enum error_kind setup_session_create_numbered(struct setup_session *setup, const char *path,
                                              uint32_t count, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (uint32_t i = 0; kind == ERROR_NONE && i < count; i += REQUEST_PARTS_MAX) {
        uint32_t left = count - i;
        kind =
            create_some(setup, path, i, left < REQUEST_PARTS_MAX ? left : REQUEST_PARTS_MAX, error);
    }
    return kind;
}

enum error_kind setup_session_catch_up(struct setup_session *setup, const char *path,
                                       struct error *error)
{
    const struct request request = request_set(path, NULL, 0, REQUEST_ANY_VERSION);
    return check_done(setup, ask(setup, &request, path, error), path, error);
}

static enum error_kind look(struct setup_session *setup, enum operation operation, const char *path,
                            struct error *error)
{
    const struct request request = {.operation = operation, .path = path};
    return check_gone(setup, ask(setup, &request, path, error), path, error);
}

enum error_kind setup_session_read(struct setup_session *setup, const char *path, char *text,
                                   size_t size, struct error *error)
{
    enum error_kind kind = look(setup, OP_GET, path, error);
    if (kind == ERROR_NONE)
        snprintf(text, size, "%s", setup->session.value);
    return kind;
}

enum error_kind setup_session_exists(struct setup_session *setup, const char *path, bool *exists,
                                     struct error *error)
{
    enum error_kind kind = look(setup, OP_EXISTS, path, error);
    if (kind == ERROR_NONE)
        *exists = status(setup) == ZK_OK;
    return kind;
}

enum error_kind setup_session_list_children(struct setup_session *setup, const char *path,
                                            const char *const **names, size_t *count,
                                            struct error *error)
{
    enum error_kind kind = look(setup, OP_GET_CHILDREN, path, error);
    if (kind == ERROR_NONE) {
        if (names != NULL)
            *names = setup->session.reply.names;
        *count = setup->session.reply.name_count;
    }
    return kind;
}

/* ------------------------------------------------------------------ clearing away */

/* Deletes a znode and its children in one transaction, if the children are few and leaves; else, or
 * if that fails, one after another. */
static enum error_kind delete_folder(struct setup_session *setup, const char *path,
                                     struct error *error)
{
    char paths[REQUEST_PARTS_MAX][PATH_MAX_BYTES];
    struct request parts[REQUEST_PARTS_MAX];
    const char *const *names = NULL;
    size_t count = 0;
    enum error_kind kind = setup_session_list_children(setup, path, &names, &count, error);
    if (kind != ERROR_NONE || count >= REQUEST_PARTS_MAX)
        return setup_session_delete_tree(setup, path, error);
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", path, names[i]);
        parts[i] = request_delete(paths[i]);
    }
    parts[count] = request_delete(path);
    const struct request all = {.operation = OP_MULTI, .parts = parts, .part_count = count + 1};
    kind = ask(setup, &all, path, error);
    return kind != ERROR_NONE || status(setup) == ZK_OK
               ? kind
               : setup_session_delete_tree(setup, path, error);
}

/* Deletes at most REQUEST_PARTS_MAX znodes, together if all are leaves, as most are; else, or if
 * one is missing, each with its children. */
static enum error_kind delete_some(struct setup_session *setup, const char *parent,
                                   const char *const *names, size_t count, struct error *error)
{
    char paths[REQUEST_PARTS_MAX][PATH_MAX_BYTES];
    struct request parts[REQUEST_PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", parent, names[i]);
        parts[i] = request_delete(paths[i]);
    }
    const struct request all = {.operation = OP_MULTI, .parts = parts, .part_count = count};
    enum error_kind kind = ask(setup, &all, parent, error);
    if (kind != ERROR_NONE || status(setup) == ZK_OK)
        return kind;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = delete_folder(setup, paths[i], error);
    return kind;
}

/* Recursion is safe: a run's znodes are four levels deep (root, trial, lock, its znodes). */
static enum error_kind delete_children(struct setup_session *setup, const char *path,
                                       struct error *error)
{
    struct sync_session *session = &setup->session;
    enum error_kind kind = look(setup, OP_GET_CHILDREN, path, error);
    if (kind != ERROR_NONE)
        return kind;
    const char **names = session->names; /* the next list would free them */
    size_t count = session->reply.name_count;
    session->names = NULL;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i += REQUEST_PARTS_MAX) {
        size_t left = count - i;
        kind = delete_some(setup, path, names + i,
                           left < REQUEST_PARTS_MAX ? left : REQUEST_PARTS_MAX, error);
    }
    free(names);
    return kind;
}

/* Most znodes are leaves: children are listed only after ZK_NOT_EMPTY. */
enum error_kind setup_session_delete_tree(struct setup_session *setup, const char *path,
                                          struct error *error)
{
    const struct request request = request_delete(path);
    enum error_kind kind = ask(setup, &request, path, error);
    while (kind == ERROR_NONE && status(setup) == ZK_NOT_EMPTY) {
        kind = delete_children(setup, path, error);
        if (kind == ERROR_NONE)
            kind = ask(setup, &request, path, error);
    }
    return check_gone(setup, kind, path, error);
}
