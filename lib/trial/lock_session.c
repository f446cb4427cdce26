// SPDX-License-Identifier: Apache-2.0
#include "trial/lock_session.h"

#include "base/clock.h"
#include "trial/checker.h"
#include "trial/injection.h"

#include <stdio.h>

/* A server that was told ends the session at once; how soon others follow is not known. */
#define EXIT_NS (2 * NS_PER_S)

static void step_taken(const struct lock_session *session)
{
    atomic_fetch_add(&session->meter.worker->steps, 1);
}

static void choose_lock(struct lock_session *session, uint32_t lock)
{
    session->meter.lock = lock;
    snprintf(session->lock_path, sizeof session->lock_path, "%s/l%u",
             lock_session_plan(session)->root, lock);
    session->contender.lock = session->lock_path;
}

static void lose(struct lock_session *session, enum zk_status status)
{
    struct board *board = lock_session_board(session);
    if (session->state == SESSION_LOST)
        return;
    session->state = SESSION_LOST;
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong(&board->first_lost, &nobody, session->index + 1))
        atomic_store(&board->first_lost_status, (int)status);
    atomic_fetch_add(&board->lost, 1);
}

/* The session has nothing more to do. */
static void finish(struct lock_session *session, enum lock_session_state state)
{
    struct board *board = lock_session_board(session);
    session->state = state;
    session->rests = true;
    step_taken(session);
    if (atomic_fetch_add(&board->finished, 1) + 1 == board->plan->clients)
        board_wake(board->coordinator_descriptor);
}

/* ------------------------------------------------------------------ what the session reports */

/* Writes what the session is and does to its place on the board. */
static void report_state(const struct lock_session *session)
{
    const struct client *client = session->contender.client;
    struct board_session *report = &lock_session_board(session)->sessions[session->index];
    client_server(client, report->server, sizeof report->server);
    report->timeout_ms = client_timeout_ms(client);
    report->role = session->meter.role;
    report->unfinished = session->state == SESSION_ACQUIRING || session->state == SESSION_PARKED ||
                         session->state == SESSION_AT_TURN || session->state == SESSION_WORKING ||
                         session->state == SESSION_RELEASING;
    report->parked = session->state == SESSION_PARKED;
    report->asked = client->outstanding;
    report->answered = client->outstanding && client_unread(client) > 0;
    report->pauses = session->timed;
    report->spoke_ns = session->meter.spoke_ns;
    report->pings = session->meter.pings;
    report->missed = session->apart || session->meter.role == ROLE_RECONNECTED;
    report->awaited = session->contender.awaited;
    report->lock = session->meter.lock;
    snprintf(report->node, sizeof report->node, "%s", session->contender.node);
    snprintf(report->waits_for, sizeof report->waits_for, "%s",
             report->parked ? session->contender.watched : "");
}

/* ------------------------------------------------------------------ death */

/* The lock loses its holder. A server ends a session no earlier than its timeout after the last
 * that it heard of it. */
static void bereave(struct lock_session *session, enum death_how how, uint64_t timeout_ns,
                    uint64_t now_ns)
{
    if (how == DEATH_EXIT)
        checker_released(lock_session_board(session), session->meter.lock, session->index);
    else
        checker_crashed(lock_session_board(session), session->meter.lock,
                        session->contender.client->sent_ns + timeout_ns);
    meter_bereaved(&session->meter, now_ns);
}

static void note_death(struct lock_session *session, enum death_how how, uint64_t timeout_ns,
                       uint64_t now_ns)
{
    struct board *board = lock_session_board(session);
    uint32_t lock = session->meter.lock;
    death_note(board, lock, now_ns);
    if (session->state == SESSION_HOLDING || session->state == SESSION_WORKING)
        bereave(session, how, timeout_ns, now_ns);
    else if (session->state == SESSION_RELEASING)
        checker_deserted(board, lock, session->index);
    else
        atomic_fetch_add(&lock_session_lock(session)->abandoned, 1);
    /* The servers round a timeout up to their next tick, which is half of the least timeout. */
    death_bury(board, session->index, now_ns + (how == DEATH_EXIT ? EXIT_NS : 2 * timeout_ns));
}

static bool end_session(struct lock_session *session, enum death_how how)
{
    struct client *client = session->contender.client;
    uint64_t timeout_ns = client_timeout_ms(client) * NS_PER_MS;
    meter_read_bytes(&session->meter, client);
    report_state(session);
    note_death(session, how, timeout_ns, client_now_ns(client));
    if (how == DEATH_EXIT)
        atomic_fetch_add(&lock_session_board(session)->exits, 1);
    return how == DEATH_EXIT ? client_leave(client) : client_crash(client);
}

