// SPDX-License-Identifier: Apache-2.0
#include "trial/worker.h"

#include "base/clock.h"
#include "base/random.h"
#include "trial/seating.h"
#include "zk/connect.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Sessions that may be connecting at once, all workers together: below the 50 connections that a
 * server keeps in its backlog by default. */
#define CONNECTING_MAX 32
/* How long one turn may wait when nothing happens, and while sessions are to be opened. */
#define TURN_NS         (50 * NS_PER_MS)
#define TURN_OPENING_NS (1 * NS_PER_MS)
/* Closing: on events, all sessions at once; on threads the library ends two threads of its own for
 * each, and all have to get at a core. */
#define CLOSE_NS        (1500 * NS_PER_MS)
#define CLOSE_THREAD_NS (4 * NS_PER_MS)

static uint32_t seats_of(const struct trial_plan *plan, uint32_t index)
{
    return plan->clients / plan->processes + (index < plan->clients % plan->processes ? 1 : 0);
}

/* ------------------------------------------------------------------ before the gate */

static enum fault_kind open_next(struct worker *worker, struct fault *fault)
{
    const struct trial_plan *plan = worker->board->plan;
    struct seat *seat = &worker->seats[worker->opened];
    char hosts[CONNECT_TEXT_SIZE];
    connect_format(plan->servers, seat->session % plan->servers->count, true, hosts, sizeof hosts);
    worker->opened++;
    seat->meter.spoke_ns =
        worker->simulated != NULL ? simulated_now_ns(worker->simulated) : clock_now_ns();
    return worker->seating->open(worker, seat, hosts, fault);
}

/* Opens sessions while there is room among those that are connecting. */
static enum fault_kind open_sessions(struct worker *worker, struct fault *fault)
{
    struct board *board = worker->board;
    while (worker->opened < worker->count) {
        if (atomic_fetch_add(&board->connecting, 1) >= CONNECTING_MAX) {
            atomic_fetch_sub(&board->connecting, 1);
            return FAULT_NONE;
        }
        enum fault_kind kind = open_next(worker, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ what a seat is told */

/* The readings of a process are complete when its seats and the worker itself have taken theirs. */
static void reading_taken(struct board *board, struct board_worker *share)
{
    if (atomic_fetch_sub(&share->unread, 1) == 1 &&
        atomic_fetch_add(&board->workers_ready, 1) + 1 == board->plan->processes)
        board_wake(board->conductor_descriptor);
}

/* So is the report of a process. */
static void report_made(struct board *board, struct board_worker *share)
{
    if (atomic_fetch_sub(&share->untold, 1) == 1)
        atomic_fetch_add(&board->told, 1);
}

void worker_carry_out(struct seat *seat, enum seat_order order)
{
    switch (order) {
    case ORDER_GATE:
        seat_pass_gate(seat);
        if (seat->meter.board->plan->pace == PACE_FREE)
            seat_arrive(seat);
        break;
    case ORDER_ARRIVE:
        seat_arrive(seat);
        break;
    case ORDER_LET_GO:
        seat_let_go(seat);
        break;
    case ORDER_GO_ON:
        seat_go_on(seat);
        break;
    case ORDER_DIE:
        seat_die(seat);
        break;
    case ORDER_REPORT:
        seat_answer(seat);
        report_made(seat->meter.board, seat->meter.worker);
        break;
    case ORDER_READ:
        seat_take_reading(seat);
        reading_taken(seat->meter.board, seat->meter.worker);
        break;
    }
}

/* ------------------------------------------------------------------ what the conductor says */

static void tell_all(struct worker *worker, enum seat_order order)
{
    for (uint32_t i = 0; i < worker->opened; i++)
        worker->seating->tell(&worker->seats[i], order);
}

static void gate_opens(struct worker *worker)
{
    worker->cpu_at_gate_ns = clock_cpu_ns();
    if (worker->board->plan->pace == PACE_FREE)
        atomic_fetch_add(&worker->board->busy, worker->count);
    tell_all(worker, ORDER_GATE);
}

static uint64_t resident_kib(void)
{
    unsigned long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm == NULL)
        return 0;
    int read = fscanf(statm, "%lu %lu", &pages, &resident);
    fclose(statm);
    return read == 2 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024 : 0;
}

static void take_last_readings(struct worker *worker)
{
    worker->share->cpu_ns = clock_cpu_ns() - worker->cpu_at_gate_ns;
    worker->share->rss_kib = resident_kib();
    atomic_store(&worker->share->unread, worker->opened + 1);
    tell_all(worker, ORDER_READ);
    reading_taken(worker->board, worker->share);
}

static void answer_inquiry(struct worker *worker, uint32_t inquiry)
{
    worker->inquiry = inquiry;
    atomic_store(&worker->share->untold, worker->opened + 1);
    tell_all(worker, ORDER_REPORT);
    report_made(worker->board, worker->share);
}

/* Only a seat itself knows whether it rests at a turn: all of the lock are told. */
static void let_go_on(struct worker *worker, uint32_t lock)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->seats[i].meter.lock == lock)
            worker->seating->tell(&worker->seats[i], ORDER_GO_ON);
    }
}

