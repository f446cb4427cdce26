// SPDX-License-Identifier: Apache-2.0
/* The findings of a run: measurements first, in the order of the recipes, then judgements. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/output/trial_findings.h"
#include "bench/run/outcome.h"
#include "recipes/recipe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 128

/* O(n^2) as people write it. */
static const char *order_of(enum fit_verdict verdict)
{
    return verdict == FIT_QUADRATIC ? "O(n²)"
           : verdict == FIT_CUBIC   ? "O(n³)"
                                    : fit_verdict_words(verdict);
}

/* A finding about a recipe of which nothing is expected. */
static struct finding measured(const char *slug, const struct outcome_recipe *recipe,
                               struct interval figure, const char *unit, uint64_t n)
{
    return (struct finding){slug, recipe->recipe->name, VERDICT_MEASURED, figure, unit, n};
}

/* The number of trials with usable counts, with a law or without. */
static size_t count_counted(const struct table_cell *trials, bool has_law)
{
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        count += row[trial_row_counted].flag && row[trial_row_has_law].flag == has_law;
    }
    return count;
}

/* The cell of a recipe with the most clients and usable counts; NULL: there is none. */
static const struct table_value *largest_cell(const struct outcome *outcome,
                                              const struct outcome_recipe *recipe)
{
    for (size_t i = recipe->first + recipe->count; i-- > recipe->first;) {
        const struct table_value *cell = table_row(&outcome->cells, i);
        if (isfinite(cell[run_cell_rpcs_per_handoff].real))
            return cell;
    }
    return NULL;
}

/* ------------------------------------------------------------------ what was measured */

/* The dearest recipe beside the cheapest, at the most clients that any has. */
static void add_price(const struct outcome *outcome, struct table *findings)
{
    const struct table_value *dear = NULL, *cheap = NULL;
    for (size_t i = 0; i < outcome->cells.rows; i++) {
        const struct table_value *cell = table_row(&outcome->cells, i);
        uint64_t n = cell[run_cell_clients].count, rpcs = cell[run_cell_rpcs].count;
        if (!isfinite(cell[run_cell_rpcs_per_handoff].real))
            continue;
        if (dear == NULL || n > dear[run_cell_clients].count)
            dear = cheap = cell;
        else if (n == dear[run_cell_clients].count && rpcs > dear[run_cell_rpcs].count)
            dear = cell;
        else if (n == dear[run_cell_clients].count && rpcs < cheap[run_cell_rpcs].count)
            cheap = cell;
    }
    if (dear == NULL || dear[run_cell_rpcs].count == cheap[run_cell_rpcs].count)
        return;
    double ratio = (double)dear[run_cell_rpcs].count / (double)cheap[run_cell_rpcs].count;
    const struct finding price = {"price",          dear[run_cell_recipe].text,
                                  VERDICT_MEASURED, FINDING_FIGURE(ratio),
                                  "times",          dear[run_cell_trials_complete].count};
    findings_add(findings, &price, "%s: %.3g times the RPCs of %s to drain %s clients (%s, %s)",
                 price.subject, ratio, cheap[run_cell_recipe].text,
                 RUN_COUNT(dear[run_cell_clients].count), RUN_COUNT(dear[run_cell_rpcs].count),
                 RUN_COUNT(cheap[run_cell_rpcs].count));
}

/* A growth that has levels enough; what: "RPCs grow", "drain time grows"; trial_flag: of the trials
 * that it is of. */
static void add_fit(const struct outcome_recipe *recipe, const char *slug, const char *what,
                    enum figure figure, size_t trial_flag, struct table *findings)
{
    const struct growth *growth = &recipe->growth[figure];
    const struct fit_exponent *fit = &growth->exponent;
    const struct finding finding =
        measured(slug, recipe, (struct interval){fit->exponent, fit->low, fit->high}, NULL,
                 table_cell_flags(recipe->trials, trial_flag));
    char how[TEXT_SIZE];
    if (!growth->known || fit->levels < FIT_LEVELS_MIN)
        return;
    if (growth->polynomial.exact)
        fit_describe(&growth->polynomial, 'n', how, sizeof how);
    else if (isfinite(fit->low))
        snprintf(how, sizeof how, "n^%.2f (95 %% CI %.2f to %.2f)", fit->exponent, fit->low,
                 fit->high);
    else
        snprintf(how, sizeof how, "n^%.2f", fit->exponent);
    findings_add(findings, &finding, "%s: %s as %s: %s", finding.subject, what, how,
                 growth->verdict == FIT_UNDETERMINED ? "no order fits" : order_of(growth->verdict));
}

/* With fewer sizes than a growth needs: the value at the largest. */
static void add_value(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    const struct table_value *cell = largest_cell(outcome, recipe);
    if (cell == NULL)
        return;
    double per_handoff = cell[run_cell_rpcs_per_handoff].real;
    const struct finding value = measured("rpcs", recipe, FINDING_FIGURE(per_handoff), NULL,
                                          cell[run_cell_trials_complete].count);
    findings_add(findings, &value, "%s: %.1f RPCs a handoff at n = %s", value.subject, per_handoff,
                 RUN_COUNT(cell[run_cell_clients].count));
}

