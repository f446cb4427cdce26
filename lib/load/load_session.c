// SPDX-License-Identifier: Apache-2.0
#include "load/load_session.h"

#include <stdio.h>
#include <string.h>

/* Of the number at the end of a created znode's name: enough for any 64-bit number. */
#define DIGITS 20

/* Of the values and paths of one multi: below what any server takes (jute.maxbuffer) that takes
 * larger values one by one. */
#define BATCH_BYTES ((size_t)48 << 10)

static const struct load_plan *plan_of(const struct load_session *session)
{
    return session->load->plan;
}

/* ------------------------------------------------------------------ what it is told of its end */

static void lose(struct load_session *session, enum zk_status status)
{
    if (session->state == LOAD_LOST || session->state == LOAD_READ)
        return;
    session->state = LOAD_LOST;
    actor_lose(&session->actor, status);
}

/* The order is done. */
static void rest(struct load_session *session)
{
    struct load_shared *load = session->load;
    session->state = LOAD_IDLE;
    actor_step(&session->actor);
    if (atomic_fetch_add(&load->resting, 1) + 1 == load->plan->fleet.sessions)
        shared_wake(load->shared->coordinator_descriptor);
}

/* ------------------------------------------------------------------ requests */

/* Writes the number into the digits at the path's end, without printf: it is in the measured path.
 */
static const char *numbered(char *path, uint64_t number)
{
    char *at = path + strlen(path);
    for (int i = 0; i < DIGITS; i++, number /= 10)
        *--at = (char)('0' + number % 10);
    return path;
}

static uint32_t draw_znode(struct load_session *session)
{
    uint32_t znodes = plan_of(session)->znodes;
    return znodes == 0 ? session->actor.session : (uint32_t)random_below(&session->random, znodes);
}

/* Of a read of a data znode. */
static bool draw_watch(struct load_session *session)
{
    uint32_t percent = plan_of(session)->watch_percent;
    return percent > 0 && random_below(&session->random, 100) < percent;
}

static struct request create_request(const struct load_session *session, const char *path)
{
    return request_create(path, session->load->value, plan_of(session)->value_bytes, PERSISTENT);
}

static void submit_multi(struct load_session *session, const char *path, uint64_t tag)
{
    const struct request parts[] = {
        request_check(path, REQUEST_ANY_VERSION),
        request_set(path, session->load->value, plan_of(session)->value_bytes, REQUEST_ANY_VERSION),
    };
    const struct request multi = {.operation = OP_MULTI, .parts = parts, .part_count = 2};
    client_submit(session->actor.client, &multi, tag);
}

/* Draws a data znode, and whether to leave a watch. */
static struct request read_request(struct load_session *session, enum operation operation,
                                   struct load_sent *sent)
{
    sent->znode = draw_znode(session);
    sent->watch = draw_watch(session);
    return (struct request){.operation = operation,
                            .path = session->load->paths[sent->znode],
                            .watch = sent->watch ? WATCH : NO_WATCH};
}

static struct request set_request(struct load_session *session, struct load_sent *sent)
{
    sent->znode = draw_znode(session);
    return request_set(session->load->paths[sent->znode], session->load->value,
                       plan_of(session)->value_bytes, REQUEST_ANY_VERSION);
}

/* Of all kinds but LOAD_MULTI. */
static struct request request_of(struct load_session *session, enum load_kind kind,
                                 struct load_sent *sent)
{
    switch (kind) {
    case LOAD_EXISTS:
        return read_request(session, OP_EXISTS, sent);
    case LOAD_CHILDREN:
        return (struct request){.operation = OP_GET_CHILDREN, .path = session->folder};
    case LOAD_SET:
        return set_request(session, sent);
    case LOAD_CREATE:
        return create_request(session, numbered(session->child, session->created++));
    case LOAD_DELETE:
        return request_delete(numbered(session->child, session->deleted++));
    case LOAD_TRYLOCK:
        return request_create(session->lock, NULL, 0, EPHEMERAL);
    case LOAD_CREATE_DELETE:
        return create_request(session, numbered(session->pair, session->pairs++));
    case LOAD_UNLOCK:
        return request_delete(session->lock);
    case LOAD_ASYNC_DELETE:
        return request_delete(numbered(session->pair, session->pairs_answered - 1));
    default:
        return read_request(session, OP_GET, sent);
    }
}

