// SPDX-License-Identifier: Apache-2.0
/* What an evaluation ends with: findings, files, plots, tables for people, JSON. */
#include "bench/paper/internal.h"

#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/plots.h"
#include "bench/page/page.h"

#include <stdio.h>
#include <unistd.h>

/* ------------------------------------------------------------------ JSON */

void paper_json_add(struct paper_list *list, const char *name, const struct paper *paper)
{
    static const struct paper nothing;
    const struct paper *made = paper != NULL ? paper : &nothing;
    enum verdict verdict = paper != NULL ? findings_verdict(&made->findings) : VERDICT_UNDETERMINED;
    list->worst = verdict_worse(list->worst, verdict);
    list->has_result = list->has_result || paper != NULL;
    json_array_append_new(
        list->json, json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o}", "experiment", name, "verdict",
                              paper != NULL ? verdict_word(verdict) : NULL, "folder",
                              json_result_text(made->options.load.output.out), "results",
                              made->results != NULL ? json_incref(made->results) : json_array(),
                              "judgements", json_result_rows(&made->judgements), "findings",
                              json_result_rows(&made->findings)));
}

void paper_json_write(struct paper_list *list, FILE *stream)
{
    const char *cut_short = list->interrupted ? error_words(ERROR_INTERRUPTED) : NULL;
    if (list->has_result || (list->interrupted && json_array_size(list->json) > 0))
        json_result_write(json_pack("{s:s, s:s*, s:O}", "verdict", verdict_word(list->worst),
                                    "cut_short", cut_short, "experiments", list->json),
                          stream);
    json_decref(list->json);
}

/* The columns of the file; but the numbers of trials come first, and have other keys. */
static json_t *describe_cell(const struct evaluation *evaluation, const struct table_value *row)
{
    static const char *const keys[] = {"trials_complete", "trials_valid", "trials_starved"};
    const struct table_type *type = evaluation->figures;
    size_t first = 1 + evaluation->axis_count, count = evaluation->cores > 0 ? 3 : 2;
    json_t *json = json_object();
    json_result_set_row(json, type, row, 0, 0);
    for (size_t i = 0; i < count; i++)
        json_object_set_new(json, keys[i], json_integer((json_int_t)row[first + i].count));
    if (first > 1)
        json_result_set_row(json, type, row, 1, first - 1);
    json_result_set_row(json, type, row, first + count, type->count - 1);
    return json;
}

/* The results of the topologies that have a trial. */
static json_t *describe_records(const struct paper *paper, const struct series *series)
{
    json_t *list = json_array();
    size_t of_one = paper->figures.rows / paper->options.load.target.topology_count;
    for (size_t i = 0; i < series->record_count; i++) {
        const struct series_record *record = &series->records[i];
        if (record->rows.rows == 0)
            continue;
        json_t *cells = json_array();
        for (size_t k = i * of_one; k < (i + 1) * of_one; k++)
            json_array_append_new(cells,
                                  describe_cell(paper->evaluation, table_row(&paper->figures, k)));
        json_array_append_new(
            list, manifest_result(&record->manifest, record->files.folder, record->servers, cells));
    }
    return list;
}

/* ------------------------------------------------------------------ findings about trials */

/* Trials that fail do so here, too; trials that are not valid are left out of the judgements, and
 * decide nothing. */
static void add_finding(struct paper *paper, const char *where, const struct table_value *row)
{
    enum verdict verdict = verdict_of_word(row[finding_verdict].text);
    bool fails = verdict == VERDICT_FAILS;
    const struct finding finding = {.slug = row[finding_slug].text,
                                    .subject = row[finding_subject].text,
                                    .verdict = fails ? VERDICT_FAILS : VERDICT_MEASURED,
                                    .figure = FINDING_FIGURE(table_number(&row[finding_figure])),
                                    .unit = row[finding_unit].text,
                                    .n = row[finding_n].count};
    if (verdict_status(verdict) != 0)
        findings_add(&paper->findings, &finding, "%s%s", where, row[finding_sentence].text);
}

