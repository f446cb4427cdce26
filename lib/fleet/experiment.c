// SPDX-License-Identifier: Apache-2.0
#include "fleet/experiment.h"

#include <stdio.h>
#include <string.h>

/* A wait that takes so much longer than it may was not run meanwhile; any takes a little longer. */
#define ABSENCE_NS EXPERIMENT_TURN_NS
/* In so long a silence a server of an ensemble may have lost a wake-up of its own. It is longer
 * than a stall at least (trial/stall.c), so that a trial of locks is not valid then. */
#define WAKE_NS (2 * NS_PER_S)

/* How long connections that were closed a moment ago may still count. The workers of the trial
 * before have ended, and the system has closed their sockets: the servers have yet to notice, of
 * thousands at once and on a machine that may be busy. At private servers only a stranger is waited
 * for so long. */
#define SETTLING_NS         (200 * NS_PER_MS)
#define SETTLING_PRIVATE_NS (10 * NS_PER_S)
#define SETTLING_TURN_NS    (10 * NS_PER_MS)

/* How long replies, notifications and last readings are waited for, and servers that are behind;
 * and how often each is looked for. */
#define PATIENCE_NS      (2 * NS_PER_S)
#define ANSWER_TURN_NS   (5 * NS_PER_MS)
#define ARRIVAL_TURN_NS  NS_PER_MS
#define FOLLOW_TURN_NS   NS_PER_MS
#define COUNTING_TURN_NS (5 * NS_PER_MS)

/* ------------------------------------------------------------------ one wait */

static enum error_kind check(struct experiment *experiment)
{
    uint64_t now_ns = clock_now_ns();
    struct error *error = &experiment->error;
    enum error_kind kind = workers_check(&experiment->workers, error);
    /* A private server that ends while sessions connect, or while all of them pause, is noticed by
     * nothing else. */
    if (kind == ERROR_NONE && now_ns - experiment->checked_ns >= EXPERIMENT_TURN_NS) {
        experiment->checked_ns = now_ns;
        kind = ensemble_check(experiment->counters.ensemble, error);
    }
    if (kind == ERROR_NONE && loop_is_interrupted(experiment->host->interrupt_descriptor))
        kind = error_raise(error, ERROR_INTERRUPTED, 0, "run", "%s", "");
    return kind;
}

static bool is_stuck(struct experiment *experiment, uint64_t now_ns)
{
    const struct shared *shared = experiment->shared;
    uint64_t movement = shared_steps(shared);
    if (experiment->requests_move) {
        const struct tally counted = experiment->kind->counted(experiment->context);
        movement += tally_rpcs(&counted);
    }
    if (movement != experiment->movement) {
        experiment->movement = movement;
        experiment->moved_ns = now_ns;
    }
    /* Until the servers have ended a dead session others may wait for its ephemeral znodes. */
    uint64_t expires_ns = atomic_load(&shared->expires_ns);
    uint64_t since_ns = expires_ns > experiment->moved_ns ? expires_ns : experiment->moved_ns;
    return now_ns > since_ns && now_ns - since_ns > shared->plan->timeout_ns;
}

static void wake_servers(struct experiment *experiment)
{
    const struct shared *shared = experiment->shared;
    uint64_t now_ns = experiment_now_ns(experiment), moved_ns = experiment->moved_ns;
    uint64_t since_ns = experiment->woken_ns > moved_ns ? experiment->woken_ns : moved_ns;
    bool is_standalone = shared->plan->servers->count == 1 &&
                         (shared->roles[0] == ROLE_UNKNOWN || shared->roles[0] == ROLE_STANDALONE);
    if (now_ns < since_ns + WAKE_NS || is_standalone || experiment->plan->first > 0 ||
        !experiment->kind->is_owed(experiment->context))
        return;
    setup_session_wake(experiment->setup, experiment->root);
    experiment->woken_ns = now_ns;
}

void experiment_rest(struct experiment *experiment)
{
    experiment->moved_ns = experiment_now_ns(experiment);
}

static uint64_t questions(const struct experiment *experiment)
{
    return experiment->counters.questions + experiment->setup->traffic.requests;
}

/* A machine that stood still is no silence of the servers. */
static void excuse(struct experiment *experiment, uint64_t absent_ns)
{
    uint64_t now_ns = experiment_now_ns(experiment), moved_ns = experiment->moved_ns + absent_ns;
    experiment->moved_ns = moved_ns < now_ns ? moved_ns : now_ns;
}

