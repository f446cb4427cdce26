// SPDX-License-Identifier: Apache-2.0
#include "relay/order.h"

#include "base/memory.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* What a request does with a znode. */
enum touch_kind {
    TOUCH_READS,
    TOUCH_WRITES,
    TOUCH_BELOW, /* makes or deletes a znode just below */
};

/* A znode. */
struct place {
    const char *path; /* its own copy, or what is looked for */
    size_t length;
    char *copy;
    struct order_touch *first, *last; /* in the order of the recording */
};

/* A request at a znode. */
struct order_touch {
    enum touch_kind kind;
    const struct order_request *request;
    struct place *place;
    struct order_touch *before, *behind; /* at the place */
    struct order_touch *next;            /* of the request */
};

static int compare(const void *a, const void *b)
{
    const struct place *first = a, *second = b;
    if (first->length != second->length)
        return first->length < second->length ? -1 : 1;
    return memcmp(first->path, second->path, first->length);
}

static struct place *place_of(order_places *places, const char *path, size_t length)
{
    const struct place key = {.path = path, .length = length};
    struct place *const *found = tfind(&key, places, compare);
    if (found != NULL)
        return *found;
    struct place *place = memory_new(1, sizeof *place);
    place->path = place->copy = memory_copy(path, length);
    place->length = length;
    (void)memory_or_end(tsearch(place, places, compare));
    return place;
}

static void touch(struct place *place, struct order_request *request, enum touch_kind kind)
{
    struct order_touch *touch = memory_new(1, sizeof *touch);
    *touch = (struct order_touch){.kind = kind,
                                  .request = request,
                                  .place = place,
                                  .before = place->last,
                                  .next = request->touches};
    *(place->last != NULL ? &place->last->behind : &place->first) = touch;
    place->last = touch;
    request->touches = touch;
}

static size_t parent_length(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? length - 1 : 0;
}

static void add(order_places *places, struct order_request *request, enum opcode opcode,
                struct jute_bytes path)
{
    if (path.length == 0)
        return;
    switch (opcode) {
    case OPCODE_CREATE:
    case OPCODE_CREATE2:
    case OPCODE_CREATE_CONTAINER:
    case OPCODE_CREATE_TTL:
    case OPCODE_DELETE:
    case OPCODE_DELETE_CONTAINER:
        touch(place_of(places, path.bytes, parent_length(path.bytes, path.length)), request,
              TOUCH_BELOW);
        touch(place_of(places, path.bytes, path.length), request, TOUCH_WRITES);
        break;
    case OPCODE_SET_DATA:
    case OPCODE_SET_ACL:
        touch(place_of(places, path.bytes, path.length), request, TOUCH_WRITES);
        break;
    default:
        touch(place_of(places, path.bytes, path.length), request, TOUCH_READS);
    }
}

void order_add(order_places *places, struct order_request *request,
               const struct message_request *message)
{
    struct jute parts = message->record.parts;
    struct message_record part;
    enum opcode opcode;
    add(places, request, message->opcode, message->record.path);
    while (message_next_part(&parts, false, &opcode, &part))
        add(places, request, opcode, part.path);
}

void order_remove(struct order_request *request)
{
    for (struct order_touch *touch = request->touches, *next; touch != NULL; touch = next) {
        struct place *place = touch->place;
        *(touch->before != NULL ? &touch->before->behind : &place->first) = touch->behind;
        *(touch->behind != NULL ? &touch->behind->before : &place->last) = touch->before;
        next = touch->next;
        free(touch);
    }
    request->touches = NULL;
}

/* Whether both are about the same: two that read, or that make other znodes just below, are not. */
static bool conflict(enum touch_kind a, enum touch_kind b)
{
    return a != b || a == TOUCH_WRITES;
}

bool order_waits(const struct order_request *request)
{
    for (const struct order_touch *own = request->touches; own != NULL; own = own->next)
        for (const struct order_touch *touch = own->place->first; touch != own;
             touch = touch->behind) {
            const struct order_request *earlier = touch->request;
            bool is_awaited =
                !earlier->sent || (earlier->answered > 0 && earlier->answered < request->asked);
            if (earlier != request && is_awaited && conflict(own->kind, touch->kind))
                return true;
        }
    return false;
}

static void free_place(void *node)
{
    struct place *place = node;
    free(place->copy);
    free(place);
}

void order_free(order_places *places)
{
    tdestroy(*places, free_place);
    *places = NULL;
}
