// SPDX-License-Identifier: Apache-2.0
/* What the contention for a lock costs the load beside it, as a ratio: the response time while
 * clients contend, to that of the same trial alone. A value is the geometric mean over the valid
 * trials of a cell, with its 95 % interval from STATISTICS_TRIALS_MIN trials on. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/run/outcome.h"

#include <math.h>
#include <stdlib.h>

/* The percentiles that have a price. */
static const struct percentile {
    size_t alone, contended; /* their columns */
    const char *slug, *word;
} median = {trial_row_background_alone_p50_us, trial_row_background_p50_us, "background-p50",
            "median"},
  percentile_99 = {trial_row_background_alone_p99_us, trial_row_background_p99_us, "background-p99",
                   "p99"};

/* The price in a cell, over the trials that have the percentile alone and contended. */
struct price {
    size_t trials;
    double alone_us, contended_us;
    struct interval ratio;
};

static struct price price_of(const struct table_cell *trials, const struct percentile *percentile)
{
    double *alone_us = memory_new(3 * trials->count, sizeof *alone_us),
           *contended_us = alone_us + trials->count, *ratios = contended_us + trials->count;
    size_t count = 0;
    for (size_t i = 0; i < trials->count; i++) {
        const struct table_value *row = table_row(trials->table, trials->rows[i]);
        alone_us[count] = table_number(&row[percentile->alone]);
        contended_us[count] = table_number(&row[percentile->contended]);
        ratios[count] = contended_us[count] / alone_us[count];
        count +=
            row[trial_row_valid].flag && !isnan(alone_us[count]) && !isnan(contended_us[count]);
    }
    struct price price = {.trials = count,
                          .alone_us = table_geometric(alone_us, count).value,
                          .contended_us = table_geometric(contended_us, count).value,
                          .ratio = table_geometric(ratios, count)};
    free(alone_us);
    return price;
}

#define PRICE(X, percentile)                                                                       \
    X(alone_##percentile##_us, csv_real(csv, percentile.alone_us, 1))                              \
    X(contended_##percentile##_us, csv_real(csv, percentile.contended_us, 1))                      \
    X(ratio_##percentile, csv_real(csv, percentile.ratio.value, 3))                                \
    X(ratio_##percentile##_low, csv_real(csv, percentile.ratio.low, 3))                            \
    X(ratio_##percentile##_high, csv_real(csv, percentile.ratio.high, 3))

#define COLUMNS(X)                                                                                 \
    X(run, csv_text(csv, outcome->run))                                                            \
    X(recipe, csv_text(csv, cell[run_cell_recipe].text))                                           \
    X(clients, csv_count(csv, cell[run_cell_clients].count))                                       \
    X(trials, csv_count(csv, p50.trials))                                                          \
    PRICE(X, p50)                                                                                  \
    PRICE(X, p99)

void background_price_write(FILE *stream, const void *context)
{
    const struct outcome *outcome = context;
    struct csv *csv = &(struct csv){.stream = stream};
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < outcome->cells.rows; i++) {
        const struct table_value *cell = table_row(&outcome->cells, i);
        const struct price p50 = price_of(outcome->trials[i], &median),
                           p99 = price_of(outcome->trials[i], &percentile_99);
        if (p50.trials > 0) {
            COLUMNS(CSV_WRITE) csv_end_row(csv);
        }
    }
}

/* The price at the most clients that have one. */
static void add_price(const struct outcome *outcome, const struct outcome_recipe *recipe,
                      const struct percentile *percentile, struct table *findings)
{
    struct price price = {.ratio = FINDING_NO_FIGURE};
    const char *name = recipe->recipe->name;
    char between[64] = "";
    size_t at = recipe->first + recipe->count;
    while (at > recipe->first && !isfinite(price.ratio.value))
        price = price_of(outcome->trials[--at], percentile);
    if (!isfinite(price.ratio.value))
        return;
    if (isfinite(price.ratio.low))
        snprintf(between, sizeof between, " (95 %% CI %.2g to %.2g)", price.ratio.low,
                 price.ratio.high);
    findings_add(
        findings, FINDING_MEASURED(percentile->slug, name, price.ratio, NULL, price.trials),
        "%s: beside %s clients the background's %s is %.2f ms, %.2g times the %.2f ms "
        "alone%s",
        name, RUN_COUNT(table_row(&outcome->cells, at)[run_cell_clients].count), percentile->word,
        price.contended_us / 1e3, price.ratio.value, price.alone_us / 1e3, between);
}

void background_price_add(const struct outcome *outcome, struct table *findings)
{
    const struct run_plan *plan = &outcome->options->plan;
    for (size_t i = 0; plan->background.given && i < plan->recipe_count; i++) {
        add_price(outcome, &outcome->recipes[i], &median, findings);
        add_price(outcome, &outcome->recipes[i], &percentile_99, findings);
    }
}
