// SPDX-License-Identifier: Apache-2.0
#include "trial/trial.h"

#include "base/memory.h"
#include "measure/statistics.h"
#include "trial/lock_session.h"

#include <stdio.h>
#include <stdlib.h>

struct run {
    const struct trial_plan *plan;
    const struct trial_watch *watch;
    struct trial_memory *memory;
    struct experiment experiment;
    struct monitor monitor;
    bool answered; /* all servers did, after the trial */
};

/* ------------------------------------------------------------------ adding up */

static void add_workers(const struct run *run, struct trial_result *result)
{
    for (uint32_t i = 0; i < run->plan->fleet.processes; i++) {
        const struct lock_worker *worker = &run->memory->workers[i];
        const struct shared_worker *place = &run->memory->fleet->workers[i];
        tally_sum(&result->total, &worker->total);
        result->client_cpu_ns += place->cpu_ns;
        result->client_rss_kib += place->rss_kib;
        result->reconnects += atomic_load(&place->reconnects);
        histogram_add(result->late, &worker->late);
        for (int role = 0; role < ROLES; role++) {
            for (int kind = 0; kind < METER_KINDS; kind++)
                histogram_add(&result->latency_of[role][kind], &worker->latency[role][kind]);
        }
    }
    /* The whole is the sum of its roles. */
    for (int role = 0; role < ROLES; role++) {
        bool has_any = false;
        for (int kind = 0; kind < METER_KINDS; kind++) {
            const struct histogram *part = &result->latency_of[role][kind];
            histogram_add(&result->latency[kind], part);
            has_any = has_any || histogram_recorded(part) > 0;
        }
        result->roles += has_any;
    }
}

static uint64_t interval_ns(uint64_t from_ns, uint64_t to_ns)
{
    return from_ns != 0 && to_ns > from_ns ? to_ns - from_ns : 0;
}

static void add_sessions(const struct run *run, struct trial_result *result)
{
    uint32_t sessions = run->plan->fleet.sessions;
    uint64_t *acquisitions = memory_new(sessions, sizeof *acquisitions), sum_ns = 0, released = 0;
    for (uint32_t i = 0; i < sessions; i++) {
        const struct trial_session_report *session = &run->memory->sessions[i];
        acquisitions[i] = session->acquisitions;
        sum_ns += interval_ns(run->experiment.started_ns, session->released_ns);
        released += session->released_ns > 0;
    }
    result->fairness_jain = statistics_jain(acquisitions, sessions);
    result->client_ns = released > 0 ? sum_ns / released : 0;
    free(acquisitions);
}

