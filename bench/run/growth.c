// SPDX-License-Identifier: Apache-2.0
/* How the costs of a recipe grow: totals with the clients n, costs of a handoff with its measured
 * waiters W. Counts that equal their law at every level are the law, without a fit. fits.csv. */
#include "base/memory.h"
#include "bench/run/outcome.h"
#include "recipes/law.h"

#include <math.h>
#include <stdlib.h>

#define LEVELS_MAX 4096

/* Where a figure comes from (FIGURES_OF_CLIENTS, FIGURES_OF_WAITERS). */
static const struct source {
    const char *metric;
    size_t column, usable, law;
    enum tally_kind kind;
    enum waiters_sum sum;
} sources[FIGURES] = {
#define X(name, column, flag, law, kind)                                                           \
    {#column, trial_row_##column, trial_row_##flag, law, kind, 0},
    FIGURES_OF_CLIENTS(X)
#undef X
#define X(name, word, of) {.metric = #word, .sum = of},
        FIGURES_OF_WAITERS(X)
#undef X
};

static bool is_total(enum figure figure)
{
    return figure <= FIGURE_DRAIN;
}

/* ------------------------------------------------------------------ the levels of a figure */

struct points {
    double x[LEVELS_MAX];
    double y[LEVELS_MAX];
    size_t count;
};

static void add_point(struct points *points, double x, double y)
{
    if (!isfinite(y) || points->count == LEVELS_MAX)
        return;
    points->x[points->count] = x;
    points->y[points->count++] = y;
}

/* The mean of a column over the trials with this flag that have a value; NaN of none. */
static double mean_of(const struct table_cell *trials, size_t column, size_t flag)
{
    double *values = memory_new(trials->count, sizeof *values);
    size_t count = table_cell_values(trials, column, flag, values);
    free(values);
    return table_cell_sum(trials, column, flag) / (double)count;
}

/* A level for each cell; of a handoff for each number of its waiters, or, as single numbers are few
 * and noisy, of its time for each octave of them. */
static void gather(const struct outcome *outcome, const struct outcome_recipe *recipe,
                   enum figure figure, struct points *points)
{
    const struct source *source = &sources[figure];
    const struct waiters *waiters = recipe->waiters;
    bool of_clients = is_total(figure) || figure == FIGURE_RPCS_PER_HANDOFF;
    size_t end = recipe->first + recipe->count, stride = waiters->level_count / LEVELS_MAX + 1;
    for (size_t i = recipe->first; of_clients && i < end; i++) {
        const struct table_value *cell = table_row(&outcome->cells, i);
        add_point(points, (double)cell[run_cell_clients].count,
                  is_total(figure) ? mean_of(outcome->trials[i], source->column, source->usable)
                                   : cell[run_cell_rpcs_per_handoff].real);
    }
    for (size_t w = 1; source->sum != WAITERS_HANDOFFS && w < waiters->level_count; w += stride)
        add_point(points, (double)w,
                  waiters_mean(&waiters->levels[w], source->sum, WAITERS_HANDOFFS));
    for (size_t i = 0; figure == FIGURE_HANDOFF_US && i < WAITERS_OCTAVES; i++) {
        const struct waiters_level sum = waiters_octave_sum(waiters, i);
        add_point(points, waiters_mean(&sum, WAITERS_TIMED_WAITING, WAITERS_TIMED),
                  sum.timed_us / (double)sum.of[WAITERS_TIMED]);
    }
}

/* ------------------------------------------------------------------ fits and laws */

static const enum fit_verdict of_degree[] = {FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC, FIT_CUBIC};

/* are_counts: totals of messages, names or bytes, which have little noise that could bend them. */
static struct growth fit(const struct points *points, bool are_counts)
{
    struct growth growth = {
        .known = points->count > 0,
        .exponent = fit_exponent(points->x, points->y, points->count),
        .polynomial = fit_polynomial_best(points->x, points->y, points->count),
    };
    if (!growth.known)
        return growth;
    growth.verdict =
        growth.polynomial.exact ? of_degree[growth.polynomial.degree] : fit_judge(&growth.exponent);
    if (are_counts && !growth.polynomial.exact && growth.verdict == FIT_LINEAR &&
        fit_bends(&growth.polynomial, points->x[points->count - 1]))
        growth.verdict = FIT_UNDETERMINED;
    return growth;
}

static bool has_law_of_drains(const struct options *options)
{
    return options->plan.pace == PACE_LOCKSTEP && options->plan.workload == WORKLOAD_DRAIN &&
           options->plan.locks == 1;
}

/* Whether no trial of the recipe failed, and each that was led to its end has exactly the counts of
 * its law: then these are known at every level, and need no fit. */
static bool obeys(const struct outcome *outcome, const struct table_cell *trials,
                  const struct source *source)
{
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        bool is_law =
            row[trial_row_has_law].flag && row[source->column].count == row[source->law].count;
        if (row[trial_row_violations].count > 0 || (row[trial_row_counted].flag && !is_law))
            return false;
    }
    return has_law_of_drains(outcome->options) && table_cell_flags(trials, trial_row_counted) > 0;
}

/* Some laws go by the clients in whole groups, as that of readers and writers: at multiples of this
 * a law is a polynomial, if it is one at all. */
