// SPDX-License-Identifier: Apache-2.0
#include "fleet/worker.h"

#include "base/clock.h"
#include "base/process.h"
#include "base/random.h"
#include "client/connect.h"
#include "fleet/runtime.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <unistd.h>

/* Sessions of all workers that may connect at once: fewer than a server's default backlog of 50. */
#define CONNECTING_MAX 32
/* How long a turn may wait, and how long while sessions are still to be opened. */
#define TURN_NS         (50 * NS_PER_MS)
#define TURN_OPENING_NS (1 * NS_PER_MS)
/* On events all sessions close at once. On threads the library ends two threads for each session,
 * and all of them need a core. */
#define CLOSE_NS        (1500 * NS_PER_MS)
#define CLOSE_THREAD_NS (4 * NS_PER_MS)

static uint32_t actors_of(const struct fleet_plan *plan, uint32_t index)
{
    return plan->sessions / plan->processes + (index < plan->sessions % plan->processes ? 1 : 0);
}

static struct actor *actor_at(const struct worker *worker, uint32_t number)
{
    return (struct actor *)(void *)(worker->actors + number * worker->ops->size);
}

/* ------------------------------------------------------------------ before the gate */

static enum error_kind open_next(struct worker *worker, struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    struct actor *actor = actor_at(worker, worker->opened);
    char hosts[CONNECT_TEXT_SIZE];
    connect_spread(plan->servers, actor->session, hosts, sizeof hosts);
    worker->opened++;
    actor->spoke_ns = worker->sim != NULL ? sim_now_ns(worker->sim) : clock_now_ns();
    return worker->runtime->open(worker, actor, hosts, error);
}

