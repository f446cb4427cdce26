// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/option_table.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "recipes/registry.h"
#include "servers/ensemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS_MAX 100000

/* ------------------------------------------------------------------ parsers */

/* Complains about the value of an option; false, for the functions here to return. */
static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("run", option, value, why);
}

static bool refuse_recipe(const char *list, const char *name)
{
    char near[256], why[384];
    registry_suggest(name, near, sizeof near);
    if (near[0] != '\0')
        snprintf(why, sizeof why, "no recipe is called '%s'; did you mean %s?", name, near);
    else
        snprintf(why, sizeof why, "no recipe is called '%s'; zkherd recipes lists all", name);
    return wrong("--recipes", list, why);
}

/* NAME or NAME:MOST. */
static bool parse_recipe(const char *list, char *item, struct options *options)
{
    uint64_t most = UINT64_MAX;
    char *colon = strchr(item, ':');
    if (colon != NULL && !text_parse_number(colon + 1, 1, CLIENTS_MAX, &most))
        return wrong("--recipes", list,
                     "after the colon, the recipe's largest client count is expected");
    if (colon != NULL)
        *colon = '\0';
    if (item[0] == '\0')
        return wrong("--recipes", list, "the name of a recipe is missing");
    const struct recipe *recipe = registry_find(item);
    if (recipe == NULL)
        return refuse_recipe(list, item);
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (options->plan.recipes[i] == recipe)
            return wrong("--recipes", list, "a recipe is named twice");
    }
    if (options->plan.recipe_count == OPTIONS_RECIPES_MAX)
        return wrong("--recipes", list, "too many");
    options->plan.most_clients[options->plan.recipe_count] = most;
    options->plan.recipes[options->plan.recipe_count++] = recipe;
    return true;
}

static bool parse_recipes(const struct option_row *row, const char *value, struct options *options)
{
    (void)row;
    const char *list = value;
    char item[64];
    options->plan.recipe_count = 0;
    while (text_next_item(&list, item, sizeof item)) {
        if (!parse_recipe(value, item, options))
            return false;
    }
    return true;
}

static bool parse_clients(const struct option_row *row, const char *value, struct options *options)
{
    free(options->plan.clients.list);
    options->plan.clients.list = NULL;
    char why[192];
    if (text_parse_numbers(value, row->least, row->most, &options->plan.clients.list,
                           &options->plan.clients.count))
        return true;
    if (!text_explain_range(value, why, sizeof why))
        snprintf(why, sizeof why,
                 "expected at most 4096 numbers from 1 to 100000, such as 10,20 or 8..256x2");
    return wrong(row->name, value, why);
}

/* The index of a value among words that end with NULL; -1 if it is none of them. */
static int find_word(const char *const words[], const char *value)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(value, words[i]) == 0)
            return i;
    }
    return -1;
}

static bool parse_workload(const struct option_row *row, const char *value, struct options *options)
{
    int word = find_word(options_workloads, value);
    if (word < 0)
        return wrong(row->name, value, "expected drain or steady");
    options->plan.workload = (enum workload)word;
    return true;
}

static bool parse_pace(const struct option_row *row, const char *value, struct options *options)
{
    int word = find_word(options_paces, value);
    if (word < 0)
        return wrong(row->name, value, "expected lockstep or free");
    options->plan.pace = (enum pace)word;
    return true;
}

static bool parse_hold(const struct option_row *row, const char *value, struct options *options)
{
    options->plan.hold.exponential = strncmp(value, "exp:", 4) == 0;
    const char *mean = options->plan.hold.exponential ? value + 4 : value;
    return text_parse_duration(mean, &options->plan.hold.mean_ns) ||
           wrong(row->name, value, "expected a duration with its unit, such as 5ms or exp:5ms");
}

/* A duration of at least row->least nanoseconds. */
static bool take_duration(const struct option_row *row, const char *value, uint64_t *duration_ns)
{
    uint64_t parsed;
    if (!text_parse_duration(value, &parsed))
        return wrong(row->name, value, "expected a duration with its unit, such as 500ms or 30s");
    if (parsed < row->least) {
        char least[32], why[64];
        snprintf(why, sizeof why, "too short: expected at least %s",
                 text_format_duration(row->least, least, sizeof least));
        return wrong(row->name, value, why);
    }
    *duration_ns = parsed;
    return true;
}

static bool parse_duration(const struct option_row *row, const char *value, struct options *options)
{
    return take_duration(row, value, &options->plan.duration_ns);
}

static bool parse_timeout(const struct option_row *row, const char *value, struct options *options)
{
    return take_duration(row, value, &options->plan.timeout_ns);
}

