// SPDX-License-Identifier: Apache-2.0
#include "relay/prior.h"

#include "base/memory.h"
#include "relay/rename.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* A znode that the recording has named. */
struct place {
    struct path_node node;
    bool known;   /* whether it was there */
    bool before;  /* it was there */
    bool changed; /* it was made or deleted since */
};

static struct place *place_of(struct prior *prior, const char *path, size_t length)
{
    return path_tree_take(&prior->places, path, length, sizeof(struct place));
}

/* The znode is there, and so are those above it. */
static void note_there(struct prior *prior, const char *path, size_t length)
{
    for (; length > 1 && path[0] == '/'; length = path_tree_parent(path, length)) {
        struct place *place = place_of(prior, path, length);
        if (place->known)
            return;
        place->known = place->before = true;
    }
}

static void note_absent(struct prior *prior, const char *path, size_t length)
{
    place_of(prior, path, length)->known = true;
}

static void note_made(struct prior *prior, const char *path, size_t length)
{
    struct place *place = place_of(prior, path, length);
    if (!place->changed)
        place->before = false;
    place->known = place->changed = true;
    note_there(prior, path, path_tree_parent(path, length));
}

static void note_deleted(struct prior *prior, const char *path, size_t length)
{
    note_there(prior, path, length);
    place_of(prior, path, length)->changed = true;
}

static bool needs_znode(enum opcode opcode)
{
    switch (opcode) {
    case OPCODE_DELETE:
    case OPCODE_EXISTS:
    case OPCODE_GET_DATA:
    case OPCODE_SET_DATA:
    case OPCODE_GET_ACL:
    case OPCODE_SET_ACL:
    case OPCODE_GET_CHILDREN:
    case OPCODE_GET_CHILDREN2:
    case OPCODE_CHECK:
    case OPCODE_GET_ALL_CHILDREN_NUMBER:
        return true;
    default:
        return false;
    }
}

/* What the result of an operation on a path tells; made: the path that a create has returned. */
static void note(struct prior *prior, enum opcode opcode, struct jute_bytes path,
                 struct jute_bytes made, int32_t error)
{
    bool is_sequential = path.length != made.length;
    if (path.length == 0)
        return;
    bool creates = opcode_creates(opcode), names = needs_znode(opcode);
    if (creates && error == 0) {
        note_made(prior, made.bytes, made.length);
        if (is_sequential)
            rename_add(&prior->names, made.bytes, made.length);
    } else if (opcode == OPCODE_DELETE && error == 0)
        note_deleted(prior, path.bytes, path.length);
    else if ((creates && error == MESSAGE_NODE_EXISTS) ||
             (names && (error == 0 || error == MESSAGE_BAD_VERSION || error == MESSAGE_NOT_EMPTY)))
        note_there(prior, path.bytes, path.length);
    else if (names && error == MESSAGE_NO_NODE)
        note_absent(prior, path.bytes, path.length);
    else if (creates && error == MESSAGE_NO_NODE)
        note_absent(prior, path.bytes, path_tree_parent(path.bytes, path.length));
}

/* Each part of a transaction; of one that has failed only the part that failed tells something. */
static void note_parts(struct prior *prior, struct jute requests, struct jute replies, bool failed)
{
    enum opcode opcode, reply_opcode;
    struct message_record request, reply;
    while (message_next_part(&requests, false, &opcode, &request) &&
           message_next_part(&replies, true, &reply_opcode, &reply)) {
        bool is_error = reply_opcode == OPCODE_OTHER;
        if (!is_error || reply.number != 0 || !failed)
            note(prior, opcode, request.path, reply.path, is_error ? reply.number : 0);
    }
}

static void note_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct prior *prior = context;
    traffic_listener.replied(context, conversation, request, reply, bytes, at_ns);
    if (request->opcode == OPCODE_MULTI || request->opcode == OPCODE_MULTI_READ)
        note_parts(prior, request->record.parts, reply->record.parts,
                   reply->record.parts_failed > 0);
    else
        note(prior, request->opcode, request->record.path, reply->record.path, reply->error);
}

/* ------------------------------------------------------------------ the whole */

static void count_end(void *context, const struct conversation *conversation)
{
    traffic_end(context, conversation);
}

static void list_place(const void *node, VISIT visit, void *context)
{
    const struct place *place = *(struct place *const *)node;
    struct prior *prior = context;
    if ((visit != postorder && visit != leaf) || !place->before)
        return;
    prior->znodes = memory_grow(prior->znodes, prior->znode_count, sizeof *prior->znodes);
    prior->znodes[prior->znode_count++] = place->node.copy;
}

enum error_kind prior_read(struct prior *prior, const char *path, struct error *error)
{
    struct conversation_listener listener = traffic_listener;
    listener.replied = note_reply;
    *prior = (struct prior){0};
    traffic_init(&prior->traffic);
    enum error_kind kind = recording_read(path, &listener, count_end, prior, &prior->facts, error);
    twalk_r(prior->places, list_place, prior);
    return kind;
}

void prior_deinit(struct prior *prior)
{
    traffic_deinit(&prior->traffic);
    rename_free(&prior->names);
    path_tree_free(&prior->places, NULL);
    free(prior->znodes);
    *prior = (struct prior){0};
}
