// SPDX-License-Identifier: Apache-2.0
#include "client/client.h"

#include <assert.h>

void client_submit(struct client *client, const struct request *request)
{
    assert(!client->outstanding);
    client->outstanding = true;
    client->operation = request->operation;
    client->listener->sent(client->owner, request->operation);
    client->sent_ns = client_now_ns(client);
    client->driver->submit(client, request);
}

void client_create(struct client *client, const char *path, const void *value, size_t value_length,
                   enum create_mode mode)
{
    const struct request request = request_create(path, value, value_length, mode);
    client_submit(client, &request);
}

void client_exists(struct client *client, const char *path, enum watch_flag watch)
{
    client_submit(client, &(struct request){.operation = OP_EXISTS, .path = path, .watch = watch});
}

void client_get(struct client *client, const char *path, enum watch_flag watch)
{
    client_submit(client, &(struct request){.operation = OP_GET, .path = path, .watch = watch});
}

void client_get_children(struct client *client, const char *path, enum watch_flag watch)
{
    client_submit(client,
                  &(struct request){.operation = OP_GET_CHILDREN, .path = path, .watch = watch});
}

void client_set(struct client *client, const char *path, const void *value, size_t value_length,
                int32_t version)
{
    const struct request request = request_set(path, value, value_length, version);
    client_submit(client, &request);
}

void client_delete(struct client *client, const char *path)
{
    const struct request request = request_delete(path);
    client_submit(client, &request);
}

void client_multi(struct client *client, const struct request *parts, size_t part_count)
{
    assert(part_count > 0 && part_count <= REQUEST_PARTS_MAX);
    client_submit(
        client, &(struct request){.operation = OP_MULTI, .parts = parts, .part_count = part_count});
}

uint64_t client_now_ns(const struct client *client)
{
    return client->driver->now_ns(client);
}

bool client_bytes(const struct client *client, struct client_bytes *bytes)
{
    return client->driver->bytes(client, bytes);
}

size_t client_unread(const struct client *client)
{
    return client->driver->unread(client);
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
    assert(client->outstanding);
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

void client_deliver_reply(struct client *client, struct client_reply *reply)
{
    assert(client->outstanding);
    client->outstanding = false;
    reply->operation = client->operation;
    reply->latency_ns = client_now_ns(client) - client->sent_ns;
    client->listener->replied(client->owner, reply);
}