/* ------------------------------------------------------------------ what an operation is, as a tag
 */

#define TAG_KIND_BITS 4
_Static_assert(LOAD_KINDS <= 1 << TAG_KIND_BITS, "a kind fits in its bits of a tag");

static uint64_t tag_of(const struct load_session *session, enum load_kind kind, uint64_t due_ns)
{
    return (due_ns - session->load->starts_ns) << TAG_KIND_BITS | kind;
}

static enum load_kind tag_kind(uint64_t tag)
{
    return (enum load_kind)(tag & ((1U << TAG_KIND_BITS) - 1));
}

static uint64_t tag_due_ns(const struct load_session *session, uint64_t tag)
{
    return session->load->starts_ns + (tag >> TAG_KIND_BITS);
}

/* The second of the session's worker that this time lies in; NULL if it is not measured. */
static struct load_second *second_at(const struct load_session *session, uint64_t time_ns)
{
    uint32_t worker = session->actor.session % plan_of(session)->fleet.processes;
    return load_shared_second(session->load, worker, time_ns);
}

static uint64_t ends_ns(const struct load_session *session)
{
    return atomic_load(&session->load->ends_ns);
}

/* ------------------------------------------------------------------ sending */

static void send(struct load_session *session, enum load_kind kind, uint64_t due_ns)
{
    uint64_t tag = tag_of(session, kind, due_ns);
    struct load_sent sent = {0};
    if (kind == LOAD_MULTI) {
        submit_multi(session, session->load->paths[draw_znode(session)], tag);
    } else {
        const struct request request = request_of(session, kind, &sent);
        client_submit(session->actor.client, &request, tag);
    }
    sent.sent_ns = session->actor.client->sent_ns;
    load_watches_sent(&session->watches, sent);
}

/* A delete that finds nothing to delete creates, and one of the creates to come deletes in its
 * place: so the shares are those of the mix. */
static enum load_kind draw_kind(struct load_session *session)
{
    enum load_kind kind = mix_draw(&plan_of(session)->mix, &session->random);
    bool has_znode = session->deleted < session->created;
    if (kind == LOAD_DELETE && !has_znode) {
        session->deletes_owed++;
        return LOAD_CREATE;
    }
    if (kind == LOAD_CREATE && has_znode && session->deletes_owed > 0) {
        session->deletes_owed--;
        return LOAD_DELETE;
    }
    return kind;
}

/* Gives up what is due before this time, but nothing that is due behind the end. */
static uint64_t skip_until(struct load_session *session, uint64_t time_ns)
{
    uint64_t end_ns = ends_ns(session);
    return schedule_skip(&session->schedule, time_ns < end_ns ? time_ns : end_ns);
}

/* What was due and was not sent is never sent. The times follow each other: measures_ns,
 * settles_ns, contends_ns, ends_ns. */
static void count_unsent(struct load_session *session)
{
    struct load_worker *worker = session->worker;
    const struct load_shared *load = session->load;
    if (plan_of(session)->rate_per_s == 0)
        return;
    (void)skip_until(session, atomic_load(&load->measures_ns));
    atomic_fetch_add(&worker->unsent, skip_until(session, atomic_load(&load->settles_ns)));
    (void)skip_until(session, atomic_load(&load->contends_ns));
    atomic_fetch_add(&worker->contended.unsent, skip_until(session, ends_ns(session)));
}

/* At random, what is never sent takes a draw each: these wait until no reply does (settle). */
static void stop(struct load_session *session)
{
    session->state = LOAD_DRAINING;
    if (!plan_of(session)->poisson)
        count_unsent(session);
}

static void set_alarm(struct load_session *session)
{
    if (session->alarmed || session->schedule.due_ns >= ends_ns(session))
        return;
    session->alarmed = true;
    actor_set_alarm(&session->actor, session->schedule.due_ns);
}

/* What was due while the driver did not look was late by the driver's doing, until it looked; what
 * came due behind that, while the session was blocked, was delayed by the servers. */
