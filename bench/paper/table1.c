// SPDX-License-Identifier: Apache-2.0
/*
 * Table 1 and Figure 5 of the paper: throughput against servers and the share of reads.
 *
 * Three claims are judged, each by ratios of geometric means over trials, with 95 % t-intervals
 * (statistics_ratio): reads rise from each number of servers to the next, writes fall, and with
 * each number of servers throughput rises with the share of reads: from writes alone to reads
 * alone, with no step between neighbouring shares at which throughput falls.
 *
 * A trial of reads alone whose servers were starved (bench/target/resources.h) does not count as
 * valid.
 */
#include "bench/paper/internal.h"

#include <assert.h>

#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/target/resources.h"

/* What the paper's clients did. */
#define PUBLISHED_SESSIONS 250
#define PUBLISHED_DEPTH    100

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

/* ------------------------------------------------------------------ the figures */

#define COLUMNS(X, T)                                                                              \
    X(T, servers, COUNT, "", 0, KEY, "the cell")                                                   \
    X(T, reads_percent, COUNT, "%", 0, KEY, "the cell")                                            \
    X(T, trials, COUNT, "", 0, NONE, "the trials that were led to their end")                      \
    X(T, valid, COUNT, "", 0, NONE, "of these the valid ones that are not starved")                \
    X(T, starved, COUNT, "", 0, NONE,                                                              \
      "trials of reads alone in which the servers used less than 90 % of their shares of the CPU") \
    X(T, achieved_per_s, REAL, "1/s", 2, NONE, "the geometric mean")                               \
    X(T, achieved_per_s_low, REAL, "1/s", 2, NONE, "its 95 % interval")                            \
    X(T, achieved_per_s_high, REAL, "1/s", 2, NONE, "its 95 % interval")                           \
    X(T, paper_per_s, REAL, "1/s", 0, NONE, "the paper's figure")

TABLE_DECLARE(table1, COLUMNS);
TABLE_DEFINE(table1, "table1.csv", COLUMNS)

static bool is_starved(const struct table_value *trial, const struct paper_cell *cell,
                       const struct target_options *target)
{
    return cell->at[0] == 100 && resources_are_starved(table_number(&trial[load_row_server_cores]),
                                                       cell->servers, target->cpu_percent);
}

static void fill(const struct paper_cell *cell, struct table_value *row)
{
    row[table1_starved] = table_count(cell->starved);
    table_put_interval(&row[table1_achieved_per_s], &cell->mean);
    row[table1_paper_per_s] = table_real(cell->published);
}

/* Operations a second at saturation, by servers and percent reads. */
static const struct paper_figure published[] = {
    {13, 100, 460e3}, {9, 100, 296e3}, {7, 100, 257e3}, {5, 100, 165e3}, {3, 100, 87e3},
    {13, 0, 8e3},     {9, 0, 12e3},    {7, 0, 14e3},    {5, 0, 18e3},    {3, 0, 21e3},
};

static const struct paper_claim claims[] = {
    {PAPER_SERVERS, .words = "reads rise", .row = "reads rise", .noun = "servers"},
    {PAPER_SERVERS, .first = true, .falls = true, .words = "writes fall", .row = "writes fall",
     .noun = "servers"},
    {PAPER_ENDS, .words = "throughput rises with the share of reads", .row = "rises with reads",
     .fixed = "server"},
};

const struct paper_design design_table1 = {
    .figures = &table1_table,
    .axes = {{load_row_reads_percent, offsetof(struct paper_options, load.reads)}},
    .axis_count = 1,
    .complete = load_row_complete,
    .valid = load_row_valid,
    .metric = load_row_achieved_per_s,
    .mean = statistics_interval_of_logs,
    .is_starved = is_starved,
    .published = published,
    .published_count = sizeof published / sizeof published[0],
    .fill = fill,
    .claims = claims,
    .claim_count = sizeof claims / sizeof claims[0],
};

/* ------------------------------------------------------------------ for people */

static const struct paper_column columns_of_figures[] = {
    {{.title = "servers", .right = true}, .of = table1_servers},
    {{.over = "ours, 1/s", .title = "100 % reads", .right = true},
     .of = table1_achieved_per_s,
     .at_last = true},
    {{.over = "", .title = "0 % reads", .right = true}, .of = table1_achieved_per_s},
    {{.over = "paper, 1/s", .title = "100 % reads", .right = true},
     .of = table1_paper_per_s,
     .at_last = true},
    {{.over = "", .title = "0 % reads", .right = true}, .of = table1_paper_per_s},
};

static void explain(const struct table *cells, const struct load_options *options, FILE *stream)
{
    char servers[120];
    for (size_t i = 0; i < cells->rows; i++) {
        const struct table_value *row = table_row(cells, i);
        unsigned long long count = row[table1_servers].count;
        if (row[table1_starved].count > 0)
            wrap_sentence(stream,
                          "%llu server%s, %u %% reads: %zu of %zu trials do not count: the servers "
                          "used less than %d %% of their CPU shares. The machine is busy, or too "
                          "few requests are outstanding.",
                          count, count == 1 ? "" : "s", (unsigned)row[table1_reads_percent].count,
                          (size_t)row[table1_starved].count, (size_t)row[table1_trials].count,
                          RESOURCES_SATURATED_PERCENT);
    }
    wrap_sentence(stream,
                  "Ours: %llu sessions, %u request%s outstanding each, values of %u bytes; %s; "
                  "%u trials of %llu s. The paper's: %d clients, at least %d requests outstanding "
                  "each, values of %d bytes; servers of a dual-core machine each.",
                  (unsigned long long)options->sessions.list[0], options->depth,
                  options->depth == 1 ? "" : "s", options->value_bytes,
                  paper_servers_describe(&options->target, servers, sizeof servers),
                  options->trials, (unsigned long long)(options->duration_ns / NS_PER_S),
                  PUBLISHED_SESSIONS, PUBLISHED_DEPTH, PUBLISHED_VALUE_BYTES);
}

const struct experiment experiment_table1 = {
    .name = "table1",
    .command = {.arguments = {"paper table1", usage, rows, notes, NULL},
                .simulated = "1,3,5,7,9,13",
                .compares_servers = true,
                .is_consistent = is_consistent},
    .lead = paper_loads_lead_design,
    .design = &design_table1,
    .columns = columns_of_figures,
    .column_count = sizeof columns_of_figures / sizeof columns_of_figures[0],
    .is_of_ends = true,
    .explain = explain,
};
