// SPDX-License-Identifier: Apache-2.0
#include "zk/member.h"

#include "zk/quorum.h"
#include "zk/session.h"

/* /zookeeper and what is in it are in the tree; a server counts the root twice. */
#define ROOT_AGAIN 1

void member_init(struct member *member, struct simulated *world, unsigned index)
{
    *member = (struct member){.world = world, .index = index};
    tree_init(&member->tree, &world->slab, &world->paths);
    watches_init(&member->watches, &world->slab, &world->paths);
}

static void work(struct member *member, uint64_t cost_ns)
{
    member->cpu_ns = world_later(member->cpu_ns, member->world->agenda.now_ns) + cost_ns;
}

/* Joins the next sync if it has not begun yet. */
uint64_t member_sync(struct member *member, uint64_t comes_ns)
{
    struct disk *disk = &member->disk;
    if (comes_ns > disk->begins_ns || disk->ends_ns == 0) {
        disk->begins_ns = world_later(comes_ns, disk->ends_ns);
        disk->ends_ns = disk->begins_ns + member->world->options.costs.sync_ns;
    }
    return disk->ends_ns;
}

/* ------------------------------------------------------------------ connections */

/* Whether the member has a connection of this session, and it is still this one. */
static bool has_link(const struct member *member, const struct session *session)
{
    return session->linked && session->link_server == member->index;
}

static bool is_linked(const struct member *member, const struct errand *errand)
{
    return has_link(member, errand->session) &&
           errand->session->link_connection == errand->connection;
}

static void link_session(const struct errand *errand)
{
    struct session *session = errand->session;
    session->linked = true;
    session->link_connection = errand->connection;
    session->link_server = errand->server;
}

static void unlink_session(struct member *member, struct session *session)
{
    watches_drop(&member->watches, session->number);
    if (has_link(member, session))
        session->linked = false;
}

/* When a message that leaves when the CPU is done reaches the session. */
static uint64_t arrival_ns(struct member *member, struct session *session)
{
    session->down_ns = world_later(session->down_ns, member->cpu_ns + world_hop_ns(member->world));
    return session->down_ns;
}

static void send(struct member *member, struct errand *errand)
{
    member->packets_sent++;
    agenda_add(&member->world->agenda, arrival_ns(member, errand->session), session_receives,
               errand);
}

/* The connection is closed from here. */
static void hang_up(struct member *member, struct session *session, uint32_t connection)
{
    struct errand *errand = errand_new(&member->world->paths, ERRAND_HANG_UP, session);
    errand->connection = connection;
    agenda_add(&member->world->agenda, arrival_ns(member, session), session_receives, errand);
}

/* Gives an errand back; its reply is lost when its connection has gone. */
static void answer(struct member *member, struct errand *errand)
{
    if (is_linked(member, errand))
        send(member, errand);
    else
        errand_release(errand, &member->world->paths);
}

/* ------------------------------------------------------------------ watches */

static void hear_fired(void *context, uint32_t watcher, enum client_event event, struct path *path)
{
    struct member *member = context;
    struct simulated *world = member->world;
    struct session *session = world->sessions[watcher];
    work(member, world->options.costs.notification_ns);
    if (!has_link(member, session))
        return;
    struct notice *notice = slab_take(&world->slab, sizeof *notice);
    *notice = (struct notice){session, path_hold(path), session->link_connection, event};
    member->packets_sent++;
    agenda_add(&world->agenda, arrival_ns(member, session), session_is_notified, notice);
}

static void fire(struct member *member, const struct change *change)
{
    const struct watches_ear ear = {hear_fired, member};
    struct watches *watches = &member->watches;
    if (change->operation == CLIENT_CREATE)
        member->notifications += watches_created(watches, change->path, ear);
    else if (change->operation == CLIENT_DELETE)
        member->notifications += watches_deleted(watches, change->path, ear);
    else if (change->operation == CLIENT_SET)
        member->notifications += watches_changed(watches, change->path, ear);
}

