// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/tap/internal.h"
#include "measure/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DESCRIPTORS_MOST 40000
#define CLIENTS_MOST     100000
#define TICK_NS          (50 * NS_PER_MS)
#define LOOK_NS          (500 * NS_PER_MS) /* between two lines of progress */
/* How long connections may take to close after the command has ended: the servers answer the close
 * of a session with a write. */
#define SETTLE_NS (2 * NS_PER_S)

static const char usage[] =
    "Usage: zkherd tap [OPTION]... [-- COMMAND ARG...]\n"
    "Stand between any clients and ZooKeeper's servers, pass their bytes unchanged,\n"
    "and count every request, notification and error. COMMAND gets the connect\n"
    "string for its clients in ZKHERD_CONNECT, and in place of {} in its arguments.\n"
    "Without one, connect clients to the string that is printed.\n"
    "\n";

static const char notes[] =
    "\n"
    "It ends with COMMAND, on Ctrl-C, or after --duration. Exit status: 0 done; 1 the\n"
    "servers counted otherwise; 2 wrong usage; 3 the environment; 4 not valid: a\n"
    "message could not be read, COMMAND failed or sent none, or a capture has gaps.\n"
    "\n"
    "Examples:\n"
    "  zkherd tap -- ./my-program --zookeeper {}\n"
    "  zkherd tap --connect zk1:2181,zk2:2181 --duration 1m\n"
    "  zkherd tap --pcap packets.pcap --port 2181\n"
    "  zkherd tap --drain -n 4..64x2 -- ./clients {n} {connect}     the law\n"
    "  zkherd tap --servers 3 -- sh -c 'python3 client.py \"$ZKHERD_CONNECT\"'\n";

#define ROW(member) OPTION_MEMBER(struct tap_options, member)

static bool parse_listen(struct option_given *given)
{
    const char **listen = option_row_place(given);
    *listen = given->value;
    return given->value[0] != '\0' || option_row_refuse(given, "an address is missing");
}

