// SPDX-License-Identifier: Apache-2.0
#include "trial/seat.h"

#include "base/clock.h"
#include "trial/checker.h"
#include "trial/death.h"

#include <stdio.h>

static struct board *board_of(const struct seat *seat)
{
    return seat->meter.board;
}

static const struct trial_plan *plan_of(const struct seat *seat)
{
    return board_of(seat)->plan;
}

static struct board_lock *lock_of(const struct seat *seat)
{
    return &board_of(seat)->locks[seat->meter.lock];
}

static void step_taken(const struct seat *seat)
{
    atomic_fetch_add(&board_of(seat)->steps, 1);
}

/* The last thing of every turn, when all that the turn brought has been counted: from here on the
 * conductor may take its next step. */
static void settle(struct seat *seat)
{
    if (!seat->rests)
        return;
    seat->rests = false;
    atomic_fetch_sub(&board_of(seat)->busy, 1);
}

static void contend_for(struct seat *seat, uint32_t lock)
{
    seat->meter.lock = lock;
    snprintf(seat->lock_path, sizeof seat->lock_path, "%s/l%u", plan_of(seat)->root, lock);
    seat->contender.lock = seat->lock_path;
}

void seat_init(struct seat *seat, struct board *board, struct board_worker *worker, uint64_t seed,
               const struct seat_timer *timer, uint32_t session)
{
    *seat = (struct seat){
        .meter = {.board = board, .worker = worker},
        .timer = *timer,
        .session = session,
    };
    random_init(&seat->random, seed);
    contend_for(seat, plan_lock_of(board->plan, session, 0));
    seat->contender.number = plan_number_of(board->plan, session);
    seat->contender.clients = plan_clients_of(board->plan, seat->meter.lock);
    uint64_t high = random_next(&seat->random), low = random_next(&seat->random);
    contender_set_guid(&seat->contender, high, low);
}

/* The session cannot go on: its connection or an answer is not what the recipe can use. */
static void lose(struct seat *seat, enum zk_status status)
{
    struct board *board = board_of(seat);
    if (seat->state == SEAT_LOST)
        return;
    seat->state = SEAT_LOST;
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong(&board->first_lost, &nobody, seat->session + 1))
        atomic_store(&board->first_lost_status, (int)status);
    atomic_fetch_add(&board->lost, 1);
}

/* The session has nothing more to do. */
static void finish(struct seat *seat, enum seat_state state)
{
    struct board *board = board_of(seat);
    seat->state = state;
    seat->rests = true;
    step_taken(seat);
    if (atomic_fetch_add(&board->finished, 1) + 1 == board->plan->clients)
        board_wake(board->conductor_descriptor);
}

/* ------------------------------------------------------------------ deaths */

/* A server that was told ends the session at once; how soon others follow is not known. */
#define EXIT_NS (2 * NS_PER_S)

/* The lock loses its holder. A server ends a session no earlier than its timeout after the last
 * that it heard of it. */
static void bereave(struct seat *seat, enum death_how how, uint64_t timeout_ns, uint64_t now_ns)
{
    if (how == DEATH_EXIT)
        checker_released(board_of(seat), seat->meter.lock, seat->session);
    else
        checker_crashed(board_of(seat), seat->meter.lock,
                        seat->contender.client->sent_ns + timeout_ns);
    meter_bereaved(&seat->meter, now_ns);
}

static void note_death(struct seat *seat, enum death_how how, uint64_t timeout_ns, uint64_t now_ns)
{
    struct board *board = board_of(seat);
    uint32_t lock = seat->meter.lock;
    death_note(board, lock, now_ns);
    if (seat->state == SEAT_HOLDING || seat->state == SEAT_WORKING)
        bereave(seat, how, timeout_ns, now_ns);
    else if (seat->state == SEAT_RELEASING)
        checker_deserted(board, lock, seat->session);
    else
        atomic_fetch_add(&lock_of(seat)->abandoned, 1);
    /* The servers round a timeout up to their next tick, which is half of the least timeout. */
    death_bury(board, seat->session, now_ns + (how == DEATH_EXIT ? EXIT_NS : 2 * timeout_ns));
}

