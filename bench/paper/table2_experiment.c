// SPDX-License-Identifier: Apache-2.0
/* The experiment of Table 2: its options, and what it ends with. */
#include "bench/cli/complain.h"
#include "bench/paper/experiment.h"
#include "bench/paper/paper_json_cells.h"
#include "bench/paper/paper_loads.h"
#include "bench/paper/table2.h"
#include "bench/paper/table2_text.h"

#include <stdio.h>

static const struct option_row rows[] = {
    PAPER_ROW_SERVERS("1,3,5", "1,3,5,7,9"),
    {.name = "--workers",
     .letter = 'n',
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct load_options, sessions),
     .least = 1,
     .most = LOAD_ROWS_SESSIONS_MAX,
     .expected = "expected numbers from 1 to 100000, such as 1,10,20",
     .value = "1,10,20",
     .help = "  -n, --workers LIST       sessions that create, each one znode at a time\n"
             "                           [1,10,20]\n"},
    LOAD_ROW_SIZE("1024"),
    LOAD_ROW_DURATION("5s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(2, "3"),
    PAPER_ROWS_COMMON,
};

static const char usage[] =
    "Usage: zkherd paper table2 [OPTION]...\n"
    "Creates a second, against workers and servers (Table 2 of the paper). A worker\n"
    "creates a znode, waits, sends its delete, and creates the next: do creates rise\n"
    "with the workers, and fall with the servers?\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper table2                             about five minutes\n"
    "  zkherd paper table2 --servers 1,3 -n 1,20 -t 5  the ends of two curves\n"
    "  zkherd paper table2 -d simulated                by the simulation's cost model\n";

static bool is_consistent(const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    char value[32];
    if (load->sessions.count > 1 || load->target.topology_count > 1)
        return true;
    snprintf(value, sizeof value, "%llu", (unsigned long long)load->sessions.list[0]);
    return complain_value("paper table2", "--workers", value,
                          "expected two numbers or more, of workers or of servers, to compare");
}

/* ------------------------------------------------------------------ the results */

static void write_cells(const void *context, struct csv *csv)
{
    const struct table2 *table = context;
    csv_header(csv, table2_columns);
    for (size_t i = 0; i < table->topologies * table->levels; i++)
        table2_write(&table->cells[i], csv);
}

static int tell(const struct load_series *series, void *context, int *verdict)
{
    struct table2 table;
    struct error error;
    if (table2_init(&table, series->options, series->records, &error) != ERROR_NONE)
        return complain(&error);
    const struct paper_results results = {
        .file = "table2.csv",
        .table = &table,
        .write = write_cells,
        .print = table2_text_print,
        .explain = table2_text_explain,
        .describe = paper_json_cells_table2,
        .judgements = &table.judgements,
    };
    int status = paper_loads_tell(series, context, &results, verdict);
    table2_deinit(&table);
    return status;
}

static int lead(struct paper_options *options, int argc, char **argv, bool *interrupted)
{
    options->load.mix.percent[LOAD_CREATE_DELETE] = 100;
    options->load.depth = 1;
    return paper_loads_lead(options, argc, argv, tell, interrupted);
}

const struct experiment experiment_table2 = {
    .name = "table2",
    .command = {.arguments = {"paper table2", usage, rows, notes, NULL},
                .simulated = "1,3,5,7,9",
                .is_consistent = is_consistent},
    .lead = lead,
};
