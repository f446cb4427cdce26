// SPDX-License-Identifier: Apache-2.0
/* The command line of `zkherd tap`, the capture that it reads, and the whole. */
#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/folder.h"
#include "bench/output/json_result.h"
#include "bench/tap/internal.h"

#include <stdlib.h>
#include <unistd.h>

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

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--listen", .parse = option_row_text, .member = ROW(listen),
               .given = ROW(listen_given), .value = "127.0.0.1",
               .expected = "an address is missing",
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
               .member = ROW(clients), .least = 1, .most = 100000,
               .expected =
                   "expected at most 85 numbers from 1 to 100000, such as 4,8,16 or 4..64x2",
               .value = "4..64x2",
               .help = "  -n, --clients LIST       of --drain: numbers of clients [4..64x2]\n"),
    OPTION_ROW(.name = "--trials", .letter = 't', .value = "3",
               OPTION_NUMBER(struct tap_options, trials, 1, FIT_CONSENSUS_MAX),
               .help = "  -t, --trials K           of --drain: runs with each number [3]\n"),
    OPTION_ROW(
            .name = "--expect", .parse = tap_parse_expected, .member = ROW(expected),
            .given = ROW(expect_given),
            .help =
                "      --expect LAW         of --drain: exit with 1 unless every run has as many\n"
                "                           requests: '6n - 2', or 'create=n,getData=n - 1'\n"),
    OPTION_ROW(
            .name = "--pcap", .parse = option_row_file, .member = ROW(pcap),
            .help =
                "      --pcap FILE          count what tcpdump -w has captured, without a relay\n"),
    OPTION_ROW(.name = "--port", .parse = option_row_levels, .member = ROW(ports), .least = 1,
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

static int parse(int argc, char **argv, struct tap_options *options)
{
    static const struct arguments arguments = {"tap", usage, rows, notes, NULL};
    static const char with[] = "with --pcap",
                      why[] = "a file is read whole, without servers, relay and command";
    const bool ends_in_dashes = strcmp(argv[argc - 1], "--") == 0; /* before they are moved */
    int first = argc;
    *options = (struct tap_options){.target.max_clients = UINT64_MAX,
                                    .output.plots = OPTIONS_PLOTS_DEFAULT,
                                    .seed = clock_utc_ns()};
    const int status = arguments_parse(&arguments, argc, argv, options, &first);
    if (status != ARGUMENTS_GO)
        return status;
    const struct target_options *target = &options->target;
    const char *private = target_private_option(target);
    const bool pcap = options->pcap != NULL, drain = options->drain, has_command = first < argc;
    const uint64_t runs = options->clients.count * options->trials;
    options->command = has_command ? argv + first : NULL;
    const struct conflict conflicts[] = {
        {pcap && target->connect, "--connect", with, why},
        {pcap && target->servers_given, "--servers", with, why},
        {pcap && private != NULL, private, with, why},
        {pcap && options->listen_given, "--listen", with, why},
        {pcap && options->duration_ns > 0, "--duration", with, why},
        {pcap && drain, "--drain", with, why},
        {pcap && has_command, argv[first], with, why},
        {!has_command && ends_in_dashes, "--", NULL, "the command behind it is empty"},
        {drain && !has_command, "--drain", NULL, "the command is missing: put it behind --"},
        {drain && has_command && !tap_command_knows_n(argv + first), "--drain", NULL,
         "the command does not know n: give it {n}, or read ZKHERD_N"},
        {!drain && options->expect_given, "--expect", NULL,
         "only runs of --drain have counts by n"},
        {drain && runs > FIT_CONSENSUS_MAX, "--clients", NULL,
         "with --trials these are more than 256 runs"},
        {target->topology_count > 1, "--servers", NULL, "a tap has one ensemble: give one value"},
    };
    if (complain_conflict("tap", conflicts, sizeof conflicts / sizeof conflicts[0]) ||
        !options_write_nowhere("tap", &options->output, NULL) || target_conflicts("tap", target, 1))
        return error_exit_status(ERROR_USAGE);
    return ARGUMENTS_GO;
}

static void read_capture(struct tap *tap)
{
    const struct capture_options reading = {.ports = tap->options->ports.list,
                                            .port_count = tap->options->ports.count,
                                            .listener = &traffic_listener,
                                            .ended = traffic_end,
                                            .context = &tap->traffic};
    struct capture *capture = capture_new(&reading);
    snprintf(tap->target.name, sizeof tap->target.name, "capture");
    ERROR_FIRST(&tap->error, capture_read(capture, tap->options->pcap, tap->cut_short,
                                          sizeof tap->cut_short, &tap->error));
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
    traffic_init(&tap->traffic);
    ERROR_FIRST(&tap->error, standard_output_check(&tap->error));
    ERROR_FIRST(&tap->error, folder_check(tap->options->output.out, &tap->error));
    if (tap->error.kind == ERROR_NONE && tap->options->pcap != NULL)
        read_capture(tap);
    else if (tap->error.kind == ERROR_NONE)
        tap_relay_clients(tap);
    watches_end(&tap->traffic.watches);
    if (tap->error.kind == ERROR_NONE) {
        tap_fill_rows(tap);
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
    traffic_deinit(&tap->traffic);
    free(tap->runs);
    return tap->error.kind == ERROR_NONE ? verdict_status(verdict)
                                         : complain_about("tap", &tap->error);
}

int tap_main(int argc, char **argv)
{
    struct tap_options options;
    struct tap tap = {.options = &options, .signals = -1};
    int status = parse(argc, argv, &options);
    if (status == ARGUMENTS_GO)
        status = run_tap(&tap, argc, argv);
    target_options_deinit(&options.target);
    free(options.clients.list);
    free(options.ports.list);
    return status;
}
