// SPDX-License-Identifier: Apache-2.0
/* Trials become cells, cells become judgements. */
#include "bench/paper/internal.h"

#include "base/memory.h"
#include "base/text.h"
#include "bench/target/resources.h"

#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(shape, "shape.csv", SHAPE_COLUMNS)

struct paper paper_new(const struct evaluation *evaluation)
{
    return (struct paper){.evaluation = evaluation,
                          .figures.type = evaluation->figures,
                          .judgements.type = &shape_table,
                          .findings.type = &finding_table};
}

void paper_deinit(struct paper *paper)
{
    for (size_t i = 0; i < paper->cell_count; i++) {
        free(paper->cells[i].counted.rows);
        free(paper->cells[i].values);
    }
    free(paper->cells);
    json_decref(paper->results);
    table_deinit(&paper->figures);
    table_deinit(&paper->judgements);
    table_deinit(&paper->findings);
    *paper = (struct paper){0};
}

void paper_add(struct paper *paper, const struct judgement *judgement)
{
    const struct evaluation *evaluation = paper->evaluation;
    const struct interval *ours = &judgement->ours;
    const char *reason = judgement->reason;
    const struct finding finding = {.slug = evaluation->quantity,
                                    .subject = judgement->row,
                                    .verdict = judgement->verdict,
                                    .figure = *ours,
                                    .unit = evaluation->unit,
                                    .n = judgement->trials};
    struct table_value *row = table_add(&paper->judgements);
    row[shape_claim] = table_text(judgement->claim);
    row[shape_servers] = table_count(judgement->servers);
    row[shape_against_servers] = table_count_if(judgement->against > 0, judgement->against);
    table_put_interval(&row[shape_ratio], ours);
    row[shape_paper_ratio] = table_real(judgement->paper);
    row[shape_verdict] = table_text(verdict_word(judgement->verdict));
    row[shape_quantity] = table_text(evaluation->quantity);
    row[shape_reason] = table_text(reason != NULL ? reason : "");
    row[shape_row] = table_text(judgement->row);
    if (reason == NULL && isfinite(ours->low))
        findings_add(&paper->findings, &finding, "%s: %.3f %s, 95 %% interval %.3f to %.3f",
                     judgement->claim, ours->value, evaluation->unit, ours->low, ours->high);
    else
        findings_add(&paper->findings, &finding, "%s: %s", judgement->claim,
                     reason != NULL ? reason : "too few valid trials");
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

/* Finds the cell's trials among the rows of its topology. */
static void gather(const struct paper *paper, const struct table *rows, struct paper_cell *cell)
{
    const struct evaluation *evaluation = paper->evaluation;
    uint32_t cpu_percent = paper->options.load.target.cpu_percent;
    bool may_starve = evaluation->cores > 0 && cell->at[0] == 100;
    size_t *indices = memory_new(rows->rows, sizeof *indices), count = 0;
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *trial = table_row(rows, i);
        bool belongs = trial[evaluation->complete].flag;
        for (size_t k = 0; k < evaluation->axis_count; k++)
            belongs = belongs && trial[evaluation->axes[k].column].count == cell->at[k];
        if (!belongs)
            continue;
        bool starved = may_starve && resources_are_starved(table_number(&trial[evaluation->cores]),
                                                           cell->servers, cpu_percent),
             valid = trial[evaluation->valid].flag && !starved;
        cell->starved += starved;
        cell->trials++;
        if (valid && cell->valid++ == 0)
            count = 0; /* those before it are not valid */
        if (valid || cell->valid == 0)
            indices[count++] = i;
    }
    cell->counted = (struct table_cell){rows, indices, count};
    cell->values = paper_cell_values(cell, evaluation->metric);
    cell->mean = evaluation->mean(cell->values, count, PAPER_CONFIDENCE);
    bool of_servers = evaluation->axis_count == 1;
    cell->published =
        paper_published(evaluation->published, evaluation->published_count,
                        of_servers ? cell->servers : cell->at[0], cell->at[of_servers ? 0 : 1]);
}

static void add_figures(struct paper *paper, const struct paper_cell *cell)
{
    const struct evaluation *evaluation = paper->evaluation;
    struct table_value *row = table_add(&paper->figures);
    size_t column = 0;
    row[column++] = table_count(cell->servers);
    for (size_t k = 0; k < evaluation->axis_count; k++)
        row[column++] = table_count(cell->at[k]);
    row[column++] = table_count(cell->trials);
    row[column++] = table_count(cell->valid);
    if (evaluation->cores > 0)
        row[column++] = table_count(cell->starved);
    table_put_interval(&row[column], &cell->mean);
    row[evaluation->published_column] = table_real(cell->published);
    if (evaluation->fill != NULL)
        evaluation->fill(cell, row);
}