/* found: of experiment_reconcile. */
static void add_reconciliation(struct trial_memory *memory, const struct reconcile_result *found,
                               struct trial_result *result)
{
    result->reconciled = found->reconciled;
    result->others_packets = found->others_packets;
    snprintf(result->not_reconciled, sizeof result->not_reconciled, "%s", found->why);
    if (found->had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", found->why);
    if (found->reconciled == RECONCILED_NO)
        trial_memory_violate(memory,
                             &(struct violation){.kind = VIOLATION_SERVERS,
                                                 .handoff = trial_memory_rows_used(memory, 0) - 1,
                                                 .counter = found->counter,
                                                 .expected = (int64_t)found->sessions,
                                                 .found = (int64_t)found->servers});
}

/* What the processes have left in the shared memory. */
static void add_memory(const struct run *run, struct trial_result *result)
{
    const struct trial_memory *memory = run->memory;
    uint64_t gate_ns = run->experiment.started_ns, last_ns = atomic_load(&memory->last_released_ns);
    result->elapsed_ns = interval_ns(gate_ns, last_ns);
    result->drain_ns = interval_ns(atomic_load(&memory->first_release_ns), last_ns);
    for (uint32_t lock = 0; lock < run->plan->locks; lock++) {
        result->handoffs += atomic_load(&memory->locks[lock].grants);
        result->inversions += atomic_load(&memory->locks[lock].inversions);
    }
    result->had_death = !injection_none_yet(memory);
    result->died_session = atomic_load(&memory->died_session);
    result->died_handoff = atomic_load(&memory->died_handoff);
    result->losses = atomic_load(&memory->fleet->losses);
    result->recovery_ns = atomic_load(&memory->recovery_ns);
    result->repairs = atomic_load(&memory->repairs);
    result->tasks_done = atomic_load(&memory->tasks_done);
    add_sessions(run, result);
}

static enum error_kind check_znodes(const struct run *run, enum fleet_end end, struct error *error)
{
    struct trial_memory *memory = run->memory;
    struct setup_session *setup = run->experiment.setup;
    bool done = end == END_DONE, at_deadline = end == END_DEADLINE;
    enum error_kind kind = ERROR_NONE;
    if (done || at_deadline)
        kind = setup_session_catch_up(setup, run->plan->root, error);
    if (kind == ERROR_NONE && done)
        kind = znodes_check_leftovers(memory, setup, error);
    if (kind == ERROR_NONE && done)
        kind = znodes_check_counters(memory, setup, error);
    /* A server that hangs keeps back what its sessions wait for. */
    if (kind == ERROR_NONE && at_deadline && run->answered)
        kind = znodes_check_wakeups(memory, setup, error);
    return kind;
}

/* To be called right after the servers were asked, while the sessions are still open. */
static void add_up(struct run *run, struct trial_result *result)
{
    struct trial_memory *memory = run->memory;
    struct experiment *experiment = &run->experiment;
    const struct reconcile_result reconciled = experiment_reconcile(
        experiment, (struct reconcile_facts){.servers = result->servers,
                                             .sessions = &result->total,
                                             .had_death = !injection_none_yet(memory),
                                             .exits = atomic_load(&memory->exits)});
    bool done = experiment->end == END_DONE;
    result->end = experiment->end;
    add_memory(run, result);
    if (check_znodes(run, result->end, &experiment->error) != ERROR_NONE) {
        experiment->end = END_ERROR;
        return;
    }
    if (done && run->plan->pace == PACE_LOCKSTEP && !result->had_death) {
        result->has_law = result->losses == 0;
        if (!result->has_law)
            snprintf(result->not_valid, sizeof result->not_valid,
                     "sessions lost their connections (%u): the law does not apply",
                     result->losses);
    }
    if (done) {
        trial_memory_check_ledger(memory, &result->total);
        add_reconciliation(memory, &reconciled, result);
    }
    result->violation_count = atomic_load(&memory->violation_count);
    ending_describe(memory, &experiment->counters, result->end, result->reason,
                    sizeof result->reason);
}

/* ------------------------------------------------------------------ from the gate to the end */

static enum fleet_end lead_free(struct monitor *monitor)
{
    struct shared *fleet = monitor->memory->fleet;
    enum fleet_end end = END_DONE;
    while (end == END_DONE && atomic_load(&fleet->finished) < fleet->plan->sessions) {
        monitor_close_in_time(monitor);
        end = watchdog_wait(&monitor->experiment->watchdog, WATCHDOG_TURN_NS);
    }
    return end;
}

/* Until the trial is done or cannot go on: under lockstep every step, in free pace until all
 * sessions have finished and have received all notifications that the servers have sent. */
static enum fleet_end lead(struct run *run, struct tally *law)
{
    struct experiment *experiment = &run->experiment;
    struct trial_memory *memory = run->memory;
    const struct trial_watch *watch = run->watch;
    bool in_steps = run->plan->pace == PACE_LOCKSTEP;
    monitor_open(&run->monitor);
    if (watch->opened != NULL)
        watch->opened(watch->context);
    shared_enter(memory->fleet, PHASE_RUN);
    enum fleet_end end = in_steps ? lockstep_lead(&run->monitor, law) : lead_free(&run->monitor);
    /* What comes behind the last session, such as questions to the servers, is no contention. */
    if (watch->ended != NULL)
        watch->ended(watch->context);
    /* A session that has died does not receive the notifications that the servers send it. */
    if (end == END_DONE && !in_steps && injection_none_yet(memory))
        end = under_way_receive(&experiment->watchdog, &experiment->at_start);
    if (end == END_DONE)
        end = under_way_settle(&experiment->watchdog);
    return end == END_DONE && atomic_load(&memory->overflowed) ? END_OVERFLOW : end;
}

/* A trial that was cut short has a reason of its own: that a server does not tell its counters then
 * is no error, unless it is a private one, which has died. */
static void read_servers(struct run *run, struct trial_result *result)
{
    struct experiment *experiment = &run->experiment;
    bool is_done = experiment->end == END_DONE;
    struct error why;
    enum error_kind kind =
        experiment_read_servers(experiment, is_done, &result->total,
                                atomic_load(&run->memory->exits), &result->servers, &why);
    run->answered = kind == ERROR_NONE;
    if (run->answered || (!is_done && experiment->ensemble == NULL))
        return;
    experiment->error = why;
    experiment->end = END_ERROR;
}

static void run_sessions(struct run *run, struct trial_result *result)
{
    struct experiment *experiment = &run->experiment;
    experiment_start(experiment, run->memory->fleet, &lock_session_ops, run->memory);
    if (!experiment->are_working)
        return;
    experiment_gate(experiment);
    experiment_read_start(experiment);
    if (experiment->end == END_DONE)
        experiment->end = lead(run, &result->law);
    stall_end(&run->monitor.stall, monitor_now_ns(&run->monitor), experiment->end == END_DEADLINE);
    result->stalls = run->monitor.stall.found;
    experiment_stop(experiment);
    if (experiment->end == END_ERROR)
        return;
    add_workers(run, result);
    read_servers(run, result);
    if (experiment->end != END_ERROR)
        add_up(run, result);
}

/* ------------------------------------------------------------------ the whole */

static void run_trial(struct run *run, const struct trial_host *host, struct trial_result *result)
{
    struct experiment *experiment = &run->experiment;
    *experiment = (struct experiment){
        .plan = &run->plan->fleet,
        .root = run->plan->root,
        .ensemble = host->ensemble,
        .setup = host->setup,
        .counters = {.servers = host->servers, .companions = host->companions},
        .watchdog = {.interrupt_descriptor = host->watch.interrupt_descriptor,
                     .kind = &monitor_kind,
                     .context = &run->monitor},
    };
    run->monitor = (struct monitor){.experiment = experiment,
                                    .memory = run->memory,
                                    .watch = run->watch,
                                    .closes_ns = UINT64_MAX};
    experiment_open(experiment, host->simulation);
    if (experiment->end == END_DONE)
        experiment->end =
            fleet_end_of(znodes_lay_out(run->memory, experiment->setup, &experiment->error));
    run_sessions(run, result);
    experiment_close(experiment);
}

enum error_kind trial_run(const struct trial_plan *plan, const struct trial_host *host,
                          struct trial_result **result, struct error *error)
{
    struct trial_memory *memory = NULL;
    enum error_kind kind = trial_memory_new(plan, &memory, error);
    if (kind != ERROR_NONE)
        return kind;
    struct trial_result *made = memory_new(1, sizeof *made);
    made->memory = memory;
    made->late = memory->sums;
    made->latency = memory->sums + 1;
    made->latency_of = (struct histogram(*)[METER_KINDS])(made->latency + METER_KINDS);
    struct run run = {.plan = plan, .watch = &host->watch, .memory = memory};
    run_trial(&run, host, made);
    if (run.experiment.end != END_ERROR) {
        *result = made;
        return ERROR_NONE;
    }
    *error = run.experiment.error;
    trial_result_free(made);
    return error->kind;
}

void trial_result_free(struct trial_result *result)
{
    if (result == NULL)
        return;
    trial_memory_free(result->memory);
    free(result);
}
