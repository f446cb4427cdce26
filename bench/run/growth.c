// SPDX-License-Identifier: Apache-2.0
/* How the costs of a recipe grow: totals with the clients n, costs of a handoff with its measured
 * waiters W. Counts that equal their law at every level are the law, without a fit. fits.csv. */
#include "base/memory.h"
#include "bench/run/internal.h"
#include "bench/run/waiters.h"
#include "recipes/law.h"

#include <math.h>
#include <stdlib.h>

#define LEVELS_MAX 4096
#define NO_LAW     SIZE_MAX

/* Where a total is in a row of trials.csv; usable: the flag of the trials that have it. */
static const struct total {
    size_t column, usable, law;
    enum tally_kind kind; /* of the law, but of RPCs */
} totals[FIGURES] = {
    [FIGURE_RPCS] = {trial_row_rpcs, trial_row_counted, trial_row_law_rpcs, 0},
    [FIGURE_NOTIFICATIONS] = {trial_row_notifications, trial_row_counted,
                              trial_row_law_notifications, TALLY_NOTIFICATION},
    [FIGURE_CREATES] = {trial_row_creates, trial_row_counted, trial_row_law_creates, TALLY_CREATE},
    [FIGURE_NAMES_LISTED] = {trial_row_names_listed, trial_row_counted, trial_row_law_names_listed,
                             TALLY_NAMES_LISTED},
    [FIGURE_BYTES] = {trial_row_bytes, trial_row_counted, NO_LAW, 0},
    [FIGURE_ELAPSED] = {trial_row_elapsed_s, trial_row_timed, NO_LAW, 0},
    [FIGURE_DRAIN] = {trial_row_drain_s, trial_row_timed, NO_LAW, 0}};

struct points {
    double x[LEVELS_MAX];
    double y[LEVELS_MAX];
    size_t count;
};

static const enum fit_verdict of_degree[] = {FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC, FIT_CUBIC};

/* counts: of messages, names or bytes, which have little noise that could bend them. */
static struct fitted fit(const struct points *points, bool counts)
{
    struct fitted fitted = {
        .exponent = fit_exponent(points->x, points->y, points->count),
        .polynomial = fit_polynomial_best(points->x, points->y, points->count),
    };
    fitted.verdict =
        fitted.polynomial.exact ? of_degree[fitted.polynomial.degree] : fit_judge(&fitted.exponent);
    if (counts && !fitted.polynomial.exact && fitted.verdict == FIT_LINEAR &&
        fit_bends(&fitted.polynomial, points->x[points->count - 1]))
        fitted.verdict = FIT_UNDETERMINED;
    return fitted;
}

/* ------------------------------------------------------------------ with the clients */

/* The means over trials, a level for each cell with a value. */
static void gather_totals(const struct outcome *outcome, const struct outcome_recipe *recipe,
                          const struct total *total, struct points *points)
{
    points->count = 0;
    for (size_t i = recipe->first; i < recipe->first + recipe->count; i++) {
        const struct table_cell *trials = &outcome->trials[i];
        size_t count = 0;
        for (size_t j = 0; j < trials->count; j++) {
            const struct table_value *row = table_row(trials->table, trials->rows[j]);
            count += row[total->usable].flag && !isnan(table_number(&row[total->column]));
        }
        if (count == 0 || points->count == LEVELS_MAX)
            continue;
        points->x[points->count] = (double)table_row(&outcome->cells, i)[run_cell_clients].count;
        points->y[points->count++] =
            table_cell_sum(trials, total->column, total->usable) / (double)count;
    }
}

static bool has_law_of_drains(const struct options *options)
{
    return options->plan.pace == PACE_LOCKSTEP && options->plan.workload == WORKLOAD_DRAIN &&
           options->plan.locks == 1;
}

/* Whether no trial of the recipe failed, and each that was led to its end has exactly the counts of
 * its law: then these are known at every level, and need no fit. */
static bool obeys(const struct outcome *outcome, const struct outcome_recipe *recipe,
                  const struct total *total)
{
    size_t count = 0;
    for (size_t i = recipe->first; i < recipe->first + recipe->count; i++) {
        const struct table_cell *trials = &outcome->trials[i];
        for (size_t j = 0; j < trials->count; j++) {
            const struct table_value *row = table_row(trials->table, trials->rows[j]);
            bool counted = row[trial_row_counted].flag;
            if (row[trial_row_violations].count > 0 ||
                (counted && (!row[trial_row_has_law].flag ||
                             row[total->column].count != row[total->law].count)))
                return false;
            count += counted;
        }
    }
    return count > 0;
}

