// SPDX-License-Identifier: Apache-2.0
#include "trial/seat.h"

#include "trial/course.h"
#include "trial/death.h"

#include <stdio.h>

void seat_init(struct seat *seat, struct board *board, struct board_worker *worker, uint64_t seed,
               const struct seat_timer *timer, uint32_t session)
{
    *seat = (struct seat){
        .meter = {.board = board, .worker = worker},
        .timer = *timer,
        .session = session,
    };
    random_init(&seat->random, seed);
    course_choose(seat, plan_lock_of(board->plan, session, 0));
    seat->contender.number = plan_number_of(board->plan, session);
    seat->contender.clients = plan_clients_of(board->plan, seat->meter.lock);
    uint64_t high = random_next(&seat->random), low = random_next(&seat->random);
    contender_set_guid(&seat->contender, high, low);
}

/* ------------------------------------------------------------------ what it is told to do */

/* The last thing of every turn, when all that the turn brought has been counted: from here on the
 * conductor may take its next step. */
static void settle(struct seat *seat)
{
    if (!seat->rests)
        return;
    seat->rests = false;
    atomic_fetch_sub(&seat_board(seat)->busy, 1);
}

void seat_alarm_rang(void *owner, uint64_t late_ns)
{
    struct seat *seat = owner;
    seat->timed = false;
    if (seat->state == SEAT_LOST || seat->state == SEAT_READ)
        return;
    if (seat->state == SEAT_HOLDING) {
        if (seat_plan(seat)->hold.mean_ns > 0)
            histogram_record(&seat->meter.worker->late, late_ns);
        course_release(seat);
    } else {
        course_advance(seat);
    }
    settle(seat);
}

/* From here on the servers may not have told it all that the law foretells, or told it otherwise.
 */
static void note_loss(const struct seat *seat)
{
    atomic_fetch_add(&seat_board(seat)->losses, 1);
}

void seat_pass_gate(struct seat *seat)
{
    seat->in_trial = true;
    if (seat->apart)
        note_loss(seat);
    meter_mark_bytes(&seat->meter, seat->contender.client);
    if (seat->meter.role != ROLE_RECONNECTED)
        seat->meter.role = seat_board(seat)->sessions[seat->session].role;
}

void seat_arrive(struct seat *seat)
{
    course_arrive(seat);
    settle(seat);
}

void seat_let_go(struct seat *seat)
{
    course_let_go(seat);
    settle(seat);
}

void seat_go_on(struct seat *seat)
{
    if (seat->state != SEAT_AT_TURN)
        return;
    seat->state = SEAT_ACQUIRING;
    course_advance(seat);
    settle(seat);
}

void seat_die(struct seat *seat)
{
    course_die(seat, death_planned(seat_board(seat))->how);
    settle(seat);
}

/* ------------------------------------------------------------------ the session's callbacks */

/* Before the gate: the conductor finds the server's role by it. */
static void note_server(const struct seat *seat)
{
    struct board_session *session = &seat_board(seat)->sessions[seat->session];
    client_server(seat->contender.client, session->server, sizeof session->server);
}

static void state_changed(void *owner, enum client_state state)
{
    struct seat *seat = owner;
    struct board *board = seat_board(seat);
    if (seat->state == SEAT_READ)
        return;
    if (state == CLIENT_ESTABLISHED && seat->state == SEAT_CONNECTING) {
        seat->state = SEAT_IDLE;
        note_server(seat);
        atomic_fetch_sub(&board->connecting, 1);
        atomic_fetch_add(&board->steps, 1);
        if (atomic_fetch_add(&board->established, 1) + 1 == board->plan->clients)
            board_wake(board->conductor_descriptor);
    } else if (state == CLIENT_ESTABLISHED) {
        seat->apart = false;
        atomic_fetch_add(&seat->meter.worker->reconnects, 1);
        seat->meter.role = ROLE_RECONNECTED;
    } else if (state == CLIENT_EXPIRED) {
        course_lose(seat, ZK_SESSION_EXPIRED);
    } else if (seat->state != SEAT_CONNECTING && !seat->apart) {
        seat->apart = true;
        if (seat->in_trial)
            note_loss(seat);
    }
}

