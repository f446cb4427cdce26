// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "bench/cli/terminal.h"
#include "measure/fit.h"
#include "measure/statistics.h"
#include "recipes/law.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define LEVELS_MAX 4096
#define INDENT     4 /* of a recipe's sentences, but for the first */

/* What is fitted: its points, and how the fit came out. */
struct points {
    double x[LEVELS_MAX];
    double y[LEVELS_MAX];
    size_t trials[LEVELS_MAX]; /* of totals: how many are summed up in y */
    size_t count;
};

struct fitted {
    struct fit_exponent exponent;
    struct fit_polynomial polynomial;
    enum fit_verdict verdict;
};

static const enum fit_verdict of_degree[] = {FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC, FIT_CUBIC};

/* counts: totals of messages, names or bytes, which have little noise that could bend them. */
static struct fitted fit(const struct points *points, bool counts)
{
    struct fitted fitted = {
        .exponent = fit_exponent(points->x, points->y, points->count),
        .polynomial = fit_polynomial_best(points->x, points->y, points->count),
    };
    enum fit_verdict verdict =
        fitted.polynomial.exact ? of_degree[fitted.polynomial.degree] : fit_judge(&fitted.exponent);
    if (counts && !fitted.polynomial.exact && verdict == FIT_LINEAR &&
        fit_bends(&fitted.polynomial, points->x[points->count - 1]))
        verdict = FIT_UNDETERMINED;
    fitted.verdict = verdict;
    return fitted;
}

/* ------------------------------------------------------------------ totals against clients */

struct metric {
    const char *name;
    bool on_time;
    bool has_law; /* under lockstep: the law gives the exact count */
    size_t column;
    size_t law; /* the column of what the law says, if has_law */
};

enum total { RPCS, NOTIFICATIONS, CREATES, NAMES_LISTED, BYTES, ELAPSED_S, DRAIN_S, TOTALS };

static const struct metric metrics[TOTALS] = {
    [RPCS] = {"rpcs", false, true, trial_row_rpcs, trial_row_law_rpcs},
    [NOTIFICATIONS] = {"notifications", false, true, trial_row_notifications,
                       trial_row_law_notifications},
    [CREATES] = {"creates", false, true, trial_row_creates, trial_row_law_creates},
    [NAMES_LISTED] = {"names_listed", false, true, trial_row_names_listed,
                      trial_row_law_names_listed},
    [BYTES] = {"bytes", false, false, trial_row_bytes, 0},
    [ELAPSED_S] = {"elapsed_s", true, false, trial_row_elapsed_s, 0},
    [DRAIN_S] = {"drain_s", true, false, trial_row_drain_s, 0},
};

static bool is_used(const struct table_value *row, const struct recipe *recipe, bool on_time)
{
    return trial_row_is_of(row, recipe) && row[trial_row_violations].count == 0 &&
           row[trial_row_complete].flag && (row[trial_row_valid].flag || !on_time);
}

/* Adds a trial to its level; the levels ascend. No list of clients has more than LEVELS_MAX. */
static void add_trial(struct points *points, uint64_t clients, double value)
{
    size_t at = points->count;
    while (at > 0 && points->x[at - 1] >= (double)clients)
        at--;
    if (at == points->count || points->x[at] > (double)clients) {
        size_t behind = points->count++ - at;
        assert(points->count <= LEVELS_MAX);
        memmove(&points->x[at + 1], &points->x[at], behind * sizeof points->x[0]);
        memmove(&points->y[at + 1], &points->y[at], behind * sizeof points->y[0]);
        memmove(&points->trials[at + 1], &points->trials[at], behind * sizeof points->trials[0]);
        points->x[at] = (double)clients;
        points->y[at] = 0;
        points->trials[at] = 0;
    }
    points->y[at] += value;
    points->trials[at]++;
}

/* The means over trials, a level for each number of clients. False if there is none. */
static bool gather_totals(const struct table *rows, const struct recipe *recipe,
                          const struct metric *metric, struct points *points)
{
    points->count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (is_used(row, recipe, metric->on_time) && isfinite(table_number(&row[metric->column])))
            add_trial(points, row[trial_row_clients].count, table_number(&row[metric->column]));
    }
    for (size_t i = 0; i < points->count; i++)
        points->y[i] /= (double)points->trials[i];
    return points->count > 0;
}

/* ------------------------------------------------------------------ totals that are a law */

/* Some laws go by the clients in whole groups, as that of readers and writers: at multiples of this
 * a law is a polynomial, if it is one at all. */
