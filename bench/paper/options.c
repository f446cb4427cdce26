// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/options.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/target/target.h"
#include "sim/sim_options.h"

#include <stdio.h>
#include <stdlib.h>

/* Each has a folder, and its znodes are listed and deleted after the trial. */
#define BARRIERS_MAX 100000

/* figure8: the shortest part of a trial. */
#define LEAST_PART_NS (NS_PER_S / 2)

/* ------------------------------------------------------------------ rows */

#define MEMBER(member) OPTION_MEMBER(struct load_options, member)

/* The rows that all evaluations have. */
#define ROWS_COMMON                                                                                \
    ROWS_ON(ROW_DRIVER(struct load_options), "60s", ROW_CONNECT(struct load_options),              \
            ROWS_IDENTITY(struct load_options))

/* The same, with another row of the driver, another default of the session timeout, and other rows
 * of --connect. */
#define ROWS_ON(driver_, timeout_, ...)                                                            \
    driver_, ROW_PROCESSES(struct load_options, processes), ROW_HEAP(struct load_options),         \
        {.name = "--server-cpus",                                                                  \
         .parse = option_row_cpus,                                                                 \
         .member = MEMBER(target.cpu_percent),                                                     \
         .least = SERVER_CPU_MIN_PERCENT,                                                          \
         .help =                                                                                   \
             "      --server-cpus X      cores that each private server may use [an equal "        \
             "part\n"                                                                              \
             "                           of the cores that clients leave; table3: no limit]\n"},   \
        ROW_FSYNC(struct load_options), ROW_DATA(struct load_options), __VA_ARGS__,                \
        {.name = "--session-timeout",                                                              \
         .parse = option_row_duration,                                                             \
         .member = MEMBER(session_timeout_ns),                                                     \
         .least = NS_PER_S,                                                                        \
         .most = 3600 * NS_PER_S,                                                                  \
         .expected = "expected at most an hour",                                                   \
         .value = timeout_,                                                                        \
         .help = "      --session-timeout D  requested by each session [" timeout_ "]\n"},         \
        ROW_TIMEOUT(struct load_options, timeout_ns), ROW_SEED(struct load_options, seed),         \
        ROWS_NOISE(struct load_options),                                                           \
        {.name = "--out",                                                                          \
         .letter = 'o',                                                                            \
         OPTION_FOLDER(struct load_options, output.out),                                           \
         .help = "  -o, --out DIR            new folder for the results [results/TIME-paper]\n"},  \
        ROW_PLOTS(struct load_options), ROW_JSON(struct load_options),                             \
        ROW_QUIET(struct load_options),                                                            \
        OPTION_ROW_HELP("  -h, --help               print this help\n"),                           \
    {                                                                                              \
        0                                                                                          \
    }

/* Numbers of private servers, or of simulated ones; simulated_ is that of struct paper_command. */
#define ROW_TOPOLOGIES(default_, simulated_)                                                       \
    OPTION_ROW(.name = "--servers", .parse = rows_simulated_topologies, .member = MEMBER(target),  \
               .given = MEMBER(target.servers_given), .least = 1, .most = SIM_SERVERS_MAX,         \
               .value = default_,                                                                  \
               .help = "      --servers LIST       numbers of private servers, 1 to 7 [" default_  \
                       "];\n"                                                                      \
                       "                           of simulated ones 1 to 13 [" simulated_ "]\n")

#define ROW_SESSIONS(letter_, name_, value_, expected_, help_)                                     \
    OPTION_ROW(.name = name_, .letter = letter_, .parse = option_row_levels,                       \
               .member = MEMBER(sessions), .least = 1, .most = FLEET_SESSIONS_MAX,                 \
               .expected = expected_, .value = value_, .help = help_)

/* One number of sessions; a list is for sessions_are_one to refuse. */
#define ROW_ONE_SESSIONS                                                                           \
    ROW_SESSIONS('n', "--sessions", "60", "expected a whole number from 1 to 100000",              \
                 "  -n, --sessions N         the paper: 250 [60]\n")

#define ROWS_LOAD(duration_, warm_up_)                                                             \
    LOAD_ROW_SIZE("1024"), LOAD_ROW_DURATION(duration_), LOAD_ROW_WARM_UP(warm_up_),               \
        LOAD_ROW_TRIALS(2, "3")

/* The simulation and --connect are refused with the reason, but the help does not offer them. */
#define ROW_REAL_DRIVER                                                                            \
    OPTION_ROW(.name = "--driver", .letter = 'd',                                                  \
               OPTION_WORD(struct load_options, target.driver, options_drivers,                    \
                           "expected events or threads"),                                          \
               .value = "events",                                                                  \
               .help = "  -d, --driver NAME        events: one event loop per process; threads: "  \
                       "a thread\n"                                                                \
                       "                           per session [events]\n")
