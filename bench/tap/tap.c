// SPDX-License-Identifier: Apache-2.0
/* The command line of `zkherd tap`, and the clients that it relays, or a capture of them. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/findings.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/tap/internal.h"
#include "measure/fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DESCRIPTORS_MOST 40000
#define CLIENTS_MOST     100000
#define TICK_NS          (50 * NS_PER_MS)
#define PROGRESS_NS      (500 * NS_PER_MS) /* between two lines of progress */
/* Longest time for connections to close after the command has ended: the servers answer the close
 * of a session with a write. */
#define CLOSING_NS (2 * NS_PER_S)

/* ------------------------------------------------------------------ the command line */

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
    "With --expect, also: 1 a run differs from LAW; 4 not all runs ended well.\n"
    "\n"
    "Examples:\n"
    "  zkherd tap -- ./my-program --zookeeper {}\n"
    "  zkherd tap --connect zk1:2181,zk2:2181 --duration 1m\n"
    "  zkherd tap --pcap packets.pcap --port 2181\n"
    "  zkherd tap --drain -n 4..64x2 -- ./clients {n} {connect}     the law\n"
    "  zkherd tap --drain --expect '6n - 2' -- ./clients {n} {}     a gate\n"
    "  zkherd tap --servers 3 -- sh -c 'python3 client.py \"$ZKHERD_CONNECT\"'\n";

#define ROW(member) OPTION_MEMBER(struct tap_options, member)

static bool parse_listen(struct option_given *given)
{
    const char **listen = option_row_place(given);
    *listen = given->value;
    return given->value[0] != '\0' || option_row_refuse(given, "an address is missing");
}

/* Numbers, and ranges such as 2181-2183. */
static bool parse_ports(struct option_given *given)
{
    const char *const value = given->value;
    struct growing_text text = {0};
    bool range = false;
    for (const char *at = value; *at != '\0' || range; at++) {
        if (range && (*at == ',' || *at == '\0'))
            growing_text_add(&text, "+1");
        range = *at == '-' || (range && *at != ',' && *at != '\0');
        if (*at == '\0')
            break;
        growing_text_add(&text, *at == '-' ? ".." : "%c", *at);
    }
    given->value = text.text != NULL ? text.text : value;
    const bool parsed = option_row_levels(given);
    given->value = value;
    free(text.text);
    return parsed;
}

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--listen", .parse = parse_listen, .member = ROW(listen),
               .given = ROW(listen_given), .value = "127.0.0.1",
               .help =
                   "      --listen ADDRESS     where clients connect to: an address of this host\n"
                   "                           [127.0.0.1]\n"),
    OPTION_ROW(.name = "--duration",
               OPTION_DURATION(struct tap_options, duration_ns, 100 * NS_PER_MS),
               .help = "      --duration D         end after D, such as 500ms, 30s, 5m\n"),
    OPTION_ROW(.name = "--drain", OPTION_FLAG(struct tap_options, drain),
               .help =
                   "      --drain              run COMMAND for each number of clients, {n} in its\n"
                   "                           arguments, and find the law of its counts\n"),
    OPTION_ROW(.name = "--clients", .letter = 'n', .parse = option_row_levels,
               .member = ROW(clients), .least = 1, .most = CLIENTS_MOST,
               .expected =
                   "expected at most 85 numbers from 1 to 100000, such as 4,8,16 or 4..64x2",
               .value = "4..64x2",
               .help = "  -n, --clients LIST       of --drain: numbers of clients [4..64x2]\n"),
    OPTION_ROW(.name = "--trials", .letter = 't', .value = "3",
               OPTION_NUMBER(struct tap_options, trials, 1, FIT_CONSENSUS_MAX),
               .help = "  -t, --trials K           of --drain: runs with each number [3]\n"),
    OPTION_ROW(
            .name = "--expect", .parse = tap_parse_expected, .member = ROW(expected),
            .help =
                "      --expect LAW         of --drain: exit with 1 unless all runs have so many\n"
                "                           requests: '6n - 2', or 'create=n,getData=n - 1'\n"),
    OPTION_ROW(
            .name = "--pcap", .parse = option_row_file, .member = ROW(pcap),
            .help =
                "      --pcap FILE          count what tcpdump -w has captured, without a relay\n"),
    OPTION_ROW(.name = "--port", .parse = parse_ports, .member = ROW(ports), .least = 1,
               .most = UINT16_MAX,
               .expected = "expected numbers of ports, such as 2181,2182 or 2181-2183",
               .value = "2181",
               .help = "      --port LIST          of --pcap: the ports of the servers [2181]\n"),
    ROW_CONNECT(struct tap_options),
    OPTION_ROW(.name = "--servers", .parse = rows_topologies,
               .member = OPTION_MEMBER(struct tap_options, target),
               .given = OPTION_MEMBER(struct tap_options, target.servers_given), .least = 1,
               .most = ENSEMBLE_SERVERS_MAX, .value = "1",
               .help = "      --servers N          private servers: 1, 3, 5 or 7 [1]\n"),
    ROW_ZOOKEEPER(struct tap_options),
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

