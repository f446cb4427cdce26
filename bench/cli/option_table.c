// SPDX-License-Identifier: Apache-2.0
/* The options of `zkherd run`, a row each, and their keys in the plan of manifest.json. */
#include "base/text.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "recipes/own.h"
#include "trial/trial_plan.h"

#include <limits.h>
#include <string.h>

#define HANDOFFS_MAX 50000000

/* A list of NAME and NAME:MOST. */
static bool parse_recipes(struct option_given *given)
{
    struct run_plan *plan = &((struct options *)given->options)->plan;
    const char *list = given->value;
    char item[PATH_MAX];
    plan->recipe_count = 0;
    while (text_next_item(&list, item, sizeof item)) {
        uint64_t most = UINT64_MAX;
        char *colon = strrchr(item, ':');
        if (own_is_file(item) && colon != NULL && strchr(colon, '/') != NULL)
            colon = NULL; /* of a folder */
        if (colon != NULL && !text_parse_number(colon + 1, 1, FLEET_SESSIONS_MAX, &most))
            return option_row_refuse(
                given, "after the colon, the recipe's largest client count is expected");
        if (colon != NULL)
            *colon = '\0';
        if (!rows_recipe(given, item, plan->recipes, &plan->recipe_count))
            return false;
        plan->most_clients[plan->recipe_count - 1] = most;
    }
    return true;
}

_Static_assert(TRACE_HANDOFFS_MAX == 64, "the row of --trace names another number");

static bool parse_traced(struct option_given *given)
{
    const struct levels *traced = option_row_place(given);
    return option_row_levels(given) && (traced->count <= TRACE_HANDOFFS_MAX ||
                                        option_row_refuse(given, "%s", given->row->expected));
}

/* ------------------------------------------------------------------ the rows */

/* clang-format off */

#define MEMBER(member_) .member = OPTION_MEMBER(struct options, member_)

const struct option_row option_table[] = {
    {.name = "--recipes", .letter = 'r', .parse = parse_recipes, .value = ROWS_RECIPES_DEFAULT,
     .help = "  -r, --recipes LIST       names (zkherd recipes) or ./FILE.c; NAME:MOST skips\n"
             "                           counts above MOST [nonscalable,childwatch,scalable]\n"},
    {.name = "--clients", .letter = 'n', .parse = option_row_levels, MEMBER(plan.clients),
     .least = 1, .most = FLEET_SESSIONS_MAX, .value = "8..256x2",
     .expected = "expected at most 4096 numbers from 1 to 100000: 10,20 or 8..256x2 or 8..64+8",
     .help = "  -n, --clients LIST       numbers: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n"},
    {.name = "--workload", .letter = 'w', .value = "drain",
     OPTION_WORD(struct options, plan.workload, options_workloads, "expected drain or steady"),
     .help = "  -w, --workload KIND      drain: once each; steady: again and again [drain]\n"},
    {.name = "--handoffs", OPTION_NUMBER(struct options, plan.handoffs, 1, HANDOFFS_MAX),
     .help = "      --handoffs N         steady: N grants in all [10 per client]\n"},
    {.name = "--duration", OPTION_DURATION(struct options, plan.duration_ns, NS_PER_MS),
     .help = "      --duration D         steady: run for D instead\n"},
    {.name = "--pace", .letter = 'p', .value = "lockstep",
     OPTION_WORD(struct options, plan.pace, options_paces, "expected lockstep or free"),
     .help = "  -p, --pace PACE          lockstep: exact steps; free: contention [lockstep]\n"},
    {.name = "--hold", .parse = rows_hold, MEMBER(plan.hold),
     .help = "      --hold D             hold the lock for D; exp:D: exponential, mean D [0]\n"},
    {.name = "--locks", .letter = 'k', .value = "1",
     OPTION_NUMBER(struct options, plan.locks, 1, 10000),
     .help = "  -k, --locks M            spread the clients over M locks [1]\n"},
    {.name = "--trials", .letter = 't', .value = "5",
     OPTION_NUMBER(struct options, plan.trials, 1, 1000),
     .help = "  -t, --trials K           trials of each recipe at each client count [5]\n"},
    {.name = "--trace", .parse = parse_traced, MEMBER(plan.traced), .least = 1,
     .most = HANDOFFS_MAX,
     .expected = "expected at most 64 numbers of handoffs, from 1, such as 5 or 1..8+1",
     .help = "      --trace LIST         keep each message of these handoffs: trace.csv\n"},
    ROW_DRIVER(struct options),
    ROW_PROCESSES(struct options, plan.processes),
    ROW_SERVERS(struct options),
    ROW_CONNECT(struct options),
    ROWS_IDENTITY(struct options),
    {.name = "--max-clients",
     OPTION_NUMBER(struct options, target.max_clients, 1, FLEET_SESSIONS_MAX),
     .help = "      --max-clients N      skip client counts above N\n"},
    {.name = "--max-rate", OPTION_NUMBER(struct options, plan.max_rate, 1, 1000000000),
     .help = "      --max-rate R         send at most R requests per second on average\n"},
    {.name = "--background", .parse = rows_background, MEMBER(plan.background),
     .help = "      --background MIX@RATE  meanwhile, with --pace free: get=80,set=20@1000\n"},
    ROW_PLACEMENT(struct options),
    ROW_SESSION_TIMEOUT(struct options, plan.session_timeout_ns),
    ROW_TIMEOUT(struct options, plan.timeout_ns),
    ROW_SEED(struct options, plan.seed),
    ROWS_NOISE(struct options),
    ROW_OUT(struct options),
    ROW_NO_FILES(struct options),
    ROW_PLOTS(struct options),
    ROW_BRIEF(struct options),
    ROW_JSON(struct options),
    ROW_QUIET(struct options),
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    ROWS_PRIVATE(struct options),
    {0},
};