static void die(struct lock_session *session, enum death_how how)
{
    if (end_session(session, how))
        finish(session, SESSION_DEAD);
    else
        lose(session, ZK_CONNECTION_LOSS);
}

static void lose_reply(struct lock_session *session)
{
    struct client *client = session->contender.client;
    death_note(lock_session_board(session), session->meter.lock, client_now_ns(client));
    if (!client_cut(client))
        lose(session, ZK_CONNECTION_LOSS);
}

/* ------------------------------------------------------------------ the recipe's steps */

static void advance(struct lock_session *session);
static void queue_again_or_finish(struct lock_session *session);

static int64_t order_of(const struct lock_session *session)
{
    return lock_session_plan(session)->recipe->fifo ? session->contender.sequence
                                                    : session->arrival;
}

static uint64_t hold_ns(struct lock_session *session)
{
    const struct hold *hold = &lock_session_plan(session)->hold;
    if (!hold->exponential || hold->mean_ns == 0)
        return hold->mean_ns;
    double drawn_ns = random_exponential(&session->random, (double)hold->mean_ns);
    double longest_ns = (double)hold->mean_ns * HOLD_LONGEST_MEANS;
    return (uint64_t)(drawn_ns < longest_ns ? drawn_ns : longest_ns);
}

static void set_alarm(struct lock_session *session, uint64_t due_ns)
{
    session->timed = true;
    session->timer.set(session->timer.context, due_ns, session);
}

/* A hold, of 0 as well, lasts for a turn at least: another holder beside this one would not be seen
 * otherwise. Under lockstep it is the coordinator who waited: that is not late. */
static void let_go(struct lock_session *session)
{
    uint64_t due_ns = session->granted_ns + hold_ns(session);
    uint64_t now_ns = client_now_ns(session->contender.client);
    if (lock_session_plan(session)->pace == PACE_LOCKSTEP && due_ns < now_ns)
        due_ns = now_ns;
    set_alarm(session, due_ns);
}

static void hold(struct lock_session *session)
{
    session->state = SESSION_HOLDING;
    if (lock_session_plan(session)->pace == PACE_LOCKSTEP)
        session->rests = true;
    else
        let_go(session);
}

static void work(struct lock_session *session)
{
    session->contender.doomed = death_dooms(lock_session_board(session), session->meter.lock);
    session->contender.resume_at = 0;
    session->state = SESSION_WORKING;
    advance(session);
}

static void worked(struct lock_session *session)
{
    atomic_fetch_add(&lock_session_board(session)->repairs, session->contender.repairs);
    atomic_fetch_add(&lock_session_board(session)->tasks_done, session->contender.tasks_done);
    session->contender.repairs = session->contender.tasks_done = 0;
    hold(session);
}

static void granted(struct lock_session *session)
{
    uint64_t now_ns = client_now_ns(session->contender.client);
    checker_granted(lock_session_board(session), session->meter.lock, session->index,
                    order_of(session), now_ns);
    meter_granted(&session->meter, session->index, now_ns - session->arrived_ns, now_ns);
    lock_session_board(session)->sessions[session->index].acquisitions++;
    session->granted_ns = now_ns;
    step_taken(session);
    if (lock_session_plan(session)->recipe->work != NULL)
        work(session);
    else
        hold(session);
}

static void released(struct lock_session *session)
{
    uint64_t now_ns = client_now_ns(session->contender.client);
    checker_left(lock_session_board(session), session->meter.lock, session->index);
    meter_released(&session->meter, now_ns - session->release_ns);
    board_raise(&lock_session_board(session)->last_released_ns, now_ns);
    session->state = SESSION_IDLE;
    step_taken(session);
    if (lock_session_plan(session)->pace == PACE_LOCKSTEP)
        session->rests = true;
    else
        queue_again_or_finish(session);
}

static void begin(struct lock_session *session)
{
    session->contender.resume_at = 0;
    session->state = SESSION_ACQUIRING;
    advance(session);
}

/* What was acquired nested is given up by the last of as many releases. */
static void give_up(struct lock_session *session)
{
    if (session->nested == 1) {
        checker_released(lock_session_board(session), session->meter.lock, session->index);
        session->release_ns = client_now_ns(session->contender.client);
        meter_releasing(&session->meter, session->release_ns);
    }
    session->contender.resume_at = 0;
    session->state = SESSION_RELEASING;
    advance(session);
}

static void acquired_once(struct lock_session *session)
{
    if (++session->nested < lock_session_plan(session)->recipe->nesting)
        begin(session);
    else
        granted(session);
}

static void released_once(struct lock_session *session)
{
    if (--session->nested > 0)
        give_up(session);
    else
        released(session);
}

/* In free pace nobody waits for the others. */
static void take_turn(struct lock_session *session)
{
    if (lock_session_plan(session)->pace == PACE_FREE) {
        advance(session);
        return;
    }
    session->state = SESSION_AT_TURN;
    session->rests = true;
}