/* Some laws go by the clients in whole groups, as that of readers and writers: at multiples of this
 * a law is a polynomial, if it is one at all. */
#define LAW_GROUP  12
#define LAW_LEVELS 8

/* What the law says of a drain, as a polynomial, if that is exact. */
static void find_law(const struct recipe *recipe, enum figure figure, const struct points *points,
                     struct growth *growth)
{
    double x[LAW_LEVELS], y[LAW_LEVELS];
    for (size_t i = 0; i < LAW_LEVELS; i++) {
        struct tally total = {{0}};
        uint64_t clients = LAW_GROUP * (i + 1);
        law_total(recipe, clients, clients, &total);
        x[i] = (double)clients;
        y[i] = (double)(figure == FIGURE_RPCS ? tally_rpcs(&total) : total.of[totals[figure].kind]);
    }
    growth->law = fit_polynomial_best(x, y, LAW_LEVELS);
    growth->described = growth->law.exact;
    if (growth->law.exact)
        growth->law_verdict = of_degree[growth->law.degree];
    for (size_t i = 0; i < points->count; i++)
        growth->described =
            growth->described && fit_polynomial_at(&growth->law, points->x[i]) == points->y[i];
}

static void find_per_handoff(const struct outcome *outcome, struct outcome_recipe *recipe)
{
    struct points points = {.count = 0};
    for (size_t i = recipe->first; i < recipe->first + recipe->count; i++) {
        const struct table_value *row = table_row(&outcome->cells, i);
        if (!isfinite(row[run_cell_rpcs_per_handoff].real) || points.count == LEVELS_MAX)
            continue;
        points.x[points.count] = (double)row[run_cell_clients].count;
        points.y[points.count++] = row[run_cell_rpcs_per_handoff].real;
    }
    recipe->per_handoff = (struct growth){.known = points.count > 0};
    if (points.count > 0)
        recipe->per_handoff.fitted = fit(&points, false);
}

/* Over the trials at the most clients that have one. */
static struct interval find_beta(const struct outcome *outcome, const struct outcome_recipe *recipe)
{
    const struct interval none = {NAN, NAN, NAN};
    size_t last = recipe->first + recipe->count;
    while (last > recipe->first &&
           table_cell_flags(&outcome->trials[last - 1], trial_row_timed) == 0)
        last--;
    if (last == recipe->first)
        return none;
    const struct table_cell *trials = &outcome->trials[last - 1];
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
    for (enum figure i = 0; i < FIGURES; i++) {
        struct growth *growth = &recipe->growth[i];
        struct points points;
        gather_totals(outcome, recipe, &totals[i], &points);
        *growth = (struct growth){.law_verdict = FIT_UNDETERMINED, .known = points.count > 0};
        if (!growth->known)
            continue;
        growth->fitted = fit(&points, totals[i].usable == trial_row_counted);
        growth->obeyed = totals[i].law != NO_LAW && has_law_of_drains(outcome->options) &&
                         obeys(outcome, recipe, &totals[i]);
        if (growth->obeyed)
            find_law(recipe->recipe, i, &points, growth);
    }
    find_per_handoff(outcome, recipe);
    recipe->beta = find_beta(outcome, recipe);
}

/* ------------------------------------------------------------------ with the waiters */

/* Counts of a handoff, a level for each number of waiters; `sum`: where a level has theirs. */
static void gather_counts(const struct waiters *waiters, size_t sum, struct points *points)
{
    size_t stride = waiters->level_count / LEVELS_MAX + 1;
    points->count = 0;
    for (size_t w = 1; w < waiters->level_count; w += stride) {
        const struct waiters_level *level = &waiters->levels[w];
        const uint64_t *count = (const void *)((const char *)level + sum);
        if (level->handoffs == 0)
            continue;
        points->x[points->count] = (double)w;
        points->y[points->count++] = (double)*count / (double)level->handoffs;
    }
}

