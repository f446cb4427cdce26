// SPDX-License-Identifier: Apache-2.0
#include "bench/fits.h"

#include "measure/fit.h"
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 4096

const char fits_columns[] = "run,recipe,metric,x,levels,exponent,exponent_low,exponent_high,"
                            "verdict,c0,c1,c2,c3,max_residual,law,beta,beta_low,beta_high";

/* What is fitted: its points, and how the fit came out. */
struct points {
    double x[LEVELS_MAX];
    double y[LEVELS_MAX];
    size_t count;
};

struct fitted {
    struct fit_exponent exponent;
    struct fit_polynomial polynomial;
    const char *verdict;
};

/* counts: totals of messages, names or bytes, which have little noise that could bend them. */
static struct fitted fit(const struct points *points, bool counts)
{
    static const enum fit_verdict of_degree[] = {FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC,
                                                 FIT_CUBIC};
    struct fitted fitted = {
        .exponent = fit_exponent(points->x, points->y, points->count),
        .polynomial = fit_polynomial_best(points->x, points->y, points->count),
    };
    enum fit_verdict verdict =
        fitted.polynomial.exact ? of_degree[fitted.polynomial.degree] : fit_judge(&fitted.exponent);
    if (counts && !fitted.polynomial.exact && verdict == FIT_LINEAR &&
        fit_bends(&fitted.polynomial, points->x[points->count - 1]))
        verdict = FIT_UNDETERMINED;
    fitted.verdict = fit_verdict_words(verdict);
    return fitted;
}

/* ------------------------------------------------------------------ totals against clients */

struct metric {
    const char *name;
    bool on_time;
    double (*value)(const struct sample *sample);
    const char *(*law)(const struct recipe *recipe);
};

static const char *law_of_rpcs(const struct recipe *recipe)
{
    return recipe->law.rpcs;
}

static const char *law_of_notifications(const struct recipe *recipe)
{
    return recipe->law.notifications;
}

enum total { RPCS, NOTIFICATIONS, CREATES, NAMES_LISTED, BYTES, ELAPSED_S, DRAIN_S, TOTALS };

static const struct metric metrics[TOTALS] = {
    [RPCS] = {"rpcs", false, sample_rpcs, law_of_rpcs},
    [NOTIFICATIONS] = {"notifications", false, sample_notifications, law_of_notifications},
    [CREATES] = {"creates", false, sample_creates, NULL},
    [NAMES_LISTED] = {"names_listed", false, sample_names_listed, NULL},
    [BYTES] = {"bytes", false, sample_bytes, NULL},
    [ELAPSED_S] = {"elapsed_s", true, sample_elapsed_s, NULL},
    [DRAIN_S] = {"drain_s", true, sample_drain_s, NULL},
};

static bool is_used(const struct sample *sample, const struct recipe *recipe, bool on_time)
{
    return sample->cell.recipe == recipe && sample->violations == 0 && sample->complete &&
           (sample->valid || !on_time);
}

static int compare_clients(const void *a, const void *b)
{
    const struct sample *x = *(const struct sample *const *)a,
                        *y = *(const struct sample *const *)b;
    return (x->cell.clients > y->cell.clients) - (x->cell.clients < y->cell.clients);
}

/* The means over trials, a level for each number of clients. */
static bool gather_totals(const struct samples *samples, const struct recipe *recipe,
                          const struct metric *metric, struct points *points)
{
    const struct sample **used = calloc(samples->count + 1, sizeof(const struct sample *));
    size_t count = 0;
    if (used == NULL)
        return false;
    for (size_t i = 0; i < samples->count; i++) {
        if (is_used(&samples->list[i], recipe, metric->on_time))
            used[count++] = &samples->list[i];
    }
    qsort(used, count, sizeof(const struct sample *), compare_clients);
    points->count = 0;
    for (size_t i = 0; i < count && points->count < LEVELS_MAX;) {
        uint32_t clients = used[i]->cell.clients;
        double sum = 0;
        size_t first = i;
        for (; i < count && used[i]->cell.clients == clients; i++)
            sum += metric->value(used[i]);
        points->x[points->count] = clients;
        points->y[points->count++] = sum / (double)(i - first);
    }
    free(used);
    return points->count > 0;
}

