// SPDX-License-Identifier: Apache-2.0
#include "load/load_session.h"

#include <stdlib.h>
#include <string.h>

static const struct load_plan *plan_of(const struct load_session *session)
{
    return session->load->plan;
}

/* ------------------------------------------------------------------ what it counts and times */

/* The window that this time lies in; NULL: in none. */
static struct load_window *window_at(const struct load_session *session, uint64_t time_ns)
{
    enum load_window_kind kind = load_shared_window(session->load, time_ns);
    return kind < LOAD_WINDOWS ? &session->worker->windows[kind] : NULL;
}

/* In the window and the second of the answer. */
static void record_answer(const struct load_session *session, const struct client_reply *reply,
                          bool foreseen, uint64_t response_ns, uint64_t now_ns)
{
    const struct load_shared *load = session->load;
    struct load_window *window = window_at(session, now_ns);
    struct load_second *second = load_shared_second(load, session->process, now_ns);
    bool reads = load_kind_reads(load_tag_kind(reply->tag));
    if (window != NULL)
        atomic_fetch_add(foreseen ? &window->answered : &window->errors, 1);
    if (second == NULL)
        return;
    atomic_fetch_add(foreseen ? &second->answered : &second->errors, 1);
    if (foreseen) {
        struct load_times *times = load_shared_times(load, session->process, now_ns);
        histogram_record(reads ? &times->reads : &times->writes, response_ns);
    }
}

/* In the window in which it was due. The limit is for the exact time, which a histogram rounds. */
static void record_due(const struct load_session *session, const struct client_reply *reply,
                       bool foreseen, bool asked_for, uint64_t response_ns, uint64_t now_ns)
{
    enum load_kind kind = load_tag_kind(reply->tag);
    enum role role = session->actor.role;
    uint64_t limit_ns = session->load->plan->limit_ns;
    struct load_window *window = window_at(session, now_ns - response_ns);
    if (window == NULL)
        return;
    atomic_fetch_add(&window->replies[kind][reply->status], 1);
    if (asked_for)
        atomic_fetch_add(&window->replied, 1);
    if (!foreseen) {
        atomic_fetch_add(&window->failed, 1);
        return;
    }
    histogram_record(&window->service[role][kind], reply->latency_ns);
    histogram_record(&window->response[role][kind], response_ns);
    if (asked_for && limit_ns > 0 && response_ns >= limit_ns)
        atomic_fetch_add(&window->over, 1);
}

/* Rates are of what was answered in a window, and response times of what was due in it. What
 * follows from another operation is none of those that were asked for, if it succeeds. */
