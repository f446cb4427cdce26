// SPDX-License-Identifier: Apache-2.0
#include "fleet/workers.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "client/thread_sessions.h"
#include "fleet/timers.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
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

/* With an event loop all actors run on the worker's only thread. With threads each actor runs on a
 * thread of its own, and the worker's first thread only opens sessions and passes on orders. In a
 * simulation all actors and the coordinator run on one thread.
 *
 * Invariant: an actor is used on its own thread only; the runtime brings orders to that thread. */
struct worker {
    struct shared *shared;
    struct shared_worker *place; /* this worker's, in the shared memory */
    const struct actor_ops *ops;
    const struct runtime *runtime;
    struct event_loop *events;       /* with an event loop */
    struct timers timers;            /* with an event loop */
    struct thread_sessions *threads; /* with threads */
    struct sim *sim;                 /* NULL: real servers */
    char *actors;                    /* `count` actors of ops->size bytes each */
    uint32_t index;
    uint32_t count;
    uint32_t opened; /* actors whose session is open or opening */
    enum fleet_phase phase;
    uint32_t inquiry; /* the last that was answered */
    uint64_t cpu_at_gate_ns;
    uint64_t turned_ns; /* the host's clock when the worker last looked whether it runs */
};

/* A way of running actors. */
struct runtime {
    /* Makes what the runtime needs; NULL: nothing. */
    enum error_kind (*set_up)(struct worker *worker, struct error *error);
    void (*set_alarm)(void *worker, uint64_t due_ns, struct actor *actor);
    /* Begins to open an actor's session, and fills in its client. */
    enum error_kind (*open)(struct worker *worker, struct actor *actor, const char *hosts,
                            struct error *error);
    /* Has carry_out called on the actor's thread. */
    void (*give_order)(void *actor, int order);
    /* Runs the sessions, for most_ns at most; calls woken when the coordinator has woken the
     * worker. */
    enum error_kind (*wait)(struct worker *worker, uint64_t most_ns, struct error *error);
    /* In a process of its own: closes the sessions, until until_ns at most. False if a thread has
     * not ended and still uses its actor. Also called after a set_up that failed. */
    bool (*tear_down)(struct worker *worker, uint64_t until_ns);
};

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
        connect_spread(shared->plan->servers, actor->number, hosts, sizeof hosts);
        worker->opened++;
        actor->spoke_ns = worker->sim != NULL ? sim_now_ns(worker->sim) : clock_now_ns();
        kind = worker->runtime->open(worker, actor, hosts, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ orders */

/* A process has reported when all its actors and the worker itself have. */
static void count_report(struct shared *shared, struct shared_worker *place)
{
    if (atomic_fetch_sub(&place->unreported, 1) == 1 &&
        atomic_fetch_add(&shared->reported, 1) + 1 == shared->plan->processes)
        shared_wake(shared->coordinator_descriptor);
}

static void carry_out(void *context, int order)
{
    struct actor *actor = context;
    actor->ops->order(actor, order);
    if (order == ORDER_REPORT || order == ORDER_READ)
        count_report(actor->shared, actor->worker);
}

static void order_all(struct worker *worker, int order)
{
    for (uint32_t i = 0; i < worker->opened; i++)
        worker->runtime->give_order(actor_at(worker, i), order);
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

static void report(struct worker *worker, bool last)
{
    struct shared_worker *place = worker->place;
    if (last) {
        place->cpu_ns = clock_cpu_ns() - worker->cpu_at_gate_ns;
        if (!process_rss_kib(getpid(), &place->rss_kib))
            place->rss_kib = 0;
    }
    atomic_store(&place->unreported, worker->opened + 1);
    order_all(worker, last ? ORDER_READ : ORDER_REPORT);
    count_report(worker->shared, place);
    worker->turned_ns = clock_now_ns(); /* the work of a report is no absence */
}

/* The coordinator has woken the worker. */
static void woken(void *context)
{
    struct worker *worker = context;
    struct shared *shared = worker->shared;
    note_absence(worker);
    shared_woken(worker->place->wake_descriptor);
    uint32_t inquiry = atomic_load(&shared->inquiry); /* before the phase: see shared_inquire */
    enum fleet_phase phase = (enum fleet_phase)atomic_load(&shared->phase);
    if (worker->phase == PHASE_CONNECT && phase == PHASE_RUN) {
        worker->cpu_at_gate_ns = clock_cpu_ns();
        order_all(worker, ORDER_GATE);
    }
    if (inquiry != worker->inquiry)
        report(worker, phase == PHASE_MEASURED);
    worker->inquiry = inquiry;
    worker->phase = phase;
    uint64_t command = atomic_exchange(&worker->place->command, 0);
    if (command == 0 || phase != PHASE_RUN)
        return;
    /* An order and a session +1, or 0 for all sessions: see shared_order. */
    int order = (int)(command >> 32);
    uint32_t session = (uint32_t)command;
    if (session == 0)
        order_all(worker, order);
    else
        worker->runtime->give_order(actor_at(worker, (session - 1) / shared->plan->processes),
                                    order);
}

/* ------------------------------------------------------------------ one event loop */

static void set_alarm_events(void *worker, uint64_t due_ns, struct actor *actor)
{
    timers_set(&((struct worker *)worker)->timers, due_ns, actor);
}

static enum error_kind set_up_events(struct worker *worker, struct error *error)
{
    const struct identity *identity = worker->shared->plan->servers->identity;
    struct timers *timers = &worker->timers;
    if (timers_init(timers, worker->count, worker->ops->alarm, error) ||
        event_loop_new(worker->count, identity, &worker->events, error) ||
        event_loop_watch(worker->events, worker->place->wake_descriptor, woken, worker, error) ||
        event_loop_watch(worker->events, timers->descriptor, timers_ring, timers, error))
        return error->kind;
    return ERROR_NONE;
}

static enum error_kind open_events(struct worker *worker, struct actor *actor, const char *hosts,
                                   struct error *error)
{
    return event_loop_open(worker->events, hosts, worker->shared->plan->session_timeout_ms,
                           fleet_plan_depth(worker->shared->plan), worker->ops->listener, actor,
                           &actor->client, error);
}

static enum error_kind wait_for_events(struct worker *worker, uint64_t most_ns, struct error *error)
{
    enum error_kind kind = event_loop_poll(worker->events, clock_now_ns() + most_ns, error);
    shared_check_rest(worker->shared);
    return kind;
}

static bool tear_down_events(struct worker *worker, uint64_t until_ns)
{
    if (worker->events != NULL)
        event_loop_close(worker->events, until_ns);
    event_loop_free(worker->events);
    timers_deinit(&worker->timers);
    return true;
}

/* ------------------------------------------------------------------ a thread for each actor */

static void set_alarm_threads(void *worker, uint64_t due_ns, struct actor *actor)
{
    (void)worker;
    thread_session_alarm(actor->client, due_ns);
}

static void thread_waits(void *actor)
{
    shared_check_rest(((struct actor *)actor)->shared);
}

static enum error_kind set_up_threads(struct worker *worker, struct error *error)
{
    const struct thread_session_hooks hooks = {carry_out, worker->ops->alarm, thread_waits};
    return thread_sessions_new(worker->count, worker->shared->plan->servers->identity, &hooks,
                               &worker->threads, error);
}

static enum error_kind open_threads(struct worker *worker, struct actor *actor, const char *hosts,
                                    struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    assert(fleet_plan_depth(plan) == 1);
    return thread_sessions_open(worker->threads, hosts, plan->session_timeout_ms,
                                worker->ops->listener, actor, &actor->client, error);
}

static void order_thread(void *actor, int order)
{
    thread_session_order(((struct actor *)actor)->client, order);
}

static enum error_kind wait_for_coordinator(struct worker *worker, uint64_t most_ns,
                                            struct error *error)
{
    struct pollfd wake = {.fd = worker->place->wake_descriptor, .events = POLLIN};
    int ready = poll(&wake, 1, (int)((most_ns + NS_PER_MS - 1) / NS_PER_MS));
    if (ready < 0 && errno != EINTR)
        return error_from_errno(error, errno, "worker", "poll");
    if (ready > 0)
        woken(worker);
    return ERROR_NONE;
}

static bool tear_down_threads(struct worker *worker, uint64_t until_ns)
{
    if (worker->threads == NULL)
        return true;
    if (thread_sessions_close(worker->threads, until_ns) > 0)
        return false;
    thread_sessions_free(worker->threads);
    return true;
}

/* ------------------------------------------------------------------ a simulation */

/* Events in a turn: the coordinator's own checks cost little in comparison. */
#define TURN_EVENTS 4096

static void ring(void *context)
{
    struct actor *actor = context;
    actor->ops->alarm(actor, 0); /* a simulation is never late */
}

static void set_alarm_simulated(void *worker, uint64_t due_ns, struct actor *actor)
{
    sim_at(((struct worker *)worker)->sim, due_ns, ring, actor);
}

static enum error_kind open_simulated(struct worker *worker, struct actor *actor, const char *hosts,
                                      struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    (void)hosts;
    const struct endpoint *place = &plan->servers->endpoints[actor->session % plan->servers->count];
    return sim_open(worker->sim, place->port - 1U, plan->session_timeout_ms, fleet_plan_depth(plan),
                    worker->ops->listener, actor, &actor->client, error);
}

static enum error_kind run_simulation(struct worker *worker, uint64_t most_ns, struct error *error)
{
    const struct shared *shared = worker->shared;
    struct sim *sim = worker->sim;
    uint64_t until_ns = sim_now_ns(sim) + most_ns;
    (void)error;
    woken(worker);
    for (int i = 0; i < TURN_EVENTS; i++) {
        /* The coordinator may take its next step. */
        if (i > 0 && shared->in_steps && atomic_load(&shared->busy) == 0)
            break;
        if (sim_next_ns(sim) > until_ns) {
            sim_advance(sim, until_ns);
            break;
        }
        sim_step(sim);
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ its life */

/* In a simulation there is nothing to set up, and the sessions end with it. */
static const struct runtime runtimes[] = {
    [DRIVER_EVENTS] = {set_up_events, set_alarm_events, open_events, carry_out, wait_for_events,
                       tear_down_events},
    [DRIVER_THREADS] = {set_up_threads, set_alarm_threads, open_threads, order_thread,
                        wait_for_coordinator, tear_down_threads},
    [DRIVER_SIMULATED] = {NULL, set_alarm_simulated, open_simulated, carry_out, run_simulation,
                          NULL},
};

/* A turn opens sessions, carries out orders, and runs the actors, for most_ns at most. */
static enum error_kind worker_turn(struct worker *worker, uint64_t most_ns, struct error *error)
{
    if (worker->opened < worker->count) {
        if (open_sessions(worker, error))
            return error->kind;
        most_ns = most_ns < TURN_OPENING_NS ? most_ns : TURN_OPENING_NS;
    }
    return worker->runtime->wait(worker, most_ns, error);
}

static enum error_kind set_up(struct worker *worker, void *kind_of_actor, struct error *error)
{
    const struct fleet_plan *plan = worker->shared->plan;
    struct random random;
    if (worker->runtime->set_up != NULL && worker->runtime->set_up(worker, error))
        return error->kind;
    worker->actors = calloc(worker->count, worker->ops->size);
    if (worker->actors == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "worker", "for %u sessions", worker->count);
    /* The seed of a session depends on its number alone, however the sessions are spread. */
    random_init(&random, plan->seed);
    random_init(&random, random_next(&random));
    for (uint32_t number = 0; number < plan->first; number++)
        (void)random_next(&random);
    for (uint32_t session = 0; session < plan->sessions; session++) {
        uint64_t seed = random_next(&random);
        if (session % plan->processes != worker->index)
            continue;
        struct actor *actor = actor_at(worker, session / plan->processes);
        *actor = (struct actor){.shared = worker->shared,
                                .worker = worker->place,
                                .ops = worker->ops,
                                .set_alarm = worker->runtime->set_alarm,
                                .timers = worker,
                                .session = session,
                                .number = plan->first + session};
        worker->ops->init(actor, kind_of_actor, seed);
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
    const struct fleet_plan *plan = fleet->shared->plan;
    return (struct worker){
        .shared = fleet->shared,
        .place = &fleet->shared->workers[index],
        .ops = fleet->ops,
        .runtime = &runtimes[plan->driver],
        .index = index,
        .count = plan->sessions / plan->processes + (index < plan->sessions % plan->processes),
        .turned_ns = clock_now_ns(),
    };
}

/* ------------------------------------------------------------------ all workers */

/* Workers that run so long after worker_close_ns are killed. */
#define END_NS (1500 * NS_PER_MS)

/* The life of a worker in its process, until PHASE_CLOSE. */
static void live_as_worker(const struct fleet *fleet, uint32_t index, struct setup_session *setup)
{
    setup_session_abandon(setup);
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

enum error_kind workers_start(struct workers *workers, const struct fleet *fleet,
                              struct setup_session *setup, struct sim *sim, struct error *error)
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
            workers_end(workers);
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
                live_as_worker(fleet, workers->count, setup);
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
        uint64_t used_ns = 0;
        (void)process_cpu_ns(workers->pids[i], &used_ns);
        sum_ns += used_ns;
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
    if (workers->guest != NULL)
        free(workers->guest->actors);
    free(workers->guest);
    free(workers->pids);
    *workers = (struct workers){.fleet = workers->fleet};
}
