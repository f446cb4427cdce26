// SPDX-License-Identifier: Apache-2.0
#include "relay/traffic.h"

#include "base/clock.h"
#include "base/memory.h"
#include "wire/wire.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define TIME_LEAST  10000000 /* of a first request's number that is a time of day */
#define GUID_DIGITS 32       /* where Curator's has dashes, too, go-zookeeper's has none */

void traffic_init(struct traffic *traffic)
{
    *traffic = (struct traffic){.operations = memory_new(OPCODES, sizeof *traffic->operations)};
    watches_begin(&traffic->watches);
}

void traffic_deinit(struct traffic *traffic)
{
    watches_deinit(&traffic->watches);
    patterns_deinit(&traffic->places);
    free(traffic->operations);
    free(traffic->errors);
    tdestroy(traffic->by_id, free);
    free(traffic->each);
    free(traffic->seconds);
    *traffic = (struct traffic){0};
}

/* ------------------------------------------------------------------ sessions and seconds */

static struct traffic_session *session_of(struct traffic *traffic, int64_t id)
{
    struct traffic_session *session = id_tree_find(&traffic->by_id, id);
    if (session != NULL)
        return session;
    if (traffic->each_count == TRAFFIC_SESSIONS_MAX)
        return traffic->each[TRAFFIC_SESSIONS_MAX - 1];
    session = id_tree_find_or_add(&traffic->by_id, id, sizeof *session);
    traffic->each = memory_grow(traffic->each, traffic->each_count, sizeof(void *));
    return traffic->each[traffic->each_count++] = session;
}

static struct traffic_sums *second_of(struct traffic *traffic, uint64_t at_ns)
{
    if (traffic->begun_ns == 0)
        traffic->begun_ns = at_ns;
    uint64_t second = (at_ns - traffic->begun_ns) / NS_PER_S;
    if (second >= TRAFFIC_SECONDS_MAX)
        second = TRAFFIC_SECONDS_MAX - 1;
    while (traffic->second_count <= second) {
        traffic->seconds =
            memory_grow(traffic->seconds, traffic->second_count, sizeof *traffic->seconds);
        traffic->seconds[traffic->second_count++] = (struct traffic_sums){0};
    }
    return &traffic->seconds[second];
}

/* Adds to the session and to the second of a message that has come. */
static struct traffic_session *add(struct traffic *traffic, const struct conversation *conversation,
                                   const struct traffic_sums *more)
{
    struct traffic_session *session = session_of(traffic, conversation->session);
    struct traffic_sums *second = second_of(traffic, conversation->now_ns);
    session->first_ns = session->first_ns > 0 ? session->first_ns : conversation->now_ns;
    session->last_ns = conversation->now_ns;
#define X(_, name, unit, meaning)                                                                  \
    session->sums.name += more->name;                                                              \
    second->name += more->name;
    TRAFFIC_SUMS(X, _)
#undef X
    return session;
}

/* A session whose opening is lost may have numbered its requests for long: nothing is guessed. */
static const char *library_of(const struct traffic_session *session,
                              const struct conversation_request *request)
{
    const char *known = session->library, *path = request->copy, *mark = strstr(path, "/_c_");
    bool creates = request->opcode == OPCODE_CREATE || request->opcode == OPCODE_CREATE2;
    if (session->connections == 0)
        return NULL;
    if (known == NULL && request->xid >= TIME_LEAST)
        return "C";
    if (creates && mark != NULL && strspn(mark + 4, "0123456789abcdef") != GUID_DIGITS)
        return "Curator";
    if (creates && (strstr(path, "__lock__") != NULL || strstr(path, "__rlock__") != NULL))
        return "kazoo";
    if (request->opcode == OPCODE_CREATE_CONTAINER && known == NULL)
        return "Curator";
    return known != NULL || request->xid < 0 ? known : "Java or another";
}

/* ------------------------------------------------------------------ messages */

static void count_opening(void *context, const struct conversation *conversation, int64_t asked,
                          const size_t bytes[CONVERSATION_SIDES])
{
    struct traffic *traffic = context;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        traffic->opening_bytes[side] += bytes[side];
    if (conversation->session == 0) {
        traffic->refused++;
        return;
    }
    traffic->sessions++;
    traffic->resumed += asked == conversation->session;
    session_of(traffic, conversation->session)->connections++;
    watches_begin_connection(&traffic->watches, conversation);
}

static void add_request(struct traffic_figures *figures, const struct conversation_request *request)
{
    figures->requests++;
    figures->bytes_sent += request->bytes;
    if (opcode_sets_again(request->opcode))
        figures->watches += request->record.elements;
    else
        figures->watches += request->record.watch || request->opcode == OPCODE_ADD_WATCH;
}

static void count_request(void *context, const struct conversation *conversation,
                          struct conversation_request *request)
{
    struct traffic *traffic = context;
    bool counts = request->opcode != OPCODE_PING && request->opcode != OPCODE_CLOSE;
    struct traffic_session *session =
        add(traffic, conversation,
            &(struct traffic_sums){.requests = counts, .sent_bytes = request->bytes});
    session->library = library_of(session, request);
    request->write = watches_read_request(&traffic->watches, conversation, request);
    add_request(&traffic->operations[request->opcode], request);
    const struct jute_bytes *path = &request->record.path;
    if (path->length == 0)
        return;
    request->place = patterns_find_or_add(&traffic->places, request->opcode, path->bytes,
                                          path->length, sizeof *request->place);
    add_request(&request->place->figures, request);
}

