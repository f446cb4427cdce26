// SPDX-License-Identifier: Apache-2.0
#include "bench/compare/internal.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(ratio, "compare.csv", RATIO_COLUMNS)

static const struct sample *find_sample(const struct comparison *cmp, const struct cell *cell,
                                        const struct side *side, size_t metric)
{
    return &cell->samples[(size_t)(side - cmp->sides) * cmp->metric_count + metric];
}

/* The ratio of b to a, with an interval of this confidence if both have trials enough. */
static struct interval ratio_of(const struct sample *a, const struct sample *b, double confidence)
{
    struct interval ratio = statistics_ratio(b->values, b->count, a->values, a->count, confidence);
    if (a->count < STATISTICS_TRIALS_MIN || b->count < STATISTICS_TRIALS_MIN)
        ratio.low = ratio.high = NAN;
    return ratio;
}

/* The range of exact counts, behind the least of them. */
static struct interval range_of(const struct sample *sample)
{
    struct interval range = FINDING_NO_FIGURE;
    for (size_t i = 0; i < sample->count; i++) {
        range.low = fmin(range.low, sample->values[i]);
        range.high = fmax(range.high, sample->values[i]);
    }
    range.value = range.low;
    return range;
}

/* Exact counts are equal if all trials of both sides have the same; then they are not marked. Else
 * a ratio is marked if it differs from 1 by an interval so much wider that all of them hold at once
 * (Bonferroni): of a hundred ratios of the same thing five would be. */
static void add_row(struct comparison *cmp, const struct cell *cell, const struct side *side,
                    size_t index)
{
    const struct sample *a = find_sample(cmp, cell, side->base, index),
                        *b = find_sample(cmp, cell, side, index);
    const char pair[] = {side->letter[0], '/', side->base->letter[0], '\0'};
    struct interval of_a, of_b, ratio = FINDING_NO_FIGURE;
    struct table_value *row = table_add(&cmp->rows);
    if (!cmp->metrics[index].is_exact) {
        double all = 1 - (1 - CONFIDENCE) / (double)cmp->interval_count;
        of_a = table_geometric(a->values, a->count);
        of_b = table_geometric(b->values, b->count);
        ratio = ratio_of(a, b, CONFIDENCE);
        if (isfinite(ratio.low)) {
            struct interval wide = ratio_of(a, b, all);
            row[ratio_marked] = table_flag(wide.low > 1 || wide.high < 1);
        }
    } else {
        of_a = range_of(a);
        of_b = range_of(b);
        bool differ = of_a.low != of_b.low || of_a.low != of_a.high || of_b.low != of_b.high;
        if (a->count > 0 && b->count > 0) {
            ratio.value = of_a.value > 0 ? of_b.value / of_a.value : NAN;
            row[ratio_marked] = table_flag(differ);
        }
    }
    row[ratio_recipe] = table_text(cell->group);
    row[ratio_clients] = table_count(cell->size);
    row[ratio_metric] = table_text(cmp->metrics[index].name);
    row[ratio_pair] = table_text(pair);
    row[ratio_label_a] = table_text(side->base->label);
    row[ratio_label_b] = table_text(side->label);
    table_put_interval(&row[ratio_a], &of_a);
    table_put_interval(&row[ratio_b], &of_b);
    table_put_interval(&row[ratio_ratio], &ratio);
    row[ratio_trials_a] = table_count(a->count);
    row[ratio_trials_b] = table_count(b->count);
    row[ratio_at] = table_text(cell->at);
}

/* Trials of one side in all cells. */
struct gathered {
    struct statistics_trial *list;
    size_t count;
};

static void gather(const struct sample *sample, size_t size, struct gathered *gathered)
{
    for (size_t i = 0; i < sample->count; i++) {
        gathered->list = memory_grow(gathered->list, gathered->count, sizeof *gathered->list);
        gathered->list[gathered->count++] =
            (struct statistics_trial){size, sample->rounds[i], log(sample->values[i])};
    }
}

/* Whether a sample has `least` values, and each a logarithm: a count of 0, as the notifications of
 * one client, has no ratio. */
static bool has_ratio(const struct sample *sample, size_t least)
{
    for (size_t i = 0; i < sample->count; i++) {
        if (!(sample->values[i] > 0))
            return false;
    }
    return sample->count >= least;
}

/* The ratio over the cells of a group, or of a group at a size, in which both sides have at least
 * `least` trials. */