void experiment_wait(struct experiment *experiment, uint64_t most_ns)
{
    const struct fleet_host *host = experiment->host;
    if (!experiment_goes_on(experiment))
        return;
    uint64_t began_ns = experiment_now_ns(experiment), until_ns = began_ns + most_ns;
    /* Between two waits, to ask the servers may take long; if none was asked, what takes long is
     * that this process is not run. */
    if (began_ns > experiment->waited_ns + ABSENCE_NS &&
        experiment->questions == questions(experiment))
        excuse(experiment, began_ns - experiment->waited_ns);
    enum error_kind kind =
        workers_turn(&experiment->workers, &experiment->setup->loop, most_ns, &experiment->error);
    uint64_t now_ns = experiment_now_ns(experiment);
    uint64_t absent_ns = now_ns > until_ns + ABSENCE_NS ? now_ns - until_ns : 0;
    excuse(experiment, absent_ns);
    experiment->waited_ns = now_ns;
    experiment->questions = questions(experiment);
    if (kind != ERROR_NONE || check(experiment) != ERROR_NONE)
        experiment->end = END_ERROR;
    else if (host->has_company != NULL && !host->has_company(host->company))
        experiment->end = END_ALONE;
    else
        experiment->end = experiment->kind->waited(experiment->context, now_ns, absent_ns);
    if (!experiment_goes_on(experiment))
        return;
    if (atomic_load(&experiment->shared->lost) > 0)
        experiment->end = END_LOST;
    else if (is_stuck(experiment, now_ns))
        experiment->end = END_DEADLINE;
    else
        wake_servers(experiment);
}

/* ------------------------------------------------------------------ what is under way
 *
 * When every request of the fleet is answered, one of the set-up session may be out, a server may
 * be behind the one that has answered a write, and a notification that was sent may not have
 * arrived. */

void experiment_await_setup(struct experiment *experiment)
{
    uint64_t until_ns = experiment_now_ns(experiment) + PATIENCE_NS;
    while (experiment_goes_on(experiment) && !setup_session_is_idle(experiment->setup) &&
           experiment_now_ns(experiment) < until_ns) {
        experiment_rest(experiment);
        experiment_wait(experiment, ANSWER_TURN_NS);
        setup_session_nudge(experiment->setup);
    }
}

void experiment_catch_up(struct experiment *experiment)
{
    uint64_t mark = 0, longest_ns;
    bool reached = experiment->plan->servers->count == 1;
    while (experiment_goes_on(experiment) && !reached) {
        experiment_check(experiment, server_counters_follow(&experiment->counters, &mark, &reached,
                                                            &longest_ns, &experiment->error));
        if (experiment_goes_on(experiment) && experiment->kind->asked != NULL)
            experiment->kind->asked(experiment->context, longest_ns);
        if (!reached)
            experiment_wait(experiment, FOLLOW_TURN_NS);
    }
}

static uint64_t count_notifications(const struct experiment *experiment)
{
    return experiment->kind->counted(experiment->context).of[TALLY_NOTIFICATION];
}

void experiment_await_notifications(struct experiment *experiment)
{
    const struct server_counters_count *at_start = &experiment->at_start;
    struct server_counters_count reading;
    if (!at_start->known || server_counters_is_shared(at_start, experiment->plan->sessions))
        return;
    experiment_catch_up(experiment);
    if (experiment_goes_on(experiment))
        experiment_check(experiment,
                         server_counters_read(&experiment->counters, &reading, &experiment->error));
    if (!experiment_goes_on(experiment))
        return;
    uint64_t sent = reading.notifications - at_start->notifications;
    uint64_t count = count_notifications(experiment), moved_ns = experiment_now_ns(experiment);
    while (experiment_goes_on(experiment) && count < sent &&
           experiment_now_ns(experiment) - moved_ns < PATIENCE_NS) {
        uint64_t before = count;
        experiment_rest(experiment);
        experiment_wait(experiment, ARRIVAL_TURN_NS);
        count = count_notifications(experiment);
        if (count != before)
            moved_ns = experiment_now_ns(experiment);
    }
}

/* ------------------------------------------------------------------ before the gate */

