// SPDX-License-Identifier: Apache-2.0
/*
 * conversation: what a client and a server say to each other on one connection. Layer: relay.
 *
 * Fed with the bytes of both sides, and with the time at which each piece came: from a relay, or
 * from what was captured elsewhere. Requests are matched with replies by their number (xid): most
 * replies come in the order of the requests; those to pings, credentials and watches that are set
 * again may overtake others.
 *
 * Invariant: every byte that is fed is part of a message that the listener was told of, of a
 * message under way, or of what cannot be read; conversation_unread has the last two.
 */
#ifndef RELAY_CONVERSATION_H
#define RELAY_CONVERSATION_H

#include "wire/message.h"
#include "wire/splitter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum conversation_side { CONVERSATION_CLIENT, CONVERSATION_SERVER, CONVERSATION_SIDES };

/* What is spoken; known after the client's first 4 bytes. */
enum conversation_kind {
    CONVERSATION_SILENT, /* fewer than 4 bytes have come from the client */
    CONVERSATION_ZOOKEEPER,
    CONVERSATION_WORD, /* a four-letter word and its answer */
    CONVERSATION_TLS,  /* encrypted: nothing can be read */
    /* Its beginning was not heard, and no request since then (conversation_join). */
    CONVERSATION_UNJOINED,
};

/* A request that was sent. */
struct conversation_request {
    int32_t xid;
    enum opcode opcode;
    size_t bytes;     /* with its length's 4 */
    uint64_t sent_ns; /* when its last byte came */
    uint64_t tag;     /* the listener's own */
    /* Its fields without the data: the path, with a NUL behind it, or the parts are a copy, until
     * the reply was told of. */
    struct message_record record;
    char *copy;
};

struct conversation;

/* Who is told of the messages. `bytes` includes a message's length's 4. */
struct conversation_listener {
    /* The server has opened the session (reply->session is not 0), or refused to; `bytes` of the
     * openings of both sides. */
    void (*opened)(void *context, struct conversation *conversation,
                   const struct message_opening *request, const struct message_opening *reply,
                   const size_t bytes[CONVERSATION_SIDES]);
    /* The result becomes the request's tag. */
    uint64_t (*requested)(void *context, struct conversation *conversation,
                          const struct message_request *request,
                          const struct conversation_request *sent);
    void (*replied)(void *context, struct conversation *conversation,
                    const struct conversation_request *request, const struct message_reply *reply,
                    size_t bytes, uint64_t at_ns);
    void (*notified)(void *context, struct conversation *conversation,
                     const struct message_notification *notification, size_t bytes, uint64_t at_ns);
};

struct conversation {
    const struct conversation_listener *listener;
    void *context;
    enum conversation_kind kind;
    const char *unreadable; /* why nothing is read any more, a static string; NULL: all is read */
    int64_t session;        /* 0 until it is opened */
    uint64_t fed_bytes[CONVERSATION_SIDES];
    /* The rest is for conversation.c. */
    uint64_t told_bytes[CONVERSATION_SIDES];
    unsigned char first[4]; /* of the client's bytes */
    size_t first_count;
    bool client_opened, server_opened;
    bool unmatched;                 /* since conversation_join no reply to a request has come */
    struct message_opening opening; /* of the client, and its length */
    size_t opening_bytes;
    struct splitter splitters[CONVERSATION_SIDES];
    struct conversation_request *requests; /* that are not answered, in a ring */
    size_t request_first, request_count, request_room;
    uint64_t now_ns; /* when the bytes that are being fed have come */
};

/* Begins a conversation of which nothing was said. */
void conversation_init(struct conversation *conversation,
                       const struct conversation_listener *listener, void *context);

/* Says of a new conversation that it began before the first byte that will be fed. It is joined at
 * the first piece of the client's bytes that begins with a whole request on a path or a ping (or is
 * one without its length, behind a piece that was the length), and of the server's at the first
 * reply to a request since then, in a piece that begins with a message; what comes before that is
 * unread. Its session is not known: `session` stands for it. */
void conversation_join(struct conversation *conversation, int64_t session);

/* Whether the bytes of a side are read from here on: only those follow each other without a gap. */
bool conversation_hears(const struct conversation *conversation, enum conversation_side side);

/* From here on nothing is read, for this reason, a static string, unless there was one before. */
void conversation_give_up(struct conversation *conversation, const char *why);

/* Takes bytes that a side has sent; calls the listener for each message that they complete. */
void conversation_feed(struct conversation *conversation, enum conversation_side from,
                       const void *bytes, size_t count, uint64_t at_ns);

/* The bytes of a side that are in no message which the listener was told of. */
uint64_t conversation_unread(const struct conversation *conversation, enum conversation_side side);

/* The requests that have no reply. */
size_t conversation_unanswered(const struct conversation *conversation);

void conversation_deinit(struct conversation *conversation);

#endif
