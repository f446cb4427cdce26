// SPDX-License-Identifier: Apache-2.0
#include "relay/clients.h"

#include "base/clock.h"
#include "base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A number of a first request that is a time of day: 1970-04-26 and later. */
#define TIME_LEAST 10000000

static struct clients_session *session_of(struct clients *clients, int64_t id)
{
    struct clients_session *session = id_tree_find(&clients->by_id, id);
    if (session != NULL)
        return session;
    if (clients->session_count == CLIENTS_SESSIONS_MAX)
        return clients->sessions[CLIENTS_SESSIONS_MAX - 1];
    session = id_tree_take(&clients->by_id, id, sizeof *session);
    clients->sessions = memory_grow(clients->sessions, clients->session_count, sizeof(void *));
    return clients->sessions[clients->session_count++] = session;
}

static struct clients_figures *second_of(struct clients *clients, uint64_t at_ns)
{
    if (clients->begun_ns == 0)
        clients->begun_ns = at_ns;
    uint64_t second = (at_ns - clients->begun_ns) / NS_PER_S;
    if (second >= CLIENTS_SECONDS_MAX)
        second = CLIENTS_SECONDS_MAX - 1;
    while (clients->second_count <= second) {
        clients->seconds =
            memory_grow(clients->seconds, clients->second_count, sizeof *clients->seconds);
        clients->seconds[clients->second_count++] = (struct clients_figures){0};
    }
    return &clients->seconds[second];
}

/* Adds to the session and to the second. */
static struct clients_session *add(struct clients *clients, const struct conversation *conversation,
                                   uint64_t at_ns, const struct clients_figures *figures)
{
    struct clients_session *session = session_of(clients, conversation->session);
    struct clients_figures *second = second_of(clients, at_ns);
    session->first_ns = session->first_ns > 0 ? session->first_ns : at_ns;
    session->last_ns = at_ns;
#define X(_, name, unit, meaning)                                                                  \
    session->figures.name += figures->name;                                                        \
    second->name += figures->name;
    CLIENTS_FIGURES(X, _)
#undef X
    return session;
}

/* ------------------------------------------------------------------ libraries */

static bool has(const struct jute_bytes *path, const char *mark)
{
    return path->length > 0 && memmem(path->bytes, path->length, mark, strlen(mark)) != NULL;
}

/* A session whose opening was not heard may have numbered its requests for long: nothing is
 * guessed. */
static const char *library_of(const struct clients_session *session,
                              const struct message_request *request)
{
    const char *known = session->library;
    bool creates = request->opcode == OPCODE_CREATE || request->opcode == OPCODE_CREATE2;
    if (session->connections == 0)
        return NULL;
    if (known == NULL && request->xid >= TIME_LEAST)
        return "C";
    if (creates && has(&request->record.path, "/_c_"))
        return "Curator";
    if (creates &&
        (has(&request->record.path, "__lock__") || has(&request->record.path, "__rlock__")))
        return "kazoo";
    if (request->opcode == OPCODE_CREATE_CONTAINER && known == NULL)
        return "Curator";
    return known != NULL || request->xid < 0 ? known : CLIENTS_OTHERS;
}

/* ------------------------------------------------------------------ the listener */

static void hear_opening(void *context, struct conversation *conversation,
                         const struct message_opening *request, const struct message_opening *reply,
                         const size_t bytes[CONVERSATION_SIDES])
{
    struct clients *clients = context;
    (void)request, (void)bytes;
    if (reply->session != 0)
        session_of(clients, conversation->session)->connections++;
}

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    bool counts = request->opcode != OPCODE_PING && request->opcode != OPCODE_CLOSE;
    struct clients_session *session =
        add(context, conversation, sent->sent_ns,
            &(struct clients_figures){.requests = counts, .sent_bytes = sent->bytes});
    session->library = library_of(session, request);
    return 0;
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    (void)request;
    (void)add(context, conversation, at_ns,
              &(struct clients_figures){.failed = reply->error != 0, .received_bytes = bytes});
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    (void)notification;
    (void)add(context, conversation, at_ns,
              &(struct clients_figures){.notifications = 1, .received_bytes = bytes});
}

const struct conversation_listener clients_listener = {hear_opening, hear_request, hear_reply,
                                                       hear_notification};

void clients_deinit(struct clients *clients)
{
    tdestroy(clients->by_id, free);
    free(clients->sessions);
    free(clients->seconds);
    *clients = (struct clients){0};
}
