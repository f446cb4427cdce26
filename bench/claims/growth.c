// SPDX-License-Identifier: Apache-2.0
/* What drains cost in all, as the number of their clients grows. */
#include "bench/claims/internal.h"

#include <math.h>
#include <stdio.h>

#define LEVELS_MAX 6

/* Half a message: counts are whole numbers. */
#define EQUAL 0.5

/* The clients of drains. An exact quadratic takes three levels, and FIT_SPARE_LEVELS more; a class
 * of growth six. */
static const struct {
    size_t count;
    double clients[LEVELS_MAX];
} levels_of[] = {{5, {4, 8, 16, 32, 64}}, {6, {96, 144, 216, 324, 486, 729}}};

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

static void check_class(const char *name, const char *what, enum fit_verdict class,
                        const double *clients, const double *found, size_t count,
                        struct finding *finding)
{
    char text[128];
    struct fit_exponent fit = fit_exponent(clients, found, count);
    struct fit_polynomial polynomial = fit_polynomial(clients, found, count, (unsigned)class);
    finding_measured(finding, "%s: %s grow as n^%.2f (95 %% CI %.2f to %.2f), least squares: %s",
                     name, what, fit.exponent, fit.low, fit.high,
                     fit_describe(&polynomial, 'n', text, sizeof text));
    finding_check_class(finding, &fit, class);
}

/* Compares a figure with its law at every level. */
static void check_law(const char *name, const char *what, const double law[3],
                      const double *clients, const double *found, size_t count, bool whole,
                      struct finding *finding)
{
    double foretold[LEVELS_MAX];
    char text[128];
    bool equal = true;
    for (size_t i = 0; i < count; i++) {
        foretold[i] = law[0] + (law[1] + law[2] * clients[i]) * clients[i];
        equal = equal && fabs(found[i] - foretold[i]) < EQUAL;
    }
    finding_expected(finding, "%s: %s = %s", name, what,
                     describe(clients, foretold, count, text, sizeof text));
    if (!whole)
        return;
    finding_measured(finding, "%s: %s = %s", name, what,
                     describe(clients, found, count, text, sizeof text));
    finding_check(finding, equal);
}

/* Runs a drain for each level. After one whose counts cannot be used no other runs: the
 * expectations are stated, but not checked. */
static void try_growth(struct experiment *experiment, const struct growth *growth)
{
    const struct recipe *recipe = experiment->claim->recipes[growth->recipe];
    struct finding *finding = experiment->finding;
    const double *clients = levels_of[growth->large].clients;
    size_t count = levels_of[growth->large].count;
    struct tally totals[LEVELS_MAX];
    bool whole = true;
    finding_tried(finding, "drains of %.0f to %.0f clients, %s, lockstep", clients[0],
                  clients[count - 1], recipe->name);
    for (size_t i = 0; whole && i < count; i++) {
        experiment_plan(experiment, recipe,
                        &(struct trial_plan){.fleet.sessions = (uint32_t)clients[i]});
        whole = experiment_run_whole(experiment);
        if (whole)
            totals[i] = experiment->result->total;
    }
    for (size_t i = 0; experiment->kind == ERROR_NONE && i < 2; i++) {
        const char *what = growth->figures[i].what;
        enum fit_verdict class = growth->figures[i].class;
        double found[LEVELS_MAX] = {0};
        for (size_t level = 0; whole && level < count; level++)
            found[level] = value_of(&totals[level], growth->figures[i].figure);
        if (what != NULL && class == FIT_CONSTANT)
            check_law(recipe->name, what, growth->figures[i].law, clients, found, count, whole,
                      finding);
        else if (what != NULL) {
            finding_expected(finding, "%s: %s %s", recipe->name, what, fit_verdict_words(class));
            if (whole)
                check_class(recipe->name, what, class, clients, found, count, finding);
        }
    }
}

void growth_try(struct experiment *experiment)
{
    for (size_t i = 0; i < 2 && experiment->kind == ERROR_NONE; i++) {
        if (experiment->claim->growths[i].figures[0].what != NULL)
            try_growth(experiment, &experiment->claim->growths[i]);
    }
}
