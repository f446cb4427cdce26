// SPDX-License-Identifier: Apache-2.0
#include "sim/internal.h"

void sim_server_init(struct sim_server *server, struct sim *sim, unsigned index)
{
    *server = (struct sim_server){.sim = sim, .index = index};
    tree_init(&server->tree, &sim->slab, &sim->paths);
    watches_init(&server->watches, &sim->slab, &sim->paths);
}

void sim_leader_init(struct sim_leader *leader, struct sim *sim)
{
    *leader = (struct sim_leader){.leader = sim->options.servers - 1};
    tree_init(&leader->tree, &sim->slab, &sim->paths);
}

static void work(struct sim_server *server, uint64_t cost_ns)
{
    sim_work(server->sim, &server->cpu, 0, cost_ns);
}

/* ------------------------------------------------------------------ turns */

static void take_turn(void *server);

/* Puts work that has just come to a server into its next turn, and begins that one if there is
 * none. False, without effect: the work is to be done now, since the server has no turns, or this
 * is its turn. */
static bool puts_off(struct sim_server *server, void (*call)(void *context), void *context)
{
    struct turn *turn = &server->turn;
    if (server->sim->options.costs.turn_ns == 0 || turn->taken)
        return false;
    turn->work = slab_grow(&server->sim->slab, turn->work, &turn->work_capacity, turn->work_count,
                           sizeof *turn->work);
    turn->work[turn->work_count++] = (struct agenda_call){call, context};
    if (!turn->under_way)
        take_turn(server);
    return true;
}

/* Keep what a turn makes until its end: a write that has been ordered, or a read that waits for
 * such a one; what is to be sent. False, without effect, outside a turn. */
static bool keeps_write(struct sim_server *server, struct message *message)
{
    struct turn *turn = &server->turn;
    if (!turn->taken)
        return false;
    turn->writes = slab_grow(&server->sim->slab, turn->writes, &turn->write_capacity,
                             turn->write_count, sizeof(struct message *));
    turn->writes[turn->write_count++] = message;
    return true;
}

static bool keeps_sending(struct sim_server *server, const struct sending *sending)
{
    struct turn *turn = &server->turn;
    if (!turn->taken)
        return false;
    turn->sendings = slab_grow(&server->sim->slab, turn->sendings, &turn->sending_capacity,
                               turn->sending_count, sizeof *turn->sendings);
    turn->sendings[turn->sending_count++] = *sending;
    return true;
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

/* Sends something that leaves the server at this time. */
static void leave_at(struct sim_server *server, const struct sending *sending, uint64_t leaves_ns)
{
    struct sim *sim = server->sim;
    struct sim_session *session = sending->session;
    session->down_ns = sim_later(session->down_ns, leaves_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, session->down_ns, sending->arrives.call, sending->arrives.context);
}

static void send_to(struct sim_server *server, const struct sending *sending)
{
    if (!keeps_sending(server, sending))
        leave_at(server, sending, sent_ns(server));
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
        server->counters.notifications += watches_created(watches, change->path, ear);
    else if (change->operation == OP_DELETE)
        server->counters.notifications += watches_deleted(watches, change->path, ear);
    else if (change->operation == OP_SET)
        server->counters.notifications += watches_changed(watches, change->path, ear);
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
    server->counters.reads++;
    message->zxid = server->zxid;
    work(server, costs->read_ns);
    if (message->kind == MESSAGE_WATCHES && linked) {
        set_again(server, message);
    } else if (message->kind == MESSAGE_REQUEST && message->operation != OP_SYNC) {
        look_up(server, message);
        if (linked)
            watch(server, message);
        work(server, message->list.count * costs->name_ns);
    }
    if (is_linked(server, message))
        send(server, message);
    else /* the reply is lost */
        message_release(message, &server->sim->paths);
}

/* What has gone to the leader has come back: the session's reads that waited for it. */
static void has_come_back(struct sim_server *server, struct sim_session *session)
{
    session->link_written++;
    while (session->link_reads.first != NULL &&
           session->link_reads.first->link_writes <= session->link_written)
        carry_out_read(server, message_queue_take(&session->link_reads));
}

/* ------------------------------------------------------------------ syncs */

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
        has_come_back(server, session);
}

/* ------------------------------------------------------------------ writes */