/* Whether an option is given that --pcap excludes; complains about the first. */
static bool conflicts_with_capture(const struct tap_options *options)
{
    const char *const given[] = {
        options->target.connect ? "--connect" : NULL,
        options->target.servers_given ? "--servers" : NULL,
        target_private_option(&options->target),
        options->listen_given ? "--listen" : NULL,
        options->duration_ns > 0 ? "--duration" : NULL,
        options->drain ? "--drain" : NULL,
        options->command != NULL ? options->command[0] : NULL,
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i] != NULL)
            return !complain_value("tap", given[i], "with --pcap",
                                   "a file is read whole, without servers, relay and command");
    }
    return false;
}

static int parse(int argc, char **argv, struct tap_options *options)
{
    static const struct arguments arguments = {"tap", usage, rows, notes, NULL};
    const char *last = argv[argc - 1];
    int first = argc;
    *options = (struct tap_options){.target.max_clients = UINT64_MAX,
                                    .output.plots = OPTIONS_PLOTS_DEFAULT,
                                    .seed = clock_utc_ns()};
    int status = arguments_parse(&arguments, argc, argv, options, &first);
    if (status != ARGUMENTS_GO)
        return status;
    options->command = first < argc ? argv + first : NULL;
    if (options->pcap != NULL && conflicts_with_capture(options))
        return error_exit_status(ERROR_USAGE);
    const uint64_t runs = options->clients.count * options->trials;
    if (options->command == NULL && strcmp(last, "--") == 0)
        return complain_usage("tap", "--", "the command behind it is empty");
    if (options->drain && options->command == NULL)
        return complain_usage("tap", "--drain", "the command is missing: put it behind --");
    if (options->drain && !tap_command_knows_n(options->command))
        return complain_usage("tap", "--drain",
                              "the command does not know n: give it {n}, or read ZKHERD_N");
    if (!options->drain && options->expected.count > 0)
        return complain_usage("tap", "--expect", "only runs of --drain have counts by n");
    if (options->drain && runs > FIT_CONSENSUS_MAX)
        return complain_usage("tap", "--clients",
                              "%" PRIu64 " runs with --trials: at most %d are possible", runs,
                              FIT_CONSENSUS_MAX);
    if (options->target.topology_count > 1)
        return complain_usage("tap", "--servers", "a tap has one ensemble: give one value");
    if (!options_write_nowhere("tap", &options->output, NULL) ||
        target_conflicts("tap", &options->target, 1))
        return error_exit_status(ERROR_USAGE);
    return ARGUMENTS_GO;
}

/* ------------------------------------------------------------------ clients of the relay */

static void print_progress(const struct tap *tap, uint64_t begun_ns)
{
    const struct traffic *traffic = &tap->observer.traffic;
    char line[160], run[48] = "";
    if (tap->options->drain)
        snprintf(run, sizeof run, "run %zu of %zu, ", tap->run_at, tap->run_planned + 1);
    snprintf(line, sizeof line,
             "tap: %s%.0f s, %" PRIu64 " requests, %" PRIu64 " notifications, %" PRIu64
             " connections",
             run, (double)(clock_now_ns() - begun_ns) / 1e9, traffic_requests(traffic),
             traffic_notifications(traffic), relay_connections(tap->relay).open);
    progress_show_step(&tap->progress, line);
}

/* Relays until the command, the user or the duration ends it. */
static void relay_messages(struct tap *tap, uint64_t begun_ns)
{
    const uint64_t duration_ns = tap->options->duration_ns,
                   until_ns = duration_ns > 0 ? begun_ns + duration_ns : UINT64_MAX;
    uint64_t progress_ns = begun_ns;
    bool stopped = false;
    while (tap->error.kind == ERROR_NONE && !stopped && !tap->command.ended &&
           clock_now_ns() < until_ns) {
        uint64_t tick_ns = clock_now_ns() + TICK_NS;
        ERROR_FIRST(&tap->error,
                    relay_poll(tap->relay, tap->signals, tick_ns < until_ns ? tick_ns : until_ns,
                               &stopped, &tap->error));
        tap_command_poll(&tap->command);
        if (tap->target.ensemble != NULL)
            ERROR_FIRST(&tap->error, ensemble_check(tap->target.ensemble, &tap->error));
        if (clock_now_ns() >= progress_ns) {
            print_progress(tap, begun_ns);
            progress_ns += PROGRESS_NS;
        }
    }
    progress_clear(&tap->progress);
}