static void count_lateness(struct load_session *session, uint64_t due_ns, uint64_t now_ns)
{
    struct load_worker *worker = session->worker;
    struct load_second *second = second_at(session, now_ns);
    if (!session->blocked)
        session->looked_ns = now_ns;
    bool delayed = session->blocked && due_ns >= session->looked_ns,
         contended = load_shared_is_contended(session->load, due_ns);
    if (!contended && !load_shared_is_measured(session->load, due_ns))
        return;
    if (delayed) {
        atomic_fetch_add(contended ? &worker->contended.delayed : &worker->delayed, 1);
        return;
    }
    histogram_record(contended ? &worker->contended.lag : &worker->lag,
                     session->looked_ns - due_ns);
    if (second != NULL)
        shared_raise(&second->lag_ns, session->looked_ns - due_ns);
}

/* What the warm-up was offered and could not take is given up at its end: the measured time begins
 * without a queue. */
static void leave_warm_up(struct load_session *session, uint64_t now_ns)
{
    uint64_t measures_ns = atomic_load(&session->load->measures_ns);
    if (now_ns >= measures_ns)
        (void)schedule_skip(&session->schedule, measures_ns);
}

/* At an offered rate: sends the next operation if it is due. */
static bool send_due(struct load_session *session, uint64_t now_ns)
{
    leave_warm_up(session, now_ns);
    uint64_t due_ns = session->schedule.due_ns;
    if (due_ns > now_ns) {
        session->blocked = false;
        set_alarm(session);
        return false;
    }
    count_lateness(session, due_ns, now_ns);
    schedule_advance(&session->schedule);
    send(session, draw_kind(session), due_ns);
    return true;
}

static bool send_unlock(struct load_session *session)
{
    if (session->unlocks_due == 0)
        return false;
    session->unlocks_due--;
    send(session, LOAD_UNLOCK, client_now_ns(session->actor.client));
    return true;
}

/* An operation that was due before the end, and that only the driver has kept waiting, is sent. */
static bool is_over(const struct load_session *session, uint64_t now_ns)
{
    if (now_ns < ends_ns(session))
        return false;
    return plan_of(session)->rate_per_s == 0 || session->blocked ||
           session->schedule.due_ns >= ends_ns(session);
}

static bool send_operation(struct load_session *session)
{
    uint64_t now_ns = client_now_ns(session->actor.client);
    if (send_unlock(session))
        return true;
    if (is_over(session, now_ns)) {
        stop(session);
        return false;
    }
    if (plan_of(session)->rate_per_s > 0)
        return send_due(session, now_ns);
    send(session, draw_kind(session), now_ns);
    return true;
}

/* ------------------------------------------------------------------ laying out, clearing away */

/* The data znodes of a session are those whose number is the session's, modulo all sessions. */
static uint64_t data_znodes(const struct load_session *session)
{
    uint32_t znodes = load_plan_znodes(plan_of(session)), number = session->actor.session;
    return number < znodes ? (znodes - number - 1) / plan_of(session)->fleet.sessions + 1 : 0;
}

static const char *own_data_path(const struct load_session *session, uint64_t index)
{
    return session->load->paths[session->actor.session + index * plan_of(session)->fleet.sessions];
}

static bool has_folder(const struct load_session *session)
{
    return mix_needs_folders(&plan_of(session)->mix);
}

/* How many of the data znodes that are left go into one multi. */
static size_t batch_size(const struct load_session *session, uint64_t left)
{
    size_t fit = BATCH_BYTES / (plan_of(session)->value_bytes + LOAD_PATH_SIZE),
           most = fit < 1                   ? 1
                  : fit < REQUEST_PARTS_MAX ? fit
                                            : REQUEST_PARTS_MAX;
    return left < most ? (size_t)left : most;
}

/* Creates or deletes the next data znodes together. The tag is how many. */
static void submit_batch(struct load_session *session, enum operation operation)
{
    struct request parts[REQUEST_PARTS_MAX];
    size_t count = batch_size(session, data_znodes(session) - session->chores_sent);
    for (size_t i = 0; i < count; i++) {
        const char *path = own_data_path(session, session->chores_sent++);
        parts[i] = operation == OP_CREATE ? create_request(session, path) : request_delete(path);
    }
    const struct request multi = {.operation = OP_MULTI, .parts = parts, .part_count = count};
    client_submit(session->actor.client, count == 1 ? &parts[0] : &multi, count);
}

