// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/wire.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const struct client_driver sim_session_driver;

#define HANDSHAKE_HOPS     2  /* of TCP, before the first message */
#define PAUSES_PER_TIMEOUT 60 /* the pause after the last server is this part of the timeout */

/* ------------------------------------------------------------------ to the server */

static void send(struct sim_session *session, struct message *message, uint64_t bytes)
{
    struct sim *sim = session->sim;
    message->connection = session->connection;
    message->server = session->server;
    session->sent_bytes += bytes;
    session->up_ns = sim_later(session->up_ns, sim->now_ns + sim_hop_ns(sim));
    sim_at(sim, session->up_ns, sim_server_receive, message);
}

static void send_bare(struct sim_session *session, enum message_kind kind, uint64_t bytes)
{
    send(session, message_new(&session->sim->paths, kind, session), bytes);
}

/* Also an entry of the agenda, after a pause. */
static void connect(void *context)
{
    struct sim_session *session = context;
    struct sim *sim = session->sim;
    enum message_kind kind = session->connection == 1 ? MESSAGE_OPEN : MESSAGE_REOPEN;
    if (session->client.silent)
        return;
    session->sent_bytes = 0;
    session->received_bytes = 0;
    for (int i = 0; i < HANDSHAKE_HOPS; i++)
        session->up_ns = sim_later(session->up_ns, sim->now_ns) + sim_hop_ns(sim);
    struct message *message = message_new(&sim->paths, kind, session);
    message->seen_zxid = session->seen_zxid;
    send(session, message, WIRE_CONNECT_REQUEST);
}

/* Connects to the next server; after the last one there is a pause. */
static void reconnect(struct sim_session *session)
{
    struct sim *sim = session->sim;
    session->state = CLIENT_CONNECTING;
    session->connection++;
    session->server = (session->server + 1) % sim->options.servers;
    if (session->server != session->first_server)
        connect(session);
    else
        sim_at(sim, sim->now_ns + session->timeout_ms * NS_PER_MS / PAUSES_PER_TIMEOUT, connect,
               session);
}

