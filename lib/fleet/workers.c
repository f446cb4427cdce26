// SPDX-License-Identifier: Apache-2.0
#include "fleet/workers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "client/connect.h"
#include "fleet/internal.h"
#include "sim/sim.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
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

/* Opens sessions until CONNECTING_MAX are connecting. */
static enum error_kind open_sessions(struct worker *worker, struct error *error)
{
    struct shared *shared = worker->shared;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && worker->opened < worker->count) {
        struct actor *actor = actor_at(worker, worker->opened);
        char hosts[CONNECT_TEXT_SIZE];
        if (atomic_fetch_add(&shared->connecting, 1) >= CONNECTING_MAX) {
            atomic_fetch_sub(&shared->connecting, 1);
            return ERROR_NONE;
        }
        connect_spread(shared->plan->servers, actor->session, hosts, sizeof hosts);
        worker->opened++;
        actor->spoke_ns = worker->sim != NULL ? sim_now_ns(worker->sim) : clock_now_ns();
        kind = worker->runtime->open(worker, actor, hosts, error);
    }
    return kind;
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
    if (worker->phase == PHASE_CONNECT && phase == PHASE_RUN) {
        worker->cpu_at_gate_ns = clock_cpu_ns();
        tell_all(worker, ORDER_GATE);
    }
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

/* A turn opens sessions, carries out orders, and runs the actors, for most_ns at most. */
static enum error_kind worker_turn(struct worker *worker, uint64_t most_ns, struct error *error)
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
    /* The seed of a session depends on its number alone, however the sessions are spread. */
    uint32_t drawn = 0;
    random_init(&random, plan->seed);
    random_init(&random, random_next(&random));
    for (uint32_t i = 0; i < worker->count; i++) {
        struct actor *actor = actor_at(worker, i);
        for (; drawn < worker->index + i * plan->processes; drawn++)
            (void)random_next(&random);
        drawn++;
        *actor = (struct actor){.shared = worker->shared,
                                .worker = worker->place,
                                .ops = worker->ops,
                                .timer = timer,
                                .session = worker->index + i * plan->processes};
        worker->ops->init(actor, kind_of_actor, random_next(&random));
    }
    return ERROR_NONE;
}

/* How long the workers may take to close their sessions. A session whose close the servers have not
 * confirmed by then ends with its timeout. */
static uint64_t worker_close_ns(const struct fleet_plan *plan)
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

/* ------------------------------------------------------------------ all workers */

/* Workers that run so long after worker_close_ns are killed. */
#define END_NS (1500 * NS_PER_MS)

/* The life of a worker in its process, until PHASE_CLOSE. */
static void live_as_worker(const struct fleet *fleet, uint32_t index, struct setup_session *setup,
                           struct ensemble *ensemble)
{
    setup_session_abandon(setup);
    ensemble_forget(ensemble);
    struct worker worker = worker_of(fleet, index);
    struct error error = {0};
    enum error_kind kind = set_up(&worker, fleet->kind, &error);
    while (kind == ERROR_NONE && atomic_load(&fleet->shared->phase) != PHASE_CLOSE) {
        kind = worker_turn(&worker, TURN_NS, &error);
        note_absence(&worker);
    }
    if (worker.runtime->tear_down(&worker, clock_now_ns() + worker_close_ns(fleet->shared->plan)))
        free(worker.actors);
    if (kind != ERROR_NONE) {
        fleet->shared->workers[index].error = error;
        shared_wake(fleet->shared->coordinator_descriptor);
    }
}

static void free_guest(struct workers *workers)
{
    if (workers->guest != NULL)
        free(workers->guest->actors);
    free(workers->guest);
    workers->guest = NULL;
}

enum error_kind workers_start(struct workers *workers, const struct fleet *fleet,
                              struct setup_session *setup, struct sim *sim,
                              struct ensemble *ensemble, struct error *error)
{
    uint32_t processes = fleet->shared->plan->processes;
    pid_t parent = getpid();
    *workers = (struct workers){.fleet = *fleet};
    if (sim != NULL) {
        workers->guest = memory_new(1, sizeof *workers->guest);
        *workers->guest = worker_of(fleet, 0);
        workers->guest->sim = sim;
        enum error_kind kind = set_up(workers->guest, fleet->kind, error);
        if (kind != ERROR_NONE)
            free_guest(workers);
        return kind;
    }
    workers->pids = memory_new(processes, sizeof *workers->pids);
    while (workers->count < processes) {
        pid_t worker = fork();
        if (worker < 0) {
            enum error_kind kind = error_from_errno(error, errno, "worker", "fork %u of %u",
                                                    workers->count + 1, processes);
            workers_end(workers);
            return kind;
        }
        if (worker == 0) {
            if (process_follow(parent))
                live_as_worker(fleet, workers->count, setup, ensemble);
            /* The parent's exit handlers and buffered output are not the child's. */
            _exit(0);
        }
        workers->pids[workers->count++] = worker;
    }
    return ERROR_NONE;
}

enum error_kind workers_turn(const struct workers *workers, const struct loop *loop,
                             uint64_t most_ns, struct error *error)
{
    if (workers->guest != NULL)
        return worker_turn(workers->guest, most_ns, error);
    return loop_turn(loop, loop_now_ns(loop) + most_ns, error);
}

enum error_kind workers_check(const struct workers *workers, struct error *error)
{
    for (uint32_t i = 0; i < workers->count; i++) {
        siginfo_t end = {0};
        const struct error *why = &workers->fleet.shared->workers[i].error;
        /* WNOWAIT: workers_end reaps. */
        if (waitid(P_PID, (id_t)workers->pids[i], &end, WEXITED | WNOHANG | WNOWAIT) != 0 ||
            end.si_pid == 0)
            continue;
        if (why->kind == ERROR_NONE && end.si_code != CLD_EXITED && end.si_status == SIGABRT)
            return error_raise(error, ERROR_WORKER_ABORTED, 0, "worker", "%s", "");
        if (why->kind == ERROR_NONE)
            return error_raise(error, ERROR_WORKER_DIED, 0, "worker",
                               end.si_code == CLD_EXITED ? "exit status %d" : "signal %d",
                               end.si_status);
        *error = *why;
        return error->kind;
    }
    return ERROR_NONE;
}

uint64_t workers_cpu_ns(const struct workers *workers)
{
    uint64_t sum_ns = 0;
    for (uint32_t i = 0; i < workers->count; i++) {
        clockid_t clock;
        struct timespec used;
        if (clock_getcpuclockid(workers->pids[i], &clock) == 0 && clock_gettime(clock, &used) == 0)
            sum_ns += (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
    }
    return sum_ns;
}

void workers_end(struct workers *workers)
{
    struct shared *shared = workers->fleet.shared;
    uint64_t until_ns = clock_now_ns() + worker_close_ns(shared->plan) + END_NS;
    shared_enter(shared, PHASE_CLOSE);
    for (uint32_t i = 0; i < workers->count; i++) {
        while (waitpid(workers->pids[i], NULL, WNOHANG) == 0) {
            if (clock_now_ns() >= until_ns)
                kill(workers->pids[i], SIGKILL);
            usleep(1000);
        }
    }
    free_guest(workers);
    free(workers->pids);
    *workers = (struct workers){.fleet = workers->fleet};
}
