// SPDX-License-Identifier: Apache-2.0
#include "tests/support/live.h"

#include "base/process.h"
#include "tests/support/pause.h"

#include <signal.h>

struct ensemble *live_ensemble;
struct connect_string live_servers;
struct fleet_host live_host = {.interrupt_descriptor = -1};
struct trial_watch live_watch;
static unsigned live_trials;

void live_expect(enum error_kind kind, const struct error *error)
{
    if (kind != ERROR_NONE)
        fail_msg("%s: %s: %s", error->subject, error_words(kind), error->detail);
}

int live_start_as(const struct ensemble_options *options)
{
    struct error error = {0};
    live_expect(ensemble_start(options, &live_ensemble, &error), &error);
    live_servers = live_ensemble->connect;
    live_expect(setup_session_new(&live_servers, live_ensemble, 10 * NS_PER_S, -1, &live_host.setup,
                                  &error),
                &error);
    live_host.servers = &live_servers;
    live_host.ensemble = live_ensemble;
    live_expect(setup_session_create(live_host.setup, ROOT, "", &error), &error);
    return 0;
}

int live_start_with(unsigned servers, unsigned tick_ms)
{
    struct ensemble_options options = ensemble_options_default();
    options.servers = servers;
    options.tick_ms = tick_ms;
    options.heap_mib = 256;
    return live_start_as(&options);
}

void live_disown(void)
{
    struct error error = {0};
    setup_session_free(live_host.setup);
    live_host.ensemble = NULL;
    live_expect(setup_session_new(&live_servers, NULL, 10 * NS_PER_S, -1, &live_host.setup, &error),
                &error);
}

void live_kill(unsigned index)
{
    const struct server *server = &live_ensemble->servers[index];
    kill(server->pid, SIGKILL);
    while (process_is_alive(server->pid))
        pause_ms(1);
}

int live_start(void **state)
{
    (void)state;
    return live_start_with(1, 2000);
}

int live_stop(void **state)
{
    (void)state;
    setup_session_free(live_host.setup);
    ensemble_stop(live_ensemble);
    return 0;
}

struct trial_plan live_plan(const char *recipe, uint32_t clients)
{
    return (struct trial_plan){
        .recipe = registry_find(recipe),
        .fleet.sessions = clients,
        .locks = 1,
        .fleet.processes = 1,
        .fleet.timeout_ns = 10 * NS_PER_S,
        .fleet.session_timeout_ms = 60000,
        .fleet.seed = 1,
        .fleet.servers = &live_servers,
    };
}

struct trial_result *live_trial_on(struct trial_plan *plan, const struct fleet_host *host,
                                   const struct trial_watch *watch)
{
    static char root[64];
    struct error error = {0};
    struct trial_result *result = NULL;
    snprintf(root, sizeof root, ROOT "/t%u", live_trials++);
    plan->root = root;
    live_expect(trial_run(plan, host, watch, &result, &error), &error);
    return result;
}

struct trial_result *live_trial(struct trial_plan *plan)
{
    return live_trial_on(plan, &live_host, &live_watch);
}

struct trial_result *live_trial_befallen(struct trial_plan *plan,
                                         void (*befall)(void *done,
                                                        const struct trial_progress *progress))
{
    struct fleet_host host = live_host;
    bool done = false;
    const struct trial_watch watch = {.progress = befall, .context = &done};
    host.ensemble = NULL;
    plan->pace = PACE_FREE;
    plan->fleet.timeout_ns = 3 * NS_PER_S;
    struct trial_result *result = live_trial_on(plan, &host, &watch);
    assert_true(done);
    return result;
}

void live_assert_good(const struct trial_result *result)
{
    char text[256];
    if (result->violation_count > 0)
        fail_msg("%s", violation_describe(&result->memory->violations[0], text, sizeof text));
    if (result->end != END_DONE)
        fail_msg("%s", result->reason);
}

const struct violation *live_first_violation(const struct trial_result *result)
{
    assert_true(result->violation_count > 0);
    return &result->memory->violations[0];
}

struct load_result *live_load(struct load_plan *plan,
                              void (*progress)(void *context, const struct load_progress *progress),
                              void *context, const struct sim_options *simulation)
{
    static char root[64];
    static unsigned loads;
    struct sim_options as_many = sim_options_default();
    as_many.servers = (unsigned)plan->fleet.servers->count;
    const struct fleet_host host = {.setup = live_host.setup,
                                    .servers = plan->fleet.servers,
                                    .ensemble = live_host.ensemble,
                                    .simulation = simulation != NULL ? simulation : &as_many,
                                    .interrupt_descriptor = -1};
    const struct load_watch watch = {progress, context};
    struct load_result *result = NULL;
    struct error error = {0};
    snprintf(root, sizeof root, ROOT "/l%u", loads++);
    plan->root = root;
    live_expect(load_run(plan, &host, progress != NULL ? &watch : NULL, &result, &error), &error);
    if (result->end != END_DONE)
        fail_msg("%s", result->reason);
    return result;
}

void live_assert_children(size_t expected)
{
    size_t count;
    struct error error = {0};
    live_expect(setup_session_list_children(live_host.setup, ROOT, NULL, &count, &error), &error);
    assert_int_equal(count, expected);
}

void live_assert_counted(const struct load_result *result)
{
    if (result->reconcile.reconciled == RECONCILED_NO)
        fail_msg("%s: servers %llu, sessions %llu",
                 server_counters_words[result->reconcile.counter],
                 (unsigned long long)result->reconcile.servers,
                 (unsigned long long)result->reconcile.sessions);
    assert_string_equal(result->reconcile.why, "");
    assert_int_equal(result->reconcile.reconciled, RECONCILED_YES);
}
