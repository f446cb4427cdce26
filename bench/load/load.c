// SPDX-License-Identifier: Apache-2.0
#include "bench/load/load.h"

#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/load_series.h"
#include "bench/page/page.h"
#include "bench/target/target.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define ZNODES_MAX  1000000
#define GAP         2 /* blanks between two columns */
#define NONE_UNSENT "0"
#define AT_LEAST    ">= "
#define MIX_COLUMNS 76 /* of a mix, behind the word */

/* ------------------------------------------------------------------ the command line */

static bool parse_mix(struct option_given *given)
{
    return mix_parse(given->value, option_row_place(given), given->why, sizeof given->why);
}

static bool parse_znodes(struct option_given *given)
{
    uint32_t *znodes = option_row_place(given);
    *znodes = 0;
    return strcmp(given->value, "own") == 0 || option_row_number(given);
}

#define MEMBER(member) OPTION_MEMBER(struct load_options, member)

static const struct option_row option_rows[] = {
    {.name = "--mix",
     .letter = 'm',
     .parse = parse_mix,
     .member = MEMBER(mix),
     .given = MEMBER(mix_given),
     .value = "get=80,set=20",
     .help = "  -m, --mix LIST           percent of get, exists, children, set, create,\n"
             "                           delete, multi, trylock, create-delete [get=80,set=20]\n"},
    {.name = "--reads",
     .parse = option_row_levels,
     .member = MEMBER(reads),
     .most = 100,
     .expected = "expected percents from 0 to 100, such as 80 or 0..100+20",
     .help = "      --reads LIST         instead: percent get, the rest set; 0..100+20\n"},
    {.name = "--sessions",
     .letter = 'n',
     .parse = option_row_levels,
     .member = MEMBER(sessions),
     .least = 1,
     .most = FLEET_SESSIONS_MAX,
     .expected = "expected at most 4096 numbers from 1 to 100000, such as 10,20 or 8..256x2",
     .value = "20",
     .help = "  -n, --sessions LIST      numbers of sessions [20]\n"},
    LOAD_ROW_DEPTH("1"),
    {.name = "--rate",
     .parse = option_row_levels,
     .member = MEMBER(rates),
     .least = 1,
     .most = 10000000,
     .expected = "expected operations a second from 1 to 10000000, such as 5000 or 1000..8000x2",
     .help = "      --rate LIST          operations a second that are offered [closed loop]\n"},
    {.name = "--arrivals",
     OPTION_WORD(struct load_options, poisson, load_options_arrivals,
                 "expected constant or poisson"),
     .given = MEMBER(arrivals_given),
     .value = "constant",
     .help = "      --arrivals KIND      of a rate: constant or poisson [constant]\n"},
    LOAD_ROW_SIZE("1024"),
    {.name = "--znodes",
     .parse = parse_znodes,
     .member = MEMBER(znodes),
     .least = 1,
     .most = ZNODES_MAX,
     .expected = "expected own, or how many znodes all sessions share, at most 1000000",
     .value = "own",
     .help = "      --znodes own|N       data: one znode per session, or N shared by all [own]\n"},
    {.name = "--watch",
     OPTION_NUMBER(struct load_options, watch_percent, 0, 100),
     .expected = "expected a percentage from 0 to 100",
     .value = "0",
     .help = "      --watch PERCENT      of gets and exists leave a watch (fan-out) [0]\n"},
    LOAD_ROW_DURATION("10s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(1, "3"),
    ROW_DRIVER(struct load_options),
    ROW_PROCESSES(struct load_options, processes),
    ROW_SERVERS(struct load_options),
    ROW_CONNECT(struct load_options),
    ROWS_IDENTITY(struct load_options),
    ROW_PLACEMENT(struct load_options),
    ROW_SESSION_TIMEOUT(struct load_options, session_timeout_ns),
    ROW_TIMEOUT(struct load_options, timeout_ns),
    ROW_SEED(struct load_options, seed),
    ROWS_NOISE(struct load_options),
    ROW_OUT(struct load_options),
    ROW_NO_FILES(struct load_options),
    ROW_PLOTS(struct load_options),
    ROW_JSON(struct load_options),
    ROW_QUIET(struct load_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    ROWS_PRIVATE(struct load_options),
    {0},
};

static const char usage[] =
    "Usage: zkherd load [OPTION]...\n"
    "Send a mix of requests to ZooKeeper; each LIST makes trials of its values.\n"
    "\n";

static const char notes[] =
    "\n"
    "Options of private servers: zkherd help servers.\n"
    "Durations D: 500ms, 30s, 5m. Exit status: 0 done; 1 the servers counted or\n"
    "answered otherwise; 2 wrong usage; 3 the environment; 4 not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd load --reads 0..100+20 -n 50 --depth 100   throughput against reads\n"
    "  zkherd load --rate 1000..16000x2                  latency against offered rate\n";

/* ------------------------------------------------------------------ what does not fit together */

static bool reads_data(const struct load_options *options)
{
    for (size_t i = 0; i < load_options_mixes(options); i++) {
        const struct mix mix = load_options_mix(options, i);
        if (mix.percent[LOAD_GET] + mix.percent[LOAD_EXISTS] > 0)
            return true;
    }
    return false;
}

/* Each session remembers a version of each znode that it may watch. */
static bool can_watch(const struct load_options *options)
{
    char value[32], why[160];
    uint64_t sessions = options->sessions.list[options->sessions.count - 1];
    snprintf(value, sizeof value, "%u", options->watch_percent);
    if (options->watch_percent == 0)
        return true;
    if (!reads_data(options))
        return complain_value("load", "--watch", value,
                              "get and exists leave watches, and the mix has neither");
    if (options->znodes == 0 || sessions * options->znodes <= FAN_OUT_WATCHED_MAX)
        return true;
    snprintf(why, sizeof why,
             "%llu sessions of %u znodes each are too many to remember: at most %llu together",
             (unsigned long long)sessions, options->znodes,
             (unsigned long long)FAN_OUT_WATCHED_MAX);
    return complain_value("load", "--watch", value, why);
}

static bool is_consistent(struct load_options *options)
{
    char why[64];
    if (options->mix_given && options->reads.count > 0)
        return complain_value("load", "--reads", "with --mix", "give only one of them");
    if (options->arrivals_given && options->rates.count == 0)
        return complain_value("load", "--arrivals", load_options_arrivals[options->poisson],
                              "in a closed loop, replies decide: add --rate");
    if (options->processes > options->sessions.list[0]) {
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)options->sessions.list[0]);
        return complain_number("load", "--processes", options->processes, why);
    }
    return can_watch(options) && options_write_nowhere("load", &options->output, NULL) &&
           !target_conflicts("load", &options->target, options->processes);
}

