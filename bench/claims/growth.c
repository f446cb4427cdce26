// SPDX-License-Identifier: Apache-2.0
/* What drains cost in all, and how long barriers take, as their numbers grow. */
#include "bench/claims/internal.h"

#include <math.h>
#include <stdio.h>

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* ------------------------------------------------------------------ drains */

/* The levels of a claim: the clients of its trials. Returns how many. */
static size_t take_levels(const struct claim *claim, double clients[CLAIM_TRIALS_MAX])
{
    size_t count = 0;
    for (; count < CLAIM_TRIALS_MAX && claim->trials[count].fleet.sessions > 0; count++)
        clients[count] = claim->trials[count].fleet.sessions;
    return count;
}

static double foretell(const struct growth *growth, double n)
{
    return growth->law[0] + (growth->law[1] + growth->law[2] * n) * n;
}

/* The exact polynomial through the levels, or how they grow if there is none. */
static const char *describe(const double *clients, const double *values, size_t count,
                            char text[128])
{
    struct fit_polynomial polynomial = fit_polynomial_best(clients, values, count);
    if (polynomial.exact)
        return fit_describe(&polynomial, 'n', text, 128);
    struct fit_exponent fit = fit_exponent(clients, values, count);
    snprintf(text, 128, "about n^%.2f (95 %% CI %.2f to %.2f)", fit.exponent, fit.low, fit.high);
    return text;
}

void growth_expect(struct experiment *experiment)
{
    double clients[CLAIM_TRIALS_MAX], foretold[CLAIM_TRIALS_MAX];
    size_t count = take_levels(experiment->claim, clients);
    char text[128];
    for (size_t i = 0; i < 4; i++) {
        const struct growth *growth = &experiment->claim->growths[i / 2][i % 2];
        for (size_t level = 0; level < count; level++)
            foretold[level] = foretell(growth, clients[level]);
        if (growth->what != NULL)
            finding_expected(
                experiment->finding, "%s: %s%s%s", experiment->claim->recipes[i / 2]->name,
                growth->what, growth->class == FIT_CONSTANT ? " = " : " ",
                growth->class == FIT_CONSTANT ? describe(clients, foretold, count, text)
                                              : fit_verdict_words(growth->class));
    }
}

static double value_of(const struct tally *total, int figure)
{
    if (figure == GROWTH_RPCS)
        return (double)tally_rpcs(total);
    if (figure == GROWTH_BYTES)
        return (double)(total->of[TALLY_BYTES_SENT] + total->of[TALLY_BYTES_RECEIVED]);
    return (double)total->of[figure];
}

/* Compares a figure with its law at every level, or with its class. */
static void check(struct experiment *experiment, const struct growth *growth)
{
    const char *name = experiment->plan.recipe->name;
    struct claim_outcome *finding = experiment->finding;
    double clients[CLAIM_TRIALS_MAX], found[CLAIM_TRIALS_MAX];
    size_t count = take_levels(experiment->claim, clients);
    char text[128];
    bool equal = true;
    for (size_t i = 0; i < count; i++) {
        found[i] = value_of(&experiment->totals[i], growth->figure);
        equal = equal && fabs(found[i] - foretell(growth, clients[i])) < EQUAL;
    }
    if (growth->class == FIT_CONSTANT) {
        finding_measured(finding, "%s: %s = %s", name, growth->what,
                         describe(clients, found, count, text));
        finding_check(finding, equal);
        return;
    }
    struct fit_exponent fit = fit_exponent(clients, found, count);
    struct fit_polynomial polynomial =
        fit_polynomial(clients, found, count, (unsigned)growth->class);
    finding_measured(finding, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                     name, growth->what, fit.exponent, fit.low, fit.high,
                     fit_describe(&polynomial, 'n', text, sizeof text));
    finding_check_class(finding, &fit, growth->class);
}

void growth_is_lawful(struct experiment *experiment)
{
    for (size_t i = 0; experiment->recipe < 2 && i < 2; i++) {
        if (experiment->claim->growths[experiment->recipe][i].what != NULL)
            check(experiment, &experiment->claim->growths[experiment->recipe][i]);
    }
}

/* ------------------------------------------------------------------ barriers */

/* As many as a class of growth takes: the first trials differ in their barriers, as many others in
 * their clients. */
#define LEVELS FIT_LEVELS_MIN

/* Whatever else uses the machine only adds to a time; the first is a server's warm-up, if the
 * server has just started. */
void growth_keeps_fastest(struct experiment *experiment)
{
    uint64_t *fastest = &experiment->figures[experiment->trial];
    uint64_t elapsed_ns = experiment->result->elapsed_ns;
    if (experiment->time == 0 || elapsed_ns < *fastest)
        *fastest = elapsed_ns;
}

void growth_of_time_is_linear(struct experiment *experiment)
{
    for (size_t of_clients = 0; of_clients < 2; of_clients++) {
        const struct trial_plan *trials = &experiment->claim->trials[of_clients * LEVELS];
        double numbers[LEVELS], fastest_s[LEVELS];
        for (size_t i = 0; i < LEVELS; i++) {
            numbers[i] = of_clients ? trials[i].fleet.sessions : trials[i].barriers;
            fastest_s[i] = (double)experiment->figures[of_clients * LEVELS + i] / 1e9;
        }
        struct fit_exponent fit = fit_exponent(numbers, fastest_s, LEVELS);
        finding_measured(
            experiment->finding,
            "%s, %.0f to %.0f %s: %.3f to %.3f s, growing as n^%.2f (95 %% CI %.2f to %.2f)",
            experiment->plan.recipe->name, numbers[0], numbers[LEVELS - 1],
            of_clients ? "clients" : "barriers", fastest_s[0], fastest_s[LEVELS - 1], fit.exponent,
            fit.low, fit.high);
        finding_check_class(experiment->finding, &fit, FIT_LINEAR);
    }
}
