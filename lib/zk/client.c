// SPDX-License-Identifier: Apache-2.0
#include "zk/client.h"

#include <assert.h>

static void begin(struct client *client, enum client_operation operation)
{
    assert(!client->outstanding);
    client->outstanding = true;
    client->operation = operation;
    client->listener->sent(client->owner, operation);
    client->sent_ns = client_now_ns(client);
}

void client_create(struct client *client, const char *path, enum create_mode mode)
{
    begin(client, CLIENT_CREATE);
    client->driver->create(client, path, mode);
}

void client_exists(struct client *client, const char *path, enum watch_flag watch)
{
    begin(client, CLIENT_EXISTS);
    client->driver->exists(client, path, watch);
}

void client_get(struct client *client, const char *path, enum watch_flag watch)
{
    begin(client, CLIENT_GET);
    client->driver->get(client, path, watch);
}

void client_get_children(struct client *client, const char *path, enum watch_flag watch)
{
    begin(client, CLIENT_GET_CHILDREN);
    client->driver->get_children(client, path, watch);
}

void client_delete(struct client *client, const char *path)
{
    begin(client, CLIENT_DELETE);
    client->driver->remove(client, path);
}

uint64_t client_now_ns(const struct client *client)
{
    return client->driver->now_ns(client);
}

bool client_bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    return client->driver->bytes(client, sent_bytes, received_bytes);
}

uint32_t client_timeout_ms(const struct client *client)
{
    return client->driver->timeout_ms(client);
}

void client_server(const struct client *client, char *text, size_t size)
{
    client->driver->server(client, text, size);
}

void client_deliver_reply(struct client *client, struct client_reply *reply)
{
    assert(client->outstanding);
    client->outstanding = false;
    reply->operation = client->operation;
    reply->latency_ns = client_now_ns(client) - client->sent_ns;
    client->listener->replied(client->owner, reply);
}