static bool parse_session_timeout(const struct option_row *row, const char *value,
                                  struct options *options)
{
    if (!take_duration(row, value, &options->plan.session_timeout_ns))
        return false;
    return options->plan.session_timeout_ns <= row->most ||
           wrong(row->name, value, "expected at most an hour");
}

/* A whole number from row->least to row->most. */
static bool take_number(const struct option_row *row, const char *value, uint64_t *number)
{
    return arguments_take_number("run", row->name, value, row->least, row->most, number);
}

static bool take_small(const struct option_row *row, const char *value, uint32_t *number)
{
    uint64_t parsed;
    if (!take_number(row, value, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}

static bool parse_handoffs(const struct option_row *row, const char *value, struct options *options)
{
    return take_number(row, value, &options->plan.handoffs);
}

static bool parse_locks(const struct option_row *row, const char *value, struct options *options)
{
    return take_small(row, value, &options->plan.locks);
}

static bool parse_trials(const struct option_row *row, const char *value, struct options *options)
{
    return take_small(row, value, &options->plan.trials);
}

static bool parse_processes(const struct option_row *row, const char *value,
                            struct options *options)
{
    return take_small(row, value, &options->plan.processes);
}

static bool parse_max_clients(const struct option_row *row, const char *value,
                              struct options *options)
{
    return take_number(row, value, &options->target.max_clients);
}

static bool parse_max_rate(const struct option_row *row, const char *value, struct options *options)
{
    return take_number(row, value, &options->plan.max_rate);
}

static bool parse_seed(const struct option_row *row, const char *value, struct options *options)
{
    return take_number(row, value, &options->plan.seed);
}

static bool parse_driver(const struct option_row *row, const char *value, struct options *options)
{
    int word = find_word(options_drivers, value);
    if (word < 0)
        return wrong(row->name, value, "expected events, threads or simulated");
    options->target.driver = (enum driver)word;
    return true;
}

static bool parse_servers(const struct option_row *row, const char *value, struct options *options)
{
    free(options->target.server_counts);
    options->target.server_counts = NULL;
    options->target.servers_given = true;
    if (!text_parse_numbers(value, row->least, row->most, &options->target.server_counts,
                            &options->target.topology_count))
        return wrong(row->name, value, "expected 1, 3, 5 or 7, or several of them, such as 1,3");
    for (size_t i = 0; i < options->target.topology_count; i++) {
        struct error error = {0};
        if (ensemble_check_size((unsigned)options->target.server_counts[i], &error) != ERROR_NONE)
            return wrong(row->name, value, error.detail);
    }
    return options->target.topology_count == text_count_numbers(value, row->least, row->most) ||
           wrong(row->name, value, "a number of servers is given twice");
}

static bool parse_fsync(const struct option_row *row, const char *value, struct options *options)
{
    options->target.fsync_given = true;
    options->target.fsync = strcmp(value, "yes") == 0;
    return options->target.fsync || strcmp(value, "no") == 0 ||
           wrong(row->name, value, "expected yes or no");
}

static bool parse_data(const struct option_row *row, const char *value, struct options *options)
{
    options->target.data = value;
    return value[0] != '\0' || wrong(row->name, value, "expected the name of a folder");
}

static bool parse_placement(const struct option_row *row, const char *value,
                            struct options *options)
{
    int word = find_word(options_placements, value);
    if (word < 0)
        return wrong(row->name, value, "expected spread, leader or followers");
    options->target.placement = (enum placement)word;
    return true;
}

static bool parse_out(const struct option_row *row, const char *value, struct options *options)
{
    options->output.out = value;
    return value[0] != '\0' || wrong(row->name, value, "expected the name of a folder");
}

static bool parse_heap(const struct option_row *row, const char *value, struct options *options)
{
    options->target.heap_given = true;
    return take_small(row, value, &options->target.heap_mib);
}

static bool parse_connect(const struct option_row *row, const char *value, struct options *options)
{
    (void)row;
    options->target.connect = true;
    return arguments_take_servers("run", value, &options->target.servers);
}

static bool parse_plots(const struct option_row *row, const char *value, struct options *options)
{
    (void)row;
    return arguments_take_plots("run", value, &options->output.plots);
}

static bool parse_quiet(const struct option_row *row, const char *value, struct options *options)
{
    (void)row;
    (void)value;
    options->output.quiet = true;
    return true;
}

/* ------------------------------------------------------------------ the keys of the plan */

static json_t *print_recipes(const struct options *options)
{
    json_t *recipes = json_array();
    for (size_t i = 0; i < options->plan.recipe_count; i++)
        json_array_append_new(recipes, json_string(options->plan.recipes[i]->name));
    return recipes;
}

/* Of the recipes that do not go through all levels. */
static json_t *print_most_clients(const struct options *options)
{
    json_t *most = json_object();
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (options->plan.most_clients[i] != UINT64_MAX)
            json_object_set_new(most, options->plan.recipes[i]->name,
                                json_integer((json_int_t)options->plan.most_clients[i]));
    }
    return most;
}

static json_t *print_counts(const uint64_t *list, size_t count)
{
    json_t *numbers = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(numbers, json_integer((json_int_t)list[i]));
    return numbers;
}

static json_t *print_clients(const struct options *options)
{
    return print_counts(options->plan.clients.list, options->plan.clients.count);
}

static json_t *print_clients_left_out(const struct options *options)
{
    const struct client_counts *clients = &options->plan.clients;
    return print_counts(clients->list + clients->count, clients->left_out);
}

static json_t *number_or_null(uint64_t number, uint64_t no_limit)
{
    return number == no_limit ? json_null() : json_integer((json_int_t)number);
}

/* Defines the printer of a key. */
#define PRINT(key, json)                                                                           \
    static json_t *print_##key(const struct options *options)                                      \
    {                                                                                              \
        return json;                                                                               \
    }

PRINT(workload, json_string(options_workloads[options->plan.workload]))
PRINT(pace, json_string(options_paces[options->plan.pace]))
PRINT(placement, json_string(options_placements[options->target.placement]))
PRINT(hold_exponential, json_boolean(options->plan.hold.exponential))
PRINT(handoffs, json_integer((json_int_t)options->plan.handoffs))
PRINT(duration_ns, json_integer((json_int_t)options->plan.duration_ns))
PRINT(hold_ns, json_integer((json_int_t)options->plan.hold.mean_ns))
PRINT(locks, json_integer((json_int_t)options->plan.locks))
PRINT(trials, json_integer((json_int_t)options->plan.trials))
PRINT(processes, json_integer((json_int_t)options->plan.processes))
PRINT(session_timeout_ms, json_integer((json_int_t)(options->plan.session_timeout_ns / NS_PER_MS)))
PRINT(timeout_ms, json_integer((json_int_t)(options->plan.timeout_ns / NS_PER_MS)))
PRINT(max_clients, number_or_null(options->target.max_clients, UINT64_MAX))
PRINT(max_rate, number_or_null(options->plan.max_rate, 0))

/* ------------------------------------------------------------------ the rows */

const struct option_row option_table[] = {
    {.name = "--recipes",
     .letter = 'r',
     .parse = parse_recipes,
     .value = "nonscalable,childwatch,scalable",
     .help = "  -r, --recipes LIST       names (see zkherd recipes); NAME:MOST skips client\n"
             "                           counts above MOST [nonscalable,childwatch,scalable]\n",
     .keys = {{"recipes", print_recipes, true, JSON_ARRAY},
              {"most_clients", print_most_clients, true, JSON_OBJECT}}},
    {.name = "--clients",
     .letter = 'n',
     .parse = parse_clients,
     .least = 1,
     .most = CLIENTS_MAX,
     .value = "8..256x2",
     .help = "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n",
     .keys = {{"clients", print_clients, true, JSON_ARRAY},
              {"clients_left_out", print_clients_left_out, false, JSON_ARRAY}}},
    {.name = "--workload",
     .letter = 'w',
     .parse = parse_workload,
     .value = "drain",
     .help = "  -w, --workload KIND      drain: each client acquires once; steady: each queues\n"
             "                           again after its release [drain]\n",
     .keys = {{"workload", print_workload, true, JSON_STRING}}},
    {.name = "--handoffs",
     .parse = parse_handoffs,
     .least = 1,
     .most = 50000000,
     .help = "      --handoffs N         steady: N grants in all [10 per client]\n",
     .keys = {{"handoffs", print_handoffs, true, JSON_INTEGER}}},
    {.name = "--duration",
     .parse = parse_duration,
     .least = NS_PER_MS,
     .help = "      --duration D         steady: run for D instead\n",
     .keys = {{"duration_ns", print_duration_ns, true, JSON_INTEGER}}},
    {.name = "--pace",
     .letter = 'p',
     .parse = parse_pace,
     .value = "lockstep",
     .help = "  -p, --pace PACE          lockstep: one step at a time, exact counts; free: all\n"
             "                           clients at once, real contention [lockstep]\n",
     .keys = {{"pace", print_pace, true, JSON_STRING}}},
    {.name = "--hold",
     .parse = parse_hold,
     .help = "      --hold D             hold the lock for D; exp:D: exponential, mean D [0]\n",
     .keys = {{"hold_ns", print_hold_ns, true, JSON_INTEGER},
              {"hold_exponential", print_hold_exponential, true, JSON_TRUE}}},
    {.name = "--locks",
     .letter = 'k',
     .parse = parse_locks,
     .least = 1,
     .most = 10000,
     .value = "1",
     .help = "  -k, --locks M            spread the clients over M locks [1]\n",
     .keys = {{"locks", print_locks, true, JSON_INTEGER}}},
    {.name = "--trials",
     .letter = 't',
     .parse = parse_trials,
     .least = 1,
     .most = 1000,
     .value = "5",
     .help = "  -t, --trials K           trials of each recipe at each client count [5]\n",
     .keys = {{"trials", print_trials, false, JSON_INTEGER}}},
    {.name = "--driver",
     .letter = 'd',
     .parse = parse_driver,
     .value = "events",
     .help = "  -d, --driver NAME        events: one event loop per process; threads: a thread\n"
             "                           per session; simulated: servers and sessions in\n"
             "                           memory [events]\n"},
    {.name = "--processes",
     .letter = 'P',
     .parse = parse_processes,
     .least = 1,
     .most = 1000,
     .value = "1",
     .help = "  -P, --processes P        spread the sessions over P processes [1]\n",
     .keys = {{"processes", print_processes, false, JSON_INTEGER}}},
    {.name = "--servers",
     .parse = parse_servers,
     .least = 1,
     .most = ENSEMBLE_SERVERS_MAX,
     .value = "1",
     .help = "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3: both in turn [1]\n"},
    {.name = "--heap",
     .parse = parse_heap,
     .least = SERVER_HEAP_MIN_MIB,
     .most = SERVER_HEAP_MAX_MIB,
     .value = "512",
     .help = "      --heap MIB           heap of each private server [512]\n"},
    {.name = "--fsync",
     .parse = parse_fsync,
     .value = "yes",
     .help = "      --fsync yes|no       whether their writes wait for the disk [yes]\n"},
    {.name = "--data",
     .parse = parse_data,
     .help = "      --data DIR           their data, in an empty or new folder [temporary]\n"},
    {.name = "--connect",
     .parse = parse_connect,
     .help = "      --connect HOSTS[/CHROOT]  use these servers instead of private ones\n"},
    {.name = "--max-clients",
     .parse = parse_max_clients,
     .least = 1,
     .most = CLIENTS_MAX,
     .help = "      --max-clients N      skip client counts above N\n",
     .keys = {{"max_clients", print_max_clients, false, JSON_NULL}}},
    {.name = "--max-rate",
     .parse = parse_max_rate,
     .least = 1,
     .most = 1000000000,
     .help = "      --max-rate R         send at most R requests per second on average\n",
     .keys = {{"max_rate", print_max_rate, true, JSON_NULL}}},
    {.name = "--placement",
     .parse = parse_placement,
     .value = "spread",
     .help = "      --placement WHERE    connect to leader, followers, or spread [spread]\n",
     .keys = {{"placement", print_placement, true, JSON_STRING}}},
    {.name = "--session-timeout",
     .parse = parse_session_timeout,
     .least = NS_PER_S,
     .most = 3600 * NS_PER_S,
     .value = "60s",
     .help = "      --session-timeout D  requested by each session [60s]\n",
     .keys = {{"session_timeout_ms", print_session_timeout_ms, false, JSON_INTEGER}}},
    {.name = "--timeout",
     .parse = parse_timeout,
     .least = 100 * NS_PER_MS,
     .value = "30s",
     .help = "      --timeout D          abort a trial after D without progress [30s]\n",
     .keys = {{"timeout_ms", print_timeout_ms, false, JSON_INTEGER}}},
    {.name = "--seed",
     .parse = parse_seed,
     .most = INT64_MAX /* JSON has no larger integer */,
     .help = "      --seed S             of the order of trials and of random times [clock]\n"},
    {.name = "--out",
     .letter = 'o',
     .parse = parse_out,
     .help = "  -o, --out DIR            new folder for the results [results/TIME-TARGET]\n"},
    {.name = "--plots",
     .parse = parse_plots,
     .value = "svg,png",
     .help = "      --plots FORMATS      svg, png, pdf, eps [svg,png]\n"},
    {.name = "--quiet",
     .letter = 'q',
     .parse = parse_quiet,
     .flag = true,
     .help = "  -q, --quiet              print only errors and failed verdicts\n"},
    {.name = "--help",
     .letter = 'h',
     .flag = true,
     .help = "  -h, --help               print this help\n"},
    {0},
};

const struct plan_key *option_table_key(size_t index)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        for (size_t i = 0; i < sizeof row->keys / sizeof row->keys[0]; i++) {
            if (row->keys[i].name != NULL && index-- == 0)
                return &row->keys[i];
        }
    }
    return NULL;
}