/* The session ends, in order or without a word. It has no say in the trial any more. */
static void die(struct seat *seat, enum death_how how)
{
    struct client *client = seat->contender.client;
    uint64_t timeout_ns = client_timeout_ms(client) * NS_PER_MS;
    meter_read_bytes(&seat->meter, client);
    seat_report(seat);
    note_death(seat, how, timeout_ns, client_now_ns(client));
    if (how == DEATH_EXIT)
        atomic_fetch_add(&board_of(seat)->exits, 1);
    if (how == DEATH_EXIT ? client_leave(client) : client_crash(client))
        finish(seat, SEAT_DEAD);
    else
        lose(seat, ZK_CONNECTION_LOSS);
}

static void lose_reply(struct seat *seat)
{
    struct client *client = seat->contender.client;
    death_note(board_of(seat), seat->meter.lock, client_now_ns(client));
    if (!client_cut(client))
        lose(seat, ZK_CONNECTION_LOSS);
}

/* ------------------------------------------------------------------ the recipe's steps */

static void advance(struct seat *seat);
static void let_go(struct seat *seat);
static void queue_again_or_finish(struct seat *seat);

static int64_t order_of(const struct seat *seat)
{
    return plan_of(seat)->recipe->fifo ? seat->contender.sequence : seat->arrival;
}

static uint64_t hold_ns(struct seat *seat)
{
    const struct hold *hold = &plan_of(seat)->hold;
    if (!hold->exponential || hold->mean_ns == 0)
        return hold->mean_ns;
    double drawn_ns = random_exponential(&seat->random, (double)hold->mean_ns);
    double longest_ns = (double)hold->mean_ns * HOLD_LONGEST_MEANS;
    return (uint64_t)(drawn_ns < longest_ns ? drawn_ns : longest_ns);
}

static void hold(struct seat *seat)
{
    seat->state = SEAT_HOLDING;
    if (plan_of(seat)->pace == PACE_LOCKSTEP)
        seat->rests = true;
    else
        let_go(seat);
}

static void work(struct seat *seat)
{
    seat->contender.doomed = death_dooms(board_of(seat), seat->meter.lock);
    seat->contender.resume_at = 0;
    seat->state = SEAT_WORKING;
    advance(seat);
}

static void worked(struct seat *seat)
{
    atomic_fetch_add(&board_of(seat)->repairs, seat->contender.repairs);
    atomic_fetch_add(&board_of(seat)->tasks_done, seat->contender.tasks_done);
    seat->contender.repairs = seat->contender.tasks_done = 0;
    hold(seat);
}

static void granted(struct seat *seat)
{
    uint64_t now_ns = client_now_ns(seat->contender.client);
    checker_granted(board_of(seat), seat->meter.lock, seat->session, order_of(seat), now_ns);
    meter_granted(&seat->meter, seat->session, now_ns - seat->arrived_ns, now_ns);
    board_of(seat)->sessions[seat->session].acquisitions++;
    seat->granted_ns = now_ns;
    step_taken(seat);
    if (plan_of(seat)->recipe->work != NULL)
        work(seat);
    else
        hold(seat);
}

static void released(struct seat *seat)
{
    uint64_t now_ns = client_now_ns(seat->contender.client);
    checker_left(board_of(seat), seat->meter.lock, seat->session);
    meter_released(&seat->meter, now_ns - seat->release_ns);
    atomic_store(&board_of(seat)->last_released_ns, now_ns);
    seat->state = SEAT_IDLE;
    step_taken(seat);
    if (plan_of(seat)->pace == PACE_LOCKSTEP)
        seat->rests = true;
    else
        queue_again_or_finish(seat);
}

static void set_alarm(struct seat *seat, uint64_t due_ns)
{
    seat->timer.set(seat->timer.context, due_ns, seat);
}

static void acquire(struct seat *seat)
{
    seat->contender.resume_at = 0;
    seat->state = SEAT_ACQUIRING;
    advance(seat);
}

/* What was acquired nested is given up by the last of as many releases. */
static void give_up(struct seat *seat)
{
    if (seat->nested == 1) {
        checker_released(board_of(seat), seat->meter.lock, seat->session);
        seat->release_ns = client_now_ns(seat->contender.client);
        meter_releasing(&seat->meter, seat->release_ns);
    }
    seat->contender.resume_at = 0;
    seat->state = SEAT_RELEASING;
    advance(seat);
}

static void acquired_once(struct seat *seat)
{
    if (++seat->nested < plan_of(seat)->recipe->nesting)
        acquire(seat);
    else
        granted(seat);
}

