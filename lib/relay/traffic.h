// SPDX-License-Identifier: Apache-2.0
/*
 * traffic: what all conversations together consist of, by operation, path, session and second; the
 * watches that clients set, and what each write causes. Layer: relay.
 *
 * The library of a client shows in its first request and in the names of its znodes: openings of
 * sessions are alike. Apache's library for C numbers its requests from the time of day on, all
 * others from 1 on; Curator and kazoo put their own marks into names.
 *
 * Invariant: the bytes of all operations, of openings and of notifications, with those that were
 * not read, are the bytes that the conversations were fed. The sums over the sessions and over the
 * seconds are equal, but for sessions beyond TRAFFIC_SESSIONS_MAX.
 *
 * Watches (relay/armed.h). A notification is attributed to the write of its transaction where
 * notifications carry one (from 3.9 on), and otherwise to the first on that path behind the last
 * transaction that its session has seen: a server sends a notification before any reply that is as
 * new. It waits for the replies of writes that were asked for before it; one whose reply is lost is
 * the cause where no other is. A session that was notified follows the write with its requests
 * until it has set a watch again, has written, has asked for a deletion (which is a cause of its
 * own), or is notified again.
 *
 * Invariant: every notification is attributed to one write, or counted as unattributed.
 */
#ifndef RELAY_TRAFFIC_H
#define RELAY_TRAFFIC_H

#include "base/id_tree.h"
#include "history/locks.h"
#include "measure/histogram.h"
#include "relay/armed.h"
#include "relay/conversation.h"
#include "relay/pattern.h"

/* ------------------------------------------------------------------ watches */

/* A write, and what it caused; or a notification, until its cause gets what followed it. */
struct watches_write {
    enum opcode opcode;
    char pattern[PATTERN_SIZE]; /* of its path; of the end of a session that of the first znode */
    int64_t session;            /* that wrote, or was notified */
    uint64_t number; /* of the request, from 1; of a notification that of the last one before */
    uint64_t requested_ns, replied_ns; /* 0: it has no reply yet */
    int64_t zxid, since;         /* since: that of the session's last reply before a notification */
    struct watches_write *cause; /* of a notification; NULL: not known */
    uint64_t notified;           /* notifications */
    uint64_t last_ns;            /* of the last of them */
    uint64_t followed, followed_bytes; /* requests because of it, and their bytes both ways */
    uint64_t got, armed_again; /* of the sessions notified: those that then wrote or hold a lock,
                                  and those that set a watch again, or did nothing until the next */
    unsigned uses;             /* that refer to it */
    struct spot **at;          /* where it may fire watches */
    size_t at_count;
};

#define WATCHES_COSTLIEST 5
#define WATCHES_ANSWERED  4096

struct watches {
    struct armed_counts armed;
    struct watches_write costliest[WATCHES_COSTLIEST]; /* by notified + followed; uses 0: none */
    uint64_t unattributed;
    uint64_t asked;      /* writes */
    struct locks *locks; /* of every change of znodes: who holds one has got something */
    /* The rest is for watches.c. */
    path_tree spots[MESSAGE_EVENT_CHILDREN + 1]; /* by enum message_event */
    path_tree owned;                             /* ephemeral znodes */
    id_tree sessions;
    struct watches_write *answered[WATCHES_ANSWERED]; /* the last writes with a reply */
    size_t next;
};

/* No lock goes on: before the first message of all zero bytes, and before each run of a drain. */
void watches_begin(struct watches *watches);

/* For traffic.c: a conversation has opened its session, or has ended. */
void watches_begin_connection(struct watches *watches, const struct conversation *conversation);
void watches_end_connection(struct watches *watches, const struct conversation *conversation);

/* For traffic.c: a message of a conversation. Returns a request's `write`; NULL: it is none. */
struct watches_write *watches_read_request(struct watches *watches,
                                           const struct conversation *conversation,
                                           const struct conversation_request *request);
void watches_read_reply(struct watches *watches, const struct conversation *conversation,
                        const struct conversation_request *request,
                        const struct message_reply *reply, size_t bytes);