static void sent(void *owner, enum client_operation operation)
{
    struct seat *seat = owner;
    seat->cutting =
        operation == CLIENT_CREATE && death_takes_reply(seat_board(seat), seat->session);
    meter_sent(&seat->meter, operation);
}

static bool is_foreseen(const struct seat *seat, enum zk_status status)
{
    if (status == ZK_CONNECTION_LOSS)
        return seat_plan(seat)->recipe->recovers;
    return status == ZK_OK || status == ZK_NO_NODE || status == ZK_NODE_EXISTS ||
           status == ZK_BAD_VERSION || status == ZK_NOT_EMPTY;
}

static void replied(void *owner, const struct client_reply *reply)
{
    struct seat *seat = owner;
    if (seat->state == SEAT_READ)
        return;
    meter_replied(&seat->meter, reply);
    meter_spoke(&seat->meter, seat->contender.client);
    if (seat->state == SEAT_LOST)
        return;
    bool cut = seat->cutting && reply->status == ZK_CONNECTION_LOSS;
    seat->cutting = false;
    if (cut && !seat_plan(seat)->recipe->recovers) {
        course_begin(seat); /* all that a client is left to do that knows nothing: to begin anew */
        return;
    }
    if (!is_foreseen(seat, reply->status)) {
        course_lose(seat, reply->status);
        return;
    }
    seat->contender.status = reply->status;
    seat->contender.reply = reply;
    course_advance(seat);
    seat->contender.reply = NULL;
    meter_read_bytes(&seat->meter, seat->contender.client);
    settle(seat);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    struct seat *seat = owner;
    if (seat->state == SEAT_READ)
        return;
    uint64_t now_ns = client_now_ns(seat->contender.client);
    bool wakes = seat->state == SEAT_PARKED && contender_wakes(&seat->contender, event, path);
    if (wakes) {
        atomic_fetch_add(&seat_board(seat)->busy, 1);
        seat->state = seat->woken_to;
    }
    meter_notified(&seat->meter, event, !wakes, now_ns);
    /* Awake, the bytes are read with the reply that follows: a system call less. */
    if (wakes)
        course_advance(seat);
    else
        meter_read_bytes(&seat->meter, seat->contender.client);
    settle(seat);
}

const struct client_listener seat_listener = {state_changed, sent, replied, notified};

/* A dead session has said everything before, and has nothing to tell any more. On threads its own
 * may be ending it yet: nothing else of the seat may be looked at. */
static bool is_dead(const struct seat *seat)
{
    return atomic_load(&seat_board(seat)->sessions[seat->session].dead);
}

void seat_take_reading(struct seat *seat)
{
    if (is_dead(seat))
        return;
    meter_read_bytes(&seat->meter, seat->contender.client);
    seat_report(seat);
    seat->state = SEAT_READ;
}

void seat_answer(const struct seat *seat)
{
    if (!is_dead(seat) && seat->state != SEAT_READ)
        seat_report(seat);
}

void seat_report(const struct seat *seat)
{
    const struct client *client = seat->contender.client;
    struct board_session *session = &seat_board(seat)->sessions[seat->session];
    client_server(client, session->server, sizeof session->server);
    session->timeout_ms = client_timeout_ms(client);
    session->role = seat->meter.role;
    session->unfinished = seat->state == SEAT_ACQUIRING || seat->state == SEAT_PARKED ||
                          seat->state == SEAT_AT_TURN || seat->state == SEAT_WORKING ||
                          seat->state == SEAT_RELEASING;
    session->parked = seat->state == SEAT_PARKED;
    session->asked = client->outstanding;
    session->answered = client->outstanding && client_unread(client) > 0;
    session->pauses = seat->timed;
    session->spoke_ns = seat->meter.spoke_ns;
    session->pings = seat->meter.pings;
    session->missed = seat->apart || seat->meter.role == ROLE_RECONNECTED;
    session->awaited = seat->contender.awaited;
    session->lock = seat->meter.lock;
    snprintf(session->node, sizeof session->node, "%s", seat->contender.node);
    snprintf(session->waits_for, sizeof session->waits_for, "%s",
             session->parked ? seat->contender.watched : "");
}
