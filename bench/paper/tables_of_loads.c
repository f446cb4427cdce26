// SPDX-License-Identifier: Apache-2.0
/*
 * Tables 1 and 2 of the paper, whose trials are loads.
 *
 * Table 1 and Figure 5: throughput against servers and the share of reads. A trial of reads alone
 * whose servers were starved (bench/target/resources.h) does not count as valid.
 *
 * Table 2: creates a second against workers and servers. A worker is a session that creates a
 * znode, waits for the reply, sends the delete of that znode without waiting for its reply, and
 * creates the next (the mix create-delete=100, depth 1).
 *
 * Claims are judged by ratios of geometric means over trials, with 95 % t-intervals.
 */
#include "bench/paper/internal.h"

#include "bench/cli/complain.h"
#include "bench/output/load_series.h"
#include "bench/target/resources.h"

#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ the loads */

static int finish(const struct load_series *series)
{
    return paper_finish(series->user, &series->base);
}

/* Gives each private server its share of the CPU, and makes all trials. A server's code is compiled
 * in its first minute, on its own share: in a rehearsal. */
static int run_loads(struct paper *paper)
{
    struct load_options *load = &paper->options.load;
    struct target_options *target = &load->target;
    struct load_series series = {.subcommand = paper->evaluation->arguments.subcommand,
                                 .options = load,
                                 .print_results = finish,
                                 .user = paper};
    char found[400], text[512];
    const char *why = NULL;
    if (target->driver != DRIVER_SIMULATED && !target->connect && target->cpu_percent == 0)
        why =
            resources_find_share(load->processes, target->server_counts[target->topology_count - 1],
                                 &target->cpu_percent, found, sizeof found);
    if (why != NULL) {
        snprintf(text, sizeof text,
                 "%s; the servers share the cores, so the shape cannot show, and is not judged "
                 "between numbers of servers",
                 why);
        series.warning = text;
        if (!load->output.quiet)
            complain_mildly("%s", text);
    }
    load->rehearses = target->driver != DRIVER_SIMULATED;
    int status = load_series_run(&series, paper->argc, paper->argv);
    paper->interrupted = series.base.interrupted;
    return status;
}

/* ------------------------------------------------------------------ Table 1 */

#define TABLE1_COLUMNS(X, T)                                                                       \
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

TABLE_DECLARE(table1, TABLE1_COLUMNS);
TABLE_DEFINE(table1, "table1.csv", TABLE1_COLUMNS)

/* Operations a second at saturation, by servers and percent reads. */
static const struct paper_figure published_table1[] = {
    {13, 100, 460e3}, {9, 100, 296e3}, {7, 100, 257e3}, {5, 100, 165e3}, {3, 100, 87e3},
    {13, 0, 8e3},     {9, 0, 12e3},    {7, 0, 14e3},    {5, 0, 18e3},    {3, 0, 21e3},
};

static const struct paper_claim claims_table1[] = {
    {PAPER_SERVERS, .words = "reads rise", .row = "reads rise", .noun = "servers"},
    {PAPER_SERVERS, .first = true, .falls = true, .words = "writes fall", .row = "writes fall",
     .noun = "servers"},
    {PAPER_ENDS, .words = "throughput rises with the share of reads", .row = "rises with reads",
     .fixed = "server"},
};

static const struct row_column columns_table1[] = {
    {.column = table1_servers},
    {.column = table1_reads_percent, .over = "reads,", .title = "%"},
    {.column = table1_achieved_per_s, .over = "ours,", .title = "1/s"},
    {.column = table1_achieved_per_s_low, .over = "95 %", .title = "from", .spare = 1},
    {.column = table1_achieved_per_s_high, .over = "", .title = "to", .spare = 1},
    {.column = table1_paper_per_s, .over = "paper,", .title = "1/s"},
    {.column = table1_starved, .over = "trials", .title = "starved"},
};

