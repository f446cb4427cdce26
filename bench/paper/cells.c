// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/cells.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
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
    const char *reason = judgement->reason != NULL ? judgement->reason : "";
    const char *verdict = verdict_word(judgement->verdict);
    bool holds = judgement->verdict == VERDICT_HOLDS;
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
    row[shape_verdict] = table_text(verdict);
    row[shape_quantity] = table_text(shape->quantity);
    row[shape_reason] = table_text(reason);
    row[shape_row] = table_text(judgement->row);
    char why[160] = "too few valid trials";
    if (reason[0] != '\0')
        snprintf(why, sizeof why, "%s", reason);
    else if (isfinite(ours->low))
        snprintf(why, sizeof why, "%.3f %s, 95 %% interval %.3f to %.3f", ours->value, shape->unit,
                 ours->low, ours->high);
    findings_add(&shape->findings, &finding, "%s%s%s: %s", judgement->claim, holds ? "" : ": ",
                 holds ? "" : verdict, why);
}

void shape_deinit(struct shape *shape)
{
    table_deinit(&shape->rows);
    table_deinit(&shape->findings);
}

void judgement_deny(struct judgement *judgement, const char *reason)
{
    if (reason == NULL)
        return;
    judgement->verdict = VERDICT_UNDETERMINED;
    judgement->reason = reason;
}

/* Servers that share the cores of one machine take them from each other, and the leader of a
 * simulation pays nothing for a follower. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes)
{
    if (target->driver == DRIVER_SIMULATED)
        return writes ? "the leader of the simulation pays nothing for a follower" : NULL;
    return target->cpu_percent > 0 ? NULL : "the servers share the cores of one machine";
}

/* ------------------------------------------------------------------ cells */

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

static bool belongs(const struct evaluation *evaluation, const struct paper_cell *cell,
                    const struct table_value *trial)
{
    bool belongs = trial[evaluation->complete].flag;
    for (size_t k = 0; k < evaluation->axis_count; k++)
        belongs = belongs && trial[evaluation->axes[k].column].count == cell->at[k];
    return belongs;
}

static void gather(const struct paper_cells *cells, const struct table *rows,
                   struct paper_cell *cell)
{
    const struct evaluation *evaluation = cells->evaluation;
    const struct target_options *target = &cells->options->load.target;
    size_t *indices = memory_new(rows->rows, sizeof *indices), count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *trial = table_row(rows, i);
        if (!belongs(evaluation, cell, trial))
            continue;
        bool starved =
                 evaluation->is_starved != NULL && evaluation->is_starved(trial, cell, target),
             valid = trial[evaluation->valid].flag && !starved;
        cell->starved += starved;
        cell->trials++;
        if (valid && cell->valid++ == 0)
            count = 0; /* those before it are not valid */
        if (valid || cell->valid == 0)
            indices[count++] = i;
    }
    bool of_servers = evaluation->axis_count == 1;
    cell->counted = (struct table_cell){rows, indices, count};
    cell->values = paper_cell_values(cell, evaluation->metric);
    cell->mean = evaluation->mean(cell->values, count, PAPER_CONFIDENCE);
    cell->published = paper_published(evaluation->published, evaluation->published_count,
                                      of_servers ? cell->servers : cell->at[0],
                                      of_servers ? cell->at[0] : cell->at[1]);
}

/* Adds the cell's row of the file. */
static void add_figures(struct paper_cells *cells, const struct paper_cell *cell)
{
    struct table_value *row = table_add(&cells->figures);
    size_t column = 0;
    row[column++] = table_count(cell->servers);
    for (size_t k = 0; k < cells->evaluation->axis_count; k++)
        row[column++] = table_count(cell->at[k]);
    row[column++] = table_count(cell->trials);
    row[column] = table_count(cell->valid);
    cells->evaluation->fill(cell, row);
}

struct paper_cell *paper_cells_at(const struct paper_cells *cells, size_t topology, size_t first,
                                  size_t second)
{
    return &cells->list[(topology * cells->lengths[0] + first) * cells->lengths[1] + second];
}

/* ------------------------------------------------------------------ claims */

/* The ratio b/a; without an interval unless both have a valid trial. */
static struct interval ratio_of(const struct paper_cell *b, const struct paper_cell *a)
{
    struct interval ratio = statistics_ratio(b->values, b->counted.count, a->values,
                                             a->counted.count, PAPER_CONFIDENCE);
    if (b->valid == 0 || a->valid == 0)
        ratio.low = ratio.high = NAN;
    return ratio;
}

/* Finds the first step between neighbouring shares of reads, from cell a to cell b, at which
 * throughput falls. They are too close to show that each step rises; a fall can be shown. */