static const struct option_row rows[] = {
    {.name = "--listen",
     .parse = parse_listen,
     .member = ROW(listen),
     .given = ROW(listen_given),
     .value = "127.0.0.1",
     .help = "      --listen ADDRESS     where clients connect to: an address of this host\n"
             "                           [127.0.0.1]\n"},
    {.name = "--duration",
     OPTION_DURATION(struct tap_options, duration_ns, 100 * NS_PER_MS),
     .help = "      --duration D         end after D, such as 500ms, 30s, 5m\n"},
    {.name = "--drain",
     OPTION_FLAG(struct tap_options, drain),
     .help = "      --drain              run COMMAND for each number of clients, {n} in its\n"
             "                           arguments, and find the law of its counts\n"},
    {.name = "--clients",
     .letter = 'n',
     .parse = option_row_levels,
     .member = ROW(clients),
     .least = 1,
     .most = CLIENTS_MOST,
     .expected = "expected at most 85 numbers from 1 to 100000, such as 4,8,16 or 4..64x2",
     .value = "4..64x2",
     .help = "  -n, --clients LIST       of --drain: numbers of clients [4..64x2]\n"},
    {.name = "--pcap",
     .parse = option_row_file,
     .member = ROW(pcap),
     .help = "      --pcap FILE          count what tcpdump -w has captured, without a relay\n"},
    {.name = "--port",
     .parse = option_row_levels,
     .member = ROW(ports),
     .least = 1,
     .most = UINT16_MAX,
     .expected = "expected numbers of ports, such as 2181 or 2181,2182",
     .value = "2181",
     .help = "      --port LIST          of --pcap: the ports of the servers [2181]\n"},
    ROW_CONNECT(struct tap_options),
    {.name = "--servers",
     .parse = rows_topologies,
     .member = OPTION_MEMBER(struct tap_options, target),
     .given = OPTION_MEMBER(struct tap_options, target.servers_given),
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .value = "1",
     .help = "      --servers N          private servers: 1, 3, 5 or 7 [1]\n"},
    {.name = "--zookeeper",
     .parse = rows_homes,
     .member = OPTION_MEMBER(struct tap_options, target),
     .help = "      --zookeeper HOME     release that they run: a folder\n"},
    ROW_HEAP(struct tap_options),
    ROW_SERVER_CPUS(struct tap_options),
    ROW_FSYNC(struct tap_options),
    ROW_DATA(struct tap_options),
    ROW_SEED(struct tap_options, seed),
    ROW_OUT(struct tap_options),
    ROW_NO_FILES(struct tap_options),
    ROW_JSON(struct tap_options),
    ROW_QUIET(struct tap_options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct tap_options *options)
{
    static const struct arguments arguments = {"tap", usage, rows, notes, NULL};
    int first = argc;
    *options = (struct tap_options){.target.max_clients = UINT64_MAX,
                                    .output.plots = OPTIONS_PLOTS_DEFAULT,
                                    .seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, &first);
    if (status != ARGUMENTS_GO)
        return status;
    options->command = first < argc ? argv + first : NULL;
    if (options->pcap != NULL && tap_capture_conflicts(options))
        return error_exit_status(ERROR_USAGE);
    if (options->drain && options->command == NULL)
        return complain_usage("tap", "--drain", "the command is missing: put it behind --");
    if (options->drain && options->clients.count * TAP_TRIALS > FIT_CONSENSUS_MAX)
        return complain_usage("tap", "--clients", "more than %d numbers of clients",
                              FIT_CONSENSUS_MAX / TAP_TRIALS);
    if (options->target.topology_count > 1)
        return complain_usage("tap", options->target.home_count > 1 ? "--zookeeper" : "--servers",
                              "a tap has one ensemble: give one value");
    if (!options_write_nowhere("tap", &options->output, NULL) ||
        target_conflicts("tap", &options->target, 1))
        return error_exit_status(ERROR_USAGE);
    return ARGUMENTS_GO;
}

/* ------------------------------------------------------------------ while it runs */

struct tap {
    const struct tap_options *options;
    struct target target;
    int signals;
    struct observer observer;
    struct relay *relay;
    char connect[CONNECT_TEXT_SIZE]; /* for clients of the relay */
    struct progress progress;
};

static void show(const struct tap *tap, uint64_t begun_ns)
{
    const struct traffic *traffic = &tap->observer.traffic;
    char line[160], requests[32], notifications[32];
    snprintf(line, sizeof line,
             "tap: %.0f s, %s requests, %s notifications, %" PRIu64 " connections",
             (double)(clock_now_ns() - begun_ns) / 1e9,
             text_format_count(traffic_requests(traffic), requests, sizeof requests),
             text_format_count(traffic_notifications(traffic), notifications, sizeof notifications),
             relay_connections(tap->relay).open);
    progress_say(&tap->progress, line);
}

/* Relays until the command, the user or the duration ends it. */
static enum error_kind pass(struct tap *tap, struct tap_command *command, uint64_t begun_ns,
                            struct error *error)
{
    uint64_t until_ns =
        tap->options->duration_ns > 0 ? begun_ns + tap->options->duration_ns : UINT64_MAX;
    uint64_t look_ns = begun_ns;
    bool stopped = false;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE && !stopped && !command->ended && clock_now_ns() < until_ns) {
        uint64_t tick_ns = clock_now_ns() + TICK_NS;
        kind = relay_poll(tap->relay, tap->signals, tick_ns < until_ns ? tick_ns : until_ns,
                          &stopped, error);
        tap_command_look(command);
        if (kind == ERROR_NONE && tap->target.ensemble != NULL)
            kind = ensemble_check(tap->target.ensemble, error);
        if (clock_now_ns() >= look_ns) {
            show(tap, begun_ns);
            look_ns += LOOK_NS;
        }
    }
    progress_clear(&tap->progress);
    return kind;
}

/* Relays until the clients have closed their connections. */
static enum error_kind settle(struct tap *tap, struct error *error)
{
    uint64_t until_ns = clock_now_ns() + SETTLE_NS;
    enum error_kind kind = ERROR_NONE;
    bool stopped;
    while (kind == ERROR_NONE && relay_connections(tap->relay).open > 0 &&
           clock_now_ns() < until_ns)
        kind = relay_poll(tap->relay, -1, clock_now_ns() + TICK_NS / 10, &stopped, error);
    return kind;
}

/* A command is told by its environment. */
static void announce(const struct tap *tap)
{
    if (tap->options->command != NULL)
        return;
    if (tap->options->output.json)
        complain_mildly("clients connect to %s", tap->connect);
    else
        printf("%s\n", tap->connect);
    fflush(stdout);
}

/* A run whose locks are known from here on: those of the run before are not its own. */
static void begin_run(struct tap *tap)
{
    tap->observer.watches.locks = locks_new(NULL, NULL);
}

static void end_run(struct tap *tap)
{
    locks_free(tap->observer.watches.locks);
    tap->observer.watches.locks = NULL;
}

/* Relays beside the command, if there is one, and until its clients have closed their connections.
 * Nothing of the command runs afterwards. n: NULL unless it is told to the command. */