struct paper_cell *paper_cell_at(const struct paper *paper, size_t topology, size_t first,
                                 size_t second)
{
    return &paper->cells[(topology * paper->lengths[0] + first) * paper->lengths[1] + second];
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
static bool find_fall(const struct paper_cell *a, const struct paper_cell *b, char text[96])
{
    for (; a < b; a++) {
        struct interval step = ratio_of(a + 1, a);
        if (verdict_of_ratio(&step, true) != VERDICT_HOLDS)
            continue;
        snprintf(text, 96, "throughput falls from %u to %u %% reads with %u server%s",
                 (unsigned)a[0].at[0], (unsigned)a[1].at[0], (unsigned)a->servers,
                 text_plural(a->servers));
        return true;
    }
    return false;
}

/* Why these servers cannot show how writes, or reads, change with their number; NULL: they can.
 * Those that share the cores of one machine take them from each other, and the leader of a
 * simulation pays nothing for a follower. */
static const char *servers_cannot_show(const struct target_options *target, bool writes)
{
    if (target->driver == DRIVER_SIMULATED)
        return writes ? "the leader of the simulation pays nothing for a follower" : NULL;
    return target->cpu_percent > 0 ? NULL : "the servers share the cores of one machine";
}

/* Judges the ratio of cell b to cell a. */
static void judge_pair(struct paper *paper, const struct paper_claim *claim,
                       const struct paper_cell *b, const struct paper_cell *a)
{
    bool of_servers = claim->between == PAPER_SERVERS;
    uint64_t less = of_servers ? a->servers : a->at[0], more = of_servers ? b->servers : b->at[0],
             fixed = of_servers ? b->at[0] : b->servers;
    char step[64] = "", same[64] = "", words[200], row[200], fall[96];
    if (claim->noun != NULL)
        snprintf(step, sizeof step, "%u to %u %s", (unsigned)less, (unsigned)more, claim->noun);
    if (claim->fixed != NULL)
        snprintf(same, sizeof same, ", %u %s%s", (unsigned)fixed, claim->fixed, text_plural(fixed));
    snprintf(words, sizeof words, "%s%s%s%s", claim->words, step[0] != '\0' ? " from " : "", step,
             same);
    snprintf(row, sizeof row, "%s%s%s%s", claim->row, step[0] != '\0' ? ", " : "", step, same);
    struct judgement judgement = {.claim = words,
                                  .row = row,
                                  .servers = b->servers,
                                  .against = of_servers ? a->servers : 0,
                                  .ours = ratio_of(b, a),
                                  .paper = b->published / a->published,
                                  .trials = a->valid + b->valid};
    judgement.verdict = verdict_of_ratio(&judgement.ours, claim->falls);
    if (of_servers)
        judgement.reason = servers_cannot_show(&paper->options.load.target, claim->falls);
    if (judgement.reason != NULL)
        judgement.verdict = VERDICT_UNDETERMINED;
    if (claim->between == PAPER_ENDS && find_fall(a, b, fall)) {
        judgement.verdict = VERDICT_FAILS;
        judgement.reason = fall;
    }
    paper_add(paper, &judgement);
}

static void judge_claim(struct paper *paper, const struct paper_claim *claim)
{
    size_t last = paper->lengths[0] - 1, level = claim->first ? 0 : last;
    for (size_t i = 0; i < paper->options.load.target.topology_count; i++) {
        const struct paper_cell *of_topology = paper_cell_at(paper, i, 0, 0);
        if (claim->between == PAPER_ENDS)
            judge_pair(paper, claim, &of_topology[last], &of_topology[0]);
        else if (claim->between == PAPER_SERVERS && i > 0)
            judge_pair(paper, claim, &of_topology[level], paper_cell_at(paper, i - 1, level, 0));
        for (size_t k = 1; claim->between == PAPER_LEVELS && k <= last; k++)
            judge_pair(paper, claim, &of_topology[k], &of_topology[k - 1]);
    }
}

/* ------------------------------------------------------------------ the whole */

void paper_lay_out(struct paper *paper)
{
    const struct evaluation *evaluation = paper->evaluation;
    const struct target_options *target = &paper->options.load.target;
    const struct levels *levels[PAPER_AXES_MAX];
    for (size_t k = 0; k < PAPER_AXES_MAX; k++) {
        levels[k] = (const void *)((const char *)&paper->options + evaluation->axes[k].levels);
        paper->lengths[k] = k < evaluation->axis_count ? levels[k]->count : 1;
    }
    size_t of_one = paper->lengths[0] * paper->lengths[1];
    paper->cell_count = target->topology_count * of_one;
    paper->cells = memory_new(paper->cell_count, sizeof *paper->cells);
    for (size_t i = 0; i < paper->cell_count; i++) {
        struct paper_cell *cell = &paper->cells[i];
        const size_t at[PAPER_AXES_MAX] = {i % of_one / paper->lengths[1], i % paper->lengths[1]};
        cell->topology = i / of_one;
        cell->servers = target->server_counts[cell->topology];
        for (size_t k = 0; k < PAPER_AXES_MAX && k < evaluation->axis_count; k++)
            cell->at[k] = levels[k]->list[at[k]];
    }
}

void paper_judge(struct paper *paper, const struct table *const rows[])
{
    const struct evaluation *evaluation = paper->evaluation;
    if (paper->cells == NULL)
        paper_lay_out(paper);
    for (size_t i = 0; i < paper->cell_count; i++) {
        gather(paper, rows[paper->cells[i].topology], &paper->cells[i]);
        add_figures(paper, &paper->cells[i]);
    }
    for (size_t i = 0; i < evaluation->claims_count; i++)
        judge_claim(paper, &evaluation->claims[i]);
    if (evaluation->judge != NULL)
        evaluation->judge(paper);
}
