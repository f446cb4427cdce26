// SPDX-License-Identifier: Apache-2.0
#include "fleet/sync_session.h"

#include "base/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE_NS (500 * NS_PER_MS)
/* How often to look whether private servers still run. */
#define LOOK_NS (100 * NS_PER_MS)

/* ------------------------------------------------------------------ what the session hears */

static void state_changed(void *owner, enum client_state state)
{
    struct sync_session *session = owner;
    if (session->state == CLIENT_ESTABLISHED && state != CLIENT_ESTABLISHED) {
        session->lost_ns = loop_now_ns(&session->loop);
        session->lost = session->changed = true;
    }
    session->state = state;
    session->settled = state != CLIENT_CONNECTING;
}

static void sent(void *owner, enum operation operation)
{
    (void)operation;
    ((struct sync_session *)owner)->requests++;
}

static void keep_names(struct sync_session *session)
{
    struct client_reply *reply = &session->reply;
    size_t bytes = reply->name_count * sizeof *session->names + 1;
    for (size_t i = 0; i < reply->name_count; i++)
        bytes += strlen(reply->names[i]) + 1;
    free(session->names);
    session->names = malloc(bytes);
    if (session->names == NULL) {
        reply->names = NULL;
        reply->name_count = 0;
        return;
    }
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
    size_t length = reply->value_length;
    session->value_length = length < SYNC_SESSION_VALUE_MAX ? length : SYNC_SESSION_VALUE_MAX;
    if (length > 0)
        memcpy(session->value, reply->value, session->value_length);
    session->value[session->value_length] = '\0';
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct sync_session *session = owner;
    session->replied = true;
    session->reply = *reply;
    if (reply->operation == OP_GET_CHILDREN)
        keep_names(session);
    if (reply->operation == OP_GET)
        keep_value(session);
    session->reply.path = session->reply.value = NULL;
    session->reply.value_length = 0;
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)event;
    (void)path;
    ((struct sync_session *)owner)->changed = true;
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ the session */

static enum error_kind open_session(struct sync_session *session, struct error *error)
{
    const struct loop *loop = &session->loop;
    session->state = CLIENT_CONNECTING;
    session->settled = false;
    return loop->sim != NULL
               ? sim_open(loop->sim, 0, SYNC_SESSION_TIMEOUT_MS, 1, &listener, session,
                          &session->client, error)
               : event_loop_open(loop->event_loop, session->hosts, SYNC_SESSION_TIMEOUT_MS, 1,
                                 &listener, session, &session->client, error);
}

enum error_kind sync_session_open(struct sync_session *session, const char *purpose,
                                  const struct connect_string *servers, struct sim *sim,
                                  struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *session = (struct sync_session){.purpose = purpose, .loop.sim = sim, .servers = "simulation"};
    if (servers != NULL) {
        connect_typed(servers, session->servers, sizeof session->servers);
        connect_format(servers, true, session->hosts, sizeof session->hosts);
        kind = event_loop_new(1, &session->loop.event_loop, error);
    }
    return kind == ERROR_NONE ? open_session(session, error) : kind;
}

void sync_session_close(struct sync_session *session)
{
    if (session->loop.event_loop != NULL)
        event_loop_close(session->loop.event_loop, clock_now_ns() + CLOSE_NS);
    event_loop_free(session->loop.event_loop);
    free(session->names);
}

/* ------------------------------------------------------------------ waiting */

/* The end of a turn: the end of the wait, or the next look at private servers. */
static uint64_t turn_until_ns(const struct sync_session *session, uint64_t until_ns)
{
    uint64_t look_ns = loop_now_ns(&session->loop) + LOOK_NS;
    return session->ensemble != NULL && look_ns < until_ns ? look_ns : until_ns;
}

enum error_kind sync_session_await(struct sync_session *session, const bool *come,
                                   const struct sync_session_limit *limit, struct error *error)
{
    while (!*come) {
        if (session->interrupted)
            return error_raise(error, ERROR_INTERRUPTED, 0, session->purpose, "%s", "");
        if (loop_now_ns(&session->loop) >= limit->until_ns)
            return error_raise(error, ERROR_NO_ANSWER, 0, session->servers, "%s %s", limit->why,
                               limit->about);
        enum error_kind kind =
            loop_turn(&session->loop, turn_until_ns(session, limit->until_ns), error);
        if (kind == ERROR_NONE && !*come)
            kind = ensemble_check(session->ensemble, error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* Replaces an expired session by a new one. */
static enum error_kind renew(struct sync_session *session, struct error *error)
{
    if (session->loop.event_loop != NULL)
        event_loop_forget(session->loop.event_loop);
    session->lost_ns = loop_now_ns(&session->loop);
    return open_session(session, error);
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
        kind = session->state == CLIENT_EXPIRED
                   ? renew(session, error)
                   : sync_session_await(session, &session->settled, &limit, error);
    }
    return kind;
}

enum error_kind sync_session_ask(struct sync_session *session, const struct request *request,
                                 const struct sync_session_limit *limit, struct error *error)
{
    session->replied = false;
    client_submit(session->client, request, 0);
    enum error_kind kind = sync_session_await(session, &session->replied, limit, error);
    if (kind == ERROR_NONE && request->operation == OP_GET_CHILDREN && session->names == NULL)
        kind = error_from_errno(error, ENOMEM, request->path, "for the names of its children");
    return kind;
}
