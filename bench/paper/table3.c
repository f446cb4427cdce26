// SPDX-License-Identifier: Apache-2.0
/*
 * Table 3 of the paper: the time of double barriers against their number and that of the clients.
 *
 * The claim is that it grows linearly with the barriers for each number of clients, and with the
 * clients for each number of barriers: the exponent, by least squares of the logarithms of all
 * valid trials, has a 95 % t-interval within 1 ± FIT_MARGIN (measure/fit.h).
 */
#include "bench/paper/table3.h"

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/output/trial_findings.h"
#include "bench/paper/internal.h"
#include "measure/fit.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each has a folder, and its znodes are listed and deleted after the trial. */
#define BARRIERS_MAX 100000

TABLE_DEFINE(table3_row, "barriers.csv", TABLE3_ROW_COLUMNS)

/* Entries and departures of all clients: the barrier operations of the paper. */
static double passages_of(const struct paper_cell *cell)
{
    return 2.0 * (double)cell->at[0] * (double)cell->at[1];
}

/* ------------------------------------------------------------------ the row of a trial */

/* A lost connection adds requests, which is no fault of the counts. */
static void judge_trial(const struct trial_result *result, double cores_allowed,
                        struct table_value *row)
{
    const struct trial_plan *plan = result->memory->plan;
    struct validity validity = {0};
    bool complete = result->end == END_DONE, fails = result->violation_count > 0;
    char text[256];
    if (fails)
        validity_lose(&validity, "%s",
                      violation_describe(&result->memory->violations[0], text, sizeof text));
    if (!complete && result->end != END_VIOLATION)
        validity_lose(&validity, "%s", result->reason);
    if (result->not_valid[0] != '\0')
        validity_lose(&validity, "%s", result->not_valid);
    if (complete && result->losses == 0 &&
        !law_barriers_agree(&result->total, plan->fleet.sessions, plan->barriers, text,
                            sizeof text)) {
        fails = true;
        validity_lose(&validity, "%s", text);
    }
    if (complete && plan->fleet.driver != DRIVER_SIMULATED)
        validity_judge_trial(result, cores_allowed, &validity);
    row[table3_row_complete] = table_flag(complete);
    row[table3_row_valid] = table_flag(!validity.lost);
    row[table3_row_fails] = table_flag(fails);
    row[table3_row_reason] = table_text(validity.reason);
}

