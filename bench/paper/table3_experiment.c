// SPDX-License-Identifier: Apache-2.0
/* The experiment of Table 3: its options, and what it ends with. */
#include "bench/cli/complain.h"
#include "bench/output/record_json.h"
#include "bench/paper/experiment.h"
#include "bench/paper/paper_json.h"
#include "bench/paper/paper_json_cells.h"
#include "bench/paper/paper_results.h"
#include "bench/paper/table3_series.h"
#include "bench/paper/table3_text.h"

#include <stdio.h>
#include <stdlib.h>

/* Each has a folder, and its znodes are listed and deleted after the trial. */
#define BARRIERS_MAX 100000

static const struct option_row rows[] = {
    {.name = "--clients",
     .letter = 'n',
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct paper_options, load.sessions),
     .least = 1,
     .most = LOAD_ROWS_SESSIONS_MAX,
     .expected = "expected whole numbers from 1 to 100000, such as 50,100 or 25..200x2",
     .value = "50,100,200",
     .help = "  -n, --clients LIST       numbers of clients, as in the paper [50,100,200]\n"},
    {.name = "--barriers",
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct paper_options, barriers),
     .least = 1,
     .most = BARRIERS_MAX,
     .expected = "expected whole numbers from 1 to 100000, such as 10..80x2",
     .value = "10..80x2",
     .help = "      --barriers LIST      that each client enters and then leaves; the paper:\n"
             "                           200..1600x2 [10..80x2]\n"},
    LOAD_ROW_TRIALS(2, "3"),
    PAPER_ROW_SERVERS("3", "3"),
    PAPER_ROWS_COMMON,
};

static const char usage[] =
    "Usage: zkherd paper table3 [OPTION]...\n"
    "The time in which all clients enter a number of double barriers and leave them\n"
    "(Table 3 of the paper): does it grow linearly with barriers and clients?\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper table3                             about two minutes\n"
    "  zkherd paper table3 --barriers 200..1600x2 -t 5 the paper's plan\n"
    "  zkherd paper table3 -n 10,20 --barriers 25,50   half a minute\n"
    "  zkherd paper table3 -d simulated                by the simulation's cost model\n";

/* A line has two points at least. */
static bool is_consistent(const struct paper_options *options)
{
    char value[32];
    if (options->barriers.count > 1 || options->load.sessions.count > 1)
        return true;
    snprintf(value, sizeof value, "%llu", (unsigned long long)options->barriers.list[0]);
    return complain_value("paper table3", "--barriers", value,
                          "expected two numbers or more, of barriers or of clients, to compare");
}

/* ------------------------------------------------------------------ the results */

static void write_cells(const void *context, struct csv *csv)
{
    const struct table3 *table = context;
    csv_header(csv, table3_columns);
    for (size_t i = 0; i < table->topologies * table->clients * table->barriers; i++)
        table3_write(&table->cells[i], csv);
}

static json_t *describe_records(const struct table3_series *series, const struct table3 *table)
{
    json_t *list = json_array();
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct table3_record *record = &series->records[i];
        if (record->samples.count > 0)
            json_array_append_new(list, record_json_new(&record->manifest, record->set.folder,
                                                        record->context.servers,
                                                        paper_json_cells_table3(table, i)));
    }
    return list;
}

static int tell(const struct table3_series *series, int *verdict)
{
    const struct table3_samples *samples[OPTIONS_TOPOLOGIES_MAX];
    struct table3 table;
    struct error error;
    bool fails = false;
    for (size_t i = 0; i < series->base.record_count; i++)
        samples[i] = &series->records[i].samples;
    if (table3_init(&table, series->options, samples, &error) != ERROR_NONE)
        return complain(&error);
    for (size_t i = 0; i < series->base.record_count; i++) {
        table3_record_complain(&series->records[i]);
        fails = fails || table3_record_fails(&series->records[i]);
    }
    const struct paper_results results = {
        .file = "table3.csv",
        .table = &table,
        .write = write_cells,
        .print = table3_text_print,
        .explain = table3_text_explain,
        .describe = paper_json_cells_table3,
        .judgements = &table.judgements,
    };
    int status =
        paper_results_tell(&results, &series->options->load,
                           series->base.record_count == 1 ? &series->records[0].manifest : NULL,
                           series->base.targets.signals);
    *verdict = fails ? 1 : judgements_exit_status(&table.judgements);
    if (series->options->experiments != NULL)
        paper_json_add(series->options->experiments,
                       &(struct paper_json_experiment){
                           series->base.argv[1], *verdict, series->options->load.output.out,
                           describe_records(series, &table), &table.judgements});
    table3_deinit(&table);
    return status;
}

static int lead(struct paper_options *options, int argc, char **argv, bool *interrupted)
{
    struct table3_series *series = calloc(1, sizeof *series);
    if (series == NULL)
        return complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    table3_series_init(series, options, tell);
    int status = table3_series_lead(series, argc, argv);
    *interrupted = series->base.interrupted;
    table3_series_deinit(series);
    free(series);
    return status;
}

const struct experiment experiment_table3 = {
    .name = "table3",
    .command = {.arguments = {"paper table3", usage, rows, notes, NULL},
                .simulated = "3",
                .is_consistent = is_consistent},
    .lead = lead,
};