#define ROW_NO_CONNECT                                                                             \
    OPTION_ROW(.name = "--connect", OPTION_SERVERS(struct load_options, target.servers),           \
               .given = MEMBER(target.connect), .help = "")

static const struct option_row rows_all[] = {LOAD_ROW_TRIALS(2, "3"), ROWS_COMMON};

static const struct option_row rows_table1[] = {
    ROW_TOPOLOGIES("1,3,5", "1,3,5,7,9,13"),
    {.name = "--reads",
     .parse = option_row_levels,
     .member = MEMBER(reads),
     .most = 100,
     .expected = "expected percents from 0 to 100, such as 0,100 or 0..100+20",
     .value = "0..100+20",
     .help = "      --reads LIST         percent of reads, 0 and 100 among them [0..100+20]\n"},
    ROW_ONE_SESSIONS,
    LOAD_ROW_DEPTH("20"),
    ROWS_LOAD("5s", "2s"),
    ROWS_COMMON,
};

static const struct option_row rows_table2[] = {
    ROW_TOPOLOGIES("1,3,5", "1,3,5,7,9"),
    ROW_SESSIONS('n', "--workers", "1,10,20", "expected numbers from 1 to 100000, such as 1,10,20",
                 "  -n, --workers LIST       sessions that create, each one znode at a time\n"
                 "                           [1,10,20]\n"),
    ROWS_LOAD("5s", "2s"),
    ROWS_COMMON,
};

static const struct option_row rows_table3[] = {
    ROW_SESSIONS('n', "--clients", "50,100,200",
                 "expected whole numbers from 1 to 100000, such as 50,100 or 25..200x2",
                 "  -n, --clients LIST       numbers of clients, as in the paper [50,100,200]\n"),
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
    ROW_TOPOLOGIES("3", "3"),
    ROWS_COMMON,
};

static const struct option_row rows_figure8[] = {
    {.name = "--servers",
     .parse = rows_topologies,
     .member = MEMBER(target),
     .given = MEMBER(target.servers_given),
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .value = "5",
     .help = "      --servers N          private servers: 3, 5 or 7 [5]\n"},
    ROW_ONE_SESSIONS,
    LOAD_ROW_DEPTH("20"),
    ROWS_LOAD("170s", "10s"),
    ROWS_ON(ROW_REAL_DRIVER, "15s", ROW_NO_CONNECT),
};

/* ------------------------------------------------------------------ checks of each */

static bool sessions_are_one(const char *subcommand, const struct paper_options *options)
{
    return options->load.sessions.count == 1 ||
           complain_value(subcommand, "--sessions", "a list", "expected one number");
}

static bool check_table1(const struct paper_options *options)
{
    const struct levels *reads = &options->load.reads;
    unsigned long long least = reads->list[0], most = reads->list[reads->count - 1];
    char value[32];
    snprintf(value, sizeof value, "%llu to %llu", least, most);
    if (least != 0 || most != 100)
        return complain_value("paper table1", "--reads", value,
                              "expected 0 and 100 among the percents");
    return sessions_are_one("paper table1", options);
}

static bool check_table2(const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    if (load->sessions.count > 1 || load->target.topology_count > 1)
        return true;
    return complain_number("paper table2", "--workers", load->sessions.list[0],
                           "expected two numbers or more, of workers or of servers, to compare");
}

/* A line has two points at least. */
static bool check_table3(const struct paper_options *options)
{
    if (options->barriers.count > 1 || options->load.sessions.count > 1)
        return true;
    return complain_number("paper table3", "--barriers", options->barriers.list[0],
                           "expected two numbers or more, of barriers or of clients, to compare");
}

static const char *find_obstacle_of_figure8(const struct target_options *target)
{
    if (target->driver == DRIVER_SIMULATED)
        return "servers do not die in the simulation";
    return target->connect ? "zkherd does not kill servers of somebody else" : NULL;
}

uint32_t paper_figure8_events(uint64_t servers)
{
    return servers < 5 ? 4 : 5;
}

uint64_t paper_figure8_parts(uint64_t servers)
{
    return 3 * paper_figure8_events(servers) + 2;
}

