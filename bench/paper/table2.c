// SPDX-License-Identifier: Apache-2.0
/*
 * Table 2 of the paper: creates a second against workers and servers.
 *
 * A worker is a session that creates a znode, waits for the reply, sends the delete of that znode
 * without waiting for its reply, and creates the next (the mix create-delete=100, depth 1). Only
 * the creates are in the figures.
 *
 * Two claims are judged, each by ratios of geometric means over trials, with 95 % t-intervals
 * (statistics_ratio): with each number of servers creates a second rise from each number of workers
 * to the next; and with the most workers they fall from each number of servers to the next.
 */
#include "bench/paper/internal.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <stdlib.h>

/* What each of the paper's workers did. */
#define PUBLISHED_CREATES 50000

static const struct option_row rows[] = {
    PAPER_ROW_SERVERS("1,3,5", "1,3,5,7,9"),
    {.name = "--workers",
     .letter = 'n',
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct load_options, sessions),
     .least = 1,
     .most = FLEET_SESSIONS_MAX,
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
    if (load->sessions.count > 1 || load->target.topology_count > 1)
        return true;
    return complain_number("paper table2", "--workers", load->sessions.list[0],
                           "expected two numbers or more, of workers or of servers, to compare");
}

/* ------------------------------------------------------------------ the figures */

#define COLUMNS(X, T)                                                                              \
    X(T, servers, COUNT, "", 0, KEY, "the cell")                                                   \
    X(T, workers, COUNT, "", 0, KEY, "the cell")                                                   \
    X(T, trials, COUNT, "", 0, NONE, "the trials that were led to their end")                      \
    X(T, valid, COUNT, "", 0, NONE, "of these the valid ones")                                     \
    X(T, creates_per_s, REAL, "1/s", 2, NONE, "creates answered a second: the geometric mean")     \
    X(T, creates_per_s_low, REAL, "1/s", 2, NONE, "its 95 % interval")                             \
    X(T, creates_per_s_high, REAL, "1/s", 2, NONE, "its 95 % interval")                            \
    X(T, latency_mean_ms, REAL, "ms", 4, NONE, "the same of the mean latency of a create")         \
    X(T, latency_mean_ms_low, REAL, "ms", 4, NONE, "its 95 % interval")                            \
    X(T, latency_mean_ms_high, REAL, "ms", 4, NONE, "its 95 % interval")                           \
    X(T, paper_per_s, REAL, "1/s", 0, NONE, "the paper's figure")                                  \
    X(T, paper_latency_ms, REAL, "ms", 1, NONE, "the paper's figure")

TABLE_DECLARE(table2, COLUMNS);
TABLE_DEFINE(table2, "table2.csv", COLUMNS)

/* Creates a second, by servers and workers; and the mean latency of a create, in milliseconds. */
static const struct paper_figure published[] = {
    {3, 1, 776},   {5, 1, 748},   {7, 1, 758},   {9, 1, 711},   {3, 10, 2074}, {5, 10, 1832},
    {7, 10, 1572}, {9, 10, 1540}, {3, 20, 2740}, {5, 20, 2336}, {7, 20, 1934}, {9, 20, 1890},
};
static const struct paper_figure published_ms[] = {{3, 1, 1.2}, {9, 1, 1.4}};

static void fill(const struct paper_cell *cell, struct table_value *row)
{
    double *latencies_ms = paper_cell_values(cell, load_row_service_mean_us);
    for (size_t i = 0; i < cell->counted.count; i++)
        latencies_ms[i] /= 1e3;
    struct interval latency_ms =
        statistics_interval_of_logs(latencies_ms, cell->counted.count, JUDGEMENT_CONFIDENCE);
    free(latencies_ms);
    table_put_interval(&row[table2_creates_per_s], &cell->mean);
    table_put_interval(&row[table2_latency_mean_ms], &latency_ms);
    row[table2_paper_per_s] = table_real(cell->published);
    row[table2_paper_latency_ms] =
        table_real(paper_published(published_ms, 2, cell->servers, cell->at[0]));
}

static const struct paper_claim claims[] = {
    {PAPER_LEVELS, .words = "creates rise", .row = "rise", .noun = "workers", .fixed = "server"},
    {PAPER_SERVERS, .falls = true, .words = "creates fall", .row = "fall", .noun = "servers",
     .fixed = "worker"},
};

const struct paper_design design_table2 = {
    .figures = &table2_table,
    .axes = {{load_row_sessions, offsetof(struct paper_options, load.sessions)}},
    .axis_count = 1,
    .complete = load_row_complete,
    .valid = load_row_valid,
    .metric = load_row_achieved_per_s,
    .mean = statistics_interval_of_logs,
    .published = published,
    .published_count = sizeof published / sizeof published[0],
    .fill = fill,
    .claims = claims,
    .claim_count = sizeof claims / sizeof claims[0],
};

/* ------------------------------------------------------------------ for people */

static const struct paper_column columns_of_figures[] = {
    {{.title = "servers", .right = true}, .of = table2_servers},
    {{.title = "workers", .right = true}, .of = table2_workers},
    {{.over = "ours,", .title = "creates/s", .right = true}, .of = table2_creates_per_s},
    {{.over = "mean", .title = "ms", .right = true}, .of = table2_latency_mean_ms, .decimals = 2},
    {{.over = "paper,", .title = "creates/s", .right = true}, .of = table2_paper_per_s},
    {{.over = "mean", .title = "ms", .right = true}, .of = table2_paper_latency_ms, .decimals = 1},
};

static void explain(const struct table *cells, const struct load_options *options, FILE *stream)
{
    char servers[120], creates[32];
    (void)cells;
    wrap_sentence(
        stream,
        "Ours: each worker creates znodes of %u bytes for %llu s; %s; %u trials. The "
        "paper's: %s creates by each worker, of %d bytes; servers of a dual-core machine "
        "each. A create waits for its own reply, but not for the reply to the delete before it.",
        options->value_bytes, (unsigned long long)(options->duration_ns / NS_PER_S),
        paper_servers_describe(&options->target, servers, sizeof servers), options->trials,
        text_format_count(PUBLISHED_CREATES, creates, sizeof creates), PUBLISHED_VALUE_BYTES);
}

static int lead(struct paper *paper)
{
    paper->options->load.mix.percent[LOAD_CREATE_DELETE] = 100;
    paper->options->load.depth = 1;
    return paper_loads_lead_design(paper);
}

const struct experiment experiment_table2 = {
    .name = "table2",
    .command = {.arguments = {"paper table2", usage, rows, notes, NULL},
                .simulated = "1,3,5,7,9",
                .is_consistent = is_consistent},
    .lead = lead,
    .design = &design_table2,
    .columns = columns_of_figures,
    .column_count = sizeof columns_of_figures / sizeof columns_of_figures[0],
    .explain = explain,
};
