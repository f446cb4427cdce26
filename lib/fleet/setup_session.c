// SPDX-License-Identifier: Apache-2.0
#include "fleet/setup_session.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fleet/shared.h"
#include "wire/message.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 15000 /* of the session */
#define EXPIRY_NS  (TIMEOUT_MS * NS_PER_MS)
#define CLOSE_NS   (500 * NS_PER_MS)
#define ATTEMPTS   3
/* How often a wait checks whether private servers still run, and for signals. */
#define TURN_NS (100 * NS_PER_MS)
/* How long a reply may take before another request is sent, and the tag of that request. */
#define NUDGE_NS (1 * NS_PER_S)
#define NUDGE    1
/* How long servers that did not answer in time are waited for before another request. */
#define LATE_NS (1 * NS_PER_S)

/* ------------------------------------------------------------------ the loop */

uint64_t loop_now_ns(const struct loop *loop)
{
    return loop->sim != NULL ? sim_now_ns(loop->sim) : clock_now_ns();
}

bool loop_is_interrupted(int signals)
{
    struct pollfd interrupt = {.fd = signals, .events = POLLIN};
    return signals >= 0 && poll(&interrupt, 1, 0) > 0;
}

enum error_kind loop_turn(const struct loop *loop, uint64_t until_ns, struct error *error)
{
    if (loop->sim == NULL)
        return event_loop_poll(loop->event_loop, until_ns, error);
    if (sim_next_ns(loop->sim) <= until_ns)
        sim_step(loop->sim);
    else
        sim_advance(loop->sim, until_ns);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the session's callbacks */

static uint64_t now_ns(const struct setup_session *setup)
{
    return loop_now_ns(&setup->loop);
}

static void state_changed(void *owner, enum client_state state)
{
    struct setup_session *setup = owner;
    if (setup->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED) {
        setup->lost_ns = now_ns(setup);
        setup->traffic.losses++;
    }
    setup->state = state;
}

static void sent(void *owner, enum operation operation)
{
    struct setup_session *setup = owner;
    setup->traffic.requests++;
    setup->traffic.writes += operation != OP_EXISTS && operation != OP_GET &&
                             operation != OP_GET_CHILDREN && operation != OP_SYNC;
}

static void keep_names(struct setup_session *setup)
{
    struct client_reply *reply = &setup->reply;
    size_t bytes = reply->name_count * sizeof *setup->names + 1;
    for (size_t i = 0; i < reply->name_count; i++)
        bytes += strlen(reply->names[i]) + 1;
    free(setup->names);
    setup->names = memory_new(1, bytes);
    char *text = (char *)(setup->names + reply->name_count);
    for (size_t i = 0; i < reply->name_count; i++) {
        setup->names[i] = text;
        text = stpcpy(text, reply->names[i]) + 1;
    }
    reply->names = setup->names;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct setup_session *setup = owner;
    if (reply->tag == NUDGE)
        return;
    setup->reply = *reply;
    if (reply->operation == OP_GET_CHILDREN)
        keep_names(setup);
    if (reply->operation == OP_GET) {
        free(setup->value);
        setup->value = memory_copy(reply->value, reply->value_length);
        setup->value_length = reply->value_length;
    }
    setup->reply.path = setup->reply.value = NULL;
    setup->reply.value_length = 0;
}

static void notified(void *owner, enum client_event event, const char *path)
{
    const struct setup_session *setup = owner;
    if (setup->notified != NULL)
        setup->notified(setup->context, event, path);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ waiting */

static enum error_kind open_session(struct setup_session *setup, struct error *error)
{
    const struct loop *loop = &setup->loop;
    setup->state = CLIENT_CONNECTING;
    setup->lost_ns = now_ns(setup);
    if (loop->sim != NULL)
        return sim_open(loop->sim, 0, TIMEOUT_MS, 2, &listener, setup, &setup->client, error);
    return event_loop_open(loop->event_loop, setup->hosts, TIMEOUT_MS, 2, &listener, setup,
                           &setup->client, error);
}

/* One turn of a wait that lasts until until_ns at most: then ERROR_NO_ANSWER, "<why> <about>". */
static enum error_kind turn(struct setup_session *setup, uint64_t until_ns, const char *why,
                            const char *about, struct error *error)
{
    uint64_t turn_ns = now_ns(setup) + TURN_NS;
    struct error ignored;
    if (setup->beside != NULL)
        (void)!event_loop_poll(setup->beside, 0, &ignored);
    if (now_ns(setup) >= until_ns)
        return error_raise(error, ERROR_NO_ANSWER, 0, setup->servers, "%s %s", why, about);
    enum error_kind kind = loop_turn(&setup->loop, turn_ns < until_ns ? turn_ns : until_ns, error);
    return kind == ERROR_NONE ? ensemble_check(setup->ensemble, error) : kind;
}

/* Handles what has arrived since the last call, and waits until the session is established, for
 * patience_ns since the loss of the connection. An expired session is replaced. */
static enum error_kind await_connection(struct setup_session *setup, uint64_t patience_ns,
                                        const char *why, const char *about, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (setup->loop.event_loop != NULL)
        kind = event_loop_poll(setup->loop.event_loop, 0, error);
    while (kind == ERROR_NONE) {
        if (loop_is_interrupted(setup->interrupts))
            return error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
        if (setup->state == CLIENT_ESTABLISHED)
            break;
        if (setup->state == CLIENT_REFUSED)
            return error_raise(error, ERROR_REFUSED_IDENTITY, 0, setup->servers, "%s", "");
        if (setup->state != CLIENT_EXPIRED) {
            kind = turn(setup, setup->lost_ns + patience_ns, why, about, error);
            continue;
        }
        if (setup->loop.event_loop != NULL)
            event_loop_forget(setup->loop.event_loop);
        kind = open_session(setup, error);
    }
    return kind;
}

/* Waits for the replies to all that was sent, which may be ZK_CONNECTION_LOSS. */
static enum error_kind await_reply(struct setup_session *setup, const char *why, const char *about,
                                   struct error *error)
{
    uint64_t until_ns = now_ns(setup) + setup->timeout_ns;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && !setup_session_is_idle(setup)) {
        kind = turn(setup, until_ns, why, about, error);
        setup_session_nudge(setup);
    }
    return setup_session_is_idle(setup) ? ERROR_NONE : kind;
}

static void submit(struct setup_session *setup, const struct request *request)
{
    setup->nudged = false;
    client_submit(setup->client, request, 0);
}

void setup_session_nudge(struct setup_session *setup)
{
    const struct request nudge = {.operation = OP_EXISTS, .path = "/"};
    struct client *client = setup->client;
    if (setup->state != CLIENT_ESTABLISHED || client->outstanding == 0 || setup->nudged ||
        now_ns(setup) < client->sent_ns + NUDGE_NS)
        return;
    setup->nudged = true;
    client_submit(client, &nudge, NUDGE);
}

void setup_session_wake(struct setup_session *setup, const char *path)
{
    const struct request request = request_set(path, NULL, 0, REQUEST_ANY_VERSION);
    if (setup->state == CLIENT_ESTABLISHED && setup_session_is_idle(setup))
        submit(setup, &request);
    else
        setup_session_nudge(setup);
}

bool setup_session_is_idle(const struct setup_session *setup)
{
    return setup->client->outstanding == 0;
}

/* ------------------------------------------------------------------ its life */

/* Opens the session of one that is filled in otherwise, or frees it. */
static enum error_kind open_one(struct setup_session *made, uint64_t patience_ns,
                                struct setup_session **setup, struct error *error)
{
    char timeout[32];
    snprintf(timeout, sizeof timeout, "%.0f s", (double)patience_ns / 1e9);
    enum error_kind kind = open_session(made, error);
    if (kind == ERROR_NONE)
        kind = await_connection(made, patience_ns, "no session within", timeout, error);
    if (kind == ERROR_NONE)
        *setup = made;
    else
        setup_session_free(made);
    return kind;
}

/* The client library leaves a server that is silent for two thirds of the session's timeout for the
 * next one: a request that gave up before would never be asked there. */
enum error_kind setup_session_new(const struct connect_string *servers,
                                  const struct ensemble *ensemble, uint64_t timeout_ns,
                                  int interrupts, struct setup_session **setup, struct error *error)
{
    bool has_others = servers->count > 1;
    struct setup_session *made = memory_new(1, sizeof *made);
    *made = (struct setup_session){
        .interrupts = interrupts,
        .ensemble = ensemble,
        .timeout_ns = has_others && timeout_ns < EXPIRY_NS ? EXPIRY_NS : timeout_ns,
        .away_ns = has_others ? 2 * EXPIRY_NS : EXPIRY_NS,
    };
    connect_typed(servers, made->servers, sizeof made->servers);
    connect_format(servers, true, made->hosts, sizeof made->hosts);
    snprintf(made->chroot, sizeof made->chroot, "%s", servers->chroot);
    if (event_loop_new(1, servers->identity, &made->loop.event_loop, error) == ERROR_NONE)
        return open_one(made, has_others ? 2 * timeout_ns : timeout_ns, setup, error);
    free(made);
    return error->kind;
}

enum error_kind setup_session_new_simulated(struct sim *sim, uint64_t timeout_ns,
                                            struct setup_session **setup, struct error *error)
{
    struct setup_session *made = memory_new(1, sizeof *made);
    *made = (struct setup_session){.loop.sim = sim,
                                   .interrupts = -1,
                                   .servers = "simulation",
                                   .timeout_ns = timeout_ns,
                                   .away_ns = EXPIRY_NS};
    return open_one(made, timeout_ns, setup, error);
}

void setup_session_free(struct setup_session *setup)
{
    if (setup == NULL)
        return;
    if (setup->loop.event_loop != NULL)
        event_loop_close(setup->loop.event_loop, clock_now_ns() + CLOSE_NS);
    event_loop_free(setup->loop.event_loop);
    free(setup->names);
    free(setup->value);
    free(setup);
}

void setup_session_abandon(struct setup_session *setup)
{
    event_loop_abandon(setup->loop.event_loop);
}

uint64_t setup_session_pings(const struct setup_session *setup, uint64_t since_ns)
{
    const struct client *client = setup->client;
    uint32_t timeout_ms = client_timeout_ms(client);
    if (client->sent_ns < since_ns)
        return pings_most(now_ns(setup) - client->sent_ns, timeout_ms);
    /* How long the session had been silent at that time is not known. */
    return pings_most(now_ns(setup) - since_ns, timeout_ms) + 1;
}

bool setup_session_stayed(const struct setup_session *setup, uint64_t since_ns)
{
    return setup->state == CLIENT_ESTABLISHED && setup->lost_ns <= since_ns;
}

/* ------------------------------------------------------------------ asking */

/* Before each request. Waits for a connection until the session would have expired; with an
 * ensemble twice as long: when the host of a leader vanishes, the other servers wait in the
 * election (syncLimit, and 5 s for each connection), and the client library waits for two thirds of
 * the session's timeout before it tries the next server. */
static enum error_kind make_ready(struct setup_session *setup, const char *about,
                                  struct error *error)
{
    static const char why[] = "no connection in time, to ask about";
    enum error_kind kind = await_connection(setup, setup->away_ns, why, about, error);
    if (kind != ERROR_NONE || setup->mark[0] == '\0' ||
        client_session_id(setup->client) == setup->marked_session)
        return kind;
    /* The session that made the mark has expired. The status of the reply does not matter to the
     * request at hand. */
    const struct request mark = request_create(setup->mark, NULL, 0, EPHEMERAL);
    submit(setup, &mark);
    kind = await_reply(setup, "asked about", setup->mark, error);
    if (kind == ERROR_NONE && setup->reply.status != ZK_CONNECTION_LOSS)
        setup->marked_session = client_session_id(setup->client);
    return kind == ERROR_NONE ? await_connection(setup, setup->away_ns, why, about, error) : kind;
}

/* Sends a request about this path, and waits for the reply; nothing overtakes what was sent and is
 * not waited for. Servers that have not answered in time are asked again when they have answered
 * that, or another server has taken the session: else each request would take as long. */
enum error_kind setup_session_ask(struct setup_session *setup, const struct request *request,
                                  const char *about, struct error *error)
{
    uint64_t until_ns = now_ns(setup) + LATE_NS;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && setup->gave_up) {
        setup->gave_up = !setup_session_is_idle(setup) || setup->state == CLIENT_CONNECTING;
        if (setup->gave_up)
            kind = turn(setup, until_ns, "to an earlier request than that about", about, error);
    }
    if (kind == ERROR_NONE)
        kind = await_reply(setup, "to a request before that about", about, error);
    if (kind == ERROR_NONE)
        kind = make_ready(setup, about, error);
    if (kind == ERROR_NONE) {
        submit(setup, request);
        kind = await_reply(setup, "asked about", about, error);
    }
    setup->gave_up = kind == ERROR_NO_ANSWER || !setup_session_is_idle(setup);
    return kind;
}

