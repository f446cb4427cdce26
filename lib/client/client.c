// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

const char *client_status_word(enum zk_status status)
{
    static const char *const words[] = {
        [ZK_OK] = "ok",
        [ZK_NO_NODE] = "no_node",
        [ZK_NODE_EXISTS] = "node_exists",
        [ZK_BAD_VERSION] = "bad_version",
        [ZK_NOT_EMPTY] = "not_empty",
        [ZK_NO_AUTH] = "no_auth",
        [ZK_REFUSED] = "other",
        [ZK_CONNECTION_LOSS] = "connection_loss",
        [ZK_SESSION_EXPIRED] = "session_expired",
        [ZK_OTHER_ERROR] = "other",
    };
    return words[status];
}

static uint32_t depth_of(const struct client *client)
{
    return client->depth > 1 ? client->depth : 1;
}

/* The slot of the operation that has `older` older ones outstanding. */
static struct client_slot *slot(struct client *client, uint32_t older)
{
    if (client->slots == NULL)
        return &client->only;
    uint32_t index = client->oldest + older;
    return &client->slots[index < client->depth ? index : index - client->depth];
}

enum error_kind client_init(struct client *client, uint32_t depth, struct error *error)
{
    assert(depth > 0 && depth <= CLIENT_DEPTH_MAX);
    client->depth = depth;
    client->slots = depth > 1 ? calloc(depth, sizeof *client->slots) : NULL;
    if (depth > 1 && client->slots == NULL)
        return error_from_errno(error, ENOMEM, "session", "of depth %u", depth);
    return ERROR_NONE;
}

void client_deinit(struct client *client)
{
    free(client->slots);
    client->slots = NULL;
}

void client_submit(struct client *client, const struct request *request, uint64_t tag)
{
    assert(client->outstanding < depth_of(client) && request->part_count <= REQUEST_PARTS_MAX);
    struct client_slot *newest = slot(client, client->outstanding++);
    client->listener->sent(client->owner, request->operation);
    client->sent_ns = client_now_ns(client);
    *newest = (struct client_slot){
        .tag = tag, .sent_ns = client->sent_ns, .operation = request->operation};
    client->driver->submit(client, request);
}

uint64_t client_now_ns(const struct client *client)
{
    return client->driver->now_ns == NULL ? clock_now_ns() : client->driver->now_ns(client);
}

bool client_bytes(const struct client *client, struct client_bytes *bytes)
{
    return client->driver->bytes(client, bytes);
}

size_t client_unread(const struct client *client)
{
    return client->driver->unread == NULL ? 0 : client->driver->unread(client);
}

uint32_t client_timeout_ms(const struct client *client)
{
    return client->driver->timeout_ms(client);
}

int64_t client_session_id(const struct client *client)
{
    return client->driver->session_id(client);
}

void client_server(const struct client *client, char *text, size_t size)
{
    assert(size >= CLIENT_SERVER_SIZE);
    client->driver->server(client, text, size);
}

bool client_cut(struct client *client)
{
    assert(client->outstanding && depth_of(client) == 1);
    return client->driver->cut(client);
}

bool client_crash(struct client *client)
{
    return client->driver->crash(client);
}

bool client_leave(struct client *client)
{
    assert(!client->outstanding);
    return client->driver->leave(client);
}

void client_refuse(struct client *client, enum zk_status status)
{
    slot(client, client->outstanding - 1)->refused = status;
}

static void deliver(struct client *client, struct client_reply *reply)
{
    const struct client_slot *done = slot(client, 0);
    reply->operation = done->operation;
    reply->tag = done->tag;
    reply->latency_ns = client_now_ns(client) - done->sent_ns;
    client->oldest = client->oldest + 1 < depth_of(client) ? client->oldest + 1 : 0;
    client->outstanding--;
    client->listener->replied(client->owner, reply);
}

bool client_deliver_refused(struct client *client)
{
    uint32_t count = client->outstanding, done = 0;
    for (; done < count && !client->silent && slot(client, 0)->refused != ZK_OK; done++)
        deliver(client, &(struct client_reply){.status = slot(client, 0)->refused});
    return done > 0;
}

void client_deliver_reply(struct client *client, struct client_reply *reply)
{
    client_deliver_refused(client);
    if (client->silent)
        return;
    assert(client->outstanding > 0);
    deliver(client, reply);
}
