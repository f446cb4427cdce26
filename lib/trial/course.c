// SPDX-License-Identifier: Apache-2.0
#include "trial/course.h"

#include "base/clock.h"
#include "trial/checker.h"
#include "trial/death.h"
#include "trial/demise.h"

#include <stdio.h>

static void step_taken(const struct seat *seat)
{
    atomic_fetch_add(&seat_board(seat)->steps, 1);
}

void course_choose(struct seat *seat, uint32_t lock)
{
    seat->meter.lock = lock;
    snprintf(seat->lock_path, sizeof seat->lock_path, "%s/l%u", seat_plan(seat)->root, lock);
    seat->contender.lock = seat->lock_path;
}

void course_lose(struct seat *seat, enum zk_status status)
{
    struct board *board = seat_board(seat);
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
    struct board *board = seat_board(seat);
    seat->state = state;
    seat->rests = true;
    step_taken(seat);
    if (atomic_fetch_add(&board->finished, 1) + 1 == board->plan->clients)
        board_wake(board->conductor_descriptor);
}

/* ------------------------------------------------------------------ the recipe's steps */

static void queue_again_or_finish(struct seat *seat);

static int64_t order_of(const struct seat *seat)
{
    return seat_plan(seat)->recipe->fifo ? seat->contender.sequence : seat->arrival;
}

static uint64_t hold_ns(struct seat *seat)
{
    const struct hold *hold = &seat_plan(seat)->hold;
    if (!hold->exponential || hold->mean_ns == 0)
        return hold->mean_ns;
    double drawn_ns = random_exponential(&seat->random, (double)hold->mean_ns);
    double longest_ns = (double)hold->mean_ns * HOLD_LONGEST_MEANS;
    return (uint64_t)(drawn_ns < longest_ns ? drawn_ns : longest_ns);
}

static void hold(struct seat *seat)
{
    seat->state = SEAT_HOLDING;
    if (seat_plan(seat)->pace == PACE_LOCKSTEP)
        seat->rests = true;
    else
        course_let_go(seat);
}

static void work(struct seat *seat)
{
    seat->contender.doomed = death_dooms(seat_board(seat), seat->meter.lock);
    seat->contender.resume_at = 0;
    seat->state = SEAT_WORKING;
    course_advance(seat);
}

static void worked(struct seat *seat)
{
    atomic_fetch_add(&seat_board(seat)->repairs, seat->contender.repairs);
    atomic_fetch_add(&seat_board(seat)->tasks_done, seat->contender.tasks_done);
    seat->contender.repairs = seat->contender.tasks_done = 0;
    hold(seat);
}

static void granted(struct seat *seat)
{
    uint64_t now_ns = client_now_ns(seat->contender.client);
    checker_granted(seat_board(seat), seat->meter.lock, seat->session, order_of(seat), now_ns);
    meter_granted(&seat->meter, seat->session, now_ns - seat->arrived_ns, now_ns);
    seat_board(seat)->sessions[seat->session].acquisitions++;
    seat->granted_ns = now_ns;
    step_taken(seat);
    if (seat_plan(seat)->recipe->work != NULL)
        work(seat);
    else
        hold(seat);
}

static void released(struct seat *seat)
{
    uint64_t now_ns = client_now_ns(seat->contender.client);
    checker_left(seat_board(seat), seat->meter.lock, seat->session);
    meter_released(&seat->meter, now_ns - seat->release_ns);
    board_raise(&seat_board(seat)->last_released_ns, now_ns);
    seat->state = SEAT_IDLE;
    step_taken(seat);
    if (seat_plan(seat)->pace == PACE_LOCKSTEP)
        seat->rests = true;
    else
        queue_again_or_finish(seat);
}

static void set_alarm(struct seat *seat, uint64_t due_ns)
{
    seat->timed = true;
    seat->timer.set(seat->timer.context, due_ns, seat);
}

void course_begin(struct seat *seat)
{
    seat->contender.resume_at = 0;
    seat->state = SEAT_ACQUIRING;
    course_advance(seat);
}

/* What was acquired nested is given up by the last of as many releases. */
static void give_up(struct seat *seat)
{
    if (seat->nested == 1) {
        checker_released(seat_board(seat), seat->meter.lock, seat->session);
        seat->release_ns = client_now_ns(seat->contender.client);
        meter_releasing(&seat->meter, seat->release_ns);
    }
    seat->contender.resume_at = 0;
    seat->state = SEAT_RELEASING;
    course_advance(seat);
}

static void acquired_once(struct seat *seat)
{
    if (++seat->nested < seat_plan(seat)->recipe->nesting)
        course_begin(seat);
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
    if (seat_plan(seat)->pace == PACE_FREE) {
        course_advance(seat);
        return;
    }
    seat->state = SEAT_AT_TURN;
    seat->rests = true;
}

void course_die(struct seat *seat, enum death_how how)
{
    if (demise_die(seat, how))
        finish(seat, SEAT_DEAD);
    else
        course_lose(seat, ZK_CONNECTION_LOSS);
}

static void lose_reply(struct seat *seat)
{
    if (!demise_lose_reply(seat))
        course_lose(seat, ZK_CONNECTION_LOSS);
}

static enum recipe_step resume(struct seat *seat)
{
    const struct recipe *recipe = seat_plan(seat)->recipe;
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

void course_advance(struct seat *seat)
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
        course_lose(seat, seat->contender.status);
        break;
    case STEP_CRASHED:
        course_die(seat, DEATH_CRASH);
        break;
    }
}

void course_arrive(struct seat *seat)
{
    uint64_t acquisitions = seat_board(seat)->sessions[seat->session].acquisitions;
    uint32_t due = plan_lock_of(seat_plan(seat), seat->session, acquisitions);
    if (due != seat->meter.lock)
        course_choose(seat, due);
    struct board_lock *lock = seat_lock(seat);
    seat->arrival = (int64_t)atomic_fetch_add(&lock->arrivals, 1);
    atomic_store(&lock->joined, true);
    seat->arrived_ns = client_now_ns(seat->contender.client);
    step_taken(seat);
    course_begin(seat);
}

static bool is_let_in(struct seat *seat)
{
    struct board *board = seat_board(seat);
    uint64_t admitted = plan_handoffs_of(board->plan, seat->meter.lock);
    if (plan_tours(board->plan))
        return board->sessions[seat->session].acquisitions < plan_acquisitions(board->plan);
    return !atomic_load(&board->closed) &&
           atomic_fetch_add(&seat_lock(seat)->admissions, 1) < admitted;
}

static void queue_again_or_finish(struct seat *seat)
{
    if (is_let_in(seat))
        course_arrive(seat);
    else
        finish(seat, SEAT_FINISHED);
}

void course_release(struct seat *seat)
{
    /* What has come until here belongs to the handoff that ends. */
    meter_read_bytes(&seat->meter, seat->contender.client);
    give_up(seat);
}

/* A hold, of 0 as well, lasts for a turn at least: another holder beside this one would not be seen
 * otherwise. Under lockstep it is the conductor who waited: that is not late. */
void course_let_go(struct seat *seat)
{
    uint64_t due_ns = seat->granted_ns + hold_ns(seat);
    uint64_t now_ns = client_now_ns(seat->contender.client);
    if (seat_plan(seat)->pace == PACE_LOCKSTEP && due_ns < now_ns)
        due_ns = now_ns;
    set_alarm(seat, due_ns);
}