/* ------------------------------------------------------------------ handoffs against waiters */

enum handoff_metric { HANDOFF_RPCS, HANDOFF_NOTIFICATIONS, HANDOFF_CREATES, HANDOFF_US };

static const char *const handoff_names[] = {"handoff_rpcs", "handoff_notifications",
                                            "handoff_creates", "handoff_us"};

static double sum_of(const struct waiters_level *level, enum handoff_metric metric)
{
    switch (metric) {
    case HANDOFF_RPCS:
        return (double)level->rpcs;
    case HANDOFF_NOTIFICATIONS:
        return (double)level->notifications;
    case HANDOFF_CREATES:
        return (double)level->creates;
    default:
        return level->handoff_us;
    }
}

/* Counts: a level for each number of waiters. */
static void gather_counts(const struct waiters *waiters, enum handoff_metric metric,
                          struct points *points)
{
    points->count = 0;
    size_t stride = waiters->level_count / LEVELS_MAX + 1;
    for (size_t w = 1; w < waiters->level_count; w += stride) {
        const struct waiters_level *level = &waiters->levels[w];
        if (level->handoffs == 0)
            continue;
        points->x[points->count] = (double)w;
        points->y[points->count++] = sum_of(level, metric) / (double)level->handoffs;
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
        points->x[points->count] = waiters_octave_mean(waiters, octave);
        points->y[points->count++] = sum.handoff_us / (double)sum.timed;
    }
}

/* β over the trials at the most clients: the herd coefficient of docs/counting.md. */
static struct interval gather_beta(const struct samples *samples, const struct recipe *recipe)
{
    double betas[1024] = {0};
    size_t count = 0;
    uint32_t most = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->list[i];
        if (is_used(sample, recipe, true) && sample->cell.clients > most)
            most = sample->cell.clients;
    }
    for (size_t i = 0; i < samples->count && count < 1024; i++) {
        const struct sample *sample = &samples->list[i];
        if (is_used(sample, recipe, true) && sample->cell.clients == most && isfinite(sample->beta))
            betas[count++] = sample->beta;
    }
    struct interval beta = statistics_interval(betas, count, FIT_CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        beta.low = beta.high = NAN;
    return beta;
}

/* ------------------------------------------------------------------ fits.csv */

static void write_row(const struct recipe *recipe, const char *metric, const char *x,
                      const struct fitted *fitted, const char *law, struct interval beta,
                      const char *run, struct csv *csv)
{
    csv_text(csv, run);
    csv_text(csv, recipe->name);
    csv_text(csv, metric);
    csv_text(csv, x);
    csv_count(csv, fitted->exponent.levels);
    csv_real(csv, fitted->exponent.exponent, 4);
    csv_real(csv, fitted->exponent.low, 4);
    csv_real(csv, fitted->exponent.high, 4);
    csv_text(csv, fitted->verdict);
    for (size_t i = 0; i <= FIT_DEGREE_MAX; i++)
        csv_real(csv, fitted->polynomial.c[i], 6);
    csv_real(csv, fitted->polynomial.max_residual, 6);
    csv_text(csv, law);
    csv_real(csv, beta.value, 6);
    csv_real(csv, beta.low, 6);
    csv_real(csv, beta.high, 6);
    csv_end_row(csv);
}

static const struct interval no_interval = {NAN, NAN, NAN};

