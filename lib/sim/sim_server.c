// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index)
{
    *server = (struct sim_server){.sim = sim, .index = index};
    tree_init(&server->tree, &sim->slab, &sim->paths);
    watches_init(&server->watches, &sim->slab, &sim->paths);
}

static void work(struct sim_server *server, uint64_t cost_ns)
{
    sim_work(server->sim, &server->cpu, 0, cost_ns);
}

/* Joins the next sync if it has not begun yet. */
uint64_t sim_server_sync(struct sim_server *server, uint64_t comes_ns)
{
    struct disk *disk = &server->disk;
    if (comes_ns > disk->begins_ns || disk->ends_ns == 0) {
        disk->begins_ns = sim_later(comes_ns, disk->ends_ns);
        disk->ends_ns = disk->begins_ns + server->sim->options.costs.sync_ns;
    }
    return disk->ends_ns;
}

/* ------------------------------------------------------------------ connections */

/* Whether the server has a connection of this session. */
static bool has_link(const struct sim_server *server, const struct sim_session *session)
{
    return session->linked && session->link_server == server->index;
}

static bool is_linked(const struct sim_server *server, const struct message *message)
{
    return has_link(server, message->session) &&
           message->session->link_connection == message->connection;
}

static void link_session(const struct message *message)
{
    struct sim_session *session = message->session;
    message_queue_clear(&session->link_reads, &session->sim->paths);
    session->linked = true;
    session->link_writes = session->link_written = 0;
    session->link_connection = message->connection;
    session->link_server = message->server;
}

static void unlink_session(struct sim_server *server, struct sim_session *session)
{
    watches_drop(&server->watches, session->number);
    if (!has_link(server, session))
        return;
    session->linked = false;
    message_queue_clear(&session->link_reads, &session->sim->paths);
}

/* When a message is sent that the CPU has made when it is idle. A server sends to its connections
 * in a random order (NIOServerCnxnFactory shuffles them): at any time until all is sent. */
static uint64_t sent_ns(struct sim_server *server)
{
    struct sim *sim = server->sim;
    uint64_t made_ns = sim_later(server->cpu.idle_ns, sim->agenda.now_ns),
             cost_ns = sim->options.costs.send_ns;
    sim_work(sim, &server->sender, made_ns, cost_ns);
    uint64_t most_ns = server->sender.idle_ns - made_ns - cost_ns;
    return made_ns + cost_ns + (most_ns > 0 ? random_below(&sim->random, most_ns + 1) : 0);
}

void sim_server_sends(struct sim_server *server, const struct sending *sending, uint64_t leaves_ns)
{
    struct sim *sim = server->sim;
    struct sim_session *session = sending->session;
    session->down_ns = sim_later(session->down_ns, leaves_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, session->down_ns, sending->arrives.call, sending->arrives.context);
}

static void send_to(struct sim_server *server, const struct sending *sending)
{
    if (!sim_turn_keeps_sending(server, sending))
        sim_server_sends(server, sending, sent_ns(server));
}

static void send(struct sim_server *server, struct message *message)
{
    send_to(server, &(struct sending){message->session, {sim_session_receives, message}});
}

/* The server closes the connection. */
static void hang_up(struct sim_server *server, struct sim_session *session, uint32_t connection)
{
    struct message *message = message_new(&server->sim->paths, MESSAGE_HANG_UP, session);
    message->connection = connection;
    send(server, message);
}

/* Sends the reply; it is lost if the connection is gone. */
static void answer(struct sim_server *server, struct message *message)
{
    if (is_linked(server, message))
        send(server, message);
    else
        message_release(message, &server->sim->paths);
}

/* ------------------------------------------------------------------ watches */

static void hear_fired(void *context, uint32_t watcher, enum client_event event, struct path *path)
{
    struct sim_server *server = context;
    struct sim *sim = server->sim;
    struct sim_session *session = sim->sessions[watcher];
    work(server, sim->options.costs.notification_ns);
    if (!has_link(server, session))
        return;
    struct notification *notification = slab_take(&sim->slab, sizeof *notification);
    *notification =
        (struct notification){session, path_hold(path), session->link_connection, event};
    send_to(server, &(struct sending){session, {sim_session_is_notified, notification}});
}

static void fire(struct sim_server *server, const struct change *change)
{
    const struct watches_ear ear = {hear_fired, server};
    struct watches *watches = &server->watches;
    if (change->operation == OP_CREATE)
        server->notifications += watches_created(watches, change->path, ear);
    else if (change->operation == OP_DELETE)
        server->notifications += watches_deleted(watches, change->path, ear);
    else if (change->operation == OP_SET)
        server->notifications += watches_changed(watches, change->path, ear);
}