#define LAW_GROUP  12
#define LAW_LEVELS 8

/* A law that all counts of a recipe obey. */
struct obeyed {
    bool obeyed;
    bool described; /* the polynomial is the law at every level of the run */
    struct fit_polynomial polynomial;
    enum fit_verdict verdict;
};

/* What the law says of this figure in a drain. */
static double law_at(const struct recipe *recipe, const struct metric *metric, uint64_t clients)
{
    struct tally total = {{0}};
    law_total(recipe, clients, clients, &total);
    return metric->column == trial_row_rpcs            ? (double)tally_rpcs(&total)
           : metric->column == trial_row_notifications ? (double)total.of[TALLY_NOTIFICATION]
           : metric->column == trial_row_creates       ? (double)total.of[TALLY_CREATE]
                                                       : (double)total.of[TALLY_NAMES_LISTED];
}

static bool has_law_of_drains(const struct options *options)
{
    return options->plan.pace == PACE_LOCKSTEP && options->plan.workload == WORKLOAD_DRAIN &&
           options->plan.locks == 1;
}

/* Whether no trial of the recipe failed, and each that was led to its end has exactly the counts of
 * its law: then these are known at every level, and need no fit. */
static bool obey(const struct table *rows, const struct recipe *recipe, const struct metric *metric)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (trial_row_is_of(row, recipe) && row[trial_row_violations].count > 0)
            return false;
        if (!is_used(row, recipe, metric->on_time))
            continue;
        if (!row[trial_row_has_law].flag || row[metric->column].count != row[metric->law].count)
            return false;
        count++;
    }
    return count > 0;
}

/* points: the recipe's levels. */
static struct obeyed find_law(const struct table *rows, const struct recipe *recipe,
                              const struct metric *metric, const struct options *options,
                              const struct points *points)
{
    struct obeyed law = {.verdict = FIT_UNDETERMINED};
    double x[LAW_LEVELS], y[LAW_LEVELS];
    law.obeyed = metric->has_law && has_law_of_drains(options) && obey(rows, recipe, metric);
    if (!law.obeyed)
        return law;
    for (size_t i = 0; i < LAW_LEVELS; i++) {
        uint64_t clients = LAW_GROUP * (i + 1);
        x[i] = (double)clients;
        y[i] = law_at(recipe, metric, clients);
    }
    law.polynomial = fit_polynomial_best(x, y, LAW_LEVELS);
    law.described = law.polynomial.exact;
    if (law.polynomial.exact)
        law.verdict = of_degree[law.polynomial.degree];
    for (size_t i = 0; i < points->count; i++)
        law.described =
            law.described && fit_polynomial_at(&law.polynomial, points->x[i]) == points->y[i];
    return law;
}

/* ------------------------------------------------------------------ handoffs against waiters */

/* Counts of a handoff, and where struct waiters_level has their sums. */
static const struct {
    const char *name;
    size_t sum;
} handoff_counts[] = {{"handoff_rpcs", offsetof(struct waiters_level, rpcs)},
                      {"handoff_notifications", offsetof(struct waiters_level, notifications)},
                      {"handoff_creates", offsetof(struct waiters_level, creates)}};

