// SPDX-License-Identifier: Apache-2.0
#include "bench/claims/growth.h"

#include <math.h>
#include <stdio.h>

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* If the growth is whole so far. */
static enum error_kind measure_level(struct testbed *testbed, struct growth *growth, size_t level,
                                     struct finding *finding, struct error *error)
{
    struct testbed_trial trial =
        testbed_drain(testbed, growth->recipe, (uint32_t)growth->clients[level]);
    if (!growth->whole)
        return ERROR_NONE;
    enum error_kind kind = testbed_run(testbed, &trial, error);
    if (kind != ERROR_NONE)
        return kind;
    growth->whole = finding_accepts(finding, trial.result);
    growth->totals[level] = trial.result->total;
    testbed_clear(&trial);
    return ERROR_NONE;
}

enum error_kind growth_measure(struct testbed *testbed, const struct recipe *recipe,
                               const uint32_t *levels, size_t count, struct growth *growth,
                               struct finding *finding, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *growth = (struct growth){.recipe = recipe, .count = count, .whole = true};
    finding_tried(finding, "drains of %u to %u clients, %s, lockstep", levels[0], levels[count - 1],
                  recipe->name);
    for (size_t i = 0; i < count; i++)
        growth->clients[i] = levels[i];
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = measure_level(testbed, growth, i, finding, error);
    return kind;
}

/* The exact polynomial through the levels, or how they grow if there is none. */
static const char *describe(const double *clients, const double *values, size_t count, char *text,
                            size_t size)
{
    struct fit_polynomial polynomial = fit_polynomial_best(clients, values, count);
    if (polynomial.exact)
        return fit_describe(&polynomial, 'n', text, size);
    struct fit_exponent fit = fit_exponent(clients, values, count);
    snprintf(text, size, "about n^%.2f (95 %% CI %.2f to %.2f)", fit.exponent, fit.low, fit.high);
    return text;
}

static double value_of(const struct tally *total, int figure)
{
    if (figure == GROWTH_RPCS)
        return (double)tally_rpcs(total);
    if (figure == GROWTH_BYTES)
        return (double)(total->of[TALLY_BYTES_SENT] + total->of[TALLY_BYTES_RECEIVED]);
    return (double)total->of[figure];
}

void growth_check(const struct growth *growth, const char *what, int figure,
                  const struct growth_law *law, struct finding *finding)
{
    double found[GROWTH_LEVELS_MAX], foretold[GROWTH_LEVELS_MAX];
    const char *name = growth->recipe->name;
    char text[128];
    bool equal = true;
    for (size_t i = 0; i < growth->count; i++) {
        found[i] = value_of(&growth->totals[i], figure);
        foretold[i] =
            law->constant + (law->linear + law->square * growth->clients[i]) * growth->clients[i];
        equal = equal && fabs(found[i] - foretold[i]) < EQUAL;
    }
    finding_expected(finding, "%s: %s = %s", name, what,
                     describe(growth->clients, foretold, growth->count, text, sizeof text));
    if (!growth->whole)
        return;
    finding_measured(finding, "%s: %s = %s", name, what,
                     describe(growth->clients, found, growth->count, text, sizeof text));
    finding_check(finding, equal);
}

void growth_check_class(const struct growth *growth, const char *what, int figure,
                        enum fit_verdict expected, struct finding *finding)
{
    double found[GROWTH_LEVELS_MAX];
    const char *name = growth->recipe->name;
    char text[128];
    finding_expected(finding, "%s: %s %s", name, what, fit_verdict_words(expected));
    if (!growth->whole)
        return;
    for (size_t i = 0; i < growth->count; i++)
        found[i] = value_of(&growth->totals[i], figure);
    struct fit_exponent fit = fit_exponent(growth->clients, found, growth->count);
    struct fit_polynomial polynomial =
        fit_polynomial(growth->clients, found, growth->count, (unsigned)expected);
    enum fit_verdict judged = fit_judge(&fit);
    finding_measured(finding, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                     name, what, fit.exponent, fit.low, fit.high,
                     fit_describe(&polynomial, 'n', text, sizeof text));
    if (judged == FIT_UNDETERMINED)
        finding_undecide(finding, "the CI is within ± %.2f of no whole exponent", FIT_MARGIN);
    else
        finding_check(finding, judged == expected);
}
