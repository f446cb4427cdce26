// SPDX-License-Identifier: Apache-2.0
#include "fleet/sync_session.h"

#include "base/clock.h"
#include "base/memory.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_NS (500 * NS_PER_MS)
/* How often to look whether private servers still run. */
#define LOOK_NS (100 * NS_PER_MS)
/* How long a reply may take before another request is sent, and the tag of that request. */
#define NUDGE_NS (1 * NS_PER_S)
#define NUDGE    1

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

/* ------------------------------------------------------------------ what the session hears */

static void state_changed(void *owner, enum client_state state)
{
    struct sync_session *session = owner;
    if (session->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED) {
        session->lost_ns = loop_now_ns(&session->loop);
        session->traffic.losses++;
    }
    session->state = state;
    session->settled = state != CLIENT_CONNECTING;
}

static void sent(void *owner, enum operation operation)
{
    struct sync_session *session = owner;
    session->traffic.requests++;
    session->traffic.writes += operation != OP_EXISTS && operation != OP_GET &&
                               operation != OP_GET_CHILDREN && operation != OP_SYNC;
}

static void keep_names(struct sync_session *session)
{
    struct client_reply *reply = &session->reply;
    size_t bytes = reply->name_count * sizeof *session->names + 1;
    for (size_t i = 0; i < reply->name_count; i++)
        bytes += strlen(reply->names[i]) + 1;
    free(session->names);
    session->names = memory_new(1, bytes);
    char *text = (char *)(session->names + reply->name_count);
    for (size_t i = 0; i < reply->name_count; i++) {
        session->names[i] = text;
        text = stpcpy(text, reply->names[i]) + 1;
    }
    reply->names = session->names;
}

static void keep_value(struct sync_session *session)
{
    const struct client_reply *reply = &session->reply;
    free(session->value);
    session->value = memory_copy(reply->value, reply->value_length);
    session->value_length = reply->value_length;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct sync_session *session = owner;
    session->replied = session->client->outstanding == 0;
    if (reply->tag == NUDGE)
        return;
    session->reply = *reply;
    if (reply->operation == OP_GET_CHILDREN)
        keep_names(session);
    if (reply->operation == OP_GET)
        keep_value(session);
    session->reply.path = session->reply.value = NULL;
    session->reply.value_length = 0;
}

/* The session sets no watches. */
static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner;
    (void)event;
    (void)path;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ the session */

static enum error_kind open_session(struct sync_session *session, struct error *error)
{
    const struct loop *loop = &session->loop;
    session->state = CLIENT_CONNECTING;
    session->settled = false;
    if (loop->sim != NULL)
        return sim_open(loop->sim, 0, SYNC_SESSION_TIMEOUT_MS, 2, &listener, session,
                        &session->client, error);
    return event_loop_open(loop->event_loop, session->hosts, SYNC_SESSION_TIMEOUT_MS, 2, &listener,
                           session, &session->client, error);
}

enum error_kind sync_session_open(struct sync_session *session,
                                  const struct connect_string *servers, struct sim *sim,
                                  struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *session = (struct sync_session){.loop.sim = sim, .servers = "simulation"};
    if (servers != NULL) {
        connect_typed(servers, session->servers, sizeof session->servers);
        connect_format(servers, true, session->hosts, sizeof session->hosts);
        kind = event_loop_new(1, servers->identity, &session->loop.event_loop, error);
    }
    return kind == ERROR_NONE ? open_session(session, error) : kind;
}

void sync_session_close(struct sync_session *session)
{
    if (session->loop.event_loop != NULL)
        event_loop_close(session->loop.event_loop, clock_now_ns() + CLOSE_NS);
    event_loop_free(session->loop.event_loop);
    free(session->names);
    free(session->value);
}

/* ------------------------------------------------------------------ waiting */

enum error_kind sync_session_await(struct sync_session *session, const bool *come,
                                   const struct sync_session_limit *limit, struct error *error)
{
    while (!*come) {
        if (session->interrupted)
            return error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
        if (loop_now_ns(&session->loop) >= limit->until_ns)
            return error_raise(error, ERROR_NO_ANSWER, 0, session->servers, "%s %s", limit->why,
                               limit->about);
        /* A turn ends with the wait, or for the next look at private servers. */
        uint64_t until_ns = limit->until_ns;
        if (session->ensemble != NULL && loop_now_ns(&session->loop) + LOOK_NS < until_ns)
            until_ns = loop_now_ns(&session->loop) + LOOK_NS;
        enum error_kind kind = loop_turn(&session->loop, until_ns, error);
        if (kind == ERROR_NONE && !*come)
            kind = ensemble_check(session->ensemble, error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

enum error_kind sync_session_connect(struct sync_session *session, struct sync_session_limit limit,
                                     struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (session->loop.event_loop != NULL)
        kind = event_loop_poll(session->loop.event_loop, 0, error);
    while (kind == ERROR_NONE && session->state != CLIENT_ESTABLISHED) {
        if (limit.until_ns < session->lost_ns + limit.since_loss_ns)
            limit.until_ns = session->lost_ns + limit.since_loss_ns;
        if (session->state == CLIENT_REFUSED)
            return error_raise(error, ERROR_REFUSED_IDENTITY, 0, session->servers, "%s", "");
        if (session->state != CLIENT_EXPIRED) {
            kind = sync_session_await(session, &session->settled, &limit, error);
            continue;
        }
        if (session->loop.event_loop != NULL)
            event_loop_forget(session->loop.event_loop);
        session->lost_ns = loop_now_ns(&session->loop);
        kind = open_session(session, error);
    }
    return kind;
}

void sync_session_send(struct sync_session *session, const struct request *request)
{
    session->replied = false;
    client_submit(session->client, request, 0);
}

void sync_session_nudge(struct sync_session *session)
{
    const struct request nudge = {.operation = OP_EXISTS, .path = "/"};
    struct client *client = session->client;
    if (session->state == CLIENT_ESTABLISHED && client->outstanding > 0 &&
        client_can_submit(client) && loop_now_ns(&session->loop) >= client->sent_ns + NUDGE_NS)
        client_submit(client, &nudge, NUDGE);
}

enum error_kind sync_session_await_reply(struct sync_session *session,
                                         const struct sync_session_limit *limit,
                                         struct error *error)
{
    struct sync_session_limit brief = *limit;
    struct error late;
    brief.until_ns = loop_now_ns(&session->loop) + NUDGE_NS;
    if (brief.until_ns < limit->until_ns) {
        enum error_kind kind = sync_session_await(session, &session->replied, &brief, &late);
        if (kind != ERROR_NONE && kind != ERROR_NO_ANSWER)
            *error = late;
        if (kind != ERROR_NO_ANSWER)
            return kind;
        sync_session_nudge(session);
    }
    return sync_session_await(session, &session->replied, limit, error);
}

enum error_kind sync_session_ask(struct sync_session *session, const struct request *request,
                                 const struct sync_session_limit *limit, struct error *error)
{
    sync_session_send(session, request);
    return sync_session_await_reply(session, limit, error);
}
