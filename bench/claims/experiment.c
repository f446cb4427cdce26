// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "bench/claims/internal.h"
#include "bench/output/noise_watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Only crashes are to wait for a timeout, and their claims set their own. */
#define SESSION_TIMEOUT_MS 30000

/* The rounds of a claim whose interval stays wide, as a multiple of those it begins with. */
#define PATIENCE 3

/* ------------------------------------------------------------------ outcomes */

void outcome_check(struct outcome *outcome, bool as_expected)
{
    outcome->checks++;
    outcome->failed += !as_expected;
}

void outcome_check_class(struct outcome *outcome, const struct fit_exponent *fit,
                         enum fit_verdict expected)
{
    enum fit_verdict judged = fit_judge(fit);
    if (judged != FIT_UNDETERMINED) {
        outcome_check(outcome, judged == expected);
        return;
    }
    outcome_undecide(outcome, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    outcome->wide = true;
}

enum verdict outcome_verdict(const struct outcome *outcome)
{
    if (outcome->failed > 0)
        return VERDICT_FAILS;
    return outcome->undecided || outcome->checks == 0 ? VERDICT_UNDETERMINED : VERDICT_HOLDS;
}

/* ------------------------------------------------------------------ trials */

/* Plans the trial of the present cell, with one lock; where the cell is silent with one process,
 * under lockstep if the recipe has a law, and with no death but the recipe's. */
static void plan_trial(struct experiment *experiment)
{
    const struct claim_host *host = experiment->host;
    const struct recipe *recipe = experiment->claim->recipes[experiment->recipe];
    struct trial_plan *plan = &experiment->plan;
    struct fleet_plan *fleet = &plan->fleet;
    *plan = experiment->claim->trials[experiment->cell];
    plan->recipe = recipe;
    plan->root = experiment->root;
    plan->locks = 1;
    if (!recipe_has_law(recipe))
        plan->pace = PACE_FREE;
    if (plan->death.who == DEATH_WORKER && recipe->work == NULL)
        plan->death.who = DEATH_HOLDER;
    fleet->driver = host->trial.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS;
    fleet->processes = fleet->processes > 0 ? fleet->processes : 1;
    fleet->timeout_ns = fleet->timeout_ns > 0 ? fleet->timeout_ns : host->timeout_ns;
    if (fleet->session_timeout_ms == 0)
        fleet->session_timeout_ms = SESSION_TIMEOUT_MS;
    fleet->seed = host->seed;
    fleet->servers = host->trial.servers;
}

/* The progress callback of a trial. */
static void show_trial(void *context, const struct trial_progress *trial)
{
    const struct experiment *experiment = context;
    uint32_t clients = experiment->plan.fleet.sessions;
    char what[128];
    snprintf(what, sizeof what, "%s: %s n=%u", experiment->claim->id, experiment->plan.recipe->name,
             clients);
    const struct progress_name name = {"", what, 0, clients};
    if (experiment->host->progress != NULL)
        progress_show(experiment->host->progress, &name, trial);
}

/* Runs what is planned. False after an error: there is no result. */
static bool run_trial(struct experiment *experiment)
{
    struct claim_host *host = experiment->host;
    const struct claim *claim = experiment->claim;
    const struct trial_plan *plan = &experiment->plan;
    struct trial_host trial = host->trial;
    if (host->sessions_most > 0 && plan->fleet.sessions > host->sessions_most) {
        experiment->kind =
            error_raise(experiment->error, ERROR_CONNECTION_LIMIT, 0, plan->recipe->name,
                        "%u sessions are needed, and the servers allow %" PRIu64,
                        plan->fleet.sessions, host->sessions_most);
        return false;
    }
    trial.watch.progress = claim->observe != NULL ? claim->observe : show_trial;
    trial.watch.context = experiment;
    /* All roots are equally long: paths are among the bytes that are counted. */
    snprintf(experiment->root, sizeof experiment->root, "%s/t%04u", host->root, host->trials++);
    experiment->kind = trial_run(plan, &trial, &experiment->result, experiment->error);
    return experiment->kind == ERROR_NONE;
}

bool experiment_accepts(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    const struct trial_plan *plan = &experiment->plan;
    char sentence[256];
    if (result->violation_count > 0) {
        outcome_measured(
            experiment->outcome, "%s, %u clients: %s", plan->recipe->name, plan->fleet.sessions,
            violation_describe(&result->memory->violations[0], sentence, sizeof sentence));
        outcome_check(experiment->outcome, false);
        return false;
    }
    if (result->end != END_DONE)
        outcome_undecide(experiment->outcome, "%s, %u clients: %s", plan->recipe->name,
                         plan->fleet.sessions, result->reason);
    return result->end == END_DONE;
}

/* Whether the claim can examine the trial that has run. */
static bool is_whole(struct experiment *experiment)
{
    const struct trial_plan *plan = &experiment->plan;
    if (experiment->claim->examines_any)
        return true;
    if (!experiment_accepts(experiment))
        return false;
    bool missed = plan->death.how != DEATH_NONE && !experiment->result->had_death;
    if (missed)
        outcome_undecide(experiment->outcome, "no session died with %s", plan->recipe->name);
    return !missed;
}

const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff)
{
    return ledger_row(&experiment->result->memory->ledger, 0, handoff);
}

