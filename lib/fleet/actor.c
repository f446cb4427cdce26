// SPDX-License-Identifier: Apache-2.0
#include "fleet/actor.h"

#include <string.h>

void actor_pass_gate(struct actor *actor)
{
    actor->in_run = true;
    if (actor->apart)
        atomic_fetch_add(&actor->shared->losses, 1);
    if (actor->role != ROLE_RECONNECTED)
        actor->role = actor_place(actor)->role;
}

/* The coordinator finds the server's role by its address. A session without a connection keeps its
 * last server. */
static void note_server(const struct actor *actor)
{
    char server[CLIENT_SERVER_SIZE];
    client_server(actor->client, server, sizeof server);
    if (server[0] != '\0')
        memcpy(actor_place(actor)->server, server, sizeof server);
}

void actor_state_changed(struct actor *actor, enum client_state state)
{
    struct shared *shared = actor->shared;
    if (state == CLIENT_ESTABLISHED && !actor->established) {
        actor->established = true;
        actor_place(actor)->id = client_session_id(actor->client);
        note_server(actor);
        atomic_fetch_sub(&shared->connecting, 1);
        actor_step(actor);
        if (atomic_fetch_add(&shared->established, 1) + 1 == shared->plan->sessions)
            shared_wake(shared->coordinator_descriptor);
    } else if (state == CLIENT_ESTABLISHED) {
        actor->apart = false;
        atomic_fetch_add(&actor->worker->reconnects, 1);
        actor->role = ROLE_RECONNECTED;
    } else if (state == CLIENT_CONNECTING && actor->established && !actor->apart) {
        actor->apart = true;
        if (actor->in_run)
            atomic_fetch_add(&shared->losses, 1);
    }
}

void actor_spoke(struct actor *actor)
{
    const struct client *client = actor->client;
    uint64_t silence_ns = client->sent_ns - actor->spoke_ns;
    actor->spoke_ns = client->sent_ns;
    actor->pings += pings_most(silence_ns, client_timeout_ms(client));
}

void actor_lose(const struct actor *actor, enum zk_status status)
{
    struct shared *shared = actor->shared;
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&shared->first_lost, &none, actor->session + 1))
        atomic_store(&shared->first_lost_status, (int)status);
    atomic_fetch_add(&shared->lost, 1);
}

void actor_finish(const struct actor *actor)
{
    struct shared *shared = actor->shared;
    actor_step(actor);
    if (atomic_fetch_add(&shared->finished, 1) + 1 == shared->plan->sessions)
        shared_wake(shared->coordinator_descriptor);
}

void actor_report(const struct actor *actor)
{
    const struct client *client = actor->client;
    struct shared_session *place = actor_place(actor);
    note_server(actor);
    place->timeout_ms = client_timeout_ms(client);
    place->role = actor->role;
    place->asked = client->outstanding;
    place->answered = client->outstanding && client_unread(client) > 0;
    place->spoke_ns = actor->spoke_ns;
    place->pings = actor->pings;
}