enum error_kind sim_open(struct sim *sim, unsigned server, uint32_t timeout_ms, uint32_t depth,
                         const struct client_listener *listener, void *owner,
                         struct client **client, struct error *error)
{
    assert(server < sim->options.servers);
    struct sim_session *session = pool_alloc(&sim->pool, sizeof *session);
    *session = (struct sim_session){
        .client = {.driver = &sim_session_driver, .listener = listener, .owner = owner},
        .sim = sim,
        .number = sim->session_count + 1,
        .timeout_ms = timeout_ms,
        .connection = 1,
        .server = server,
        .first_server = server,
    };
    enum error_kind kind = client_init(&session->client, depth, error);
    if (kind != ERROR_NONE) {
        pool_give(session);
        return kind;
    }
    sim->session_count++;
    sim->sessions = pool_grow(&sim->pool, sim->sessions, &sim->session_capacity, session->number,
                              sizeof(struct sim_session *));
    sim->sessions[session->number] = session;
    connect(session);
    *client = &session->client;
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ to the listener */

static void change_state(struct sim_session *session, enum client_state state)
{
    session->state = state;
    if (!session->client.silent)
        session->client.listener->state_changed(session->client.owner, state);
}

static void fail_oldest(struct sim_session *session, uint32_t count, enum zk_status status)
{
    for (; count > 0; count--)
        client_deliver_reply(&session->client, &(struct client_reply){.status = status});
}

/* A request that the listener makes in state_changed does not fail. */
static void change_state_and_fail(struct sim_session *session, enum client_state state,
                                  enum zk_status status)
{
    uint32_t outstanding = session->client.outstanding;
    session->cut = false;
    message_queue_clear(&session->waiting, &session->sim->paths);
    change_state(session, state);
    fail_oldest(session, outstanding, status);
}

/* An entry of the agenda: a reply never comes from inside the call. */
static void refuse(void *context)
{
    fail_oldest(context, 1, ZK_SESSION_EXPIRED);
}

static void lose_connection(struct sim_session *session)
{
    send_bare(session, MESSAGE_DISCONNECT, 0);
    reconnect(session);
    change_state_and_fail(session, CLIENT_CONNECTING, ZK_CONNECTION_LOSS);
}

/* ------------------------------------------------------------------ from the server */

static void established(struct sim_session *session)
{
    struct sim *sim = session->sim;
    session->state = CLIENT_ESTABLISHED;
    if (watches_of(&sim->client_watches, session->number) != NULL) {
        struct message *message = message_new(&sim->paths, MESSAGE_WATCHES, session);
        message->seen_zxid = session->seen_zxid;
        message_fill_watches(message, &sim->paths, &sim->client_watches, session->number);
        send(session, message, message->request_bytes);
    }
    struct message *message;
    while ((message = message_queue_pop(&session->waiting)) != NULL)
        send(session, message, message->request_bytes);
    change_state(session, CLIENT_ESTABLISHED);
}

static void remember_watch(const struct sim_session *session, const struct message *message)
{
    static const enum watch_kind kinds[] = {
        [OP_EXISTS] = WATCH_DATA, [OP_GET] = WATCH_DATA, [OP_GET_CHILDREN] = WATCH_CHILD};
    struct watches *watches = &session->sim->client_watches;
    if (message->watch != WATCH)
        return;
    if (message->status == ZK_OK)
        watches_add(watches, session->number, message->one.path, kinds[message->operation]);
    else if (message->status == ZK_NO_NODE && message->operation == OP_EXISTS)
        watches_add(watches, session->number, message->one.path, WATCH_ABSENT);
}

static void deliver_reply(struct sim_session *session, const struct message *message)
{
    session->seen_zxid = message->zxid;
    remember_watch(session, message);
    struct client_reply reply = {.status = message->status};
    if (message->status == ZK_OK) {
        reply.version = message->version;
        reply.owner = message->owner;
        if (message->names != NULL) {
            reply.names = message->names->texts;
            reply.name_count = message->names->count;
        }
        if (message->operation == OP_CREATE)
            reply.path = message->one.path->text;
        if (message->value != NULL) {
            reply.value = message->value->bytes;
            reply.value_length = message->value->length;
        }
    }
    client_deliver_reply(&session->client, &reply);
}

/* Forgets the watches of an event; false if the client remembers none. */
static bool forget_watches(const struct sim_session *session, const struct message *message)
{
    static const bool of_event[][WATCH_KINDS] = {
        [EVENT_CREATED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true},
        [EVENT_DELETED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true, [WATCH_CHILD] = true},
        [EVENT_CHANGED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true},
        [EVENT_CHILD] = {[WATCH_CHILD] = true},
    };
    bool remembered = false;
    for (unsigned kind = 0; kind < WATCH_KINDS; kind++) {
        if (of_event[message->event][kind])
            remembered |= watches_remove(&session->sim->client_watches, session->number,
                                         message->one.path, (enum watch_kind)kind);
    }
    return remembered;
}

static void receive(struct sim_session *session, const struct message *message)
{
    session->received_bytes += message_reply_bytes(message);
    switch (message->kind) {
    case MESSAGE_OPEN:
    case MESSAGE_REOPEN:
        if (message->status == ZK_OK)
            established(session);
        else
            change_state_and_fail(session, CLIENT_EXPIRED, ZK_SESSION_EXPIRED);
        break;
    case MESSAGE_REQUEST:
        if (session->cut)
            lose_connection(session);
        else
            deliver_reply(session, message);
        break;
    case MESSAGE_HANG_UP:
        lose_connection(session);
        break;
    case MESSAGE_NOTIFICATION:
        if (forget_watches(session, message))
            session->client.listener->notified(session->client.owner, message->event,
                                               message->one.path->text);
        break;
    default:
        break;
    }
}

/* See struct sim. */
static void arrive(void *context)
{
    struct message *message = context;
    struct sim_session *session = message->session;
    if (message->connection == session->connection && !session->client.silent)
        receive(session, message);
    message_release(message, &session->sim->paths);
}

/* ------------------------------------------------------------------ its end */

/* False if the session is silent already. */
static bool fall_silent(struct sim_session *session)
{
    if (session->client.silent)
        return false;
    session->client.silent = true;
    message_queue_clear(&session->waiting, &session->sim->paths);
    watches_drop(&session->sim->client_watches, session->number);
    return true;
}

/* As the death of its process ends it: without a request. */
static void die(struct sim_session *session)
{
    if (!fall_silent(session) || session->state == CLIENT_EXPIRED)
        return;
    struct sim *sim = session->sim;
    send_bare(session, MESSAGE_DISCONNECT, 0);
    sim_at(sim, sim->now_ns + session->timeout_ms * NS_PER_MS, sim_expire, session);
}

void sim_close(struct client *client)
{
    struct sim_session *session = (struct sim_session *)client;
    if (session->state != CLIENT_ESTABLISHED)
        die(session);
    else if (fall_silent(session))
        send_bare(session, MESSAGE_CLOSE, WIRE_CLOSE_REQUEST);
}

/* ------------------------------------------------------------------ the driver */

static void submit(struct client *client, const struct request *request)
{
    struct sim_session *session = (struct sim_session *)client;
    struct sim *sim = session->sim;
    if (session->client.silent)
        return;
    if (session->state == CLIENT_EXPIRED) {
        sim_at(sim, sim->now_ns, refuse, session);
        return;
    }
    struct message *message = message_new(&sim->paths, MESSAGE_REQUEST, session);
    message_fill(message, &sim->paths, request, session->number);
    if (session->state == CLIENT_ESTABLISHED)
        send(session, message, message->request_bytes);
    else
        message_queue_add(&session->waiting, message);
}

static bool is_connected(const struct sim_session *session)
{
    return session->state == CLIENT_ESTABLISHED && !session->client.silent;
}

static bool cut(struct client *client)
{
    struct sim_session *session = (struct sim_session *)client;
    session->cut = is_connected(session);
    return session->cut;
}

static bool crash(struct client *client)
{
    struct sim_session *session = (struct sim_session *)client;
    if (!is_connected(session))
        return false;
    die(session);
    return true;
}

static bool leave(struct client *client)
{
    if (!is_connected((struct sim_session *)client))
        return false;
    sim_close(client);
    return true;
}

static uint64_t now_ns(const struct client *client)
{
    return ((const struct sim_session *)client)->sim->now_ns;
}

static bool bytes(const struct client *client, struct client_bytes *bytes)
{
    const struct sim_session *session = (const struct sim_session *)client;
    if (!is_connected(session))
        return false;
    *bytes = (struct client_bytes){
        .connection = session->connection,
        .sent_bytes = session->sent_bytes,
        .received_bytes = session->received_bytes,
    };
    return true;
}

/* As long as a real one in decimal and in hex: the highest byte is the number of the server. */
static int64_t session_id(const struct client *client)
{
    const struct sim_session *session = (const struct sim_session *)client;
    return (int64_t)(((uint64_t)session->first_server + 1) << 56 | session->number);
}

static uint32_t timeout_ms(const struct client *client)
{
    return ((const struct sim_session *)client)->timeout_ms;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct sim_session *session = (const struct sim_session *)client;
    text[0] = '\0';
    if (is_connected(session))
        snprintf(text, size, "simulated:%u", session->server + 1);
}

static const struct client_driver sim_session_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .now_ns = now_ns,
    .bytes = bytes,
    .session_id = session_id,
    .timeout_ms = timeout_ms,
    .server = server,
};

