// SPDX-License-Identifier: Apache-2.0
/*
 * Table 3 of the paper: the time of double barriers against their number and that of the clients.
 *
 * As in the paper, the time of a trial is the mean over its clients of the time in which a client
 * enters all barriers and leaves them, and the time of a cell the mean over its trials.
 *
 * Judged is that this time grows linearly with the barriers, for each number of clients, and with
 * the clients, for each number of barriers: as a power of them whose exponent, by least squares of
 * the logarithms of all valid trials, has a 95 % t-interval within 1 ± FIT_MARGIN (measure/fit.h).
 */
#include "bench/paper/internal.h"

#include "base/memory.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"

#include <math.h>
#include <stdlib.h>

/* Each has a folder, and its znodes are listed and deleted after the trial. */
#define BARRIERS_MAX 100000

static const struct option_row rows[] = {
    {.name = "--clients",
     .letter = 'n',
     .parse = option_row_levels,
     .member = OPTION_MEMBER(struct paper_options, load.sessions),
     .least = 1,
     .most = FLEET_SESSIONS_MAX,
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
    if (options->barriers.count > 1 || options->load.sessions.count > 1)
        return true;
    return complain_number("paper table3", "--barriers", options->barriers.list[0],
                           "expected two numbers or more, of barriers or of clients, to compare");
}

/* ------------------------------------------------------------------ the figures */

#define COLUMNS(X, T)                                                                              \
    X(T, servers, COUNT, "", 0, KEY, "the cell")                                                   \
    X(T, clients, COUNT, "", 0, KEY, "the cell")                                                   \
    X(T, barriers, COUNT, "", 0, KEY, "the cell")                                                  \
    X(T, trials, COUNT, "", 0, NONE, "the trials that were led to their end")                      \
    X(T, valid, COUNT, "", 0, NONE, "of these the valid ones")                                     \
    X(T, seconds, REAL, "s", 4, NONE, "the mean of `client_s`")                                    \
    X(T, seconds_low, REAL, "s", 4, NONE, "its 95 % t-interval, cut at 0")                         \
    X(T, seconds_high, REAL, "s", 4, NONE, "its 95 % t-interval")                                  \
    X(T, barrier_operations_per_s, REAL, "1/s", 1, NONE,                                           \
      "entries and departures of all clients, of these trials together over their `elapsed_s`")    \
    X(T, zookeeper_operations_per_s, REAL, "1/s", 1, NONE, "their requests, likewise")             \
    X(T, reads_to_writes, REAL, "", 3, NONE,                                                       \
      "EXISTS and getChildren, divided by CREATE and DELETE")                                      \
    X(T, paper_seconds, REAL, "s", 1, NONE, "the paper's figure")

TABLE_DECLARE(table3, COLUMNS);
TABLE_DEFINE(table3, "table3.csv", COLUMNS)

/* Seconds, the average over five runs, by clients and barriers. The paper does not say how many
 * servers. */
static const struct paper_figure published[] = {
    {50, 200, 9.4},    {100, 200, 19.8}, {200, 200, 41.0},   {50, 400, 16.4},
    {100, 400, 34.1},  {200, 400, 62.0}, {50, 800, 28.9},    {100, 800, 55.9},
    {200, 800, 112.1}, {50, 1600, 54.0}, {100, 1600, 102.7}, {200, 1600, 234.4},
};

#define PUBLISHED (sizeof published / sizeof published[0])

/* An interval of few trials may reach below 0. */
static struct interval mean(const double *values, size_t count, double confidence)
{
    struct interval seconds = statistics_interval(values, count, confidence);
    if (seconds.low < 0)
        seconds.low = 0;
    return seconds;
}

/* Rates are total work over total time. A write that fails is one, too: the servers order it. */
static void fill(const struct paper_cell *cell, struct table_value *row)
{
    const struct table_cell *trials = &cell->counted;
    double passages = (double)trials->count * (double)table3_passages(cell->at[0], cell->at[1]);
    double elapsed_s = table_cell_sum(trials, table3_row_elapsed_s, TABLE_ALL);
    double requests = table_cell_sum(trials, table3_row_rpcs, TABLE_ALL);
    double writes = table_cell_sum(trials, table3_row_creates, TABLE_ALL) +
                    table_cell_sum(trials, table3_row_deletes, TABLE_ALL);
    table_put_interval(&row[table3_seconds], &cell->mean);
    row[table3_barrier_operations_per_s] = table_real(passages / elapsed_s);
    row[table3_zookeeper_operations_per_s] = table_real(requests / elapsed_s);
    row[table3_reads_to_writes] = table_real((requests - writes) / writes);
    row[table3_paper_seconds] = table_real(cell->published);
}

double table3_paper_exponent(bool of_barriers, uint64_t fixed)
{
    double x[PUBLISHED], y[PUBLISHED];
    size_t count = 0;
    for (size_t i = 0; i < PUBLISHED; i++) {
        if ((of_barriers ? published[i].x : published[i].y) != fixed)
            continue;
        x[count] = (double)(of_barriers ? published[i].y : published[i].x);
        y[count++] = published[i].value;
    }
    return fit_exponent(x, y, count).exponent;
}

/* ------------------------------------------------------------------ the judgements */

/* The cells of a line: with one number of clients, or with one of barriers. */
struct line {
    const struct paper_cell *first;
    size_t count, step;
    bool of_barriers;
};

/* By the trials of the cells as points; none if a cell has no valid trial. */
static struct interval fit_line_of(const struct line *line)
{
    size_t most = 0, points = 0;
    bool valid = true;
    for (size_t i = 0; i < line->count; i++)
        most += line->first[i * line->step].counted.count;
    double *x = memory_new(2 * most, sizeof *x), *y = x + most;
    for (size_t i = 0; i < line->count; i++) {
        const struct paper_cell *cell = &line->first[i * line->step];
        valid = valid && cell->valid > 0;
        for (size_t k = 0; k < cell->counted.count; k++) {
            x[points] = (double)cell->at[line->of_barriers];
            y[points++] = cell->values[k];
        }
    }
    struct fit_exponent fit = fit_exponent(x, y, valid ? points : 0);
    free(x);
    return (struct interval){fit.exponent, fit.low, fit.high};
}

/* In the table for people the servers are named if there are several numbers of them. */
static void name_line(const struct line *line, bool several, struct judgement *judgement)
{
    const struct paper_cell *cell = line->first;
    unsigned long long fixed = cell->at[!line->of_barriers];
    char growth[64], servers[32];
    snprintf(growth, sizeof growth, "%s, %llu %s%s", line->of_barriers ? "barriers" : "clients",
             fixed, line->of_barriers ? "client" : "barrier", fixed == 1 ? "" : "s");
    snprintf(servers, sizeof servers, ", %llu server%s", (unsigned long long)cell->servers,
             cell->servers == 1 ? "" : "s");
    snprintf(judgement->claim, sizeof judgement->claim, "time grows linearly with the %s%s", growth,
             servers);
    snprintf(judgement->row, sizeof judgement->row, "%s%s%s", several ? "" : "linear in ", growth,
             several ? servers : "");
}

static void judge_line(struct paper_cells *cells, const struct line *line)
{
    if (line->count < 2)
        return;
    struct judgement *judgement = judgements_add(&cells->judgements);
    name_line(line, cells->topologies > 1, judgement);
    judgement->servers = line->first->servers;
    judgement->ours = fit_line_of(line);
    judgement->paper =
        table3_paper_exponent(line->of_barriers, line->first->at[!line->of_barriers]);
    judgement->verdict =
        verdict_lies(&judgement->ours, TABLE3_EXPONENT_LEAST, TABLE3_EXPONENT_MOST);
}

static void judge(struct paper_cells *cells)
{
    size_t clients = cells->lengths[0], barriers = cells->lengths[1];
    cells->judgements.quantity = "exponent";
    cells->judgements.unit = "power";
    for (size_t i = 0; i < cells->topologies; i++) {
        for (size_t n = 0; n < clients; n++)
            judge_line(cells, &(struct line){paper_cells_at(cells, i, n, 0), barriers, 1, true});
        for (size_t b = 0; b < barriers; b++)
            judge_line(cells,
                       &(struct line){paper_cells_at(cells, i, 0, b), clients, barriers, false});
    }
}

const struct paper_design design_table3 = {
    .figures = &table3_table,
    .axes = {{table3_row_clients, offsetof(struct paper_options, load.sessions)},
             {table3_row_barriers, offsetof(struct paper_options, barriers)}},
    .axis_count = 2,
    .complete = table3_row_complete,
    .valid = table3_row_valid,
    .metric = table3_row_client_s,
    .mean = mean,
    .published = published,
    .published_count = PUBLISHED,
    .fill = fill,
    .judge = judge,
};

/* ------------------------------------------------------------------ for people */

static const struct paper_column columns_of_figures[] = {
    {{.title = "servers", .right = true}, .of = table3_servers, .if_several = true},
    {{.title = "clients", .right = true}, .of = table3_clients},
    {{.title = "barriers", .right = true}, .of = table3_barriers},
    {{.over = "ours,", .title = "s", .right = true},
     .of = table3_seconds,
     .decimals = PAPER_SECONDS},
    {{.over = "interval", .title = "95 %", .right = true, .spare = 1},
     .of = table3_seconds_low,
     .decimals = PAPER_INTERVAL},
    {{.over = "paper,", .title = "s", .right = true}, .of = table3_paper_seconds, .decimals = 1},
    {{.over = "passages", .title = "1/s", .right = true}, .of = table3_barrier_operations_per_s},
    {{.over = "requests", .title = "1/s", .right = true}, .of = table3_zookeeper_operations_per_s},
    {{.over = "reads to", .title = "writes", .right = true, .spare = 2},
     .of = table3_reads_to_writes,
     .decimals = 1},
};

static void explain(const struct table *cells, const struct load_options *options, FILE *stream)
{
    char servers[120];
    (void)cells;
    wrap_sentence(
        stream,
        "Linear: the time grows as a power of the number of barriers or clients, and the "
        "95 %% interval of the exponent lies within %.2f to %.2f. The paper calls its own "
        "growth roughly linear: its times have exponents of 0.78 to 0.84 in barriers, and "
        "of 0.96 to 1.06 in clients.",
        TABLE3_EXPONENT_LEAST, TABLE3_EXPONENT_MOST);
    wrap_sentence(
        stream,
        "A time runs from the common start until a client has entered and left all "
        "barriers, and is the average over the clients and over %u trials; each entry "
        "and each departure of a client is a passage. Ours: %s. The paper's: five runs of "
        "50, 100 and 200 clients; it does not say how many servers; 1,950 to 3,100 "
        "passages and 10,700 to 17,000 requests a second, four reads to a write.",
        options->trials, paper_servers_describe(&options->target, servers, sizeof servers));
}

const struct experiment experiment_table3 = {
    .name = "table3",
    .command = {.arguments = {"paper table3", usage, rows, notes, NULL},
                .simulated = "3",
                .is_consistent = is_consistent},
    .lead = table3_lead,
    .design = &design_table3,
    .columns = columns_of_figures,
    .column_count = sizeof columns_of_figures / sizeof columns_of_figures[0],
    .explain = explain,
};