/* What has happened to a watched znode since the client has seen its state; 0 if nothing has. */
static enum client_event missed(const struct member *member, const struct errand_watch *watch,
                                uint64_t seen_zxid)
{
    const struct node *node = tree_find(&member->tree, watch->path);
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

static void set_again(struct member *member, const struct errand *errand)
{
    uint32_t watcher = errand->session->number;
    for (size_t i = 0; i < errand->watch_count; i++) {
        const struct errand_watch *watch = &errand->watches[i];
        enum client_event event = missed(member, watch, errand->seen_zxid);
        if (event != 0)
            hear_fired(member, watcher, event, watch->path);
        else
            watches_add(&member->watches, watcher, watch->path,
                        watch->kind == WATCH_CHILD ? WATCH_CHILD : WATCH_DATA);
    }
}

/* ------------------------------------------------------------------ reads */

static void look_up(struct member *member, struct errand *errand)
{
    const struct node *node = tree_find(&member->tree, errand->one.path);
    if (node == NULL) {
        errand->status = ZK_NO_NODE;
        return;
    }
    errand->version = node->version;
    if (node->owner != TREE_NOBODY)
        errand->owner = client_session_id(&member->world->sessions[node->owner]->client);
    if (errand->operation == CLIENT_GET)
        errand->value = value_hold(node->value);
    if (errand->operation == CLIENT_GET_CHILDREN)
        errand->list = children_view(&node->children);
}

/* A watch on what is not there is for exists only. */
static void watch(struct member *member, const struct errand *errand)
{
    if (errand->watch != WATCH || (errand->status != ZK_OK && errand->operation != CLIENT_EXISTS))
        return;
    watches_add(&member->watches, errand->session->number, errand->one.path,
                errand->operation == CLIENT_GET_CHILDREN ? WATCH_CHILD : WATCH_DATA);
}

static void carry_out_read(struct member *member, struct errand *errand)
{
    const struct simulated_costs *costs = &member->world->options.costs;
    bool linked = is_linked(member, errand);
    member->reads++;
    errand->zxid = member->zxid;
    work(member, costs->read_ns);
    if (errand->kind == ERRAND_WATCHES && linked) {
        set_again(member, errand);
    } else if (errand->kind == ERRAND_REQUEST) {
        look_up(member, errand);
        if (linked)
            watch(member, errand);
        work(member, errand->list.count * costs->name_ns);
    }
    answer(member, errand);
}

/* ------------------------------------------------------------------ writes */

static void end_session(struct member *member, const struct errand *errand)
{
    struct session *session = errand->session;
    if (!has_link(member, session))
        return;
    if (errand->kind == ERRAND_EXPIRE)
        hang_up(member, session, session->link_connection);
    unlink_session(member, session);
}

static void carry_out_write(struct member *member, struct errand *errand)
{
    work(member, member->world->options.costs.apply_ns);
    if (errand->status == ZK_OK && errand->change_count > 0) {
        tree_carry_out(&member->tree, errand->zxid, errand->changes, errand->change_count);
        for (size_t i = 0; i < errand->change_count; i++)
            fire(member, &errand->changes[i]);
    }
    member->zxid = errand->zxid;
    bool ours = errand->kind != ERRAND_EXPIRE && errand->server == member->index;
    if (ours)
        member->writes++;
    if (ours && errand->status == ZK_OK && errand->operation == CLIENT_SET)
        errand->version = tree_find(&member->tree, errand->one.path)->version;
    if (ours && is_linked(member, errand)) {
        errand->references++;
        send(member, errand);
    }
    if (errand->kind == ERRAND_CLOSE || errand->kind == ERRAND_EXPIRE)
        end_session(member, errand);
    errand_release(errand, &member->world->paths);
}

/* ------------------------------------------------------------------ the lane */

struct lane_entry {
    struct errand *errand;
    uint64_t due_ns;
};

static void turn(void *context);

static void await_turn(struct member *member)
{
    const struct lane *lane = &member->lane;
    if (lane->count > 0)
        agenda_add(&member->world->agenda, lane->entries[lane->head].due_ns, turn, member);
}

static void turn(void *context)
{
    struct member *member = context;
    struct lane *lane = &member->lane;
    struct errand *errand = lane->entries[lane->head].errand;
    lane->head = (lane->head + 1) & (lane->capacity - 1);
    lane->count--;
    if (errand_is_write(errand))
        carry_out_write(member, errand);
    else
        carry_out_read(member, errand);
    await_turn(member);
}

static void widen(struct member *member)
{
    struct lane *lane = &member->lane;
    struct slab *slab = &member->world->slab;
    size_t capacity = lane->capacity == 0 ? 64 : lane->capacity * 2;
    struct lane_entry *entries = slab_take(slab, capacity * sizeof *entries);
    for (size_t i = 0; i < lane->count; i++)
        entries[i] = lane->entries[(lane->head + i) & (lane->capacity - 1)];
    slab_give(slab, lane->entries, lane->capacity * sizeof *entries);
    lane->entries = entries;
    lane->capacity = capacity;
    lane->head = 0;
}

void member_queue(struct member *member, struct errand *errand, uint64_t due_ns)
{
    struct lane *lane = &member->lane;
    if (lane->count == lane->capacity)
        widen(member);
    lane->entries[(lane->head + lane->count) & (lane->capacity - 1)] =
        (struct lane_entry){errand, due_ns};
    if (++lane->count == 1)
        await_turn(member);
}

/* ------------------------------------------------------------------ what comes in */

/* Standalone, a read goes through the same chain as a write, and waits for the disk behind it. */
static void receive_read(struct member *member, struct errand *errand)
{
    if (member->world->options.servers == 1 && member->lane.count > 0)
        member_queue(member, errand, 0);
    else
        carry_out_read(member, errand);
}

static void receive_write(struct member *member, struct errand *errand)
{
    struct simulated *world = member->world;
    uint64_t due_ns = world->agenda.now_ns;
    if (member->index == world->quorum.leader) {
        quorum_order(errand);
        return;
    }
    member->to_leader_ns = world_later(member->to_leader_ns, due_ns + world_hop_ns(world));
    agenda_add(&world->agenda, member->to_leader_ns, quorum_order, errand);
}

/* A server lets nobody in who has seen more than it has. Of the others a follower asks its leader.
 */
static void receive_reopen(struct member *member, struct errand *errand)
{
    struct session *session = errand->session;
    struct simulated *world = member->world;
    work(member, world->options.costs.read_ns);
    if (errand->seen_zxid > member->zxid) {
        hang_up(member, session, errand->connection);
        errand_release(errand, &world->paths);
        return;
    }
    if (member->index != world->quorum.leader)
        session->down_ns = world_later(session->down_ns, world->agenda.now_ns) +
                           world_hop_ns(world) + world_hop_ns(world);
    if (session->ended)
        errand->status = ZK_SESSION_EXPIRED;
    else
        link_session(errand);
    send(member, errand);
}

void member_receives(void *context)
{
    struct errand *errand = context;
    struct session *session = errand->session;
    struct member *member = &session->world->members[errand->server];
    if (errand->kind == ERRAND_DISCONNECT) {
        unlink_session(member, session);
        errand_release(errand, &session->world->paths);
        return;
    }
    member->packets_received++;
    member->connects += errand->kind == ERRAND_OPEN || errand->kind == ERRAND_REOPEN;
    if (errand->kind == ERRAND_REOPEN) {
        receive_reopen(member, errand);
        return;
    }
    if (errand->kind == ERRAND_OPEN)
        link_session(errand);
    if (errand_is_write(errand))
        receive_write(member, errand);
    else
        receive_read(member, errand);
}

/* ------------------------------------------------------------------ counters */

uint64_t member_zxid(struct member *member)
{
    member->packets_received++;
    return member->zxid;
}

void member_counters(struct member *member, struct admin_counters *counters)
{
    const struct simulated *world = member->world;
    member->packets_received++;
    *counters = (struct admin_counters){
        .notifications_sent = member->notifications,
        .writes = member->writes,
        .reads = member->reads,
        .packets_received = member->packets_received,
        .packets_sent = member->packets_sent,
        .watch_count = member->watches.count,
        .ephemerals_count = member->tree.ephemerals,
        .connections = 1,
        .connects = member->connects,
        .znode_count = member->tree.count + ROOT_AGAIN,
    };
    for (uint32_t i = 1; i <= world->session_count; i++)
        counters->connections += has_link(member, world->sessions[i]);
}