int load_command_line_parse(int argc, char **argv, struct load_options *options)
{
    static const struct arguments arguments = {"load", usage, option_rows, notes, NULL};
    *options = (struct load_options){.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        load_options_deinit(options);
    return status;
}

/* ------------------------------------------------------------------ the table */

enum {
    COLUMN_READS,
    COLUMN_SESSIONS,
    COLUMN_RATE,
    COLUMN_ACHIEVED,
    COLUMN_INTERVAL,
    COLUMN_ERRORS,
    COLUMN_UNSENT,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_SENT_P99,
    COLUMN_NOTIFIED_P99,
    COLUMN_VERDICT,
    TABLE_COLUMNS
};

static const struct grid_column columns_of_table[TABLE_COLUMNS] = {
    [COLUMN_READS] = {.title = "reads", .right = true},
    [COLUMN_SESSIONS] = {.over = "ses-", .title = "sions", .right = true},
    [COLUMN_RATE] = {.over = "offered", .title = "1/s", .right = true},
    [COLUMN_ACHIEVED] = {.over = "answered", .title = "1/s", .right = true},
    [COLUMN_INTERVAL] = {.over = "interval", .title = "95 %", .spare = 3, .right = true},
    [COLUMN_ERRORS] = {.title = "errors", .spare = 1, .right = true},
    [COLUMN_UNSENT] = {.title = "unsent", .right = true},
    [COLUMN_P50] = {.over = "response", .title = "p50 ms", .right = true},
    [COLUMN_P99] = {.over = "response", .title = "p99 ms", .right = true},
    [COLUMN_SENT_P99] = {.over = "service", .title = "p99 ms", .spare = 2, .right = true},
    [COLUMN_NOTIFIED_P99] = {.over = "all notified", .title = "p99 ms", .right = true},
    [COLUMN_VERDICT] = {.title = "verdict"},
};

static void put_interval(struct grid *grid, const struct interval *interval)
{
    char low[32], high[32];
    if (isfinite(interval->low))
        grid_put(grid, "%s to %s",
                 text_format_count((uint64_t)(interval->low + 0.5), low, sizeof low),
                 text_format_count((uint64_t)(interval->high + 0.5), high, sizeof high));
    else
        grid_put(grid, GRID_UNKNOWN);
}

static const char *word_of(const struct table_cell *cell)
{
    switch (load_cell_verdict(cell)) {
    case 0:
        return "valid";
    case 1:
        return "FAILS";
    default:
        return table_cell_flags(cell, load_row_driver_bound) > 0 ? "driver" : "not valid";
    }
}

/* "~" before figures of trials that are not valid, where none is. */
static const char *mark_of(const struct table_cell *cell)
{
    return table_cell_flags(cell, load_row_valid) == 0 ? "~" : "";
}

static void put_ms(struct grid *grid, const struct table_cell *cell, size_t column)
{
    struct interval figure = load_cell_figure(cell, column);
    if (!isfinite(figure.value) && isfinite(figure.low))
        grid_put(grid, AT_LEAST "%.2f", figure.low / 1e3);
    else if (isfinite(figure.value))
        grid_put(grid, "%s%.2f", mark_of(cell), figure.value / 1e3);
    else
        grid_put(grid, GRID_UNKNOWN);
}

/* The share of what was due that was never sent. */
static void put_unsent(struct grid *grid, const struct table_cell *cell)
{
    double unsent = table_cell_sum(cell, load_row_unsent, load_row_complete),
           due = table_cell_sum(cell, load_row_offered_per_s, load_row_complete) *
                 table_number(table_cell_value(cell, load_row_seconds));
    if (unsent > 0)
        grid_put(grid, "%.1f %%", 100 * unsent / due);
    else
        grid_put(grid, NONE_UNSENT);
}

static void put_row(struct grid *grid, const struct table_cell *cell)
{
    const struct table_value *rate = table_cell_value(cell, load_row_rate_per_s);
    struct interval achieved = load_cell_figure(cell, load_row_achieved_per_s);
    char number[32];
    grid_put(grid, "%.0f %%", table_number(table_cell_value(cell, load_row_reads_percent)));
    grid_put_whole(grid, table_number(table_cell_value(cell, load_row_sessions)));
    if (rate->kind == TABLE_COUNT)
        grid_put_whole(grid, (double)rate->count);
    else
        grid_put(grid, GRID_UNKNOWN);
    if (isfinite(achieved.value))
        grid_put(grid, "%s%s", mark_of(cell),
                 text_format_count((uint64_t)(achieved.value + 0.5), number, sizeof number));
    else
        grid_put(grid, GRID_UNKNOWN);
    put_interval(grid, &achieved);
    grid_put_whole(grid, table_cell_sum(cell, load_row_errors, load_row_complete));
    put_unsent(grid, cell);
    put_ms(grid, cell, load_row_response_p50_us);
    put_ms(grid, cell, load_row_response_p99_us);
    put_ms(grid, cell, load_row_service_p99_us);
    put_ms(grid, cell, load_row_last_notification_p99_us);
    grid_put(grid, "%s", word_of(cell));
}

static void hide(struct grid *grid, const struct load_options *options, unsigned columns)
{
    grid->hidden[COLUMN_READS] = options->reads.count == 0;
    grid->hidden[COLUMN_RATE] = options->rates.count == 0;
    grid->hidden[COLUMN_INTERVAL] = grid_all_are(grid, COLUMN_INTERVAL, GRID_UNKNOWN);
    grid->hidden[COLUMN_UNSENT] = grid_all_are(grid, COLUMN_UNSENT, NONE_UNSENT);
    grid->hidden[COLUMN_SENT_P99] = options->rates.count == 0;
    grid->hidden[COLUMN_NOTIFIED_P99] = options->watch_percent == 0;
    if (grid_width(grid) > columns && grid_all_are(grid, COLUMN_ERRORS, "0"))
        grid->hidden[COLUMN_ERRORS] = true;
    (void)!grid_fit(grid, columns, 1);
}

/* The one mix of all rows, unless each row has its share of reads. A mix that is too long for a
 * line is broken behind a comma. */
static void write_mix(const struct load_options *options, FILE *stream)
{
    char text[128];
    const struct mix mix = load_options_mix(options, 0);
    size_t first = strlen(mix_format(&mix, text, sizeof text));
    if (options->reads.count > 0)
        return;
    if (first > MIX_COLUMNS)
        for (first = MIX_COLUMNS; text[first - 1] != ',';)
            first--;
    fprintf(stream, "mix %.*s\n", (int)first, text);
    if (text[first] != '\0')
        fprintf(stream, "    %s\n", text + first);
    fputs("\n", stream);
}

void load_table_write(const struct table *rows, const struct load_options *options,
                      unsigned columns, FILE *stream)
{
    struct table_cells cells = load_rows_cells(rows);
    struct grid grid;
    grid_init(&grid, columns_of_table, TABLE_COLUMNS, GAP);
    for (size_t i = 0; i < cells.count; i++)
        put_row(&grid, &cells.list[i]);
    table_cells_deinit(&cells);
    hide(&grid, options, columns);
    write_mix(options, stream);
    grid_write(&grid, columns, stream);
    if (!grid.hidden[COLUMN_UNSENT])
        wrap_sentence(stream,
                      "\nunsent: operations that were due and never sent; each counts as slower "
                      "than all others (>=: at least).");
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_cell(const struct table_cell *cell)
{
    const struct table_value *rate = table_cell_value(cell, load_row_rate_per_s);
    json_t *json = json_pack(
        "{s:s, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:s, s:o, s:o}", "mix",
        table_cell_value(cell, load_row_mix)->text, "reads_percent",
        (json_int_t)table_cell_value(cell, load_row_reads_percent)->count, "sessions",
        (json_int_t)table_cell_value(cell, load_row_sessions)->count, "rate_per_s",
        rate->kind == TABLE_COUNT ? json_integer((json_int_t)rate->count) : json_null(),
        "trials_complete", (json_int_t)table_cell_flags(cell, load_row_complete), "trials_valid",
        (json_int_t)table_cell_flags(cell, load_row_valid), "trials_driver_bound",
        (json_int_t)table_cell_flags(cell, load_row_driver_bound), "trials_miscounted",
        (json_int_t)table_cell_flags(cell, load_row_miscounted), "verdict",
        json_result_verdict(load_cell_verdict(cell)), "errors",
        json_result_count(table_cell_sum(cell, load_row_errors, load_row_complete)), "unsent",
        json_result_count(table_cell_sum(cell, load_row_unsent, load_row_complete)));
    for (size_t i = 0; i < LOAD_CELL_FIGURES; i++) {
        struct interval figure = load_cell_figure(cell, load_cell_figures[i]);
        json_result_set_interval(json, load_row_table.columns[load_cell_figures[i]].name, &figure);
    }
    return json;
}

/* ------------------------------------------------------------------ the whole */

static void write_text(const void *context, const struct series_record *record)
{
    const struct load_series *series = context;
    load_table_write(&record->rows, series->options, terminal_columns(STDOUT_FILENO), stdout);
}

static json_t *describe_cells(const void *context, const struct series_record *record)
{
    struct table_cells cells = load_rows_cells(&record->rows);
    json_t *list = json_array();
    (void)context;
    for (size_t i = 0; i < cells.count; i++)
        json_array_append_new(list, describe_cell(&cells.list[i]));
    table_cells_deinit(&cells);
    return list;
}

/* Each record gets a page, and the cells of all in their common folder. */
static int tell(const struct load_series *series, void *context, int *verdict)
{
    static const struct series_view view = {.write = write_text, .cells = describe_cells};
    const struct output_options *output = &series->options->output;
    (void)context;
    for (size_t i = 0; i < series->base.record_count; i++) {
        const struct series_record *record = &series->base.records[i];
        if (record->rows.rows > 0 && !record->files.broken)
            page_add(record->files.folder, &record->manifest, output->quiet);
    }
    if (series->base.targets.made_out)
        page_add_common(output->out, output->quiet);
    *verdict = series_tell(&series->base, &view);
    return 0;
}

int load_main(int argc, char **argv)
{
    const struct load_series_user user = {
        .subcommand = "load",
        .tell = tell,
        .verdict_of_nothing = json_result_verdict(4),
        .outlives_servers = true,
    };
    struct load_options options;
    int status = load_command_line_parse(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = load_series_lead(&options, &user, argc, argv);
    load_options_deinit(&options);
    return status;
}
