// SPDX-License-Identifier: Apache-2.0
#include "trial/trial.h"

#include "base/memory.h"
#include "measure/statistics.h"
#include "trial/lock_session.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ adding up */

static void add_workers(const struct trial_memory *memory, struct trial_result *result)
{
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        const struct lock_worker *worker = &memory->workers[i];
        const struct shared_worker *place = &memory->fleet->workers[i];
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

/* What the processes have left in the shared memory. */
static void add_memory(const struct trial_memory *memory, uint64_t gate_ns,
                       struct trial_result *result)
{
    uint32_t sessions = memory->plan->fleet.sessions;
    uint64_t *acquisitions = memory_new(sessions, sizeof *acquisitions), sum_ns = 0, released = 0;
    uint64_t last_ns = atomic_load(&memory->last_released_ns);
    result->elapsed_ns = interval_ns(gate_ns, last_ns);
    result->drain_ns = interval_ns(atomic_load(&memory->first_release_ns), last_ns);
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        result->handoffs += atomic_load(&memory->locks[lock].grants);
        result->inversions += atomic_load(&memory->locks[lock].inversions);
    }
    for (uint32_t i = 0; i < sessions; i++) {
        acquisitions[i] = memory->sessions[i].acquisitions;
        sum_ns += interval_ns(gate_ns, memory->sessions[i].released_ns);
        released += memory->sessions[i].released_ns > 0;
    }
    result->fairness_jain = statistics_jain(acquisitions, sessions);
    result->client_ns = released > 0 ? sum_ns / released : 0;
    result->had_death = !injection_none_yet(memory);
    result->died_session = atomic_load(&memory->died_session);
    result->died_handoff = atomic_load(&memory->died_handoff);
    result->losses = atomic_load(&memory->fleet->losses);
    result->recovery_ns = atomic_load(&memory->recovery_ns);
    result->repairs = atomic_load(&memory->repairs);
    result->tasks_done = atomic_load(&memory->tasks_done);
    free(acquisitions);
}

