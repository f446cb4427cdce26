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

/* ------------------------------------------------------------------ compare.csv */

/* What a row of compare.csv is of. */
struct pair {
    const struct cell *cell;
    const struct side *side;
    const struct metric *metric;
    const struct sample *a, *b; /* of the side's base, and of the side */
};

/* Rows of all metrics of a pair of sides follow each other, and those of all pairs of a cell. */
static struct pair pair_of(const struct comparison *cmp, size_t row)
{
    size_t metric = row % cmp->metric_count, at = row / cmp->metric_count;
    struct pair pair = {.cell = &cmp->cells[at / (cmp->side_count - 1)],
                        .side = &cmp->sides[1 + at % (cmp->side_count - 1)],
                        .metric = &cmp->metrics[metric]};
    pair.a = find_sample(cmp, pair.cell, pair.side->base, metric);
    pair.b = find_sample(cmp, pair.cell, pair.side, metric);
    return pair;
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

/* Exact counts are equal if all trials of both sides have the same; else they are marked. */
static void add_row(struct comparison *cmp, const struct pair *of)
{
    const struct sample *a = of->a, *b = of->b;
    const char pair[] = {of->side->letter[0], '/', of->side->base->letter[0], '\0'};
    struct interval of_a, of_b, ratio = FINDING_NO_FIGURE;
    struct table_value *row = table_add(&cmp->rows);
    if (of->metric->is_exact) {
        of_a = range_of(a);
        of_b = range_of(b);
        bool differ = of_a.low != of_b.low || of_a.low != of_a.high || of_b.low != of_b.high;
        if (a->count > 0 && b->count > 0) {
            ratio.value = of_a.value > 0 ? of_b.value / of_a.value : NAN;
            row[ratio_marked] = table_flag(differ);
        }
    } else {
        of_a = table_geometric(a->values, a->count);
        of_b = table_geometric(b->values, b->count);
        ratio = ratio_of(a, b, CONFIDENCE);
    }
    cmp->interval_count += isfinite(ratio.low) ? 1 : 0;
    row[ratio_recipe] = table_text(of->cell->group);
    row[ratio_clients] = table_count(of->cell->size);
    row[ratio_metric] = table_text(of->metric->name);
    row[ratio_pair] = table_text(pair);
    row[ratio_label_a] = table_text(of->side->base->label);
    row[ratio_label_b] = table_text(of->side->label);
    table_put_interval(&row[ratio_a], &of_a);
    table_put_interval(&row[ratio_b], &of_b);
    table_put_interval(&row[ratio_ratio], &ratio);
    row[ratio_trials_a] = table_count(a->count);
    row[ratio_trials_b] = table_count(b->count);
    row[ratio_at] = table_text(of->cell->at);
}

/* Marks the ratios that differ from 1 by intervals so much wider that all of them hold at once
 * (Bonferroni): of a hundred ratios of the same thing five would be marked. */
static void mark_ratios(struct comparison *cmp)
{
    double all = 1 - (1 - CONFIDENCE) / (double)cmp->interval_count;
    for (size_t i = 0; i < cmp->rows.rows; i++) {
        struct table_value *row = &cmp->rows.values[i * ratio_columns_count];
        const struct pair pair = pair_of(cmp, i);
        if (!isfinite(row[ratio_ratio_low].real))
            continue;
        const struct interval wide = ratio_of(pair.a, pair.b, all);
        row[ratio_marked] = table_flag(wide.low > 1 || wide.high < 1);
    }
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

/* ------------------------------------------------------------------ over all sizes */

/* Trials of one side in all cells. */
struct gathered {
    struct statistics_trial *list;
    size_t count;
};

static void gather(const struct sample *sample, size_t size, struct gathered *gathered,
                   size_t *fewest)
{
    *fewest = size == 0 || sample->count < *fewest ? sample->count : *fewest;
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

/* The ratio over the cells of a group, or of those at the size of a limit, in which both sides have
 * at least `least` trials. */
static struct overall over_cells(const struct comparison *cmp, struct overall overall, size_t least)
{
    const struct side *side = overall.side, *base = side->base;
    const struct limit *limit = overall.limit;
    struct gathered of_a = {0}, of_b = {0};
    double log_sum = 0;
    for (size_t i = 0; i < cmp->cell_count; i++) {
        const struct cell *cell = &cmp->cells[i];
        const struct sample *a = find_sample(cmp, cell, base, overall.metric),
                            *b = find_sample(cmp, cell, side, overall.metric);
        if (strcmp(cell->group, overall.group) != 0 ||
            (limit != NULL && limit->has_size && cell->size != limit->size))
            continue;
        overall.shared +=
            cell->trials[base - cmp->sides] > 0 && cell->trials[side - cmp->sides] > 0;
        if (!has_ratio(a, least) || !has_ratio(b, least)) {
            overall.left_out++;
            continue;
        }
        overall.only = cell->size;
        gather(a, overall.sizes, &of_a, &overall.trials_a);
        gather(b, overall.sizes++, &of_b, &overall.trials_b);
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

/* The ratio over the cells with trials enough for an interval; if there is none, over all cells,
 * without an interval. limit: whose size is meant, if it has one; or NULL. */
struct overall overall_of(const struct comparison *cmp, const char *group, const struct side *side,
                          size_t metric, const struct limit *limit)
{
    const struct overall none = {.group = group,
                                 .side = side,
                                 .metric = metric,
                                 .ratio = FINDING_NO_FIGURE,
                                 .limit = limit,
                                 .verdict = VERDICT_MEASURED};
    struct overall overall = over_cells(cmp, none, STATISTICS_TRIALS_MIN);
    return overall.sizes > 0 ? overall : over_cells(cmp, none, 1);
}

/* Gives each ratio whose sides have trials enough in each cell an interval, so that all intervals
 * of the list hold at once. */
void overall_set_confidences(struct overall *list, size_t count)
{
    for (struct overall *of = list; of < list + count; of++) {
        of->confidence = 1 - (1 - CONFIDENCE) / (double)count;
        if (of->sizes > 0 && of->trials_a >= STATISTICS_TRIALS_MIN &&
            of->trials_b >= STATISTICS_TRIALS_MIN)
            of->ratio = statistics_contrast_interval(&of->contrast, of->confidence);
    }
}

/* Makes the rows of compare.csv, and the overall ratio of the main metric for each group and side.
 */
void comparison_find_ratios(struct comparison *cmp)
{
    cmp->rows.type = &ratio_table;
    for (size_t i = 0; i < cmp->cell_count * (cmp->side_count - 1) * cmp->metric_count; i++) {
        const struct pair pair = pair_of(cmp, i);
        add_row(cmp, &pair);
    }
    mark_ratios(cmp);
    for (size_t i = 0; i < cmp->cell_count; i++) {
        const char *group = cmp->cells[i].group;
        bool begins = i == 0 || strcmp(group, cmp->cells[i - 1].group) != 0;
        for (size_t side = 1; side < cmp->side_count && begins; side++) {
            cmp->overall = memory_grow(cmp->overall, cmp->overall_count, sizeof *cmp->overall);
            cmp->overall[cmp->overall_count++] =
                overall_of(cmp, group, &cmp->sides[side], cmp->main_metric, NULL);
        }
    }
    overall_set_confidences(cmp->overall, cmp->overall_count);
}