void experiment_open(struct experiment *experiment)
{
    static const struct connect_string nobody;
    const struct fleet_plan *plan = experiment->plan;
    const struct fleet_host *host = experiment->host;
    struct server_counters *counters = &experiment->counters;
    struct error *error = &experiment->error;
    *error = (struct error){.kind = ERROR_NONE};
    *counters = (struct server_counters){.servers = plan->first > 0 ? &nobody : host->servers,
                                         .companions = host->companions};
    if (plan->driver == DRIVER_SIMULATED) {
        struct sim_options options = *host->simulation;
        char parent[SETUP_SESSION_PATH_MAX];
        options.seed = plan->seed;
        ERROR_FIRST(error, sim_new(&options, &counters->sim, error));
        ERROR_FIRST(error, setup_session_new_simulated(counters->sim, plan->timeout_ns,
                                                       &experiment->setup, error));
        snprintf(parent, sizeof parent, "%.*s",
                 (int)(strrchr(experiment->root, '/') - experiment->root), experiment->root);
        if (parent[0] != '\0')
            ERROR_FIRST(error, setup_session_create(experiment->setup, parent, "", error));
    } else {
        counters->ensemble = host->ensemble;
        experiment->setup = host->setup;
    }
    if (plan->first == 0)
        ERROR_FIRST(error, setup_session_create(experiment->setup, experiment->root, "", error));
    experiment->has_root = error->kind == ERROR_NONE && plan->first == 0;
    counters->own = experiment->setup;
    experiment_check(experiment, error->kind);
}

static void woken(void *context)
{
    shared_woken(((struct shared *)context)->coordinator_descriptor);
}

void experiment_start(struct experiment *experiment, struct shared *shared,
                      const struct actor_ops *ops, void *kind)
{
    const struct fleet fleet = {shared, ops, kind};
    if (!experiment_goes_on(experiment))
        return;
    experiment->shared = shared;
    experiment_check(experiment, workers_start(&experiment->workers, &fleet, experiment->setup,
                                               experiment->counters.sim, &experiment->error));
    experiment->are_working = experiment_goes_on(experiment);
    experiment_rest(experiment);
    /* In a simulation the actors move in the coordinator's own turns, and nothing is woken. */
    if (experiment->are_working && shared->coordinator_descriptor >= 0)
        experiment_check(experiment, event_loop_watch(experiment->setup->loop.event_loop,
                                                      shared->coordinator_descriptor, woken, shared,
                                                      &experiment->error));
}

void experiment_gate(struct experiment *experiment)
{
    struct shared *shared = experiment->shared;
    const struct connect_string *servers = experiment->plan->servers;
    while (experiment_goes_on(experiment) &&
           atomic_load(&shared->established) < shared->plan->sessions)
        experiment_wait(experiment, EXPERIMENT_TURN_NS);
    if (experiment->end == END_DEADLINE)
        experiment_check(experiment,
                         error_raise(&experiment->error, ERROR_NO_ANSWER, 0, "sessions",
                                     "%u of %u are established; the server may limit the "
                                     "connections of an address (maxClientCnxns)",
                                     atomic_load(&shared->established), shared->plan->sessions));
    for (size_t i = 0; experiment_goes_on(experiment) && i < servers->count; i++) {
        char server[ENDPOINT_TEXT_SIZE];
        endpoint_address(&servers->endpoints[i], server, sizeof server);
        experiment_check(experiment,
                         server_counters_ask_role(&experiment->counters, &servers->endpoints[i],
                                                  &shared->roles[i], &experiment->error));
        for (uint32_t s = 0; s < experiment->plan->sessions; s++) {
            if (strcmp(shared->sessions[s].server, server) == 0)
                shared->sessions[s].role = shared->roles[i];
        }
    }
}

/* A connection that was closed a moment ago, by an earlier trial or an earlier question, still
 * counts: servers that no other client uses come to rest soon. */
void experiment_read_start(struct experiment *experiment)
{
    struct server_counters *counters = &experiment->counters;
    struct server_counters_count *reading = &experiment->at_start;
    if (!experiment_goes_on(experiment))
        return;
    uint64_t until_ns = experiment_now_ns(experiment) +
                        (server_counters_is_private(counters) ? SETTLING_PRIVATE_NS : SETTLING_NS);
    experiment_await_setup(experiment);
    while (experiment_goes_on(experiment)) {
        experiment_check(experiment, server_counters_read(counters, reading, &experiment->error));
        if (!reading->known || !server_counters_is_shared(reading, experiment->plan->sessions) ||
            experiment_now_ns(experiment) >= until_ns)
            break;
        experiment_rest(experiment);
        experiment_wait(experiment, SETTLING_TURN_NS);
    }
    experiment->started_ns = experiment_now_ns(experiment);
}

