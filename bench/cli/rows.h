// SPDX-License-Identifier: Apache-2.0
/*
 * rows: rows of options that several subcommands have in common, and the parsers of values that
 * only their rows have. Layer: bench/cli.
 *
 * Each macro is one row of a table (bench/cli/arguments.h). `type` is the subcommand's own struct,
 * which has a struct target_options called target and a struct output_options called output;
 * `default_` is the default, as a user would type it; what follows these is added to the row.
 */
#ifndef BENCH_CLI_ROWS_H
#define BENCH_CLI_ROWS_H

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "client/client.h"
#include "load/load.h"
#include "servers/ensemble.h"

/* The default of a list of recipes: the help of each row has it as a text. */
#define ROWS_RECIPES_DEFAULT "nonscalable,childwatch,scalable"

/* size of a text that holds every value of --background. */
#define ROWS_BACKGROUND_TEXT_SIZE 160

/* Servers take packets of 1 MiB less a byte (jute.maxbuffer), path and header included. */
#define LOAD_ROWS_VALUE_BYTES_MAX 1000000

/* Parsers, into a struct target_options: numbers of private servers; odd numbers of servers, which
 * may be simulated. A topology is a number of servers. */
bool rows_topologies(struct option_given *given);
bool rows_simulated_topologies(struct option_given *given);

/* Parser of the folder of a release (install_find_zookeeper). */
bool rows_home(struct option_given *given);

/* Parsers, into a struct connect_string, whose identity they allocate when it is needed: the file
 * with credentials, or "" for ROWS_AUTH_VARIABLE of the environment, which may be unset; and a word
 * of options_acls. */
#define ROWS_AUTH_VARIABLE "ZKHERD_AUTH"
bool rows_auth(struct option_given *given);
bool rows_acl(struct option_given *given);

/* Why an --acl creator cannot be; NULL if it can, or was not given. */
const char *rows_acl_lacks(const struct connect_string *servers);

/* Parsers: how long a lock is held, into a struct hold; whole seconds, into a uint64_t. */
bool rows_hold(struct option_given *given);
bool rows_seconds(struct option_given *given);
bool rows_one_host(struct option_given *given);

/* A parser, into a struct background_options: MIX@RATE. */
bool rows_background(struct option_given *given);

/* Formats what was given as it is parsed, and "none" if nothing was; returns text.
 * size >= ROWS_BACKGROUND_TEXT_SIZE. */
const char *rows_background_format(const struct background_options *background, char *text,
                                   size_t size);

/* Sets *recipe to that of this name, or of this file if the name has a slash: it is read once, and
 * stays until the program ends. ERROR_USAGE with a sentence as the detail if there is none of the
 * name, and the errors of own_load. */
MUST_CHECK enum error_kind rows_find_recipe(const char *name, const struct recipe **recipe,
                                            struct error *error);

/* The recipe with this index among those that were read from files, the last one first; NULL: there
 * are no more. */
const struct recipe *rows_own_recipe(size_t index);

/* Appends the recipe of this name to a list of at most OPTIONS_RECIPES_MAX, which has none of them
 * twice; option_row_refuse if it cannot be. */
bool rows_recipe(struct option_given *given, const char *name, const struct recipe **list,
                 size_t *count);

/* Sets a list to the recipes whose names are given, with commas between; likewise. */
bool rows_recipes(struct option_given *given, const struct recipe **list, size_t *count);

/* The rows of ROWS_PRIVATE, as `zkherd help servers` shows them. */
extern const struct option_row rows_private[];

/* clang-format off */

/* ------------------------------------------------------------------ the servers, the sessions */

#define ROW_DRIVER(type) OPTION_ROW(.name = "--driver", .letter = 'd', \
    OPTION_WORD(type, target.driver, options_drivers, "expected events, threads or simulated"), \
    .value = "events", \
    .help = "  -d, --driver NAME        events, threads, or simulated: all in memory [events]\n")

#define ROW_PROCESSES(type, place, ...) OPTION_ROW(.name = "--processes", .letter = 'P', \
    OPTION_NUMBER(type, place, 1, 1000), .value = "1", \
    .help = "  -P, --processes P        spread the sessions over P processes [1]\n", __VA_ARGS__)

#define ROW_SERVERS(type) OPTION_ROW(.name = "--servers", .parse = rows_topologies, \
    .member = OPTION_MEMBER(type, target), .given = OPTION_MEMBER(type, target.servers_given), \
    .least = 1, .most = ENSEMBLE_SERVERS_MAX, .value = "1", \
    .help = "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3: both in turn [1]\n")