static bool find_fall(const struct paper_cell *a, const struct paper_cell *b, char *text,
                      size_t size)
{
    for (; a < b; a++) {
        struct interval step = ratio_of(a + 1, a);
        if (verdict_falls(&step) != VERDICT_HOLDS)
            continue;
        snprintf(text, size, "throughput falls from %u to %u %% reads with %llu server%s",
                 (unsigned)a[0].at[0], (unsigned)a[1].at[0], (unsigned long long)a->servers,
                 text_plural(a->servers));
        return true;
    }
    return false;
}

/* Judges the ratio of cell b to cell a. */
static void judge_pair(struct paper_cells *cells, const struct paper_claim *claim,
                       const struct paper_cell *b, const struct paper_cell *a)
{
    bool of_servers = claim->between == PAPER_SERVERS;
    unsigned long long less = of_servers ? a->servers : a->at[0],
                       more = of_servers ? b->servers : b->at[0],
                       fixed = of_servers ? b->at[0] : b->servers;
    char numbers[80] = "", tail[80] = "", words[200], row[200], fall[96];
    struct judgement judgement = {.claim = words,
                                  .row = row,
                                  .servers = b->servers,
                                  .against = of_servers ? a->servers : 0,
                                  .ours = ratio_of(b, a),
                                  .paper = b->published / a->published,
                                  .trials = a->valid + b->valid};
    if (claim->noun != NULL)
        snprintf(numbers, sizeof numbers, "%llu to %llu %s", less, more, claim->noun);
    if (claim->fixed != NULL)
        snprintf(tail, sizeof tail, ", %llu %s%s", fixed, claim->fixed, text_plural(fixed));
    snprintf(words, sizeof words, "%s%s%s%s", claim->words, claim->noun != NULL ? " from " : "",
             numbers, tail);
    snprintf(row, sizeof row, "%s%s%s%s", claim->row, claim->noun != NULL ? ", " : "", numbers,
             tail);
    judgement.verdict =
        claim->falls ? verdict_falls(&judgement.ours) : verdict_rises(&judgement.ours);
    if (of_servers)
        judgement_deny(&judgement,
                       paper_servers_cannot_show(&cells->options->load.target, claim->falls));
    if (claim->between == PAPER_ENDS && find_fall(a, b, fall, sizeof fall)) {
        judgement.verdict = VERDICT_FAILS;
        judgement.reason = fall;
    }
    shape_add(&cells->shape, &judgement);
}

static void judge_claim(struct paper_cells *cells, const struct paper_claim *claim)
{
    size_t last = cells->lengths[0] - 1, level = claim->first ? 0 : last;
    for (size_t i = 0; i < cells->topologies; i++) {
        struct paper_cell *of_topology = paper_cells_at(cells, i, 0, 0);
        if (claim->between == PAPER_ENDS)
            judge_pair(cells, claim, &of_topology[last], &of_topology[0]);
        else if (claim->between == PAPER_SERVERS && i > 0)
            judge_pair(cells, claim, &of_topology[level], paper_cells_at(cells, i - 1, level, 0));
        for (size_t k = 1; claim->between == PAPER_LEVELS && k <= last; k++)
            judge_pair(cells, claim, &of_topology[k], &of_topology[k - 1]);
    }
}

/* ------------------------------------------------------------------ the whole */

static const struct levels *levels_of(const struct paper_options *options,
                                      const struct evaluation *evaluation, size_t axis)
{
    return (const void *)((const char *)options + evaluation->axes[axis].levels);
}

void paper_cells_init(struct paper_cells *cells, const struct evaluation *evaluation,
                      const struct paper_options *options, const struct table *const rows[])
{
    const struct target_options *target = &options->load.target;
    size_t axes = evaluation->axis_count < PAPER_AXES_MAX ? evaluation->axis_count : PAPER_AXES_MAX;
    *cells = (struct paper_cells){.evaluation = evaluation,
                                  .options = options,
                                  .topologies = target->topology_count,
                                  .lengths = {1, 1},
                                  .figures.type = evaluation->figures,
                                  .shape = shape_new(evaluation->quantity, evaluation->unit)};
    for (size_t k = 0; k < axes; k++)
        cells->lengths[k] = levels_of(options, evaluation, k)->count;
    cells->count = cells->topologies * cells->lengths[0] * cells->lengths[1];
    cells->list = memory_new(cells->count, sizeof *cells->list);
    for (size_t i = 0; i < cells->count; i++) {
        struct paper_cell *cell = &cells->list[i];
        size_t at[PAPER_AXES_MAX] = {i / cells->lengths[1] % cells->lengths[0],
                                     i % cells->lengths[1]},
               topology = i / cells->lengths[1] / cells->lengths[0];
        cell->servers = target->server_counts[topology];
        for (size_t k = 0; k < axes; k++)
            cell->at[k] = levels_of(options, evaluation, k)->list[at[k]];
        gather(cells, rows[topology], cell);
        add_figures(cells, cell);
    }
    for (size_t i = 0; i < evaluation->claim_count; i++)
        judge_claim(cells, &evaluation->claims[i]);
    if (evaluation->judge != NULL)
        evaluation->judge(cells);
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
