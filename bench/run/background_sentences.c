// SPDX-License-Identifier: Apache-2.0
#include "bench/run/background_sentences.h"

#include "bench/cli/wrap.h"
#include "measure/statistics.h"

#include <math.h>

#define TRIALS_MAX 1024
#define CONFIDENCE 0.95

/* The trials of a recipe with the most clients. */
struct prices {
    double alone_us[TRIALS_MAX], contended_us[TRIALS_MAX], ratio[TRIALS_MAX];
    size_t count;
    uint32_t clients;
};

static uint32_t most_clients(const struct samples *samples, const struct recipe *recipe)
{
    uint32_t most = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->list[i];
        if (sample->cell.recipe == recipe && sample->valid && sample->cell.clients > most)
            most = sample->cell.clients;
    }
    return most;
}

static void add(struct prices *prices, double alone_us, double contended_us)
{
    if (prices->count == TRIALS_MAX || !isfinite(alone_us) || !isfinite(contended_us))
        return;
    prices->alone_us[prices->count] = alone_us;
    prices->contended_us[prices->count] = contended_us;
    prices->ratio[prices->count++] = contended_us / alone_us;
}

static void gather(const struct samples *samples, const struct recipe *recipe, bool of_p99,
                   struct prices *prices)
{
    prices->count = 0;
    prices->clients = most_clients(samples, recipe);
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->list[i];
        const struct background_figures *beside = &sample->background;
        if (sample->cell.recipe != recipe || sample->cell.clients != prices->clients ||
            !sample->valid)
            continue;
        add(prices, of_p99 ? beside->alone_p99_us : beside->alone_p50_us,
            of_p99 ? beside->contended_p99_us : beside->contended_p50_us);
    }
}

static double mean_ms(const double *values_us, size_t count)
{
    return statistics_interval_of_logs(values_us, count, CONFIDENCE).value / 1e3;
}

static void write_sentence(const struct prices *prices, const char *recipe, const char *percentile,
                           FILE *stream)
{
    struct interval ratio = statistics_interval_of_logs(prices->ratio, prices->count, CONFIDENCE);
    char between[64] = "";
    if (prices->count >= STATISTICS_TRIALS_MIN)
        snprintf(between, sizeof between, " (95 %% CI %.2g to %.2g)", ratio.low, ratio.high);
    wrap_sentence(stream,
                  "%s, %u clients: a request of the background takes %.2f ms (%s) instead of "
                  "%.2f ms alone, %.2g times as long%s",
                  recipe, prices->clients, mean_ms(prices->contended_us, prices->count), percentile,
                  mean_ms(prices->alone_us, prices->count), ratio.value, between);
}

void background_sentences_write(const struct samples *samples, const struct options *options,
                                FILE *stream)
{
    struct prices prices;
    if (!options->plan.background.given)
        return;
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        const struct recipe *recipe = options->plan.recipes[i];
        for (int of_p99 = 0; of_p99 <= 1; of_p99++) {
            gather(samples, recipe, of_p99, &prices);
            if (prices.count > 0)
                write_sentence(&prices, recipe->name, of_p99 ? "p99" : "median", stream);
        }
    }
}
