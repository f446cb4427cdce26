// SPDX-License-Identifier: Apache-2.0
/* What an evaluation ends with: findings, files, plots, tables for people, JSON. */
#include "bench/paper/internal.h"

#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/plots.h"
#include "bench/page/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ JSON */

static json_t *describe_judgements(const struct table *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        const struct table_value *row = table_row(rows, i);
        json_t *json = json_object();
        json_result_set_row(json, rows->type, row, shape_claim, shape_against_servers);
        json_result_set_row(json, rows->type, row, shape_quantity, shape_quantity);
        json_result_set_row(json, rows->type, row, shape_ratio, shape_reason);
        json_array_append_new(list, json);
    }
    return list;
}

/* An evaluation without a result is undetermined, unless it was left out. */
void paper_json_add(struct paper_json *json, const char *name, const char *left_out,
                    const struct shape *shape, const char *folder, json_t *records)
{
    static const struct shape nothing;
    enum verdict verdict = VERDICT_UNDETERMINED;
    bool ended = shape != NULL;
    shape = ended ? shape : &nothing;
    if (ended)
        verdict = verdict_of_status(verdict_status(findings_verdict(&shape->findings)));
    if (left_out == NULL)
        json->worst = verdict_worse(json->worst, verdict);
    json->has_result = json->has_result || ended;
    json_array_append_new(json->list, json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:o, s:o}",
                                                "experiment", name, "left_out", left_out, "verdict",
                                                ended ? verdict_word(verdict) : NULL, "folder",
                                                json_result_text(folder), "results",
                                                records != NULL ? records : json_array(),
                                                "judgements", describe_judgements(&shape->rows),
                                                "findings", json_result_rows(&shape->findings)));
}

void paper_json_write(const struct paper_json *json, const char *cut_short, FILE *stream)
{
    json_result_write(json_pack("{s:s, s:s*, s:O}", "verdict", verdict_word(json->worst),
                                "cut_short", cut_short, "experiments", json->list),
                      stream);
}

/* The columns of the file; but the numbers of trials come first, and have other keys. */
static json_t *describe_cell(const struct table_type *type, const struct table_value *row)
{
    static const char *const keys[] = {"trials_complete", "trials_valid", "trials_starved"};
    json_t *json = json_object();
    size_t first = 0;
    while (strcmp(type->columns[first].name, "trials") != 0)
        first++;
    size_t rest = first + 2 + (strcmp(type->columns[first + 2].name, "starved") == 0);
    json_result_set_row(json, type, row, 0, 0);
    for (size_t i = first; i < rest; i++)
        json_object_set_new(json, keys[i - first], json_integer((json_int_t)row[i].count));
    if (first > 1)
        json_result_set_row(json, type, row, 1, first - 1);
    json_result_set_row(json, type, row, rest, type->count - 1);
    return json;
}

/* The results of the topologies that have a trial. */
static json_t *describe_records(const struct paper_outcome *outcome)
{
    json_t *list = json_array();
    const struct table *cells = outcome->cells;
    size_t of_one = cells->rows / outcome->paper->options.load.target.topology_count;
    for (size_t i = 0; i < outcome->series->record_count; i++) {
        const struct series_record *record = &outcome->series->records[i];
        if (record->rows.rows == 0)
            continue;
        json_t *described = json_array();
        for (size_t k = i * of_one; k < (i + 1) * of_one; k++)
            json_array_append_new(described, describe_cell(cells->type, table_row(cells, k)));
        json_array_append_new(list, manifest_result(&record->manifest, record->files.folder,
                                                    record->servers, described));
    }
    return list;
}

/* ------------------------------------------------------------------ findings about trials */

/* Trials that fail do so here, too; trials that are not valid are left out of the judgements, and
 * decide nothing. */
static void add_finding(const struct paper_outcome *outcome, const struct series_record *record,
                        const struct table_value *row)
{
    enum verdict verdict = verdict_of_word(row[finding_verdict].text);
    bool fails = verdict == VERDICT_FAILS;
    char where[100];
    const struct finding finding = {.slug = row[finding_slug].text,
                                    .subject = row[finding_subject].text,
                                    .verdict = fails ? VERDICT_FAILS : VERDICT_MEASURED,
                                    .figure = FINDING_FIGURE(table_number(&row[finding_figure])),
                                    .unit = row[finding_unit].text,
                                    .n = row[finding_n].count};
    if (verdict_status(verdict) != 0)
        findings_add(&outcome->shape->findings, &finding, "%s%s",
                     series_where(outcome->series, record, where), row[finding_sentence].text);
}

void paper_add_findings(const struct paper_outcome *outcome)
{
    const struct finding nothing = {.slug = "nothing",
                                    .subject = outcome->paper->evaluation->name,
                                    .verdict = VERDICT_UNDETERMINED,
                                    .figure = FINDING_NO_FIGURE};
    if (outcome->shape->rows.rows == 0)
        findings_add(&outcome->shape->findings, &nothing, "nothing is compared");
    for (size_t i = 0; i < outcome->series->record_count; i++) {
        const struct series_record *record = &outcome->series->records[i];
        for (size_t k = 0; k < record->findings.rows; k++)
            add_finding(outcome, record, table_row(&record->findings, k));
    }
}

/* ------------------------------------------------------------------ tables for people */

