// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index)
{
    *server = (struct sim_server){.sim = sim, .index = index};
    tree_init(&server->tree, &sim->slab, &sim->paths);
    watches_init(&server->watches, &sim->slab, &sim->paths);
}

void sim_server_work(struct sim_server *server, uint64_t cost_ns)
{
    server->idle_ns = sim_later(server->idle_ns, server->sim->agenda.now_ns) + cost_ns;
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

/* Sends to a session what the CPU has made when it is idle; `arrive` is called with it then. */
static void send_to(struct sim_server *server, struct sim_session *session,
                    void (*arrive)(void *sent), void *sent)
{
    struct sim *sim = server->sim;
    uint64_t made_ns = sim_later(server->idle_ns, sim->agenda.now_ns);
    session->down_ns = sim_later(session->down_ns, made_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, session->down_ns, arrive, sent);
}

static void send(struct sim_server *server, struct message *message)
{
    send_to(server, message->session, server->sim->receive, message);
}

/* The server closes the connection. */
static void hang_up(struct sim_server *server, struct sim_session *session, uint32_t connection)
{
    struct message *message = message_new(&server->sim->paths, MESSAGE_HANG_UP, session);
    message->connection = connection;
    send(server, message);
}

/* ------------------------------------------------------------------ watches */

/* The callback of watches_fire. */
static void fired(void *context, uint32_t watcher, enum client_event event, struct path *path)
{
    struct sim_server *server = context;
    struct sim *sim = server->sim;
    struct sim_session *session = sim->sessions[watcher];
    sim_server_work(server, sim->options.costs.notification_ns);
    if (!has_link(server, session))
        return;
    struct notification *notification = slab_take(&sim->slab, sizeof *notification);
    *notification =
        (struct notification){session, path_hold(path), session->link_connection, event};
    send_to(server, session, sim->notify, notification);
}

/* The event that a watched znode has had since the client saw it; 0 if there is none. */
static enum client_event missed(const struct sim_server *server, const struct message_watch *watch,
                                uint64_t seen_zxid)
{
    const struct node *node = tree_find(&server->tree, watch->path);
    const enum client_event none = 0;
    if (watch->kind == WATCH_ABSENT)
        return node != NULL ? EVENT_CREATED : none;
    if (node == NULL)
        return EVENT_DELETED;
    if (watch->kind == WATCH_CHILD)
        return node->children_zxid > seen_zxid ? EVENT_CHILD : none;
    return node->modified_zxid > seen_zxid ? EVENT_CHANGED : none;
}

static void set_again(struct sim_server *server, const struct message *message)
{
    uint32_t watcher = message->session->number;
    for (size_t i = 0; i < message->watch_count; i++) {
        const struct message_watch *watch = &message->watches[i];
        enum client_event event = missed(server, watch, message->seen_zxid);
        if (event != 0)
            fired(server, watcher, event, watch->path);
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
    server->counters.reads++;
    message->zxid = server->zxid;
    sim_server_work(server, costs->read_ns);
    if (message->kind == MESSAGE_WATCHES && linked) {
        set_again(server, message);
    } else if (message->kind == MESSAGE_REQUEST && message->operation != OP_SYNC) {
        look_up(server, message);
        if (linked)
            watch(server, message);
        sim_server_work(server, message->list.count * costs->name_ns);
    }
    if (is_linked(server, message))
        send(server, message);
    else /* the reply is lost */
        message_release(message, &server->sim->paths);
}

/* The leader has answered a write or a sync of the session: its reads that waited behind that. */
static void end_write(struct sim_server *server, struct sim_session *session)
{
    session->link_written++;
    while (session->link_reads.first != NULL &&
           session->link_reads.first->link_writes <= session->link_written)
        carry_out_read(server, message_queue_take(&session->link_reads));
}

/* A sync goes to the leader and comes back behind all that was proposed before; the leader itself
 * answers its own clients' at once, as a read (CommitProcessor.needCommit). */
static bool goes_to_leader(const struct message *message)
{
    return message->kind == MESSAGE_REQUEST && message->operation == OP_SYNC &&
           message->server != message->session->sim->leader.leader;
}

static void carry_out_sync(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    bool linked = is_linked(server, message);
    carry_out_read(server, message);
    if (linked)
        end_write(server, session);
}

/* ------------------------------------------------------------------ writes */

static void change(struct sim_server *server, const struct message *message)
{
    const struct watches_ear ear = {fired, server};
    tree_carry_out(&server->tree, message->zxid, message->changes, message->change_count);
    for (size_t i = 0; i < message->change_count; i++)
        server->counters.notifications += watches_fire(
            &server->watches, message->changes[i].operation, message->changes[i].path, ear);
}

static void carry_out_write(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    sim_server_work(server, server->sim->options.costs.apply_ns);
    if (message->status == ZK_OK && message->change_count > 0)
        change(server, message);
    server->zxid = message->zxid;
    bool ours = message->kind != MESSAGE_EXPIRE && message->server == server->index;
    if (ours)
        server->counters.writes++;
    if (ours && message->status == ZK_OK && message->operation == OP_SET)
        message->version = tree_find(&server->tree, message->one.path)->version;
    if (ours && is_linked(server, message)) {
        message->references++;
        send(server, message);
        end_write(server, session);
    }
    if ((message->kind == MESSAGE_CLOSE || message->kind == MESSAGE_EXPIRE) &&
        has_link(server, session)) {
        if (message->kind == MESSAGE_EXPIRE)
            hang_up(server, session, session->link_connection);
        unlink_session(server, session);
    }
    message_release(message, &server->sim->paths);
}

/* ------------------------------------------------------------------ the lane */

struct lane_entry {
    struct message *message;
    uint64_t due_ns;
    struct lane_entry *next;
};

static void come_due(void *context);

static void await_due(struct sim_server *server)
{
    if (server->lane != NULL)
        agenda_add(&server->sim->agenda, server->lane->due_ns, come_due, server);
}

static void come_due(void *context)
{
    struct sim_server *server = context;
    struct lane_entry *first = server->lane;
    struct message *message = first->message;
    server->lane = first->next;
    slab_give(&server->sim->slab, first, sizeof *first);
    if (message_is_write(message))
        carry_out_write(server, message);
    else if (goes_to_leader(message))
        carry_out_sync(server, message);
    else
        carry_out_read(server, message);
    await_due(server);
}

void sim_server_carry_out(struct sim_server *server, struct message *message, uint64_t due_ns)
{
    struct lane_entry *entry = slab_take(&server->sim->slab, sizeof *entry);
    *entry = (struct lane_entry){message, due_ns, NULL};
    bool is_first = server->lane == NULL;
    *(is_first ? &server->lane : &server->lane_last->next) = entry;
    server->lane_last = entry;
    if (is_first)
        await_due(server);
}

/* ------------------------------------------------------------------ what comes in */

/* On a single server a read goes through the same chain as a write, and waits for earlier writes.
 */
static void receive_read(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    message->link_writes = session->link_writes;
    if (server->sim->options.servers == 1 && server->lane != NULL)
        sim_server_carry_out(server, message, 0);
    else if (is_linked(server, message) && session->link_written < session->link_writes)
        message_queue_add(&session->link_reads, message);
    else
        carry_out_read(server, message);
}

static void receive_write(struct sim_server *server, struct message *message)
{
    struct sim *sim = server->sim;
    if (is_linked(server, message))
        message->session->link_writes++;
    if (server->index == sim->leader.leader) {
        sim_leader_order(message);
        return;
    }
    server->to_leader_ns = sim_later(server->to_leader_ns, sim->agenda.now_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, server->to_leader_ns, sim_leader_order, message);
}

/* A server refuses a client that has seen a later transaction. A follower asks its leader about
 * other clients. */
static void receive_reopen(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    struct sim *sim = server->sim;
    sim_server_work(server, sim->options.costs.read_ns);
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
    if (message->kind == MESSAGE_DISCONNECT) {
        unlink_session(server, session);
        message_release(message, &session->sim->paths);
        return;
    }
    server->counters.packets_received++;
    server->counters.connects += message->kind == MESSAGE_OPEN || message->kind == MESSAGE_REOPEN;
    if (message->kind == MESSAGE_REOPEN) {
        receive_reopen(server, message);
        return;
    }
    if (message->kind == MESSAGE_OPEN)
        link_session(message);
    if (message_is_write(message) || goes_to_leader(message))
        receive_write(server, message);
    else
        receive_read(server, message);
}
