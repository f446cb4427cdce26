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

void finding_check(struct claim_outcome *finding, bool as_expected)
{
    finding->checks++;
    finding->failed += !as_expected;
}

void finding_check_class(struct claim_outcome *finding, const struct fit_exponent *fit,
                         enum fit_verdict expected)
{
    enum fit_verdict judged = fit_judge(fit);
    if (judged == FIT_UNDETERMINED)
        finding_undecide(finding, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    else
        finding_check(finding, judged == expected);
}

enum verdict claim_outcome_verdict(const struct claim_outcome *finding)
{
    if (finding->failed > 0)
        return VERDICT_FAILS;
    return finding->undecided || finding->checks == 0 ? VERDICT_UNDETERMINED : VERDICT_HOLDS;
}

/* ------------------------------------------------------------------ trials */

/* Plans a trial as `wanted`, with one lock; where that is silent with one process, under lockstep
 * if the recipe has a law, and with no death but the recipe's. The result of the trial before is
 * gone. */
static void plan_trial(struct experiment *experiment, const struct recipe *recipe,
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

/* The progress callback of a trial. */
static void show(void *context, const struct trial_progress *trial)
{
    const struct experiment *experiment = context;
    const struct testbed *testbed = experiment->testbed;
    uint32_t clients = experiment->plan.fleet.sessions;
    char what[128];
    snprintf(what, sizeof what, "%s: %s n=%u", testbed->id, experiment->plan.recipe->name, clients);
    const struct progress_name name = {"", what, 0, clients};
    if (testbed->progress != NULL)
        progress_show(testbed->progress, &name, trial);
}

/* Runs what is planned. False after an error: there is no result. */
static bool run_trial(struct experiment *experiment)
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
    host.watch.progress = experiment->claim->observe != NULL ? experiment->claim->observe : show;
    host.watch.context = experiment;
    /* All roots are equally long: paths are among the bytes that are counted. */
    snprintf(experiment->root, sizeof experiment->root, "%s/t%04u", testbed->root,
             testbed->trials++);
    experiment->kind = trial_run(plan, &host, &experiment->result, experiment->error);
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

/* Whether the claim can look at the trial that has run. */
static bool is_whole(struct experiment *experiment)
{
    const struct trial_plan *plan = &experiment->plan;
    if (experiment->claim->looks_at_any)
        return true;
    if (!experiment_accepts(experiment))
        return false;
    bool missed = plan->death.how != DEATH_NONE && !experiment->result->had_death;
    if (missed)
        finding_undecide(experiment->finding, "no session died with %s", plan->recipe->name);
    return !missed;
}

const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff)
{
    return ledger_row(&experiment->result->memory->ledger, 0, handoff);
}

void experiment_say(const struct testbed *testbed, const char *format, ...)
{
    char what[100], line[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s: %s", testbed->id, what);
    if (testbed->progress != NULL)
        progress_say(testbed->progress, line);
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

/* A trial that is not whole is left out; without it nothing is judged. */
static void try_recipe(struct experiment *experiment, const struct recipe *recipe)
{
    const struct claim *claim = experiment->claim;
    size_t trials = 0, times = claim->times > 0 ? claim->times : 1;
    bool whole = true;
    while (trials < CLAIM_TRIALS_MAX && claim->trials[trials].fleet.sessions > 0)
        trials++;
    for (size_t i = 0; i < trials * times && (whole || claim->judge == NULL); i++) {
        experiment->trial = i % trials;
        experiment->time = i / trials;
        plan_trial(experiment, recipe, &claim->trials[experiment->trial]);
        whole = run_trial(experiment) && is_whole(experiment);
        if (whole)
            experiment->totals[experiment->trial] = experiment->result->total;
        if (whole && claim->look != NULL)
            claim->look(experiment);
    }
    if (whole && claim->judge != NULL)
        claim->judge(experiment);
}

enum error_kind experiment_try(const struct claim *claim, struct testbed *testbed,
                               struct claim_outcome *finding, struct error *error)
{
    struct experiment experiment = {
        .claim = claim, .testbed = testbed, .finding = finding, .error = error};
    testbed->id = claim->id;
    if (claim->experiment != NULL)
        claim->experiment(&experiment);
    if (experiment.kind == ERROR_NONE) {
        growth_expect(&experiment);
        state(claim, claim->tried, finding->experiment, sizeof finding->experiment);
        state(claim, claim->expected, finding->expected, sizeof finding->expected);
    }
    for (size_t i = 0; i < CLAIM_RECIPES_MAX && experiment.kind == ERROR_NONE; i++) {
        experiment.recipe = i;
        if (claim->recipes[i] != NULL)
            try_recipe(&experiment, claim->recipes[i]);
    }
    trial_result_free(experiment.result);
    return experiment.kind;
}
