// SPDX-License-Identifier: Apache-2.0
/* The findings of a run: measurements first, in the order of the recipes, then judgements. */
#include "base/text.h"
#include "bench/output/trial_findings.h"
#include "bench/run/outcome.h"
#include "recipes/recipe.h"

#include <math.h>
#include <string.h>

#define TEXT_SIZE 128

/* Adds a finding about a recipe, or another subject, of which nothing is expected. */
#define ADD_ABOUT(subject, slug, figure, unit, n, format, ...)                                     \
    findings_add(findings, FINDING_MEASURED(slug, subject, figure, unit, n), "%s: " format,        \
                 subject, __VA_ARGS__)
#define ADD(slug, ...) ADD_ABOUT(recipe->recipe->name, slug, __VA_ARGS__)

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
        if (!isfinite(cell[run_cell_rpcs_per_handoff].real) ||
            (dear != NULL && n < dear[run_cell_clients].count))
            continue;
        if (dear == NULL || n > dear[run_cell_clients].count)
            dear = cheap = cell;
        dear = rpcs > dear[run_cell_rpcs].count ? cell : dear;
        cheap = rpcs < cheap[run_cell_rpcs].count ? cell : cheap;
    }
    if (dear == cheap)
        return;
    double ratio = (double)dear[run_cell_rpcs].count / (double)cheap[run_cell_rpcs].count;
    ADD_ABOUT(dear[run_cell_recipe].text, "price", FINDING_FIGURE(ratio), "times",
              dear[run_cell_trials_complete].count,
              "%.3g times the RPCs of %s to drain %s clients (%s, %s)", ratio,
              cheap[run_cell_recipe].text, RUN_COUNT(dear[run_cell_clients].count),
              RUN_COUNT(dear[run_cell_rpcs].count), RUN_COUNT(cheap[run_cell_rpcs].count));
}

/* A growth that has levels enough; what: "RPCs grow", "drain time grows"; trial_flag: of the trials
 * that it is of. */
static void add_fit(const struct outcome_recipe *recipe, const char *slug, const char *what,
                    enum figure figure, size_t trial_flag, struct table *findings)
{
    static const char *const orders[] = {"O(1)", "O(n)", "O(n²)", "O(n³)", "no order fits"};
    const struct growth *growth = &recipe->growth[figure];
    const struct fit_exponent *fit = &growth->exponent;
    const struct interval exponent = {fit->exponent, fit->low, fit->high};
    char how[TEXT_SIZE];
    if (!growth->known || fit->levels < FIT_LEVELS_MIN)
        return;
    snprintf(how, sizeof how, "n^%.2f", fit->exponent);
    if (isfinite(fit->low))
        text_append(how, sizeof how, " (95 %% CI %.2f to %.2f)", fit->low, fit->high);
    if (growth->polynomial.exact)
        fit_describe(&growth->polynomial, 'n', how, sizeof how);
    ADD(slug, exponent, NULL, table_cell_flags(recipe->trials, trial_flag), "%s as %s: %s", what,
        how, orders[growth->verdict]);
}

static void add_growth(const struct outcome *outcome, const struct outcome_recipe *recipe,
                       struct table *findings)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    const struct table_value *cell = largest_cell(outcome, recipe);
    bool drains = outcome->options->plan.workload == WORKLOAD_DRAIN,
         has_few_sizes = rpcs->known && rpcs->exponent.levels < FIT_LEVELS_MIN;
    if (!rpcs->obeyed && has_few_sizes && cell != NULL)
        ADD("rpcs", FINDING_FIGURE(cell[run_cell_rpcs_per_handoff].real), NULL,
            cell[run_cell_trials_complete].count, "%.1f RPCs a handoff at n = %s",
            cell[run_cell_rpcs_per_handoff].real, RUN_COUNT(cell[run_cell_clients].count));
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
    if (isfinite(beta->low))
        ADD("herd", percent, "%", table_cell_flags(recipe->trials, trial_row_timed),
            "each waiter adds %.1f %% (95 %% CI %.1f to %.1f) to a bare handoff", percent.value,
            percent.low, percent.high);
}

/* The median handoff by the role of the new holder's server, at the most clients, if there are
 * several roles. */
