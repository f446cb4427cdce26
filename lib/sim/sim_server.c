// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

/* Gives the CPU more work, which begins when it has done what it has. */
static void work(struct sim_server *server, uint64_t cost_ns)
{
    server->idle_ns = sim_later(server->idle_ns, server->sim->now_ns) + cost_ns;
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

/* Sends a message to its session when the CPU is idle, which has made it then. */
static void send(struct sim_server *server, struct message *message)
{
    struct sim *sim = server->sim;
    struct sim_session *session = message->session;
    uint64_t made_ns = sim_later(server->idle_ns, sim->now_ns);
    session->down_ns = sim_later(session->down_ns, made_ns + sim_hop_ns(sim));
    sim_at(sim, session->down_ns, sim->receive, message);
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
    work(server, sim->options.costs.notification_ns);
    if (!has_link(server, session))
        return;
    struct message *message = message_new(&sim->paths, MESSAGE_NOTIFICATION, session);
    message_fill_path(message, &sim->paths, path);
    message->connection = session->link_connection;
    message->event = event;
    send(server, message);
}

/* The event that a watched znode has had since the client saw it; 0 if there is none. */
static enum client_event missed(const struct sim_server *server, const struct change *look,
                                uint64_t seen_zxid)
{
    const struct node *node = tree_find(&server->tree, look->path);
    const enum client_event none = 0;
    if (look->operation == OP_EXISTS)
        return node != NULL ? EVENT_CREATED : none;
    if (node == NULL)
        return EVENT_DELETED;
    if (look->operation == OP_GET_CHILDREN)
        return node->children_zxid > seen_zxid ? EVENT_CHILD : none;
    return node->modified_zxid > seen_zxid ? EVENT_CHANGED : none;
}

static enum watch_kind kind_of(enum operation look)
{
    return look == OP_GET_CHILDREN ? WATCH_CHILD : WATCH_DATA;
}

static void set_again(struct sim_server *server, const struct message *message)
{
    uint32_t watcher = message->session->number;
    for (size_t i = 0; i < message->change_count; i++) {
        const struct change *look = &message->changes[i];
        enum client_event event = missed(server, look, message->seen_zxid);
        if (event != 0)
            fired(server, watcher, event, look->path);
        else
            watches_add(&server->watches, watcher, look->path, kind_of(look->operation));
    }
}

/* ------------------------------------------------------------------ reads */

static void read_node(struct sim_server *server, struct message *message)
{
    struct node *node = tree_find(&server->tree, message->one.path);
    if (node == NULL) {
        message->status = ZK_NO_NODE;
        return;
    }
    message->version = node->version;
    if (node->owner != TREE_NO_OWNER)
        message->owner = client_session_id(&server->sim->sessions[node->owner]->client);
    if (message->operation == OP_GET)
        message->value = value_hold(node->value);
    if (message->operation == OP_GET_CHILDREN)
        message->names = tree_list(&server->tree, node);
}

/* Only exists sets a watch on a znode that does not exist. */
static void watch(struct sim_server *server, const struct message *message)
{
    if (message->watch != WATCH || (message->status != ZK_OK && message->operation != OP_EXISTS))
        return;
    watches_add(&server->watches, message->session->number, message->one.path,
                kind_of(message->operation));
}

static void carry_out_read(struct sim_server *server, struct message *message)
{
    const struct sim_costs *costs = &server->sim->options.costs;
    bool linked = is_linked(server, message);
    server->counters.reads++;
    message->zxid = server->zxid;
    work(server, costs->read_ns);
    if (message->kind == MESSAGE_WATCHES && linked) {
        set_again(server, message);
    } else if (message->kind == MESSAGE_REQUEST && message->operation != OP_SYNC) {
        read_node(server, message);
        if (linked)
            watch(server, message);
        if (message->names != NULL)
            work(server, message->names->count * costs->name_ns);
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
        carry_out_read(server, message_queue_pop(&session->link_reads));
}

/* A sync goes to the leader and comes back behind all that was proposed before; the leader itself
 * answers its own clients' at once, as a read (CommitProcessor.needCommit). */
static bool goes_to_leader(const struct message *message)
{
    return message->kind == MESSAGE_REQUEST && message->operation == OP_SYNC &&
           message->server != message->session->sim->leader.index;
}

/* ------------------------------------------------------------------ writes */

static void carry_out_write(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    work(server, server->sim->options.costs.apply_ns);
    if (message->status == ZK_OK && message->change_count > 0)
        tree_carry_out(&server->tree, message->zxid, message->changes, message->change_count);
    for (size_t i = 0; message->status == ZK_OK && i < message->change_count; i++)
        server->counters.notifications +=
            watches_fire(&server->watches, message->changes[i].operation, message->changes[i].path);
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
        sim_at(server->sim, server->lane->due_ns, come_due, server);
}

static void come_due(void *context)
{
    struct sim_server *server = context;
    struct lane_entry *first = server->lane;
    struct message *message = first->message;
    server->lane = first->next;
    pool_give(first);
    struct sim_session *session = message->session;
    bool has_synced = goes_to_leader(message) && is_linked(server, message);
    if (message_is_write(message))
        carry_out_write(server, message);
    else
        carry_out_read(server, message);
    if (has_synced)
        end_write(server, session);
    await_due(server);
}

/* Has the server carry a message out, and take its reference, at this time, behind earlier ones. */
static void await_turn(struct sim_server *server, struct message *message, uint64_t due_ns)
{
    struct lane_entry *entry = pool_alloc(&server->sim->pool, sizeof *entry);
    *entry = (struct lane_entry){message, due_ns, NULL};
    bool is_first = server->lane == NULL;
    *(is_first ? &server->lane : &server->lane_last->next) = entry;
    server->lane_last = entry;
    if (is_first)
        await_due(server);
}

/* ------------------------------------------------------------------ the leader */

static void decide(struct sim_leader *leader, struct message *message)
{
    struct sim_session *session = message->session;
    message->zxid = ++leader->zxid;
    if (message->kind == MESSAGE_REQUEST && session->ended) {
        message->status = ZK_SESSION_EXPIRED;
        return;
    }
    if (message->kind == MESSAGE_CLOSE || message->kind == MESSAGE_EXPIRE) {
        message_fill_deletions(message, &session->sim->paths, &leader->tree, session->number);
        session->ended = true;
    }
    if (message->change_count > 0)
        message->status =
            tree_carry_out(&leader->tree, message->zxid, message->changes, message->change_count);
}

/* When the server's disk has synced what it is given at this time, which joins the next sync if
 * that has not begun yet. Times must not decrease. */
static uint64_t sync_disk(struct sim_server *server, uint64_t comes_ns)
{
    if (comes_ns > server->sync_begins_ns || server->sync_ends_ns == 0) {
        server->sync_begins_ns = sim_later(comes_ns, server->sync_ends_ns);
        server->sync_ends_ns = server->sync_begins_ns + server->sim->options.costs.sync_ns;
    }
    return server->sync_ends_ns;
}

/* When the leader learns that more than half of the servers have the write on their disks.
 * Acknowledgements of a server keep their order, and so do commits. */
static uint64_t commit_ns(struct sim *sim, uint64_t proposed_ns)
{
    uint64_t acknowledged[SIM_SERVERS_MAX] = {0};
    unsigned servers = sim->options.servers, leader = sim->leader.index;
    for (unsigned i = 0; i < servers; i++) {
        struct sim_server *server = &sim->servers[i];
        uint64_t there = i == leader ? 0 : sim_hop_ns(sim);
        uint64_t back = i == leader ? 0 : sim_hop_ns(sim);
        server->proposal_ns = sim_later(server->proposal_ns, proposed_ns + there);
        uint64_t synced_ns = sync_disk(server, server->proposal_ns);
        server->acknowledged_ns = sim_later(server->acknowledged_ns, synced_ns + back);
        unsigned at = i; /* in ascending order */
        for (; at > 0 && acknowledged[at - 1] > server->acknowledged_ns; at--)
            acknowledged[at] = acknowledged[at - 1];
        acknowledged[at] = server->acknowledged_ns;
    }
    sim->leader.commit_ns = sim_later(sim->leader.commit_ns, acknowledged[servers / 2]);
    return sim->leader.commit_ns;
}

/* Every server carries the write out, which leaves when the leader's CPU has done what it has. */
static void propose(struct sim_server *leader, struct message *message)
{
    struct sim *sim = leader->sim;
    uint64_t committed_ns = commit_ns(sim, leader->idle_ns);
    message->references = sim->options.servers;
    for (unsigned i = 0; i < sim->options.servers; i++) {
        uint64_t there = i == leader->index ? 0 : sim_hop_ns(sim);
        await_turn(&sim->servers[i], message, committed_ns + there);
    }
}

/* Event: a write, or a sync (and its reference), arrives at the leader. */
static void order(void *context)
{
    struct message *message = context;
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.index];
    work(leader, sim->options.costs.order_ns);
    if (message_is_write(message)) {
        decide(&sim->leader, message);
        propose(leader, message);
    } else { /* a sync goes back when all that was proposed before is committed */
        uint64_t committed_ns = sim_later(sim->leader.commit_ns, leader->idle_ns);
        await_turn(&sim->servers[message->server], message, committed_ns + sim_hop_ns(sim));
    }
}

void sim_expire(void *client)
{
    struct sim_session *session = client;
    if (!session->ended)
        order(message_new(&session->sim->paths, MESSAGE_EXPIRE, session));
}

/* ------------------------------------------------------------------ what comes in */

/* On a single server a read goes the way of a write, and waits for earlier ones. */
static void receive_read(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    message->link_writes = session->link_writes;
    if (server->sim->options.servers == 1 && server->lane != NULL)
        await_turn(server, message, 0);
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
    if (server->index == sim->leader.index) {
        order(message);
        return;
    }
    server->to_leader_ns = sim_later(server->to_leader_ns, sim->now_ns + sim_hop_ns(sim));
    sim_at(sim, server->to_leader_ns, order, message);
}

/* Refuses a client that has seen a later transaction. A follower asks its leader about others. */
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
    if (server->index != sim->leader.index)
        session->down_ns =
            sim_later(session->down_ns, sim->now_ns) + sim_hop_ns(sim) + sim_hop_ns(sim);
    if (session->ended)
        message->status = ZK_SESSION_EXPIRED;
    else
        link_session(message);
    send(server, message);
}

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index)
{
    *server = (struct sim_server){.sim = sim, .index = index};
    tree_init(&server->tree, &sim->paths);
    watches_init(&server->watches, &sim->paths);
    server->watches.fired = fired;
    server->watches.context = server;
}