static void carry_out_write(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    work(server, server->sim->options.costs.apply_ns);
    if (message->status == ZK_OK && message->change_count > 0) {
        tree_carry_out(&server->tree, message->zxid, message->changes, message->change_count);
        for (size_t i = 0; i < message->change_count; i++)
            fire(server, &message->changes[i]);
    }
    server->zxid = message->zxid;
    bool ours = message->kind != MESSAGE_EXPIRE && message->server == server->index;
    if (ours)
        server->counters.writes++;
    if (ours && message->status == ZK_OK && message->operation == OP_SET)
        message->version = tree_find(&server->tree, message->one.path)->version;
    if (ours && is_linked(server, message)) {
        message->references++;
        send(server, message);
        has_come_back(server, session);
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
};

static void come_due(void *context);

static void await_due(struct sim_server *server)
{
    const struct lane *lane = &server->lane;
    if (lane->count > 0)
        agenda_add(&server->sim->agenda, lane->entries[lane->head].due_ns, come_due, server);
}

/* In a turn, all that is due by now is carried out. */
static void come_due(void *context)
{
    struct sim_server *server = context;
    struct lane *lane = &server->lane;
    if (puts_off(server, come_due, server))
        return;
    do {
        struct message *message = lane->entries[lane->head].message;
        lane->head = (lane->head + 1) & (lane->capacity - 1);
        lane->count--;
        if (message_is_write(message))
            carry_out_write(server, message);
        else if (goes_to_leader(message))
            carry_out_sync(server, message);
        else
            carry_out_read(server, message);
    } while (server->turn.taken && lane->count > 0 &&
             lane->entries[lane->head].due_ns <= server->sim->agenda.now_ns);
    await_due(server);
}

/* Puts a message (and its reference) into the lane, to be carried out at this time, but not before
 * what is in the lane already. */
static void put_in_lane(struct sim_server *server, struct message *message, uint64_t due_ns)
{
    struct lane *lane = &server->lane;
    if (lane->count == lane->capacity)
        lane->entries = slab_widen(&server->sim->slab, lane->entries, &lane->capacity, &lane->head,
                                   sizeof *lane->entries);
    lane->entries[(lane->head + lane->count) & (lane->capacity - 1)] =
        (struct lane_entry){message, due_ns};
    if (++lane->count == 1)
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
    struct disk *disk = &server->disk;
    if (comes_ns > disk->begins_ns || disk->ends_ns == 0) {
        disk->begins_ns = sim_later(comes_ns, disk->ends_ns);
        disk->ends_ns = disk->begins_ns + server->sim->options.costs.sync_ns;
    }
    return disk->ends_ns;
}

/* When the leader learns that more than half of the servers have the write on their disks.
 * Acknowledgements of a server keep their order, and so do commits. */
static uint64_t commit_ns(struct sim *sim, uint64_t proposed_ns)
{
    uint64_t acknowledged[SIM_SERVERS_MAX] = {0};
    unsigned servers = sim->options.servers, leader = sim->leader.leader;
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

/* Proposes a write that has been ordered, when the leader's CPU has done what it has. */
static void propose(struct message *message)
{
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    uint64_t committed_ns = commit_ns(sim, leader->cpu.idle_ns);
    message->references = sim->options.servers;
    for (unsigned i = 0; i < sim->options.servers; i++) {
        uint64_t there = i == leader->index ? 0 : sim_hop_ns(sim);
        put_in_lane(&sim->servers[i], message, committed_ns + there);
    }
}

/* Sends a sync back, when all that was proposed before is committed. */
static void send_back(struct message *message)
{
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    uint64_t committed_ns = sim_later(sim->leader.commit_ns, leader->cpu.idle_ns);
    put_in_lane(&sim->servers[message->server], message, committed_ns + sim_hop_ns(sim));
}

static void pass_on(struct message *message)
{
    if (message_is_write(message))
        propose(message);
    else
        send_back(message);
}

/* Event: a write, or a sync (and its reference), arrives at the leader. */
static void order(void *context)
{
    struct message *message = context;
    struct sim *sim = message->session->sim;
    struct sim_server *leader = &sim->servers[sim->leader.leader];
    if (puts_off(leader, order, message))
        return;
    sim_work(sim, &leader->cpu, 0, sim->options.costs.order_ns);
    if (message_is_write(message))
        decide(&sim->leader, message);
    if (!keeps_write(leader, message))
        pass_on(message);
}

void sim_leader_expire(void *context)
{
    struct sim_session *session = context;
    if (!session->ended)
        order(message_new(&session->sim->paths, MESSAGE_EXPIRE, session));
}

/* ------------------------------------------------------------------ the end of a turn */

/* The messages leave at any time until all are sent: see sent_ns. */
static void send_kept(struct sim_server *server)
{
    struct sim *sim = server->sim;
    struct turn *turn = &server->turn;
    uint64_t cost_ns = sim->options.costs.send_ns, made_ns = server->cpu.idle_ns;
    for (size_t i = 0; i < turn->sending_count; i++)
        sim_work(sim, &server->sender, made_ns, cost_ns);
    for (size_t i = 0; i < turn->sending_count; i++) {
        uint64_t most_ns = server->sender.idle_ns - made_ns - cost_ns;
        leave_at(server, &turn->sendings[i],
                 made_ns + cost_ns + random_below(&sim->random, most_ns + 1));
    }
    turn->sending_count = 0;
}

static void propose_kept(struct sim_server *server)
{
    struct turn *turn = &server->turn;
    for (size_t i = 0; i < turn->write_count; i++) {
        if (message_is_write(turn->writes[i]) || goes_to_leader(turn->writes[i]))
            pass_on(turn->writes[i]);
        else
            put_in_lane(server, turn->writes[i], 0);
    }
    turn->write_count = 0;
}

/* Also an entry of the agenda, when the turn before has ended. */
static void take_turn(void *context)
{
    struct sim_server *server = context;
    struct turn *turn = &server->turn;
    turn->under_way = turn->work_count > 0;
    if (!turn->under_way)
        return;
    turn->taken = true;
    sim_work(server->sim, &server->cpu, 0, server->sim->options.costs.turn_ns);
    for (size_t i = 0; i < turn->work_count; i++)
        turn->work[i].call(turn->work[i].context);
    turn->work_count = 0;
    turn->taken = false;
    propose_kept(server);
    send_kept(server);
    agenda_add(&server->sim->agenda, server->cpu.idle_ns, take_turn, server);
}

/* ------------------------------------------------------------------ what comes in */

/* On a single server a read goes through the same chain as a write, and waits for earlier writes.
 */
static void receive_read(struct sim_server *server, struct message *message)
{
    struct sim_session *session = message->session;
    message->link_writes = session->link_writes;
    bool alone = server->sim->options.servers == 1;
    if (alone && server->turn.write_count > 0 && keeps_write(server, message))
        return;
    if (alone && server->lane.count > 0)
        put_in_lane(server, message, 0);
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
        order(message);
        return;
    }
    server->to_leader_ns = sim_later(server->to_leader_ns, due_ns + sim_hop_ns(sim));
    agenda_add(&sim->agenda, server->to_leader_ns, order, message);
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
    if (puts_off(server, sim_server_receives, message))
        return;
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