static void record_reply(const struct load_session *session, const struct client_reply *reply,
                         uint64_t now_ns)
{
    struct load_worker *worker = session->worker;
    enum load_kind kind = load_tag_kind(reply->tag);
    bool foreseen = load_shared_is_foreseen(kind, reply->status),
         asked_for = kind < MIX_KINDS || reply->status != ZK_OK;
    uint64_t response_ns = now_ns - load_tag_due_ns(session->load, reply->tag);
    atomic_fetch_add(&worker->replied, 1);
    if (reply->status != ZK_OK && reply->operation == OP_CREATE)
        tally_add_shared(&worker->total, TALLY_CREATE_FAILED, 1);
    if (reply->status != ZK_OK && reply->operation == OP_DELETE)
        tally_add_shared(&worker->total, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        tally_add_shared(&worker->total, TALLY_NAMES_LISTED, reply->name_count);
    if (asked_for)
        record_answer(session, reply, foreseen, response_ns, now_ns);
    record_due(session, reply, foreseen, asked_for, response_ns, now_ns);
}

void load_session_record_lag(const struct load_session *session, uint64_t due_ns,
                             uint64_t looked_ns, uint64_t now_ns)
{
    struct load_window *window = window_at(session, due_ns);
    struct load_second *second = load_shared_second(session->load, session->process, now_ns);
    if (window == NULL)
        return;
    histogram_record(&window->lag, looked_ns - due_ns);
    if (second != NULL)
        shared_raise(&second->lag_ns, looked_ns - due_ns);
}

/* ------------------------------------------------------------------ the watches that it leaves
 *
 * The fan-out gets operations and their replies in the order of the operations, each once; in a
 * load that leaves no watches, nothing. */

/* The place of the operation of this number. */
static struct load_sent *sent_at(const struct load_session *session, uint64_t number)
{
    size_t depth = fleet_plan_depth(&plan_of(session)->fleet);
    return &session->load->sent[session->actor.session * depth + number % depth];
}

static void note_reply(struct load_session *session, const struct client_reply *reply,
                       bool measured)
{
    struct fan_out *fan_out = session->load->fan_out;
    uint32_t number = session->actor.session;
    if (fan_out == NULL)
        return;
    const struct load_sent *sent = sent_at(session, session->operations_replied++);
    if (reply->status == ZK_OK && sent->watch)
        fan_out_watch(fan_out, number, sent->znode, reply->version);
    if (reply->status == ZK_OK && reply->operation == OP_SET)
        fan_out_publish(fan_out, number, sent->znode, reply->version, sent->sent_ns, measured);
    fan_out_retry(fan_out, number);
}

/* The paths of data znodes end in their numbers. */
static void note_notification(const struct load_session *session, enum client_event event,
                              const char *path)
{
    struct fan_out *fan_out = session->load->fan_out;
    uint32_t number = session->actor.session;
    if (fan_out == NULL)
        return;
    if (event == EVENT_CHANGED)
        fan_out_notify(fan_out, number, (uint32_t)strtoul(strrchr(path, '/') + 1, NULL, 10),
                       client_now_ns(session->actor.client));
    else
        fan_out_notify_other(fan_out, number);
    fan_out_retry(fan_out, number);
}

/* ------------------------------------------------------------------ its znodes
 *
 * A session lays out and clears away the data znodes whose number is its own, modulo all sessions,
 * and a folder for the znodes that it creates. The tag of a request is how many data znodes it
 * creates or deletes. */

/* The most bytes of one multi: below what any server takes (jute.maxbuffer), but for one value. */
#define BATCH_BYTES ((size_t)48 << 10)

static uint64_t data_znodes(const struct load_session *session)
{
    uint32_t znodes = load_plan_znodes(plan_of(session)), number = session->actor.number;
    return number < znodes ? (znodes - number - 1) / fleet_plan_all(&plan_of(session)->fleet) + 1
                           : 0;
}

/* Creates or deletes the next data znodes together. */
static void submit_batch(struct load_session *session, enum operation operation)
{
    const struct load_plan *plan = plan_of(session);
    struct request parts[REQUEST_PARTS_MAX];
    size_t fit = BATCH_BYTES / (plan->value_bytes + LOAD_PATH_SIZE),
           most = fit < 1                   ? 1
                  : fit < REQUEST_PARTS_MAX ? fit
                                            : REQUEST_PARTS_MAX;
    uint64_t left = data_znodes(session) - session->chores_sent;
    size_t count = left < most ? (size_t)left : most;
    for (size_t i = 0; i < count; i++) {
        uint64_t znode =
            session->actor.number + session->chores_sent++ * fleet_plan_all(&plan->fleet);
        const char *path = session->load->paths[znode];
        parts[i] =
            operation == OP_CREATE ? load_requests_create(session, path) : request_delete(path);
    }
    const struct request multi = request_multi(parts, count);
    client_submit(session->actor.client, count == 1 ? &parts[0] : &multi, count);
}

/* Submits the next request: to clear away, for the znodes that it created, one by one because some
 * may be gone; then for its data znodes, and at last for its folder. False if there is none. */
static bool submit_chore(struct load_session *session, bool clears)
{
    uint64_t znodes = data_znodes(session);
    const char *folder = session->requests.folder;
    struct request request;
    if (clears && load_requests_has_own(session)) {
        request = load_requests_delete_own(session);
    } else if (session->chores_sent < znodes) {
        submit_batch(session, clears ? OP_DELETE : OP_CREATE);
        return true;
    } else if (session->chores_sent++ == znodes && mix_needs_folders(&plan_of(session)->mix)) {
        request = clears ? request_delete(folder) : request_create(folder, NULL, 0, PERSISTENT);
    } else {
        return false;
    }
    client_submit(session->actor.client, &request, 0);
    return true;
}

/* ------------------------------------------------------------------ its end */

static void lose(struct load_session *session, enum zk_status status)
{
    if (session->state == LOAD_LOST || session->state == LOAD_READ)
        return;
    session->state = LOAD_LOST;
    actor_lose(&session->actor, status);
}

static void rest(struct load_session *session)
{
    struct load_shared *load = session->load;
    session->state = LOAD_IDLE;
    actor_step(&session->actor);
    if (atomic_fetch_add(&load->resting, 1) + 1 == load->plan->fleet.sessions)
        shared_wake(load->shared->coordinator_descriptor);
}

/* ------------------------------------------------------------------ sending */

static void send(struct load_session *session, enum load_kind kind, uint64_t due_ns)
{
    struct load_sent sent;
    uint64_t tag = (due_ns - session->load->starts_ns) << LOAD_TAG_KIND_BITS | kind;
    load_requests_submit(session, kind, tag, &sent);
    sent.sent_ns = session->actor.client->sent_ns;
    if (session->load->fan_out != NULL)
        *sent_at(session, session->operations_sent++) = sent;
}

/* Gives up what is due before this time, but nothing that is due behind the end. */
static uint64_t skip_until(struct load_session *session, uint64_t time_ns)
{
    uint64_t end_ns = atomic_load(&session->load->ends_ns);
    return schedule_skip(&session->schedule, time_ns < end_ns ? time_ns : end_ns);
}

/* Counts the requests that were due and not sent, by window. The windows follow each other. */
static void count_unsent(struct load_session *session)
{
    struct load_window *windows = session->worker->windows;
    const struct load_shared *load = session->load;
    if (plan_of(session)->rate_per_s == 0)
        return;
    (void)skip_until(session, atomic_load(&load->measures_ns));
    atomic_fetch_add(&windows[LOAD_MEASURED].unsent,
                     skip_until(session, atomic_load(&load->settles_ns)));
    (void)skip_until(session, atomic_load(&load->contends_ns));
    atomic_fetch_add(&windows[LOAD_CONTENDED].unsent, skip_until(session, UINT64_MAX));
}

/* With random arrivals each skipped request takes a draw: they wait until the end (end_load). */
static void stop(struct load_session *session)
{
    session->state = LOAD_DRAINING;
    if (!plan_of(session)->poisson)
        count_unsent(session);
}

/* At an offered rate: sends the next operation if it is due; else sets the alarm for it. */
static bool send_due(struct load_session *session, uint64_t now_ns)
{
    uint64_t measures_ns = atomic_load(&session->load->measures_ns);
    /* The measured time begins without a queue: what the warm-up could not take is given up. */
    if (now_ns >= measures_ns)
        (void)schedule_skip(&session->schedule, measures_ns);
    uint64_t due_ns = session->schedule.due_ns;
    if (due_ns > now_ns) {
        session->blocked = false;
        if (!session->alarmed && due_ns < atomic_load(&session->load->ends_ns)) {
            session->alarmed = true;
            actor_set_alarm(&session->actor, due_ns);
        }
        return false;
    }
    /* What was due while the driver did not look was late by the driver's doing, until it looked;
     * what came due behind that, while the session was blocked, was delayed by the servers. */
    if (!session->blocked)
        session->looked_ns = now_ns;
    struct load_window *window = window_at(session, due_ns);
    if (!session->blocked || due_ns < session->looked_ns)
        load_session_record_lag(session, due_ns, session->looked_ns, now_ns);
    else if (window != NULL)
        atomic_fetch_add(&window->delayed, 1);
    load_requests_seek(session, session->schedule.number);
    schedule_advance(&session->schedule);
    send(session, load_requests_draw(session), due_ns);
    return true;
}

/* Sends the next operation; false if there is none. */
static bool send_operation(struct load_session *session)
{
    uint64_t now_ns = client_now_ns(session->actor.client),
             ends_ns = atomic_load(&session->load->ends_ns);
    if (session->unlocks_due > 0) {
        session->unlocks_due--;
        send(session, LOAD_UNLOCK, now_ns);
        return true;
    }
    if (session->state == LOAD_DRAINING)
        return false;
    /* What was due before the end, and waits only because of the driver, is sent. */
    bool is_kept_waiting =
        plan_of(session)->rate_per_s > 0 && !session->blocked && session->schedule.due_ns < ends_ns;
    if (now_ns >= ends_ns && !is_kept_waiting) {
        stop(session);
        return false;
    }
    if (plan_of(session)->rate_per_s > 0)
        return send_due(session, now_ns);
    send(session, load_requests_draw(session), now_ns);
    return true;
}

/* ------------------------------------------------------------------ its turns */

static bool send_next(struct load_session *session)
{
    switch (session->state) {
    case LOAD_LAYING_OUT:
    case LOAD_CLEARING:
        return submit_chore(session, session->state == LOAD_CLEARING);
    case LOAD_SENDING:
    case LOAD_DRAINING:
        return send_operation(session);
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

static void handle_reply(struct load_session *session, const struct client_reply *reply)
{
    uint64_t now_ns = client_now_ns(session->actor.client),
             due_ns = load_tag_due_ns(session->load, reply->tag);
    record_reply(session, reply, now_ns);
    note_reply(session, reply, load_shared_window(session->load, due_ns) == LOAD_MEASURED);
    enum load_kind kind = load_tag_kind(reply->tag);
    if (kind == LOAD_TRYLOCK && reply->status == ZK_OK)
        session->unlocks_due++;
    session->async_deletes -= kind == LOAD_ASYNC_DELETE;
    if (kind != LOAD_CREATE_DELETE)
        return;
    session->requests.pairs_answered++;
    if (reply->status != ZK_OK)
        return; /* the set-up session deletes the znode of a create that was lost, if it exists */
    session->async_deletes++;
    send(session, LOAD_ASYNC_DELETE, now_ns);
}

/* ------------------------------------------------------------------ as an actor */

static void init(void *actor, void *kind, uint64_t seed)
{
    struct load_session *session = actor;
    session->load = kind;
    session->process = session->actor.session % plan_of(session)->fleet.processes;
    session->worker = &session->load->workers[session->process];
    load_requests_init(session, seed);
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
static void end_load(struct load_session *session)
{
    session->has_ended = true;
    if (plan_of(session)->poisson)
        count_unsent(session);
    if (session->load->fan_out != NULL)
        fan_out_end(session->load->fan_out, session->actor.session);
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
    const struct load_plan *plan = plan_of(session);
    if (session->state == LOAD_LOST || session->state == LOAD_READ)
        return;
    if (order == ORDER_GATE) {
        actor_pass_gate(&session->actor);
    } else if (order == ORDER_REPORT) {
        actor_report(&session->actor);
        end_load(session);
    } else if (order == ORDER_READ) {
        actor_report(&session->actor);
        session->state = LOAD_READ;
    } else if (order == LOAD_ORDER_LAY_OUT) {
        begin_chores(session, LOAD_LAYING_OUT);
    } else if (order == LOAD_ORDER_START) {
        session->state = LOAD_SENDING;
        if (plan->rate_per_s > 0)
            schedule_init(&session->schedule, plan->rate_per_s, plan->poisson,
                          session->actor.number, fleet_plan_all(&plan->fleet),
                          session->load->starts_ns, random_next(&session->requests.random));
        go_on(session);
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
    if (state >= CLIENT_EXPIRED) {
        lose(session, ZK_SESSION_EXPIRED);
        return;
    }
    actor_state_changed(&session->actor, state);
    session->blocked = session->blocked || session->actor.apart;
    if (session->actor.apart && session->load->fan_out != NULL)
        fan_out_forget(session->load->fan_out, session->actor.session);
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
        [OP_SYNC] = TALLY_SYNC,     [OP_MULTI] = TALLY_MULTI,
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
        handle_reply(session, reply);
    else if (session->state == LOAD_LAYING_OUT && reply->status != ZK_OK)
        lose(session, reply->status);
    else
        atomic_fetch_add(&session->load->chores_done, reply->tag);
    go_on(session);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    const struct load_session *session = owner;
    if (session->state == LOAD_READ || session->has_ended)
        return;
    tally_add_shared(&session->worker->total, TALLY_NOTIFICATION, 1);
    note_notification(session, event, path);
}

static const struct client_listener listener = {state_changed, sent, replied, notified};

const struct actor_ops load_session_ops = {
    .size = sizeof(struct load_session),
    .listener = &listener,
    .init = init,
    .order = carry_out,
    .alarm = alarm_rang,
};