/* The same for a request that may be sent twice. When a server dies, its whole ensemble closes its
 * connections for an election; a run that gave up then would leave its znodes behind. */
static enum error_kind ask(struct setup_session *setup, const struct request *request,
                           const char *about, struct error *error)
{
    enum error_kind kind;
    int attempts = 0;
    do
        kind = setup_session_ask(setup, request, about, error);
    while (kind == ERROR_NONE && setup->reply.status == ZK_CONNECTION_LOSS &&
           ++attempts < ATTEMPTS);
    return kind;
}

/* The permission that a request needs, and on which znode. */
static const char *const permissions[] = {
    [OP_CREATE] = "to create it takes the permission c of the znode above it",
    [OP_EXISTS] = "to read it takes the permission r",
    [OP_GET] = "to read it takes the permission r",
    [OP_GET_CHILDREN] = "to read it takes the permission r",
    [OP_SET] = "to write it takes the permission w",
    [OP_DELETE] = "to delete it takes the permission d of the znode above it",
    [OP_MULTI] = "to create it takes the permission c of the znode above it",
};

/* The error of a request that must succeed: `kind`, or what the reply's status means. */
static enum error_kind check_done(const struct setup_session *setup, enum error_kind kind,
                                  const char *asked, struct error *error)
{
    const struct client_reply *reply = &setup->reply;
    char path[sizeof setup->chroot + SETUP_SESSION_PATH_MAX];
    if (kind != ERROR_NONE)
        return kind;
    snprintf(path, sizeof path, "%s%s", setup->chroot,
             setup->chroot[0] != '\0' && strcmp(asked, "/") == 0 ? "" : asked);
    switch (reply->status) {
    case ZK_OK:
        return ERROR_NONE;
    case ZK_NO_NODE:
        return error_raise(error, ERROR_NO_CHROOT, 0, path, "a znode above it is missing");
    case ZK_NODE_EXISTS:
        return error_raise(error, ERROR_EXISTS, 0, path, "the znode is not this run's");
    case ZK_NO_AUTH:
        return error_raise(error, ERROR_FORBIDDEN, 0, path, "%s", permissions[reply->operation]);
    case ZK_REFUSED:
        return error_raise(error, ERROR_REFUSED_IDENTITY, 0, setup->servers, "%s", "");
    case ZK_CONNECTION_LOSS:
    case ZK_SESSION_EXPIRED:
        return error_raise(error, ERROR_SESSION_LOST, 0, path, "the driver's own session");
    default:
        if (reply->code == 0) /* without what a success has */
            return error_raise(error, ERROR_ZOOKEEPER, 0, path, "a reply that cannot be read");
        return error_raise(error, ERROR_ZOOKEEPER, 0, path, "%s (%d)",
                           message_error_name(reply->code), reply->code);
    }
}