/* A level for each number of waiters. */
static void gather_counts(const struct waiters *waiters, size_t sum, struct points *points)
{
    points->count = 0;
    size_t stride = waiters->level_count / LEVELS_MAX + 1;
    for (size_t w = 1; w < waiters->level_count; w += stride) {
        const struct waiters_level *level = &waiters->levels[w];
        if (level->handoffs == 0)
            continue;
        const uint64_t *count = (const void *)((const char *)level + sum);
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

/* β over the trials at the most clients: the herd coefficient of docs/counting.md. */
static struct interval gather_beta(const struct table *rows, const struct recipe *recipe)
{
    double betas[1024] = {0};
    size_t count = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        if (is_used(row, recipe, true) && row[trial_row_clients].count > most)
            most = row[trial_row_clients].count;
    }
    for (size_t i = 0; i < rows->rows && count < 1024; i++) {
        const struct table_value *row = table_row(rows, i);
        if (is_used(row, recipe, true) && row[trial_row_clients].count == most &&
            isfinite(row[trial_row_beta].real))
            betas[count++] = row[trial_row_beta].real;
    }
    struct interval beta = statistics_interval(betas, count, FIT_CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        beta.low = beta.high = NAN;
    return beta;
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

static void write_totals(const struct table *rows, const struct recipe *recipe,
                         const struct trial_row_context *context, struct points *points,
                         struct csv *csv)
{
    const struct options *options = context->options;
    for (size_t i = 0; i < TOTALS; i++) {
        if (!gather_totals(rows, recipe, &metrics[i], points))
            continue;
        struct fitted fitted = fit(points, !metrics[i].on_time);
        struct obeyed obeyed = find_law(rows, recipe, &metrics[i], options, points);
        if (obeyed.verdict != FIT_UNDETERMINED)
            fitted.verdict = obeyed.verdict;
        const char *law = i == RPCS            ? recipe->law.rpcs
                          : i == NOTIFICATIONS ? recipe->law.notifications
                                               : "";
        if (!has_law_of_drains(options))
            law = "";
        write_row(recipe, metrics[i].name, "clients", &fitted, law, no_interval, context->run, csv);
    }
}

static void write_handoff(const struct recipe *recipe, const char *metric,
                          const struct points *points, struct interval beta, const char *run,
                          struct csv *csv)
{
    if (points->count == 0)
        return;
    struct fitted fitted = fit(points, false);
    write_row(recipe, metric, "waiters", &fitted, "", beta, run, csv);
}

void fits_write(const struct table *rows, const struct waiters *waiters,
                const struct trial_row_context *context, struct csv *csv)
{
    struct points points;
    write_totals(rows, waiters->recipe, context, &points, csv);
    for (size_t i = 0; i < sizeof handoff_counts / sizeof handoff_counts[0]; i++) {
        gather_counts(waiters, handoff_counts[i].sum, &points);
        write_handoff(waiters->recipe, handoff_counts[i].name, &points, no_interval, context->run,
                      csv);
    }
    gather_times(waiters, &points);
    write_handoff(waiters->recipe, "handoff_us", &points, gather_beta(rows, waiters->recipe),
                  context->run, csv);
}

/* ------------------------------------------------------------------ in words */

/* O(n^2) as people write it. */
static const char *words_of(enum fit_verdict verdict)
{
    switch (verdict) {
    case FIT_QUADRATIC:
        return "O(n²)";
    case FIT_CUBIC:
        return "O(n³)";
    default:
        return fit_verdict_words(verdict);
    }
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
    if (telling->lines++ == 0) {
        wrap_sentence(telling->stream, "%s: %s", telling->recipe, text);
    } else {
        fprintf(telling->stream, "%*s", INDENT, "");
        wrap_write(text, INDENT, telling->stream);
    }
}

static void tell_exact(struct telling *telling, const char *what,
                       const struct fit_polynomial *polynomial, enum fit_verdict verdict)
{
    char text[128];
    tell(telling, "%s: exactly %s at every n: %s", what,
         fit_describe(polynomial, 'n', text, sizeof text), words_of(verdict));
}

/* Why the verdict of a fit is none; "" where its exponent's interval says so itself. */
static const char *reason_of(const struct telling *telling, const struct fitted *fitted, char *text,
                             size_t size)
{
    text[0] = '\0';
    if (fitted->verdict != FIT_UNDETERMINED)
        return text;
    if (fitted->exponent.levels >= FIT_LEVELS_MIN) {
        if (fit_judge(&fitted->exponent) != FIT_UNDETERMINED)
            snprintf(text, size, ": the curve bends");
    } else if (!telling->lacks_levels) {
        snprintf(text, size, ": %zu client count%s, at least %d needed", fitted->exponent.levels,
                 fitted->exponent.levels == 1 ? "" : "s", FIT_LEVELS_MIN);
    }
    return text;
}

/* verb: "grow" or "grows". */
static void tell_fit(struct telling *telling, const char *what, const char *verb,
                     const struct fitted *fitted)
{
    char reason[80];
    reason_of(telling, fitted, reason, sizeof reason);
    if (fitted->polynomial.exact)
        tell_exact(telling, what, &fitted->polynomial, fitted->verdict);
    else if (isfinite(fitted->exponent.low))
        tell(telling, "%s %s as n^%.2f (95 %% CI %.2f to %.2f): %s%s", what, verb,
             fitted->exponent.exponent, fitted->exponent.low, fitted->exponent.high,
             words_of(fitted->verdict), reason);
    else if (!telling->lacks_levels)
        tell(telling, "growth of %s: %s%s", what, words_of(fitted->verdict), reason);
}

static void tell_rpcs(struct telling *telling, const struct table *rows,
                      const struct recipe *recipe, const struct options *options,
                      struct points *points)
{
    if (!gather_totals(rows, recipe, &metrics[RPCS], points))
        return;
    struct obeyed law = find_law(rows, recipe, &metrics[RPCS], options, points);
    struct fitted fitted = fit(points, true);
    if (law.described)
        tell_exact(telling, "RPCs", &law.polynomial, law.verdict);
    else if (law.obeyed)
        tell(telling, "RPCs: exactly the law at every n: %s", words_of(law.verdict));
    else
        tell_fit(telling, "RPCs", "grow", &fitted);
}

static void tell_total(struct telling *telling, const char *what, const char *verb,
                       enum total total, const struct table *rows, const struct recipe *recipe,
                       struct points *points)
{
    if (!gather_totals(rows, recipe, &metrics[total], points))
        return;
    struct fitted fitted = fit(points, !metrics[total].on_time);
    tell_fit(telling, what, verb, &fitted);
}

/* In whole thousandths, so that none is "-0.0". */
static double percent(double share)
{
    return nearbyint(share * 1000) / 10 + 0.0;
}

static void tell_beta(struct telling *telling, struct interval beta)
{
    if (isfinite(beta.low))
        tell(telling,
             "each extra waiter adds %.1f %% (95 %% CI %.1f to %.1f) to an uncontended handoff",
             percent(beta.value), percent(beta.low), percent(beta.high));
}

static bool has_too_few_levels(const struct options *options)
{
    return options->plan.clients.count < FIT_LEVELS_MIN;
}

void fits_tell(const struct table *rows, const struct recipe *recipe, const struct options *options,
               FILE *stream)
{
    struct points points;
    struct telling telling = {stream, recipe->name, has_too_few_levels(options), 0};
    tell_rpcs(&telling, rows, recipe, options, &points);
    tell_total(&telling, "bytes", "grow", BYTES, rows, recipe, &points);
    if (options->plan.workload == WORKLOAD_DRAIN)
        tell_total(&telling, "drain time", "grows", DRAIN_S, rows, recipe, &points);
    tell_beta(&telling, gather_beta(rows, recipe));
}

const char *fits_order_of_rpcs(const struct table *rows, const struct recipe *recipe,
                               const struct options *options)
{
    struct points points;
    if (!gather_totals(rows, recipe, &metrics[RPCS], &points))
        return NULL;
    struct obeyed law = find_law(rows, recipe, &metrics[RPCS], options, &points);
    enum fit_verdict verdict = law.obeyed ? law.verdict : fit(&points, true).verdict;
    return verdict == FIT_UNDETERMINED ? NULL : words_of(verdict);
}

/* Whether too few levels are why nothing is known of how a recipe's figure grows. */
static bool lacks_levels(const struct table *rows, const struct recipe *recipe,
                         const struct metric *metric, const struct options *options,
                         struct points *points)
{
    if (!gather_totals(rows, recipe, metric, points) ||
        find_law(rows, recipe, metric, options, points).obeyed)
        return false;
    return fit(points, !metric->on_time).verdict == FIT_UNDETERMINED;
}

static bool any_lacks_levels(const struct table *rows, enum total total,
                             const struct options *options, struct points *points)
{
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (lacks_levels(rows, options->plan.recipes[i], &metrics[total], options, points))
            return true;
    }
    return false;
}

/* "RPCs, bytes and times", of those figures that some recipe has too few levels for; or "". */
static const char *list_undetermined(const struct table *rows, const struct options *options,
                                     struct points *points)
{
    static const char *const lists[] = {
        "",      "RPCs",           "bytes",           "RPCs and bytes",
        "times", "RPCs and times", "bytes and times", "RPCs, bytes and times"};
    enum total time = options->plan.workload == WORKLOAD_DRAIN ? DRAIN_S : ELAPSED_S;
    return lists[(any_lacks_levels(rows, RPCS, options, points) ? 1 : 0) +
                 (any_lacks_levels(rows, BYTES, options, points) ? 2 : 0) +
                 (any_lacks_levels(rows, time, options, points) ? 4 : 0)];
}

void fits_tell_levels(const struct table *rows, const struct options *options, FILE *stream)
{
    struct points points;
    const char *list = has_too_few_levels(options) ? list_undetermined(rows, options, &points) : "";
    if (list[0] != '\0')
        wrap_sentence(stream, "How %s grow is undetermined: %zu client count%s, at least %d needed",
                      list, options->plan.clients.count,
                      options->plan.clients.count == 1 ? "" : "s", FIT_LEVELS_MIN);
}