#define LAW_GROUP  12
#define LAW_LEVELS 8

/* Finds what the law says of a drain, as a polynomial, if that is exact. */
static void find_law(const struct recipe *recipe, enum figure figure, const struct points *points,
                     struct growth *growth)
{
    double x[LAW_LEVELS], y[LAW_LEVELS];
    for (size_t i = 0; i < LAW_LEVELS; i++) {
        struct tally total = {{0}};
        uint64_t clients = LAW_GROUP * (i + 1);
        law_total(recipe, clients, clients, &total);
        x[i] = (double)clients;
        y[i] =
            (double)(figure == FIGURE_RPCS ? tally_rpcs(&total) : total.of[sources[figure].kind]);
    }
    growth->obeyed = true;
    growth->law = fit_polynomial_best(x, y, LAW_LEVELS);
    growth->described = growth->law.exact;
    if (growth->law.exact)
        growth->verdict = of_degree[growth->law.degree];
    for (size_t i = 0; i < points->count; i++)
        growth->described =
            growth->described && fit_polynomial_at(&growth->law, points->x[i]) == points->y[i];
}

/* Over the trials at the most clients that have one. */
static struct interval find_beta(const struct outcome *outcome, const struct outcome_recipe *recipe)
{
    size_t last = recipe->first + recipe->count;
    while (last > recipe->first &&
           table_cell_flags(outcome->trials[last - 1], trial_row_timed) == 0)
        last--;
    if (last == recipe->first)
        return (struct interval){NAN, NAN, NAN};
    const struct table_cell *trials = outcome->trials[last - 1];
    double *betas = memory_new(trials->count, sizeof *betas);
    size_t count = table_cell_values(trials, trial_row_beta, trial_row_timed, betas);
    struct interval beta = statistics_interval(betas, count, FIT_CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        beta.low = beta.high = NAN;
    free(betas);
    return beta;
}

void growth_find(const struct outcome *outcome, struct outcome_recipe *recipe)
{
    for (enum figure figure = 0; figure < FIGURES; figure++) {
        const struct source *source = &sources[figure];
        struct points points = {.count = 0};
        gather(outcome, recipe, figure, &points);
        recipe->growth[figure] = fit(&points, source->usable == trial_row_counted);
        if (points.count > 0 && is_total(figure) && source->law != 0 &&
            obeys(outcome, recipe->trials, source))
            find_law(recipe->recipe, figure, &points, &recipe->growth[figure]);
    }
    recipe->beta = find_beta(outcome, recipe);
}

/* ------------------------------------------------------------------ fits.csv */

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, outcome->run))                                                            \
    X(recipe, csv_text(csv, recipe->name))                                                         \
    X(metric, csv_text(csv, sources[figure].metric))                                               \
    X(x, csv_text(csv, is_total(figure) ? "clients" : "waiters"))                                  \
    X(levels, csv_count(csv, growth->exponent.levels))                                             \
    X(exponent, csv_real(csv, growth->exponent.exponent, 4))                                       \
    X(exponent_low, csv_real(csv, growth->exponent.low, 4))                                        \
    X(exponent_high, csv_real(csv, growth->exponent.high, 4))                                      \
    X(verdict, csv_text(csv, fit_verdict_words[growth->verdict]))                                  \
    X(c0, csv_real(csv, growth->polynomial.c[0], 6))                                               \
    X(c1, csv_real(csv, growth->polynomial.c[1], 6))                                               \
    X(c2, csv_real(csv, growth->polynomial.c[2], 6))                                               \
    X(c3, csv_real(csv, growth->polynomial.c[3], 6))                                               \
    X(max_residual, csv_real(csv, growth->polynomial.max_residual, 6))                             \
    X(law, csv_text(csv, law))                                                                     \
    X(beta, csv_real(csv, beta.value, 6))                                                          \
    X(beta_low, csv_real(csv, beta.low, 6))                                                        \
    X(beta_high, csv_real(csv, beta.high, 6))

_Static_assert(FIT_DEGREE_MAX == 3, "fits.csv has a column for each coefficient");

/* The law of a total as the recipe has it in words; "": it has none. */
static const char *law_of(const struct outcome *outcome, const struct recipe *recipe,
                          enum figure figure)
{
    return !has_law_of_drains(outcome->options) ? ""
           : figure == FIGURE_RPCS              ? recipe->law.rpcs
           : figure == FIGURE_NOTIFICATIONS     ? recipe->law.notifications
                                                : "";
}

void fits_write(FILE *stream, const void *context)
{
    const struct outcome *outcome = context;
    struct csv *csv = &(struct csv){.stream = stream};
    static const struct interval none = {NAN, NAN, NAN};
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < outcome->options->plan.recipe_count * FIGURES_WRITTEN; i++) {
        const struct outcome_recipe *of = &outcome->recipes[i / FIGURES_WRITTEN];
        const enum figure figure = (enum figure)(i % FIGURES_WRITTEN);
        const struct recipe *recipe = of->recipe;
        const struct growth *growth = &of->growth[figure];
        const struct interval beta = figure == FIGURE_HANDOFF_US ? of->beta : none;
        const char *law = law_of(outcome, recipe, figure);
        if (growth->known) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}