/* The same for a request whose znode may be missing. */
static enum error_kind check_gone(const struct setup_session *setup, enum error_kind kind,
                                  const char *path, struct error *error)
{
    return setup->reply.status == ZK_NO_NODE ? kind : check_done(setup, kind, path, error);
}

enum error_kind setup_session_read(struct setup_session *setup, enum operation operation,
                                   const char *path, struct error *error)
{
    const struct request request = {.operation = operation, .path = path};
    return check_gone(setup, ask(setup, &request, path, error), path, error);
}

enum error_kind setup_session_exists(struct setup_session *setup, const char *path, bool *exists,
                                     struct error *error)
{
    if (setup_session_read(setup, OP_EXISTS, path, error))
        return error->kind;
    *exists = setup->reply.status == ZK_OK;
    return ERROR_NONE;
}

enum error_kind setup_session_list_children(struct setup_session *setup, const char *path,
                                            const char *const **names, size_t *count,
                                            struct error *error)
{
    if (setup_session_read(setup, OP_GET_CHILDREN, path, error))
        return error->kind;
    if (names != NULL)
        *names = setup->reply.names;
    *count = setup->reply.name_count;
    return ERROR_NONE;
}

enum error_kind setup_session_catch_up(struct setup_session *setup, const char *path,
                                       struct error *error)
{
    const struct request request = request_set(path, NULL, 0, REQUEST_ANY_VERSION);
    return check_done(setup, ask(setup, &request, path, error), path, error);
}

