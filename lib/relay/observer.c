// SPDX-License-Identifier: Apache-2.0
#include "relay/observer.h"

static void hear_opening(void *context, struct conversation *conversation,
                         const struct message_opening *request, const struct message_opening *reply,
                         const size_t bytes[CONVERSATION_SIDES])
{
    struct observer *observer = context;
    clients_listener.opened(&observer->clients, conversation, request, reply, bytes);
    traffic_listener.opened(&observer->traffic, conversation, request, reply, bytes);
}

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    struct observer *observer = context;
    watches_listener.requested(&observer->watches, conversation, request, sent);
    clients_listener.requested(&observer->clients, conversation, request, sent);
    return traffic_listener.requested(&observer->traffic, conversation, request, sent);
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct observer *observer = context;
    watches_listener.replied(&observer->watches, conversation, request, reply, bytes, at_ns);
    clients_listener.replied(&observer->clients, conversation, request, reply, bytes, at_ns);
    traffic_listener.replied(&observer->traffic, conversation, request, reply, bytes, at_ns);
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    struct observer *observer = context;
    watches_listener.notified(&observer->watches, conversation, notification, bytes, at_ns);
    clients_listener.notified(&observer->clients, conversation, notification, bytes, at_ns);
    traffic_listener.notified(&observer->traffic, conversation, notification, bytes, at_ns);
}

const struct conversation_listener observer_listener = {hear_opening, hear_request, hear_reply,
                                                        hear_notification};

void observer_ended(void *context, const struct conversation *conversation)
{
    struct observer *observer = context;
    traffic_end(&observer->traffic, conversation);
}
