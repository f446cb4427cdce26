// SPDX-License-Identifier: Apache-2.0
#include "zk/session.h"

#include "base/clock.h"
#include "zk/member.h"
#include "zk/quorum.h"
#include "zk/wire.h"

#include <stdio.h>

static const struct client_driver session_driver;

/* A TCP connection is there after a message each way. */
#define HANDSHAKE_HOPS 2

/* What the client waits for after all its servers, as a part of the session's timeout. */
#define PAUSES_PER_TIMEOUT 60

/* ------------------------------------------------------------------ to the server */

static void send(struct session *session, struct errand *errand, uint64_t bytes)
{
    struct simulated *world = session->world;
    errand->connection = session->connection;
    errand->server = session->server;
    session->sent_bytes += bytes;
    session->up_ns = world_later(session->up_ns, world->agenda.now_ns + world_hop_ns(world));
    agenda_add(&world->agenda, session->up_ns, member_receives, errand);
}

static void send_bare(struct session *session, enum errand_kind kind, uint64_t bytes)
{
    send(session, errand_new(&session->world->paths, kind, session), bytes);
}

/* Comes from the agenda if the client makes a pause before. */
static void connect(void *context)
{
    struct session *session = context;
    struct simulated *world = session->world;
    enum errand_kind kind = session->connection == 1 ? ERRAND_OPEN : ERRAND_REOPEN;
    if (session->silent)
        return;
    session->sent_bytes = 0;
    session->received_bytes = 0;
    for (int i = 0; i < HANDSHAKE_HOPS; i++)
        session->up_ns = world_later(session->up_ns, world->agenda.now_ns) + world_hop_ns(world);
    struct errand *errand = errand_new(&world->paths, kind, session);
    errand->seen_zxid = session->seen_zxid;
    send(session, errand, WIRE_CONNECT_REQUEST);
}

/* The next server; behind the last of them comes a pause, and then the first again. */
static void reconnect(struct session *session)
{
    struct simulated *world = session->world;
    session->state = CLIENT_CONNECTING;
    session->connection++;
    session->server = (session->server + 1) % world->options.servers;
    if (session->server != session->first_server)
        connect(session);
    else
        agenda_add(&world->agenda,
                   world->agenda.now_ns + session->timeout_ms * NS_PER_MS / PAUSES_PER_TIMEOUT,
                   connect, session);
}

struct session *session_new(struct simulated *world, unsigned server, uint32_t timeout_ms,
                            const struct client_listener *listener, void *owner)
{
    struct session *session = slab_take(&world->slab, sizeof *session);
    *session = (struct session){
        .client = {.driver = &session_driver, .listener = listener, .owner = owner},
        .world = world,
        .number = ++world->session_count,
        .timeout_ms = timeout_ms,
        .connection = 1,
        .server = server,
        .first_server = server,
    };
    world->sessions = slab_grow(&world->slab, world->sessions, &world->session_capacity,
                                session->number, sizeof(struct session *));
    world->sessions[session->number] = session;
    connect(session);
    return session;
}

/* ------------------------------------------------------------------ what its owner hears */

static void tell_state(struct session *session, enum client_state state)
{
    session->state = state;
    if (!session->silent)
        session->client.listener->state_changed(session->client.owner, state);
}

static void fail_outstanding(struct session *session, enum zk_status status)
{
    if (session->waiting != NULL)
        errand_release(session->waiting, &session->world->paths);
    session->waiting = NULL;
    if (session->client.outstanding && !session->silent)
        client_deliver_reply(&session->client, &(struct client_reply){.status = status});
}

/* The owner may make its next request as soon as it hears of the state: that one has not failed. */
static void tell_state_and_fail(struct session *session, enum client_state state,
                                enum zk_status status)
{
    bool outstanding = session->client.outstanding;
    session->cut = false;
    tell_state(session, state);
    if (outstanding)
        fail_outstanding(session, status);
}

/* Comes from the agenda: never from inside the call. */
static void refuse(void *context)
{
    fail_outstanding(context, ZK_SESSION_EXPIRED);
}

/* The connection is gone at this end. The server learns of it, and the session tries the next one.
 */