static void write_totals(const struct samples *samples, const struct recipe *recipe,
                         const struct sample_context *context, struct points *points,
                         struct csv *csv)
{
    const struct options *options = context->options;
    bool has_law = options->pace == PACE_LOCKSTEP && options->workload == WORKLOAD_DRAIN &&
                   options->locks == 1;
    for (size_t i = 0; i < TOTALS; i++) {
        if (!gather_totals(samples, recipe, &metrics[i], points))
            continue;
        struct fitted fitted = fit(points, !metrics[i].on_time);
        const char *law = has_law && metrics[i].law != NULL ? metrics[i].law(recipe) : "";
        write_row(recipe, metrics[i].name, "clients", &fitted, law, no_interval, context->run, csv);
    }
}

static void write_handoffs(const struct samples *samples, const struct waiters *waiters,
                           const struct sample_context *context, struct points *points,
                           struct csv *csv)
{
    for (int metric = HANDOFF_RPCS; metric <= HANDOFF_US; metric++) {
        struct interval beta = no_interval;
        if (metric == HANDOFF_US) {
            gather_times(waiters, points);
            beta = gather_beta(samples, waiters->recipe);
        } else {
            gather_counts(waiters, (enum handoff_metric)metric, points);
        }
        if (points->count == 0)
            continue;
        struct fitted fitted = fit(points, false);
        write_row(waiters->recipe, handoff_names[metric], "waiters", &fitted, "", beta,
                  context->run, csv);
    }
}

void fits_write(const struct samples *samples, const struct waiters *waiters,
                const struct sample_context *context, struct csv *csv)
{
    struct points *points = malloc(sizeof *points);
    if (points == NULL)
        return;
    write_totals(samples, waiters->recipe, context, points, csv);
    write_handoffs(samples, waiters, context, points, csv);
    free(points);
}

/* ------------------------------------------------------------------ in words */

/* O(n^2) as people write it. */
static const char *superscript(const char *verdict)
{
    if (strcmp(verdict, "O(n^2)") == 0)
        return "O(n²)";
    if (strcmp(verdict, "O(n^3)") == 0)
        return "O(n³)";
    return verdict;
}

static void tell_total(const char *what, const struct points *points, FILE *stream)
{
    struct fitted fitted = fit(points, true);
    char text[128];
    if (fitted.polynomial.exact)
        fprintf(stream, "%s = %s exactly: %s", what,
                fit_describe(&fitted.polynomial, 'n', text, sizeof text),
                superscript(fitted.verdict));
    else if (isfinite(fitted.exponent.low)) {
        fprintf(stream, "%s grow as n^%.2f (%.2f to %.2f): %s", what, fitted.exponent.exponent,
                fitted.exponent.low, fitted.exponent.high, superscript(fitted.verdict));
        if (fitted.exponent.levels < FIT_LEVELS_MIN)
            fprintf(stream, " (%zu levels of n, it takes %d)", fitted.exponent.levels,
                    FIT_LEVELS_MIN);
    } else
        fprintf(stream, "%s: too few levels of n for a fit", what);
}

/* In whole thousandths, so that none is "-0.0". */
static double percent(double share)
{
    return nearbyint(share * 1000) / 10 + 0.0;
}

static void tell_beta(struct interval beta, FILE *stream)
{
    if (isfinite(beta.low))
        fprintf(stream, "\n    one more waiter adds %.1f %% (%.1f to %.1f) to a bare handoff",
                percent(beta.value), percent(beta.low), percent(beta.high));
}

void fits_tell(const struct samples *samples, const struct waiters *waiters, FILE *stream)
{
    struct points *points = malloc(sizeof *points);
    if (points == NULL)
        return;
    if (gather_totals(samples, waiters->recipe, &metrics[RPCS], points)) {
        fprintf(stream, "%s: ", waiters->recipe->name);
        tell_total("RPCs", points, stream);
        if (gather_totals(samples, waiters->recipe, &metrics[BYTES], points)) {
            fprintf(stream, "; ");
            tell_total("bytes", points, stream);
        }
        tell_beta(gather_beta(samples, waiters->recipe), stream);
        fputc('\n', stream);
    }
    free(points);
}
