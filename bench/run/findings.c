// SPDX-License-Identifier: Apache-2.0
/* What a run comes to. What was measured comes first, in the order of the recipes, then what was
 * judged. */
#include "base/text.h"
#include "bench/output/trial_findings.h"
#include "bench/run/internal.h"
#include "recipes/death.h"

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

/* The next trial of a recipe; *at begins at 0. NULL behind the last. */
static const struct table_value *next_trial(const struct outcome *outcome,
                                            const struct outcome_recipe *recipe, size_t *at)
{
    while (*at < outcome->rows->rows) {
        const struct table_value *row = table_row(outcome->rows, (*at)++);
        if (strcmp(row[trial_row_recipe].text, recipe->recipe->name) == 0)
            return row;
    }
    return NULL;
}

static uint64_t count_trials(const struct outcome *outcome, const struct outcome_recipe *recipe,
                             size_t flag)
{
    const struct table_value *row;
    uint64_t count = 0;
    for (size_t at = 0; (row = next_trial(outcome, recipe, &at)) != NULL;)
        count += row[flag].flag;
    return count;
}

/* The row of a recipe with the most clients whose column has a value; NULL: none. */
static const struct table_value *last_with(const struct outcome *outcome,
                                           const struct outcome_recipe *recipe, size_t column)
{
    for (size_t i = recipe->first + recipe->count; i-- > recipe->first;) {
        const struct table_value *row = table_row(&outcome->cells, i);
        if (isfinite(table_number(&row[column])))
            return row;
    }
    return NULL;
}

/* ------------------------------------------------------------------ what was measured */

/* The dearest recipe beside the cheapest, at the most clients that both have. */
static void add_price(const struct outcome *outcome, struct table *findings)
{
    const struct table *cells = &outcome->cells;
    const struct table_value *dear = NULL, *cheap = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < cells->rows; i++) {
        const struct table_value *row = table_row(cells, i);
        uint64_t clients = row[run_cell_clients].count;
        if (!isfinite(row[run_cell_rpcs_per_handoff].real) || clients < most)
            continue;
        if (clients > most)
            dear = cheap = NULL;
        most = clients;
        if (dear == NULL || row[run_cell_rpcs].count > dear[run_cell_rpcs].count)
            dear = row;
        if (cheap == NULL || row[run_cell_rpcs].count < cheap[run_cell_rpcs].count)
            cheap = row;
    }
    if (dear == NULL || dear[run_cell_rpcs].count == cheap[run_cell_rpcs].count)
        return;
    char of_dear[32], of_cheap[32], clients[32];
    double ratio = (double)dear[run_cell_rpcs].count / (double)cheap[run_cell_rpcs].count;
    const struct finding price = {.slug = "price",
                                  .subject = dear[run_cell_recipe].text,
                                  .verdict = VERDICT_MEASURED,
                                  .figure = FINDING_FIGURE(ratio),
                                  .unit = "times",
                                  .n = dear[run_cell_trials_complete].count};
    findings_add(findings, &price, "%s: %.3g times the RPCs of %s to drain %s clients (%s, %s)",
                 price.subject, ratio, cheap[run_cell_recipe].text,
                 text_format_count(most, clients, sizeof clients),
                 text_format_count(dear[run_cell_rpcs].count, of_dear, sizeof of_dear),
                 text_format_count(cheap[run_cell_rpcs].count, of_cheap, sizeof of_cheap));
}

/* A growth that has levels enough; what: "RPCs grow", "drain time grows". */
static void add_fit(const struct outcome_recipe *recipe, const char *slug, const char *what,
                    const struct growth *growth, uint64_t trials, struct table *findings)
{
    const struct fit_exponent *exponent = &growth->fitted.exponent;
    const struct finding finding = {.slug = slug,
                                    .subject = recipe->recipe->name,
                                    .verdict = VERDICT_MEASURED,
                                    .figure = {exponent->exponent, exponent->low, exponent->high},
                                    .n = trials};
    char text[TEXT_SIZE], between[64] = "";
    if (!growth->known || exponent->levels < FIT_LEVELS_MIN)
        return;
    if (isfinite(exponent->low))
        snprintf(between, sizeof between, " (95 %% CI %.2f to %.2f)", exponent->low,
                 exponent->high);
    if (growth->fitted.polynomial.exact)
        findings_add(findings, &finding, "%s: %s as %s: %s", finding.subject, what,
                     fit_describe(&growth->fitted.polynomial, 'n', text, sizeof text),
                     order_of(growth->fitted.verdict));
    else if (growth->fitted.verdict != FIT_UNDETERMINED)
        findings_add(findings, &finding, "%s: %s as n^%.2f%s: %s", finding.subject, what,
                     exponent->exponent, between, order_of(growth->fitted.verdict));
    else
        findings_add(findings, &finding, "%s: %s as n^%.2f%s: no order fits", finding.subject, what,
                     exponent->exponent, between);
}