static bool check_figure8(const struct paper_options *options)
{
    static const char name[] = "paper figure8";
    const struct load_options *load = &options->load;
    const struct target_options *target = &load->target;
    const char *why = find_obstacle_of_figure8(target);
    char value[32], expected[96];
    if (why != NULL && target->connect)
        return complain_value(name, "--connect", "servers", why);
    if (why != NULL)
        return complain_value(name, "--driver", "simulated", why);
    if (target->topology_count > 1)
        return complain_value(name, "--servers", "a list", "expected one number");
    if (target->server_counts[0] < 3)
        return complain_value(name, "--servers", "1", "expected 3, 5 or 7: no quorum would stay");
    if (!sessions_are_one(name, options))
        return false;
    unsigned long long least_s =
        (paper_figure8_parts(target->server_counts[0]) * LEAST_PART_NS + NS_PER_S - 1) / NS_PER_S;
    if (load->duration_ns >= least_s * NS_PER_S)
        return true;
    snprintf(value, sizeof value, "%llus", (unsigned long long)(load->duration_ns / NS_PER_S));
    snprintf(expected, sizeof expected,
             "expected at least %llus: half a second for each part of the schedule", least_s);
    return complain_value(name, "--duration", value, expected);
}

/* ------------------------------------------------------------------ the commands */

#define USAGE(name, text) "Usage: zkherd paper " name " [OPTION]...\n" text "\n"

/* Behind it stand the examples. */
#define NOTES                                                                                      \
    "\n"                                                                                           \
    "Durations D need a unit: 500ms, 30s, 5m. Exit status: see zkherd paper --help.\n"             \
    "\n"                                                                                           \
    "Examples:\n"

static const char usage_all[] =
    "Usage: zkherd paper [NAME] [OPTION]...\n"
    "Repeat the evaluation of the ZooKeeper paper (Hunt et al., USENIX ATC 2010),\n"
    "scaled to this machine, and judge its shape; its figures stand beside ours.\n"
    "\n"
    "  table1   throughput against the share of reads and the number of servers\n"
    "           (Table 1 and Figure 5)\n"
    "  table2   creates a second against workers and servers (Table 2)\n"
    "  table3   the time of double barriers against their number and the clients\n"
    "  figure8  throughput over time while servers are killed and started again\n"
    "           (Figure 8); private servers only\n"
    "\n"
    "zkherd paper NAME --help has the options of one; without a name all are made in\n"
    "turn, with these options:\n"
    "\n";

static const char notes_all[] =
    "\n"
    "Exit status: 0 the claims hold; 1 one fails, or the servers counted otherwise;\n"
    "2 wrong usage; 3 the environment; 4 a claim is undetermined, or interrupted.\n"
    "\n"
    "Examples:\n"
    "  zkherd paper                                    about 25 minutes\n"
    "  zkherd paper table1 --servers 1,3 --reads 0,100\n"
    "  zkherd paper table3 --barriers 200..1600x2 -t 5\n"
    "  zkherd paper figure8 --servers 3\n"
    "  zkherd paper -d simulated\n";

static const char usage_table1[] =
    USAGE("table1", "Throughput against the share of reads and the number of servers (Table 1 and\n"
                    "Figure 5 of the paper): do reads rise with the servers, and writes fall?\n");

static const char notes_table1[] =
    NOTES "  zkherd paper table1                             about ten minutes\n"
          "  zkherd paper table1 --servers 1,3 --reads 0,100 the ends of two curves\n"
          "  zkherd paper table1 -d simulated                by the simulation's cost model\n";

static const char usage_table2[] = USAGE(
    "table2", "Creates a second, against workers and servers (Table 2 of the paper). A worker\n"
              "creates a znode, waits, sends its delete, and creates the next: do creates rise\n"
              "with the workers, and fall with the servers?\n");

static const char notes_table2[] =
    NOTES "  zkherd paper table2                             about five minutes\n"
          "  zkherd paper table2 --servers 1,3 -n 1,20 -t 5  the ends of two curves\n"
          "  zkherd paper table2 -d simulated                by the simulation's cost model\n";

static const char usage_table3[] = USAGE(
    "table3", "The time in which all clients enter a number of double barriers and leave them\n"
              "(Table 3 of the paper): does it grow linearly with barriers and clients?\n");

static const char notes_table3[] =
    NOTES "  zkherd paper table3                             about two minutes\n"
          "  zkherd paper table3 --barriers 200..1600x2 -t 5 the paper's plan\n"
          "  zkherd paper table3 -n 10,20 --barriers 25,50   half a minute\n"
          "  zkherd paper table3 -d simulated                by the simulation's cost model\n";

static const char usage_figure8[] = USAGE(
    "figure8", "Throughput over time, with 30 % writes, while servers are killed and started\n"
               "again (Figure 8 of the paper): a follower, another one, the leader, two\n"
               "followers, the leader. Private servers only.\n");

static const char notes_figure8[] =
    NOTES "  zkherd paper figure8                            about nine minutes\n"
          "  zkherd paper figure8 --servers 3 --duration 84s without the two followers\n"
          "  zkherd paper figure8 -t 10                      narrower intervals\n";