/* The event that a watched znode has had since the client saw it; 0 if there is none. */
static enum client_event missed(const struct sim_server *server, const struct message_watch *watch,
                                uint64_t seen_zxid)
{
    const struct node *node = tree_find(&server->tree, watch->path);
    const enum client_event none = 0;
    switch (watch->kind) {
    case WATCH_ABSENT:
        return node != NULL ? EVENT_CREATED : none;
    case WATCH_CHILD:
        if (node == NULL)
            return EVENT_DELETED;
        return node->children_zxid > seen_zxid ? EVENT_CHILD : none;
    case WATCH_DATA:
        if (node == NULL)
            return EVENT_DELETED;
        return node->modified_zxid > seen_zxid ? EVENT_CHANGED : none;
    }
    return none;
}

static void set_again(struct sim_server *server, const struct message *message)
{
    uint32_t watcher = message->session->number;
    for (size_t i = 0; i < message->watch_count; i++) {
        const struct message_watch *watch = &message->watches[i];
        enum client_event event = missed(server, watch, message->seen_zxid);
        if (event != 0)
            hear_fired(server, watcher, event, watch->path);
        else
            watches_add(&server->watches, watcher, watch->path,
                        watch->kind == WATCH_CHILD ? WATCH_CHILD : WATCH_DATA);
    }
}

/* ------------------------------------------------------------------ reads */

static void look_up(struct sim_server *server, struct message *message)
{
    const struct node *node = tree_find(&server->tree, message->one.path);
    if (node == NULL) {
        message->status = ZK_NO_NODE;
        return;
    }
    message->version = node->version;
    if (node->owner != TREE_NOBODY)
        message->owner = client_session_id(&server->sim->sessions[node->owner]->client);
    if (message->operation == OP_GET)
        message->value = value_hold(node->value);
    if (message->operation == OP_GET_CHILDREN)
        message->list = children_view(&node->children);
}

/* Only exists sets a watch on a znode that does not exist. */
static void watch(struct sim_server *server, const struct message *message)
{
    if (message->watch != WATCH || (message->status != ZK_OK && message->operation != OP_EXISTS))
        return;
    watches_add(&server->watches, message->session->number, message->one.path,
                message->operation == OP_GET_CHILDREN ? WATCH_CHILD : WATCH_DATA);
}

static void carry_out_read(struct sim_server *server, struct message *message)
{
    const struct sim_costs *costs = &server->sim->options.costs;
    bool linked = is_linked(server, message);
    server->reads++;
    message->zxid = server->zxid;
    work(server, costs->read_ns);
    if (message->kind == MESSAGE_WATCHES && linked) {
        set_again(server, message);
    } else if (message->kind == MESSAGE_REQUEST) {
        look_up(server, message);
        if (linked)
            watch(server, message);
        work(server, message->list.count * costs->name_ns);
    }
    answer(server, message);
}

/* A write was answered: carries out the reads that waited for it. */
static void carry_out_reads_behind(struct sim_server *server, struct sim_session *session)
{
    session->link_written++;
    while (session->link_reads.first != NULL &&
           session->link_reads.first->link_writes <= session->link_written)
        carry_out_read(server, message_queue_take(&session->link_reads));
}

/* ------------------------------------------------------------------ writes */

static void end_session(struct sim_server *server, const struct message *message)
{
    struct sim_session *session = message->session;
    if (!has_link(server, session))
        return;
    if (message->kind == MESSAGE_EXPIRE)
        hang_up(server, session, session->link_connection);
    unlink_session(server, session);
}

static void carry_out_write(struct sim_server *server, struct message *message)
{
    work(server, server->sim->options.costs.apply_ns);
    if (message->status == ZK_OK && message->change_count > 0) {
        tree_carry_out(&server->tree, message->zxid, message->changes, message->change_count);
        for (size_t i = 0; i < message->change_count; i++)
            fire(server, &message->changes[i]);
    }
    server->zxid = message->zxid;
    bool ours = message->kind != MESSAGE_EXPIRE && message->server == server->index;
    if (ours)
        server->writes++;
    if (ours && message->status == ZK_OK && message->operation == OP_SET)
        message->version = tree_find(&server->tree, message->one.path)->version;
    if (ours && is_linked(server, message)) {
        message->references++;
        send(server, message);
        carry_out_reads_behind(server, message->session);
    }
    if (message->kind == MESSAGE_CLOSE || message->kind == MESSAGE_EXPIRE)
        end_session(server, message);
    message_release(message, &server->sim->paths);
}

/* ------------------------------------------------------------------ the lane */