static void released_once(struct seat *seat)
{
    if (--seat->nested > 0)
        give_up(seat);
    else
        released(seat);
}

/* In free pace nobody waits for the others. */
static void take_turn(struct seat *seat)
{
    if (plan_of(seat)->pace == PACE_FREE) {
        advance(seat);
        return;
    }
    seat->state = SEAT_AT_TURN;
    seat->rests = true;
}

static enum recipe_step resume(struct seat *seat)
{
    const struct recipe *recipe = plan_of(seat)->recipe;
    switch (seat->state) {
    case SEAT_RELEASING:
        return recipe->release(&seat->contender);
    case SEAT_WORKING:
        return recipe->work(&seat->contender);
    default:
        return recipe->acquire(&seat->contender);
    }
}

static void done(struct seat *seat)
{
    if (seat->state == SEAT_RELEASING)
        released_once(seat);
    else if (seat->state == SEAT_WORKING)
        worked(seat);
    else
        acquired_once(seat);
}

/* Resumes the recipe, and takes note of what it has come to. */
static void advance(struct seat *seat)
{
    switch (resume(seat)) {
    case STEP_REPLY:
        if (seat->cutting)
            lose_reply(seat);
        break;
    case STEP_WATCH:
        seat->woken_to = seat->state;
        seat->state = SEAT_PARKED;
        seat->rests = true;
        break;
    case STEP_TURN:
        take_turn(seat);
        break;
    case STEP_PAUSE:
        set_alarm(seat, client_now_ns(seat->contender.client) + seat->contender.pause_ns);
        break;
    case STEP_DONE:
        done(seat);
        break;
    case STEP_FAILED:
        lose(seat, seat->contender.status);
        break;
    case STEP_CRASHED:
        die(seat, DEATH_CRASH);
        break;
    }
}

static void arrive(struct seat *seat)
{
    uint64_t acquisitions = board_of(seat)->sessions[seat->session].acquisitions;
    uint32_t due = plan_lock_of(plan_of(seat), seat->session, acquisitions);
    if (due != seat->meter.lock)
        contend_for(seat, due);
    struct board_lock *lock = lock_of(seat);
    seat->arrival = (int64_t)atomic_fetch_add(&lock->arrivals, 1);
    atomic_store(&lock->joined, true);
    seat->arrived_ns = client_now_ns(seat->contender.client);
    step_taken(seat);
    acquire(seat);
}

static bool is_let_in(struct seat *seat)
{
    struct board *board = board_of(seat);
    uint64_t admitted = plan_handoffs_of(board->plan, seat->meter.lock);
    if (plan_tours(board->plan))
        return board->sessions[seat->session].acquisitions < plan_acquisitions(board->plan);
    return !atomic_load(&board->closed) &&
           atomic_fetch_add(&lock_of(seat)->admissions, 1) < admitted;
}

static void queue_again_or_finish(struct seat *seat)
{
    if (is_let_in(seat))
        arrive(seat);
    else
        finish(seat, SEAT_FINISHED);
}

static void release(struct seat *seat)
{
    /* What has come until here belongs to the handoff that ends. */
    meter_read_bytes(&seat->meter, seat->contender.client);
    give_up(seat);
}

static void let_go(struct seat *seat)
{
    uint64_t due_ns = seat->granted_ns + hold_ns(seat);
    if (due_ns <= client_now_ns(seat->contender.client))
        release(seat);
    else
        set_alarm(seat, due_ns);
}

void seat_alarm_rang(void *owner, uint64_t late_ns)
{
    struct seat *seat = owner;
    if (seat->state == SEAT_LOST)
        return;
    if (seat->state == SEAT_HOLDING) {
        histogram_record(&seat->meter.worker->late, late_ns);
        release(seat);
    } else {
        advance(seat);
    }
    settle(seat);
}

void seat_pass_gate(struct seat *seat)
{
    meter_mark_bytes(&seat->meter, seat->contender.client);
    if (seat->meter.role != ROLE_RECONNECTED)
        seat->meter.role = board_of(seat)->sessions[seat->session].role;
}

void seat_arrive(struct seat *seat)
{
    arrive(seat);
    settle(seat);
}

void seat_let_go(struct seat *seat)
{
    let_go(seat);
    settle(seat);
}