void table3_fill_row(const struct trial_result *result, double cores_allowed,
                     struct table_value *row)
{
    const struct trial_plan *plan = result->memory->plan;
    const struct server_counters_count *servers = &result->servers;
    const uint64_t *of = result->total.of;
    row[table3_row_creates] = table_count(of[TALLY_CREATE]);
    row[table3_row_creates_failed] = table_count(of[TALLY_CREATE_FAILED]);
    row[table3_row_exists] = table_count(of[TALLY_EXISTS]);
    row[table3_row_get_children] = table_count(of[TALLY_GET_CHILDREN]);
    row[table3_row_deletes] = table_count(of[TALLY_DELETE]);
    row[table3_row_notifications] = table_count(of[TALLY_NOTIFICATION]);
    row[table3_row_names_listed] = table_count(of[TALLY_NAMES_LISTED]);
    row[table3_row_bytes_sent] = table_count(of[TALLY_BYTES_SENT]);
    row[table3_row_bytes_received] = table_count(of[TALLY_BYTES_RECEIVED]);
    row[table3_row_clients] = table_count(plan->fleet.sessions);
    row[table3_row_barriers] = table_count(plan->barriers);
    row[table3_row_client_s] = table_real((double)result->client_ns / 1e9);
    row[table3_row_elapsed_s] = table_real((double)result->elapsed_ns / 1e9);
    row[table3_row_rpcs] = table_count(tally_rpcs(&result->total));
    row[table3_row_client_cpu_s] = table_real((double)result->client_cpu_ns / 1e9);
    row[table3_row_server_cpu_s] =
        table_real(servers->cpu_known ? (double)servers->cpu_ns / 1e9 : NAN);
#define SET(A, B, name, keys, word, meaning)                                                       \
    row[table3_row_server_##name] = table_count_if(servers->known, servers->name);
    FOUR_LETTER_OF_TRIALS(SET, , )
#undef SET
    if (servers->known)
        row[table3_row_watches_leaked] = table_signed(servers->watches);
    row[table3_row_reconciled] = table_text(reconcile_words[result->reconcile.reconciled]);
    row[table3_row_violations] = table_count(result->violation_count);
    row[table3_row_reconnects] = table_count(result->reconnects);
    judge_trial(result, cores_allowed, row);
}

/* ------------------------------------------------------------------ the series */

struct table3_series {
    struct series base;
    struct paper *paper;
    struct trial_plan plan; /* of the present trial */
};

static json_t *describe_plan(const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    uint32_t cpu_percent = load->target.cpu_percent;
    return json_pack(
        "{s:s, s:o, s:o, s:i, s:b, s:i, s:o, s:I, s:I}", "experiment", "table3", "clients",
        load_options_describe(load->sessions.list, load->sessions.count), "barriers",
        load_options_describe(options->barriers.list, options->barriers.count), "trials",
        (int)load->trials, "rehearsal", load->rehearses, "processes", (int)load->processes,
        "server_cpu_percent", cpu_percent > 0 ? json_integer(cpu_percent) : json_null(),
        "session_timeout_ms", (json_int_t)(load->session_timeout_ns / NS_PER_MS), "timeout_ms",
        (json_int_t)(load->timeout_ns / NS_PER_MS));
}

/* Each round makes one trial of each cell; the largest cell of each topology, its last, is
 * rehearsed. */
static enum error_kind lay_out(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct paper *paper = series->paper;
    const struct load_options *load = &paper->options.load;
    struct rounds *rounds = &series->base.rounds;
    (void)error;
    series->base.plan = describe_plan(&paper->options);
    paper_lay_out(paper);
    rounds_init(rounds, paper->cell_count);
    for (size_t i = 0; i < paper->cell_count; i++) {
        const struct paper_cell *cell = &paper->cells[i];
        bool is_last = i + 1 == paper->cell_count || cell[1].topology != cell->topology;
        rounds->cells[i] = (struct rounds_cell){.topology = cell->topology,
                                                .alike = cell->topology,
                                                .cost = passages_of(cell),
                                                .rehearsed = load->rehearses && is_last};
    }
    rounds_lay_out(rounds, load->trials, load->seed);
    return ERROR_NONE;
}

static enum error_kind begin(void *context, struct error *error)
{
    (void)error;
    series_announce_demand(&((const struct table3_series *)context)->base,
                           "each of which sends its next request as soon as it may; others who use "
                           "these servers will notice");
    return ERROR_NONE;
}

/* The progress callback of a trial. */
static void show_trial(void *context, const struct trial_progress *progress)
{
    const struct table3_series *series = context;
    uint32_t clients = series->plan.fleet.sessions, number = series->base.trial->number;
    char what[64];
    snprintf(what, sizeof what, "%u clients, %u barriers%s", clients, series->plan.barriers,
             number == 0 ? ", rehearsal" : "");
    const struct progress_name name = {series_topology(&series->base), what, number, clients};
    progress_show(&series->base.progress, &name, progress);
}

static void describe_trial(const struct table_value *row, char *text, size_t size)
{
    snprintf(text, size, "trial %u with %u clients and %u barriers",
             (unsigned)row[table3_row_trial].count, (unsigned)row[table3_row_clients].count,
             (unsigned)row[table3_row_barriers].count);
}

static const struct trial_kind of_trials = {.subject = table3_row_target,
                                            .valid = table3_row_valid,
                                            .reason = table3_row_reason,
                                            .reconciled = table3_row_reconciled,
                                            .noise = table3_row_attempt,
                                            .fails = table3_row_fails,
                                            .describe = describe_trial};

static enum error_kind keep_trial(struct table3_series *series, struct series_record *record,
                                  const struct trial_result *result, struct error *error)
{
    struct table_value *row = table_add(&record->rows);
    table3_fill_row(result, cores_allowed(), row);
    row[table3_row_run] = table_text(record->files.run);
    row[table3_row_target] = table_text(record->target);
    row[table3_row_servers] = table_count(record->servers);
    row[table3_row_trial] = table_count(series->base.trial->number);
    row[table3_row_seed] = table_count(series->paper->options.load.seed);
    const struct noise_attempt attempt = {.complete = row[table3_row_complete].flag,
                                          .stalled = result->stalls.count > 0,
                                          .others_packets = result->reconcile.others_packets};
    noise_watch_end(&series->base.noise, &of_trials, row, &attempt);
    if (!series_keeps(&series->base, record, result->memory->fleet, result->reconcile.why))
        return ERROR_NONE;
    table_write_row(&table3_row_table, row, &record->csv);
    return file_set_commit(&record->files, error);
}

static enum error_kind run_trial(void *context, struct error *error)
{
    struct table3_series *series = context;
    struct series *base = &series->base;
    const struct load_options *load = &series->paper->options.load;
    const struct paper_cell *cell = &series->paper->cells[base->trial->cell];
    const struct target *target = &base->targets.list[cell->topology];
    struct trial_result *result = NULL;
    series->plan = (struct trial_plan){
        .fleet = {.driver = load->target.driver,
                  .sessions = (uint32_t)cell->at[0],
                  .processes = load->processes,
                  .session_timeout_ms = (uint32_t)(load->session_timeout_ns / NS_PER_MS),
                  .timeout_ns = load->timeout_ns,
                  .seed = load->seed + base->trial->number,
                  .servers = &target->placement},
        .recipe = &recipe_barrier,
        .workload = WORKLOAD_DRAIN,
        .pace = PACE_FREE,
        .locks = 1,
        .barriers = (uint32_t)cell->at[1],
        .tolerates_brief_stalls = load->target.noise.mode == NOISE_OFF,
        .root = base->root,
    };
    const struct fleet_host host = target_host(target, base->targets.signals);
    const struct trial_watch watch = {.progress = show_trial, .context = series};
    enum error_kind kind = trial_run(&series->plan, &host, &watch, &result, error);
    progress_clear(&base->progress);
    if (kind == ERROR_NONE && base->trial->number > 0)
        kind = keep_trial(series, &base->records[cell->topology], result, error);
    trial_result_free(result);
    return kind;
}

static enum error_kind add_findings(void *context, struct series_record *record, bool whole,
                                    struct error *error)
{
    const struct table3_series *series = context;
    (void)whole;
    (void)error;
    trial_findings_add_faults(&of_trials, &record->rows, "", &record->findings);
    trial_findings_add_servers(&of_trials, &record->rows, &record->findings);
    trial_findings_add_noise(&of_trials, &record->rows, &series->base.noise,
                             record->made_again.rows, &record->findings);
    return ERROR_NONE;
}

static int finish(void *context)
{
    const struct table3_series *series = context;
    return paper_finish(series->paper, &series->base);
}

static int run_table3(struct paper *paper)
{
    static const struct series_user user = {.lay_out = lay_out,
                                            .rows = &table3_row_table,
                                            .begin = begin,
                                            .make = run_trial,
                                            .finish = add_findings,
                                            .print_results = finish};
    struct load_options *load = &paper->options.load;
    const struct series_options options = {.subcommand = paper->evaluation->arguments.subcommand,
                                           .target = &load->target,
                                           .output = &load->output,
                                           .clients = &load->sessions,
                                           .processes = load->processes,
                                           .seed = load->seed};
    struct table3_series series = {.paper = paper};
    load->rehearses = load->target.driver != DRIVER_SIMULATED;
    int status = series_run(&series.base, &options, &user, &series, paper->argc, paper->argv);
    paper->interrupted = series.base.interrupted;
    series_deinit(&series.base);
    return status;
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
    X(T, zookeeper_operations_per_s, REAL, "1/s", 1, NONE, "their requests, divided by the same")  \
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
static struct interval mean_above_zero(const double *values, size_t count, double confidence)
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
    double passages = (double)trials->count * passages_of(cell);
    double elapsed_s = table_cell_sum(trials, table3_row_elapsed_s, TABLE_ALL);
    double requests = table_cell_sum(trials, table3_row_rpcs, TABLE_ALL);
    double writes = table_cell_sum(trials, table3_row_creates, TABLE_ALL) +
                    table_cell_sum(trials, table3_row_deletes, TABLE_ALL);
    row[table3_barrier_operations_per_s] = table_real(passages / elapsed_s);
    row[table3_zookeeper_operations_per_s] = table_real(requests / elapsed_s);
    row[table3_reads_to_writes] = table_real((requests - writes) / writes);
}

/* ------------------------------------------------------------------ the judgements */

/* The exponent of the paper's own figures; NaN if it has none with this number of the others. */
static double exponent_of_paper(bool of_barriers, uint64_t fixed)
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

/* The exponent of the trials as points, in cells so far apart; NaN if one has no valid trial. */
static struct interval fit_cells(const struct paper_cell *first, size_t step, size_t cells,
                                 bool of_barriers, size_t *trials)
{
    size_t most = 0, points = 0;
    bool valid = true;
    for (size_t i = 0; i < cells; i++)
        most += first[i * step].counted.count;
    double *x = memory_new(2 * most, sizeof *x), *y = x + most;
    for (size_t i = 0; i < cells; i++) {
        const struct paper_cell *cell = &first[i * step];
        valid = valid && cell->valid > 0;
        *trials += cell->valid;
        for (size_t k = 0; k < cell->counted.count; k++) {
            x[points] = (double)cell->at[of_barriers];
            y[points++] = cell->values[k];
        }
    }
    struct fit_exponent fit = fit_exponent(x, y, valid ? points : 0);
    free(x);
    return (struct interval){fit.exponent, fit.low, fit.high};
}

/* Holds if the interval is within the margin about 1, fails if it lies on one side of that; a
 * comparison with NaN is false. */
static enum verdict judge_exponent(const struct interval *exponent)
{
    double least = 1 - FIT_MARGIN, most = 1 + FIT_MARGIN;
    if (exponent->low >= least && exponent->high <= most)
        return VERDICT_HOLDS;
    return exponent->high < least || exponent->low > most ? VERDICT_FAILS : VERDICT_UNDETERMINED;
}

/* Judges the cells along one axis, from the first cell on. In the table for people the servers are
 * named if there are several numbers of them. */
static void judge_line(struct paper *paper, const struct paper_cell *first, bool of_barriers)
{
    size_t cells = paper->lengths[of_barriers], step = of_barriers ? 1 : paper->lengths[1];
    uint64_t fixed = first->at[!of_barriers];
    bool several = paper->options.load.target.topology_count > 1;
    char growth[64], servers[32], claim[200], row[200];
    snprintf(growth, sizeof growth, "%s, %u %s%s", of_barriers ? "barriers" : "clients",
             (unsigned)fixed, of_barriers ? "client" : "barrier", text_plural(fixed));
    snprintf(servers, sizeof servers, ", %u server%s", (unsigned)first->servers,
             text_plural(first->servers));
    snprintf(claim, sizeof claim, "time grows linearly with the %s%s", growth, servers);
    snprintf(row, sizeof row, "%s%s%s", several ? "" : "linear in ", growth,
             several ? servers : "");
    struct judgement judgement = {.claim = claim,
                                  .row = row,
                                  .servers = first->servers,
                                  .paper = exponent_of_paper(of_barriers, fixed)};
    judgement.ours = fit_cells(first, step, cells, of_barriers, &judgement.trials);
    judgement.verdict = judge_exponent(&judgement.ours);
    paper_add(paper, &judgement);
}

/* A line of one cell shows no growth. */
static void judge_lines(struct paper *paper)
{
    for (size_t i = 0; i < paper->options.load.target.topology_count; i++) {
        for (size_t n = 0; paper->lengths[1] > 1 && n < paper->lengths[0]; n++)
            judge_line(paper, paper_cell_at(paper, i, n, 0), true);
        for (size_t b = 0; paper->lengths[0] > 1 && b < paper->lengths[1]; b++)
            judge_line(paper, paper_cell_at(paper, i, 0, b), false);
    }
}

/* ------------------------------------------------------------------ the evaluation */

static const struct row_column columns[] = {
    {.column = table3_servers},
    {.column = table3_clients},
    {.column = table3_barriers},
    {.column = table3_seconds, .over = "ours,", .title = "s", .decimals = 3},
    {.column = table3_seconds_low, .over = "95 %", .title = "from", .decimals = 3, .spare = 2},
    {.column = table3_seconds_high, .over = "", .title = "to", .decimals = 3, .spare = 2},
    {.column = table3_paper_seconds, .over = "paper,", .title = "s", .decimals = 1},
    {.column = table3_barrier_operations_per_s, .over = "passages", .title = "1/s"},
    {.column = table3_zookeeper_operations_per_s, .over = "requests", .title = "1/s"},
    {.column = table3_reads_to_writes, .title = "reads/writes", .spare = 3, .decimals = 1},
};

static const struct option_row rows[] = {
    PAPER_ROW_SESSIONS("--clients", "50,100,200",
                       "expected whole numbers from 1 to 100000, such as 50,100 or 25..200x2",
                       "  -n, --clients LIST       numbers of clients, as in the paper "
                       "[50,100,200]\n"),
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

/* A line has two points at least. */
static bool check_table3(const struct paper_options *options)
{
    return options->barriers.count > 1 || options->load.sessions.count > 1 ||
           complain_number("paper table3", "--barriers", options->barriers.list[0],
                           "expected two numbers or more, of barriers or of clients, to compare");
}

static const char usage[] = PAPER_USAGE(
    "table3", "The time in which all clients enter a number of double barriers and leave them\n"
              "(Table 3 of the paper): does it grow linearly with barriers and clients?\n");

static const char notes[] = PAPER_NOTES(
    "  zkherd paper table3                             about two minutes\n"
    "  zkherd paper table3 --barriers 200..1600x2 -t 5 the paper's plan\n"
    "  zkherd paper table3 -n 10,20 --barriers 25,50   half a minute\n"
    "  zkherd paper table3 -d simulated                by the simulation's cost model\n");

const struct evaluation evaluation_table3 = {
    .name = "table3",
    .arguments = {"paper table3", usage, rows, notes, NULL},
    .simulated = "3",
    .is_consistent = check_table3,
    .run = run_table3,
    .figures = &table3_table,
    .axes = {{table3_row_clients, offsetof(struct paper_options, load.sessions)},
             {table3_row_barriers, offsetof(struct paper_options, barriers)}},
    .axis_count = 2,
    .complete = table3_row_complete,
    .valid = table3_row_valid,
    .metric = table3_row_client_s,
    .mean = mean_above_zero,
    PAPER_LIST(published, published),
    .published_column = table3_paper_seconds,
    .fill = fill,
    .judge = judge_lines,
    .quantity = "exponent",
    .unit = "power",
    PAPER_LIST(columns, columns),
};
