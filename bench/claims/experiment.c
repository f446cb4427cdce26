// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/claims/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void experiment_plan(struct experiment *experiment, const struct recipe *recipe,
                     const struct trial_plan *wanted)
{
    const struct testbed *testbed = experiment->testbed;
    struct trial_plan *plan = &experiment->plan;
    struct fleet_plan *fleet = &plan->fleet;
    trial_result_free(experiment->result);
    experiment->result = NULL;
    *plan = *wanted;
    plan->recipe = recipe;
    plan->root = experiment->root;
    plan->locks = 1;
    if (!recipe_has_law(recipe))
        plan->pace = PACE_FREE;
    if (plan->death.who == DEATH_WORKER && recipe->work == NULL)
        plan->death.who = DEATH_HOLDER;
    fleet->driver = testbed->host.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS;
    fleet->processes = fleet->processes > 0 ? fleet->processes : 1;
    fleet->timeout_ns = fleet->timeout_ns > 0 ? fleet->timeout_ns : testbed->timeout_ns;
    if (fleet->session_timeout_ms == 0)
        fleet->session_timeout_ms = SESSION_TIMEOUT_MS;
    fleet->seed = testbed->seed;
    fleet->servers = testbed->host.servers;
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
    if (experiment->claim->observe != NULL) {
        host.watch.progress = experiment->claim->observe;
        host.watch.context = experiment;
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
    if (!experiment_run(experiment) || !experiment_accepts(experiment))
        return false;
    bool missed = experiment->plan.death.how != DEATH_NONE && !experiment->result->had_death;
    if (missed)
        finding_undecide(experiment->finding, "no session died with %s",
                         experiment->plan.recipe->name);
    return !missed;
}

const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff)
{
    return ledger_row(&experiment->result->memory->ledger, 0, handoff);
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

/* ------------------------------------------------------------------ a claim */

/* Appends a text of the claim, with its recipes in it. */
static void state(const struct claim *claim, const char *sentence, char *text, size_t size)
{
    struct growing_text stated = {0};
    size_t recipes = 0;
    if (sentence == NULL)
        return;
    while (recipes < CLAIM_RECIPES_MAX && claim->recipes[recipes] != NULL)
        recipes++;
    while (*sentence != '\0') {
        size_t length = strcspn(sentence, "{");
        growing_text_add(&stated, "%.*s", (int)length, sentence);
        sentence += length;
        if (*sentence == '\0')
            break;
        if (sentence[1] == '#')
            growing_text_add(&stated, "%zu", recipes);
        else
            growing_text_add(&stated, "%s", claim->recipes[sentence[1] - '0']->name);
        sentence += strlen("{0}");
    }
    text_append_clause(text, size, "%s", stated.text);
    free(stated.text);
}

/* A trial that is not whole is left out; figures that lack it are not judged. */
static void try_recipe(struct experiment *experiment, const struct recipe *recipe)
{
    const struct claim *claim = experiment->claim;
    unsigned times = claim->times > 0 ? claim->times : 1;
    bool whole = true;
    experiment->figure_count = 0;
    for (size_t i = 0; i < CLAIM_TRIALS_MAX && claim->trials[i].fleet.sessions > 0; i++) {
        for (unsigned time = 0; time < times && (whole || claim->judge == NULL); time++) {
            experiment_plan(experiment, recipe, &claim->trials[i]);
            whole =
                claim->looks_at_any ? experiment_run(experiment) : experiment_run_whole(experiment);
            if (whole)
                claim->look(experiment);
        }
    }
    if (whole && claim->judge != NULL)
        claim->judge(experiment);
}

enum error_kind experiment_try(const struct claim *claim, struct testbed *testbed,
                               struct finding *finding, struct error *error)
{
    struct experiment experiment = {
        .claim = claim, .testbed = testbed, .finding = finding, .error = error};
    growth_try(&experiment);
    if (experiment.kind == ERROR_NONE) {
        state(claim, claim->tried, finding->experiment, sizeof finding->experiment);
        state(claim, claim->expected, finding->expected, sizeof finding->expected);
    }
    for (size_t i = 0; claim->look != NULL && i < CLAIM_RECIPES_MAX; i++) {
        experiment.recipe = i;
        if (experiment.kind == ERROR_NONE && claim->recipes[i] != NULL)
            try_recipe(&experiment, claim->recipes[i]);
    }
    if (experiment.kind == ERROR_NONE && claim->experiment != NULL)
        claim->experiment(&experiment);
    trial_result_free(experiment.result);
    return experiment.kind;
}