void paper_add_trials(struct paper *paper, const struct series *series)
{
    const struct finding nothing = {.slug = "nothing",
                                    .subject = paper->evaluation->name,
                                    .verdict = VERDICT_UNDETERMINED,
                                    .figure = FINDING_NO_FIGURE};
    char where[100];
    if (paper->judgements.rows == 0)
        findings_add(&paper->findings, &nothing, "nothing is compared");
    for (size_t i = 0; i < series->record_count; i++) {
        const struct series_record *record = &series->records[i];
        for (size_t k = 0; k < record->findings.rows; k++)
            add_finding(paper, series_where(series, record, where),
                        table_row(&record->findings, k));
    }
}

/* ------------------------------------------------------------------ tables for people */

static void print(const struct paper *paper)
{
    const struct evaluation *evaluation = paper->evaluation;
    const struct load_options *options = &paper->options.load;
    const struct row_column columns[] = {
        {.column = shape_verdict},
        {.column = shape_row, .title = "claim"},
        {.column = shape_ratio, .over = "ours,", .title = evaluation->unit, .decimals = 3},
        {.column = shape_ratio_low, .over = "95 %", .title = "from", .decimals = 3},
        {.column = shape_ratio_high, .over = "", .title = "to", .decimals = 3},
        {.column = shape_paper_ratio, .over = "paper,", .title = evaluation->unit, .decimals = 3},
        {.column = shape_reason, .title = "because", .below = true},
    };
    const struct row_grid grids[] = {
        {.table = &paper->figures,
         .columns = evaluation->columns,
         .column_count = evaluation->columns_count},
        {.table = &paper->judgements,
         .columns = columns,
         .column_count = sizeof columns / sizeof columns[0]},
    };
    for (size_t i = 0; i < 2; i++) {
        putchar('\n');
        row_grid_write(&grids[i], terminal_columns(STDOUT_FILENO), stdout);
    }
    putchar('\n');
    for (size_t i = paper->judgements.rows; i < paper->findings.rows; i++) /* no judgements */
        wrap_sentence(stdout, "%s", table_row(&paper->findings, i)[finding_sentence].text);
    printf("%u trials of each cell. Only the shape is judged: the paper's figures come from\n"
           "other machines.\n",
           options->trials);
    if (options->target.cpu_percent > 0)
        printf("Private servers: %.2f cores each.\n", options->target.cpu_percent / 100.0);
    printf("\nresults in %s\n", options->output.out);
}

/* ------------------------------------------------------------------ the whole */

int paper_finish(struct paper *paper, const struct series *series)
{
    const struct output_options *output = &paper->options.load.output;
    const struct table *rows[OPTIONS_TOPOLOGIES_MAX], *const files[] = {&paper->figures,
                                                                        &paper->judgements,
                                                                        &paper->findings};
    struct error error = {.kind = ERROR_NONE};
    for (size_t i = 0; i < paper->options.load.target.topology_count; i++)
        rows[i] = &series->records[i].rows;
    paper_judge(paper, rows);
    paper_add_trials(paper, series);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        ERROR_FIRST(&error, file_set_save_table(output->out, files[i], NULL, &error));
    int status = error.kind == ERROR_NONE ? 0 : complain(&error);
    if (status == 0) {
        plots_add(output->out, "paper_", output); /* those of the loads are drawn */
        page_add(output->out, series->record_count == 1 ? &series->records[0].manifest : NULL,
                 output->quiet);
    }
    if (output->quiet || output->json)
        findings_complain(&paper->findings, "", true);
    else
        print(paper);
    if (output->json)
        paper->results = describe_records(paper, series);
    int found = verdict_status(findings_verdict(&paper->findings));
    return found == 1 || status == 0 ? found : status;
}
