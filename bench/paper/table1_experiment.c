// SPDX-License-Identifier: Apache-2.0
/* The experiment of Table 1: its options, and what it ends with. */
#include "bench/cli/complain.h"
#include "bench/paper/experiment.h"
#include "bench/paper/paper_json_cells.h"
#include "bench/paper/paper_loads.h"
#include "bench/paper/table1.h"
#include "bench/paper/table1_text.h"

#include <stdio.h>

static const struct option_row rows[] = {
    PAPER_ROW_SERVERS("1,3,5", "1,3,5,7,9,13"),
    {.name = "--reads",
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct load_options, reads),
     .most = 100,
     .expected = "expected percents from 0 to 100, such as 0,100 or 0..100+20",
     .value = "0..100+20",
     .help = "      --reads LIST         percent of reads, 0 and 100 among them [0..100+20]\n"},
    PAPER_ROW_SESSIONS,
    LOAD_ROW_DEPTH("20"),
    LOAD_ROW_SIZE("1024"),
    LOAD_ROW_DURATION("5s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(2, "3"),
    PAPER_ROWS_COMMON,
};

static const char usage[] =
    "Usage: zkherd paper table1 [OPTION]...\n"
    "Throughput against the share of reads and the number of servers (Table 1 and\n"
    "Figure 5 of the paper): do reads rise with the servers, and writes fall?\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper table1                             about ten minutes\n"
    "  zkherd paper table1 --servers 1,3 --reads 0,100 the ends of two curves\n"
    "  zkherd paper table1 -d simulated                by the simulation's cost model\n";

static bool is_consistent(const struct paper_options *options)
{
    const struct levels *reads = &options->load.reads;
    unsigned long long least = reads->list[0], most = reads->list[reads->count - 1];
    char value[32];
    snprintf(value, sizeof value, "%llu to %llu", least, most);
    if (least != 0 || most != 100)
        return complain_value("paper table1", "--reads", value,
                              "expected 0 and 100 among the percents");
    return paper_options_sessions_are_one("paper table1", options);
}

/* ------------------------------------------------------------------ the results */

static void write_cells(const void *context, struct csv *csv)
{
    const struct table1 *table = context;
    csv_header(csv, table1_columns);
    for (size_t i = 0; i < table->topologies * table->shares; i++)
        table1_write(&table->cells[i], csv);
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    struct table1 table;
    struct error error;
    if (table1_init(&table, series->options, series->records, &error) != ERROR_NONE)
        return complain(&error);
    const struct paper_results results = {
        .file = "table1.csv",
        .table = &table,
        .write = write_cells,
        .print = table1_text_print,
        .explain = table1_text_explain,
        .describe = paper_json_cells_table1,
        .judgements = &table.judgements,
    };
    int status = paper_loads_tell(series, context, &results, verdict);
    table1_deinit(&table);
    return status;
}

static int lead(struct paper_options *options, int argc, char **argv, bool *interrupted)
{
    return paper_loads_lead(options, argc, argv, tell, interrupted);
}

const struct experiment experiment_table1 = {
    .name = "table1",
    .command = {.arguments = {"paper table1", usage, rows, notes, NULL},
                .simulated = "1,3,5,7,9,13",
                .compares_servers = true,
                .is_consistent = is_consistent},
    .lead = lead,
};
