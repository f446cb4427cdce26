// SPDX-License-Identifier: Apache-2.0
/*
 * conversation: what a client and a server say to each other on one connection. Layer: relay.
 *
 * Fed with the bytes of both sides, and with the time at which each piece came: from a relay, or
 * from what was captured elsewhere. Requests are matched with replies by their number (xid): most
 * replies come in the order of the requests; those to pings, credentials and watches that are set
 * again may overtake others.
 *
 * Invariant: every byte that is fed is part of a message that the listener got, of a message under
 * way, or of what cannot be read; conversation_unread has the last two.
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
    CONVERSATION_WORD,     /* a four-letter word and its answer */
    CONVERSATION_TLS,      /* encrypted: nothing can be read */
    CONVERSATION_UNJOINED, /* its beginning is lost, and no request has come (conversation_join) */
};

/* A request without a reply. Lengths in bytes include the 4 of the message's own length. */
struct conversation_request {
    int32_t xid;
    enum opcode opcode;
    size_t bytes;
    uint64_t sent_ns;             /* when its last byte came */
    struct traffic_place *place;  /* the listener's own */
    struct watches_write *write;  /* likewise */
    struct message_record record; /* without the data */
    struct conversation_request *next;
    char copy[]; /* the record's path, with a NUL behind it, or the parts of its transaction */
};

struct conversation;

/* Receives the messages, when their last byte has come (conversation->now_ns). */
struct conversation_listener {
    /* The server has opened the session, or refused to (conversation->session is 0). asked: the
     * session that the client wanted back, or 0; `bytes` of the openings of both sides. Requests
     * that came before are received then; without an opening they are not. */
    void (*opened)(void *context, const struct conversation *conversation, int64_t asked,
                   const size_t bytes[CONVERSATION_SIDES]);
    void (*requested)(void *context, const struct conversation *conversation,
                      struct conversation_request *request);
    void (*replied)(void *context, const struct conversation *conversation,
                    const struct conversation_request *request, const struct message_reply *reply,
                    size_t bytes);
    void (*notified)(void *context, const struct conversation *conversation,
                     const struct message_notification *notification, size_t bytes);
};

struct conversation {
    const struct conversation_listener *listener;
    void *context;
    enum conversation_kind kind;
    const char *unreadable; /* why nothing is read any more, a static string; NULL: all is read */
    int64_t session;        /* 0 until it is opened */
    uint64_t now_ns;        /* when the bytes that are being fed have come */
    uint64_t fed_bytes[CONVERSATION_SIDES];
    struct conversation_request *requests, **last_next; /* without a reply, the oldest first */
    /* The rest is for conversation.c. */
    uint64_t read_bytes[CONVERSATION_SIDES];
    unsigned char first[4]; /* of the client's bytes */
    size_t first_count;
    bool client_opened, server_opened;
    bool unmatched; /* since conversation_join no reply to a request has come */
    int64_t asked;  /* of the client's opening, and its length */
    size_t opening_bytes;
    struct splitter splitters[CONVERSATION_SIDES];
};

/* Begins a conversation, which stays where it is until conversation_deinit. */
void conversation_init(struct conversation *conversation,
                       const struct conversation_listener *listener, void *context);

/* Marks a new conversation as one that began before the first byte that will be fed. It is joined
 * at the first piece of the client's bytes that begins with a whole request on a path or a ping (or
 * is one without its length, behind a piece that was the length), and of the server's at the first
 * reply to a request since then, in a piece that begins with a message; what comes before that is
 * unread. Its session is not known: `session` stands for it. */
void conversation_join(struct conversation *conversation, int64_t session);

/* Whether the bytes of a side are read from here on: only those follow each other without a gap. */
bool conversation_reads(const struct conversation *conversation, enum conversation_side side);

/* From here on nothing is read, for this reason, a static string, unless there was one before. */
void conversation_give_up(struct conversation *conversation, const char *why);

/* Takes bytes that a side has sent; calls the listener for each message that they complete. */
void conversation_feed(struct conversation *conversation, enum conversation_side from,
                       const void *bytes, size_t count, uint64_t at_ns);

/* The bytes of a side that are in no message which the listener got. */
uint64_t conversation_unread(const struct conversation *conversation, enum conversation_side side);

void conversation_deinit(struct conversation *conversation);

#endif