static void add_roles(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    if (recipe->count == 0)
        return;
    const struct table_cell *trials = outcome->trials[recipe->first + recipe->count - 1];
    char text[ROLES * 32] = "";
    unsigned roles = 0;
    double slowest_ms = 0;
    for (size_t role = 0; role < ROLES; role++) {
        double ms =
            table_cell_median(trials, trial_row_handoff_of_unknown_us + role, trial_row_valid) /
            1e3;
        if (!isfinite(ms))
            continue;
        text_append(text, sizeof text, "%s%s %.2f ms", roles++ > 0 ? ", " : "", role_words[role],
                    ms);
        slowest_ms = fmax(slowest_ms, ms);
    }
    if (roles >= 2)
        ADD("roles", FINDING_FIGURE(slowest_ms), "ms", table_cell_flags(trials, trial_row_valid),
            "handoff p50 by the holder's server: %s", text);
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
    if (watches != 0 || ephemerals != 0)
        ADD("leaks", FINDING_FIGURE((double)(watches + ephemerals)), NULL, trials,
            "left on the servers after %llu trials: watches %lld, ephemerals %lld",
            (unsigned long long)trials, watches, ephemerals);
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
    if (isfinite(most_s))
        snprintf(recovery, sizeof recovery, "; the next grant came within %.3f s", most_s);
    if (first != NULL)
        ADD("death", FINDING_FIGURE(most_s), isfinite(most_s) ? "s" : NULL, deaths,
            "session %llu %s at handoff %llu%s",
            (unsigned long long)first[trial_row_died_session].count,
            loses_reply ? "lost the reply to its CREATE" : "ended",
            (unsigned long long)first[trial_row_died_handoff].count, recovery);
}

/* The cell with the recipe and the clients of another topology's; NULL: it has no trial. */
static const struct table_value *find_alike(const struct outcome *outcome,
                                            const struct table_value *other)
{
    for (size_t i = 0; i < outcome->cells.rows; i++) {
        const struct table_value *cell = table_row(&outcome->cells, i);
        if (table_equal(&cell[run_cell_recipe], &other[run_cell_recipe]) &&
            table_equal(&cell[run_cell_clients], &other[run_cell_clients]))
            return cell;
    }
    return NULL;
}

/* The drain of the most clients whose times are valid on both topologies. */
static void add_topology(const struct outcome *first, const struct outcome *outcome,
                         const struct outcome_recipe *recipe, struct table *findings)
{
    for (size_t i = recipe->first + recipe->count; i-- > recipe->first;) {
        const struct table_value *cell = table_row(&outcome->cells, i),
                                 *base = find_alike(first, cell);
        if (base == NULL || base[run_cell_trials_valid].count == 0 ||
            cell[run_cell_trials_valid].count == 0)
            continue;
        double ratio = cell[run_cell_drain_s].real / base[run_cell_drain_s].real;
        if (!isfinite(ratio))
            continue;
        uint64_t servers = table_row(outcome->rows, 0)[trial_row_servers].count,
                 first_servers = table_row(first->rows, 0)[trial_row_servers].count;
        ADD("topology", FINDING_FIGURE(ratio), "times", cell[run_cell_trials_valid].count,
            "draining %s clients takes %.2g times as long on %llu server%s as on %llu",
            RUN_COUNT(cell[run_cell_clients].count), ratio, (unsigned long long)servers,
            text_plural(servers), (unsigned long long)first_servers);
        return;
    }
}

void run_findings_add_topology(const struct outcome *first, const struct outcome *outcome,
                               struct table *findings)
{
    const struct run_plan *plan = &outcome->options->plan;
    for (size_t i = 0; plan->workload == WORKLOAD_DRAIN && i < plan->recipe_count; i++)
        add_topology(first, outcome, &outcome->recipes[i], findings);
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
    const struct finding *finding =
        FINDING(VERDICT_HOLDS, "law", recipe->recipe->name,
                FINDING_FIGURE((double)cell[run_cell_rpcs].count), "RPCs", lawful);
    fit_describe(&rpcs->law, 'n', law, sizeof law);
    if (rpcs->described)
        findings_add(findings, finding, "%s: %s RPCs, the law: %s at n = %s", finding->subject, law,
                     RUN_COUNT(cell[run_cell_rpcs].count), RUN_COUNT(cell[run_cell_clients].count));
    else
        findings_add(findings, finding, "%s: counts equal the law in %s", finding->subject,
                     text_format_share(lawful, recipe->trials->count, share, sizeof share));
}

/* Usable counts without a law. */
static void add_lawless(const struct outcome *outcome, struct table *findings)
{
    size_t lawless = 0;
    char share[64];
    for (size_t i = 0; i < outcome->by_recipe.count; i++)
        lawless += count_counted(&outcome->by_recipe.list[i], false);
    if (lawless > 0)
        ADD_ABOUT("counts", "lawless", FINDING_NO_FIGURE, NULL, lawless, "no law applies in %s",
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
