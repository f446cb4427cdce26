// SPDX-License-Identifier: Apache-2.0
/* What an experiment ends with: files, plots, a table for people, JSON. */
#include "bench/paper/internal.h"

#include "base/output.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/manifest.h"
#include "bench/output/plots.h"
#include "bench/page/page.h"

#include <string.h>
#include <unistd.h>

#define GAP 2

/* ------------------------------------------------------------------ the JSON */

static bool is_of_trials(const struct table_column *column)
{
    return strcmp(column->name, "servers") == 0 || strcmp(column->name, "trials") == 0 ||
           strcmp(column->name, "valid") == 0 || strcmp(column->name, "starved") == 0;
}

static json_t *describe_value(const struct table_value *value)
{
    if (value->kind == TABLE_COUNT)
        return json_integer((json_int_t)value->count);
    return value->kind == TABLE_TEXT ? json_result_text(value->text)
                                     : json_result_real(table_number(value));
}

json_t *paper_json_rows(const struct table *table, size_t first, size_t count)
{
    json_t *list = json_array();
    for (size_t i = first; i < first + count; i++) {
        const struct table_value *row = table_row(table, i);
        json_t *json = json_object();
        for (int rest = 0; rest < 2; rest++) {
            for (size_t k = 0; k < table->type->count; k++) {
                const struct table_column *column = &table->type->columns[k];
                char key[48];
                bool counts = is_of_trials(column);
                if (counts == rest)
                    continue;
                snprintf(key, sizeof key, "%s%s",
                         strcmp(column->name, "valid") == 0 || strcmp(column->name, "starved") == 0
                             ? "trials_"
                             : "",
                         strcmp(column->name, "trials") == 0 ? "trials_complete" : column->name);
                json_object_set_new(json, key, describe_value(&row[k]));
            }
        }
        json_array_append_new(list, json);
    }
    return list;
}

/* The keys are columns of shape.csv. */
static json_t *describe_judgement(const struct judgements *judgements,
                                  const struct judgement *judgement)
{
    return json_pack(
        "{s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "claim", judgement->claim, "servers",
        (json_int_t)judgement->servers, "against_servers",
        judgement->against > 0 ? json_integer((json_int_t)judgement->against) : json_null(),
        "quantity", judgements->quantity, "ratio", json_result_real(judgement->ours.value),
        "ratio_low", json_result_real(judgement->ours.low), "ratio_high",
        json_result_real(judgement->ours.high), "paper_ratio", json_result_real(judgement->paper),
        "verdict", verdict_word(judgement->verdict), "reason", json_result_text(judgement->reason));
}

void paper_json_add(json_t *list, const char *name, int verdict, const char *folder,
                    json_t *records, const struct judgements *judgements)
{
    json_t *judged = json_array();
    for (size_t i = 0; i < judgements->count; i++)
        json_array_append_new(judged, describe_judgement(judgements, &judgements->list[i]));
    json_array_append_new(
        list, json_pack("{s:s, s:n, s:s, s:o, s:o, s:o}", "experiment", name, "left_out", "verdict",
                        verdict_word(verdict_of_status(verdict)), "folder", json_text(folder),
                        "results", records, "judgements", judged));
}

void paper_json_add_without_result(json_t *list, const char *name, const char *left_out)
{
    json_array_append_new(list, json_pack("{s:s, s:s?, s:n, s:n, s:[], s:[]}", "experiment", name,
                                          "left_out", left_out, "verdict", "folder", "results",
                                          "judgements"));
}

/* ------------------------------------------------------------------ all of them */

static bool is_null(const json_t *experiment, const char *key)
{
    return json_is_null(json_object_get(experiment, key));
}

bool paper_json_has_result(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!is_null(json_array_get(list, i), "verdict"))
            return true;
    }
    return false;
}

/* One that fails outweighs one that is undetermined, as is one that has no result although it was
 * not left out. */
static const char *weigh(const json_t *list)
{
    const char *fails = verdict_word(VERDICT_FAILS), *holds = verdict_word(VERDICT_HOLDS);
    bool all_hold = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *experiment = json_array_get(list, i);
        const char *verdict = json_string_value(json_object_get(experiment, "verdict"));
        if (verdict != NULL && strcmp(verdict, fails) == 0)
            return fails;
        if (is_null(experiment, "left_out"))
            all_hold = all_hold && verdict != NULL && strcmp(verdict, holds) == 0;
    }
    return all_hold ? holds : verdict_word(VERDICT_UNDETERMINED);
}

void paper_json_write(json_t *list, const char *cut_short, FILE *stream)
{
    json_result_write(json_pack("{s:s, s:s*, s:O}", "verdict", weigh(list), "cut_short", cut_short,
                                "experiments", list),
                      stream);
}

/* ------------------------------------------------------------------ files, plots, text */

static void draw(const struct output_options *output, int interrupts)
{
    struct plots plots = {.kind = PLOTS_OF_PAPER,
                          .folder = output->out,
                          .formats = output->plots,
                          .interrupts = interrupts};
    if (plots_draw(&plots) == PLOTS_SKIPPED && !output->quiet)
        complain_mildly("the plots are skipped: %s", plots.why);
}