/* clang-format on */

/* ------------------------------------------------------------------ the keys of the plan */

static json_t *print_recipes(const void *place)
{
    const struct run_plan *plan = place;
    json_t *recipes = json_array();
    for (size_t i = 0; i < plan->recipe_count; i++)
        json_array_append_new(recipes, json_string(plan->recipes[i]->name));
    return recipes;
}

/* Recipes that do not go through all levels. */
static json_t *print_most_clients(const void *place)
{
    const struct run_plan *plan = place;
    json_t *most = json_object();
    for (size_t i = 0; i < plan->recipe_count; i++) {
        if (plan->most_clients[i] != UINT64_MAX)
            json_object_set_new(most, plan->recipes[i]->name,
                                json_integer((json_int_t)plan->most_clients[i]));
    }
    return most;
}

static json_t *print_levels(const void *place)
{
    const struct levels *levels = place;
    return load_options_describe(levels->list, levels->count);
}

static json_t *print_left_out(const void *place)
{
    const struct levels *levels = place;
    return load_options_describe(levels->list + levels->count, levels->left_out);
}

static json_t *print_background(const void *place)
{
    char text[ROWS_BACKGROUND_TEXT_SIZE];
    return json_string(rows_background_format(place, text, sizeof text));
}

/* A key that the plan of manifest.json has. */
struct plan_key {
    const char *name;
    json_type type; /* JSON_TRUE stands for both booleans, JSON_NULL for an integer, of which
                       0 and UINT64_MAX are null */
    struct option_member member;          /* of struct options */
    const char *const *words;             /* of an enumeration; NULL: a number or a boolean */
    uint64_t unit;                        /* the number is divided by it; 0: by 1 */
    json_t *(*print)(const void *member); /* instead; NULL: by type */
};

static const struct plan_key keys[] = {
    {"recipes", JSON_ARRAY, MEMBER(plan), .print = print_recipes},
    {"most_clients", JSON_OBJECT, MEMBER(plan), .print = print_most_clients},
    {"clients", JSON_ARRAY, MEMBER(plan.clients), .print = print_levels},
    {"clients_left_out", JSON_ARRAY, MEMBER(plan.clients), .print = print_left_out},
    {"workload", JSON_STRING, MEMBER(plan.workload), .words = options_workloads},
    {"handoffs", JSON_INTEGER, MEMBER(plan.handoffs)},
    {"duration_ns", JSON_INTEGER, MEMBER(plan.duration_ns)},
    {"pace", JSON_STRING, MEMBER(plan.pace), .words = options_paces},
    {"hold_ns", JSON_INTEGER, MEMBER(plan.hold.mean_ns)},
    {"hold_exponential", JSON_TRUE, MEMBER(plan.hold.exponential)},
    {"locks", JSON_INTEGER, MEMBER(plan.locks)},
    {"trials", JSON_INTEGER, MEMBER(plan.trials)},
    {"traced", JSON_ARRAY, MEMBER(plan.traced), .print = print_levels},
    {"processes", JSON_INTEGER, MEMBER(plan.processes)},
    {"server_cpu_percent", JSON_NULL, MEMBER(target.cpu_percent)},
    {"max_clients", JSON_NULL, MEMBER(target.max_clients)},
    {"max_rate", JSON_NULL, MEMBER(plan.max_rate)},
    {"background", JSON_STRING, MEMBER(plan.background), .print = print_background},
    {"placement", JSON_STRING, MEMBER(target.placement), .words = options_placements},
    {"session_timeout_ms", JSON_INTEGER, MEMBER(plan.session_timeout_ns), .unit = NS_PER_MS},
    {"timeout_ms", JSON_INTEGER, MEMBER(plan.timeout_ns), .unit = NS_PER_MS},
};

static json_t *value_of(const struct plan_key *key, const struct options *options)
{
    const void *place = (const char *)options + key->member.offset;
    if (key->print != NULL)
        return key->print(place);
    uint64_t number = key->member.size == sizeof(uint64_t)   ? *(const uint64_t *)place
                      : key->member.size == sizeof(uint32_t) ? *(const uint32_t *)place
                                                             : *(const bool *)place;
    if (key->words != NULL)
        return json_string(key->words[number]);
    if (key->type == JSON_TRUE)
        return json_boolean(number);
    if (key->type == JSON_NULL && (number == 0 || number == UINT64_MAX))
        return json_null();
    return json_integer((json_int_t)(key->unit > 0 ? number / key->unit : number));
}

json_t *option_table_plan(const struct options *options)
{
    json_t *plan = json_object();
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        json_object_set_new(plan, keys[i].name, value_of(&keys[i], options));
    return plan;
}