#define ROW_ZOOKEEPER(type) OPTION_ROW(.name = "--zookeeper", .parse = rows_home, \
    .member = OPTION_MEMBER(type, target.home), \
    .help = "      --zookeeper HOME     release that they run: a folder\n")

#define ROW_HEAP(type) OPTION_ROW(.name = "--heap", \
    OPTION_NUMBER(type, target.heap_mib, SERVER_HEAP_MIN_MIB, SERVER_HEAP_MAX_MIB), \
    .given = OPTION_MEMBER(type, target.heap_given), .value = "512", \
    .help = "      --heap MIB           heap of each private server [512]\n")

#define ROW_SERVER_CPUS(type) OPTION_ROW(.name = "--server-cpus", .parse = option_row_cpus, \
    .member = OPTION_MEMBER(type, target.cpu_percent), .least = SERVER_CPU_MIN_PERCENT, \
    .help = "      --server-cpus X      cores that each private server may use, e.g. 0.25\n")

#define ROW_FSYNC(type) OPTION_ROW(.name = "--fsync", \
    OPTION_WORD(type, target.fsync, option_row_no_yes, "expected yes or no"), \
    .given = OPTION_MEMBER(type, target.fsync_given), .value = "yes", \
    .help = "      --fsync yes|no       whether their writes wait for the disk [yes]\n")

#define ROW_DATA(type) OPTION_ROW(.name = "--data", OPTION_FOLDER(type, target.data), \
    .help = "      --data DIR           their data, in an empty or new folder [temporary]\n")

/* For the tables that have them behind --help. */
#define ROWS_PRIVATE(type) \
    ROW_ZOOKEEPER(type), ROW_HEAP(type), ROW_SERVER_CPUS(type), ROW_FSYNC(type), ROW_DATA(type)

#define ROW_CONNECT(type) OPTION_ROW(.name = "--connect", OPTION_SERVERS(type, target.servers), \
    .given = OPTION_MEMBER(type, target.connect), \
    .help = "      --connect HOSTS[/CHROOT]  use these servers instead of private ones\n")

/* Those of --auth have a help of their own; `servers` is a connect_string. With --acl it says who the
 * sessions are, whatever the order of the options. */
#define OPTION_AUTH(type, servers) \
    .name = "--auth", .parse = rows_auth, .member = OPTION_MEMBER(type, servers), .value = ""

#define ROW_AUTH(type) OPTION_ROW(OPTION_AUTH(type, target.servers), \
    .given = OPTION_MEMBER(type, target.auth_given), \
    .help = "      --auth FILE          log in as FILE says, name:password " \
            "[$" ROWS_AUTH_VARIABLE "]\n")

#define ROW_ACL(type) OPTION_ROW(.name = "--acl", .parse = rows_acl, \
    .member = OPTION_MEMBER(type, target.servers), .words = options_acls, \
    .expected = "expected open or creator", .value = "open", \
    .help = "      --acl open|creator   who may use its znodes: all, or --auth alone [open]\n")

/* The help does not offer what is always refused, with the reason. */
#define ROW_TLS OPTION_ROW(.name = "--tls", .parse = option_row_never, .help = "")

/* The row of zkherd load stands before this one. */
#define ROW_ONE_HOST OPTION_ROW(.name = "--meet", .parse = rows_one_host, .help = "")

#define ROWS_IDENTITY(type) ROW_AUTH(type), ROW_ACL(type), ROW_TLS, ROW_ONE_HOST

#define ROW_PLACEMENT(type) OPTION_ROW(.name = "--placement", \
    OPTION_WORD(type, target.placement, options_placements, \
                "expected spread, leader or followers"), .value = "spread", \
    .help = "      --placement WHERE    connect to leader, followers, or spread [spread]\n")

#define ROW_SESSION_TIMEOUT(type, place, ...) OPTION_ROW(.name = "--session-timeout", \
    .parse = option_row_duration, .member = OPTION_MEMBER(type, place), \
    .least = NS_PER_S, .most = 3600 * NS_PER_S, .expected = "expected at most an hour", \
    .value = "60s", \
    .help = "      --session-timeout D  requested by each session [60s]\n", __VA_ARGS__)