const struct paper_command paper_command_all = {
    {"paper", usage_all, rows_all, notes_all, NULL}, "1", false, NULL, NULL};
const struct paper_command paper_command_table1 = {
    {"paper table1", usage_table1, rows_table1, notes_table1, NULL},
    "1,3,5,7,9,13",
    true,
    check_table1,
    NULL};
const struct paper_command paper_command_table2 = {
    {"paper table2", usage_table2, rows_table2, notes_table2, NULL},
    "1,3,5,7,9",
    false,
    check_table2,
    NULL};
const struct paper_command paper_command_table3 = {
    {"paper table3", usage_table3, rows_table3, notes_table3, NULL},
    "3",
    false,
    check_table3,
    NULL};
const struct paper_command paper_command_figure8 = {
    {"paper figure8", usage_figure8, rows_figure8, notes_figure8, NULL},
    "5",
    false,
    check_figure8,
    find_obstacle_of_figure8};

/* ------------------------------------------------------------------ the command line */

/* Private servers are fewer than simulated ones can be. */
static bool check_private(const char *subcommand, const struct target_options *target)
{
    if (target->driver == DRIVER_SIMULATED || target->connect)
        return true;
    for (size_t i = 0; i < target->topology_count; i++) {
        struct error error = {0};
        if (ensemble_check_size((unsigned)target->server_counts[i], &error) != ERROR_NONE)
            return complain_number(subcommand, "--servers", target->server_counts[i], error.detail);
    }
    return true;
}

static bool is_consistent(const struct paper_command *command, const struct paper_options *options)
{
    const struct load_options *load = &options->load;
    const char *subcommand = command->arguments.subcommand;
    char why[64];
    if (command->compares_servers && load->target.topology_count < 2 && !load->target.connect)
        return complain_number(subcommand, "--servers", load->target.server_counts[0],
                               "expected two numbers or more, to compare");
    if (load->sessions.count > 0 && load->processes > load->sessions.list[0]) {
        snprintf(why, sizeof why, "more processes than sessions: at most %llu",
                 (unsigned long long)load->sessions.list[0]);
        return complain_number(subcommand, "--processes", load->processes, why);
    }
    return check_private(subcommand, &load->target) &&
           !target_conflicts(subcommand, &load->target, load->processes) &&
           (command->is_consistent == NULL || command->is_consistent(options));
}

/* Sets the default of a simulation, or the number of servers of --connect. False: no memory. */
static bool set_topologies(const struct paper_command *command, struct target_options *target)
{
    char count[32];
    const char *servers = command->simulated;
    if (target->servers_given || (!target->connect && target->driver != DRIVER_SIMULATED))
        return true;
    if (target->connect) {
        snprintf(count, sizeof count, "%zu", target->servers.count);
        servers = count;
    }
    free(target->server_counts);
    target->server_counts = NULL;
    return text_parse_numbers(servers, 1, UINT64_MAX, &target->server_counts,
                              &target->topology_count);
}

int paper_options_parse(const struct paper_command *command, int argc, char **argv,
                        struct paper_options *options)
{
    *options =
        (struct paper_options){.load = {.target.max_clients = UINT64_MAX, .seed = clock_utc_ns()}};
    int status = arguments_take(&command->arguments, argc, argv, &options->load, NULL);
    if (status == ARGUMENTS_GO && !set_topologies(command, &options->load.target))
        status = complain(&(struct error){.kind = ERROR_NO_MEMORY, .subject = "paper"});
    if (status == ARGUMENTS_GO && !is_consistent(command, options))
        status = error_exit_status(ERROR_USAGE);
    if (status != ARGUMENTS_GO)
        paper_options_deinit(options);
    return status;
}

void paper_options_deinit(struct paper_options *options)
{
    load_options_deinit(&options->load);
    free(options->barriers.list);
    options->barriers = (struct levels){0};
}

/* ------------------------------------------------------------------ the servers */

/* Servers that share the cores of one machine take them from each other, and the leader of a
 * simulation pays nothing for a follower. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes)
{
    if (target->driver == DRIVER_SIMULATED)
        return writes ? "the leader of the simulation pays nothing for a follower" : NULL;
    return target->cpu_percent > 0 ? NULL : "the servers share the cores of one machine";
}

const char *paper_servers_describe(const struct target_options *target, char *text, size_t size)
{
    if (target->driver == DRIVER_SIMULATED)
        snprintf(text, size, "simulated servers");
    else if (target->connect)
        snprintf(text, size, "the servers of --connect");
    else if (target->cpu_percent > 0)
        snprintf(text, size, "servers on one machine, %u.%02u cores each",
                 target->cpu_percent / 100, target->cpu_percent % 100);
    else
        snprintf(text, size, "servers that share the cores of one machine");
    return text;
}
