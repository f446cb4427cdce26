// SPDX-License-Identifier: Apache-2.0
/*
 * traffic: what all conversations together consist of, by operation and by path. Layer: relay.
 *
 * Invariant: the bytes of all operations, of openings and of notifications, with those that were
 * not read, are the bytes that the conversations were fed.
 */
#ifndef RELAY_TRAFFIC_H
#define RELAY_TRAFFIC_H

#include "measure/histogram.h"
#include "relay/conversation.h"
#include "relay/pattern.h"

struct traffic_figures {
    uint64_t requests;
    uint64_t watches; /* of the requests those that set a watch, or all watches they set again */
    uint64_t replies;
    uint64_t failed; /* of the replies: with an error */
    uint64_t bytes_sent;
    uint64_t bytes_received;
    struct histogram latency; /* from a request's last byte to its reply's */
};

/* How often an operation was answered with an error (KeeperException.Code). */
struct traffic_error {
    enum opcode opcode;
    int32_t error;
    uint64_t count;
};

/* Watches that fired, as in MESSAGE_EVENTS; or another event. */
enum traffic_event {
#define X(NAME, event, word) TRAFFIC_##NAME,
    MESSAGE_EVENTS(X)
#undef X
        TRAFFIC_EVENT_OTHER,
    TRAFFIC_EVENT_KINDS
};

/* What conversations were, and how they ended: X(name, meaning). */
#define TRAFFIC_CONVERSATIONS(X)                                                                   \
    X(connections, "connections of clients")                                                       \
    X(sessions, "sessions opened")                                                                 \
    X(resumed, "of them those that a client had opened on another connection")                     \
    X(refused, "openings that a server refused")                                                   \
    X(words, "four-letter words")                                                                  \
    X(encrypted, "connections with TLS, which cannot be read")                                     \
    X(unreadable, "connections of which a message could not be read, and nothing after that")      \
    X(unanswered, "requests without a reply when their connection ended")                          \
    X(unread_bytes, "bytes of messages that were not whole, or could not be read")

struct traffic {
    struct traffic_figures *operations; /* by enum opcode */
    struct patterns places;             /* operations that name a path, and its pattern */
    struct traffic_figures **of_places; /* likewise */
    struct traffic_error *errors;
    size_t error_count;
    uint64_t notifications[TRAFFIC_EVENT_KINDS];
    uint64_t notification_bytes[TRAFFIC_EVENT_KINDS];
    uint64_t opening_bytes[CONVERSATION_SIDES];
#define X(name, meaning) uint64_t name;
    TRAFFIC_CONVERSATIONS(X)
#undef X
    const char *why_unreadable; /* of the first such connection, a static string; or NULL */
};

/* The listener that counts for a struct traffic, which is the context of the conversations. */
extern const struct conversation_listener traffic_listener;

/* Ends with traffic_deinit. */
void traffic_init(struct traffic *traffic);
void traffic_deinit(struct traffic *traffic);

/* Counts a conversation that has ended. */
void traffic_end(struct traffic *traffic, const struct conversation *conversation);

/* All requests but pings and those that only close a session, and all notifications. */
uint64_t traffic_requests(const struct traffic *traffic);
uint64_t traffic_notifications(const struct traffic *traffic);

/* The word for an event: a static string. */
const char *traffic_event_word(enum traffic_event event);

#endif