static const struct option_row rows_table1[] = {
    PAPER_ROW_SERVERS("1,3,5", "1,3,5,7,9,13"),
    {.name = "--reads",
     .parse = option_row_levels,
     .member = PAPER_MEMBER(reads),
     .most = 100,
     .expected = "expected percents from 0 to 100, such as 0,100 or 0..100+20",
     .value = "0..100+20",
     .help = "      --reads LIST         percent of reads, 0 and 100 among them [0..100+20]\n"},
    PAPER_ROW_SESSIONS("--sessions", "60", "expected a whole number from 1 to 100000",
                       "  -n, --sessions N         the paper: 250 [60]\n"),
    LOAD_ROW_DEPTH("20"),
    PAPER_ROWS_LOAD("5s", "2s"),
    PAPER_ROWS_COMMON,
};

static bool check_table1(const struct paper_options *options)
{
    const struct levels *reads = &options->load.reads;
    const struct target_options *target = &options->load.target;
    unsigned long long least = reads->list[0], most = reads->list[reads->count - 1];
    char value[64];
    if (target->topology_count < 2 && !target->connect)
        return complain_number("paper table1", "--servers", target->server_counts[0],
                               "expected two numbers or more, to compare");
    snprintf(value, sizeof value, "%llu to %llu", least, most);
    if (least != 0 || most != 100)
        return complain_value("paper table1", "--reads", value,
                              "expected 0 and 100 among the percents");
    return load_options_suit_driver("paper table1", &options->load, &options->load.mix) &&
           (options->load.sessions.count == 1 ||
            complain_value("paper table1", "--sessions", "a list", "expected one number"));
}

static const char usage_table1[] = PAPER_USAGE(
    "table1", "Throughput against the share of reads and the number of servers (Table 1 and\n"
              "Figure 5 of the paper): do reads rise with the servers, and writes fall?\n");

static const char notes_table1[] = PAPER_NOTES(
    "  zkherd paper table1                             about ten minutes\n"
    "  zkherd paper table1 --servers 1,3 --reads 0,100 the ends of two curves\n"
    "  zkherd paper table1 -d simulated                by the simulation's cost model\n");

const struct evaluation evaluation_table1 = {
    .name = "table1",
    .arguments = {"paper table1", usage_table1, rows_table1, notes_table1, NULL},
    .simulated = "1,3,5,7,9,13",
    .is_consistent = check_table1,
    .run = run_loads,
    .figures = &table1_table,
    .axes = {{load_row_reads_percent, offsetof(struct paper_options, load.reads)}},
    .axis_count = 1,
    .complete = load_row_complete,
    .valid = load_row_valid,
    .metric = load_row_achieved_per_s,
    .mean = statistics_interval_of_logs,
    .cores = load_row_server_cores,
    PAPER_LIST(published, published_table1),
    .published_column = table1_paper_per_s,
    PAPER_LIST(claims, claims_table1),
    .quantity = "ratio",
    .unit = "times",
    PAPER_LIST(columns, columns_table1),
};

/* ------------------------------------------------------------------ Table 2 */

#define TABLE2_COLUMNS(X, T)                                                                       \
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

TABLE_DECLARE(table2, TABLE2_COLUMNS);
TABLE_DEFINE(table2, "table2.csv", TABLE2_COLUMNS)

/* Creates a second, by servers and workers; and the mean latency of a create, in milliseconds. */
static const struct paper_figure published_table2[] = {
    {3, 1, 776},   {5, 1, 748},   {7, 1, 758},   {9, 1, 711},   {3, 10, 2074}, {5, 10, 1832},
    {7, 10, 1572}, {9, 10, 1540}, {3, 20, 2740}, {5, 20, 2336}, {7, 20, 1934}, {9, 20, 1890},
};
static const struct paper_figure published_ms[] = {{3, 1, 1.2}, {9, 1, 1.4}};

