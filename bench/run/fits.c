// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/memory.h"
#include "bench/cli/terminal.h"
#include "measure/statistics.h"
#include "recipes/law.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 4096

struct points {
    double x[LEVELS_MAX];
    double y[LEVELS_MAX];
    size_t count;
};

static const enum fit_verdict of_degree[] = {FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC, FIT_CUBIC};

/* counts: totals of messages, names or bytes, which have little noise that could bend them. */
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

/* ------------------------------------------------------------------ totals against clients */

static bool is_count(enum figure figure)
{
    return outcome_figures[figure].usable == trial_row_complete;
}

/* The means over trials, a level for each cell with a value. */
static void gather_totals(const struct outcome_recipe *recipe, enum figure figure,
                          struct points *points)
{
    points->count = 0;
    for (size_t i = 0; i < recipe->count && points->count < LEVELS_MAX; i++) {
        const struct outcome_cell *cell = &recipe->cells[i];
        double *values = memory_new(cell->trials.count, sizeof *values), sum = 0;
        size_t count =
            table_cell_values(&cell->trials, outcome_figures[figure].column,
                              is_count(figure) ? trial_row_counted : trial_row_timed, values);
        for (size_t value = 0; value < count; value++)
            sum += values[value];
        free(values);
        points->x[points->count] = (double)cell->clients;
        points->y[points->count] = sum / (double)count;
        points->count += count > 0;
    }
}

static bool has_law_of_drains(const struct options *options)
{
    return options->plan.pace == PACE_LOCKSTEP && options->plan.workload == WORKLOAD_DRAIN &&
           options->plan.locks == 1;
}

/* Whether no trial of the recipe failed, and each that was led to its end has exactly the counts of
 * its law: then these are known at every level, and need no fit. */