/* Opens sessions until CONNECTING_MAX are connecting. */
static enum error_kind open_sessions(struct worker *worker, struct error *error)
{
    struct shared *shared = worker->shared;
    while (worker->opened < worker->count) {
        if (atomic_fetch_add(&shared->connecting, 1) >= CONNECTING_MAX) {
            atomic_fetch_sub(&shared->connecting, 1);
            return ERROR_NONE;
        }
        enum error_kind kind = open_next(worker, error);
        if (kind != ERROR_NONE)
            return kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ what an actor is told */

/* A process is ready when all its actors and the worker itself have taken their last readings. */
static void reading_taken(struct shared *shared, struct shared_worker *place)
{
    if (atomic_fetch_sub(&place->unread, 1) == 1 &&
        atomic_fetch_add(&shared->workers_ready, 1) + 1 == shared->plan->processes)
        shared_wake(shared->coordinator_descriptor);
}

/* The same for a report. */
static void report_made(struct shared *shared, struct shared_worker *place)
{
    if (atomic_fetch_sub(&place->unreported, 1) == 1)
        atomic_fetch_add(&shared->reported, 1);
}

void worker_carry_out(struct actor *actor, int order)
{
    actor->ops->order(actor, order);
    if (order == ORDER_REPORT)
        report_made(actor->shared, actor->worker);
    else if (order == ORDER_READ)
        reading_taken(actor->shared, actor->worker);
}

/* ------------------------------------------------------------------ what the coordinator says */

static void tell_all(struct worker *worker, int order)
{
    for (uint32_t i = 0; i < worker->opened; i++)
        worker->runtime->tell(actor_at(worker, i), order);
}

static void gate_opens(struct worker *worker)
{
    worker->cpu_at_gate_ns = clock_cpu_ns();
    tell_all(worker, ORDER_GATE);
}

static void take_last_readings(struct worker *worker)
{
    worker->place->cpu_ns = clock_cpu_ns() - worker->cpu_at_gate_ns;
    if (!process_rss_kib(getpid(), &worker->place->rss_kib))
        worker->place->rss_kib = 0;
    atomic_store(&worker->place->unread, worker->opened + 1);
    tell_all(worker, ORDER_READ);
    reading_taken(worker->shared, worker->place);
}

static void answer_inquiry(struct worker *worker, uint32_t inquiry)
{
    worker->inquiry = inquiry;
    atomic_store(&worker->place->unreported, worker->opened + 1);
    tell_all(worker, ORDER_REPORT);
    report_made(worker->shared, worker->place);
    worker->turned_ns = clock_now_ns(); /* the work of a report is no absence */
}

/* A turn that lasts longer than it may was not run meanwhile, or had too much to do. Noted before a
 * report is made, too: whoever reads the report may read the absence. */
static void note_absence(struct worker *worker)
{
    uint64_t now_ns = clock_now_ns(), since_ns = now_ns - worker->turned_ns;
    worker->turned_ns = now_ns;
    if (worker->sim == NULL && since_ns > TURN_NS)
        shared_raise(&worker->place->absent_ns, since_ns - TURN_NS);
}

/* A command is an order and a session +1, or 0 for all sessions: see shared_tell. */
static void obey(struct worker *worker, uint64_t command)
{
    int order = (int)(command >> 32);
    uint32_t session = (uint32_t)command;
    if (session == 0)
        tell_all(worker, order);
    else
        worker->runtime->tell(actor_at(worker, (session - 1) / worker->shared->plan->processes),
                              order);
}

void worker_woken(void *context)
{
    struct worker *worker = context;
    struct shared *shared = worker->shared;
    note_absence(worker);
    shared_woken(worker->place->wake_descriptor);
    enum fleet_phase phase = (enum fleet_phase)atomic_load(&shared->phase);
    if (worker->phase == PHASE_CONNECT && phase == PHASE_RUN)
        gate_opens(worker);
    uint32_t inquiry = atomic_load(&shared->inquiry);
    if (inquiry != worker->inquiry)
        answer_inquiry(worker, inquiry);
    if (worker->phase < PHASE_MEASURED && phase == PHASE_MEASURED)
        take_last_readings(worker);
    worker->phase = phase;
    uint64_t command = atomic_exchange(&worker->place->command, 0);
    if (command != 0 && phase == PHASE_RUN)
        obey(worker, command);
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

/* Drawn from the fleet's seed: index + 1 draws, so that every process has its own. */
static uint64_t seed_of(const struct fleet_plan *plan, uint32_t index)
{
    struct random random;
    random_init(&random, plan->seed);
    for (uint32_t i = 0; i < index; i++)
        (void)random_next(&random);
    return random_next(&random);
}

static enum error_kind set_up(struct worker *worker, void *kind_of_actor, struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    struct actor_timer timer;
    struct random random;
    enum error_kind kind = worker->runtime->set_up(worker, &timer, error);
    if (kind != ERROR_NONE)
        return kind;
    worker->actors = calloc(worker->count, worker->ops->size);
    if (worker->actors == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "for %u sessions", worker->count);
    random_init(&random, seed_of(plan, worker->index));
    for (uint32_t i = 0; i < worker->count; i++) {
        struct actor *actor = actor_at(worker, i);
        *actor = (struct actor){.shared = worker->shared,
                                .worker = worker->place,
                                .ops = worker->ops,
                                .timer = timer,
                                .session = worker->index + i * plan->processes};
        worker->ops->init(actor, kind_of_actor, random_next(&random));
    }
    return ERROR_NONE;
}

uint64_t worker_close_ns(const struct fleet_plan *plan)
{
    return plan->driver == DRIVER_THREADS ? CLOSE_NS + plan->sessions * CLOSE_THREAD_NS : CLOSE_NS;
}

static struct worker worker_of(const struct fleet *fleet, uint32_t index)
{
    static const struct runtime *const runtimes[] = {
        [DRIVER_EVENTS] = &runtime_events,
        [DRIVER_THREADS] = &runtime_threads,
        [DRIVER_SIMULATED] = &runtime_sim,
    };
    return (struct worker){
        .shared = fleet->shared,
        .place = &fleet->shared->workers[index],
        .ops = fleet->ops,
        .runtime = runtimes[fleet->shared->plan->driver],
        .index = index,
        .count = actors_of(fleet->shared->plan, index),
        .turned_ns = clock_now_ns(),
    };
}

enum error_kind worker_run(const struct fleet *fleet, uint32_t index, struct error *error)
{
    struct worker worker = worker_of(fleet, index);
    enum error_kind kind = set_up(&worker, fleet->kind, error);
    while (kind == ERROR_NONE && atomic_load(&fleet->shared->phase) != PHASE_CLOSE) {
        kind = worker_turn(&worker, TURN_NS, error);
        note_absence(&worker);
    }
    if (worker.runtime->tear_down(&worker, clock_now_ns() + worker_close_ns(fleet->shared->plan)))
        free(worker.actors);
    return kind;
}

enum error_kind worker_new_simulated(const struct fleet *fleet, struct sim *sim,
                                     struct worker **worker, struct error *error)
{
    struct worker *made = malloc(sizeof *made);
    if (made == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "%s", "");
    *made = worker_of(fleet, 0);
    made->sim = sim;
    enum error_kind kind = set_up(made, fleet->kind, error);
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
    free(worker->actors);
    free(worker);
}
