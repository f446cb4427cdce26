// SPDX-License-Identifier: Apache-2.0
#include "fleet/setup_session.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fleet/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPIRY_NS (SYNC_SESSION_TIMEOUT_MS * NS_PER_MS)
#define ATTEMPTS  3

/* ------------------------------------------------------------------ the session */

static enum zk_status status(const struct setup_session *setup)
{
    return setup->session.reply.status;
}

static uint64_t now_ns(const struct setup_session *setup)
{
    return loop_now_ns(&setup->session.loop);
}

static void hear(void *flag)
{
    *(bool *)flag = true;
}

/* Waits for the session, until the owner interrupts. */
static enum error_kind connect_first(struct setup_session *setup, uint64_t patience_ns,
                                     struct error *error)
{
    struct sync_session *session = &setup->session;
    char timeout[32];
    const struct sync_session_limit limit = {
        .until_ns = now_ns(setup) + patience_ns, .why = "no session within", .about = timeout};
    snprintf(timeout, sizeof timeout, "%.0f s", (double)patience_ns / 1e9);
    if (setup->interrupts < 0)
        return sync_session_connect(session, limit, error);
    enum error_kind kind = event_loop_watch(session->loop.event_loop, setup->interrupts, hear,
                                            &session->interrupted, error);
    if (kind == ERROR_NONE)
        kind = sync_session_connect(session, limit, error);
    event_loop_unwatch(session->loop.event_loop, setup->interrupts);
    session->interrupted = false;
    return kind;
}