/* Relays until the clients have closed their connections. */
static void relay_closes(struct tap *tap)
{
    uint64_t until_ns = clock_now_ns() + CLOSING_NS;
    bool stopped;
    while (tap->error.kind == ERROR_NONE && relay_connections(tap->relay).open > 0 &&
           clock_now_ns() < until_ns)
        ERROR_FIRST(&tap->error, relay_poll(tap->relay, -1, clock_now_ns() + TICK_NS / 10, &stopped,
                                            &tap->error));
}

/* Relays while the command runs, if there is one, and until its clients have closed their
 * connections; nothing of the command runs afterwards. The locks are those of this run. n: of the
 * command's {n}; NULL: it has none. */
static void run_clients(struct tap *tap, const char *n)
{
    char *const *words = tap->options->command;
    const uint64_t begun_ns = clock_now_ns();
    tap->command = (struct tap_command){0};
    tap->observer.watches.locks = locks_new(NULL, NULL);
    if (words != NULL)
        ERROR_FIRST(&tap->error,
                    tap_command_start(&tap->command, words, tap->connect, n, &tap->error));
    relay_messages(tap, begun_ns);
    tap->seconds += (double)(clock_now_ns() - begun_ns) / 1e9;
    tap_command_end(&tap->command);
    if (words != NULL)
        relay_closes(tap);
    locks_free(tap->observer.watches.locks);
    tap->observer.watches.locks = NULL;
}

/* A run of --drain, whose counts are its own. */
static void run_counted(struct tap *tap, struct tap_run *run)
{
    struct tap_run before;
    char n[32];
    snprintf(n, sizeof n, "%" PRIu64, run->n);
    tap->run_at++;
    tap_count(&tap->observer.traffic, &before);
    run_clients(tap, n);
    tap_count(&tap->observer.traffic, run);
    for (size_t i = 0; i < TAP_COUNTS; i++)
        run->counts[i] -= before.counts[i];
}

/* The command once with the least n, which makes what the clients find made afterwards; then
 * --trials times with each n, in random order. The first run that fails or is cut short is the
 * last, and not among the runs. */
static void run_drain(struct tap *tap)
{
    const struct levels *clients = &tap->options->clients;
    const size_t count = tap->run_planned = clients->count * tap->options->trials;
    struct random random;
    random_init(&random, tap->options->seed);
    tap->runs = memory_new(count, sizeof *tap->runs);
    for (size_t i = 0; i < count; i++)
        tap->runs[i] = (struct tap_run){.n = clients->list[i % clients->count],
                                        .trial = (uint32_t)(i / clients->count + 1)};
    random_shuffle(&random, tap->runs, count, sizeof *tap->runs);
    tap->first.n = clients->list[0];
    run_counted(tap, &tap->first);
    while (tap_command_succeeded(&tap->command) && tap->run_count < count) {
        run_counted(tap, &tap->runs[tap->run_count]);
        tap->run_count += tap_command_succeeded(&tap->command);
    }
}

static void run_relay(struct tap *tap)
{
    const struct traffic *traffic = &tap->observer.traffic;
    const struct relay_options relaying = {.servers = &tap->target.servers,
                                           .address = tap->options->listen,
                                           .listener = &observer_listener,
                                           .ended = observer_ended,
                                           .context = &tap->observer};
    ERROR_FIRST(&tap->error, relay_new(&relaying, &tap->relay, &tap->error));
    if (tap->error.kind != ERROR_NONE)
        return;
    connect_typed(relay_connect(tap->relay), tap->connect, sizeof tap->connect);
    if (tap->options->command == NULL && tap->options->output.json)
        complain_mildly("clients connect to %s", tap->connect);
    else if (tap->options->command == NULL) /* a command has it in its environment */
        printf("%s\n", tap->connect);
    fflush(stdout);
    const uint64_t cpu_ns = clock_cpu_ns();
    tap->begun_ns = clock_now_ns();
    if (tap->options->drain)
        run_drain(tap);
    else
        run_clients(tap, NULL);
    watches_end(&tap->observer.watches);
    tap->connections = relay_connections(tap->relay);
    relay_free(tap->relay);
    uint64_t messages = traffic_notifications(traffic);
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++)
        messages += traffic->operations[opcode].requests + traffic->operations[opcode].replies;
    tap->cpu_us = (double)(clock_cpu_ns() - cpu_ns) / 1e3 / (double)messages;
}