static enum error_kind run(struct tap *tap, struct tap_result *result, const char *n,
                           struct error *error)
{
    char *const *words = tap->options->command;
    enum error_kind kind = ERROR_NONE;
    result->command = (struct tap_command){0};
    uint64_t begun_ns = clock_now_ns();
    if (words != NULL)
        kind = tap_command_start(&result->command, words, tap->connect, n, error);
    if (kind == ERROR_NONE)
        kind = pass(tap, &result->command, begun_ns, error);
    result->seconds += (double)(clock_now_ns() - begun_ns) / 1e9;
    tap_command_end(&result->command);
    return kind == ERROR_NONE && words != NULL ? settle(tap, error) : kind;
}

/* A run of --drain: what is counted in it alone. */
static enum error_kind run_counted(struct tap *tap, struct tap_result *result, struct tap_run *one,
                                   struct error *error)
{
    struct tap_run before;
    char n[32];
    snprintf(n, sizeof n, "%" PRIu64, one->n);
    tap_count(&tap->observer.traffic, &before);
    begin_run(tap);
    enum error_kind kind = run(tap, result, n, error);
    end_run(tap);
    tap_count(&tap->observer.traffic, one);
    for (size_t i = 0; i < TAP_COUNTS; i++)
        one->counts[i] -= before.counts[i];
    return kind;
}

/* The command once with the least n, which makes what the clients find made afterwards; then
 * TAP_TRIALS times with each n, in random order. Ends with the first run that fails or is cut
 * short, which is not kept. */
static enum error_kind drain(struct tap *tap, struct tap_result *result, struct error *error)
{
    const struct levels *clients = &tap->options->clients;
    size_t count = clients->count * TAP_TRIALS;
    struct random random;
    random_init(&random, tap->options->seed);
    result->first.n = clients->list[0];
    result->runs = memory_new(count, sizeof *result->runs);
    for (size_t i = 0; i < count; i++)
        result->runs[i] = (struct tap_run){.n = clients->list[i % clients->count],
                                           .trial = (uint32_t)(i / clients->count + 1)};
    random_shuffle(&random, result->runs, count, sizeof *result->runs);
    enum error_kind kind = run_counted(tap, result, &result->first, error);
    while (kind == ERROR_NONE && tap_command_succeeded(&result->command) &&
           result->run_count < count) {
        kind = run_counted(tap, result, &result->runs[result->run_count], error);
        if (tap_command_succeeded(&result->command))
            result->run_count++;
    }
    return kind;
}

static uint64_t messages_of(const struct traffic *traffic)
{
    uint64_t messages = traffic_notifications(traffic);
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        messages += traffic->operations[opcode].requests + traffic->operations[opcode].replies;
    return messages;
}

static enum error_kind relay_clients(struct tap *tap, struct tap_result *result,
                                     struct error *error)
{
    const struct relay_options relaying = {.servers = &tap->target.servers,
                                           .address = tap->options->listen,
                                           .listener = &observer_listener,
                                           .ended = observer_ended,
                                           .context = &tap->observer};
    enum error_kind kind = relay_new(&relaying, &tap->relay, error);
    if (kind != ERROR_NONE)
        return kind;
    connect_typed(relay_connect(tap->relay), tap->connect, sizeof tap->connect);
    announce(tap);
    uint64_t cpu_ns = clock_cpu_ns();
    result->begun_ns = clock_now_ns();
    if (tap->options->drain)
        kind = drain(tap, result, error);
    else {
        begin_run(tap);
        kind = run(tap, result, NULL, error);
        end_run(tap);
    }
    watches_end(&tap->observer.watches);
    result->connections = relay_connections(tap->relay);
    relay_free(tap->relay);
    tap->relay = NULL;
    result->cpu_us =
        (double)(clock_cpu_ns() - cpu_ns) / 1e3 / (double)messages_of(&tap->observer.traffic);
    return kind;
}

bool tap_is_passed_by(const struct tap_result *result)
{
    return result->options->command != NULL && result->traffic->connections == 0;
}

static int verdict_of(const struct tap_result *result)
{
    const struct tap_options *options = result->options;
    bool failed = options->drain ? result->run_count < options->clients.count * TAP_TRIALS
                                 : tap_command_failed(&result->command);
    if (result->traffic->unreadable > 0 || result->connections.unaccepted > 0 || failed ||
        result->incomplete || tap_is_passed_by(result))
        return error_exit_status(ERROR_NOT_VALID);
    return result->comparison.reconciled == RECONCILED_NO;
}

