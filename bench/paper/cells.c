// SPDX-License-Identifier: Apache-2.0
/* The cells of an experiment, and the claims about their ratios. */
#include "bench/paper/internal.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ the figures */

double paper_published(const struct paper_figure *list, size_t count, uint64_t x, uint64_t y)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].x == x && list[i].y == y)
            return list[i].value;
    }
    return NAN;
}

double *paper_cell_values(const struct paper_cell *cell, size_t column)
{
    double *values = memory_new(cell->counted.count, sizeof *values);
    for (size_t i = 0; i < cell->counted.count; i++)
        values[i] = table_number(&table_row(cell->counted.table, cell->counted.rows[i])[column]);
    return values;
}

/* ------------------------------------------------------------------ the cells */

static bool belongs(const struct paper_design *design, const struct paper_cell *cell,
                    const struct table_value *trial)
{
    bool belongs = trial[design->complete].flag;
    for (size_t k = 0; k < design->axis_count; k++)
        belongs = belongs && trial[design->axes[k].column].count == cell->at[k];
    return belongs;
}

static void gather(const struct paper_cells *cells, const struct table *rows,
                   struct paper_cell *cell)
{
    const struct paper_design *design = cells->design;
    const struct target_options *target = &cells->options->load.target;
    size_t *valid = memory_new(rows->rows, sizeof *valid);
    cell->counted = (struct table_cell){rows, memory_new(rows->rows, sizeof *valid), 0};
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *trial = table_row(rows, i);
        if (!belongs(design, cell, trial))
            continue;
        bool starved = design->is_starved != NULL && design->is_starved(trial, cell, target);
        cell->starved += starved;
        cell->counted.rows[cell->trials++] = i;
        if (trial[design->valid].flag && !starved)
            valid[cell->valid++] = i;
    }
    cell->counted.count = cell->valid > 0 ? cell->valid : cell->trials;
    for (size_t i = 0; i < cell->valid; i++)
        cell->counted.rows[i] = valid[i];
    free(valid);
    cell->values = paper_cell_values(cell, design->metric);
    cell->mean = design->mean(cell->values, cell->counted.count, JUDGEMENT_CONFIDENCE);
    cell->published =
        design->axis_count > 1
            ? paper_published(design->published, design->published_count, cell->at[0], cell->at[1])
            : paper_published(design->published, design->published_count, cell->servers,
                              cell->at[0]);
}

/* Its row in the file. */
static void put(struct paper_cells *cells, const struct paper_cell *cell)
{
    struct table_value *row = table_add(&cells->figures);
    size_t column = 0;
    row[column++] = table_count(cell->servers);
    for (size_t k = 0; k < cells->design->axis_count; k++)
        row[column++] = table_count(cell->at[k]);
    row[column++] = table_count(cell->trials);
    row[column] = table_count(cell->valid);
    cells->design->fill(cell, row);
}

struct paper_cell *paper_cells_at(const struct paper_cells *cells, size_t topology, size_t first,
                                  size_t second)
{
    return &cells->list[(topology * cells->lengths[0] + first) * cells->lengths[1] + second];
}

/* ------------------------------------------------------------------ the claims */

/* No interval unless both have a valid trial. */
static struct interval ratio_of(const struct paper_cell *b, const struct paper_cell *a)
{
    struct interval ratio = statistics_ratio(b->values, b->counted.count, a->values,
                                             a->counted.count, JUDGEMENT_CONFIDENCE);
    if (b->valid == 0 || a->valid == 0)
        ratio.low = ratio.high = NAN;
    return ratio;
}

/* Neighbouring shares of reads are too close to tell that each rises; a fall can be told. */
static void find_fall(const struct paper_cells *cells, size_t topology, struct judgement *judgement)
{
    for (size_t level = 1; level < cells->lengths[0]; level++) {
        const struct paper_cell *more = paper_cells_at(cells, topology, level, 0),
                                *less = paper_cells_at(cells, topology, level - 1, 0);
        struct interval step = ratio_of(more, less);
        if (verdict_falls(&step) != VERDICT_HOLDS)
            continue;
        judgement->verdict = VERDICT_FAILS;
        snprintf(judgement->reason, sizeof judgement->reason,
                 "throughput falls from %u to %u %% reads with %llu server%s",
                 (unsigned)less->at[0], (unsigned)more->at[0], (unsigned long long)less->servers,
                 less->servers == 1 ? "" : "s");
        return;
    }
}