/* Relays between two readings of the servers' counters. */
static void run_servers(struct tap *tap)
{
    const struct target_options *target = &tap->options->target;
    const uint64_t descriptors = machine_descriptors();
    struct server_counters_reading before, after;
    ERROR_FIRST(&tap->error,
                machine_allow_descriptors(
                    descriptors < DESCRIPTORS_MOST ? descriptors : DESCRIPTORS_MOST, &tap->error));
    if (target->connect)
        ERROR_FIRST(&tap->error, target_find(target, 0, &tap->target, &tap->error));
    if (tap->error.kind == ERROR_NONE && tap->target.left_out[0] != '\0')
        complain_mildly("%s", tap->target.left_out);
    tap->signals = signals_block();
    ERROR_FIRST(&tap->error, target_start(target, 0, tap->signals, &tap->target, &tap->error));
    struct server_counters counters = {.servers = &tap->target.servers,
                                       .ensemble = tap->target.ensemble};
    ERROR_FIRST(&tap->error, server_counters_read(&counters, &before, &tap->error));
    if (tap->error.kind == ERROR_NONE)
        run_relay(tap);
    ERROR_FIRST(&tap->error, server_counters_read(&counters, &after, &tap->error));
    if (tap->error.kind == ERROR_NONE)
        tap->servers = server_counters_subtract(&before, &after);
    (void)target_find_cause(&tap->target, tap->error.kind, &tap->error);
}

/* ------------------------------------------------------------------ a capture, and the whole */

static void read_capture(struct tap *tap)
{
    const struct capture_options reading = {.ports = tap->options->ports.list,
                                            .port_count = tap->options->ports.count,
                                            .listener = &observer_listener,
                                            .ended = observer_ended,
                                            .context = &tap->observer};
    struct capture *capture = capture_new(&reading);
    snprintf(tap->target.name, sizeof tap->target.name, "capture");
    tap->observer.watches.locks = locks_new(NULL, NULL);
    ERROR_FIRST(&tap->error, capture_read(capture, tap->options->pcap, tap->cut_short,
                                          sizeof tap->cut_short, &tap->error));
    locks_free(tap->observer.watches.locks);
    tap->observer.watches.locks = NULL;
    watches_end(&tap->observer.watches);
    tap->capture = *capture_counts(capture);
    tap->begun_ns = tap->capture.first_ns;
    tap->seconds = (double)(tap->capture.last_ns - tap->capture.first_ns) / 1e9;
    capture_free(capture);
}

/* Returns the exit status. */
static int run_tap(struct tap *tap, int argc, char **argv)
{
    struct error left;
    json_result_start();
    progress_init(&tap->progress, 1, tap->options->output.quiet);
    traffic_init(&tap->observer.traffic);
    ERROR_FIRST(&tap->error, standard_output_check(&tap->error));
    ERROR_FIRST(&tap->error, folder_check(tap->options->output.out, &tap->error));
    if (tap->error.kind == ERROR_NONE && tap->options->pcap != NULL)
        read_capture(tap);
    else if (tap->error.kind == ERROR_NONE)
        run_servers(tap);
    if (tap->error.kind == ERROR_NONE) {
        tap_fill_rows(tap);
        tap_fill_laws(tap);
        tap_judge(tap);
        tap_write_files(tap, argc, argv);
        tap_print(tap);
        ERROR_FIRST(&tap->error, standard_output_flush(&tap->error));
    }
    (void)!target_close(&tap->target, &left); /* it has made no znode */
    if (tap->signals >= 0)
        close(tap->signals);
    const enum verdict verdict = findings_verdict(&tap->tables[TAP_FINDINGS]);
    for (size_t i = 0; i < TAP_TABLES; i++)
        table_deinit(&tap->tables[i]);
    traffic_deinit(&tap->observer.traffic);
    clients_deinit(&tap->observer.clients);
    watches_deinit(&tap->observer.watches);
    free(tap->runs);
    return tap->error.kind == ERROR_NONE ? verdict_status(verdict)
                                         : complain_about("tap", &tap->error);
}

int tap_main(int argc, char **argv)
{
    struct tap_options options;
    int status = parse(argc, argv, &options);
    if (status == ARGUMENTS_GO) {
        struct tap tap = {.options = &options, .signals = -1, .cpu_us = NAN};
        status = run_tap(&tap, argc, argv);
    }
    target_options_deinit(&options.target);
    free(options.clients.list);
    free(options.ports.list);
    return status;
}