/* First its data znodes, then its folder. */
static bool lay_out_next(struct load_session *session)
{
    uint64_t znodes = data_znodes(session);
    if (session->chores_sent >= znodes + has_folder(session))
        return false;
    if (session->chores_sent < znodes) {
        submit_batch(session, OP_CREATE);
        return true;
    }
    const struct request request = request_create(session->folder, NULL, 0, PERSISTENT);
    session->chores_sent++;
    client_submit(session->actor.client, &request, 0);
    return true;
}

/* The znodes that it created, one by one because some may be gone, then its data znodes, and at
 * last its folder. */
static bool clear_next(struct load_session *session)
{
    uint64_t znodes = data_znodes(session);
    if (session->deleted == session->created && session->chores_sent < znodes) {
        submit_batch(session, OP_DELETE);
        return true;
    }
    struct request request;
    if (session->deleted < session->created)
        request = request_delete(numbered(session->child, session->deleted++));
    else if (session->chores_sent++ == znodes && has_folder(session))
        request = request_delete(session->folder);
    else
        return false;
    client_submit(session->actor.client, &request, 0);
    return true;
}

/* ------------------------------------------------------------------ its turns */

static bool send_next(struct load_session *session)
{
    switch (session->state) {
    case LOAD_LAYING_OUT:
        return lay_out_next(session);
    case LOAD_SENDING:
        return send_operation(session);
    case LOAD_DRAINING:
        return send_unlock(session);
    case LOAD_CLEARING:
        return clear_next(session);
    default:
        return false;
    }
}

/* To be asked when nothing more can be sent now. A session without a connection has no more to do
 * in a load that has ended, but has znodes to lay out or to clear away when it is back. */
static bool is_done(const struct load_session *session)
{
    if (session->actor.client->outstanding > 0)
        return false;
    if (session->state == LOAD_DRAINING)
        return session->unlocks_due == 0;
    return (session->state == LOAD_LAYING_OUT || session->state == LOAD_CLEARING) &&
           !session->actor.apart;
}

/* Whether fewer operations are outstanding than the depth. */
static bool has_room(const struct load_session *session)
{
    return session->actor.client->outstanding - session->async_deletes <
           load_plan_depth(plan_of(session));
}

/* Sends all that can be sent now. */
static void go_on(struct load_session *session)
{
    while (!session->actor.apart && has_room(session) && send_next(session))
        ;
    if (session->state == LOAD_SENDING && plan_of(session)->rate_per_s > 0 && !has_room(session))
        session->blocked = true;
    if (is_done(session))
        rest(session);
}

/* ------------------------------------------------------------------ replies */