/* With fewer sizes than a growth needs: the value at the largest. */
static void add_value(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    const struct table_value *row = last_with(outcome, recipe, run_cell_rpcs_per_handoff);
    char rpcs[32], clients[32];
    if (row == NULL)
        return;
    double per_handoff = row[run_cell_rpcs_per_handoff].real;
    const struct finding value = {.slug = "rpcs",
                                  .subject = recipe->recipe->name,
                                  .verdict = VERDICT_MEASURED,
                                  .figure = FINDING_FIGURE(per_handoff),
                                  .n = row[run_cell_trials_complete].count};
    text_format_count(row[run_cell_rpcs].count, rpcs, sizeof rpcs);
    text_format_count(row[run_cell_clients].count, clients, sizeof clients);
    if (outcome->options->plan.workload == WORKLOAD_DRAIN)
        findings_add(findings, &value, "%s: %s RPCs, %.1f a handoff, at n = %s", value.subject,
                     rpcs, per_handoff, clients);
    else
        findings_add(findings, &value, "%s: %.1f RPCs a handoff at n = %s", value.subject,
                     per_handoff, clients);
}

static void add_growth(const struct outcome *outcome, const struct outcome_recipe *recipe,
                       struct table *findings)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    bool drains = outcome->options->plan.workload == WORKLOAD_DRAIN;
    uint64_t counted = count_trials(outcome, recipe, trial_row_counted),
             timed = count_trials(outcome, recipe, trial_row_timed);
    if (!rpcs->obeyed && rpcs->known && rpcs->fitted.exponent.levels < FIT_LEVELS_MIN)
        add_value(outcome, recipe, findings);
    else if (!drains)
        add_fit(recipe, "growth-rpcs", "RPCs a handoff grow", &recipe->per_handoff, counted,
                findings);
    else if (!rpcs->obeyed)
        add_fit(recipe, "growth-rpcs", "RPCs grow", rpcs, counted, findings);
    if (drains)
        add_fit(recipe, "growth-drain", "drain time grows", &recipe->growth[FIGURE_DRAIN], timed,
                findings);
}

/* Rounded to whole thousandths, so that none is "-0.0". */
static double percent_of(double share)
{
    return nearbyint(share * 1000) / 10 + 0.0;
}

static void add_herd(const struct outcome *outcome, const struct outcome_recipe *recipe,
                     struct table *findings)
{
    const struct interval *beta = &recipe->beta;
    if (!isfinite(beta->low))
        return;
    const struct finding herd = {
        .slug = "herd",
        .subject = recipe->recipe->name,
        .verdict = VERDICT_MEASURED,
        .figure = {percent_of(beta->value), percent_of(beta->low), percent_of(beta->high)},
        .unit = "%",
        .n = count_trials(outcome, recipe, trial_row_timed)};
    findings_add(findings, &herd,
                 "%s: each waiter adds %.1f %% (95 %% CI %.1f to %.1f) to a bare handoff",
                 herd.subject, herd.figure.value, herd.figure.low, herd.figure.high);
}

/* The median handoff by the role of the new holder's server, at the most clients, if there are
 * several roles. */
static void add_roles(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    if (recipe->count == 0)
        return;
    size_t last = recipe->first + recipe->count - 1;
    const struct table_cell *trials = &outcome->trials[last];
    char text[160] = "";
    unsigned roles = 0;
    double slowest_ms = 0;
    for (size_t role = 0; role < ROLES; role++) {
        double ms =
            table_cell_median(trials, trial_row_handoff_of_unknown_us + role, trial_row_valid) /
            1e3;
        size_t length = strlen(text);
        if (!isfinite(ms))
            continue;
        snprintf(text + length, sizeof text - length, "%s%s %.2f ms", roles++ > 0 ? ", " : "",
                 role_word((enum role)role), ms);
        slowest_ms = fmax(slowest_ms, ms);
    }
    const struct finding finding = {.slug = "roles",
                                    .subject = recipe->recipe->name,
                                    .verdict = VERDICT_MEASURED,
                                    .figure = FINDING_FIGURE(slowest_ms),
                                    .unit = "ms",
                                    .n = table_cell_flags(trials, trial_row_valid)};
    if (roles >= 2)
        findings_add(findings, &finding, "%s: handoff p50 by the holder's server: %s",
                     finding.subject, text);
}