struct lane_entry {
    struct message *message;
    uint64_t due_ns;
};

static void come_due(void *context);

static void await_due(struct sim_server *server)
{
    const struct lane *lane = &server->lane;
    if (lane->count > 0)
        agenda_add(&server->sim->agenda, lane->entries[lane->head].due_ns, come_due, server);
}

static void carry_out_first(struct sim_server *server)
{
    struct lane *lane = &server->lane;
    struct message *message = lane->entries[lane->head].message;
    lane->head = (lane->head + 1) & (lane->capacity - 1);
    lane->count--;
    if (message_is_write(message))
        carry_out_write(server, message);
    else
        carry_out_read(server, message);
}

/* In a turn, all that is due by now is carried out. */
static void come_due(void *context)
{
    struct sim_server *server = context;
    const struct lane *lane = &server->lane;
    if (sim_turn_puts_off(server, come_due, server))
        return;
    do {
        carry_out_first(server);
    } while (server->turn.taken && lane->count > 0 &&
             lane->entries[lane->head].due_ns <= server->sim->agenda.now_ns);
    await_due(server);
}

static void widen(struct sim_server *server)
{
    struct lane *lane = &server->lane;
    struct slab *slab = &server->sim->slab;
    size_t capacity = lane->capacity == 0 ? 64 : lane->capacity * 2;
    struct lane_entry *entries = slab_take(slab, capacity * sizeof *entries);
    for (size_t i = 0; i < lane->count; i++)
        entries[i] = lane->entries[(lane->head + i) & (lane->capacity - 1)];
    slab_give(slab, lane->entries, lane->capacity * sizeof *entries);
    lane->entries = entries;
    lane->capacity = capacity;
    lane->head = 0;
}

void sim_server_queue(struct sim_server *server, struct message *message, uint64_t due_ns)
{
    struct lane *lane = &server->lane;
    if (lane->count == lane->capacity)
        widen(server);
    lane->entries[(lane->head + lane->count) & (lane->capacity - 1)] =
        (struct lane_entry){message, due_ns};
    if (++lane->count == 1)
        await_due(server);
}

/* ------------------------------------------------------------------ what comes in */

/* On a single server a read goes through the same chain as a write, and waits for earlier writes.
 */
static void receive_read(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    message->link_writes = session->link_writes;
    bool alone = server->sim->options.servers == 1;
    if (alone && server->turn.write_count > 0 && sim_turn_keeps_write(server, message))
        return;
    if (alone && server->lane.count > 0)
        sim_server_queue(server, message, 0);
    else if (is_linked(server, message) && session->link_written < session->link_writes)
        message_queue_add(&session->link_reads, message);
    else
        carry_out_read(server, message);
}

static void receive_write(struct sim_server *server, struct message *message)
{
    struct sim *sim = server->sim;
    uint64_t due_ns = sim->agenda.now_ns;
    if (is_linked(server, message))
        message->session->link_writes++;
    if (server->index == sim->leader.leader) {
        sim_leader_order(message);
        return;
    }
    server->to_leader_ns = sim_later(server->to_leader_ns, due_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, server->to_leader_ns, sim_leader_order, message);
}

/* A server refuses a client that has seen a later transaction. A follower asks its leader about
 * other clients. */
static void receive_reopen(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    struct sim *sim = server->sim;
    work(server, sim->options.costs.read_ns);
    if (message->seen_zxid > server->zxid) {
        hang_up(server, session, message->connection);
        message_release(message, &sim->paths);
        return;
    }
    if (server->index != sim->leader.leader)
        session->down_ns =
            sim_later(session->down_ns, sim->agenda.now_ns) + sim_hop_ns(sim) + sim_hop_ns(sim);
    if (session->ended)
        message->status = ZK_SESSION_EXPIRED;
    else
        link_session(message);
    send(server, message);
}

void sim_server_receives(void *context)
{
    struct message *message = context;
    struct sim_session *session = message->session;
    struct sim_server *server = &session->sim->servers[message->server];
    if (sim_turn_puts_off(server, sim_server_receives, message))
        return;
    if (message->kind == MESSAGE_DISCONNECT) {
        unlink_session(server, session);
        message_release(message, &session->sim->paths);
        return;
    }
    server->packets_received++;
    server->connects += message->kind == MESSAGE_OPEN || message->kind == MESSAGE_REOPEN;
    if (message->kind == MESSAGE_REOPEN) {
        receive_reopen(server, message);
        return;
    }
    if (message->kind == MESSAGE_OPEN)
        link_session(message);
    if (message_is_write(message))
        receive_write(server, message);
    else
        receive_read(server, message);
}