static void add_growth(const struct outcome *outcome, const struct outcome_recipe *recipe,
                       struct table *findings)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    bool drains = outcome->options->plan.workload == WORKLOAD_DRAIN;
    if (!rpcs->obeyed && rpcs->known && rpcs->exponent.levels < FIT_LEVELS_MIN)
        add_value(outcome, recipe, findings);
    else if (!drains)
        add_fit(recipe, "growth-rpcs", "RPCs a handoff grow", FIGURE_RPCS_PER_HANDOFF,
                trial_row_counted, findings);
    else if (!rpcs->obeyed)
        add_fit(recipe, "growth-rpcs", "RPCs grow", FIGURE_RPCS, trial_row_counted, findings);
    if (drains)
        add_fit(recipe, "growth-drain", "drain time grows", FIGURE_DRAIN, trial_row_timed,
                findings);
}

/* Rounded to whole thousandths, so that none is "-0.0". */
static double percent_of(double share)
{
    return nearbyint(share * 1000) / 10 + 0.0;
}

static void add_herd(const struct outcome_recipe *recipe, struct table *findings)
{
    const struct interval *beta = &recipe->beta,
                          percent = {percent_of(beta->value), percent_of(beta->low),
                                     percent_of(beta->high)};
    const struct finding herd =
        measured("herd", recipe, percent, "%", table_cell_flags(recipe->trials, trial_row_timed));
    if (isfinite(beta->low))
        findings_add(findings, &herd,
                     "%s: each waiter adds %.1f %% (95 %% CI %.1f to %.1f) to a bare handoff",
                     herd.subject, percent.value, percent.low, percent.high);
}

/* The median handoff by the role of the new holder's server, at the most clients, if there are
 * several roles. */
static void add_roles(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    if (recipe->count == 0)
        return;
    const struct table_cell *trials = outcome->trials[recipe->first + recipe->count - 1];
    struct growing_text text = {0};
    unsigned roles = 0;
    double slowest_ms = 0;
    for (size_t role = 0; role < ROLES; role++) {
        double us =
            table_cell_median(trials, trial_row_handoff_of_unknown_us + role, trial_row_valid);
        if (!isfinite(us))
            continue;
        growing_text_add(&text, "%s%s %.2f ms", roles++ > 0 ? ", " : "", role_word((enum role)role),
                         us / 1e3);
        slowest_ms = fmax(slowest_ms, us / 1e3);
    }
    const struct finding finding = measured("roles", recipe, FINDING_FIGURE(slowest_ms), "ms",
                                            table_cell_flags(trials, trial_row_valid));
    if (roles >= 2)
        findings_add(findings, &finding, "%s: handoff p50 by the holder's server: %s",
                     finding.subject, text.text);
    free(text.text);
}

/* Watches and ephemerals that the trials of a recipe left on the servers, by the servers' counters.
 */
static void add_leaks(const struct outcome_recipe *recipe, struct table *findings)
{
    long long watches = 0, ephemerals = 0;
    uint64_t trials = 0;
    for (size_t i = 0; i < recipe->trials->count; i++) {
        const struct table_value *row = table_row(recipe->trials->table, recipe->trials->rows[i]);
        if (strcmp(row[trial_row_reconciled].text, "na") == 0)
            continue;
        watches += row[trial_row_watches_leaked].number;
        ephemerals += row[trial_row_ephemerals_leaked].number;
        trials++;
    }
    const struct finding leaks =
        measured("leaks", recipe, FINDING_FIGURE((double)(watches + ephemerals)), NULL, trials);
    if (watches != 0 || ephemerals != 0)
        findings_add(findings, &leaks,
                     "%s: left on the servers after %llu trials: watches %lld, ephemerals %lld",
                     leaks.subject, (unsigned long long)trials, watches, ephemerals);
}

/* The deaths on purpose: the first, and how soon the next session was granted at the latest. */
static void add_deaths(const struct outcome_recipe *recipe, struct table *findings)
{
    const bool loses_reply = recipe->recipe->death.how == DEATH_LOST_REPLY;
    const struct table_value *first = NULL;
    double most_s = NAN;
    uint64_t deaths = 0;
    char recovery[64] = "";
    for (size_t i = 0; i < recipe->trials->count; i++) {
        const struct table_value *row = table_row(recipe->trials->table, recipe->trials->rows[i]);
        if (row[trial_row_died_session].kind == TABLE_UNKNOWN)
            continue;
        first = deaths++ == 0 ? row : first;
        if (row[trial_row_valid].flag)
            most_s = fmax(most_s, row[trial_row_recovery_s].real);
    }
    const struct finding finding =
        measured("death", recipe, FINDING_FIGURE(most_s), isfinite(most_s) ? "s" : NULL, deaths);
    if (isfinite(most_s))
        snprintf(recovery, sizeof recovery, "; the next grant came within %.3f s", most_s);
    if (first != NULL)
        findings_add(findings, &finding, "%s: session %llu %s at handoff %llu%s", finding.subject,
                     (unsigned long long)first[trial_row_died_session].count,
                     loses_reply ? "lost the reply to its CREATE" : "ended",
                     (unsigned long long)first[trial_row_died_handoff].count, recovery);
}

