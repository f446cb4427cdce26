// SPDX-License-Identifier: Apache-2.0
#include "trial/worker.h"

#include "base/clock.h"
#include "base/process.h"
#include "base/random.h"
#include "client/connect.h"
#include "trial/runtime.h"

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

static enum error_kind open_next(struct worker *worker, struct error *error)
{
    const struct trial_plan *plan = worker->board->plan;
    struct lock_session *session = &worker->sessions[worker->opened];
    char hosts[CONNECT_TEXT_SIZE];
    connect_format(plan->servers, session->index % plan->servers->count, true, hosts, sizeof hosts);
    worker->opened++;
    session->meter.spoke_ns = worker->sim != NULL ? sim_now_ns(worker->sim) : clock_now_ns();
    return worker->runtime->open(worker, session, hosts, error);
}

/* Opens sessions while there is room among those that are connecting. */
static enum error_kind open_sessions(struct worker *worker, struct error *error)
{
    struct board *board = worker->board;
    while (worker->opened < worker->count) {
        if (atomic_fetch_add(&board->connecting, 1) >= CONNECTING_MAX) {
            atomic_fetch_sub(&board->connecting, 1);
            return ERROR_NONE;
        }
        enum error_kind kind = open_next(worker, error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ what a lock session is told */

/* The readings of a process are complete when its lock sessions and the worker itself have taken
 * theirs. */
static void reading_taken(struct board *board, struct board_worker *share)
{
    if (atomic_fetch_sub(&share->unread, 1) == 1 &&
        atomic_fetch_add(&board->workers_ready, 1) + 1 == board->plan->processes)
        board_wake(board->coordinator_descriptor);
}

/* So is the report of a process. */
static void report_made(struct board *board, struct board_worker *share)
{
    if (atomic_fetch_sub(&share->untold, 1) == 1)
        atomic_fetch_add(&board->told, 1);
}

void worker_carry_out(struct lock_session *session, enum session_order order)
{
    switch (order) {
    case ORDER_GATE:
        lock_session_pass_gate(session);
        if (session->meter.board->plan->pace == PACE_FREE)
            lock_session_arrive(session);
        break;
    case ORDER_ARRIVE:
        lock_session_arrive(session);
        break;
    case ORDER_LET_GO:
        lock_session_let_go(session);
        break;
    case ORDER_GO_ON:
        lock_session_go_on(session);
        break;
    case ORDER_DIE:
        lock_session_die(session);
        break;
    case ORDER_REPORT:
        lock_session_answer(session);
        report_made(session->meter.board, session->meter.worker);
        break;
    case ORDER_READ:
        lock_session_take_reading(session);
        reading_taken(session->meter.board, session->meter.worker);
        break;
    }
}

/* ------------------------------------------------------------------ what the coordinator says */

static void tell_all(struct worker *worker, enum session_order order)
{
    for (uint32_t i = 0; i < worker->opened; i++)
        worker->runtime->tell(&worker->sessions[i], order);
}

static void gate_opens(struct worker *worker)
{
    worker->cpu_at_gate_ns = clock_cpu_ns();
    if (worker->board->plan->pace == PACE_FREE)
        atomic_fetch_add(&worker->board->busy, worker->count);
    tell_all(worker, ORDER_GATE);
}

static void take_last_readings(struct worker *worker)
{
    worker->share->cpu_ns = clock_cpu_ns() - worker->cpu_at_gate_ns;
    if (!process_rss_kib(getpid(), &worker->share->rss_kib))
        worker->share->rss_kib = 0;
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

/* Only a lock session itself knows whether it rests at a turn: all of the lock are told. */
static void let_go_on(struct worker *worker, uint32_t lock)
{
    for (uint32_t i = 0; i < worker->count; i++) {
        if (worker->sessions[i].meter.lock == lock)
            worker->runtime->tell(&worker->sessions[i], ORDER_GO_ON);
    }
}

static void obey(struct worker *worker, uint64_t command)
{
    uint32_t subject = (uint32_t)command; /* a session, or a lock */
    struct lock_session *session = &worker->sessions[subject / worker->board->plan->processes];
    switch ((enum board_command)(command >> 32)) {
    case COMMAND_NONE:
        break;
    case COMMAND_ARRIVE:
        worker->runtime->tell(session, ORDER_ARRIVE);
        break;
    case COMMAND_RELEASE:
        worker->runtime->tell(session, ORDER_LET_GO);
        break;
    case COMMAND_TURN:
        let_go_on(worker, subject);
        break;
    case COMMAND_DIE:
        worker->runtime->tell(session, ORDER_DIE);
        break;
    }
}

/* Woken by the coordinator: a new phase, an inquiry, or a command. */
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

void worker_tell_coordinator(struct board *board)
{
    if (board->plan->pace == PACE_LOCKSTEP && atomic_load(&board->phase) == PHASE_RUN &&
        atomic_load(&board->busy) == 0)
        board_wake(board->coordinator_descriptor);
}

/* ------------------------------------------------------------------ its life */

enum error_kind worker_turn(struct worker *worker, uint64_t most_ns, struct error *error)
{
    if (worker->opened < worker->count) {
        enum error_kind kind = open_sessions(worker, error);
        if (kind != ERROR_NONE)
            return kind;
        if (most_ns > TURN_OPENING_NS)
            most_ns = TURN_OPENING_NS;
    }
    return worker->runtime->wait(worker, most_ns, error);
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

static enum error_kind set_up(struct worker *worker, struct error *error)
{
    const struct trial_plan *plan = worker->board->plan;
    struct session_timer timer;
    struct random random;
    enum error_kind kind = worker->runtime->set_up(worker, &timer, error);
    if (kind != ERROR_NONE)
        return kind;
    worker->sessions = calloc(worker->count, sizeof *worker->sessions);
    if (worker->sessions == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "for %u sessions", worker->count);
    random_init(&random, seed_of(plan, worker->index));
    for (uint32_t i = 0; i < worker->count; i++)
        lock_session_init(&worker->sessions[i], worker->board, worker->share, random_next(&random),
                          &timer, worker->index + i * plan->processes);
    return ERROR_NONE;
}

uint64_t worker_close_ns(const struct trial_plan *plan)
{
    return plan->driver == DRIVER_THREADS ? CLOSE_NS + plan->clients * CLOSE_THREAD_NS : CLOSE_NS;
}

static struct worker worker_of(struct board *board, uint32_t index)
{
    static const struct runtime *const seatings[] = {
        [DRIVER_EVENTS] = &runtime_events,
        [DRIVER_THREADS] = &runtime_threads,
        [DRIVER_SIMULATED] = &runtime_sim,
    };
    return (struct worker){
        .board = board,
        .share = &board->workers[index],
        .runtime = seatings[board->plan->driver],
        .index = index,
        .count = seats_of(board->plan, index),
    };
}

enum error_kind worker_run(struct board *board, uint32_t index, struct error *error)
{
    struct worker worker = worker_of(board, index);
    enum error_kind kind = set_up(&worker, error);
    while (kind == ERROR_NONE && atomic_load(&board->phase) != PHASE_CLOSE)
        kind = worker_turn(&worker, TURN_NS, error);
    if (worker.runtime->tear_down(&worker, clock_now_ns() + worker_close_ns(board->plan)))
        free(worker.sessions);
    return kind;
}

enum error_kind worker_new_simulated(struct board *board, struct sim *sim, struct worker **worker,
                                     struct error *error)
{
    struct worker *made = malloc(sizeof *made);
    if (made == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "%s", "");
    *made = worker_of(board, 0);
    made->sim = sim;
    enum error_kind kind = set_up(made, error);
    if (kind == ERROR_NONE)
        *worker = made;
    else
        worker_free(made);
    return kind;
}

void worker_free(struct worker *worker)
{
    if (worker == NULL)
        return;
    free(worker->sessions);
    free(worker);
}