static enum recipe_step resume(struct lock_session *session)
{
    const struct recipe *recipe = lock_session_plan(session)->recipe;
    switch (session->state) {
    case SESSION_RELEASING:
        return recipe->release(&session->contender);
    case SESSION_WORKING:
        return recipe->work(&session->contender);
    default:
        return recipe->acquire(&session->contender);
    }
}

static void done(struct lock_session *session)
{
    if (session->state == SESSION_RELEASING)
        released_once(session);
    else if (session->state == SESSION_WORKING)
        worked(session);
    else
        acquired_once(session);
}

static void advance(struct lock_session *session)
{
    switch (resume(session)) {
    case STEP_REPLY:
        if (session->cutting)
            lose_reply(session);
        break;
    case STEP_WATCH:
        session->woken_to = session->state;
        session->state = SESSION_PARKED;
        session->rests = true;
        break;
    case STEP_TURN:
        take_turn(session);
        break;
    case STEP_PAUSE:
        set_alarm(session, client_now_ns(session->contender.client) + session->contender.pause_ns);
        break;
    case STEP_DONE:
        done(session);
        break;
    case STEP_FAILED:
        lose(session, session->contender.status);
        break;
    case STEP_CRASHED:
        die(session, DEATH_CRASH);
        break;
    }
}

static void arrive(struct lock_session *session)
{
    uint64_t acquisitions = lock_session_board(session)->sessions[session->index].acquisitions;
    uint32_t due = plan_lock_of(lock_session_plan(session), session->index, acquisitions);
    if (due != session->meter.lock)
        choose_lock(session, due);
    struct board_lock *lock = lock_session_lock(session);
    session->arrival = (int64_t)atomic_fetch_add(&lock->arrivals, 1);
    atomic_store(&lock->joined, true);
    session->arrived_ns = client_now_ns(session->contender.client);
    step_taken(session);
    begin(session);
}

static bool is_let_in(struct lock_session *session)
{
    struct board *board = lock_session_board(session);
    uint64_t admitted = plan_handoffs_of(board->plan, session->meter.lock);
    if (plan_tours(board->plan))
        return board->sessions[session->index].acquisitions < plan_acquisitions(board->plan);
    return !atomic_load(&board->closed) &&
           atomic_fetch_add(&lock_session_lock(session)->admissions, 1) < admitted;
}

static void queue_again_or_finish(struct lock_session *session)
{
    if (is_let_in(session))
        arrive(session);
    else
        finish(session, SESSION_FINISHED);
}

static void release(struct lock_session *session)
{
    /* What has come until here belongs to the handoff that ends. */
    meter_read_bytes(&session->meter, session->contender.client);
    give_up(session);
}

/* ------------------------------------------------------------------ what the session is told to do
 */

void lock_session_init(struct lock_session *session, struct board *board,
                       struct board_worker *worker, uint64_t seed,
                       const struct session_timer *timer, uint32_t index)
{
    *session = (struct lock_session){
        .meter = {.board = board, .worker = worker},
        .timer = *timer,
        .index = index,
    };
    random_init(&session->random, seed);
    choose_lock(session, plan_lock_of(board->plan, index, 0));
    session->contender.number = plan_number_of(board->plan, index);
    session->contender.clients = plan_clients_of(board->plan, session->meter.lock);
    uint64_t high = random_next(&session->random), low = random_next(&session->random);
    contender_set_guid(&session->contender, high, low);
}

/* The last thing of every turn, when all that the turn brought has been counted: from here on the
 * coordinator may take its next step. */
static void settle(struct lock_session *session)
{
    if (!session->rests)
        return;
    session->rests = false;
    atomic_fetch_sub(&lock_session_board(session)->busy, 1);
}

void lock_session_alarm_rang(void *owner, uint64_t late_ns)
{
    struct lock_session *session = owner;
    session->timed = false;
    if (session->state == SESSION_DEAD || session->state == SESSION_LOST ||
        session->state == SESSION_READ)
        return;
    if (session->state == SESSION_HOLDING) {
        if (lock_session_plan(session)->hold.mean_ns > 0)
            histogram_record(&session->meter.worker->late, late_ns);
        release(session);
    } else {
        advance(session);
    }
    settle(session);
}

/* From here on the servers may not have told it all that the law foretells, or told it otherwise.
 */
static void note_loss(const struct lock_session *session)
{
    atomic_fetch_add(&lock_session_board(session)->losses, 1);
}

void lock_session_pass_gate(struct lock_session *session)
{
    session->in_trial = true;
    if (session->apart)
        note_loss(session);
    meter_mark_bytes(&session->meter, session->contender.client);
    if (session->meter.role != ROLE_RECONNECTED)
        session->meter.role = lock_session_board(session)->sessions[session->index].role;
}