/* ------------------------------------------------------------------ creating
 *
 * A create is not sent twice: the second would find the znode of the first. */

static enum error_kind create(struct setup_session *setup, const struct request *request,
                              const char *path, struct error *error)
{
    return check_done(setup, setup_session_ask(setup, request, path, error), path, error);
}

enum error_kind setup_session_create(struct setup_session *setup, const char *path,
                                     const char *text, struct error *error)
{
    const struct request request = request_create(path, text, strlen(text), PERSISTENT);
    return create(setup, &request, path, error);
}

enum error_kind setup_session_create_marked(struct setup_session *setup, const char *path,
                                            const char *text, const char *mark, struct error *error)
{
    const struct request parts[] = {request_create(path, text, strlen(text), PERSISTENT),
                                    request_create(mark, NULL, 0, EPHEMERAL)};
    const struct request both = {.operation = OP_MULTI, .parts = parts, .part_count = 2};
    if (create(setup, &both, path, error))
        return error->kind;
    setup->marked_session = client_session_id(setup->client);
    snprintf(setup->mark, sizeof setup->mark, "%s", mark);
    return ERROR_NONE;
}

enum error_kind setup_session_create_numbered(struct setup_session *setup, const char *path,
                                              uint32_t count, struct error *error)
{
    char paths[REQUEST_PARTS_MAX][SETUP_SESSION_PATH_MAX];
    struct request parts[REQUEST_PARTS_MAX];
    for (uint32_t i = 0; i < count;) {
        struct request some = {.operation = OP_MULTI, .parts = parts};
        while (i < count && some.part_count < REQUEST_PARTS_MAX) {
            size_t part = some.part_count++;
            snprintf(paths[part], sizeof paths[part], "%s%u", path, i++);
            parts[part] = request_create(paths[part], NULL, 0, PERSISTENT);
        }
        if (create(setup, &some, path, error))
            return error->kind;
    }
    return ERROR_NONE;
}

