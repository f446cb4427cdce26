// SPDX-License-Identifier: Apache-2.0
#include "relay/traffic.h"

#include "base/memory.h"
#include "wire/wire.h"

#include <stdlib.h>
#include <string.h>

void traffic_init(struct traffic *traffic)
{
    *traffic = (struct traffic){.operations = memory_new(OPCODES, sizeof *traffic->operations)};
}

void traffic_deinit(struct traffic *traffic)
{
    for (size_t i = 0; i < traffic->places.count; i++)
        free(traffic->of_places[i]);
    free(traffic->of_places);
    patterns_deinit(&traffic->places);
    free(traffic->operations);
    free(traffic->errors);
    *traffic = (struct traffic){0};
}

/* ------------------------------------------------------------------ messages */

static void count_opening(void *context, struct conversation *conversation,
                          const struct message_opening *request,
                          const struct message_opening *reply,
                          const size_t bytes[CONVERSATION_SIDES])
{
    struct traffic *traffic = context;
    (void)conversation;
    for (enum conversation_side side = 0; side < CONVERSATION_SIDES; side++)
        traffic->opening_bytes[side] += bytes[side];
    if (reply->session == 0)
        traffic->refused++;
    else {
        traffic->sessions++;
        traffic->resumed += request->session == reply->session;
    }
}

/* The index of the place of an operation on a path. */
static size_t find_place(struct traffic *traffic, enum opcode opcode, const struct jute_bytes *path)
{
    size_t count = traffic->places.count,
           place = patterns_find(&traffic->places, opcode, path->bytes, path->length);
    if (place == count) {
        traffic->of_places = memory_grow(traffic->of_places, count, sizeof(void *));
        traffic->of_places[place] = memory_new(1, sizeof *traffic->of_places[place]);
    }
    return place;
}

static void add_request(struct traffic_figures *figures, const struct message_request *request,
                        size_t bytes)
{
    figures->requests++;
    figures->bytes_sent += bytes;
    if (request->opcode == OPCODE_SET_WATCHES || request->opcode == OPCODE_SET_WATCHES2)
        figures->watches += request->record.elements;
    else
        figures->watches += request->record.watch || request->opcode == OPCODE_ADD_WATCH;
}

/* The tag is the place, from 1; 0: the operation names no path. */
static uint64_t count_request(void *context, struct conversation *conversation,
                              const struct message_request *request,
                              const struct conversation_request *sent)
{
    struct traffic *traffic = context;
    (void)conversation;
    add_request(&traffic->operations[request->opcode], request, sent->bytes);
    if (request->record.path.length == 0)
        return 0;
    size_t place = find_place(traffic, request->opcode, &request->record.path);
    add_request(traffic->of_places[place], request, sent->bytes);
    return place + 1;
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

static void add_reply(struct traffic_figures *figures, const struct message_reply *reply,
                      size_t bytes, uint64_t latency_ns)
{
    figures->replies++;
    figures->bytes_received += bytes;
    figures->failed += reply->error != 0;
    histogram_record(&figures->latency, latency_ns);
}

static void count_reply(void *context, struct conversation *conversation,
                        const struct conversation_request *request,
                        const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct traffic *traffic = context;
    uint64_t latency_ns = at_ns - request->sent_ns;
    (void)conversation;
    add_reply(&traffic->operations[request->opcode], reply, bytes, latency_ns);
    if (request->tag > 0)
        add_reply(traffic->of_places[request->tag - 1], reply, bytes, latency_ns);
    if (reply->error != 0)
        count_error(traffic, request->opcode, reply->error);
}

static enum traffic_event event_of(int32_t event)
{
    switch (event) {
#define X(NAME, number, word)                                                                      \
    case number:                                                                                   \
        return TRAFFIC_##NAME;
        MESSAGE_EVENTS(X)
#undef X
    default:
        return TRAFFIC_EVENT_OTHER;
    }
}

static void count_notification(void *context, struct conversation *conversation,
                               const struct message_notification *notification, size_t bytes,
                               uint64_t at_ns)
{
    struct traffic *traffic = context;
    (void)conversation;
    (void)at_ns;
    enum traffic_event event = event_of(notification->event);
    traffic->notifications[event]++;
    traffic->notification_bytes[event] += bytes;
}

const struct conversation_listener traffic_listener = {count_opening, count_request, count_reply,
                                                       count_notification};

/* ------------------------------------------------------------------ conversations */

void traffic_end(struct traffic *traffic, const struct conversation *conversation)
{
    traffic->connections++;
    traffic->words += conversation->kind == CONVERSATION_WORD;
    traffic->encrypted += conversation->kind == CONVERSATION_TLS;
    traffic->unanswered += conversation_unanswered(conversation);
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
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
        notifications += traffic->notifications[event];
    return notifications;
}

const char *traffic_event_word(enum traffic_event event)
{
    static const char *const words[TRAFFIC_EVENT_KINDS] = {
#define X(NAME, number, word) [TRAFFIC_##NAME] = word,
        MESSAGE_EVENTS(X)
#undef X
            [TRAFFIC_EVENT_OTHER] = "other",
    };
    return words[event];
}
