// SPDX-License-Identifier: Apache-2.0
/* What drains cost in all, and how long barriers take, as their numbers grow. */
#include "bench/claims/internal.h"

#include <math.h>
#include <stdio.h>

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* ------------------------------------------------------------------ drains */

/* The clients of each cell of a claim. Returns how many cells there are. */
static size_t list_clients(const struct claim *claim, double clients[CLAIM_CELLS_MAX])
{
    size_t count = 0;
    for (; count < CLAIM_CELLS_MAX && claim->trials[count].fleet.sessions > 0; count++)
        clients[count] = claim->trials[count].fleet.sessions;
    return count;
}

static double law_at(const struct growth *growth, double n)
{
    return growth->law[0] + (growth->law[1] + growth->law[2] * n) * n;
}

/* The exact polynomial through the levels, or how they grow if there is none. */
static const char *describe_growth(const double *clients, const double *values, size_t count,
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
    double clients[CLAIM_CELLS_MAX], predicted[CLAIM_CELLS_MAX];
    size_t count = list_clients(experiment->claim, clients);
    char text[128];
    for (size_t i = 0; i < 4; i++) {
        const struct growth *growth = &experiment->claim->growths[i / 2][i % 2];
        bool exact = growth->class == FIT_CONSTANT;
        for (size_t level = 0; level < count; level++)
            predicted[level] = law_at(growth, clients[level]);
        if (growth->what != NULL)
            outcome_expected(experiment->outcome, "%s: %s%s%s",
                             experiment->claim->recipes[i / 2]->name, growth->what,
                             exact ? " = " : " ",
                             exact ? describe_growth(clients, predicted, count, text)
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
static void check_growth(struct experiment *experiment, const struct growth *growth)
{
    const char *name = experiment->plan.recipe->name;
    struct outcome *outcome = experiment->outcome;
    double clients[CLAIM_CELLS_MAX], found[CLAIM_CELLS_MAX];
    size_t count = list_clients(experiment->claim, clients);
    char text[128];
    bool equal = true;
    for (size_t i = 0; i < count; i++) {
        found[i] = value_of(&experiment->totals[i], growth->figure);
        equal = equal && fabs(found[i] - law_at(growth, clients[i])) < EQUAL;
    }
    if (growth->class == FIT_CONSTANT) {
        outcome_measured(outcome, "%s: %s = %s", name, growth->what,
                         describe_growth(clients, found, count, text));
        outcome_check(outcome, equal);
        return;
    }
    struct fit_exponent fit = fit_exponent(clients, found, count);
    struct fit_polynomial polynomial =
        fit_polynomial(clients, found, count, (unsigned)growth->class);
    outcome_measured(outcome, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                     name, growth->what, fit.exponent, fit.low, fit.high,
                     fit_describe(&polynomial, 'n', text, sizeof text));
    outcome_check_class(outcome, &fit, growth->class);
}

void growth_is_lawful(struct experiment *experiment)
{
    for (size_t i = 0; experiment->recipe < 2 && i < 2; i++) {
        if (experiment->claim->growths[experiment->recipe][i].what != NULL)
            check_growth(experiment, &experiment->claim->growths[experiment->recipe][i]);
    }
}

/* ------------------------------------------------------------------ barriers */

/* As many as a class of growth takes: the first cells differ in their barriers, as many others in
 * their clients. */
#define LEVELS FIT_LEVELS_MIN

void growth_keep_time(struct experiment *experiment)
{
    experiment->values[experiment->cell][experiment->round] =
        (double)experiment->result->elapsed_ns / 1e9;
}

/* The fastest trial of a cell: other programs, and a server that warms up, only add to a time. */
static double find_fastest(const struct experiment *experiment, size_t cell)
{
    double fastest = INFINITY;
    for (size_t i = 0; i < experiment->rounds; i++)
        fastest = fmin(fastest, experiment->values[cell][i]);
    return fastest;
}

void growth_of_time_is_linear(struct experiment *experiment)
{
    for (size_t of_clients = 0; of_clients < 2; of_clients++) {
        const struct trial_plan *trials = &experiment->claim->trials[of_clients * LEVELS];
        double numbers[LEVELS], fastest_s[LEVELS];
        for (size_t i = 0; i < LEVELS; i++) {
            numbers[i] = of_clients ? trials[i].fleet.sessions : trials[i].barriers;
            fastest_s[i] = find_fastest(experiment, of_clients * LEVELS + i);
        }
        struct fit_exponent fit = fit_exponent(numbers, fastest_s, LEVELS);
        outcome_measured(
            experiment->outcome,
            "%s, %.0f to %.0f %s: %.3f to %.3f s, growing as n^%.2f (95 %% CI %.2f to %.2f)",
            experiment->plan.recipe->name, numbers[0], numbers[LEVELS - 1],
            of_clients ? "clients" : "barriers", fastest_s[0], fastest_s[LEVELS - 1], fit.exponent,
            fit.low, fit.high);
        outcome_check_class(experiment->outcome, &fit, FIT_LINEAR);
    }
}