static int decimals_of_seconds(double seconds)
{
    return seconds < 1 ? 3 : seconds < 100 ? 2 : 1;
}

static void put(struct grid *grid, const struct table_value *value, int decimals)
{
    if (value->kind == TABLE_COUNT)
        grid_put(grid, "%llu", (unsigned long long)value->count);
    else if (value->kind == TABLE_TEXT)
        grid_put(grid, "%s", value->text);
    else if (decimals == PAPER_INTERVAL)
        judgements_put_interval(grid, value[0].real, value[1].real, decimals_of_seconds);
    else if (decimals == PAPER_SECONDS)
        grid_put_real(grid, value->real, decimals_of_seconds(value->real));
    else if (decimals > 0)
        grid_put_real(grid, value->real, decimals);
    else
        grid_put_whole(grid, value->real);
}

static void print_cells(const struct paper_outcome *outcome, unsigned width)
{
    const struct experiment *experiment = outcome->paper->experiment;
    size_t topologies = outcome->paper->options->load.target.topology_count;
    size_t step = experiment->is_of_ends ? outcome->cells->rows / topologies : 1;
    struct grid_column titles[GRID_COLUMNS_MAX];
    struct grid grid;
    grid_init(&grid, titles, experiment->column_count, GAP);
    for (size_t k = 0; k < experiment->column_count; k++) {
        titles[k] = experiment->columns[k].grid;
        grid.hidden[k] = experiment->columns[k].if_several && topologies == 1;
    }
    for (size_t i = 0; i < outcome->cells->rows; i += step) {
        for (size_t k = 0; k < experiment->column_count; k++) {
            const struct paper_column *column = &experiment->columns[k];
            size_t row = i + (column->at_last ? step - 1 : 0);
            put(&grid, &table_row(outcome->cells, row)[column->of], column->decimals);
        }
    }
    (void)grid_fit(&grid, width, 1);
    grid_write(&grid, width, stdout);
    grid_deinit(&grid);
}

static void print(const struct paper_outcome *outcome)
{
    const struct experiment *experiment = outcome->paper->experiment;
    const struct load_options *options = &outcome->paper->options->load;
    unsigned columns = terminal_columns(STDOUT_FILENO);
    fputc('\n', stdout);
    print_cells(outcome, columns);
    fputc('\n', stdout);
    judgements_print(outcome->judgements, columns, stdout);
    experiment->explain(outcome->cells, options, stdout);
    wrap_sentence(stdout, "Only the shape is judged: the figures come from different machines.");
    printf("\nresults in %s\n", options->output.out);
}

/* The result of a topology without a trial is none. */
static json_t *describe_records(const struct paper_outcome *outcome)
{
    json_t *list = json_array();
    size_t cells = outcome->cells->rows / outcome->paper->options->load.target.topology_count;
    for (size_t i = 0; i < outcome->series->record_count; i++) {
        const struct series_record *record = &outcome->series->records[i];
        if (record->rows.rows > 0)
            json_array_append_new(
                list, manifest_result(&record->manifest, record->files.folder, record->servers,
                                      paper_json_rows(outcome->cells, i * cells, cells)));
    }
    return list;
}

int paper_tell(const struct paper_outcome *outcome, int *verdict)
{
    struct error error;
    const struct output_options *output = &outcome->paper->options->load.output;
    const struct judgements *judgements = outcome->judgements;
    enum error_kind kind = file_set_save_table(output->out, outcome->file, NULL, &error);
    if (kind == ERROR_NONE)
        kind = output_write(output->out, "shape.csv", judgements_write, judgements, &error);
    if (kind == ERROR_NONE) {
        draw(output, outcome->series->targets.signals);
        page_add(output->out,
                 outcome->series->record_count == 1 ? &outcome->series->records[0].manifest : NULL,
                 output->quiet);
    }
    int status = kind == ERROR_NONE ? 0 : complain(&error);
    if (output->quiet || output->json)
        judgements_complain(judgements);
    else
        print(outcome);
    *verdict = outcome->fails ? 1 : judgements_exit_status(judgements);
    if (outcome->paper->options->experiments != NULL)
        paper_json_add(outcome->paper->options->experiments, outcome->paper->experiment->name,
                       *verdict, output->out, describe_records(outcome), judgements);
    return status;
}

int paper_tell_design(const struct paper *paper, const struct series *series, bool fails,
                      int *verdict)
{
    const struct table *rows[OPTIONS_TOPOLOGIES_MAX];
    struct paper_cells cells;
    for (size_t i = 0; i < paper->options->load.target.topology_count; i++)
        rows[i] = &series->records[i].rows;
    paper_cells_init(&cells, paper->experiment->design, paper->options, rows);
    const struct paper_outcome outcome = {.paper = paper,
                                          .file = &cells.figures,
                                          .cells = &cells.figures,
                                          .judgements = &cells.judgements,
                                          .series = series,
                                          .fails = fails};
    int status = paper_tell(&outcome, verdict);
    paper_cells_deinit(&cells);
    return status;
}