static void print_cells(const struct paper_outcome *outcome, unsigned width)
{
    const struct evaluation *evaluation = outcome->paper->evaluation;
    size_t levels = evaluation->shows_ends ? outcome->paper->options.load.reads.count : 1;
    size_t *rows = memory_new(outcome->cells->rows, sizeof *rows), count = 0;
    for (size_t i = 0; i < outcome->cells->rows; i++) {
        if (i % levels == 0 || i % levels == levels - 1)
            rows[count++] = i;
    }
    const struct row_grid grid = {.table = outcome->cells,
                                  .rows = rows,
                                  .row_count = count,
                                  .columns = evaluation->columns,
                                  .column_count = evaluation->column_count,
                                  .file = outcome->file->type->file};
    row_grid_write(&grid, width, stdout);
    free(rows);
}

static void print_judgements(const struct shape *shape, unsigned width)
{
    const struct row_column columns[] = {
        {.column = shape_verdict},
        {.column = shape_row, .title = "claim"},
        {.column = shape_ratio, .over = "ours,", .title = shape->unit, .decimals = 3},
        {.column = shape_ratio_low, .over = "95 %", .title = "from", .decimals = 3},
        {.column = shape_ratio_high, .over = "", .title = "to", .decimals = 3},
        {.column = shape_paper_ratio, .over = "paper,", .title = shape->unit, .decimals = 3},
        {.column = shape_reason, .title = "because", .below = true},
    };
    const struct row_grid grid = {.table = &shape->rows,
                                  .columns = columns,
                                  .column_count = sizeof columns / sizeof columns[0]};
    row_grid_write(&grid, width, stdout);
}

/* The counterpart of a machine of the paper. Returns text. */
static const char *describe_servers(const struct target_options *target, char *text, size_t size)
{
    if (target->driver == DRIVER_SIMULATED)
        return "simulated servers";
    if (target->connect)
        return "the servers of --connect";
    if (target->cpu_percent == 0)
        return "servers that share the cores of one machine";
    snprintf(text, size, "servers on one machine, %u.%02u cores each", target->cpu_percent / 100,
             target->cpu_percent % 100);
    return text;
}

static void print(const struct paper_outcome *outcome)
{
    const struct load_options *options = &outcome->paper->options.load;
    const struct shape *shape = outcome->shape;
    unsigned width = terminal_columns(STDOUT_FILENO);
    char servers[120];
    putchar('\n');
    print_cells(outcome, width);
    putchar('\n');
    print_judgements(shape, width);
    putchar('\n');
    for (size_t i = shape->rows.rows; i < shape->findings.rows; i++) /* no judgements */
        wrap_sentence(stdout, "%s", table_row(&shape->findings, i)[finding_sentence].text);
    wrap_sentence(stdout,
                  "Ours: %s; %u trials of each cell. Only the shape is judged: the paper's figures "
                  "come from other machines. zkherd-paper(1) says how both were measured.",
                  describe_servers(&options->target, servers, sizeof servers), options->trials);
    printf("\nresults in %s\n", options->output.out);
}

/* ------------------------------------------------------------------ the whole */

static void add_pictures_and_page(const struct paper_outcome *outcome)
{
    const struct output_options *output = &outcome->paper->options.load.output;
    const struct series *series = outcome->series;
    struct plots plots = {.kind = PLOTS_OF_PAPER,
                          .folder = output->out,
                          .formats = output->plots,
                          .interrupts = series->targets.signals};
    if (plots_draw(&plots) == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots are skipped: %s", plots.why);
    page_add(output->out, series->record_count == 1 ? &series->records[0].manifest : NULL,
             output->quiet);
}

int paper_finish(const struct paper_outcome *outcome, int *verdict)
{
    const struct paper *paper = outcome->paper;
    const struct output_options *output = &paper->options.load.output;
    struct shape *shape = outcome->shape;
    const struct table *const tables[] = {outcome->file, &shape->rows, &shape->findings};
    enum error_kind kind = ERROR_NONE;
    struct error error;
    paper_add_findings(outcome);
    for (size_t i = 0; kind == ERROR_NONE && i < sizeof tables / sizeof tables[0]; i++)
        kind = file_set_save_table(output->out, tables[i], NULL, &error);
    if (kind == ERROR_NONE)
        add_pictures_and_page(outcome);
    int status = kind == ERROR_NONE ? 0 : complain(&error);
    if (output->quiet || output->json)
        findings_complain(&shape->findings, "");
    else
        print(outcome);
    *verdict = verdict_status(findings_verdict(&shape->findings));
    if (paper->json != NULL)
        paper_json_add(paper->json, paper->evaluation->name, NULL, shape, output->out,
                       describe_records(outcome));
    return status;
}

int paper_finish_cells(const struct paper *paper, const struct series *series, int *verdict)
{
    const struct table *rows[OPTIONS_TOPOLOGIES_MAX];
    struct paper_cells cells;
    for (size_t i = 0; i < paper->options.load.target.topology_count; i++)
        rows[i] = &series->records[i].rows;
    paper_cells_init(&cells, paper->evaluation, &paper->options, rows);
    const struct paper_outcome outcome = {.paper = paper,
                                          .series = series,
                                          .file = &cells.figures,
                                          .cells = &cells.figures,
                                          .shape = &cells.shape};
    int status = paper_finish(&outcome, verdict);
    paper_cells_deinit(&cells);
    return status;
}
