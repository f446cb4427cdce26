// SPDX-License-Identifier: Apache-2.0
/*
 * live: a private server, or several, and one set-up session for all tests of a file, and trials on
 * them.
 */
#ifndef TESTS_LIVE_H
#define TESTS_LIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "recipes/law.h"
#include "recipes/registry.h"
#include "trial/trial.h"

#include <stdio.h>
#include <string.h>

#define ROOT "/zkherd-test"

/* A file that wants more servers says so before it includes this one. */
#ifndef LIVE_SERVERS
#define LIVE_SERVERS 1
#endif

/* … and so does one that wants shorter session timeouts: they are two ticks at least. */
#ifndef LIVE_TICK_MS
#define LIVE_TICK_MS 2000
#endif

static struct ensemble *live_ensemble;
static struct connect_string live_servers;
static struct trial_host live_host = {.watch = {.interrupt_descriptor = -1}};
static unsigned live_trials;

static inline void live_expect(enum error_kind kind, const struct error *error)
{
    if (kind != ERROR_NONE)
        fail_msg("%s: %s: %s", error->subject, error_words(kind), error->detail);
}

static inline int live_start(void **state)
{
    (void)state;
    struct error error = {0};
    struct ensemble_options options = ensemble_options_default();
    options.servers = LIVE_SERVERS;
    options.tick_ms = LIVE_TICK_MS;
    options.heap_mib = 256;
    live_expect(ensemble_start(&options, &live_ensemble, &error), &error);
    live_servers = *ensemble_connect(live_ensemble);
    live_expect(
        setup_session_new(&live_servers, live_ensemble, 10 * NS_PER_S, &live_host.setup, &error),
        &error);
    live_host.servers = &live_servers;
    live_host.ensemble = live_ensemble;
    live_expect(setup_session_create(live_host.setup, ROOT, &error), &error);
    return 0;
}

static inline int live_stop(void **state)
{
    (void)state;
    setup_session_free(live_host.setup);
    ensemble_stop(live_ensemble);
    return 0;
}

/*
 * In an ensemble a server of some versions may lose a wake-up of its own, and stands still until
 * something else comes (ZOOKEEPER-4537, docs/counting.md): idle sessions ping, within a third of
 * their timeout, and that is to be sooner than a plan's patience.
 */
#define LIVE_SESSION_MS (LIVE_SERVERS > 1 ? 15000 : 60000)

/* A drain of `clients` under lockstep on one lock in one process. */
static inline struct trial_plan live_plan(const char *recipe, uint32_t clients)
{
    return (struct trial_plan){
        .recipe = registry_find(recipe),
        .fleet.sessions = clients,
        .locks = 1,
        .fleet.processes = 1,
        .fleet.timeout_ns = 10 * NS_PER_S,
        .fleet.session_timeout_ms = LIVE_SESSION_MS,
        .fleet.seed = 1,
        .fleet.servers = &live_servers,
    };
}

/* On this host, below a root of its own, which stays the plan's until the next trial. */
static inline struct trial_result *live_trial_on(struct trial_plan *plan,
                                                 const struct trial_host *host)
{
    static char root[64];
    struct error error = {0};
    struct trial_result *result = NULL;
    snprintf(root, sizeof root, ROOT "/t%u", live_trials++);
    plan->root = root;
    live_expect(trial_run(plan, host, &result, &error), &error);
    return result;
}

static inline struct trial_result *live_trial(struct trial_plan *plan)
{
    return live_trial_on(plan, &live_host);
}

/*
 * The same in free pace, and something befalls it: `befall` is told of its progress until it has
 * set the bool that is its context. The servers are taken for somebody else's: of private ones the
 * error would be the trial's end. It gives up after three seconds.
 */
static inline struct trial_result *
live_trial_befallen(struct trial_plan *plan,
                    void (*befall)(void *done, const struct trial_progress *progress))
{
    struct trial_host host = live_host;
    bool done = false;
    host.ensemble = NULL;
    host.watch.progress = befall;
    host.watch.context = &done;
    plan->pace = PACE_FREE;
    plan->fleet.timeout_ns = 3 * NS_PER_S;
    struct trial_result *result = live_trial_on(plan, &host);
    assert_true(done);
    return result;
}

/* Fails the test with the trial's own words if its verdict is anything but good. */
static inline void live_assert_good(const struct trial_result *result)
{
    char text[256];
    if (result->violation_count > 0)
        fail_msg("%s", violation_describe(&result->board->violations[0], text, sizeof text));
    if (result->end != END_DONE)
        fail_msg("%s", result->reason);
}

/* Fails the test if there is none. */
static inline const struct violation *live_first_violation(const struct trial_result *result)
{
    assert_true(result->violation_count > 0);
    return &result->board->violations[0];
}

#endif
