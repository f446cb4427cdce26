// SPDX-License-Identifier: Apache-2.0
#include "trial/trial.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fleet/server_counters.h"
#include "fleet/workers.h"
#include "measure/statistics.h"
#include "trial/internal.h"

#include <stdio.h>
#include <stdlib.h>

/* How long the servers are given to carry out the last closing of a session, and to answer pings
 * that they have received, and how often they are asked. */
#define CLOSING_NS      (2 * NS_PER_S)
#define CLOSING_STEP_NS (5 * NS_PER_MS)

struct run {
    const struct trial_plan *plan;
    const struct trial_host *host;
    struct setup_session *setup; /* the host's, or the simulation's own */
    struct server_counters counters;
    struct trial_memory *memory;
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

static enum error_kind add_sessions(const struct run *run, uint64_t gate_ns,
                                    struct trial_result *result, struct error *error)
{
    uint32_t sessions = run->plan->fleet.sessions;
    uint64_t *acquisitions = calloc(sessions, sizeof *acquisitions), sum_ns = 0, released = 0;
    if (acquisitions == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "trial", "%s", "");
    for (uint32_t i = 0; i < sessions; i++) {
        const struct trial_session_report *session = &run->memory->sessions[i];
        acquisitions[i] = session->acquisitions;
        sum_ns += interval_ns(gate_ns, session->released_ns);
        released += session->released_ns > 0;
    }
    result->fairness_jain = statistics_jain(acquisitions, sessions);
    result->client_ns = released > 0 ? sum_ns / released : 0;
    free(acquisitions);
    return ERROR_NONE;
}

/* To be called right after the servers were asked. */
static struct reconcile_facts facts_of(const struct run *run, const struct coordinator_result *led,
                                       const struct trial_result *result)
{
    const struct shared *fleet = run->memory->fleet;
    struct reconcile_facts facts = {
        .servers = result->servers,
        .sessions = &result->total,
        .untold = &run->counters.untold,
        .are_private = server_counters_is_private(&run->counters),
        .is_shared = server_counters_is_shared(&led->at_gate, run->plan->fleet.sessions),
        .has_companions = run->host->companions > 0,
        .had_death = !injection_none_yet(run->memory),
        .exits = atomic_load(&run->memory->exits),
        .reconnects = result->reconnects,
        .authenticates = identity_is_known(run->plan->fleet.servers->identity),
        .losses = atomic_load(&fleet->losses),
        .setup_session_stayed = setup_session_stayed(run->setup, led->gate_ns),
    };
    if (run->counters.sim == NULL) /* nobody pings there */
        facts.pings_most = setup_session_pings(run->setup, led->gate_ns) +
                           shared_pings_most(fleet, loop_now_ns(&run->setup->session.loop));
    return facts;
}

static void add_reconciliation(const struct run *run, const struct reconcile_facts *facts,
                               struct trial_result *result)
{
    struct reconcile_result found = reconcile(facts);
    result->reconciled = found.reconciled;
    result->others_packets = found.others_packets;
    snprintf(result->not_reconciled, sizeof result->not_reconciled, "%s", found.why);
    if (found.had_strangers)
        snprintf(result->not_valid, sizeof result->not_valid, "%s", found.why);
    if (found.reconciled == RECONCILED_NO)
        trial_memory_violate(
            run->memory, &(struct violation){.kind = VIOLATION_SERVERS,
                                             .handoff = trial_memory_rows_used(run->memory, 0) - 1,
                                             .counter = found.counter,
                                             .expected = (int64_t)found.sessions,
                                             .found = (int64_t)found.servers});
}

static enum error_kind add_up(struct run *run, const struct coordinator_result *led,
                              struct trial_result *result, struct error *error)
{
    struct trial_memory *memory = run->memory;
    uint64_t last_ns = atomic_load(&memory->last_released_ns);
    const struct reconcile_facts facts = facts_of(run, led, result);
    bool done = led->end == END_DONE, at_deadline = led->end == END_DEADLINE;
    bool led_in_steps = run->plan->pace == PACE_LOCKSTEP && done;
    result->end = led->end;
    result->law = led->law;
    result->stalls = led->stalls;
    result->elapsed_ns = interval_ns(led->gate_ns, last_ns);
    result->drain_ns = interval_ns(atomic_load(&memory->first_release_ns), last_ns);
    for (uint32_t lock = 0; lock < run->plan->locks; lock++) {
        result->handoffs += atomic_load(&memory->locks[lock].grants);
        result->inversions += atomic_load(&memory->locks[lock].inversions);
    }
    result->had_death = facts.had_death;
    result->died_session = atomic_load(&memory->died_session);
    result->died_handoff = atomic_load(&memory->died_handoff);
    result->losses = atomic_load(&memory->fleet->losses);
    result->recovery_ns = atomic_load(&memory->recovery_ns);
    result->repairs = atomic_load(&memory->repairs);
    result->tasks_done = atomic_load(&memory->tasks_done);
    enum error_kind kind = add_sessions(run, led->gate_ns, result, error);
    if (kind == ERROR_NONE && (done || at_deadline))
        kind = setup_session_catch_up(run->setup, run->plan->root, error);
    if (kind == ERROR_NONE && done)
        kind = znodes_check_leftovers(memory, run->setup, error);
    if (kind == ERROR_NONE && done)
        kind = znodes_check_counters(memory, run->setup, error);
    /* A server that hangs keeps back what its sessions wait for. */
    if (kind == ERROR_NONE && at_deadline && run->answered)
        kind = znodes_check_wakeups(memory, run->setup, error);
    if (kind != ERROR_NONE)
        return kind;
    result->has_law = led_in_steps && !result->had_death && result->losses == 0;
    if (led_in_steps && !result->had_death && result->losses > 0)
        snprintf(result->not_valid, sizeof result->not_valid,
                 "sessions lost their connections (%u): the law does not apply", result->losses);
    if (done) {
        trial_memory_check_ledger(memory, &result->total);
        add_reconciliation(run, &facts, result);
    }
    result->violation_count = atomic_load(&memory->violation_count);
    ending_describe(memory, &run->counters, result->end, result->reason, sizeof result->reason);
    return kind;
}

/* ------------------------------------------------------------------ the whole */

/* Reads the servers' counters until they have carried out the closings of sessions that left: a
 * session that leaves last leaves nobody behind who would wait for what follows from it. And, where
 * nobody else sends anything, until they have answered the pings that they have received. */
static enum error_kind read_whole(struct run *run, const struct workers *workers,
                                  const struct coordinator_result *led, struct trial_result *result,
                                  struct error *error)
{
    const struct loop *loop = &run->setup->session.loop;
    uint64_t until_ns = loop_now_ns(loop) + CLOSING_NS;
    for (;;) {
        struct server_counters_reading at_end;
        enum error_kind kind = server_counters_read(&run->counters, &at_end, error);
        if (kind != ERROR_NONE)
            return kind;
        result->servers = server_counters_subtract(&led->at_gate, &at_end);
        if (led->end != END_DONE || loop_now_ns(loop) >= until_ns)
            return ERROR_NONE;
        if (!server_counters_is_behind(&result->servers, &result->total,
                                       atomic_load(&run->memory->exits)) &&
            !server_counters_await_answers(&run->counters, &led->at_gate, run->plan->fleet.sessions,
                                           &result->servers))
            return ERROR_NONE;
        kind = workers_turn(workers, loop, CLOSING_STEP_NS, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}

/* Leads the workers, reads what the servers counted, and adds up while the sessions and the shared
 * memory are still there. */
static enum error_kind run_workers(struct run *run, struct trial_result *result,
                                   struct error *error)
{
    struct workers workers;
    struct coordinator_result led;
    struct error why;
    const struct fleet fleet = {run->memory->fleet, &lock_session_ops, run->memory,
                                run->plan->root};
    run->counters.own = &run->setup->session;
    enum error_kind kind =
        workers_start(&workers, &fleet, run->setup, run->counters.sim, run->host->ensemble, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = coordinator_lead(&workers, run->setup, &run->counters, &run->host->watch, &led, error);
    if (kind == ERROR_NONE) {
        add_workers(run, result);
        /* A trial that was cut short has a reason of its own: that a server does not tell its
         * counters then is no error, unless it is a private one, which has died. */
        kind = read_whole(run, &workers, &led, result, &why);
        run->answered = kind == ERROR_NONE;
        if (kind != ERROR_NONE && (led.end == END_DONE || run->host->ensemble != NULL))
            *error = why;
        else
            kind = add_up(run, &led, result, error);
    }
    workers_end(&workers);
    return kind;
}

/* On the host's servers. */
static enum error_kind run_on_servers(struct run *run, struct trial_result *result,
                                      struct error *error)
{
    run->setup = run->host->setup;
    run->counters.ensemble = run->host->ensemble;
    enum error_kind kind = znodes_lay_out(run->memory, run->setup, error);
    if (kind == ERROR_NONE)
        kind = run_workers(run, result, error);
    if (kind == ERROR_NONE)
        return setup_session_delete_tree(run->setup, run->plan->root, error);
    /* The first error stands. A private server that has failed takes its znodes with it. */
    struct error second;
    if (run->host->ensemble == NULL)
        (void)!setup_session_delete_tree(run->setup, run->plan->root, &second);
    return kind;
}

/* In a simulation made for this trial: it ends with all that is in it. */
static enum error_kind run_in_simulation(struct run *run, struct trial_result *result,
                                         struct error *error)
{
    struct sim_options options = *run->host->simulation;
    struct sim *sim = NULL;
    options.seed = run->plan->fleet.seed;
    enum error_kind kind = sim_new(&options, &sim, error);
    if (kind != ERROR_NONE)
        return kind;
    run->counters.sim = sim;
    kind = setup_session_new_simulated(sim, run->plan->fleet.timeout_ns, &run->setup, error);
    if (kind == ERROR_NONE)
        kind = znodes_lay_out(run->memory, run->setup, error);
    if (kind == ERROR_NONE)
        kind = run_workers(run, result, error);
    setup_session_free(run->setup);
    sim_free(sim);
    return kind;
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
    struct run run = {
        .plan = plan,
        .host = host,
        .counters = {.servers = host->servers, .companions = host->companions},
        .memory = memory,
    };
    kind = plan->fleet.driver == DRIVER_SIMULATED ? run_in_simulation(&run, made, error)
                                                  : run_on_servers(&run, made, error);
    if (kind == ERROR_NONE)
        *result = made;
    else
        trial_result_free(made);
    return kind;
}

void trial_result_free(struct trial_result *result)
{
    if (result == NULL)
        return;
    trial_memory_free(result->memory);
    free(result);
}