enum error_kind setup_session_try(struct setup_session *setup, const char *path,
                                  struct error *error)
{
    const struct request creation = request_create(path, NULL, 0, EPHEMERAL),
                         deletion = request_delete(path);
    if (create(setup, &creation, path, error))
        return error->kind;
    return check_gone(setup, ask(setup, &deletion, path, error), path, error);
}

/* ------------------------------------------------------------------ deleting */

/* Deletes children of a znode, at most REQUEST_PARTS_MAX with or without the znode itself: in one
 * transaction, or without the znode one by one if a child has children or is missing. *with_parent
 * then becomes false. */
static enum error_kind delete_some(struct setup_session *setup, const char *parent,
                                   const char *const *names, size_t count, bool *with_parent,
                                   struct error *error)
{
    char paths[REQUEST_PARTS_MAX][SETUP_SESSION_PATH_MAX];
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
    if (kind != ERROR_NONE || setup->reply.status == ZK_OK)
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
        if (kind != ERROR_NONE || setup->reply.status == ZK_NO_NODE)
            return kind;
        const char **names = setup->names; /* the next list would free them */
        size_t count = setup->reply.name_count;
        setup->names = NULL;
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
    } while (kind == ERROR_NONE && setup->reply.status == ZK_NOT_EMPTY);
    return check_gone(setup, kind, path, error);
}