/* Times: a level for each octave, for single numbers of waiters are few and noisy. */
static void gather_times(const struct waiters *waiters, struct points *points)
{
    points->count = 0;
    for (size_t octave = 0; octave < WAITERS_OCTAVES; octave++) {
        struct waiters_level sum = waiters_octave_sum(waiters, octave);
        if (sum.timed == 0)
            continue;
        points->x[points->count] = (double)sum.timed_waiters / (double)sum.timed;
        points->y[points->count++] = sum.handoff_us / (double)sum.timed;
    }
}

/* ------------------------------------------------------------------ fits.csv */

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, run))                                                                     \
    X(recipe, csv_text(csv, recipe->name))                                                         \
    X(metric, csv_text(csv, metric))                                                               \
    X(x, csv_text(csv, x))                                                                         \
    X(levels, csv_count(csv, fitted->exponent.levels))                                             \
    X(exponent, csv_real(csv, fitted->exponent.exponent, 4))                                       \
    X(exponent_low, csv_real(csv, fitted->exponent.low, 4))                                        \
    X(exponent_high, csv_real(csv, fitted->exponent.high, 4))                                      \
    X(verdict, csv_text(csv, fit_verdict_words(fitted->verdict)))                                  \
    X(c0, csv_real(csv, fitted->polynomial.c[0], 6))                                               \
    X(c1, csv_real(csv, fitted->polynomial.c[1], 6))                                               \
    X(c2, csv_real(csv, fitted->polynomial.c[2], 6))                                               \
    X(c3, csv_real(csv, fitted->polynomial.c[3], 6))                                               \
    X(max_residual, csv_real(csv, fitted->polynomial.max_residual, 6))                             \
    X(law, csv_text(csv, law))                                                                     \
    X(beta, csv_real(csv, beta.value, 6))                                                          \
    X(beta_low, csv_real(csv, beta.low, 6))                                                        \
    X(beta_high, csv_real(csv, beta.high, 6))

_Static_assert(FIT_DEGREE_MAX == 3, "fits.csv has a column for each coefficient");

const char fits_columns[] = COLUMNS(CSV_NAME);

static const struct interval no_beta = {NAN, NAN, NAN};

static void write_row(const struct recipe *recipe, const char *metric, const char *x,
                      const struct fitted *fitted, const char *law, struct interval beta,
                      const char *run, struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

static void write_totals(const struct outcome *outcome, const struct outcome_recipe *of,
                         const char *run, struct csv *csv)
{
    for (enum figure i = 0; i < FIGURES; i++) {
        const struct growth *growth = &of->growth[i];
        struct fitted fitted = growth->fitted;
        const char *law = i == FIGURE_RPCS            ? of->recipe->law.rpcs
                          : i == FIGURE_NOTIFICATIONS ? of->recipe->law.notifications
                                                      : "";
        if (growth->law_verdict != FIT_UNDETERMINED)
            fitted.verdict = growth->law_verdict;
        if (growth->known)
            write_row(of->recipe, trial_row_table.columns[totals[i].column].name, "clients",
                      &fitted, has_law_of_drains(outcome->options) ? law : "", no_beta, run, csv);
    }
}

static void write_handoffs(const struct waiters *waiters, struct interval beta, const char *run,
                           struct csv *csv)
{
    static const struct {
        const char *metric;
        size_t sum;
    } counts[] = {{"handoff_rpcs", offsetof(struct waiters_level, rpcs)},
                  {"handoff_notifications", offsetof(struct waiters_level, notifications)},
                  {"handoff_creates", offsetof(struct waiters_level, creates)}};
    struct points points;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        gather_counts(waiters, counts[i].sum, &points);
        const struct fitted fitted = fit(&points, false);
        if (points.count > 0)
            write_row(waiters->recipe, counts[i].metric, "waiters", &fitted, "", no_beta, run, csv);
    }
    gather_times(waiters, &points);
    const struct fitted fitted = fit(&points, false);
    if (points.count > 0)
        write_row(waiters->recipe, "handoff_us", "waiters", &fitted, "", beta, run, csv);
}

void fits_write(const struct record *record, struct csv *csv)
{
    const char *run = record->base->files.run;
    for (size_t i = 0; i < record->options->plan.recipe_count; i++) {
        const struct outcome_recipe *recipe = &record->outcome->recipes[i];
        write_totals(record->outcome, recipe, run, csv);
        write_handoffs(record->waiters[i], recipe->beta, run, csv);
    }
}
