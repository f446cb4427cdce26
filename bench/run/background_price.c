// SPDX-License-Identifier: Apache-2.0
#include "bench/run/background_price.h"

#include "bench/cli/terminal.h"
#include "measure/statistics.h"

#include <math.h>

#define TRIALS_MAX 1000
#define CONFIDENCE 0.95

/* The figures of a cell: one of each for a valid trial. */
struct trials {
    double alone_us[TRIALS_MAX], contended_us[TRIALS_MAX], ratio[TRIALS_MAX];
    size_t count;
};

/* What they come to. */
struct price {
    size_t trials;
    double alone_us, contended_us;
    struct interval ratio;
};

static bool belongs(const struct sample *sample, const struct recipe *recipe, uint64_t clients)
{
    return sample->cell.recipe == recipe && sample->cell.clients == clients && sample->valid &&
           sample->background.measured;
}

static void add(struct trials *trials, double alone_us, double contended_us)
{
    if (trials->count == TRIALS_MAX || isnan(alone_us) || isnan(contended_us))
        return;
    trials->alone_us[trials->count] = alone_us;
    trials->contended_us[trials->count] = contended_us;
    trials->ratio[trials->count++] = contended_us / alone_us;
}

static struct interval mean(const double *values, size_t count)
{
    struct interval found = statistics_interval_of_logs(values, count, CONFIDENCE);
    if (count < STATISTICS_TRIALS_MIN)
        found.low = found.high = NAN;
    return found;
}

/* of_p99: of the 99th percentile, else of the median. */
static struct price price_of(const struct samples *samples, const struct recipe *recipe,
                             uint64_t clients, bool of_p99)
{
    struct trials trials = {.count = 0};
    for (size_t i = 0; i < samples->count; i++) {
        const struct background_figures *beside = &samples->list[i].background;
        if (!belongs(&samples->list[i], recipe, clients))
            continue;
        add(&trials, of_p99 ? beside->alone_p99_us : beside->alone_p50_us,
            of_p99 ? beside->contended_p99_us : beside->contended_p50_us);
    }
    return (struct price){.trials = trials.count,
                          .alone_us = mean(trials.alone_us, trials.count).value,
                          .contended_us = mean(trials.contended_us, trials.count).value,
                          .ratio = mean(trials.ratio, trials.count)};
}

/* ------------------------------------------------------------------ background.csv */

#define PRICE(X, percentile)                                                                       \
    X(alone_##percentile##_us, csv_real(csv, percentile.alone_us, 1))                              \
    X(contended_##percentile##_us, csv_real(csv, percentile.contended_us, 1))                      \
    X(ratio_##percentile, csv_real(csv, percentile.ratio.value, 3))                                \
    X(ratio_##percentile##_low, csv_real(csv, percentile.ratio.low, 3))                            \
    X(ratio_##percentile##_high, csv_real(csv, percentile.ratio.high, 3))

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, context->run))                                                            \
    X(recipe, csv_text(csv, recipe->name))                                                         \
    X(clients, csv_count(csv, clients))                                                            \
    X(trials, csv_count(csv, p50.trials))                                                          \
    PRICE(X, p50)                                                                                  \
    PRICE(X, p99)

const char background_price_columns[] = COLUMNS(CSV_NAME);

void background_price_write(const struct samples *samples, const struct recipe *recipe,
                            const struct sample_context *context, struct csv *csv)
{
    const struct levels *levels = &context->options->plan.clients;
    for (size_t i = 0; i < levels->count; i++) {
        uint64_t clients = levels->list[i];
        const struct price p50 = price_of(samples, recipe, clients, false),
                           p99 = price_of(samples, recipe, clients, true);
        if (p50.trials > 0) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}

/* ------------------------------------------------------------------ sentences */

static void tell(const struct price *price, const char *recipe, uint64_t clients,
                 const char *percentile, FILE *stream)
{
    char between[64] = "";
    if (isfinite(price->ratio.low))
        snprintf(between, sizeof between, " (95 %% CI %.2g to %.2g)", price->ratio.low,
                 price->ratio.high);
    wrap_sentence(stream,
                  "%s, %llu clients: a request of the background takes %.2f ms (%s) instead of "
                  "%.2f ms alone, %.2g times as long%s",
                  recipe, (unsigned long long)clients, price->contended_us / 1e3, percentile,
                  price->alone_us / 1e3, price->ratio.value, between);
}

static void tell_most(const struct samples *samples, const struct recipe *recipe,
                      const struct levels *levels, bool of_p99, FILE *stream)
{
    for (size_t i = levels->count; i-- > 0;) {
        const struct price price = price_of(samples, recipe, levels->list[i], of_p99);
        if (!isfinite(price.ratio.value))
            continue;
        tell(&price, recipe->name, levels->list[i], of_p99 ? "p99" : "median", stream);
        return;
    }
}

void background_price_tell(const struct samples *samples, const struct options *options,
                           FILE *stream)
{
    for (size_t i = 0; options->plan.background.given && i < options->plan.recipe_count; i++) {
        const struct recipe *recipe = options->plan.recipes[i];
        tell_most(samples, recipe, &options->plan.clients, false, stream);
        tell_most(samples, recipe, &options->plan.clients, true, stream);
    }
}
