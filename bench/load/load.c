// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/load_series.h"
#include "bench/output/row_grid.h"
#include "bench/page/page.h"
#include "bench/target/target.h"

#include <string.h>
#include <unistd.h>

#define ZNODES_MAX  1000000
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

/* clang-format off */

#define MEMBER(member) OPTION_MEMBER(struct load_options, member)

static const struct option_row option_rows[] = {
    {.name = "--mix", .letter = 'm', .parse = parse_mix, .member = MEMBER(mix),
     .given = MEMBER(mix_given), .value = "get=80,set=20",
     .help = "  -m, --mix LIST           percent of get, exists, children, set, create,\n"
             "                           delete, multi, trylock, create-delete [get=80,set=20]\n"},
    {.name = "--reads", .parse = option_row_levels, .member = MEMBER(reads), .most = 100,
     .expected = "expected percents from 0 to 100, such as 80 or 0..100+20",
     .help = "      --reads LIST         instead: percent get, the rest set; 0..100+20\n"},
    {.name = "--sessions", .letter = 'n', .parse = option_row_levels, .member = MEMBER(sessions),
     .least = 1, .most = FLEET_SESSIONS_MAX, .value = "20",
     .expected = "expected at most 4096 numbers from 1 to 100000: 10,20 or 8..256x2 or 8..64+8",
     .help = "  -n, --sessions LIST      numbers of sessions [20]\n"},
    LOAD_ROW_DEPTH("1"),
    {.name = "--rate", .parse = option_row_levels, .member = MEMBER(rates),
     .least = 1, .most = 10000000,
     .expected = "expected operations a second from 1 to 10000000, such as 5000 or 1000..8000x2",
     .help = "      --rate LIST          operations a second that are offered [closed loop]\n"},
    {.name = "--arrivals", .given = MEMBER(arrivals_given), .value = "constant",
     OPTION_WORD(struct load_options, poisson, load_options_arrivals,
                 "expected constant or poisson"),
     .help = "      --arrivals KIND      of a rate: constant or poisson [constant]\n"},
    LOAD_ROW_SIZE("1024"),
    {.name = "--znodes", .parse = parse_znodes, .member = MEMBER(znodes),
     .least = 1, .most = ZNODES_MAX, .value = "own",
     .expected = "expected own, or how many znodes all sessions share, at most 1000000",
     .help = "      --znodes own|N       data: one znode per session, or N shared by all [own]\n"},
    {.name = "--watch", OPTION_NUMBER(struct load_options, watch_percent, 0, 100), .value = "0",
     .expected = "expected a percentage from 0 to 100",
     .help = "      --watch PERCENT      of gets and exists leave a watch (fan-out) [0]\n"},
    LOAD_ROW_DURATION("10s"),
    LOAD_ROW_WARM_UP("2s"),
    LOAD_ROW_TRIALS(1, "3"),
    ROW_DRIVER(struct load_options),
    ROW_PROCESSES(struct load_options, processes),
    ROW_SERVERS(struct load_options),
    ROW_CONNECT(struct load_options),
    {.name = "--meet", OPTION_SERVERS(struct load_options, meet),
     .help = "      --meet HOSTS/PATH    several hosts run this command, and meet there\n"},
    {.name = "--hosts", OPTION_NUMBER(struct load_options, hosts, 1, MEETING_HOSTS_MAX),
     .help = "      --hosts N            their number, this one included\n"},
    {.name = "--meet-timeout", OPTION_DURATION(struct load_options, meet_timeout_ns, NS_PER_S),
     .value = "60s",
     .help = "      --meet-timeout D     wait at most D for them [60s]\n"},
    ROWS_IDENTITY(struct load_options),
    ROW_PLACEMENT(struct load_options),
    ROW_SESSION_TIMEOUT(struct load_options, session_timeout_ns),
    ROW_TIMEOUT(struct load_options, timeout_ns),
    ROW_SEED(struct load_options, seed),
    ROWS_NOISE(struct load_options),
    ROW_OUT(struct load_options),
    ROW_NO_FILES(struct load_options),
    ROW_PLOTS(struct load_options),
    ROW_BRIEF(struct load_options),
    ROW_JSON(struct load_options),
    ROW_QUIET(struct load_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    ROWS_PRIVATE(struct load_options),
    {0},
};

/* clang-format on */

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

static bool can_meet(const struct load_options *options)
{
    bool meets = options->meet.count > 0;
    const struct conflict conflicts[] = {
        {!meets && options->hosts > 0, "--hosts", "without --meet",
         "several hosts need a place to meet"},
        {meets && options->hosts == 0, "--meet", "without --hosts", "how many hosts are to meet?"},
        {meets && !options->target.connect, "--meet", "without --connect",
         "private servers are of one host"},
        {meets && options->meet.chroot[0] == '\0', "--meet", "without a path",
         "the hosts meet at a znode: zk9:2181/lab"},
        {meets && options->watch_percent > 0, "--watch", "with --meet",
         "from a write to its notifications is a time of one host"},
        {meets && options->target.noise.quiet_ns > 0, "--wait-for-quiet", "with --meet",
         "the meeting would not be kept meanwhile"},
        {options->hosts * (uint64_t)options->processes > options->sessions.list[0], "--sessions",
         "below --hosts times --processes", "each process has one session at least"},
    };
    return !complain_conflict("load", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

static bool is_consistent(struct load_options *options)
{
    char why[64];
    const struct mix mix = load_options_mix(options, 0);
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
    return load_options_suit_driver("load", options, &mix) && can_watch(options) &&
           can_meet(options) && options_write_nowhere("load", &options->output, NULL) &&
           !target_conflicts("load", &options->target, options->processes);
}

static int parse_command_line(int argc, char **argv, struct load_options *options)
{
    static const struct arguments arguments = {"load", usage, option_rows, notes, NULL};
    *options = (struct load_options){.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()};
    int status = arguments_parse(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && !is_consistent(options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        load_options_deinit(options);
    return status;
}

/* ------------------------------------------------------------------ the table */

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

#define MILLISECONDS(of)                                                                           \
    .column = load_cells_##of, .factor = 1e-3, .decimals = 2, .mark = load_cells_disturbed

static void write_table(const struct table *cells, const struct load_options *options,
                        unsigned width, FILE *stream)
{
    static const enum row_column_where only_if[] = {ROW_COLUMN_NEVER, ROW_COLUMN_ALWAYS};
    bool has_reads = options->reads.count > 0, has_rates = options->rates.count > 0;
    /* clang-format off */
    const struct row_column columns[] = {
        {.column = load_cells_reads_percent, .over = "reads", .title = "%",
         .where = only_if[has_reads]},
        {.column = load_cells_sessions, .over = "ses-", .title = "sions"},
        {.column = load_cells_rate_per_s, .over = "offered", .title = "1/s",
         .where = only_if[has_rates]},
        {.column = load_cells_achieved_per_s, .over = "answered", .title = "1/s",
         .mark = load_cells_disturbed},
        {.column = load_cells_between, .over = "interval", .title = "95 %", .spare = 2,
         .where = ROW_COLUMN_KNOWN},
        {.column = load_cells_errors, .spare = 3},
        {.column = load_cells_unsent_percent, .over = "unsent", .title = "%", .decimals = 1,
         .where = ROW_COLUMN_KNOWN},
        {MILLISECONDS(response_p50_us), .least = load_cells_response_p50_us_low, .over = "response",
         .title = "p50 ms"},
        {MILLISECONDS(response_p99_us), .least = load_cells_response_p99_us_low, .over = "response",
         .title = "p99 ms"},
        {MILLISECONDS(service_p99_us), .over = "service", .title = "p99 ms", .spare = 1,
         .where = only_if[has_rates]},
        {MILLISECONDS(last_notification_p99_us), .over = "all notified", .title = "p99 ms",
         .where = only_if[options->watch_percent > 0]},
        {.column = load_cells_word, .title = "verdict"},
    };
    /* clang-format on */
    const struct row_grid grid = {
        .table = cells, .columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    write_mix(options, stream);
    row_grid_write(&grid, width, stream);
    for (size_t i = 0; i < cells->rows; i++) {
        if (table_row(cells, i)[load_cells_unsent].count == 0)
            continue;
        fputs("unsent: due and never sent; each counts as slower than all others\n", stream);
        break;
    }
}

/* ------------------------------------------------------------------ the whole */

static void write_text(const void *context, const struct series_record *record)
{
    const struct load_series *series = context;
    write_table(&series->found[record->topology], series->options, terminal_columns(STDOUT_FILENO),
                stdout);
}

/* Its keys have names of their own for the trials of a cell. */
static json_t *describe_cells(const void *context, const struct series_record *record)
{
    const struct table *cells = &((const struct load_series *)context)->found[record->topology];
    json_t *list = json_array();
    for (size_t i = 0; i < cells->rows; i++) {
        const struct table_value *cell = table_row(cells, i);
        json_t *json = json_object();
        json_result_set_row(json, &load_cells_table, cell, load_cells_mix, load_cells_rate_per_s);
        json_object_update_new(
            json, json_pack("{s:I, s:I, s:I, s:I, s:s}", "trials_complete",
                            (json_int_t)cell[load_cells_trials].count, "trials_valid",
                            (json_int_t)cell[load_cells_valid].count, "trials_driver_bound",
                            (json_int_t)cell[load_cells_driver_bound].count, "trials_miscounted",
                            (json_int_t)cell[load_cells_miscounted].count, "verdict",
                            verdict_word(load_cells_verdict(cell))));
        json_result_set_row(json, &load_cells_table, cell, load_cells_errors,
                            load_cells_server_cores_high);
        json_array_append_new(list, json);
    }
    return list;
}

static int print_results(const struct load_series *series)
{
    static const struct series_view view = {.write = write_text, .cells = describe_cells};
    page_add_series(&series->base);
    return series_print_results(&series->base, &view);
}

int load_main(int argc, char **argv)
{
    struct load_options options;
    struct load_series series = {.subcommand = "load",
                                 .options = &options,
                                 .print_results = print_results,
                                 .verdict_of_nothing = verdict_word(VERDICT_NOT_VALID)};
    int status = parse_command_line(argc, argv, &options);
    if (status != ARGUMENTS_GO)
        return status;
    status = load_series_run(&series, argc, argv);
    load_options_deinit(&options);
    return status;
}
