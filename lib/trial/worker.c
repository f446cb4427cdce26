// SPDX-License-Identifier: Apache-2.0
#include "trial/worker.h"

#include "base/clock.h"
#include "base/random.h"
#include "trial/alarms.h"
#include "trial/seat.h"
#include "zk/connect.h"
#include "zk/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sessions that may be connecting at once, all workers together: below the 50 connections that a
 * server keeps in its backlog by default. */
#define CONNECTING_MAX 32
/* How long one turn of the loop may wait when nothing happens, and while sessions are to be opened.
 */
#define TURN_NS         (50 * NS_PER_MS)
#define TURN_OPENING_NS (1 * NS_PER_MS)
/* What the servers have not confirmed after this long ends with its session's timeout. */
#define CLOSE_NS (1500 * NS_PER_MS)

struct worker {
    struct board *board;
    struct board_worker *share; /* this worker's place on the board */
    struct events *events;
    struct seat *seats;
    uint32_t index;
    uint32_t count;  /* seats */
    uint32_t opened; /* of them, sessions that are open or opening */
    enum board_phase phase;
    uint64_t cpu_at_gate_ns;
    struct random random;
    struct alarms alarms;
};

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
    return events_open(worker->events, hosts, plan->session_timeout_ms, &seat_listener, seat,
                       &seat->contender.client, fault);
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

/* ------------------------------------------------------------------ what the conductor says */

static void gate_opens(struct worker *worker)
{
    worker->cpu_at_gate_ns = clock_cpu_ns();
    for (uint32_t i = 0; i < worker->count; i++) {
        struct seat *seat = &worker->seats[i];
        meter_mark_bytes(&seat->meter, seat->contender.client);
    }
    if (worker->board->plan->pace == PACE_LOCKSTEP)
        return;
    atomic_fetch_add(&worker->board->busy, worker->count);
    for (uint32_t i = 0; i < worker->count; i++)
        seat_arrive(&worker->seats[i]);
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
    struct board *board = worker->board;
    worker->share->cpu_ns = clock_cpu_ns() - worker->cpu_at_gate_ns;
    worker->share->rss_kib = resident_kib();
    for (uint32_t i = 0; i < worker->opened; i++) {
        struct seat *seat = &worker->seats[i];
        struct board_session *session = &board->sessions[seat->session];
        meter_read_bytes(&seat->meter, seat->contender.client);
        events_session_server(seat->contender.client, session->server, sizeof session->server);
        session->timeout_ms = events_session_timeout_ms(seat->contender.client);
        seat_report(seat);
    }
    if (atomic_fetch_add(&board->workers_ready, 1) + 1 == board->plan->processes)
        board_wake(board->conductor_descriptor);
}

static void obey(struct worker *worker, uint64_t command)
{
    uint32_t session = (uint32_t)command;
    struct seat *seat = &worker->seats[session / worker->board->plan->processes];
    if (command >> 32 == COMMAND_ARRIVE)
        seat_arrive(seat);
    else
        seat_let_go(seat);
}

/* Woken by the conductor: a new phase, or a command. */
static void woken(void *context)
{
    struct worker *worker = context;
    struct board *board = worker->board;
    board_woken(worker->share->wake_descriptor);
    enum board_phase phase = (enum board_phase)atomic_load(&board->phase);
    if (worker->phase == PHASE_CONNECT && phase == PHASE_RUN)
        gate_opens(worker);
    if (worker->phase < PHASE_MEASURED && phase == PHASE_MEASURED)
        take_last_readings(worker);
    worker->phase = phase;
    uint64_t command = atomic_exchange(&worker->share->command, 0);
    if (command != 0 && phase == PHASE_RUN)
        obey(worker, command);
}

/* ------------------------------------------------------------------ the loop */

/* Under lockstep the conductor waits for everything to be at rest: tells it when that may be so. */
static void tell_conductor(struct worker *worker)
{
    struct board *board = worker->board;
    if (board->plan->pace != PACE_LOCKSTEP || worker->phase != PHASE_RUN)
        return;
    if (atomic_load(&board->busy) == 0)
        board_wake(board->conductor_descriptor);
}

static enum fault_kind turn(struct worker *worker, struct fault *fault)
{
    uint64_t wait_ns = TURN_NS;
    if (worker->opened < worker->count) {
        wait_ns = TURN_OPENING_NS;
        enum fault_kind kind = open_sessions(worker, fault);
        if (kind != FAULT_NONE)
            return kind;
    }
    enum fault_kind kind = events_poll(worker->events, clock_now_ns() + wait_ns, fault);
    tell_conductor(worker);
    return kind;
}

static void alarms_due(void *context)
{
    alarms_ring(context);
}

static enum fault_kind set_up(struct worker *worker, struct fault *fault)
{
    const struct trial_plan *plan = worker->board->plan;
    random_init(&worker->random, plan->seed + worker->index);
    worker->seats = calloc(worker->count, sizeof *worker->seats);
    if (worker->seats == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "worker", "for %u sessions", worker->count);
    for (uint32_t i = 0; i < worker->count; i++)
        seat_init(&worker->seats[i], worker->board, worker->share, &worker->random, &worker->alarms,
                  worker->index + i * plan->processes);
    enum fault_kind kind = alarms_init(&worker->alarms, worker->count, seat_hold_ended, fault);
    if (kind == FAULT_NONE)
        kind = events_new(worker->count, &worker->events, fault);
    if (kind == FAULT_NONE)
        kind = events_watch(worker->events, worker->share->wake_descriptor, woken, worker, fault);
    if (kind == FAULT_NONE)
        kind = events_watch(worker->events, worker->alarms.descriptor, alarms_due, &worker->alarms,
                            fault);
    return kind;
}

static void tear_down(struct worker *worker)
{
    if (worker->events != NULL)
        events_close(worker->events, clock_now_ns() + CLOSE_NS);
    events_free(worker->events);
    alarms_deinit(&worker->alarms);
    free(worker->seats);
}

enum fault_kind worker_run(struct board *board, uint32_t index, struct fault *fault)
{
    struct worker worker = {
        .board = board,
        .share = &board->workers[index],
        .index = index,
        .count = seats_of(board->plan, index),
    };
    enum fault_kind kind = set_up(&worker, fault);
    while (kind == FAULT_NONE && atomic_load(&board->phase) != PHASE_CLOSE)
        kind = turn(&worker, fault);
    tear_down(&worker);
    return kind;
}
