// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/text.h"
#include "bench/claims/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Nothing but a crash is to take a timeout: whoever wants one says so. */
#define SESSION_TIMEOUT_MS 30000

/* ------------------------------------------------------------------ findings */

void finding_check(struct finding *finding, bool as_expected)
{
    finding->checks++;
    finding->failed += !as_expected;
}

void finding_check_class(struct finding *finding, const struct fit_exponent *fit,
                         enum fit_verdict expected)
{
    enum fit_verdict judged = fit_judge(fit);
    if (judged == FIT_UNDETERMINED)
        finding_undecide(finding, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    else
        finding_check(finding, judged == expected);
}

enum verdict finding_verdict(const struct finding *finding)
{
    if (finding->failed > 0)
        return VERDICT_FAILS;
    return finding->undecided || finding->checks == 0 ? VERDICT_UNDETERMINED : VERDICT_HOLDS;
}

/* ------------------------------------------------------------------ trials */

void experiment_plan(struct experiment *experiment, const struct recipe *recipe, uint32_t clients)
{
    const struct testbed *testbed = experiment->testbed;
    trial_result_free(experiment->result);
    experiment->result = NULL;
    experiment->plan = (struct trial_plan){
        .recipe = recipe,
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_LOCKSTEP,
        .root = experiment->root,
        .locks = 1,
        .fleet = {.driver = testbed->host.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS,
                  .sessions = clients,
                  .processes = 1,
                  .timeout_ns = testbed->timeout_ns,
                  .session_timeout_ms = SESSION_TIMEOUT_MS,
                  .seed = testbed->seed,
                  .servers = testbed->host.servers},
    };
}

bool experiment_run(struct experiment *experiment)
{
    struct testbed *testbed = experiment->testbed;
    const struct trial_plan *plan = &experiment->plan;
    struct trial_host host = testbed->host;
    if (experiment->kind != ERROR_NONE)
        return false;
    if (testbed->sessions_most > 0 && plan->fleet.sessions > testbed->sessions_most) {
        experiment->kind =
            error_raise(experiment->error, ERROR_CONNECTION_LIMIT, 0, plan->recipe->name,
                        "%u sessions are needed, and the servers allow %" PRIu64,
                        plan->fleet.sessions, testbed->sessions_most);
        return false;
    }
    if (experiment->observe != NULL) {
        host.watch.progress = experiment->observe;
        host.watch.context = experiment->context;
    }
    /* All roots are equally long: paths are among the bytes that are counted. */
    snprintf(experiment->root, sizeof experiment->root, "%s/t%04u", testbed->root,
             testbed->trials++);
    testbed->plan = plan;
    experiment->kind = trial_run(plan, &host, &experiment->result, experiment->error);
    testbed->plan = NULL;
    return experiment->kind == ERROR_NONE;
}

bool experiment_accepts(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    const struct trial_plan *plan = &experiment->plan;
    char sentence[256];
    if (result->violation_count > 0) {
        finding_measured(
            experiment->finding, "%s, %u clients: %s", plan->recipe->name, plan->fleet.sessions,
            violation_describe(&result->memory->violations[0], sentence, sizeof sentence));
        finding_check(experiment->finding, false);
        return false;
    }
    if (result->end != END_DONE)
        finding_undecide(experiment->finding, "%s, %u clients: %s", plan->recipe->name,
                         plan->fleet.sessions, result->reason);
    return result->end == END_DONE;
}

bool experiment_run_whole(struct experiment *experiment)
{
    return experiment_run(experiment) && experiment_accepts(experiment);
}

const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff)
{
    return ledger_row(&experiment->result->memory->ledger, 0, handoff);
}

size_t experiment_recipes(const struct experiment *experiment)
{
    size_t count = 0;
    while (count < CLAIM_RECIPES_MAX && experiment->claim->recipes[count] != NULL)
        count++;
    return count;
}

void experiment_say(const struct testbed *testbed, const char *format, ...)
{
    char what[128];
    va_list arguments;
    if (testbed->say == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    testbed->say(testbed->host.watch.context, what);
}

enum error_kind experiment_try(const struct claim *claim, struct testbed *testbed,
                               struct finding *finding, struct error *error)
{
    struct experiment experiment = {
        .claim = claim, .testbed = testbed, .finding = finding, .error = error};
    claim->experiment(&experiment);
    trial_result_free(experiment.result);
    return experiment.kind;
}
