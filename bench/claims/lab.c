// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/lab.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

/* Nothing but a crash is to take a timeout: whoever wants one says so. */
#define SESSION_TIMEOUT_MS 30000

struct lab_trial lab_drain(const struct lab *lab, const struct recipe *recipe, uint32_t clients)
{
    return (struct lab_trial){
        .plan = {.recipe = recipe,
                 .workload = WORKLOAD_DRAIN,
                 .pace = PACE_LOCKSTEP,
                 .fleet.driver = lab->host.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS,
                 .fleet.sessions = clients,
                 .locks = 1,
                 .fleet.processes = 1,
                 .fleet.timeout_ns = lab->timeout_ns,
                 .fleet.session_timeout_ms = SESSION_TIMEOUT_MS,
                 .fleet.seed = lab->seed,
                 .fleet.servers = lab->host.servers},
    };
}

enum error_kind lab_run(struct lab *lab, struct lab_trial *trial, struct error *error)
{
    struct trial_host host = lab->host;
    if (lab->sessions_most > 0 && trial->plan.fleet.sessions > lab->sessions_most)
        return error_raise(error, ERROR_CONNECTION_LIMIT, 0, trial->plan.recipe->name,
                           "%u sessions are needed, and the servers allow %" PRIu64,
                           trial->plan.fleet.sessions, lab->sessions_most);
    if (trial->observe != NULL) {
        host.watch.progress = trial->observe;
        host.watch.context = trial->context;
    }
    /* Of one length: paths are among the bytes that are counted. */
    snprintf(trial->root, sizeof trial->root, "%s/t%04u", lab->root, lab->trials++);
    trial->plan.root = trial->root;
    lab->plan = &trial->plan;
    enum error_kind kind = trial_run(&trial->plan, &host, &trial->result, error);
    lab->plan = NULL;
    return kind;
}

void lab_clear(struct lab_trial *trial)
{
    trial_result_free(trial->result);
    trial->result = NULL;
}

const struct ledger_row *lab_row(const struct lab_trial *trial, uint64_t handoff)
{
    return ledger_row(&trial->result->board->ledger, 0, handoff);
}