void lock_session_arrive(struct lock_session *session)
{
    arrive(session);
    settle(session);
}

void lock_session_let_go(struct lock_session *session)
{
    let_go(session);
    settle(session);
}

void lock_session_go_on(struct lock_session *session)
{
    if (session->state != SESSION_AT_TURN)
        return;
    session->state = SESSION_ACQUIRING;
    advance(session);
    settle(session);
}

void lock_session_die(struct lock_session *session)
{
    die(session, death_planned(lock_session_board(session))->how);
    settle(session);
}

/* ------------------------------------------------------------------ the session's callbacks */

/* Before the gate: the coordinator finds the server's role by it. */
static void note_server(const struct lock_session *session)
{
    struct board_session *report = &lock_session_board(session)->sessions[session->index];
    client_server(session->contender.client, report->server, sizeof report->server);
}

static void state_changed(void *owner, enum client_state state)
{
    struct lock_session *session = owner;
    struct board *board = lock_session_board(session);
    if (session->state == SESSION_READ)
        return;
    if (state == CLIENT_ESTABLISHED && session->state == SESSION_CONNECTING) {
        session->state = SESSION_IDLE;
        note_server(session);
        atomic_fetch_sub(&board->connecting, 1);
        step_taken(session);
        if (atomic_fetch_add(&board->established, 1) + 1 == board->plan->clients)
            board_wake(board->coordinator_descriptor);
    } else if (state == CLIENT_ESTABLISHED) {
        session->apart = false;
        atomic_fetch_add(&session->meter.worker->reconnects, 1);
        session->meter.role = ROLE_RECONNECTED;
    } else if (state == CLIENT_EXPIRED) {
        lose(session, ZK_SESSION_EXPIRED);
    } else if (session->state != SESSION_CONNECTING && !session->apart) {
        session->apart = true;
        if (session->in_trial)
            note_loss(session);
    }
}

static void sent(void *owner, enum operation operation)
{
    struct lock_session *session = owner;
    session->cutting =
        operation == OP_CREATE && death_takes_reply(lock_session_board(session), session->index);
    meter_sent(&session->meter, operation);
}

static bool is_foreseen(const struct lock_session *session, enum zk_status status)
{
    if (status == ZK_CONNECTION_LOSS)
        return lock_session_plan(session)->recipe->recovers;
    return status == ZK_OK || status == ZK_NO_NODE || status == ZK_NODE_EXISTS ||
           status == ZK_BAD_VERSION || status == ZK_NOT_EMPTY;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct lock_session *session = owner;
    if (session->state == SESSION_READ)
        return;
    meter_replied(&session->meter, reply);
    meter_spoke(&session->meter, session->contender.client);
    if (session->state == SESSION_LOST)
        return;
    bool cut = session->cutting && reply->status == ZK_CONNECTION_LOSS;
    session->cutting = false;
    if (cut && !lock_session_plan(session)->recipe->recovers) {
        begin(session); /* all that a client is left to do that knows nothing: to begin anew */
        return;
    }
    if (!is_foreseen(session, reply->status)) {
        lose(session, reply->status);
        return;
    }
    session->contender.status = reply->status;
    session->contender.reply = reply;
    advance(session);
    session->contender.reply = NULL;
    meter_read_bytes(&session->meter, session->contender.client);
    settle(session);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct lock_session *session = owner;
    if (session->state == SESSION_READ)
        return;
    uint64_t now_ns = client_now_ns(session->contender.client);
    bool wakes =
        session->state == SESSION_PARKED && contender_wakes(&session->contender, event, path);
    if (wakes) {
        atomic_fetch_add(&lock_session_board(session)->busy, 1);
        session->state = session->woken_to;
    }
    meter_notified(&session->meter, event, !wakes, now_ns);
    /* Awake, the bytes are read with the reply that follows: a system call less. */
    if (wakes)
        advance(session);
    else
        meter_read_bytes(&session->meter, session->contender.client);
    settle(session);
}

const struct client_listener lock_session_listener = {state_changed, sent, replied, notified};

/* ------------------------------------------------------------------ the coordinator's readings */

/* A dead session has said everything before, and has nothing to tell any more. On threads its own
 * may be ending it yet: nothing else of the lock session may be looked at. */
static bool is_dead(const struct lock_session *session)
{
    return atomic_load(&lock_session_board(session)->sessions[session->index].dead);
}

void lock_session_take_reading(struct lock_session *session)
{
    if (is_dead(session))
        return;
    meter_read_bytes(&session->meter, session->contender.client);
    report_state(session);
    session->state = SESSION_READ;
}

void lock_session_answer(const struct lock_session *session)
{
    if (!is_dead(session) && session->state != SESSION_READ)
        report_state(session);
}