static void fill_table2(const struct paper_cell *cell, struct table_value *row)
{
    double *latencies_ms = paper_cell_values(cell, load_row_service_mean_us);
    for (size_t i = 0; i < cell->counted.count; i++)
        latencies_ms[i] /= 1e3;
    struct interval latency_ms =
        statistics_interval_of_logs(latencies_ms, cell->counted.count, PAPER_CONFIDENCE);
    free(latencies_ms);
    table_put_interval(&row[table2_latency_mean_ms], &latency_ms);
    row[table2_paper_latency_ms] =
        table_real(paper_published(published_ms, 2, cell->servers, cell->at[0]));
}

static const struct paper_claim claims_table2[] = {
    {PAPER_LEVELS, .words = "creates rise", .row = "rise", .noun = "workers", .fixed = "server"},
    {PAPER_SERVERS, .falls = true, .words = "creates fall", .row = "fall", .noun = "servers",
     .fixed = "worker"},
};

static const struct row_column columns_table2[] = {
    {.column = table2_servers},
    {.column = table2_workers},
    {.column = table2_creates_per_s, .over = "ours,", .title = "creates/s"},
    {.column = table2_latency_mean_ms, .over = "mean", .title = "ms", .decimals = 2},
    {.column = table2_paper_per_s, .over = "paper,", .title = "creates/s"},
    {.column = table2_paper_latency_ms, .over = "mean", .title = "ms", .decimals = 1},
};

static const struct mix creates = {.percent = {[LOAD_CREATE_DELETE] = 100}};

static int run_creates(struct paper *paper)
{
    paper->options.load.mix = creates;
    paper->options.load.depth = 1;
    return run_loads(paper);
}

static const struct option_row rows_table2[] = {
    PAPER_ROW_SERVERS("1,3,5", "1,3,5,7,9"),
    PAPER_ROW_SESSIONS("--workers", "1,10,20", "expected numbers from 1 to 100000, such as 1,10,20",
                       "  -n, --workers LIST       sessions that create, each one znode at a time\n"
                       "                           [1,10,20]\n"),
    PAPER_ROWS_LOAD("5s", "2s"),
    PAPER_ROWS_COMMON,
};

static bool check_table2(const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    if (load->sessions.count < 2 && load->target.topology_count < 2)
        return complain_number(
            "paper table2", "--workers", load->sessions.list[0],
            "expected two numbers or more, of workers or of servers, to compare");
    return load_options_suit_driver("paper table2", load, &creates);
}

static const char usage_table2[] = PAPER_USAGE(
    "table2", "Creates a second, against workers and servers (Table 2 of the paper). A worker\n"
              "creates a znode, waits, sends its delete, and creates the next: do creates rise\n"
              "with the workers, and fall with the servers?\n");

static const char notes_table2[] = PAPER_NOTES(
    "  zkherd paper table2                             about five minutes\n"
    "  zkherd paper table2 --servers 1,3 -n 1,20 -t 5  the ends of two curves\n"
    "  zkherd paper table2 -d simulated                by the simulation's cost model\n");

const struct evaluation evaluation_table2 = {
    .name = "table2",
    .arguments = {"paper table2", usage_table2, rows_table2, notes_table2, NULL},
    .simulated = "1,3,5,7,9",
    .is_consistent = check_table2,
    .run = run_creates,
    .figures = &table2_table,
    .axes = {{load_row_sessions, offsetof(struct paper_options, load.sessions)}},
    .axis_count = 1,
    .complete = load_row_complete,
    .valid = load_row_valid,
    .metric = load_row_achieved_per_s,
    .mean = statistics_interval_of_logs,
    PAPER_LIST(published, published_table2),
    .published_column = table2_paper_per_s,
    .fill = fill_table2,
    PAPER_LIST(claims, claims_table2),
    .quantity = "ratio",
    .unit = "times",
    PAPER_LIST(columns, columns_table2),
};