/* Cell b against cell a. */
static struct judgement *compare(struct paper_cells *cells, const struct paper_claim *claim,
                                 const struct paper_cell *b, const struct paper_cell *a)
{
    struct judgement *judgement = judgements_add(&cells->judgements);
    bool of_servers = claim->between == PAPER_SERVERS;
    unsigned long long less = of_servers ? a->servers : a->at[0],
                       more = of_servers ? b->servers : b->at[0],
                       fixed = of_servers ? b->at[0] : b->servers;
    char numbers[80] = "", tail[80] = "";
    if (claim->noun != NULL)
        snprintf(numbers, sizeof numbers, "%llu to %llu %s", less, more, claim->noun);
    if (claim->fixed != NULL)
        snprintf(tail, sizeof tail, ", %llu %s%s", fixed, claim->fixed, fixed == 1 ? "" : "s");
    snprintf(judgement->claim, sizeof judgement->claim, "%s%s%s%s", claim->words,
             claim->noun != NULL ? " from " : "", numbers, tail);
    snprintf(judgement->row, sizeof judgement->row, "%s%s%s%s", claim->row,
             claim->noun != NULL ? ", " : "", numbers, tail);
    judgement->servers = b->servers;
    judgement->against = of_servers ? a->servers : 0;
    judgement->ours = ratio_of(b, a);
    judgement->paper = b->published / a->published;
    judgement->verdict =
        claim->falls ? verdict_falls(&judgement->ours) : verdict_rises(&judgement->ours);
    return judgement;
}

static void judge_claim(struct paper_cells *cells, const struct paper_claim *claim)
{
    const struct target_options *target = &cells->options->load.target;
    size_t last = cells->lengths[0] - 1, level = claim->first ? 0 : last;
    for (size_t i = claim->between == PAPER_SERVERS; i < cells->topologies; i++) {
        switch (claim->between) {
        case PAPER_SERVERS:
            judgement_deny(compare(cells, claim, paper_cells_at(cells, i, level, 0),
                                   paper_cells_at(cells, i - 1, level, 0)),
                           paper_servers_cannot_show(target, claim->falls));
            break;
        case PAPER_LEVELS:
            for (size_t k = 1; k <= last; k++)
                compare(cells, claim, paper_cells_at(cells, i, k, 0),
                        paper_cells_at(cells, i, k - 1, 0));
            break;
        case PAPER_ENDS:
            find_fall(cells, i,
                      compare(cells, claim, paper_cells_at(cells, i, last, 0),
                              paper_cells_at(cells, i, 0, 0)));
            break;
        }
    }
}

/* ------------------------------------------------------------------ the whole */

void paper_cells_init(struct paper_cells *cells, const struct paper_design *design,
                      const struct paper_options *options, const struct table *const rows[])
{
    const struct target_options *target = &options->load.target;
    const struct levels *levels[PAPER_AXES_MAX] = {NULL};
    *cells = (struct paper_cells){.design = design,
                                  .options = options,
                                  .topologies = target->topology_count,
                                  .lengths = {1, 1},
                                  .figures.type = design->figures,
                                  .judgements = {.quantity = "ratio", .unit = "times"}};
    for (size_t k = 0; k < design->axis_count; k++) {
        levels[k] = (const void *)((const char *)options + design->axes[k].levels);
        cells->lengths[k] = levels[k]->count;
    }
    assert(levels[0] != NULL);
    cells->count = cells->topologies * cells->lengths[0] * cells->lengths[1];
    cells->list = memory_new(cells->count, sizeof *cells->list);
    for (size_t i = 0; i < cells->count; i++) {
        size_t second = i % cells->lengths[1], first = i / cells->lengths[1] % cells->lengths[0],
               topology = i / cells->lengths[1] / cells->lengths[0];
        struct paper_cell *cell = &cells->list[i];
        cell->servers = target->server_counts[topology];
        cell->at[0] = levels[0]->list[first];
        if (levels[1] != NULL)
            cell->at[1] = levels[1]->list[second];
        gather(cells, rows[topology], cell);
        put(cells, cell);
    }
    for (size_t i = 0; i < design->claim_count; i++)
        judge_claim(cells, &design->claims[i]);
    if (design->judge != NULL)
        design->judge(cells);
}

void paper_cells_deinit(struct paper_cells *cells)
{
    for (size_t i = 0; i < cells->count; i++) {
        free(cells->list[i].counted.rows);
        free(cells->list[i].values);
    }
    free(cells->list);
    table_deinit(&cells->figures);
    judgements_deinit(&cells->judgements);
    *cells = (struct paper_cells){0};
}
