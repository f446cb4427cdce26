// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/cells.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(shape, "shape.csv", SHAPE_COLUMNS)

/* ------------------------------------------------------------------ judgements */

struct shape shape_new(const char *quantity, const char *unit)
{
    return (struct shape){quantity, unit, {.type = &shape_table}, {.type = &finding_table}};
}

void shape_add(struct shape *shape, const struct judgement *judgement)
{
    const struct interval *ours = &judgement->ours;
    const struct finding finding = {.slug = shape->quantity,
                                    .subject = judgement->row,
                                    .verdict = judgement->verdict,
                                    .figure = *ours,
                                    .unit = shape->unit,
                                    .n = judgement->trials};
    struct table_value *row = table_add(&shape->rows);
    row[shape_claim] = table_text(judgement->claim);
    row[shape_servers] = table_count(judgement->servers);
    row[shape_against_servers] = table_count_if(judgement->against > 0, judgement->against);
    table_put_interval(&row[shape_ratio], ours);
    row[shape_paper_ratio] = table_real(judgement->paper);
    row[shape_verdict] = table_text(verdict_word(judgement->verdict));
    row[shape_quantity] = table_text(shape->quantity);
    row[shape_reason] = table_text(judgement->reason);
    row[shape_row] = table_text(judgement->row);
    char why[160] = "too few valid trials";
    if (judgement->reason[0] != '\0')
        snprintf(why, sizeof why, "%s", judgement->reason);
    else if (isfinite(ours->low))
        snprintf(why, sizeof why, "%.3f %s, 95 %% interval %.3f to %.3f", ours->value, shape->unit,
                 ours->low, ours->high);
    bool holds = judgement->verdict == VERDICT_HOLDS;
    findings_add(&shape->findings, &finding, "%s%s%s: %s", judgement->claim, holds ? "" : ": ",
                 holds ? "" : verdict_word(judgement->verdict), why);
}

void judgement_deny(struct judgement *judgement, const char *reason)
{
    if (reason == NULL)
        return;
    judgement->verdict = VERDICT_UNDETERMINED;
    snprintf(judgement->reason, sizeof judgement->reason, "%s", reason);
}

void shape_deinit(struct shape *shape)
{
    table_deinit(&shape->rows);
    table_deinit(&shape->findings);
}

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
    size_t *indices = memory_new(rows->rows, sizeof *indices), count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *trial = table_row(rows, i);
        if (!belongs(design, cell, trial))
            continue;
        bool starved = design->is_starved != NULL && design->is_starved(trial, cell, target),
             valid = trial[design->valid].flag && !starved;
        cell->starved += starved;
        cell->trials++;
        if (valid && cell->valid++ == 0)
            count = 0; /* those before it are not valid */
        if (valid || cell->valid == 0)
            indices[count++] = i;
    }
    cell->counted = (struct table_cell){rows, indices, count};
    cell->values = paper_cell_values(cell, design->metric);
    cell->mean = design->mean(cell->values, cell->counted.count, PAPER_CONFIDENCE);
    cell->published = paper_published(design->published, design->published_count,
                                      design->axis_count > 1 ? cell->at[0] : cell->servers,
                                      design->axis_count > 1 ? cell->at[1] : cell->at[0]);
}