static void add_reconciliation(struct trial_memory *memory, const struct reconcile_result *found,
                               struct trial_result *result)
{
    result->reconcile = *found;
    if (found->had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", found->why);
    if (found->reconciled == RECONCILED_NO)
        trial_memory_violate(memory, 0, trial_memory_rows_used(memory, 0) - 1,
                             (struct violation){.kind = VIOLATION_SERVERS,
                                                .counter = found->counter,
                                                .expected = (int64_t)found->sessions,
                                                .found = (int64_t)found->servers});
}

/* A server that hangs keeps back what its sessions wait for: lost wake-ups are looked for only if
 * all servers have answered after the trial. */
static enum error_kind check_znodes(struct trial *trial, bool answered)
{
    struct experiment *experiment = &trial->experiment;
    struct setup_session *setup = experiment->setup;
    struct error *error = &experiment->error;
    bool done = experiment->end == END_DONE;
    enum error_kind kind = ERROR_NONE;
    if (done || experiment->end == END_DEADLINE)
        kind = setup_session_catch_up(setup, experiment->root, error);
    if (kind == ERROR_NONE && done)
        kind = znodes_check_end(trial->memory, setup, error);
    else if (kind == ERROR_NONE && experiment->end == END_DEADLINE && answered)
        kind = znodes_check_wakeups(trial->memory, setup, error);
    return kind;
}

/* Right after the servers were asked, while the sessions are still open; answered: all were. */
static void add_up(struct trial *trial, bool answered, struct trial_result *result)
{
    struct trial_memory *memory = trial->memory;
    struct experiment *experiment = &trial->experiment;
    const struct reconcile_result reconciled = experiment_reconcile(
        experiment, (struct reconcile_facts){.servers = result->servers,
                                             .sessions = &result->total,
                                             .had_death = !injection_none_yet(memory),
                                             .exits = atomic_load(&memory->exits)});
    bool done = experiment->end == END_DONE;
    result->end = experiment->end;
    add_memory(memory, experiment->started_ns, result);
    if (check_znodes(trial, answered) != ERROR_NONE) {
        experiment->end = END_ERROR;
        return;
    }
    if (done && memory->plan->pace == PACE_LOCKSTEP && !result->had_death) {
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

/* Until the trial is done or cannot go on: under lockstep every step, in free pace until all
 * sessions have finished and have received all notifications that the servers have sent. */
static void run_sessions(struct trial *trial, struct tally *law)
{
    struct experiment *experiment = &trial->experiment;
    struct trial_memory *memory = trial->memory;
    struct shared *fleet = memory->fleet;
    const struct trial_watch *watch = trial->watch;
    void *company = experiment->host->company;
    bool in_steps = memory->plan->pace == PACE_LOCKSTEP;
    monitor_open(trial);
    if (watch->opened != NULL)
        watch->opened(company);
    shared_enter(fleet, PHASE_RUN);
    if (in_steps)
        lockstep_run(trial, law);
    while (!in_steps && experiment_goes_on(experiment) &&
           atomic_load(&fleet->finished) < fleet->plan->sessions) {
        monitor_close_in_time(trial);
        experiment_wait(experiment, EXPERIMENT_TURN_NS);
    }
    /* What comes behind the last session, such as questions to the servers, is no contention. */
    if (watch->ended != NULL)
        watch->ended(company);
    /* A session that has died does not receive the notifications that the servers send it. */
    if (experiment_goes_on(experiment) && !in_steps && injection_none_yet(memory))
        experiment_await_notifications(experiment);
    experiment_await_setup(experiment);
    if (experiment_goes_on(experiment) && atomic_load(&memory->overflowed))
        experiment->end = END_OVERFLOW;
}

static void measure(struct trial *trial, struct trial_result *result)
{
    struct experiment *experiment = &trial->experiment;
    struct error why;
    experiment_start(experiment, trial->memory->fleet, &lock_session_ops, trial->memory);
    if (!experiment->are_working)
        return;
    experiment_gate(experiment);
    experiment_read_start(experiment);
    if (experiment_goes_on(experiment))
        run_sessions(trial, &result->law);
    stall_end(&trial->stall, experiment_now_ns(&trial->experiment),
              experiment->end == END_DEADLINE);
    result->stalls = trial->stall.found;
    experiment_stop(experiment);
    if (experiment->end == END_ERROR)
        return;
    add_workers(trial->memory, result);
    /* After a trial that was cut short, counters that a server does not report are no error, unless
     * it is a private one, which has died. */
    bool answered =
        experiment_read_servers(experiment, &result->total, atomic_load(&trial->memory->exits),
                                &result->servers, &why) == ERROR_NONE;
    if (answered || (!experiment_goes_on(experiment) && experiment->host->ensemble == NULL)) {
        add_up(trial, answered, result);
    } else {
        experiment->error = why;
        experiment->end = END_ERROR;
    }
}

/* ------------------------------------------------------------------ the whole */

enum error_kind trial_run(const struct trial_plan *plan, const struct fleet_host *host,
                          const struct trial_watch *watch, struct trial_result **result,
                          struct error *error)
{
    static const struct trial_watch none = {.context = NULL};
    struct trial trial = {.watch = watch != NULL ? watch : &none, .closes_ns = UINT64_MAX};
    struct experiment *experiment = &trial.experiment;
    enum error_kind kind = trial_memory_new(plan, &trial.memory, error);
    if (kind != ERROR_NONE)
        return kind;
    struct trial_result *made = memory_new(1, sizeof *made);
    made->memory = trial.memory;
    made->late = trial.memory->sums;
    made->latency = trial.memory->sums + 1;
    made->latency_of = (struct histogram(*)[METER_KINDS])(made->latency + METER_KINDS);
    /* A step of lockstep causes all messages of a herd; in free pace messages are no progress. */
    *experiment = (struct experiment){.plan = &plan->fleet,
                                      .host = host,
                                      .root = plan->root,
                                      .kind = &monitor_kind,
                                      .context = &trial,
                                      .requests_move = plan->pace == PACE_LOCKSTEP};
    experiment_open(experiment);
    if (experiment_goes_on(experiment))
        experiment_check(experiment,
                         znodes_lay_out(trial.memory, experiment->setup, &experiment->error));
    measure(&trial, made);
    experiment_close(experiment);
    if (experiment->end != END_ERROR) {
        *result = made;
        return ERROR_NONE;
    }
    *error = experiment->error;
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
