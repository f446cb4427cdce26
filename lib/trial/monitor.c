// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"
#include "trial/trial.h"

void monitor_open(struct trial *trial)
{
    const struct trial_plan *plan = trial->memory->plan;
    uint64_t gate_ns = trial->experiment.started_ns;
    bool ends_by_time = plan->workload == WORKLOAD_STEADY && plan->handoffs == 0;
    trial->opened_ns = clock_now_ns();
    trial->closes_ns = ends_by_time ? gate_ns + plan->duration_ns : UINT64_MAX;
    experiment_rest(&trial->experiment);
    if (plan->fleet.driver != DRIVER_SIMULATED)
        stall_begin(&trial->stall, trial->memory, gate_ns);
}

void monitor_rest(struct trial *trial)
{
    experiment_rest(&trial->experiment);
    stall_rest(&trial->stall, experiment_now_ns(&trial->experiment));
}

void monitor_close_in_time(struct trial *trial)
{
    const struct trial_watch *watch = trial->watch;
    struct trial_memory *memory = trial->memory;
    uint64_t now_ns = experiment_now_ns(&trial->experiment);
    bool has_enough =
        watch->has_enough != NULL && memory->plan->workload == WORKLOAD_STEADY &&
        watch->has_enough(watch->context, memory, now_ns - trial->experiment.started_ns);
    if (has_enough || now_ns >= trial->closes_ns)
        atomic_store(&memory->closed, true);
}

/* ------------------------------------------------------------------ what the experiment asks */

static void show_progress(struct trial *trial)
{
    const struct trial_watch *watch = trial->watch;
    const struct trial_memory *memory = trial->memory;
    const struct trial_plan *plan = memory->plan;
    uint64_t now_ns = clock_now_ns();
    if (watch->progress == NULL || now_ns - trial->shown_ns < EXPERIMENT_TURN_NS)
        return;
    trial->shown_ns = now_ns;
    /* Under lockstep all arrive, one after another, before the first release. */
    bool arriving = plan->pace == PACE_LOCKSTEP && atomic_load(&memory->first_release_ns) == 0;
    struct trial_progress progress = {
        .rpcs = trial_memory_requests(memory),
        .established = atomic_load(&memory->fleet->established),
        .losses = atomic_load(&memory->fleet->losses),
        .elapsed_ns = trial->opened_ns == 0 ? 0 : now_ns - trial->opened_ns,
        .stalled_ns = stall_lasts_ns(&trial->stall, now_ns),
        .stalled_at = trial->stall.server,
        .arrivals_due = arriving ? plan->fleet.sessions : 0,
    };
    for (uint32_t i = 0; i < plan->locks; i++) {
        const struct lock_state *lock = &memory->locks[i];
        uint64_t due = plan_handoffs_of(plan, i);
        progress.passages +=
            atomic_load(&lock->passages[PASSAGE_IN]) + atomic_load(&lock->passages[PASSAGE_OUT]);
        progress.arrivals += atomic_load(&lock->arrivals);
        progress.handoffs += atomic_load(&lock->grants);
        progress.handoffs_due = due == UINT64_MAX ? due : progress.handoffs_due + due;
    }
    if (plan->recipe->barrier)
        progress.passages_due = 2 * (uint64_t)plan_nesting(plan) * progress.handoffs_due;
    watch->progress(watch->context, &progress);
}

static struct tally counted(void *context)
{
    return trial_memory_total(((struct trial *)context)->memory);
}

static enum fleet_end waited(void *context, uint64_t now_ns, uint64_t absent_ns)
{
    struct trial *trial = context;
    stall_check(&trial->stall, now_ns, absent_ns);
    show_progress(trial);
    return atomic_load(&trial->memory->violation_count) > 0 ? END_VIOLATION : END_DONE;
}

/* Simulated servers lose no wake-up. */
static bool is_owed(void *context)
{
    const struct trial *trial = context;
    return trial->memory->plan->fleet.driver != DRIVER_SIMULATED &&
           (trial->opened_ns == 0 ||
            stall_lasts_ns(&trial->stall, experiment_now_ns(&trial->experiment)) > 0);
}

/* In the middle of a trial a server that takes long to answer stalls. */
static void asked(void *context, uint64_t longest_ns)
{
    struct trial *trial = context;
    stall_question(&trial->stall, experiment_now_ns(&trial->experiment), longest_ns);
}

const struct experiment_kind monitor_kind = {counted, waited, is_owed, asked};