static void lose_connection(struct session *session)
{
    send_bare(session, ERRAND_DISCONNECT, 0);
    reconnect(session);
    tell_state_and_fail(session, CLIENT_CONNECTING, ZK_CONNECTION_LOSS);
}

/* ------------------------------------------------------------------ from the server */

static void established(struct session *session)
{
    struct simulated *world = session->world;
    session->state = CLIENT_ESTABLISHED;
    if (watches_of(&world->client_watches, session->number) != NULL) {
        struct errand *errand = errand_new(&world->paths, ERRAND_WATCHES, session);
        errand->seen_zxid = session->seen_zxid;
        errand_fill_watches(errand, &world->paths, &world->client_watches, session->number);
        send(session, errand, errand->request_bytes);
    }
    if (session->waiting != NULL)
        send(session, session->waiting, session->waiting->request_bytes);
    session->waiting = NULL;
    tell_state(session, CLIENT_ESTABLISHED);
}

static void hear_connected(struct session *session, const struct errand *errand)
{
    if (errand->status == ZK_OK) {
        established(session);
        return;
    }
    tell_state_and_fail(session, CLIENT_EXPIRED, ZK_SESSION_EXPIRED);
}

/* The client remembers a watch when it has the reply that tells of it. */
static void remember_watch(const struct session *session, const struct errand *errand)
{
    static const enum watch_kind kinds[] = {[CLIENT_EXISTS] = WATCH_DATA,
                                            [CLIENT_GET] = WATCH_DATA,
                                            [CLIENT_GET_CHILDREN] = WATCH_CHILD};
    struct watches *watches = &session->world->client_watches;
    if (errand->watch != WATCH)
        return;
    if (errand->status == ZK_OK)
        watches_add(watches, session->number, errand->one.path, kinds[errand->operation]);
    else if (errand->status == ZK_NO_NODE && errand->operation == CLIENT_EXISTS)
        watches_add(watches, session->number, errand->one.path, WATCH_ABSENT);
}

static void hear_reply(struct session *session, const struct errand *errand)
{
    session->seen_zxid = errand->zxid;
    remember_watch(session, errand);
    struct client_reply reply = {.status = errand->status};
    if (errand->status == ZK_OK) {
        reply.version = errand->version;
        reply.owner = errand->owner;
        reply.names = errand->list.names;
        reply.name_count = errand->list.count;
        if (errand->operation == CLIENT_CREATE)
            reply.path = errand->one.path->text;
        if (errand->value != NULL) {
            reply.value = errand->value->bytes;
            reply.value_length = errand->value->length;
        }
    }
    client_deliver_reply(&session->client, &reply);
}

static void hear(struct session *session, const struct errand *errand)
{
    session->received_bytes += errand_reply_bytes(errand);
    switch (errand->kind) {
    case ERRAND_OPEN:
    case ERRAND_REOPEN:
        hear_connected(session, errand);
        break;
    case ERRAND_REQUEST:
        if (session->cut)
            lose_connection(session);
        else
            hear_reply(session, errand);
        break;
    case ERRAND_HANG_UP:
        lose_connection(session);
        break;
    default:
        break;
    }
}

void session_receives(void *context)
{
    struct errand *errand = context;
    struct session *session = errand->session;
    if (errand->connection == session->connection && !session->silent)
        hear(session, errand);
    errand_release(errand, &session->world->paths);
}

/* An event is for those of its watches that the client remembers: true if there is one. */
static bool forget_watches(const struct session *session, const struct notice *notice)
{
    static const bool of_event[][WATCH_KINDS] = {
        [EVENT_CREATED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true},
        [EVENT_DELETED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true, [WATCH_CHILD] = true},
        [EVENT_CHANGED] = {[WATCH_DATA] = true, [WATCH_ABSENT] = true},
        [EVENT_CHILD] = {[WATCH_CHILD] = true},
    };
    bool remembered = false;
    for (unsigned kind = 0; kind < WATCH_KINDS; kind++) {
        if (of_event[notice->event][kind])
            remembered |= watches_remove(&session->world->client_watches, session->number,
                                         notice->path, (enum watch_kind)kind);
    }
    return remembered;
}