/* With these servers, or with NULL in the simulation. */
static enum error_kind open_one(const struct connect_string *servers,
                                const struct ensemble *ensemble, struct sim *sim,
                                uint64_t timeout_ns, int interrupts, struct setup_session **setup,
                                struct error *error)
{
    struct setup_session *made = memory_new(1, sizeof *made);
    /* The client library leaves a server that is silent for the next one. */
    uint64_t servers_tried = servers != NULL && servers->count > 1 ? 2 : 1;
    made->timeout_ns = timeout_ns;
    made->away_ns = servers_tried * EXPIRY_NS;
    made->interrupts = interrupts;
    snprintf(made->chroot, sizeof made->chroot, "%s", servers != NULL ? servers->chroot : "");
    enum error_kind kind = sync_session_open(&made->session, servers, sim, error);
    made->session.ensemble = ensemble;
    if (kind == ERROR_NONE)
        kind = connect_first(made, servers_tried * timeout_ns, error);
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

static struct sync_session_limit reply_limit(const struct setup_session *setup, const char *why,
                                             const char *about)
{
    return (struct sync_session_limit){
        .until_ns = now_ns(setup) + setup->timeout_ns, .why = why, .about = about};
}

/* Before each request. Waits for a connection until the session would have expired; with an
 * ensemble twice as long: when the host of a leader vanishes, the other servers wait in the
 * election (syncLimit, and 5 s for each connection), and the client library waits for two thirds of
 * the session's timeout before it tries the next server. */
static enum error_kind make_ready(struct setup_session *setup, const char *about,
                                  struct error *error)
{
    struct sync_session *session = &setup->session;
    const struct sync_session_limit limit = {.since_loss_ns = setup->away_ns,
                                             .why = "no connection in time, to ask about",
                                             .about = about};
    if (loop_is_interrupted(setup->interrupts))
        return error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    enum error_kind kind = sync_session_connect(session, limit, error);
    if (kind != ERROR_NONE || setup->mark[0] == '\0' ||
        client_session_id(session->client) == setup->marked_session)
        return kind;
    /* The session that made the mark has expired. The status of the reply does not matter to the
     * request at hand. */
    const struct request mark = request_create(setup->mark, NULL, 0, EPHEMERAL);
    const struct sync_session_limit reply = reply_limit(setup, "asked about", setup->mark);
    kind = sync_session_ask(session, &mark, &reply, error);
    if (kind == ERROR_NONE && status(setup) != ZK_CONNECTION_LOSS)
        setup->marked_session = client_session_id(session->client);
    return kind == ERROR_NONE ? sync_session_connect(session, limit, error) : kind;
}

/* Sends a request about this path, and waits for the reply; nothing overtakes what was sent and is
 * not waited for. Servers that have not answered once in time are not asked again: each request
 * would take as long. */
static enum error_kind ask_once(struct setup_session *setup, const struct request *request,
                                const char *about, struct error *error)
{
    struct sync_session *session = &setup->session;
    if (setup->gave_up)
        return error_raise(error, ERROR_NO_ANSWER, 0, session->servers,
                           "to an earlier request than that about %s", about);
    enum error_kind kind = ERROR_NONE;
    struct sync_session_limit limit = reply_limit(setup, "to a request before that about", about);
    if (!setup_session_is_idle(setup))
        kind = sync_session_await_reply(session, &limit, error);
    if (kind == ERROR_NONE)
        kind = make_ready(setup, about, error);
    limit = reply_limit(setup, "asked about", about);
    if (kind == ERROR_NONE)
        kind = sync_session_ask(session, request, &limit, error);
    setup->gave_up = kind == ERROR_NO_ANSWER || !setup_session_is_idle(setup);
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
    char path[sizeof setup->chroot + SYNC_SESSION_PATH_MAX];
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
    case ZK_REFUSED:
        return error_raise(error, ERROR_REFUSED_IDENTITY, 0, setup->session.servers, "%s", "");
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
    char parent[SYNC_SESSION_PATH_MAX];
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

enum error_kind setup_session_try(struct setup_session *setup, const char *path,
                                  struct error *error)
{
    const struct request creation = request_create(path, NULL, 0, EPHEMERAL),
                         deletion = request_delete(path);
    if (check_done(setup, ask_once(setup, &creation, path, error), path, error))
        return error->kind;
    return check_gone(setup, ask(setup, &deletion, path, error), path, error);
}

enum error_kind setup_session_create_numbered(struct setup_session *setup, const char *path,
                                              uint32_t count, struct error *error)
{
    char paths[REQUEST_PARTS_MAX][SYNC_SESSION_PATH_MAX];
    struct request parts[REQUEST_PARTS_MAX];
    enum error_kind kind = ERROR_NONE;
    for (uint32_t i = 0; kind == ERROR_NONE && i < count;) {
        struct request some = {.operation = OP_MULTI, .parts = parts};
        while (i < count && some.part_count < REQUEST_PARTS_MAX) {
            size_t part = some.part_count++;
            snprintf(paths[part], sizeof paths[part], "%s%u", path, i++);
            parts[part] = request_create(paths[part], NULL, 0, PERSISTENT);
        }
        kind = check_done(setup, ask_once(setup, &some, path, error), path, error);
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

/* ------------------------------------------------------------------ what is not waited for */

void setup_session_wake(struct setup_session *setup, const char *path)
{
    struct sync_session *session = &setup->session;
    const struct request request = request_set(path, NULL, 0, REQUEST_ANY_VERSION);
    if (session->state == CLIENT_ESTABLISHED && setup_session_is_idle(setup))
        sync_session_send(session, &request);
    else
        sync_session_nudge(session);
}

bool setup_session_is_idle(const struct setup_session *setup)
{
    return setup->session.client->outstanding == 0;
}

/* ------------------------------------------------------------------ clearing away */

/* Deletes children of a znode, at most REQUEST_PARTS_MAX with or without the znode itself: in one
 * transaction, or without the znode one by one if a child has children or is missing. *with_parent
 * then becomes false. */
static enum error_kind delete_some(struct setup_session *setup, const char *parent,
                                   const char *const *names, size_t count, bool *with_parent,
                                   struct error *error)
{
    char paths[REQUEST_PARTS_MAX][SYNC_SESSION_PATH_MAX];
    struct request parts[REQUEST_PARTS_MAX];
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(paths[i], sizeof paths[i], "%s/%s", parent, names[i]);
        if ((size_t)length >= sizeof paths[i]) /* somebody else's: a run's own are short */
            return error_raise(error, ERROR_LEFT_BEHIND, 0, parent,
                               "zkherd cannot delete a znode there, whose name is too long: %.60s",
                               names[i]);
        parts[i] = request_delete(paths[i]);
    }
    if (*with_parent)
        parts[count] = request_delete(parent);
    const struct request all = {
        .operation = OP_MULTI, .parts = parts, .part_count = count + *with_parent};
    enum error_kind kind = ask(setup, &all, parent, error);
    if (kind != ERROR_NONE || status(setup) == ZK_OK)
        return kind;
    *with_parent = false;
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = setup_session_delete_tree(setup, paths[i], error);
    return kind;
}

/* Recursion is safe: a run's znodes are four levels deep (root, trial, lock, its znodes). */
enum error_kind setup_session_delete_tree(struct setup_session *setup, const char *path,
                                          struct error *error)
{
    const struct request list = {.operation = OP_GET_CHILDREN, .path = path},
                         deletion = request_delete(path);
    enum error_kind kind;
    do {
        kind = ask(setup, &list, path, error);
        if (kind != ERROR_NONE || status(setup) == ZK_NO_NODE)
            return kind;
        const char **names = setup->session.names; /* the next list would free them */
        size_t count = setup->session.reply.name_count;
        setup->session.names = NULL;
        bool is_gone = false;
        for (size_t i = 0, some; kind == ERROR_NONE && i < count; i += some) {
            some = count - i < REQUEST_PARTS_MAX ? count - i : REQUEST_PARTS_MAX;
            is_gone = some < REQUEST_PARTS_MAX;
            kind = delete_some(setup, path, names + i, some, &is_gone, error);
        }
        free(names);
        if (is_gone || kind != ERROR_NONE)
            return kind;
        kind = ask(setup, &deletion, path, error);
    } while (kind == ERROR_NONE && status(setup) == ZK_NOT_EMPTY);
    return check_gone(setup, kind, path, error);
}
