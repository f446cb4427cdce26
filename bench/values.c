// SPDX-License-Identifier: Apache-2.0
#include "bench/values.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/arguments.h"
#include "bench/complain.h"
#include "recipes/registry.h"
#include "servers/ensemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS_MAX            100000
#define TRIALS_MAX             1000
#define LOCKS_MAX              10000
#define PROCESSES_MAX          1000
#define RATE_MAX               UINT64_C(1000000000)
#define HANDOFFS_MAX           UINT64_C(50000000)
#define SESSION_TIMEOUT_MAX_NS (3600 * NS_PER_S)

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
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (options->recipes[i] == recipe)
            return wrong("--recipes", list, "a recipe is named twice");
    }
    if (options->recipe_count == OPTIONS_RECIPES_MAX)
        return wrong("--recipes", list, "too many");
    options->most_clients[options->recipe_count] = most;
    options->recipes[options->recipe_count++] = recipe;
    return true;
}

static bool parse_recipes(const char *value, struct options *options)
{
    const char *list = value;
    char item[64];
    options->recipe_count = 0;
    while (text_next_item(&list, item, sizeof item)) {
        if (!parse_recipe(value, item, options))
            return false;
    }
    return true;
}

static bool parse_clients(const char *value, struct options *options)
{
    free(options->clients);
    options->clients = NULL;
    char why[192];
    if (text_parse_numbers(value, 1, CLIENTS_MAX, &options->clients, &options->level_count))
        return true;
    if (!text_explain_range(value, why, sizeof why))
        snprintf(why, sizeof why,
                 "expected at most 4096 numbers from 1 to 100000, such as 10,20 or 8..256x2");
    return wrong("--clients", value, why);
}

static bool parse_workload(const char *value, struct options *options)
{
    if (strcmp(value, "drain") == 0)
        options->workload = WORKLOAD_DRAIN;
    else if (strcmp(value, "steady") == 0)
        options->workload = WORKLOAD_STEADY;
    else
        return wrong("--workload", value, "expected drain or steady");
    return true;
}

static bool parse_pace(const char *value, struct options *options)
{
    if (strcmp(value, "lockstep") == 0)
        options->pace = PACE_LOCKSTEP;
    else if (strcmp(value, "free") == 0)
        options->pace = PACE_FREE;
    else
        return wrong("--pace", value, "expected lockstep or free");
    return true;
}

static bool parse_hold(const char *value, struct options *options)
{
    options->hold.exponential = strncmp(value, "exp:", 4) == 0;
    const char *mean = options->hold.exponential ? value + 4 : value;
    return text_parse_duration(mean, &options->hold.mean_ns) ||
           wrong("--hold", value, "expected a duration with its unit, such as 5ms or exp:5ms");
}

static bool parse_duration(const char *option, const char *value, uint64_t minimum_ns,
                           uint64_t *duration_ns)
{
    uint64_t parsed;
    if (!text_parse_duration(value, &parsed))
        return wrong(option, value, "expected a duration with its unit, such as 500ms or 30s");
    if (parsed < minimum_ns) {
        char least[32], why[64];
        snprintf(why, sizeof why, "too short: expected at least %s",
                 text_format_duration(minimum_ns, least, sizeof least));
        return wrong(option, value, why);
    }
    *duration_ns = parsed;
    return true;
}

static bool parse_session_timeout(const char *value, struct options *options)
{
    if (!parse_duration("--session-timeout", value, NS_PER_S, &options->session_timeout_ns))
        return false;
    return options->session_timeout_ns <= SESSION_TIMEOUT_MAX_NS ||
           wrong("--session-timeout", value, "expected at most an hour");
}

