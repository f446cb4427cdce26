// SPDX-License-Identifier: Apache-2.0
#include "fleet/experiment.h"

/* How long the servers are given to catch up at the end, and how often they are asked. */
#define CATCHING_UP_NS      (2 * NS_PER_S)
#define CATCHING_UP_TURN_NS (5 * NS_PER_MS)

static enum error_kind make_simulation(struct experiment *experiment,
                                       const struct sim_options *simulation)
{
    struct sim_options options = *simulation;
    options.seed = experiment->plan->seed;
    experiment->setup = NULL;
    enum error_kind kind = sim_new(&options, &experiment->counters.sim, &experiment->error);
    if (kind != ERROR_NONE)
        return kind;
    return setup_session_new_simulated(experiment->counters.sim, experiment->plan->timeout_ns,
                                       &experiment->setup, &experiment->error);
}

static enum error_kind make_root(struct experiment *experiment)
{
    struct error *error = &experiment->error;
    enum error_kind kind = setup_session_create_parent(experiment->setup, experiment->root, error);
    if (kind == ERROR_NONE)
        kind = setup_session_create(experiment->setup, experiment->root, error);
    experiment->has_root = kind == ERROR_NONE;
    return kind;
}

void experiment_open(struct experiment *experiment, const struct sim_options *simulation)
{
    enum error_kind kind = ERROR_NONE;
    if (experiment->plan->driver == DRIVER_SIMULATED)
        kind = make_simulation(experiment, simulation);
    else
        experiment->counters.ensemble = experiment->ensemble;
    if (kind == ERROR_NONE) {
        experiment->counters.own = &experiment->setup->session;
        kind = make_root(experiment);
    }
    experiment->end = fleet_end_of(kind);
}

void experiment_start(struct experiment *experiment, struct shared *shared,
                      const struct actor_ops *ops, void *kind)
{
    const struct fleet fleet = {shared, ops, kind, experiment->root};
    struct watchdog *watchdog = &experiment->watchdog;
    if (experiment->end != END_DONE)
        return;
    experiment->end = fleet_end_of(workers_start(&experiment->workers, &fleet, experiment->setup,
                                                 experiment->counters.sim, experiment->ensemble,
                                                 &experiment->error));
    experiment->are_working = experiment->end == END_DONE;
    if (!experiment->are_working)
        return;
    watchdog->workers = &experiment->workers;
    watchdog->counters = &experiment->counters;
    watchdog->setup = experiment->setup;
    watchdog->error = &experiment->error;
    watchdog_rest(watchdog);
    experiment->end = fleet_end_of(watchdog_start(watchdog));
}

void experiment_gate(struct experiment *experiment)
{
    if (experiment->end == END_DONE)
        experiment->end = gate_await_sessions(&experiment->watchdog);
    if (experiment->end == END_DONE)
        experiment->end = fleet_end_of(gate_note_roles(&experiment->watchdog));
}

void experiment_read_start(struct experiment *experiment)
{
    if (experiment->end != END_DONE)
        return;
    experiment->end = gate_read_counters(&experiment->watchdog, &experiment->at_start);
    experiment->started_ns = watchdog_now_ns(&experiment->watchdog);
}

void experiment_stop(struct experiment *experiment)
{
    if (experiment->end != END_ERROR && gate_close(&experiment->watchdog) != ERROR_NONE)
        experiment->end = END_ERROR;
    watchdog_stop(&experiment->watchdog);
}

enum error_kind experiment_read_servers(struct experiment *experiment, bool is_done,
                                        const struct tally *sent, uint64_t exits,
                                        struct server_counters_count *count, struct error *error)
{
    struct server_counters *counters = &experiment->counters;
    const struct server_counters_reading *at_start = &experiment->at_start;
    const struct loop *loop = &experiment->setup->session.loop;
    uint64_t until_ns = loop_now_ns(loop) + CATCHING_UP_NS;
    for (;;) {
        struct server_counters_reading at_end;
        enum error_kind kind = server_counters_read(counters, &at_end, error);
        if (kind != ERROR_NONE)
            return kind;
        *count = server_counters_subtract(at_start, &at_end);
        if (!is_done || loop_now_ns(loop) >= until_ns ||
            (!server_counters_is_behind(count, sent, exits) &&
             !server_counters_await_answers(counters, at_start, experiment->plan->sessions, count)))
            return ERROR_NONE;
        kind = workers_turn(&experiment->workers, loop, CATCHING_UP_TURN_NS, error);
        if (kind != ERROR_NONE)
            return kind;
    }
}

struct reconcile_result experiment_reconcile(const struct experiment *experiment,
                                             struct reconcile_facts facts)
{
    const struct server_counters *counters = &experiment->counters;
    const struct shared *shared = experiment->workers.fleet.shared;
    uint64_t started_ns = experiment->started_ns;
    facts.untold = &counters->untold;
    facts.are_private = server_counters_is_private(counters);
    facts.is_shared = server_counters_is_shared(&experiment->at_start, experiment->plan->sessions);
    facts.has_companions = counters->companions > 0;
    facts.authenticates = identity_is_known(experiment->plan->servers->identity);
    facts.losses = atomic_load(&shared->losses);
    for (uint32_t i = 0; i < experiment->plan->processes; i++)
        facts.reconnects += atomic_load(&shared->workers[i].reconnects);
    facts.setup_session_stayed = setup_session_stayed(experiment->setup, started_ns);
    if (counters->sim == NULL) /* nobody pings there */
        facts.pings_most = setup_session_pings(experiment->setup, started_ns) +
                           shared_pings_most(shared, watchdog_now_ns(&experiment->watchdog));
    return reconcile(&facts);
}

void experiment_close(struct experiment *experiment)
{
    struct sim *sim = experiment->counters.sim;
    bool failed = experiment->end == END_ERROR;
    struct error second;
    if (experiment->are_working)
        workers_end(&experiment->workers);
    if (experiment->has_root && sim == NULL && !(failed && experiment->ensemble != NULL) &&
        setup_session_delete_tree(experiment->setup, experiment->root, &second) != ERROR_NONE &&
        !failed) {
        experiment->error = second;
        experiment->end = END_ERROR;
    }
    if (sim == NULL)
        return;
    setup_session_free(experiment->setup);
    sim_free(sim);
}