void session_is_notified(void *context)
{
    struct notice *notice = context;
    struct session *session = notice->session;
    if (notice->connection == session->connection && !session->silent) {
        session->received_bytes += wire_notification(notice->path->length);
        if (forget_watches(session, notice))
            session->client.listener->notified(session->client.owner, notice->event,
                                               notice->path->text);
    }
    paths_release(&session->world->paths, notice->path);
    slab_give(&session->world->slab, notice, sizeof *notice);
}

/* ------------------------------------------------------------------ its end */

/* From here on nothing is heard of the session, nor does it remember anything. */
static bool fall_silent(struct session *session)
{
    if (session->silent)
        return false;
    session->silent = true;
    fail_outstanding(session, ZK_CONNECTION_LOSS);
    watches_drop(&session->world->client_watches, session->number);
    return true;
}

static void leave_to_timeout(struct session *session)
{
    struct agenda *agenda = &session->world->agenda;
    agenda_add(agenda, agenda->now_ns + session->timeout_ms * NS_PER_MS, quorum_expire, session);
}

/* As the death of its process ends it: without a word. */
static void die(struct session *session)
{
    if (!fall_silent(session) || session->state == CLIENT_EXPIRED)
        return;
    send_bare(session, ERRAND_DISCONNECT, 0);
    leave_to_timeout(session);
}

void session_close(struct session *session)
{
    if (session->state != CLIENT_ESTABLISHED)
        die(session);
    else if (fall_silent(session))
        send_bare(session, ERRAND_CLOSE, WIRE_CLOSE_REQUEST);
}

/* ------------------------------------------------------------------ the driver */

static void submit(struct client *client, const struct client_request *request)
{
    struct session *session = (struct session *)client;
    struct simulated *world = session->world;
    if (session->silent)
        return;
    if (session->state == CLIENT_EXPIRED) {
        agenda_add(&world->agenda, world->agenda.now_ns, refuse, session);
        return;
    }
    struct errand *errand = errand_new(&world->paths, ERRAND_REQUEST, session);
    errand_fill(errand, &world->paths, request, session->number);
    if (session->state == CLIENT_ESTABLISHED)
        send(session, errand, errand->request_bytes);
    else
        session->waiting = errand;
}

static bool is_connected(const struct session *session)
{
    return session->state == CLIENT_ESTABLISHED && !session->silent;
}

static bool cut(struct client *client)
{
    struct session *session = (struct session *)client;
    session->cut = is_connected(session);
    return session->cut;
}

static bool crash(struct client *client)
{
    struct session *session = (struct session *)client;
    if (!is_connected(session))
        return false;
    die(session);
    return true;
}

static bool leave(struct client *client)
{
    struct session *session = (struct session *)client;
    if (!is_connected(session))
        return false;
    session_close(session);
    return true;
}

static uint64_t now_ns(const struct client *client)
{
    return ((const struct session *)client)->world->agenda.now_ns;
}

static bool bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    const struct session *session = (const struct session *)client;
    if (!is_connected(session))
        return false;
    *sent_bytes = session->sent_bytes;
    *received_bytes = session->received_bytes;
    return true;
}

/* What arrives is delivered at once. */
static size_t unread(const struct client *client)
{
    (void)client;
    return 0;
}

/* As servers give them out: the number of the server, from 1, in the highest byte, and below it
 * what grows with time; so in decimal and in hex it is as long as a real one. */
static int64_t session_id(const struct client *client)
{
    const struct session *session = (const struct session *)client;
    return (int64_t)(((uint64_t)session->first_server + 1) << 56 | session->number);
}

static uint32_t timeout_ms(const struct client *client)
{
    return ((const struct session *)client)->timeout_ms;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct session *session = (const struct session *)client;
    text[0] = '\0';
    if (is_connected(session))
        snprintf(text, size, "simulated:%u", session->server + 1);
}

static const struct client_driver session_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .now_ns = now_ns,
    .bytes = bytes,
    .unread = unread,
    .session_id = session_id,
    .timeout_ms = timeout_ms,
    .server = server,
};