/* What the trials of a recipe left on the servers, by the servers' counters. */
static void add_leaks(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      struct table *findings)
{
    const struct table_value *row;
    long long watches = 0, ephemerals = 0;
    uint64_t trials = 0;
    for (size_t at = 0; (row = next_trial(outcome, recipe, &at)) != NULL;) {
        if (strcmp(row[trial_row_reconciled].text, "na") == 0)
            continue;
        watches += row[trial_row_watches_leaked].number;
        ephemerals += row[trial_row_ephemerals_leaked].number;
        trials++;
    }
    const struct finding leaks = {.slug = "leaks",
                                  .subject = recipe->recipe->name,
                                  .verdict = VERDICT_MEASURED,
                                  .figure = FINDING_FIGURE((double)(watches + ephemerals)),
                                  .n = trials};
    if (watches != 0 || ephemerals != 0)
        findings_add(findings, &leaks,
                     "%s: left on the servers after %llu trials: watches %lld, ephemerals %lld",
                     leaks.subject, (unsigned long long)trials, watches, ephemerals);
}

/* Which session died or lost a reply, of the first such trial. */
static void format_death(const struct table_value *row, const struct death *death, char *text,
                         size_t size)
{
    static const char *const who[] = {[DEATH_HOLDER] = "the holder",
                                      [DEATH_WAITER] = "a waiter",
                                      [DEATH_WORKER] = "a holder at work"};
    unsigned long long session = row[trial_row_died_session].count,
                       handoff = row[trial_row_died_handoff].count;
    if (death->how == DEATH_LOST_REPLY)
        snprintf(text, size, "session %llu lost the reply to its CREATE at handoff %llu", session,
                 handoff);
    else
        snprintf(text, size, "session %llu, %s, ended at handoff %llu", session, who[death->who],
                 handoff);
}

/* The deaths on purpose, and how soon the next session was granted. */
static void add_deaths(const struct outcome *outcome, const struct outcome_recipe *recipe,
                       struct table *findings)
{
    const struct table_value *row;
    struct interval recovery_s = {NAN, INFINITY, 0};
    uint64_t deaths = 0;
    char death[96] = "", least[32], most[32];
    for (size_t at = 0; (row = next_trial(outcome, recipe, &at)) != NULL;) {
        if (row[trial_row_died_session].kind == TABLE_UNKNOWN)
            continue;
        if (deaths++ == 0)
            format_death(row, &recipe->recipe->death, death, sizeof death);
        if (!isfinite(row[trial_row_recovery_s].real) || !row[trial_row_valid].flag)
            continue;
        recovery_s.low = fmin(recovery_s.low, row[trial_row_recovery_s].real);
        recovery_s.high = fmax(recovery_s.high, row[trial_row_recovery_s].real);
    }
    bool known = recovery_s.low <= recovery_s.high;
    struct finding finding = {.slug = "death",
                              .subject = recipe->recipe->name,
                              .verdict = VERDICT_MEASURED,
                              .figure = FINDING_NO_FIGURE,
                              .n = deaths};
    if (deaths == 0)
        return;
    if (!known) {
        findings_add(findings, &finding, "%s: %s%s", finding.subject, death,
                     deaths > 1 ? " in the first trial" : "");
        return;
    }
    finding.figure = FINDING_FIGURE(recovery_s.high);
    finding.unit = "s";
    snprintf(least, sizeof least, "%.3f", recovery_s.low);
    snprintf(most, sizeof most, "%.3f", recovery_s.high);
    bool one = strcmp(least, most) == 0;
    findings_add(findings, &finding, "%s: %s%s; the next grant came %s%s%s s later",
                 finding.subject, death, deaths > 1 ? " in the first trial" : "", least,
                 one ? "" : " to ", one ? "" : most);
}

/* ------------------------------------------------------------------ what was judged */

static bool fails(const struct table_value *row)
{
    return row[trial_row_violations].count > 0;
}

static void describe(const struct table_value *row, char *text, size_t size)
{
    char clients[32];
    snprintf(text, size, "trial %llu with %s clients",
             (unsigned long long)row[trial_row_trial].count,
             text_format_count(row[trial_row_clients].count, clients, sizeof clients));
}