void sim_server_receive(void *context)
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

/* ------------------------------------------------------------------ four-letter words */

/* The tree holds /zookeeper and what is in it; a server counts the root twice. */
#define ROOT_AGAIN 1

enum role sim_role(unsigned servers, unsigned server)
{
    if (servers == 1)
        return ROLE_STANDALONE;
    return server == servers - 1 ? ROLE_LEADER : ROLE_FOLLOWER;
}

uint64_t sim_zxid(struct sim *sim, unsigned server)
{
    sim->servers[server].counters.packets_received++;
    return sim->servers[server].zxid;
}

void sim_counters(struct sim *sim, unsigned server, struct four_letter_counters *counters)
{
    struct sim_server *asked = &sim->servers[server];
    asked->counters.packets_received++;
    *counters = asked->counters;
    counters->watch_count = asked->watches.table.count;
    counters->ephemerals_count = asked->tree.ephemerals;
    counters->connections = 1;
    counters->znode_count = asked->tree.count + ROOT_AGAIN;
#define X(name, keys) counters->name = FOUR_LETTER_UNREPORTED;
    FOUR_LETTER_OPTIONAL_STATES(X)
#undef X
    counters->role = sim_role(sim->options.servers, server);
    for (uint32_t i = 1; i <= sim->session_count; i++)
        counters->connections +=
            sim->sessions[i]->linked && sim->sessions[i]->link_server == server;
}