static void obey(struct worker *worker, uint64_t command)
{
    uint32_t subject = (uint32_t)command; /* a session, or a lock */
    struct seat *seat = &worker->seats[subject / worker->board->plan->processes];
    switch ((enum board_command)(command >> 32)) {
    case COMMAND_NONE:
        break;
    case COMMAND_ARRIVE:
        worker->seating->tell(seat, ORDER_ARRIVE);
        break;
    case COMMAND_RELEASE:
        worker->seating->tell(seat, ORDER_LET_GO);
        break;
    case COMMAND_TURN:
        let_go_on(worker, subject);
        break;
    case COMMAND_DIE:
        worker->seating->tell(seat, ORDER_DIE);
        break;
    }
}

/* Woken by the conductor: a new phase, an inquiry, or a command. */
void worker_woken(void *context)
{
    struct worker *worker = context;
    struct board *board = worker->board;
    board_woken(worker->share->wake_descriptor);
    enum board_phase phase = (enum board_phase)atomic_load(&board->phase);
    if (worker->phase == PHASE_CONNECT && phase == PHASE_RUN)
        gate_opens(worker);
    uint32_t inquiry = atomic_load(&board->inquiry);
    if (inquiry != worker->inquiry)
        answer_inquiry(worker, inquiry);
    if (worker->phase < PHASE_MEASURED && phase == PHASE_MEASURED)
        take_last_readings(worker);
    worker->phase = phase;
    uint64_t command = atomic_exchange(&worker->share->command, 0);
    if (command != 0 && phase == PHASE_RUN)
        obey(worker, command);
}

void worker_tell_conductor(struct board *board)
{
    if (board->plan->pace == PACE_LOCKSTEP && atomic_load(&board->phase) == PHASE_RUN &&
        atomic_load(&board->busy) == 0)
        board_wake(board->conductor_descriptor);
}

/* ------------------------------------------------------------------ its life */

enum fault_kind worker_turn(struct worker *worker, uint64_t most_ns, struct fault *fault)
{
    if (worker->opened < worker->count) {
        enum fault_kind kind = open_sessions(worker, fault);
        if (kind != FAULT_NONE)
            return kind;
        if (most_ns > TURN_OPENING_NS)
            most_ns = TURN_OPENING_NS;
    }
    return worker->seating->wait(worker, most_ns, fault);
}

/* Drawn from the trial's, so that no process of another trial has the same. */
static uint64_t seed_of(const struct trial_plan *plan, uint32_t index)
{
    struct random trial;
    random_init(&trial, plan->seed);
    for (uint32_t i = 0; i < index; i++)
        (void)random_next(&trial);
    return random_next(&trial);
}

static enum fault_kind set_up(struct worker *worker, struct fault *fault)
{
    const struct trial_plan *plan = worker->board->plan;
    struct seat_timer timer;
    struct random random;
    enum fault_kind kind = worker->seating->set_up(worker, &timer, fault);
    if (kind != FAULT_NONE)
        return kind;
    worker->seats = calloc(worker->count, sizeof *worker->seats);
    if (worker->seats == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "worker", "for %u sessions", worker->count);
    random_init(&random, seed_of(plan, worker->index));
    for (uint32_t i = 0; i < worker->count; i++)
        seat_init(&worker->seats[i], worker->board, worker->share, random_next(&random), &timer,
                  worker->index + i * plan->processes);
    return FAULT_NONE;
}

uint64_t worker_close_ns(const struct trial_plan *plan)
{
    return plan->driver == DRIVER_THREADS ? CLOSE_NS + plan->clients * CLOSE_THREAD_NS : CLOSE_NS;
}

static struct worker worker_of(struct board *board, uint32_t index)
{
    static const struct seating *const seatings[] = {
        [DRIVER_EVENTS] = &seating_on_events,
        [DRIVER_THREADS] = &seating_on_threads,
        [DRIVER_SIMULATED] = &seating_in_simulation,
    };
    return (struct worker){
        .board = board,
        .share = &board->workers[index],
        .seating = seatings[board->plan->driver],
        .index = index,
        .count = seats_of(board->plan, index),
    };
}

enum fault_kind worker_run(struct board *board, uint32_t index, struct fault *fault)
{
    struct worker worker = worker_of(board, index);
    enum fault_kind kind = set_up(&worker, fault);
    while (kind == FAULT_NONE && atomic_load(&board->phase) != PHASE_CLOSE)
        kind = worker_turn(&worker, TURN_NS, fault);
    if (worker.seating->tear_down(&worker, clock_now_ns() + worker_close_ns(board->plan)))
        free(worker.seats);
    return kind;
}

enum fault_kind worker_new_simulated(struct board *board, struct simulated *simulated,
                                     struct worker **worker, struct fault *fault)
{
    struct worker *made = malloc(sizeof *made);
    if (made == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "worker", "%s", "");
    *made = worker_of(board, 0);
    made->simulated = simulated;
    enum fault_kind kind = set_up(made, fault);
    if (kind == FAULT_NONE)
        *worker = made;
    else
        worker_free(made);
    return kind;
}

void worker_free(struct worker *worker)
{
    if (worker == NULL)
        return;
    free(worker->seats);
    free(worker);
}