void watches_read_notification(struct watches *watches, const struct conversation *conversation,
                               const struct message_notification *notification);
void watches_lose_reply(struct watches *watches, const struct conversation *conversation,
                        const struct conversation_request *request);

/* Counts what is still open. No message may follow. */
void watches_end(struct watches *watches);
void watches_deinit(struct watches *watches);

/* ------------------------------------------------------------------ messages */

struct traffic_figures {
    uint64_t requests;
    uint64_t watches; /* of the requests those that set a watch, or all watches they set again */
    uint64_t replies;
    uint64_t failed; /* of the replies: with an error */
    uint64_t bytes_sent;
    uint64_t bytes_received;
    struct histogram latency; /* from a request's last byte to its reply's */
};

/* An operation at the paths of a pattern. */
struct traffic_place {
    struct pattern pattern;
    struct traffic_figures figures;
};

/* How often an operation was answered with an error (KeeperException.Code). */
struct traffic_error {
    enum opcode opcode;
    int32_t error;
    uint64_t count;
};

/* Notifications are counted by enum message_event; 0: of another event. */
#define TRAFFIC_EVENTS (MESSAGE_EVENT_CHILDREN + 1)

/* Most sessions and seconds; what comes later is in the last. */
#define TRAFFIC_SESSIONS_MAX 100000
#define TRAFFIC_SECONDS_MAX  100000

/* Figures of a session, and of a second. */
#define TRAFFIC_SUMS(X, ...)                                                                       \
    X(__VA_ARGS__, requests, "", "requests, without pings and closes")                             \
    X(__VA_ARGS__, failed, "", "requests that were answered with an error")                        \
    X(__VA_ARGS__, notifications, "", "notifications")                                             \
    X(__VA_ARGS__, sent_bytes, "bytes", "bytes of all requests")                                   \
    X(__VA_ARGS__, received_bytes, "bytes", "bytes of all replies and notifications")

struct traffic_sums {
#define X(_, name, unit, meaning) uint64_t name;
    TRAFFIC_SUMS(X, _)
#undef X
};

struct traffic_session {
    int64_t id; /* the key */
    uint64_t connections;
    uint64_t first_ns, last_ns; /* messages */
    const char *library;        /* a static text; NULL: not known */
    struct traffic_sums sums;
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
    struct watches watches;
    struct traffic_figures *operations; /* by enum opcode */
    struct patterns places;             /* struct traffic_place; the number is the operation */
    struct traffic_error *errors;
    size_t error_count;
    uint64_t notifications[TRAFFIC_EVENTS];
    uint64_t notification_bytes[TRAFFIC_EVENTS];
    uint64_t opening_bytes[CONVERSATION_SIDES];
    struct traffic_session **each; /* session, in the order of their first messages */
    size_t each_count;
    struct traffic_sums *seconds; /* from the first message on */
    size_t second_count;
    uint64_t begun_ns; /* the first message; 0: none */
    id_tree by_id;
#define X(name, meaning) uint64_t name;
    TRAFFIC_CONVERSATIONS(X)
#undef X
    uint64_t unsure;   /* requests and words without a reply: servers may not have received them */
    uint64_t unopened; /* openings without a reply, which are counted nowhere else */
    const char *why_unreadable; /* of the first such connection, a static string; or NULL */
};

/* The listener that counts for a struct traffic, which is the context of the conversations. */
extern const struct conversation_listener traffic_listener;

/* Ends with traffic_deinit. */
void traffic_init(struct traffic *traffic);
void traffic_deinit(struct traffic *traffic);

/* Counts a conversation that has ended; context: the struct traffic. */
void traffic_end(void *context, const struct conversation *conversation);

/* All requests but pings and those that only close a session, and all notifications. */
uint64_t traffic_requests(const struct traffic *traffic);
uint64_t traffic_notifications(const struct traffic *traffic);

/* Packets as servers count them: openings of sessions, four-letter words, and all requests. */
uint64_t traffic_packets(const struct traffic *traffic);

/* The word for one of TRAFFIC_EVENTS: a static string. */
const char *traffic_event_word(size_t event);

#endif