static bool parse_between(const char *option, const char *value, uint32_t minimum, uint32_t maximum,
                          uint32_t *number)
{
    uint64_t parsed;
    if (!arguments_take_number("run", option, value, minimum, maximum, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}

static bool parse_small(const char *option, const char *value, uint32_t maximum, uint32_t *number)
{
    return parse_between(option, value, 1, maximum, number);
}

static bool parse_driver(const char *value, struct options *options)
{
    for (int driver = DRIVER_EVENTS; driver <= DRIVER_SIMULATED; driver++) {
        options->driver = (enum driver)driver;
        if (strcmp(value, options_driver_word(options->driver)) == 0)
            return true;
    }
    return wrong("--driver", value, "expected events, threads or simulated");
}

static bool parse_servers(const char *value, struct options *options)
{
    free(options->server_counts);
    options->server_counts = NULL;
    if (!text_parse_numbers(value, 1, ENSEMBLE_SERVERS_MAX, &options->server_counts,
                            &options->topology_count))
        return wrong("--servers", value, "expected 1, 3, 5 or 7, or several of them, such as 1,3");
    for (size_t i = 0; i < options->topology_count; i++) {
        struct error error = {0};
        if (ensemble_check_size((unsigned)options->server_counts[i], &error) != ERROR_NONE)
            return wrong("--servers", value, error.detail);
    }
    return options->topology_count == text_count_numbers(value, 1, ENSEMBLE_SERVERS_MAX) ||
           wrong("--servers", value, "a number of servers is given twice");
}

static bool parse_fsync(const char *value, struct options *options)
{
    options->fsync_given = true;
    options->fsync = strcmp(value, "yes") == 0;
    return options->fsync || strcmp(value, "no") == 0 ||
           wrong("--fsync", value, "expected yes or no");
}

static bool parse_data(const char *value, struct options *options)
{
    options->data = value;
    return value[0] != '\0' || wrong("--data", value, "expected the name of a folder");
}

static bool parse_placement(const char *value, struct options *options)
{
    for (int i = 0; i < PLACEMENTS; i++) {
        options->placement = (enum placement)i;
        if (strcmp(value, options_placement_word(options->placement)) == 0)
            return true;
    }
    return wrong("--placement", value, "expected spread, leader or followers");
}

static bool parse_out(const char *value, struct options *options)
{
    options->out = value;
    return value[0] != '\0' || wrong("--out", value, "expected the name of a folder");
}

static bool parse_heap(const char *value, struct options *options)
{
    options->heap_given = true;
    return parse_between("--heap", value, SERVER_HEAP_MIN_MIB, SERVER_HEAP_MAX_MIB,
                         &options->heap_mib);
}

/* From 1 on. */
static bool parse_count(const char *option, const char *value, uint64_t most, uint64_t *count)
{
    return arguments_take_number("run", option, value, 1, most, count);
}

bool values_take(enum option_name name, const char *value, struct options *options)
{
    switch (name) {
    case OPTION_RECIPES:
        return parse_recipes(value, options);
    case OPTION_CLIENTS:
        return parse_clients(value, options);
    case OPTION_WORKLOAD:
        return parse_workload(value, options);
    case OPTION_HANDOFFS:
        return parse_count("--handoffs", value, HANDOFFS_MAX, &options->handoffs);
    case OPTION_DURATION:
        return parse_duration("--duration", value, NS_PER_MS, &options->duration_ns);
    case OPTION_PACE:
        return parse_pace(value, options);
    case OPTION_HOLD:
        return parse_hold(value, options);
    case OPTION_LOCKS:
        return parse_small("--locks", value, LOCKS_MAX, &options->locks);
    case OPTION_TRIALS:
        return parse_small("--trials", value, TRIALS_MAX, &options->trials);
    case OPTION_DRIVER:
        return parse_driver(value, options);
    case OPTION_PROCESSES:
        return parse_small("--processes", value, PROCESSES_MAX, &options->processes);
    case OPTION_CONNECT:
        options->connect = true;
        return arguments_take_servers("run", value, &options->servers);
    case OPTION_SERVERS:
        return parse_servers(value, options);
    case OPTION_HEAP:
        return parse_heap(value, options);
    case OPTION_FSYNC:
        return parse_fsync(value, options);
    case OPTION_DATA:
        return parse_data(value, options);
    case OPTION_PLACEMENT:
        return parse_placement(value, options);
    case OPTION_MAX_CLIENTS:
        return parse_count("--max-clients", value, CLIENTS_MAX, &options->max_clients);
    case OPTION_MAX_RATE:
        return parse_count("--max-rate", value, RATE_MAX, &options->max_rate);
    case OPTION_SESSION_TIMEOUT:
        return parse_session_timeout(value, options);
    case OPTION_TIMEOUT:
        return parse_duration("--timeout", value, 100 * NS_PER_MS, &options->timeout_ns);
    case OPTION_SEED:
        /* As JSON has it. */
        return arguments_take_number("run", "--seed", value, 0, INT64_MAX, &options->seed);
    case OPTION_OUT:
        return parse_out(value, options);
    case OPTION_PLOTS:
        return arguments_take_plots("run", value, &options->plots);
    case OPTION_QUIET:
        options->quiet = true;
        return true;
    case OPTION_HELP:
        break;
    }
    return false;
}