static struct overall over_cells(const struct comparison *cmp, struct overall overall,
                                 const uint64_t *size, size_t least)
{
    const struct side *side = overall.side, *base = side->base;
    struct gathered of_a = {0}, of_b = {0};
    double log_sum = 0;
    for (size_t i = 0; i < cmp->cell_count; i++) {
        const struct cell *cell = &cmp->cells[i];
        const struct sample *a = find_sample(cmp, cell, base, overall.metric),
                            *b = find_sample(cmp, cell, side, overall.metric);
        if (strcmp(cell->group, overall.group) != 0 || (size != NULL && cell->size != *size))
            continue;
        overall.shared +=
            cell->trials[base - cmp->sides] > 0 && cell->trials[side - cmp->sides] > 0;
        if (!has_ratio(a, least) || !has_ratio(b, least)) {
            overall.left_out++;
            continue;
        }
        if (overall.sizes == 0 || a->count < overall.trials_a)
            overall.trials_a = a->count;
        if (overall.sizes == 0 || b->count < overall.trials_b)
            overall.trials_b = b->count;
        overall.only = cell->size;
        gather(a, overall.sizes, &of_a);
        gather(b, overall.sizes++, &of_b);
        log_sum += log(ratio_of(a, b, CONFIDENCE).value);
    }
    overall.contrast =
        statistics_contrast((struct statistics_trials){of_b.list, of_b.count},
                            (struct statistics_trials){of_a.list, of_a.count}, overall.sizes);
    overall.ratio.value = exp(log_sum / (double)overall.sizes);
    free(of_a.list);
    free(of_b.list);
    return overall;
}

/* Gives the ratio its interval, if both sides have trials enough in each cell. */
void overall_set_confidence(struct overall *overall, double confidence)
{
    overall->confidence = confidence;
    if (overall->sizes > 0 && overall->trials_a >= STATISTICS_TRIALS_MIN &&
        overall->trials_b >= STATISTICS_TRIALS_MIN)
        overall->ratio = statistics_contrast_interval(&overall->contrast, confidence);
}

/* The ratio over the cells with trials enough for an interval; if there is none, over all cells,
 * without an interval. size: NULL for all. */
struct overall overall_of(const struct comparison *cmp, const char *group, const struct side *side,
                          size_t metric, const uint64_t *size)
{
    const struct overall none = {
        .group = group, .side = side, .metric = metric, .ratio = FINDING_NO_FIGURE};
    struct overall overall = over_cells(cmp, none, size, STATISTICS_TRIALS_MIN);
    return overall.sizes > 0 ? overall : over_cells(cmp, none, size, 1);
}

/* Makes the rows of compare.csv, and the overall ratio of the main metric for each group and side.
 */
void comparison_find_ratios(struct comparison *cmp)
{
    cmp->rows.type = &ratio_table;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < cmp->cell_count * (cmp->side_count - 1) * cmp->metric_count; i++) {
            size_t metric = i % cmp->metric_count, pair = i / cmp->metric_count;
            const struct cell *cell = &cmp->cells[pair / (cmp->side_count - 1)];
            const struct side *side = &cmp->sides[1 + pair % (cmp->side_count - 1)];
            struct interval ratio = ratio_of(find_sample(cmp, cell, side->base, metric),
                                             find_sample(cmp, cell, side, metric), CONFIDENCE);
            if (pass == 1)
                add_row(cmp, cell, side, metric);
            else
                cmp->interval_count += !cmp->metrics[metric].is_exact && isfinite(ratio.low);
        }
    }
    for (size_t i = 0; i < cmp->cell_count; i++) {
        const char *group = cmp->cells[i].group;
        bool begins = i == 0 || strcmp(group, cmp->cells[i - 1].group) != 0;
        for (size_t side = 1; side < cmp->side_count && begins; side++) {
            cmp->overall = memory_grow(cmp->overall, cmp->overall_count, sizeof *cmp->overall);
            cmp->overall[cmp->overall_count++] =
                overall_of(cmp, group, &cmp->sides[side], cmp->main_metric, NULL);
        }
    }
    for (size_t i = 0; i < cmp->overall_count; i++)
        overall_set_confidence(&cmp->overall[i], 1 - (1 - CONFIDENCE) / (double)cmp->overall_count);
}

/* The whole of compare.csv, of a struct comparison. The means have the decimals of their metric. */
void comparison_write_csv(FILE *stream, const void *comparison)
{
    const struct comparison *cmp = comparison;
    struct csv csv = {.stream = stream};
    table_write_header(&ratio_table, &csv);
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        for (size_t j = 0; j < ratio_table.count; j++) {
            int decimals = j >= ratio_a && j <= ratio_b_high
                               ? cmp->metrics[i % cmp->metric_count].decimals
                               : ratio_table.columns[j].decimals;
            table_write_value(&table_row(&cmp->rows, i)[j], decimals, &csv);
        }
        csv_end_row(&csv);
    }
}