static bool obeys(const struct outcome_recipe *recipe, enum figure figure)
{
    const struct outcome_figure *of = &outcome_figures[figure];
    size_t count = 0;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct table_cell *trials = &recipe->cells[i].trials;
        for (size_t j = 0; j < trials->count; j++) {
            const struct table_value *row = table_row(trials->table, trials->rows[j]);
            bool counted = row[trial_row_counted].flag;
            if (trial_row_verdict(row) == 1 ||
                (counted &&
                 (!row[trial_row_has_law].flag || row[of->column].count != row[of->law].count)))
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
    static const enum tally_kind kinds[FIGURES] = {
        [FIGURE_CREATES] = TALLY_CREATE,
        [FIGURE_NOTIFICATIONS] = TALLY_NOTIFICATION,
        [FIGURE_NAMES_LISTED] = TALLY_NAMES_LISTED,
    };
    double x[LAW_LEVELS], y[LAW_LEVELS];
    for (size_t i = 0; i < LAW_LEVELS; i++) {
        struct tally total = {{0}};
        uint64_t clients = LAW_GROUP * (i + 1);
        law_total(recipe, clients, clients, &total);
        x[i] = (double)clients;
        y[i] = (double)(figure == FIGURE_RPCS ? tally_rpcs(&total) : total.of[kinds[figure]]);
    }
    growth->law = fit_polynomial_best(x, y, LAW_LEVELS);
    growth->described = growth->law.exact;
    if (growth->law.exact)
        growth->law_verdict = of_degree[growth->law.degree];
    for (size_t i = 0; i < points->count; i++)
        growth->described =
            growth->described && fit_polynomial_at(&growth->law, points->x[i]) == points->y[i];
}

/* The herd coefficient of docs/counting.md, over the trials at the most clients. */
static struct interval find_beta(const struct outcome_recipe *recipe)
{
    size_t last = recipe->count;
    while (last > 0 && table_cell_flags(&recipe->cells[last - 1].trials, trial_row_timed) == 0)
        last--;
    if (last == 0)
        return (struct interval){NAN, NAN, NAN};
    const struct table_cell *trials = &recipe->cells[last - 1].trials;
    double *betas = memory_new(trials->count, sizeof *betas);
    size_t count = table_cell_values(trials, trial_row_beta, trial_row_timed, betas);
    struct interval beta = statistics_interval(betas, count, FIT_CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        beta.low = beta.high = NAN;
    free(betas);
    return beta;
}

/* The totals of fits.csv, in the order of its rows. */
static const enum figure totals[] = {FIGURE_RPCS,         FIGURE_NOTIFICATIONS, FIGURE_CREATES,
                                     FIGURE_NAMES_LISTED, FIGURE_BYTES,         FIGURE_ELAPSED,
                                     FIGURE_DRAIN};
#define TOTALS (sizeof totals / sizeof totals[0])

void fits_find(const struct outcome *outcome, struct outcome_recipe *recipe)
{
    for (size_t i = 0; i < TOTALS; i++) {
        struct growth *growth = &recipe->growth[totals[i]];
        struct points points;
        gather_totals(recipe, totals[i], &points);
        *growth = (struct growth){.law_verdict = FIT_UNDETERMINED};
        growth->known = points.count > 0;
        if (!growth->known)
            continue;
        growth->fitted = fit(&points, is_count(totals[i]));
        growth->obeyed = outcome_figures[totals[i]].law != OUTCOME_NO_LAW &&
                         has_law_of_drains(outcome->options) && obeys(recipe, totals[i]);
        if (growth->obeyed)
            find_law(recipe->recipe, totals[i], &points, growth);
    }
    recipe->beta = find_beta(recipe);
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

static void write_row(const struct recipe *recipe, const char *metric, const char *x,
                      const struct fitted *fitted, const char *law, struct interval beta,
                      const char *run, struct csv *csv)
{
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

static const struct interval no_interval = {NAN, NAN, NAN};

static void write_totals(const struct outcome *outcome, const struct outcome_recipe *of,
                         const char *run, struct csv *csv)
{
    for (size_t i = 0; i < TOTALS; i++) {
        const struct growth *growth = &of->growth[totals[i]];
        struct fitted fitted = growth->fitted;
        const char *law = totals[i] == FIGURE_RPCS            ? of->recipe->law.rpcs
                          : totals[i] == FIGURE_NOTIFICATIONS ? of->recipe->law.notifications
                                                              : "";
        if (growth->law_verdict != FIT_UNDETERMINED)
            fitted.verdict = growth->law_verdict;
        if (growth->known)
            write_row(of->recipe, trial_row_table.columns[outcome_figures[totals[i]].column].name,
                      "clients", &fitted, has_law_of_drains(outcome->options) ? law : "",
                      no_interval, run, csv);
    }
}

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

static void write_handoffs(const struct waiters *waiters, struct interval beta, const char *run,
                           struct csv *csv)
{
    static const struct {
        const char *metric;
        size_t sum;
    } metrics[] = {{"handoff_rpcs", offsetof(struct waiters_level, rpcs)},
                   {"handoff_notifications", offsetof(struct waiters_level, notifications)},
                   {"handoff_creates", offsetof(struct waiters_level, creates)},
                   {"handoff_us", 0}};
    for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; i++) {
        struct points points;
        bool is_time = metrics[i].sum == 0;
        if (is_time)
            gather_times(waiters, &points);
        else
            gather_counts(waiters, metrics[i].sum, &points);
        if (points.count == 0)
            continue;
        struct fitted fitted = fit(&points, false);
        write_row(waiters->recipe, metrics[i].metric, "waiters", &fitted, "",
                  is_time ? beta : no_interval, run, csv);
    }
}

void fits_write(const struct record *record, struct csv *csv)
{
    for (size_t i = 0; i < record->options->plan.recipe_count; i++) {
        const struct outcome_recipe *recipe = &record->outcome->recipes[i];
        write_totals(record->outcome, recipe, record->base->files.run, csv);
        write_handoffs(record->waiters[i], recipe->beta, record->base->files.run, csv);
    }
}

/* ------------------------------------------------------------------ in words */

/* O(n^2) as people write it. */
static const char *words_of(enum fit_verdict verdict)
{
    return verdict == FIT_QUADRATIC ? "O(n²)"
           : verdict == FIT_CUBIC   ? "O(n³)"
                                    : fit_verdict_words(verdict);
}

/* A recipe's sentences, a line each: its name before the first, an indent before the others. */
struct telling {
    FILE *stream;
    const char *recipe;
    bool lacks_levels; /* the run has too few: one sentence says so, for all recipes */
    size_t lines;
};

__attribute__((format(printf, 2, 3))) static void tell(struct telling *telling, const char *format,
                                                       ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (telling->lines++ == 0)
        wrap_sentence(telling->stream, "%s: %s", telling->recipe, text);
    else
        conclusion_line(telling->stream, "%s", text);
}

static void tell_exact(struct telling *telling, const char *what,
                       const struct fit_polynomial *polynomial, enum fit_verdict verdict)
{
    char text[128];
    tell(telling, "%s: exactly %s at every n: %s", what,
         fit_describe(polynomial, 'n', text, sizeof text), words_of(verdict));
}

/* verb: "grow" or "grows". The reason why a verdict is none is told where the interval of the
 * exponent does not say so itself. */
static void tell_fit(struct telling *telling, const char *what, const char *verb,
                     const struct fitted *fitted)
{
    size_t levels = fitted->exponent.levels;
    char reason[80] = "";
    if (fitted->verdict == FIT_UNDETERMINED && levels >= FIT_LEVELS_MIN &&
        fit_judge(&fitted->exponent) != FIT_UNDETERMINED)
        snprintf(reason, sizeof reason, ": the curve bends");
    else if (fitted->verdict == FIT_UNDETERMINED && levels < FIT_LEVELS_MIN &&
             !telling->lacks_levels)
        snprintf(reason, sizeof reason, ": %zu client count%s, at least %d needed", levels,
                 levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    if (fitted->polynomial.exact)
        tell_exact(telling, what, &fitted->polynomial, fitted->verdict);
    else if (isfinite(fitted->exponent.low))
        tell(telling, "%s %s as n^%.2f (95 %% CI %.2f to %.2f): %s%s", what, verb,
             fitted->exponent.exponent, fitted->exponent.low, fitted->exponent.high,
             words_of(fitted->verdict), reason);
    else if (!telling->lacks_levels)
        tell(telling, "growth of %s: %s%s", what, words_of(fitted->verdict), reason);
}

/* In whole thousandths, so that none is "-0.0". */
static double percent(double share)
{
    return nearbyint(share * 1000) / 10 + 0.0;
}

static void tell_recipe(const struct outcome_recipe *recipe, bool lacks_levels, bool drains,
                        FILE *stream)
{
    struct telling telling = {stream, recipe->recipe->name, lacks_levels, 0};
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS],
                        *bytes = &recipe->growth[FIGURE_BYTES],
                        *drain = &recipe->growth[FIGURE_DRAIN];
    const struct interval *beta = &recipe->beta;
    if (rpcs->described)
        tell_exact(&telling, "RPCs", &rpcs->law, rpcs->law_verdict);
    else if (rpcs->obeyed)
        tell(&telling, "RPCs: exactly the law at every n: %s", words_of(rpcs->law_verdict));
    else if (rpcs->known)
        tell_fit(&telling, "RPCs", "grow", &rpcs->fitted);
    if (bytes->known)
        tell_fit(&telling, "bytes", "grow", &bytes->fitted);
    if (drain->known && drains)
        tell_fit(&telling, "drain time", "grows", &drain->fitted);
    if (isfinite(beta->low))
        tell(&telling,
             "each extra waiter adds %.1f %% (95 %% CI %.1f to %.1f) to an uncontended handoff",
             percent(beta->value), percent(beta->low), percent(beta->high));
}

/* Whether the growth of a figure is not known of some recipe. */
static bool is_undetermined(const struct outcome *outcome, enum figure figure)
{
    for (size_t i = 0; i < outcome->options->plan.recipe_count; i++) {
        const struct growth *growth = &outcome->recipes[i].growth[figure];
        if (growth->known && !growth->obeyed && growth->fitted.verdict == FIT_UNDETERMINED)
            return true;
    }
    return false;
}

void fits_tell(const struct outcome *outcome, FILE *stream)
{
    static const char *const lists[] = {
        "",      "RPCs",           "bytes",           "RPCs and bytes",
        "times", "RPCs and times", "bytes and times", "RPCs, bytes and times"};
    const struct run_plan *plan = &outcome->options->plan;
    size_t levels = plan->clients.count;
    bool drains = plan->workload == WORKLOAD_DRAIN;
    for (size_t i = 0; i < plan->recipe_count; i++)
        tell_recipe(&outcome->recipes[i], levels < FIT_LEVELS_MIN, drains, stream);
    size_t list = (is_undetermined(outcome, FIGURE_RPCS) ? 1U : 0) +
                  (is_undetermined(outcome, FIGURE_BYTES) ? 2U : 0) +
                  (is_undetermined(outcome, drains ? FIGURE_DRAIN : FIGURE_ELAPSED) ? 4U : 0);
    if (levels < FIT_LEVELS_MIN && list != 0)
        wrap_sentence(stream, "How %s grow is undetermined: %zu client count%s, at least %d needed",
                      lists[list], levels, levels == 1 ? "" : "s", FIT_LEVELS_MIN);
}

const char *fits_order_of_rpcs(const struct outcome_recipe *recipe)
{
    const struct growth *rpcs = &recipe->growth[FIGURE_RPCS];
    enum fit_verdict verdict = rpcs->obeyed ? rpcs->law_verdict : rpcs->fitted.verdict;
    return !rpcs->known || verdict == FIT_UNDETERMINED ? NULL : words_of(verdict);
}
