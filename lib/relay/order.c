// SPDX-License-Identifier: Apache-2.0
#include "relay/order.h"

#include "base/memory.h"

#include <stdlib.h>

/* What a request does with a znode. */
enum touch_kind {
    TOUCH_READS,
    TOUCH_WRITES,
    TOUCH_BELOW, /* makes or deletes a znode just below */
};

/* A znode. */
struct place {
    struct path_node node;
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

static struct place *place_of(path_tree *places, const char *path, size_t length)
{
    return path_tree_take(places, path, length, sizeof(struct place));
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

static void add(path_tree *places, struct order_request *request, enum opcode opcode,
                struct jute_bytes path)
{
    if (path.length == 0)
        return;
    bool makes_or_deletes =
        opcode_creates(opcode) || opcode == OPCODE_DELETE || opcode == OPCODE_DELETE_CONTAINER;
    bool writes = makes_or_deletes || opcode == OPCODE_SET_DATA || opcode == OPCODE_SET_ACL;
    if (makes_or_deletes)
        touch(place_of(places, path.bytes, path_tree_parent(path.bytes, path.length)), request,
              TOUCH_BELOW);
    touch(place_of(places, path.bytes, path.length), request, writes ? TOUCH_WRITES : TOUCH_READS);
}

void order_add(path_tree *places, struct order_request *request,
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

void order_free(path_tree *places)
{
    path_tree_free(places, NULL);
}