static void count_error(struct traffic *traffic, enum opcode opcode, int32_t error)
{
    for (size_t i = 0; i < traffic->error_count; i++)
        if (traffic->errors[i].opcode == opcode && traffic->errors[i].error == error) {
            traffic->errors[i].count++;
            return;
        }
    traffic->errors = memory_grow(traffic->errors, traffic->error_count, sizeof *traffic->errors);
    traffic->errors[traffic->error_count++] = (struct traffic_error){opcode, error, 1};
}

/* Each part of a multiRead fails by itself. */
static void count_errors(struct traffic *traffic, enum opcode opcode,
                         const struct message_reply *reply)
{
    struct jute parts = reply->record.parts;
    enum opcode of_part;
    struct message_record part;
    if (reply->error != 0 && (opcode != OPCODE_MULTI_READ || parts.left == 0))
        count_error(traffic, opcode, reply->error);
    while (opcode == OPCODE_MULTI_READ && message_next_part(&parts, true, &of_part, &part))
        if (of_part == OPCODE_OTHER)
            count_error(traffic, opcode, part.number);
}

static void add_reply(struct traffic_figures *figures, const struct message_reply *reply,
                      size_t bytes, uint64_t latency_ns)
{
    figures->replies++;
    figures->bytes_received += bytes;
    figures->failed += reply->error != 0;
    histogram_record(&figures->latency, latency_ns);
}

static void count_reply(void *context, const struct conversation *conversation,
                        const struct conversation_request *request,
                        const struct message_reply *reply, size_t bytes)
{
    struct traffic *traffic = context;
    uint64_t latency_ns = conversation->now_ns - request->sent_ns;
    watches_read_reply(&traffic->watches, conversation, request, reply, bytes);
    (void)add(traffic, conversation,
              &(struct traffic_sums){.failed = reply->error != 0, .received_bytes = bytes});
    add_reply(&traffic->operations[request->opcode], reply, bytes, latency_ns);
    if (request->place != NULL)
        add_reply(&request->place->figures, reply, bytes, latency_ns);
    count_errors(traffic, request->opcode, reply);
}

static void count_notification(void *context, const struct conversation *conversation,
                               const struct message_notification *notification, size_t bytes)
{
    struct traffic *traffic = context;
    const int32_t event =
        notification->event > 0 && notification->event < TRAFFIC_EVENTS ? notification->event : 0;
    watches_read_notification(&traffic->watches, conversation, notification);
    (void)add(traffic, conversation,
              &(struct traffic_sums){.notifications = 1, .received_bytes = bytes});
    traffic->notifications[event]++;
    traffic->notification_bytes[event] += bytes;
}

const struct conversation_listener traffic_listener = {count_opening, count_request, count_reply,
                                                       count_notification};

/* ------------------------------------------------------------------ conversations */

void traffic_end(void *context, const struct conversation *conversation)
{
    struct traffic *traffic = context;
    const bool is_word = conversation->kind == CONVERSATION_WORD;
    traffic->connections++;
    traffic->words += is_word;
    traffic->encrypted += conversation->kind == CONVERSATION_TLS;
    traffic->unopened += conversation->client_opened && !conversation->server_opened;
    traffic->unsure += is_word && conversation->fed_bytes[CONVERSATION_SERVER] == 0;
    for (struct conversation_request *lost = conversation->requests; lost != NULL;
         lost = lost->next) {
        if (!conversation->server_opened)
            count_request(traffic, conversation, lost);
        watches_lose_reply(&traffic->watches, conversation, lost);
        traffic->unanswered++;
        traffic->unsure++;
    }
    watches_end_connection(&traffic->watches, conversation);
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        traffic->unread_bytes += conversation_unread(conversation, side);
    if (conversation->unreadable == NULL)
        return;
    traffic->unreadable++;
    if (traffic->why_unreadable == NULL)
        traffic->why_unreadable = conversation->unreadable;
}

uint64_t traffic_requests(const struct traffic *traffic)
{
    uint64_t requests = 0;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        if (opcode != OPCODE_PING && opcode != OPCODE_CLOSE)
            requests += traffic->operations[opcode].requests;
    return requests;
}

uint64_t traffic_notifications(const struct traffic *traffic)
{
    uint64_t notifications = 0;
    for (size_t event = 0; event < TRAFFIC_EVENTS; event++)
        notifications += traffic->notifications[event];
    return notifications;
}

uint64_t traffic_packets(const struct traffic *traffic)
{
    uint64_t packets = traffic->sessions + traffic->refused + traffic->words;
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        packets += traffic->operations[opcode].requests;
    return packets;
}

const char *traffic_event_word(size_t event)
{
    static const char *const words[TRAFFIC_EVENTS] = {"other",
#define X(NAME, number, word) [number] = word,
                                                      MESSAGE_EVENTS(X)
#undef X
    };
    return words[event];
}
