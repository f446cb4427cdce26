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

void claim_check(struct attempt *attempt, bool as_expected)
{
    attempt->outcome->checks++;
    attempt->outcome->failed += !as_expected;
}

void claim_check_class(struct attempt *attempt, const struct fit_exponent *fit,
                       enum fit_verdict expected)
{
    enum fit_verdict judged = fit_judge(fit);
    if (judged != FIT_UNDETERMINED) {
        claim_check(attempt, judged == expected);
        return;
    }
    claim_undecide(attempt, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    attempt->outcome->wide = true;
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
static void plan_trial(struct attempt *attempt)
{
    const struct claim_host *host = attempt->host;
    const struct recipe *recipe = attempt->claim->recipes[attempt->recipe];
    struct trial_plan *plan = &attempt->plan;
    struct fleet_plan *fleet = &plan->fleet;
    *plan = attempt->claim->trials[attempt->cell];
    plan->recipe = recipe;
    plan->root = attempt->root;
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
    const struct attempt *attempt = context;
    uint32_t clients = attempt->plan.fleet.sessions;
    char what[128];
    snprintf(what, sizeof what, "%s: %s n=%u", attempt->claim->id, attempt_recipe(attempt),
             clients);
    const struct progress_name name = {"", what, 0, clients};
    if (attempt->host->progress != NULL)
        progress_show(attempt->host->progress, &name, trial);
}

/* Runs what is planned. Sets the error, without a result. */
static void run_trial(struct attempt *attempt)
{
    struct claim_host *host = attempt->host;
    const struct claim *claim = attempt->claim;
    trial_result_free(attempt->result); /* it refers to the plan before */
    attempt->result = NULL;
    plan_trial(attempt);
    uint32_t sessions = attempt->plan.fleet.sessions;
    if (host->sessions_most > 0 && sessions > host->sessions_most) {
        attempt->kind =
            error_raise(attempt->error, ERROR_CONNECTION_LIMIT, 0, attempt_recipe(attempt),
                        "%u sessions are needed, and the servers allow %llu", sessions,
                        (unsigned long long)host->sessions_most);
        return;
    }
    const struct trial_watch watch = {
        .progress = claim->observe != NULL ? claim->observe : show_trial, .context = attempt};
    /* All roots are equally long: paths are among the bytes that are counted. */
    snprintf(attempt->root, sizeof attempt->root, "%s/t%04u", host->root, host->trials++);
    attempt->kind =
        trial_run(&attempt->plan, &host->fleet, &watch, &attempt->result, attempt->error);
}

bool attempt_accepts(struct attempt *attempt)
{
    const struct trial_result *result = attempt->result;
    uint32_t clients = attempt->plan.fleet.sessions;
    char sentence[256];
    if (result->violation_count > 0) {
        violation_describe(&result->memory->violations[0], sentence, sizeof sentence);
        claim_measured(attempt, "%s, %u clients: %s", attempt_recipe(attempt), clients, sentence);
        claim_check(attempt, false);
    } else if (result->end != END_DONE) {
        claim_undecide(attempt, "%s, %u clients: %s", attempt_recipe(attempt), clients,
                       result->reason);
    }
    return result->violation_count == 0 && result->end == END_DONE;
}

/* Whether the claim can examine the trial that has run. */
static bool is_whole(struct attempt *attempt)
{
    if (attempt->claim->examines_any)
        return true;
    if (!attempt_accepts(attempt))
        return false;
    bool missed = attempt->plan.death.how != DEATH_NONE && !attempt->result->had_death;
    if (missed)
        claim_undecide(attempt, "no session died with %s", attempt_recipe(attempt));
    return !missed;
}

const char *attempt_recipe(const struct attempt *attempt)
{
    return attempt->plan.recipe->name;
}

const struct ledger_row *attempt_row(const struct attempt *attempt, uint64_t handoff)
{
    return ledger_row(&attempt->result->memory->ledger, 0, handoff);
}

/* ------------------------------------------------------------------ rounds */

/* Makes and examines the trial of the present cell. False if nothing can be judged then: after an
 * error, and if the trial is not whole. */
static bool run_cell(struct attempt *attempt)
{
    const struct claim *claim = attempt->claim;
    run_trial(attempt);
    bool whole = attempt->kind == ERROR_NONE && is_whole(attempt);
    if (whole)
        attempt->totals[attempt->cell] = attempt->result->total;
    if (whole && claim->examine != NULL)
        claim->examine(attempt);
    return attempt->kind == ERROR_NONE && (whole || claim->judge == NULL);
}

void attempt_add_noise(struct attempt *attempt, const struct noise *noise)
{
    bool disturbed = noise->others_cores + noise->stolen_cores > NOISE_SHARE_MAX * noise->cores;
    attempt->disturbed = disturbed ? attempt->disturbed + 1 : 0;
}

/* The order changes from round to round: a drift of the machine affects all cells alike. Servers
 * that are not this program's cannot be distinguished from other programs. */
static bool run_round(struct attempt *attempt, size_t cells)
{
    bool goes_on = true,
         measures = attempt->claim->judge != NULL && attempt->host->fleet.ensemble != NULL;
    const struct noise_reading before = measures ? noise_read(NULL) : (struct noise_reading){0};
    for (size_t turn = 0; turn < cells && goes_on; turn++) {
        attempt->cell = (attempt->rounds + turn) % cells;
        goes_on = run_cell(attempt);
    }
    attempt->rounds++;
    if (measures) {
        const struct noise_reading after = noise_read(NULL);
        const struct noise noise = noise_between(&before, &after);
        attempt_add_noise(attempt, &noise);
    }
    return goes_on;
}

bool attempt_goes_on(struct attempt *attempt)
{
    const struct outcome *outcome = attempt->outcome;
    bool open = outcome->wide && outcome->failed == 0,
         disturbed = attempt->disturbed >= NOISE_IN_A_ROW;
    if (open && disturbed)
        claim_measured(attempt, "no more rounds: other programs disturbed the last %zu",
                       attempt->disturbed);
    return open && !disturbed;
}

/* If only the width of an interval leaves the claim open, it is judged again after each further
 * round. */
static void run_recipe(struct attempt *attempt)
{
    struct outcome *outcome = attempt->outcome;
    const struct claim *claim = attempt->claim;
    size_t cells = 0, rounds = claim->rounds > 0 ? claim->rounds : 1;
    while (cells < CLAIM_CELLS_MAX && claim->trials[cells].fleet.sessions > 0)
        cells++;
    attempt->rounds = 0;
    while (run_round(attempt, cells)) {
        if (attempt->rounds < rounds)
            continue;
        const struct outcome before = *outcome;
        outcome->wide = false;
        if (claim->judge != NULL)
            claim->judge(attempt);
        if (attempt->rounds == rounds * PATIENCE || !attempt_goes_on(attempt))
            return;
        *outcome = before;
    }
}

enum error_kind attempt_run(const struct claim *claim, struct claim_host *host,
                            struct outcome *outcome, struct error *error)
{
    struct attempt *attempt = memory_new(1, sizeof *attempt);
    *attempt = (struct attempt){.claim = claim, .host = host, .outcome = outcome, .error = error};
    unsigned trials = host->trials;
    if (claim->experiment != NULL)
        claim->experiment(attempt);
    if (attempt->kind == ERROR_NONE && claim->tried != NULL)
        claim_tried(attempt, "%s", claim->tried);
    if (attempt->kind == ERROR_NONE && claim->expected != NULL)
        claim_expected(attempt, "%s", claim->expected);
    for (size_t i = 0; i < CLAIM_RECIPES_MAX && attempt->kind == ERROR_NONE; i++) {
        attempt->recipe = i;
        if (claim->recipes[i] != NULL)
            run_recipe(attempt);
    }
    outcome->trials = host->trials - trials;
    trial_result_free(attempt->result);
    enum error_kind kind = attempt->kind;
    if (kind == ERROR_CONNECTION_LIMIT) {
        claim_undecide(attempt, "%s: %s", error->subject, error->detail);
        kind = ERROR_NONE;
    }
    free(attempt);
    return kind;
}