#define ROW_TIMEOUT(type, place, ...) OPTION_ROW(.name = "--timeout", \
    OPTION_DURATION(type, place, 100 * NS_PER_MS), .value = "30s", \
    .help = "      --timeout D          abort a trial after D without progress [30s]\n", __VA_ARGS__)

/* JSON has no larger integer. */
#define ROW_SEED(type, place) OPTION_ROW(.name = "--seed", \
    OPTION_NUMBER(type, place, 0, INT64_MAX), \
    .help = "      --seed S             of the order of trials and of random times [clock]\n")

#define ROWS_NOISE(type) \
    OPTION_ROW(.name = "--noise", \
        OPTION_WORD(type, target.noise.mode, options_noise_modes, \
                    "expected retry, report or off"), \
        .given = OPTION_MEMBER(type, target.noise.given), .value = "retry", \
        .help = "      --noise WHAT         disturbed trials: retry, report, or off [retry]\n"), \
    OPTION_ROW(.name = "--retries", OPTION_NUMBER(type, target.noise.retries, 0, 100000), \
        .given = OPTION_MEMBER(type, target.noise.retries_given), \
        .help = "      --retries N          make at most N trials again [as many as trials]\n"), \
    OPTION_ROW(.name = "--wait-for-quiet", OPTION_DURATION(type, target.noise.quiet_ns, 0), \
        .help = "      --wait-for-quiet D   wait for a quiet machine before each trial, D at " \
                "most\n")

/* ------------------------------------------------------------------ the output */

#define ROW_OUT(type) OPTION_ROW(.name = "--out", .letter = 'o', OPTION_FOLDER(type, output.out), \
    .help = "  -o, --out DIR            new folder for the results [results/TIME-TARGET]\n")

#define ROW_NO_FILES(type) OPTION_ROW(.name = "--no-files", OPTION_FLAG(type, output.no_files), \
    .help = "      --no-files           write no folder: for a demonstration\n")

#define ROW_PLOTS(type) OPTION_ROW(.name = "--plots", OPTION_PLOTS(type, output.plots), \
    .value = "svg,png", \
    .help = "      --plots FORMATS      svg, png, pdf, eps [svg,png]\n")

#define ROW_JSON(type) OPTION_ROW(.name = "--json", OPTION_FLAG(type, output.json), \
    .help = "      --json               print JSON in place of the table\n")

#define ROW_BRIEF(type) OPTION_ROW(.name = "--brief", OPTION_FLAG(type, output.brief), \
    .help = "      --brief              print at most 24 lines\n")

#define ROW_QUIET(type) OPTION_ROW(.name = "--quiet", .letter = 'q', \
    OPTION_FLAG(type, output.quiet), \
    .help = "  -q, --quiet              print only errors and failed verdicts\n")

/* ------------------------------------------------------------------ a load: struct load_options */

#define LOAD_ROW_DEPTH(default_) OPTION_ROW(.name = "--depth", \
    OPTION_NUMBER(struct load_options, depth, 1, LOAD_DEPTH_MAX), .value = default_, \
    .help = "      --depth K            operations outstanding of each session, at most " \
            "[" default_ "]\n")

#define LOAD_ROW_SIZE(default_) OPTION_ROW(.name = "--size", \
    OPTION_NUMBER(struct load_options, value_bytes, 0, LOAD_ROWS_VALUE_BYTES_MAX), \
    .value = default_, \
    .help = "      --size BYTES         of each value, at most 1000000 [" default_ "]\n")

#define LOAD_ROW_DURATION(default_) OPTION_ROW(.name = "--duration", .parse = rows_seconds, \
    .member = OPTION_MEMBER(struct load_options, duration_ns), .least = NS_PER_S, \
    .most = LOAD_SECONDS_MAX * NS_PER_S, .expected = "expected at most a day", .value = default_, \
    .help = "      --duration D         measured, in whole seconds [" default_ "]\n")

#define LOAD_ROW_WARM_UP(default_) OPTION_ROW(.name = "--warm-up", \
    OPTION_DURATION(struct load_options, warm_up_ns, 0), .value = default_, \
    .help = "      --warm-up D          before it, under the same load, not measured " \
            "[" default_ "]\n")

#define LOAD_ROW_TRIALS(least_, default_) OPTION_ROW(.name = "--trials", .letter = 't', \
    OPTION_NUMBER(struct load_options, trials, least_, 1000), .value = default_, \
    .help = "  -t, --trials K           of each combination [" default_ "]\n")

/* clang-format on */

#endif