/* ------------------------------------------------------------------ the simulation */

struct sim_options sim_options_default(void)
{
    return (struct sim_options){
        .servers = 1,
        .seed = 1,
        .costs = {.network_ns = 80000,
                  .network_jitter_ns = 20000,
                  .read_ns = 15000,
                  .name_ns = 50,
                  .order_ns = 10000,
                  .apply_ns = 10000,
                  .notification_ns = 5000,
                  .sync_ns = 350000},
    };
}

enum error_kind sim_new(const struct sim_options *options, struct sim **sim, struct error *error)
{
    if (options->servers < 1 || options->servers > SIM_SERVERS_MAX)
        return error_raise(error, ERROR_USAGE, 0, "simulation", "%u servers: 1 to %d",
                           options->servers, SIM_SERVERS_MAX);
    struct sim *made = memory_new(1, sizeof *made);
    made->options = *options;
    made->servers = memory_new(options->servers, sizeof *made->servers);
    paths_init(&made->paths, &made->pool);
    random_init(&made->random, options->seed);
    watches_init(&made->client_watches, &made->paths);
    made->receive = arrive;
    made->leader.index = options->servers - 1;
    tree_init(&made->leader.tree, &made->paths);
    for (unsigned i = 0; i < options->servers; i++)
        sim_server_init(&made->servers[i], made, i);
    *sim = made;
    return ERROR_NONE;
}

void sim_free(struct sim *sim)
{
    if (sim == NULL)
        return;
    for (uint32_t i = 1; i <= sim->session_count; i++)
        client_deinit(&sim->sessions[i]->client);
    pool_deinit(&sim->pool);
    free(sim->servers);
    free(sim);
}