/* Its row in the file. */
static void add_figures(struct paper_cells *cells, const struct paper_cell *cell)
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
                                             a->counted.count, PAPER_CONFIDENCE);
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
static struct judgement compare(const struct paper_claim *claim, const struct paper_cell *b,
                                const struct paper_cell *a)
{
    struct judgement judgement = {.servers = b->servers,
                                  .ours = ratio_of(b, a),
                                  .paper = b->published / a->published,
                                  .trials = a->valid + b->valid};
    bool of_servers = claim->between == PAPER_SERVERS;
    unsigned long long less = of_servers ? a->servers : a->at[0],
                       more = of_servers ? b->servers : b->at[0],
                       fixed = of_servers ? b->at[0] : b->servers;
    char numbers[80] = "", tail[80] = "";
    if (claim->noun != NULL)
        snprintf(numbers, sizeof numbers, "%llu to %llu %s", less, more, claim->noun);
    if (claim->fixed != NULL)
        snprintf(tail, sizeof tail, ", %llu %s%s", fixed, claim->fixed, fixed == 1 ? "" : "s");
    snprintf(judgement.claim, sizeof judgement.claim, "%s%s%s%s", claim->words,
             claim->noun != NULL ? " from " : "", numbers, tail);
    snprintf(judgement.row, sizeof judgement.row, "%s%s%s%s", claim->row,
             claim->noun != NULL ? ", " : "", numbers, tail);
    judgement.against = of_servers ? a->servers : 0;
    judgement.verdict =
        claim->falls ? verdict_falls(&judgement.ours) : verdict_rises(&judgement.ours);
    return judgement;
}

static void judge_servers(struct paper_cells *cells, const struct paper_claim *claim,
                          size_t topology)
{
    size_t level = claim->first ? 0 : cells->lengths[0] - 1;
    struct judgement judgement = compare(claim, paper_cells_at(cells, topology, level, 0),
                                         paper_cells_at(cells, topology - 1, level, 0));
    judgement_deny(&judgement,
                   paper_servers_cannot_show(&cells->options->load.target, claim->falls));
    shape_add(&cells->shape, &judgement);
}

static void judge_claim(struct paper_cells *cells, const struct paper_claim *claim)
{
    for (size_t i = 0; i < cells->topologies; i++) {
        if (claim->between == PAPER_SERVERS) {
            if (i > 0)
                judge_servers(cells, claim, i);
            continue;
        }
        bool of_ends = claim->between == PAPER_ENDS;
        for (size_t k = of_ends ? cells->lengths[0] - 1 : 1; k < cells->lengths[0]; k++) {
            struct judgement judgement = compare(claim, paper_cells_at(cells, i, k, 0),
                                                 paper_cells_at(cells, i, of_ends ? 0 : k - 1, 0));
            if (of_ends)
                find_fall(cells, i, &judgement);
            shape_add(&cells->shape, &judgement);
        }
    }
}

/* ------------------------------------------------------------------ the whole */

static const struct levels *levels_of(const struct paper_options *options,
                                      const struct paper_design *design, size_t axis)
{
    return (const void *)((const char *)options + design->axes[axis].levels);
}

void paper_cells_init(struct paper_cells *cells, const struct paper_design *design,
                      const struct paper_options *options, const struct table *const rows[])
{
    const struct target_options *target = &options->load.target;
    size_t axes = design->axis_count < PAPER_AXES_MAX ? design->axis_count : PAPER_AXES_MAX;
    *cells = (struct paper_cells){.design = design,
                                  .options = options,
                                  .topologies = target->topology_count,
                                  .lengths = {1, 1},
                                  .figures.type = design->figures,
                                  .shape = shape_new(design->quantity, design->unit)};
    for (size_t k = 0; k < axes; k++)
        cells->lengths[k] = levels_of(options, design, k)->count;
    cells->count = cells->topologies * cells->lengths[0] * cells->lengths[1];
    cells->list = memory_new(cells->count, sizeof *cells->list);
    for (size_t i = 0; i < cells->count; i++) {
        size_t at[PAPER_AXES_MAX] = {i / cells->lengths[1] % cells->lengths[0],
                                     i % cells->lengths[1]},
               topology = i / cells->lengths[1] / cells->lengths[0];
        struct paper_cell *cell = &cells->list[i];
        cell->servers = target->server_counts[topology];
        for (size_t k = 0; k < axes; k++)
            cell->at[k] = levels_of(options, design, k)->list[at[k]];
        gather(cells, rows[topology], cell);
        add_figures(cells, cell);
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
    shape_deinit(&cells->shape);
    *cells = (struct paper_cells){0};
}
