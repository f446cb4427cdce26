// SPDX-License-Identifier: Apache-2.0
#include "trial/monitor.h"

#include "base/clock.h"

/* Under lockstep all arrive, one after another, before the first release. */
static uint64_t arrivals_due(const struct trial_memory *memory)
{
    bool arriving =
        memory->plan->pace == PACE_LOCKSTEP && atomic_load(&memory->first_release_ns) == 0;
    return arriving ? memory->plan->fleet.sessions : 0;
}

static void show_progress(struct monitor *monitor)
{
    const struct trial_watch *watch = monitor->watch;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - monitor->shown_ns < WATCHDOG_TURN_NS)
        return;
    monitor->shown_ns = now_ns;
    struct trial_memory *memory = monitor->memory;
    struct trial_progress progress = {
        .rpcs = trial_memory_requests(memory),
        .established = atomic_load(&memory->fleet->established),
        .losses = atomic_load(&memory->fleet->losses),
        .elapsed_ns = monitor->opened_ns == 0 ? 0 : now_ns - monitor->opened_ns,
        .stalled_ns = stall_lasts_ns(&monitor->stall, now_ns),
        .stalled_at = monitor->stall.server,
        .arrivals_due = arrivals_due(memory),
        .memory = memory,
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

/* In the middle of a trial a server that takes long to answer stalls. */
static void asked(void *context, uint64_t longest_ns)
{
    struct monitor *monitor = context;
    stall_question(&monitor->stall, loop_now_ns(monitor->watchdog.loop), longest_ns);
}

void monitor_init(struct monitor *monitor, const struct workers *workers,
                  struct server_counters *counters, const struct loop *loop,
                  const struct trial_watch *watch, struct error *error)
{
    static const struct watchdog_kind of_trial = {movement, look, received, asked};
    *monitor = (struct monitor){
        .watchdog = {.workers = workers,
                     .counters = counters,
                     .loop = loop,
                     .interrupt_descriptor = watch->interrupt_descriptor,
                     .kind = &of_trial,
                     .context = monitor,
                     .error = error,
                     .moved_ns = loop_now_ns(loop)},
        .memory = workers->fleet.kind,
        .watch = watch,
        .closes_ns = UINT64_MAX,
    };
}

void monitor_open(struct monitor *monitor, uint64_t gate_ns)
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

void monitor_rest(struct monitor *monitor)
{
    watchdog_rest(&monitor->watchdog);
    stall_rest(&monitor->stall, loop_now_ns(monitor->watchdog.loop));
}

static bool has_enough(const struct monitor *monitor, uint64_t now_ns)
{
    const struct trial_watch *watch = monitor->watch;
    return watch->has_enough != NULL && monitor->memory->plan->workload == WORKLOAD_STEADY &&
           watch->has_enough(watch->context, monitor->memory, now_ns - monitor->gate_ns);
}

void monitor_close_in_time(const struct monitor *monitor)
{
    uint64_t now_ns = loop_now_ns(monitor->watchdog.loop);
    if (has_enough(monitor, now_ns) || now_ns >= monitor->closes_ns)
        atomic_store(&monitor->memory->closed, true);
}
