// SPDX-License-Identifier: Apache-2.0
#include "sim/message.h"

#include "wire/wire.h"

#include <string.h>

struct message *message_new(struct paths *paths, enum message_kind kind,
                            struct sim_session *session)
{
    struct message *message = pool_alloc(paths->pool, sizeof *message);
    *message = (struct message){.kind = kind, .references = 1, .session = session};
    return message;
}

static void fill_change(struct change *change, struct paths *paths, const struct request *request,
                        uint32_t owner)
{
    *change = (struct change){
        .operation = request->operation,
        .sequential = request->mode == EPHEMERAL_SEQUENTIAL,
        .version = request->version,
        .owner = request->mode == PERSISTENT ? TREE_NO_OWNER : owner,
        .path = paths_intern(paths, request->path, strlen(request->path)),
        .value = value_new(paths->pool, request->value, request->value_length),
    };
}

static struct change *make_room(struct message *message, struct paths *paths, size_t count)
{
    message->change_count = count;
    message->changes =
        count <= 1 ? &message->one : pool_alloc(paths->pool, count * sizeof *message->changes);
    return message->changes;
}

void message_fill(struct message *message, struct paths *paths, const struct request *request,
                  uint32_t owner)
{
    message->operation = request->operation;
    message->watch = request->watch;
    message->request_bytes = wire_request(request);
    bool is_multi = request->operation == OP_MULTI;
    const struct request *parts = is_multi ? request->parts : request;
    struct change *changes = make_room(message, paths, is_multi ? request->part_count : 1);
    for (size_t i = 0; i < message->change_count; i++)
        fill_change(&changes[i], paths, &parts[i], owner);
}

void message_fill_path(struct message *message, struct paths *paths, struct path *path)
{
    make_room(message, paths, 1)->path = path_hold(path);
}

void message_fill_watches(struct message *message, struct paths *paths,
                          const struct watches *watches, uint32_t watcher)
{
    static const enum operation looks[] = {
        [WATCH_DATA] = OP_GET, [WATCH_CHILD] = OP_GET_CHILDREN, [WATCH_ABSENT] = OP_EXISTS};
    const struct watch *watch;
    size_t count = 0;
    uint64_t path_bytes = 0;
    for (watch = watches_of(watches, watcher); watch != NULL; watch = watch->next_own) {
        path_bytes += watch->path->length;
        count++;
    }
    message->request_bytes = WIRE_WATCHES_REQUEST(count, path_bytes);
    struct change *next = make_room(message, paths, count);
    for (watch = watches_of(watches, watcher); watch != NULL; watch = watch->next_own)
        *next++ = (struct change){.operation = looks[watch->kind], .path = path_hold(watch->path)};
}

void message_fill_deletions(struct message *message, struct paths *paths, const struct tree *tree,
                            uint32_t owner)
{
    const struct node *node;
    size_t count = 0;
    for (node = tree_owned_first(tree, owner); node != NULL; node = node->owned_after)
        count++;
    struct change *next = make_room(message, paths, count);
    for (node = tree_owned_first(tree, owner); node != NULL; node = node->owned_after)
        *next++ = (struct change){
            .operation = OP_DELETE, .version = REQUEST_ANY_VERSION, .path = path_hold(node->path)};
}

void message_release(struct message *message, struct paths *paths)
{
    if (--message->references > 0)
        return;
    for (size_t i = 0; i < message->change_count; i++) {
        paths_release(paths, message->changes[i].path);
        value_release(message->changes[i].value);
    }
    if (message->change_count > 1)
        pool_give(message->changes);
    value_release(message->value);
    names_release(message->names);
    pool_give(message);
}

void message_queue_add(struct message_queue *queue, struct message *message)
{
    message->next = NULL;
    *(queue->first == NULL ? &queue->first : &queue->last->next) = message;
    queue->last = message;
}

struct message *message_queue_pop(struct message_queue *queue)
{
    struct message *message = queue->first;
    if (message != NULL)
        queue->first = message->next;
    return message;
}

void message_queue_clear(struct message_queue *queue, struct paths *paths)
{
    struct message *message;
    while ((message = message_queue_pop(queue)) != NULL)
        message_release(message, paths);
}

bool message_is_write(const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_REQUEST:
        return message->operation == OP_CREATE || message->operation == OP_SET ||
               message->operation == OP_DELETE || message->operation == OP_MULTI;
    case MESSAGE_OPEN:
    case MESSAGE_CLOSE:
    case MESSAGE_EXPIRE:
        return true;
    default:
        return false;
    }
}

static uint64_t request_reply_bytes(const struct message *message)
{
    bool done = message->status == ZK_OK;
    uint64_t parts = WIRE_BARE_REPLY + WIRE_PARTS_END;
    if (message->operation == OP_MULTI && message->status != ZK_SESSION_EXPIRED) {
        for (size_t i = 0; i < message->change_count; i++) {
            const struct change *change = &message->changes[i];
            parts +=
                done ? wire_part_reply(change->operation, change->path->length) : WIRE_PART_ERROR;
        }
        return parts;
    }
    if (!done)
        return WIRE_BARE_REPLY;
    switch (message->operation) {
    case OP_CREATE:
    case OP_SYNC:
        return WIRE_CREATED_REPLY(message->changes[0].path->length);
    case OP_EXISTS:
    case OP_SET:
        return WIRE_STAT_REPLY;
    case OP_GET:
        return WIRE_VALUE_REPLY(message->value == NULL ? 0 : message->value->length);
    case OP_GET_CHILDREN:
        return WIRE_NAMES_REPLY(message->names->count, message->names->bytes);
    default:
        return WIRE_BARE_REPLY;
    }
}

uint64_t message_reply_bytes(const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_REQUEST:
        return request_reply_bytes(message);
    case MESSAGE_OPEN:
    case MESSAGE_REOPEN:
        return WIRE_CONNECT_REPLY;
    case MESSAGE_DISCONNECT:
    case MESSAGE_HANG_UP:
        return 0;
    case MESSAGE_NOTIFICATION:
        return WIRE_NOTIFICATION(message->one.path->length);
    default:
        return WIRE_BARE_REPLY;
    }
}