/* What the clients send, between two readings of the servers' counters. */
static enum error_kind measure(struct tap *tap, struct tap_result *result, struct error *error)
{
    struct server_counters counters = {.servers = &tap->target.servers,
                                       .ensemble = tap->target.ensemble};
    struct server_counters_reading before, after;
    enum error_kind kind = server_counters_read(&counters, &before, error);
    if (kind == ERROR_NONE)
        kind = relay_clients(tap, result, error);
    if (kind == ERROR_NONE)
        kind = server_counters_read(&counters, &after, error);
    if (kind != ERROR_NONE)
        return target_find_cause(&tap->target, kind, error);
    result->comparison.servers = server_counters_subtract(&before, &after);
    tap_compare(result);
    result->verdict = verdict_of(result);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind tell(struct tap_result *result, int argc, char **argv, struct error *error)
{
    result->like = tap_like(result);
    result->first_time = tap_first_time(result);
    const struct output_options *output = &result->options->output;
    char folder[PATH_MAX] = "";
    enum error_kind kind = tap_keep(result, argc, argv, folder, error);
    if (output->json)
        json_result_write(tap_describe(result, folder), stdout);
    else if (!output->quiet || result->verdict != 0)
        tap_write(result, stdout);
    if (kind == ERROR_NONE && !output->json && !output->quiet && folder[0] != '\0')
        printf("\nresults in %s\n", folder);
    return kind == ERROR_NONE ? standard_output_flush(error) : kind;
}

/* What a capture has, without servers and a relay. */
static enum error_kind lead_offline(struct tap *tap, struct tap_result *result, int argc,
                                    char **argv, struct error *error)
{
    snprintf(tap->target.name, sizeof tap->target.name, "capture");
    result->cpu_us = NAN;
    result->comparison.reconciled = RECONCILED_NA;
    begin_run(tap);
    enum error_kind kind = tap_capture_read(tap->options, &tap->observer, result, error);
    end_run(tap);
    watches_end(&tap->observer.watches);
    if (kind == ERROR_NONE) {
        result->verdict = verdict_of(result);
        kind = tell(result, argc, argv, error);
    }
    return kind;
}

static enum error_kind lead(struct tap *tap, struct tap_result *result, int argc, char **argv,
                            struct error *error)
{
    const struct target_options *target = &tap->options->target;
    uint64_t descriptors = machine_descriptors();
    struct error left;
    enum error_kind kind = standard_output_check(error);
    if (kind == ERROR_NONE)
        kind = folder_check(tap->options->output.out, error);
    if (kind == ERROR_NONE && tap->options->pcap != NULL)
        return lead_offline(tap, result, argc, argv, error);
    if (kind == ERROR_NONE)
        kind = machine_allow_descriptors(
            descriptors < DESCRIPTORS_MOST ? descriptors : DESCRIPTORS_MOST, error);
    if (kind == ERROR_NONE && target->connect)
        kind = target_find(target, 0, &tap->target, error);
    if (kind == ERROR_NONE && tap->target.left_out[0] != '\0')
        complain_mildly("%s", tap->target.left_out);
    tap->signals = signals_block();
    if (kind == ERROR_NONE)
        kind = target_start(target, 0, tap->signals, &tap->target, error);
    if (kind == ERROR_NONE)
        kind = measure(tap, result, error);
    if (kind == ERROR_NONE)
        kind = tell(result, argc, argv, error);
    (void)!target_close(&tap->target, &left); /* it has made no znode */
    close(tap->signals);
    return kind;
}

int tap_main(int argc, char **argv)
{
    struct tap_options options;
    struct error error;
    int status = parse(argc, argv, &options);
    if (status == ARGUMENTS_GO) {
        struct tap tap = {.options = &options};
        struct tap_result result = {.options = &options,
                                    .target = &tap.target,
                                    .traffic = &tap.observer.traffic,
                                    .clients = &tap.observer.clients,
                                    .watches = &tap.observer.watches};
        json_result_start();
        progress_init(&tap.progress, 1, options.output.quiet);
        traffic_init(&tap.observer.traffic);
        enum error_kind kind = lead(&tap, &result, argc, argv, &error);
        status = kind == ERROR_NONE ? result.verdict : complain_about("tap", &error);
        traffic_deinit(&tap.observer.traffic);
        clients_deinit(&tap.observer.clients);
        watches_deinit(&tap.observer.watches);
        free(result.like);
        free(result.first_time);
        free(result.runs);
    }
    target_options_deinit(&options.target);
    free(options.clients.list);
    free(options.ports.list);
    return status;
}
