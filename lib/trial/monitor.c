// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

uint64_t monitor_now_ns(const struct monitor *monitor)
{
    return watchdog_now_ns(&monitor->experiment->watchdog);
}

void monitor_open(struct monitor *monitor)
{
    const struct trial_plan *plan = monitor->memory->plan;
    uint64_t gate_ns = monitor->experiment->started_ns;
    bool ends_by_time = plan->workload == WORKLOAD_STEADY && plan->handoffs == 0;
    monitor->opened_ns = clock_now_ns();
    monitor->closes_ns = ends_by_time ? gate_ns + plan->duration_ns : UINT64_MAX;
    watchdog_rest(&monitor->experiment->watchdog);
    if (plan->fleet.driver != DRIVER_SIMULATED)
        stall_begin(&monitor->stall, monitor->memory, gate_ns);
}

void monitor_rest(struct monitor *monitor)
{
    watchdog_rest(&monitor->experiment->watchdog);
    stall_rest(&monitor->stall, monitor_now_ns(monitor));
}

void monitor_close_in_time(const struct monitor *monitor)
{
    const struct trial_watch *watch = monitor->watch;
    struct trial_memory *memory = monitor->memory;
    uint64_t now_ns = monitor_now_ns(monitor);
    bool has_enough =
        watch->has_enough != NULL && memory->plan->workload == WORKLOAD_STEADY &&
        watch->has_enough(watch->context, memory, now_ns - monitor->experiment->started_ns);
    if (has_enough || now_ns >= monitor->closes_ns)
        atomic_store(&memory->closed, true);
}

/* ------------------------------------------------------------------ what the watchdog asks */

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
    const struct trial_watch *watch = monitor->watch;
    stall_look(&monitor->stall, now_ns, absent_ns);
    show_progress(monitor);
    if (watch->has_company != NULL && !watch->has_company(watch->context))
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
    return monitor->memory->plan->fleet.driver != DRIVER_SIMULATED &&
           (monitor->opened_ns == 0 ||
            stall_lasts_ns(&monitor->stall, monitor_now_ns(monitor)) > 0);
}

/* In the middle of a trial a server that takes long to answer stalls. */
static void asked(void *context, uint64_t longest_ns)
{
    struct monitor *monitor = context;
    stall_question(&monitor->stall, monitor_now_ns(monitor), longest_ns);
}

const struct watchdog_kind monitor_kind = {movement, look, received, is_owed, asked};