/* ------------------------------------------------------------------ after the run */

static enum error_kind read_last_counters(struct experiment *experiment)
{
    struct shared *shared = experiment->shared;
    struct server_counters_count reading;
    struct error *error = &experiment->error;
    uint64_t until_ns = experiment_now_ns(experiment) + PATIENCE_NS;
    /* An earlier inquiry may not be answered yet. */
    bool are_asked = shared_inquire(shared, true);
    while (experiment_now_ns(experiment) < until_ns &&
           (!are_asked || !shared_has_reports(shared))) {
        if (workers_turn(&experiment->workers, &experiment->setup->loop, PATIENCE_NS, error) ||
            workers_check(&experiment->workers, error))
            return error->kind;
        are_asked = are_asked || shared_inquire(shared, true);
    }
    if (are_asked && shared_has_reports(shared))
        return ERROR_NONE;
    /* What holds a worker up may be servers that have gone: these are named then. */
    if (server_counters_read(&experiment->counters, &reading, error))
        return error->kind;
    *error = experiment->counters.absent;
    return error->kind != ERROR_NONE
               ? error->kind
               : error_raise(error, ERROR_WORKER_HANGS, 0, "worker",
                             "%u of %u took their last readings, and the servers answer",
                             atomic_load(&shared->reported), shared->plan->processes);
}

void experiment_stop(struct experiment *experiment)
{
    const struct shared *shared = experiment->shared;
    if (experiment->end != END_ERROR)
        experiment_check(experiment, read_last_counters(experiment));
    if (shared->coordinator_descriptor >= 0)
        event_loop_unwatch(experiment->setup->loop.event_loop, shared->coordinator_descriptor);
}

enum error_kind experiment_read_servers(struct experiment *experiment, const struct tally *sent,
                                        uint64_t exits, struct server_counters_count *count,
                                        struct error *error)
{
    struct server_counters *counters = &experiment->counters;
    const struct server_counters_count *at_start = &experiment->at_start;
    uint64_t until_ns = experiment_now_ns(experiment) + PATIENCE_NS;
    for (;;) {
        struct server_counters_count at_end;
        if (server_counters_read(counters, &at_end, error))
            return error->kind;
        *count = server_counters_subtract(at_start, &at_end);
        if (!experiment_goes_on(experiment) || experiment_now_ns(experiment) >= until_ns ||
            (!server_counters_is_behind(count, sent, exits) &&
             !server_counters_await_answers(counters, at_start, experiment->plan->sessions, count)))
            return ERROR_NONE;
        if (workers_turn(&experiment->workers, &experiment->setup->loop, COUNTING_TURN_NS, error))
            return error->kind;
    }
}

struct reconcile_result experiment_reconcile(const struct experiment *experiment,
                                             struct reconcile_facts facts)
{
    const struct server_counters *counters = &experiment->counters;
    const struct shared *shared = experiment->shared;
    uint64_t started_ns = experiment->started_ns;
    facts.unreported = &counters->unreported;
    facts.are_private = server_counters_is_private(counters);
    facts.is_shared = server_counters_is_shared(&experiment->at_start, experiment->plan->sessions);
    facts.has_companions = counters->companions > 0;
    facts.authenticates = identity_is_known(experiment->plan->servers->identity);
    facts.losses = atomic_load(&shared->losses);
    for (uint32_t i = 0; i < experiment->plan->processes; i++)
        facts.reconnects += atomic_load(&shared->workers[i].reconnects);
    facts.setup_session_stayed = setup_session_stayed(experiment->setup, started_ns);
    if (counters->sim == NULL) /* no session pings there */
        facts.pings_most += setup_session_pings(experiment->setup, started_ns) +
                            shared_pings_most(shared, experiment_now_ns(experiment));
    return reconcile(&facts);
}

void experiment_close(struct experiment *experiment)
{
    struct sim *sim = experiment->counters.sim;
    bool failed = experiment->end == END_ERROR;
    struct error second;
    if (experiment->are_working)
        workers_end(&experiment->workers);
    if (experiment->has_root && sim == NULL && !(failed && experiment->host->ensemble != NULL) &&
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
