// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/testbed.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Nothing but a crash is to take a timeout: whoever wants one says so. */
#define SESSION_TIMEOUT_MS 30000

struct testbed_trial testbed_drain(const struct testbed *testbed, const struct recipe *recipe,
                                   uint32_t clients)
{
    return (struct testbed_trial){
        .plan = {.recipe = recipe,
                 .workload = WORKLOAD_DRAIN,
                 .pace = PACE_LOCKSTEP,
                 .fleet.driver =
                     testbed->host.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS,
                 .fleet.sessions = clients,
                 .locks = 1,
                 .fleet.processes = 1,
                 .fleet.timeout_ns = testbed->timeout_ns,
                 .fleet.session_timeout_ms = SESSION_TIMEOUT_MS,
                 .fleet.seed = testbed->seed,
                 .fleet.servers = testbed->host.servers},
    };
}

enum error_kind testbed_run(struct testbed *testbed, struct testbed_trial *trial,
                            struct error *error)
{
    struct trial_host host = testbed->host;
    if (testbed->sessions_most > 0 && trial->plan.fleet.sessions > testbed->sessions_most)
        return error_raise(error, ERROR_CONNECTION_LIMIT, 0, trial->plan.recipe->name,
                           "%u sessions are needed, and the servers allow %" PRIu64,
                           trial->plan.fleet.sessions, testbed->sessions_most);
    if (trial->observe != NULL) {
        host.watch.progress = trial->observe;
        host.watch.context = trial->context;
    }
    /* Of one length: paths are among the bytes that are counted. */
    snprintf(trial->root, sizeof trial->root, "%s/t%04u", testbed->root, testbed->trials++);
    trial->plan.root = trial->root;
    testbed->plan = &trial->plan;
    enum error_kind kind = trial_run(&trial->plan, &host, &trial->result, error);
    testbed->plan = NULL;
    return kind;
}

void testbed_clear(struct testbed_trial *trial)
{
    trial_result_free(trial->result);
    trial->result = NULL;
}

void testbed_say(const struct testbed *testbed, const char *what)
{
    if (testbed->say != NULL)
        testbed->say(testbed->host.watch.context, what);
}

const struct ledger_row *testbed_row(const struct testbed_trial *trial, uint64_t handoff)
{
    return ledger_row(&trial->result->memory->ledger, 0, handoff);
}