/* The drain of the most clients whose times are valid on both topologies. */
static void add_topology(const struct outcome *first, size_t first_servers,
                         const struct outcome *outcome, const struct outcome_recipe *recipe,
                         size_t servers, struct table *findings)
{
    for (size_t i = recipe->first + recipe->count; i-- > recipe->first;) {
        const struct table_value *base = table_row(&first->cells, i),
                                 *cell = table_row(&outcome->cells, i);
        double ratio = cell[run_cell_drain_s].real / base[run_cell_drain_s].real;
        if (base[run_cell_trials_valid].count == 0 || cell[run_cell_trials_valid].count == 0 ||
            !isfinite(ratio))
            continue;
        const struct finding finding = measured("topology", recipe, FINDING_FIGURE(ratio), "times",
                                                cell[run_cell_trials_valid].count);
        findings_add(findings, &finding,
                     "%s: draining %s clients takes %.2g times as long on %zu server%s as on %zu",
                     finding.subject, RUN_COUNT(cell[run_cell_clients].count), ratio, servers,
                     text_plural(servers), first_servers);
        return;
    }
}

void run_findings_add_topology(const struct outcome *first, size_t first_servers,
                               const struct outcome *outcome, size_t servers,
                               struct table *findings)
{
    const struct run_plan *plan = &outcome->options->plan;
    for (size_t i = 0; plan->workload == WORKLOAD_DRAIN && i < plan->recipe_count; i++)
        add_topology(first, first_servers, outcome, &outcome->recipes[i], servers, findings);
}

/* ------------------------------------------------------------------ what was judged */

static void describe(const struct table_value *row, char *text, size_t size)
{
    snprintf(text, size, "trial %llu with %s clients",
             (unsigned long long)row[trial_row_trial].count,
             RUN_COUNT(row[trial_row_clients].count));
}

const struct trial_kind run_trials = {.subject = trial_row_recipe,
                                      .valid = trial_row_valid,
                                      .reason = trial_row_reason,
                                      .reconciled = trial_row_reconciled,
                                      .noise = trial_row_attempt,
                                      .fails = trial_row_violations,
                                      .describe = describe};

/* Usable counts that have a law, and equal it. */
static void add_law(const struct outcome *outcome, const struct outcome_recipe *recipe,
                    struct table *findings)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    const struct table_value *cell = largest_cell(outcome, recipe);
    size_t lawful = count_counted(recipe->trials, true);
    char law[TEXT_SIZE], share[64];
    if (lawful == 0 || cell == NULL)
        return;
    struct finding finding =
        measured("law", recipe, FINDING_FIGURE((double)cell[run_cell_rpcs].count), "RPCs", lawful);
    finding.verdict = VERDICT_HOLDS;
    fit_describe(&rpcs->law, 'n', law, sizeof law);
    if (rpcs->described)
        findings_add(findings, &finding, "%s: %s RPCs, the law: %s at n = %s", finding.subject, law,
                     RUN_COUNT(cell[run_cell_rpcs].count), RUN_COUNT(cell[run_cell_clients].count));
    else
        findings_add(findings, &finding, "%s: counts equal the law in %s", finding.subject,
                     text_format_share(lawful, recipe->trials->count, share, sizeof share));
}

/* Usable counts without a law. */
static void add_lawless(const struct outcome *outcome, struct table *findings)
{
    size_t lawless = 0;
    char share[64];
    for (size_t i = 0; i < outcome->by_recipe.count; i++)
        lawless += count_counted(&outcome->by_recipe.list[i], false);
    const struct finding finding = {"lawless",         "counts", VERDICT_MEASURED,
                                    FINDING_NO_FIGURE, NULL,     lawless};
    if (lawless > 0)
        findings_add(findings, &finding, "counts: no law applies in %s",
                     text_format_share(lawless, outcome->rows->rows, share, sizeof share));
}

void run_findings_add(const struct outcome *outcome, struct table *findings)
{
    const struct run_plan *plan = &outcome->options->plan;
    char repeat[64] = "";
    if (outcome->options->target.driver == DRIVER_SIMULATED)
        snprintf(repeat, sizeof repeat, "; --seed %llu repeats it", (unsigned long long)plan->seed);
    if (plan->workload == WORKLOAD_DRAIN)
        add_price(outcome, findings);
    for (size_t i = 0; i < plan->recipe_count; i++) {
        add_growth(outcome, &outcome->recipes[i], findings);
        add_herd(&outcome->recipes[i], findings);
        add_roles(outcome, &outcome->recipes[i], findings);
        add_deaths(&outcome->recipes[i], findings);
        add_leaks(&outcome->recipes[i], findings);
    }
    background_price_add(outcome, findings);
    add_lawless(outcome, findings);
    trial_findings_add_faults(&run_trials, outcome->rows, repeat, findings);
    for (size_t i = 0; i < plan->recipe_count; i++)
        add_law(outcome, &outcome->recipes[i], findings);
    trial_findings_add_servers(&run_trials, outcome->rows, findings);
}
