// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/option_table.h"

#include "base/text.h"
#include "bench/cli/background_option.h"
#include "bench/cli/recipe_option.h"
#include "bench/cli/shared_rows.h"
#include "trial/trace.h"

#include <string.h>

#define CLIENTS_MAX  100000
#define HANDOFFS_MAX 50000000

/* ------------------------------------------------------------------ parsers */

/* NAME or NAME:MOST. */
static bool parse_recipe(struct option_given *given, char *item)
{
    struct options *options = given->options;
    uint64_t most = UINT64_MAX;
    char *colon = strchr(item, ':');
    if (colon != NULL && !text_parse_number(colon + 1, 1, CLIENTS_MAX, &most))
        return option_row_refuse(given,
                                 "after the colon, the recipe's largest client count is expected");
    if (colon != NULL)
        *colon = '\0';
    if (!recipe_option_take(given, item, options->plan.recipes, &options->plan.recipe_count))
        return false;
    options->plan.most_clients[options->plan.recipe_count - 1] = most;
    return true;
}

static bool parse_recipes(struct option_given *given)
{
    struct options *options = given->options;
    const char *list = given->value;
    char item[64];
    options->plan.recipe_count = 0;
    while (text_next_item(&list, item, sizeof item)) {
        if (!parse_recipe(given, item))
            return false;
    }
    return true;
}

static bool parse_clients(struct option_given *given)
{
    struct client_counts *clients = &((struct options *)given->options)->plan.clients;
    return option_row_numbers(given, &clients->list, &clients->count);
}

_Static_assert(TRACE_HANDOFFS_MAX == 64, "the row of --trace names another number");