static void count_reply(struct load_session *session, const struct client_reply *reply)
{
    struct tally *total = &session->worker->total;
    atomic_fetch_add(&session->worker->replied, 1);
    if (reply->status != ZK_OK && reply->operation == OP_CREATE)
        tally_add_shared(total, TALLY_CREATE_FAILED, 1);
    if (reply->status != ZK_OK && reply->operation == OP_DELETE)
        tally_add_shared(total, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        tally_add_shared(total, TALLY_NAMES_LISTED, reply->name_count);
}

/* What follows from another operation is none of those that were asked for, if it succeeds. */
static bool is_asked_for(const struct client_reply *reply)
{
    return tag_kind(reply->tag) < MIX_KINDS || reply->status != ZK_OK;
}

/* An operation was completed in the measured time. */
static void record_completion(const struct load_session *session, const struct client_reply *reply,
                              uint64_t now_ns)
{
    uint64_t measures_ns = atomic_load(&session->load->measures_ns),
             sent_ns = now_ns - reply->latency_ns;
    if (session->load->outages != NULL)
        outages_record(session->load->outages,
                       session->actor.session % plan_of(session)->fleet.processes,
                       load_kind_reads(tag_kind(reply->tag)),
                       sent_ns > measures_ns ? sent_ns - measures_ns : 0, now_ns - measures_ns);
}

/* Rates are of what was answered in the measured time. */
static void record_answer(struct load_session *session, const struct client_reply *reply,
                          bool foreseen, uint64_t due_ns, uint64_t now_ns)
{
    struct load_worker *worker = session->worker;
    struct load_second *second = second_at(session, now_ns);
    if (second != NULL) {
        atomic_fetch_add(foreseen ? &second->answered : &second->errors, 1);
        if (foreseen)
            histogram_record(load_kind_reads(tag_kind(reply->tag)) ? &second->reads
                                                                   : &second->writes,
                             now_ns - due_ns);
        if (foreseen)
            record_completion(session, reply, now_ns);
    }
    if (load_shared_is_measured(session->load, now_ns))
        atomic_fetch_add(foreseen ? &worker->answered : &worker->errors, 1);
}

/* Latencies are of what was due in the measured time. */
static void record_measured(struct load_session *session, const struct client_reply *reply,
                            uint64_t due_ns, uint64_t now_ns)
{
    struct load_worker *worker = session->worker;
    enum load_kind kind = tag_kind(reply->tag);
    enum role role = session->actor.role;
    bool foreseen = load_shared_is_foreseen(kind, reply->status);
    if (is_asked_for(reply))
        record_answer(session, reply, foreseen, due_ns, now_ns);
    if (!load_shared_is_measured(session->load, due_ns))
        return;
    atomic_fetch_add(&worker->replies[kind][reply->status], 1);
    if (foreseen) {
        histogram_record(&worker->service[role][kind], reply->latency_ns);
        histogram_record(&worker->response[role][kind], now_ns - due_ns);
    }
}

static void record_contended(struct load_session *session, const struct client_reply *reply,
                             uint64_t due_ns, uint64_t now_ns)
{
    struct load_contended *contended = &session->worker->contended;
    bool foreseen = load_shared_is_foreseen(tag_kind(reply->tag), reply->status);
    if (!is_asked_for(reply))
        return;
    if (load_shared_is_contended(session->load, now_ns))
        atomic_fetch_add(foreseen ? &contended->answered : &contended->errors, 1);
    if (foreseen && load_shared_is_contended(session->load, due_ns)) {
        histogram_record(&contended->service, reply->latency_ns);
        histogram_record(&contended->response, now_ns - due_ns);
    }
}

/* The znode of a create that was lost, and may exist, is left to the set-up session. */
static void follow(struct load_session *session, const struct client_reply *reply, uint64_t now_ns)
{
    enum load_kind kind = tag_kind(reply->tag);
    if (kind == LOAD_TRYLOCK && reply->status == ZK_OK)
        session->unlocks_due++;
    session->async_deletes -= kind == LOAD_ASYNC_DELETE;
    if (kind != LOAD_CREATE_DELETE)
        return;
    session->pairs_answered++;
    if (reply->status != ZK_OK)
        return;
    session->async_deletes++;
    send(session, LOAD_ASYNC_DELETE, now_ns);
}

static void take_reply(struct load_session *session, const struct client_reply *reply)
{
    uint64_t now_ns = client_now_ns(session->actor.client),
             due_ns = tag_due_ns(session, reply->tag);
    count_reply(session, reply);
    record_measured(session, reply, due_ns, now_ns);
    record_contended(session, reply, due_ns, now_ns);
    load_watches_replied(&session->watches, reply, load_shared_is_measured(session->load, due_ns));
    follow(session, reply, now_ns);
}

/* ------------------------------------------------------------------ as an actor */

static void init(void *actor, void *kind, uint64_t seed)
{
    struct load_session *session = actor;
    session->load = kind;
    uint32_t number = session->actor.session;
    session->worker = &session->load->workers[number % plan_of(session)->fleet.processes];
    load_watches_init(&session->watches, session->load, number);
    random_init(&session->random, seed);
    snprintf(session->folder, sizeof session->folder, "%s/c/%u", plan_of(session)->root, number);
    snprintf(session->child, sizeof session->child, "%s/c/%u/n%0*d", plan_of(session)->root, number,
             DIGITS, 0);
    snprintf(session->pair, sizeof session->pair, "%s/c/%u/p%0*d", plan_of(session)->root, number,
             DIGITS, 0);
    snprintf(session->lock, sizeof session->lock, "%s/lock", plan_of(session)->root);
}

static void start(struct load_session *session)
{
    const struct load_plan *plan = plan_of(session);
    session->state = LOAD_SENDING;
    if (plan->rate_per_s > 0)
        schedule_init(&session->schedule, plan->rate_per_s, plan->poisson, session->actor.session,
                      plan->fleet.sessions, session->load->starts_ns,
                      random_next(&session->random));
    go_on(session);
}

/* The load has ended: whoever has not stopped by then waits for a reply, or for a connection. */
static void finish(struct load_session *session)
{
    if (session->state == LOAD_SENDING)
        go_on(session);
    if (session->state != LOAD_SENDING)
        return;
    stop(session);
    go_on(session);
}

static void alarm_rang(void *actor, uint64_t late_ns)
{
    struct load_session *session = actor;
    (void)late_ns;
    session->alarmed = false;
    go_on(session);
}

/* All sessions rest. */
static void settle(struct load_session *session)
{
    session->settled = true;
    if (plan_of(session)->poisson)
        count_unsent(session);
    load_watches_settle(&session->watches);
}

static void begin_chores(struct load_session *session, enum load_session_state state)
{
    session->chores_sent = 0;
    session->state = state;
    go_on(session);
}

static void carry_out(void *actor, int order)
{
    struct load_session *session = actor;
    if (session->state == LOAD_LOST || session->state == LOAD_READ)
        return;
    if (order == ORDER_GATE) {
        actor_pass_gate(&session->actor);
    } else if (order == ORDER_REPORT) {
        actor_report(&session->actor);
        settle(session);
    } else if (order == ORDER_READ) {
        actor_report(&session->actor);
        session->state = LOAD_READ;
    } else if (order == LOAD_ORDER_LAY_OUT) {
        begin_chores(session, LOAD_LAYING_OUT);
    } else if (order == LOAD_ORDER_START) {
        start(session);
    } else if (order == LOAD_ORDER_STOP) {
        finish(session);
    } else if (order == LOAD_ORDER_CLEAR) {
        begin_chores(session, LOAD_CLEARING);
    }
}

/* ------------------------------------------------------------------ the session's callbacks */

static void state_changed(void *owner, enum client_state state)
{
    struct load_session *session = owner;
    if (session->state == LOAD_READ)
        return;
    if (state == CLIENT_EXPIRED) {
        lose(session, ZK_SESSION_EXPIRED);
        return;
    }
    actor_state_changed(&session->actor, state);
    session->blocked = session->blocked || session->actor.apart;
    if (session->actor.apart)
        load_watches_lost(&session->watches);
    if (state == CLIENT_ESTABLISHED && session->actor.in_run)
        go_on(session);
}

static bool is_load(const struct load_session *session)
{
    return session->state == LOAD_SENDING || session->state == LOAD_DRAINING;
}

static void sent(void *owner, enum operation operation)
{
    static const enum tally_kind kinds[] = {
        [OP_CREATE] = TALLY_CREATE, [OP_EXISTS] = TALLY_EXISTS,
        [OP_GET] = TALLY_GET,       [OP_GET_CHILDREN] = TALLY_GET_CHILDREN,
        [OP_SET] = TALLY_SET,       [OP_DELETE] = TALLY_DELETE,
        [OP_MULTI] = TALLY_MULTI,
    };
    const struct load_session *session = owner;
    if (is_load(session))
        tally_add_shared(&session->worker->total, kinds[operation], 1);
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct load_session *session = owner;
    actor_spoke(&session->actor);
    actor_step(&session->actor); /* whatever is answered moves, be it to lay out or to clear away */
    if (session->state == LOAD_LOST || session->state == LOAD_READ)
        return;
    if (is_load(session))
        take_reply(session, reply);
    else if (session->state == LOAD_LAYING_OUT && reply->status != ZK_OK)
        lose(session, reply->status);
    else
        atomic_fetch_add(&session->load->chores_done, reply->tag);
    go_on(session);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    const struct load_session *session = owner;
    if (session->state == LOAD_READ || session->settled)
        return;
    tally_add_shared(&session->worker->total, TALLY_NOTIFICATION, 1);
    load_watches_notified(&session->watches, event, path, client_now_ns(session->actor.client));
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

const struct actor_ops load_session_ops = {
    .size = sizeof(struct load_session),
    .listener = &listener,
    .init = init,
    .order = carry_out,
    .alarm = alarm_rang,
};
