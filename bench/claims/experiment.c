// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "bench/claims/internal.h"
#include "bench/output/noise_watch.h"

#include <stdio.h>
#include <stdlib.h>

/* Only crashes are to wait for a timeout, and their claims set their own. */
#define SESSION_TIMEOUT_MS 30000

/* The rounds of a claim whose interval stays wide, as a multiple of those it begins with. */
#define PATIENCE 3

/* ------------------------------------------------------------------ outcomes */

void claim_check(struct experiment *experiment, bool as_expected)
{
    experiment->outcome->checks++;
    experiment->outcome->failed += !as_expected;
}

void claim_check_class(struct experiment *experiment, const struct fit_exponent *fit,
                       enum fit_verdict expected)
{
    enum fit_verdict judged = fit_judge(fit);
    if (judged != FIT_UNDETERMINED) {
        claim_check(experiment, judged == expected);
        return;
    }
    claim_undecide(experiment, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    experiment->outcome->wide = true;
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
    fleet->driver = host->fleet.simulation != NULL ? DRIVER_SIMULATED : DRIVER_EVENTS;
    fleet->processes = fleet->processes > 0 ? fleet->processes : 1;
    fleet->timeout_ns = fleet->timeout_ns > 0 ? fleet->timeout_ns : host->timeout_ns;
    if (fleet->session_timeout_ms == 0)
        fleet->session_timeout_ms = SESSION_TIMEOUT_MS;
    fleet->seed = host->seed;
    fleet->servers = host->fleet.servers;
}

/* The progress callback of a trial. */
static void show_trial(void *context, const struct trial_progress *trial)
{
    const struct experiment *experiment = context;
    uint32_t clients = experiment->plan.fleet.sessions;
    char what[128];
    snprintf(what, sizeof what, "%s: %s n=%u", experiment->claim->id, experiment_recipe(experiment),
             clients);
    const struct progress_name name = {"", what, 0, clients};
    if (experiment->host->progress != NULL)
        progress_show(experiment->host->progress, &name, trial);
}

/* Runs what is planned. Sets the error, without a result. */
static void run_trial(struct experiment *experiment)
{
    struct claim_host *host = experiment->host;
    const struct claim *claim = experiment->claim;
    trial_result_free(experiment->result); /* it refers to the plan before */
    experiment->result = NULL;
    plan_trial(experiment);
    uint32_t sessions = experiment->plan.fleet.sessions;
    if (host->sessions_most > 0 && sessions > host->sessions_most) {
        experiment->kind =
            error_raise(experiment->error, ERROR_CONNECTION_LIMIT, 0, experiment_recipe(experiment),
                        "%u sessions are needed, and the servers allow %llu", sessions,
                        (unsigned long long)host->sessions_most);
        return;
    }
    const struct trial_watch watch = {
        .progress = claim->observe != NULL ? claim->observe : show_trial, .context = experiment};
    /* All roots are equally long: paths are among the bytes that are counted. */
    snprintf(experiment->root, sizeof experiment->root, "%s/t%04u", host->root, host->trials++);
    experiment->kind =
        trial_run(&experiment->plan, &host->fleet, &watch, &experiment->result, experiment->error);
}

bool experiment_accepts(struct experiment *experiment)
{
    const struct trial_result *result = experiment->result;
    uint32_t clients = experiment->plan.fleet.sessions;
    char sentence[256];
    if (result->violation_count > 0) {
        violation_describe(&result->memory->violations[0], sentence, sizeof sentence);
        claim_measured(experiment, "%s, %u clients: %s", experiment_recipe(experiment), clients,
                       sentence);
        claim_check(experiment, false);
    } else if (result->end != END_DONE) {
        claim_undecide(experiment, "%s, %u clients: %s", experiment_recipe(experiment), clients,
                       result->reason);
    }
    return result->violation_count == 0 && result->end == END_DONE;
}

/* Whether the claim can examine the trial that has run. */
static bool is_whole(struct experiment *experiment)
{
    if (experiment->claim->examines_any)
        return true;
    if (!experiment_accepts(experiment))
        return false;
    bool missed = experiment->plan.death.how != DEATH_NONE && !experiment->result->had_death;
    if (missed)
        claim_undecide(experiment, "no session died with %s", experiment_recipe(experiment));
    return !missed;
}

const char *experiment_recipe(const struct experiment *experiment)
{
    return experiment->plan.recipe->name;
}

const struct ledger_row *experiment_row(const struct experiment *experiment, uint64_t handoff)
{
    return ledger_row(&experiment->result->memory->ledger, 0, handoff);
}

/* ------------------------------------------------------------------ rounds */

/* Makes and examines the trial of the present cell. False if nothing can be judged then: after an
 * error, and if the trial is not whole. */
static bool run_cell(struct experiment *experiment)
{
    const struct claim *claim = experiment->claim;
    run_trial(experiment);
    bool whole = experiment->kind == ERROR_NONE && is_whole(experiment);
    if (whole)
        experiment->totals[experiment->cell] = experiment->result->total;
    if (whole && claim->examine != NULL)
        claim->examine(experiment);
    return experiment->kind == ERROR_NONE && (whole || claim->judge == NULL);
}

void experiment_add_noise(struct experiment *experiment, const struct noise *noise)
{
    bool disturbed = noise->others_cores + noise->stolen_cores > NOISE_SHARE_MAX * noise->cores;
    experiment->disturbed = disturbed ? experiment->disturbed + 1 : 0;
}

/* The order changes from round to round: a drift of the machine affects all cells alike. Servers
 * that are not this program's cannot be distinguished from other programs. */
static bool run_round(struct experiment *experiment, size_t cells)
{
    bool goes_on = true,
         measures = experiment->claim->judge != NULL && experiment->host->fleet.ensemble != NULL;
    const struct noise_reading before = measures ? noise_read(NULL) : (struct noise_reading){0};
    for (size_t turn = 0; turn < cells && goes_on; turn++) {
        experiment->cell = (experiment->rounds + turn) % cells;
        goes_on = run_cell(experiment);
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
    const struct outcome *outcome = experiment->outcome;
    bool open = outcome->wide && outcome->failed == 0,
         disturbed = experiment->disturbed >= NOISE_IN_A_ROW;
    if (open && disturbed)
        claim_measured(experiment, "no more rounds: other programs disturbed the last %zu",
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
    while (cells < CLAIM_CELLS_MAX && claim->trials[cells].fleet.sessions > 0)
        cells++;
    experiment->rounds = 0;
    while (run_round(experiment, cells)) {
        if (experiment->rounds < rounds)
            continue;
        const struct outcome before = *outcome;
        outcome->wide = false;
        if (claim->judge != NULL)
            claim->judge(experiment);
        if (experiment->rounds == rounds * PATIENCE || !experiment_goes_on(experiment))
            return;
        *outcome = before;
    }
}

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
        claim_tried(experiment, "%s", claim->tried);
    if (experiment->kind == ERROR_NONE && claim->expected != NULL)
        claim_expected(experiment, "%s", claim->expected);
    for (size_t i = 0; i < CLAIM_RECIPES_MAX && experiment->kind == ERROR_NONE; i++) {
        experiment->recipe = i;
        if (claim->recipes[i] != NULL)
            run_recipe(experiment);
    }
    outcome->trials = host->trials - trials;
    trial_result_free(experiment->result);
    enum error_kind kind = experiment->kind;
    if (kind == ERROR_CONNECTION_LIMIT) {
        claim_undecide(experiment, "%s: %s", error->subject, error->detail);
        kind = ERROR_NONE;
    }
    free(experiment);
    return kind;
}
