// SPDX-License-Identifier: Apache-2.0
#include "zk/errand.h"

#include "zk/wire.h"

#include <string.h>

struct errand *errand_new(struct paths *paths, enum errand_kind kind, struct session *session)
{
    struct errand *errand = slab_take(paths->slab, sizeof *errand);
    *errand = (struct errand){.kind = kind, .references = 1, .session = session};
    return errand;
}

static void fill_change(struct change *change, struct paths *paths,
                        const struct client_request *request, uint32_t owner)
{
    *change = (struct change){
        .operation = request->operation,
        .sequential = request->mode == EPHEMERAL_SEQUENTIAL,
        .version = request->version,
        .owner = request->mode == PERSISTENT ? TREE_NOBODY : owner,
        .path = paths_take(paths, request->path, strlen(request->path)),
        .value = value_take(paths->slab, request->value, request->value_length),
    };
}

static struct change *make_room(struct errand *errand, struct paths *paths, size_t count)
{
    errand->change_count = count;
    errand->changes =
        count <= 1 ? &errand->one : slab_take(paths->slab, count * sizeof *errand->changes);
    return errand->changes;
}

void errand_fill(struct errand *errand, struct paths *paths, const struct client_request *request,
                 uint32_t owner)
{
    errand->operation = request->operation;
    errand->watch = request->watch;
    errand->request_bytes = wire_request(request);
    if (request->operation != CLIENT_MULTI) {
        fill_change(make_room(errand, paths, 1), paths, request, owner);
        return;
    }
    struct change *changes = make_room(errand, paths, request->part_count);
    for (size_t i = 0; i < request->part_count; i++)
        fill_change(&changes[i], paths, &request->parts[i], owner);
}

void errand_fill_watches(struct errand *errand, struct paths *paths, const struct watches *watches,
                         uint32_t watcher)
{
    const struct watch *watch;
    size_t count = 0;
    uint64_t path_bytes = 0;
    for (watch = watches_of(watches, watcher); watch != NULL; watch = watch->next_own) {
        path_bytes += watch->path->length;
        count++;
    }
    errand->watch_count = count;
    errand->watches = slab_take(paths->slab, count * sizeof *errand->watches);
    errand->request_bytes = wire_watches_request(count, path_bytes);
    struct errand_watch *next = errand->watches;
    for (watch = watches_of(watches, watcher); watch != NULL; watch = watch->next_own)
        *next++ = (struct errand_watch){path_hold(watch->path), watch->kind};
}

void errand_fill_deletions(struct errand *errand, struct paths *paths, const struct tree *tree,
                           uint32_t owner)
{
    const struct node *node;
    size_t count = 0;
    for (node = tree_owned_first(tree, owner); node != NULL; node = node->owned_next)
        count++;
    struct change *next = make_room(errand, paths, count);
    for (node = tree_owned_first(tree, owner); node != NULL; node = node->owned_next)
        *next++ = (struct change){.operation = CLIENT_DELETE,
                                  .version = CLIENT_ANY_VERSION,
                                  .path = path_hold(node->path)};
}

void errand_release(struct errand *errand, struct paths *paths)
{
    if (--errand->references > 0)
        return;
    for (size_t i = 0; i < errand->change_count; i++) {
        paths_release(paths, errand->changes[i].path);
        value_release(paths->slab, errand->changes[i].value);
    }
    if (errand->change_count > 1)
        slab_give(paths->slab, errand->changes, errand->change_count * sizeof *errand->changes);
    for (size_t i = 0; i < errand->watch_count; i++)
        paths_release(paths, errand->watches[i].path);
    if (errand->watch_count > 0)
        slab_give(paths->slab, errand->watches, errand->watch_count * sizeof *errand->watches);
    value_release(paths->slab, errand->value);
    children_view_release(&errand->list, paths->slab);
    slab_give(paths->slab, errand, sizeof *errand);
}

bool errand_is_write(const struct errand *errand)
{
    switch (errand->kind) {
    case ERRAND_REQUEST:
        return errand->operation == CLIENT_CREATE || errand->operation == CLIENT_SET ||
               errand->operation == CLIENT_DELETE || errand->operation == CLIENT_MULTI;
    case ERRAND_OPEN:
    case ERRAND_CLOSE:
    case ERRAND_EXPIRE:
        return true;
    default:
        return false;
    }
}

/* Each part of a multi that failed is told an error, also the parts that would have gone well. */
static uint64_t multi_reply_bytes(const struct errand *errand)
{
    uint64_t bytes = WIRE_BARE_REPLY + WIRE_PARTS_END;
    for (size_t i = 0; i < errand->change_count; i++) {
        const struct change *change = &errand->changes[i];
        bytes += errand->status == ZK_OK ? wire_part_reply(change->operation, change->path->length)
                                         : wire_part_error();
    }
    return bytes;
}

static uint64_t request_reply_bytes(const struct errand *errand)
{
    if (errand->operation == CLIENT_MULTI && errand->status != ZK_SESSION_EXPIRED)
        return multi_reply_bytes(errand);
    if (errand->status != ZK_OK)
        return WIRE_BARE_REPLY;
    switch (errand->operation) {
    case CLIENT_CREATE:
        return wire_created_reply(errand->changes[0].path->length);
    case CLIENT_EXISTS:
    case CLIENT_SET:
        return wire_stat_reply();
    case CLIENT_GET:
        return wire_value_reply(value_length(errand->value));
    case CLIENT_GET_CHILDREN:
        return wire_names_reply(errand->list.count, errand->list.name_bytes);
    default:
        return WIRE_BARE_REPLY;
    }
}

uint64_t errand_reply_bytes(const struct errand *errand)
{
    switch (errand->kind) {
    case ERRAND_REQUEST:
        return request_reply_bytes(errand);
    case ERRAND_OPEN:
    case ERRAND_REOPEN:
        return WIRE_CONNECT_REPLY;
    case ERRAND_DISCONNECT:
    case ERRAND_HANG_UP:
        return 0;
    default:
        return WIRE_BARE_REPLY;
    }
}