static bool parse_traced(struct option_given *given)
{
    struct run_plan *plan = &((struct options *)given->options)->plan;
    return option_row_numbers(given, &plan->traced, &plan->traced_count) &&
           (plan->traced_count <= TRACE_HANDOFFS_MAX ||
            option_row_refuse(given, "%s", given->row->expected));
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

static json_t *print_traced(const struct options *options)
{
    return print_counts(options->plan.traced, options->plan.traced_count);
}

static json_t *print_background(const struct options *options)
{
    char text[BACKGROUND_OPTION_TEXT_SIZE];
    return json_string(background_option_format(&options->plan.background, text, sizeof text));
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
PRINT(server_cpu_percent, number_or_null(options->target.cpu_percent, 0))
PRINT(max_rate, number_or_null(options->plan.max_rate, 0))

/* ------------------------------------------------------------------ the rows */

#define KEYS(...)                                                                                  \
    (const struct plan_key[])                                                                      \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

const struct option_row option_table[] = {
    {.name = "--recipes",
     .letter = 'r',
     .parse = parse_recipes,
     .value = RECIPE_OPTION_DEFAULT,
     .help = "  -r, --recipes LIST       names (see zkherd recipes); NAME:MOST skips client\n"
             "                           counts above MOST [nonscalable,childwatch,scalable]\n",
     .keys = KEYS({"recipes", print_recipes, true, JSON_ARRAY},
                  {"most_clients", print_most_clients, true, JSON_OBJECT})},
    {.name = "--clients",
     .letter = 'n',
     .parse = parse_clients,
     .least = 1,
     .most = CLIENTS_MAX,
     .expected = "expected at most 4096 numbers from 1 to 100000, such as 10,20 or 8..256x2",
     .value = "8..256x2",
     .help = "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n",
     .keys = KEYS({"clients", print_clients, true, JSON_ARRAY},
                  {"clients_left_out", print_clients_left_out, false, JSON_ARRAY})},
    {.name = "--workload",
     .letter = 'w',
     OPTION_WORD(struct options, plan.workload, options_workloads, "expected drain or steady"),
     .value = "drain",
     .help = "  -w, --workload KIND      drain: each client acquires once; steady: each queues\n"
             "                           again after its release [drain]\n",
     .keys = KEYS({"workload", print_workload, true, JSON_STRING})},
    {.name = "--handoffs",
     OPTION_NUMBER(struct options, plan.handoffs, 1, HANDOFFS_MAX),
     .help = "      --handoffs N         steady: N grants in all [10 per client]\n",
     .keys = KEYS({"handoffs", print_handoffs, true, JSON_INTEGER})},
    {.name = "--duration",
     OPTION_DURATION(struct options, plan.duration_ns, NS_PER_MS),
     .help = "      --duration D         steady: run for D instead\n",
     .keys = KEYS({"duration_ns", print_duration_ns, true, JSON_INTEGER})},
    {.name = "--pace",
     .letter = 'p',
     OPTION_WORD(struct options, plan.pace, options_paces, "expected lockstep or free"),
     .value = "lockstep",
     .help = "  -p, --pace PACE          lockstep: one step at a time, exact counts; free: all\n"
             "                           clients at once, real contention [lockstep]\n",
     .keys = KEYS({"pace", print_pace, true, JSON_STRING})},
    {.name = "--hold",
     .parse = shared_rows_hold,
     .member = OPTION_MEMBER(struct options, plan.hold),
     .help = "      --hold D             hold the lock for D; exp:D: exponential, mean D [0]\n",
     .keys = KEYS({"hold_ns", print_hold_ns, true, JSON_INTEGER},
                  {"hold_exponential", print_hold_exponential, true, JSON_TRUE})},
    {.name = "--locks",
     .letter = 'k',
     OPTION_NUMBER(struct options, plan.locks, 1, 10000),
     .value = "1",
     .help = "  -k, --locks M            spread the clients over M locks [1]\n",
     .keys = KEYS({"locks", print_locks, true, JSON_INTEGER})},
    {.name = "--trials",
     .letter = 't',
     OPTION_NUMBER(struct options, plan.trials, 1, 1000),
     .value = "5",
     .help = "  -t, --trials K           trials of each recipe at each client count [5]\n",
     .keys = KEYS({"trials", print_trials, false, JSON_INTEGER})},
    {.name = "--trace",
     .parse = parse_traced,
     .least = 1,
     .most = HANDOFFS_MAX,
     .expected = "expected at most 64 numbers of handoffs, from 1, such as 5 or 1..8+1",
     .help = "      --trace LIST         keep each message of these handoffs: trace.csv\n",
     .keys = KEYS({"traced", print_traced, false, JSON_ARRAY})},
    ROW_DRIVER(struct options),
    ROW_COSTS(struct options),
    ROW_PROCESSES(struct options, plan.processes,
                  KEYS({"processes", print_processes, false, JSON_INTEGER})),
    ROW_SERVERS(struct options),
    ROW_ZOOKEEPER(struct options),
    ROW_HEAP(struct options),
    ROW_SERVER_CPUS(struct options,
                    KEYS({"server_cpu_percent", print_server_cpu_percent, true, JSON_NULL})),
    ROW_FSYNC(struct options),
    ROW_DATA(struct options),
    ROW_CONNECT(struct options),
    {.name = "--max-clients",
     OPTION_NUMBER(struct options, target.max_clients, 1, CLIENTS_MAX),
     .help = "      --max-clients N      skip client counts above N\n",
     .keys = KEYS({"max_clients", print_max_clients, false, JSON_NULL})},
    {.name = "--max-rate",
     OPTION_NUMBER(struct options, plan.max_rate, 1, 1000000000),
     .help = "      --max-rate R         send at most R requests per second on average\n",
     .keys = KEYS({"max_rate", print_max_rate, true, JSON_NULL})},
    {.name = "--background",
     .parse = background_option_parse,
     .member = OPTION_MEMBER(struct options, plan.background),
     .least = BACKGROUND_OPTION_LEAST_PER_S,
     .most = BACKGROUND_OPTION_MOST_PER_S,
     .help = "      --background MIX@RATE  with --pace free: other requests meanwhile, such as\n"
             "                           get=80,set=20@1000 (see zkherd load)\n",
     .keys = KEYS({"background", print_background, true, JSON_STRING})},
    ROW_PLACEMENT(struct options, KEYS({"placement", print_placement, true, JSON_STRING})),
    ROW_SESSION_TIMEOUT(struct options, plan.session_timeout_ns,
                        KEYS(
                            {"session_timeout_ms", print_session_timeout_ms, false, JSON_INTEGER})),
    ROW_TIMEOUT(struct options, plan.timeout_ns,
                KEYS({"timeout_ms", print_timeout_ms, false, JSON_INTEGER})),
    ROW_SEED(struct options, plan.seed),
    ROW_OUT(struct options),
    ROW_PLOTS(struct options),
    ROW_METRICS(struct options),
    ROW_JSON(struct options),
    ROW_QUIET(struct options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

const struct plan_key *option_table_key(size_t index)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        for (const struct plan_key *key = row->keys; key != NULL && key->name != NULL; key++) {
            if (index-- == 0)
                return key;
        }
    }
    return NULL;
}

json_t *option_table_plan(const struct options *options)
{
    const struct plan_key *key;
    json_t *plan = json_object();
    for (size_t i = 0; (key = option_table_key(i)) != NULL; i++) {
        if (json_object_set_new(plan, key->name, key->print(options)) != 0) {
            json_decref(plan);
            return NULL;
        }
    }
    return plan;
}
