// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

#include "fleet/watchdog.h"

/* ------------------------------------------------------------------ the monitor */

static void show_progress(struct monitor *monitor)
{
    const struct trial_watch *watch = monitor->watch;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - monitor->shown_ns < WATCHDOG_TURN_NS)
        return;
    monitor->shown_ns = now_ns;
    struct trial_memory *memory = monitor->memory;
    /* Under lockstep all arrive, one after another, before the first release. */
    bool arriving =
        memory->plan->pace == PACE_LOCKSTEP && atomic_load(&memory->first_release_ns) == 0;
    struct trial_progress progress = {
        .rpcs = trial_memory_requests(memory),
        .established = atomic_load(&memory->fleet->established),
        .losses = atomic_load(&memory->fleet->losses),
        .elapsed_ns = monitor->opened_ns == 0 ? 0 : now_ns - monitor->opened_ns,
        .stalled_ns = stall_lasts_ns(&monitor->stall, now_ns),
        .stalled_at = monitor->stall.server,
        .arrivals_due = arriving ? memory->plan->fleet.sessions : 0,
    };
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        uint64_t due = plan_handoffs_of(memory->plan, lock);
        progress.passages += atomic_load(&memory->locks[lock].entries) +
                             atomic_load(&memory->locks[lock].departures);
        progress.arrivals += atomic_load(&memory->locks[lock].arrivals);
        progress.handoffs += atomic_load(&memory->locks[lock].grants);
        progress.handoffs_due = due == UINT64_MAX ? due : progress.handoffs_due + due;
    }
    if (memory->plan->recipe->barrier)
        progress.passages_due = 2 * (uint64_t)plan_nesting(memory->plan) * progress.handoffs_due;
    watch->progress(watch->context, &progress);
}

/* A step of lockstep causes all the messages of a herd; in free pace messages alone are no
 * progress. */
static uint64_t movement(void *context)
{
    const struct trial_memory *memory = ((struct monitor *)context)->memory;
    return memory->plan->pace == PACE_LOCKSTEP ? trial_memory_requests(memory) : 0;
}

static enum fleet_end look(void *context, uint64_t now_ns, uint64_t absent_ns)
{
    struct monitor *monitor = context;
    stall_look(&monitor->stall, now_ns, absent_ns);
    show_progress(monitor);
    if (monitor->watch->has_company != NULL &&
        !monitor->watch->has_company(monitor->watch->context))
        return END_ALONE;
    return atomic_load(&monitor->memory->violation_count) > 0 ? END_VIOLATION : END_DONE;
}

static uint64_t received(void *context)
{
    return trial_memory_count(((struct monitor *)context)->memory, TALLY_NOTIFICATION);
}

/* Simulated servers lose no wake-up. */
static bool is_owed(void *context)
{
    const struct monitor *monitor = context;
    const struct trial_plan *plan = monitor->memory->plan;
    return plan->fleet.driver != DRIVER_SIMULATED &&
           (monitor->opened_ns == 0 ||
            stall_lasts_ns(&monitor->stall, watchdog_now_ns(&monitor->watchdog)) > 0);
}

/* In the middle of a trial a server that takes long to answer stalls. */
static void asked(void *context, uint64_t longest_ns)
{
    struct monitor *monitor = context;
    stall_question(&monitor->stall, watchdog_now_ns(&monitor->watchdog), longest_ns);
}

void monitor_rest(struct monitor *monitor)
{
    watchdog_rest(&monitor->watchdog);
    stall_rest(&monitor->stall, watchdog_now_ns(&monitor->watchdog));
}

void monitor_close_in_time(const struct monitor *monitor)
{
    const struct trial_watch *watch = monitor->watch;
    uint64_t now_ns = watchdog_now_ns(&monitor->watchdog);
    bool has_enough = watch->has_enough != NULL &&
                      monitor->memory->plan->workload == WORKLOAD_STEADY &&
                      watch->has_enough(watch->context, monitor->memory, now_ns - monitor->gate_ns);
    if (has_enough || now_ns >= monitor->closes_ns)
        atomic_store(&monitor->memory->closed, true);
}