void seat_go_on(struct seat *seat)
{
    if (seat->state != SEAT_AT_TURN)
        return;
    seat->state = SEAT_ACQUIRING;
    advance(seat);
    settle(seat);
}

void seat_die(struct seat *seat)
{
    die(seat, death_planned(board_of(seat))->how);
    settle(seat);
}

/* ------------------------------------------------------------------ the session's callbacks */

/* Before the gate: the conductor finds the server's role by it. */
static void note_server(const struct seat *seat)
{
    struct board_session *session = &board_of(seat)->sessions[seat->session];
    client_server(seat->contender.client, session->server, sizeof session->server);
}

static void state_changed(void *owner, enum client_state state)
{
    struct seat *seat = owner;
    struct board *board = board_of(seat);
    if (state == CLIENT_ESTABLISHED && seat->state == SEAT_CONNECTING) {
        seat->state = SEAT_IDLE;
        note_server(seat);
        atomic_fetch_sub(&board->connecting, 1);
        step_taken(seat);
        if (atomic_fetch_add(&board->established, 1) + 1 == board->plan->clients)
            board_wake(board->conductor_descriptor);
    } else if (state == CLIENT_ESTABLISHED) {
        atomic_fetch_add(&seat->meter.worker->reconnects, 1);
        seat->meter.role = ROLE_RECONNECTED;
    } else if (state == CLIENT_EXPIRED) {
        lose(seat, ZK_SESSION_EXPIRED);
    }
}

static void sent(void *owner, enum client_operation operation)
{
    struct seat *seat = owner;
    seat->cutting = operation == CLIENT_CREATE && death_takes_reply(board_of(seat), seat->session);
    meter_sent(&seat->meter, operation);
}

static bool is_foreseen(const struct seat *seat, enum zk_status status)
{
    if (status == ZK_CONNECTION_LOSS)
        return plan_of(seat)->recipe->recovers;
    return status == ZK_OK || status == ZK_NO_NODE || status == ZK_NODE_EXISTS ||
           status == ZK_BAD_VERSION || status == ZK_NOT_EMPTY;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct seat *seat = owner;
    meter_replied(&seat->meter, reply);
    if (seat->state == SEAT_LOST)
        return;
    bool cut = seat->cutting && reply->status == ZK_CONNECTION_LOSS;
    seat->cutting = false;
    if (cut && !plan_of(seat)->recipe->recovers) {
        acquire(seat); /* all that a client is left to do that knows nothing: to begin anew */
        return;
    }
    if (!is_foreseen(seat, reply->status)) {
        lose(seat, reply->status);
        return;
    }
    seat->contender.status = reply->status;
    seat->contender.reply = reply;
    advance(seat);
    seat->contender.reply = NULL;
    meter_read_bytes(&seat->meter, seat->contender.client);
    settle(seat);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct seat *seat = owner;
    uint64_t now_ns = client_now_ns(seat->contender.client);
    bool wakes = seat->state == SEAT_PARKED && contender_awaits(&seat->contender, event, path);
    if (wakes) {
        atomic_fetch_add(&board_of(seat)->busy, 1);
        seat->state = seat->woken_to;
    }
    meter_notified(&seat->meter, event, !wakes, now_ns);
    if (wakes)
        advance(seat); /* the bytes are read with the reply that follows: a system call less */
    else
        meter_read_bytes(&seat->meter, seat->contender.client);
    settle(seat);
}

const struct client_listener seat_listener = {state_changed, sent, replied, notified};

void seat_report(const struct seat *seat)
{
    const struct client *client = seat->contender.client;
    struct board_session *session = &board_of(seat)->sessions[seat->session];
    client_server(client, session->server, sizeof session->server);
    session->timeout_ms = client_timeout_ms(client);
    session->role = seat->meter.role;
    session->unfinished = seat->state == SEAT_ACQUIRING || seat->state == SEAT_PARKED ||
                          seat->state == SEAT_AT_TURN || seat->state == SEAT_WORKING ||
                          seat->state == SEAT_RELEASING;
    session->parked = seat->state == SEAT_PARKED;
    session->awaited = seat->contender.awaited;
    session->lock = seat->meter.lock;
    snprintf(session->node, sizeof session->node, "%s", seat->contender.node);
    snprintf(session->waits_for, sizeof session->waits_for, "%s",
             session->parked ? seat->contender.watched : "");
}