/* ------------------------------------------------------------------ rounds */

/* Makes and examines the trial of the present cell. False if nothing can be judged then: after an
 * error, and if the trial is not whole. */
static bool run_cell(struct experiment *experiment, bool judges)
{
    const struct claim *claim = experiment->claim;
    trial_result_free(experiment->result); /* it refers to the plan before */
    experiment->result = NULL;
    plan_trial(experiment);
    bool whole = run_trial(experiment) && is_whole(experiment);
    if (whole)
        experiment->totals[experiment->cell] = experiment->result->total;
    if (whole && claim->examine != NULL)
        claim->examine(experiment);
    return experiment->kind == ERROR_NONE && (whole || !judges);
}

void experiment_add_noise(struct experiment *experiment, const struct noise *noise)
{
    bool disturbed = noise->others_cores + noise->stolen_cores > NOISE_SHARE_MAX * noise->cores;
    experiment->disturbed = disturbed ? experiment->disturbed + 1 : 0;
}

/* The order changes from round to round: a drift of the machine affects all cells alike. Servers
 * that are somebody else's cannot be told from other programs. */
static bool run_round(struct experiment *experiment, size_t cells, bool judges)
{
    bool goes_on = true, measures = judges && experiment->host->trial.ensemble != NULL;
    const struct noise_reading before = measures ? noise_read(NULL) : (struct noise_reading){0};
    for (size_t turn = 0; turn < cells && goes_on; turn++) {
        experiment->round = experiment->rounds;
        experiment->cell = (experiment->round + turn) % cells;
        goes_on = run_cell(experiment, judges);
    }
    experiment->rounds++;
    if (measures) {
        const struct noise_reading after = noise_read(NULL);
        const struct noise noise = noise_between(&before, &after);
        experiment_add_noise(experiment, &noise);
    }
    return goes_on;
}

bool experiment_goes_on(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    bool open = outcome->wide && outcome->failed == 0,
         disturbed = experiment->disturbed >= NOISE_IN_A_ROW;
    if (open && disturbed)
        outcome_measured(outcome, "no more rounds: other programs disturbed the last %zu",
                         experiment->disturbed);
    return open && !disturbed;
}

/* If only the width of an interval leaves the claim open, it is judged again after each further
 * round. */
static void run_recipe(struct experiment *experiment)
{
    struct outcome *outcome = experiment->outcome;
    const struct claim *claim = experiment->claim;
    size_t cells = 0, rounds = claim->rounds > 0 ? claim->rounds : 1;
    bool judges = claim->judge != NULL;
    while (cells < CLAIM_CELLS_MAX && claim->trials[cells].fleet.sessions > 0)
        cells++;
    experiment->rounds = 0;
    while (run_round(experiment, cells, judges)) {
        if (experiment->rounds < rounds)
            continue;
        const struct outcome before = *outcome;
        outcome->wide = false;
        if (judges)
            claim->judge(experiment);
        if (experiment->rounds == rounds * PATIENCE || !experiment_goes_on(experiment))
            return;
        *outcome = before;
    }
}

/* ------------------------------------------------------------------ a claim */

enum error_kind experiment_run(const struct claim *claim, struct claim_host *host,
                               struct outcome *outcome, struct error *error)
{
    struct experiment *experiment = memory_new(1, sizeof *experiment);
    *experiment =
        (struct experiment){.claim = claim, .host = host, .outcome = outcome, .error = error};
    unsigned trials = host->trials;
    if (claim->experiment != NULL)
        claim->experiment(experiment);
    if (experiment->kind == ERROR_NONE && claim->tried != NULL)
        outcome_tried(outcome, "%s", claim->tried);
    if (experiment->kind == ERROR_NONE && claim->expected != NULL)
        outcome_expected(outcome, "%s", claim->expected);
    for (size_t i = 0; i < CLAIM_RECIPES_MAX && experiment->kind == ERROR_NONE; i++) {
        experiment->recipe = i;
        if (claim->recipes[i] != NULL)
            run_recipe(experiment);
    }
    outcome->trials = host->trials - trials;
    trial_result_free(experiment->result);
    enum error_kind kind = experiment->kind;
    free(experiment);
    return kind;
}