/* ------------------------------------------------------------------ from the gate to the end */

static void open_gate(struct monitor *monitor, uint64_t gate_ns)
{
    const struct trial_plan *plan = monitor->memory->plan;
    monitor->opened_ns = clock_now_ns();
    monitor->gate_ns = gate_ns;
    watchdog_rest(&monitor->watchdog);
    if (plan->workload == WORKLOAD_STEADY && plan->handoffs == 0)
        monitor->closes_ns = gate_ns + plan->duration_ns;
    if (plan->fleet.driver != DRIVER_SIMULATED)
        stall_begin(&monitor->stall, monitor->memory, gate_ns);
}

static enum fleet_end lead_free(struct monitor *monitor)
{
    struct trial_memory *memory = monitor->memory;
    enum fleet_end end = END_DONE;
    while (end == END_DONE &&
           atomic_load(&memory->fleet->finished) < memory->plan->fleet.sessions) {
        monitor_close_in_time(monitor);
        end = watchdog_wait(&monitor->watchdog, WATCHDOG_TURN_NS);
    }
    return end;
}

static enum fleet_end lead(struct monitor *monitor, struct setup_session *setup,
                           struct coordinator_result *result)
{
    struct trial_memory *memory = monitor->memory;
    struct watchdog *watchdog = &monitor->watchdog;
    const struct trial_watch *watch = monitor->watch;
    bool in_steps = memory->plan->pace == PACE_LOCKSTEP;
    enum fleet_end end = gate_await_sessions(watchdog);
    if (end == END_DONE)
        end = fleet_end_of(gate_note_roles(watchdog));
    if (end == END_DONE)
        end = gate_read_counters(watchdog, &result->at_gate);
    if (end != END_DONE)
        return end;
    result->gate_ns = watchdog_now_ns(watchdog);
    open_gate(monitor, result->gate_ns);
    if (watch->opened != NULL)
        watch->opened(watch->context);
    shared_enter(memory->fleet, PHASE_RUN);
    end = in_steps ? lockstep_lead(monitor, setup, &result->at_gate, &result->law)
                   : lead_free(monitor);
    /* What comes behind the last session, such as questions to the servers, is no contention. */
    if (watch->ended != NULL)
        watch->ended(watch->context);
    /* A session that has died does not receive the notifications that the servers send it. */
    if (end == END_DONE && !in_steps && injection_none_yet(memory))
        end = under_way_receive(watchdog, &result->at_gate);
    if (end == END_DONE)
        end = under_way_settle(watchdog);
    return end == END_DONE && atomic_load(&memory->overflowed) ? END_OVERFLOW : end;
}

enum error_kind coordinator_lead(const struct workers *workers, struct setup_session *setup,
                                 struct server_counters *counters, const struct trial_watch *watch,
                                 struct coordinator_result *result, struct error *error)
{
    static const struct watchdog_kind of_trial = {movement, look, received, is_owed, asked};
    const struct loop *loop = &setup->session.loop;
    struct monitor monitor = {
        .watchdog = {.workers = workers,
                     .counters = counters,
                     .setup = setup,
                     .interrupt_descriptor = watch->interrupt_descriptor,
                     .kind = &of_trial,
                     .context = &monitor,
                     .error = error,
                     .moved_ns = loop_now_ns(loop)},
        .memory = workers->fleet.kind,
        .watch = watch,
        .closes_ns = UINT64_MAX,
    };
    *result = (struct coordinator_result){0};
    enum fleet_end end = fleet_end_of(watchdog_start(&monitor.watchdog));
    if (end == END_DONE)
        end = lead(&monitor, setup, result);
    stall_end(&monitor.stall, loop_now_ns(loop), end == END_DEADLINE);
    result->stalls = monitor.stall.found;
    if (end != END_ERROR && gate_close(&monitor.watchdog) != ERROR_NONE)
        end = END_ERROR;
    watchdog_stop(&monitor.watchdog);
    result->end = end;
    return end == END_ERROR ? error->kind : ERROR_NONE;
}
