// SPDX-License-Identifier: Apache-2.0
#include "bench/run/background_price.h"

#include "base/memory.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdlib.h>

/* What the valid trials of a cell come to that have the percentile alone and contended. */
struct price {
    size_t trials;
    double alone_us, contended_us;
    struct interval ratio;
};

/* of_p99: of the 99th percentile, else of the median. */
static struct price price_of(const struct table *rows, const struct recipe *recipe,
                             uint64_t clients, bool of_p99)
{
    size_t alone = of_p99 ? trial_row_background_alone_p99_us : trial_row_background_alone_p50_us,
           contended = of_p99 ? trial_row_background_p99_us : trial_row_background_p50_us;
    double *alone_us = memory_new(3 * rows->rows, sizeof *alone_us),
           *contended_us = alone_us + rows->rows, *ratios = contended_us + rows->rows;
    size_t count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        double of_alone = table_number(&row[alone]), of_contended = table_number(&row[contended]);
        if (!trial_row_is_of(row, recipe) || row[trial_row_clients].count != clients ||
            !row[trial_row_valid].flag || isnan(of_alone) || isnan(of_contended))
            continue;
        alone_us[count] = of_alone;
        contended_us[count] = of_contended;
        ratios[count++] = of_contended / of_alone;
    }
    struct price price = {.trials = count,
                          .alone_us = table_geometric(alone_us, count).value,
                          .contended_us = table_geometric(contended_us, count).value,
                          .ratio = table_geometric(ratios, count)};
    free(alone_us);
    return price;
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

void background_price_write(const struct table *rows, const struct recipe *recipe,
                            const struct trial_row_context *context, struct csv *csv)
{
    const struct levels *levels = &context->options->plan.clients;
    for (size_t i = 0; i < levels->count; i++) {
        uint64_t clients = levels->list[i];
        const struct price p50 = price_of(rows, recipe, clients, false),
                           p99 = price_of(rows, recipe, clients, true);
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

static void tell_most(const struct table *rows, const struct recipe *recipe,
                      const struct levels *levels, bool of_p99, FILE *stream)
{
    for (size_t i = levels->count; i-- > 0;) {
        const struct price price = price_of(rows, recipe, levels->list[i], of_p99);
        if (!isfinite(price.ratio.value))
            continue;
        tell(&price, recipe->name, levels->list[i], of_p99 ? "p99" : "median", stream);
        return;
    }
}

void background_price_tell(const struct table *rows, const struct options *options, FILE *stream)
{
    for (size_t i = 0; options->plan.background.given && i < options->plan.recipe_count; i++) {
        const struct recipe *recipe = options->plan.recipes[i];
        tell_most(rows, recipe, &options->plan.clients, false, stream);
        tell_most(rows, recipe, &options->plan.clients, true, stream);
    }
}