const struct trial_findings run_trials = {.subject = trial_row_recipe,
                                          .valid = trial_row_valid,
                                          .reason = trial_row_reason,
                                          .reconciled = trial_row_reconciled,
                                          .noise = trial_row_attempt,
                                          .fails = fails,
                                          .describe = describe};

/* The counts that stand, beside their law. */
static void add_law(const struct outcome *outcome, const struct outcome_recipe *recipe,
                    struct table *findings)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    const struct table_value *row = last_with(outcome, recipe, run_cell_rpcs_per_handoff);
    const struct table_value *trial;
    uint64_t lawful = 0, trials = 0;
    char law[TEXT_SIZE], count[32], clients[32], share[64];
    for (size_t at = 0; (trial = next_trial(outcome, recipe, &at)) != NULL; trials++)
        lawful += trial[trial_row_counted].flag && trial[trial_row_has_law].flag;
    if (lawful == 0 || row == NULL)
        return;
    const struct finding finding = {.slug = "law",
                                    .subject = recipe->recipe->name,
                                    .verdict = VERDICT_HOLDS,
                                    .figure = FINDING_FIGURE((double)row[run_cell_rpcs].count),
                                    .unit = "RPCs",
                                    .n = lawful};
    text_format_count(row[run_cell_rpcs].count, count, sizeof count);
    text_format_count(row[run_cell_clients].count, clients, sizeof clients);
    fit_describe(&rpcs->law, 'n', law, sizeof law);
    bool grows =
        rpcs->fitted.exponent.levels >= FIT_LEVELS_MIN && rpcs->law_verdict != FIT_UNDETERMINED;
    if (rpcs->described && recipe->count == 1)
        findings_add(findings, &finding, "%s: %s RPCs, %s, the law, at n = %s", finding.subject,
                     count, law, clients);
    else if (rpcs->obeyed)
        findings_add(findings, &finding, "%s: %s%s at every n: %s%s%s at n = %s", finding.subject,
                     rpcs->described ? law : "RPCs equal the law",
                     rpcs->described ? " RPCs, the law," : "",
                     grows ? order_of(rpcs->law_verdict) : "", grows ? "; " : "", count, clients);
    else
        findings_add(findings, &finding, "%s: counts equal the law in %s", finding.subject,
                     text_format_share(lawful, trials, share, sizeof share));
}

/* Counts that stand without a law. */
static void add_lawless(const struct outcome *outcome, struct table *findings)
{
    uint64_t trials = 0;
    for (size_t i = 0; i < outcome->rows->rows; i++) {
        const struct table_value *row = table_row(outcome->rows, i);
        trials += row[trial_row_counted].flag && !row[trial_row_has_law].flag;
    }
    const struct finding lawless = {.slug = "lawless",
                                    .subject = "counts",
                                    .verdict = VERDICT_MEASURED,
                                    .figure = FINDING_NO_FIGURE,
                                    .n = trials};
    char share[64];
    if (trials > 0)
        findings_add(
            findings, &lawless, "counts: no law applies in %s%s",
            text_format_share(trials, outcome->rows->rows, share, sizeof share),
            outcome->options->plan.pace == PACE_FREE ? ": in free pace they depend on timing" : "");
}

void run_findings_add(const struct outcome *outcome, struct table *findings)
{
    size_t recipes = outcome->options->plan.recipe_count;
    char repeat[64] = "";
    if (outcome->options->target.driver == DRIVER_SIMULATED)
        snprintf(repeat, sizeof repeat, "; --seed %llu repeats it",
                 (unsigned long long)outcome->options->plan.seed);
    if (outcome->options->plan.workload == WORKLOAD_DRAIN)
        add_price(outcome, findings);
    for (size_t i = 0; i < recipes; i++) {
        add_growth(outcome, &outcome->recipes[i], findings);
        add_herd(outcome, &outcome->recipes[i], findings);
        add_roles(outcome, &outcome->recipes[i], findings);
        add_deaths(outcome, &outcome->recipes[i], findings);
        add_leaks(outcome, &outcome->recipes[i], findings);
    }
    background_price_add(outcome, findings);
    add_lawless(outcome, findings);
    trial_findings_add_faults(&run_trials, outcome->rows, repeat, findings);
    for (size_t i = 0; i < recipes; i++)
        add_law(outcome, &outcome->recipes[i], findings);
    trial_findings_add_servers(&run_trials, outcome->rows, findings);
}
