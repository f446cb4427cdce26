// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/complain.h"
#include "recipes/registry.h"
#include "zk/ensemble.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS_MAX   100000
#define TRIALS_MAX    1000
#define LOCKS_MAX     10000
#define PROCESSES_MAX 1000
#define HEAP_MAX_MIB  1000000
#define HANDOFFS_MAX  UINT64_C(50000000)
/* Steady, when neither --handoffs nor --duration is given: each client is granted this often. */
#define ROUNDS_DEFAULT 10

static const char help[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and hold\n"
    "the counts against their laws. Writes CSV files, histograms, fits and plots.\n"
    "\n"
    "  -r, --recipes LIST       recipes (see zkherd recipes), NAME or NAME:MOST to stop at so\n"
    "                           many clients [nonscalable,childwatch,scalable]\n"
    "  -n, --clients LIST       client sessions: 10,20 or 8..256x2 or 8..64+8 [8..256x2]\n"
    "  -w, --workload KIND      drain: each acquires once; steady: queue again [drain]\n"
    "      --handoffs N         steady: grants in all [10 for each client]\n"
    "      --duration D         steady: or queue again for this long\n"
    "  -p, --pace PACE          lockstep: one step at a time, exact; free: at once [lockstep]\n"
    "      --hold D             hold the lock so long; exp:D for exponential times [0]\n"
    "  -k, --locks M            spread the clients over M locks [1]\n"
    "  -t, --trials K           trials of each cell [5]\n"
    "  -d, --driver NAME        events: one event loop a process; threads: a thread for each\n"
    "                           session, with synchronous calls; simulated: servers and\n"
    "                           sessions in memory, up to 100000 of them [events]\n"
    "  -P, --processes P        spread the sessions over P processes [1]\n"
    "      --servers LIST       private servers: 1, 3, 5 or 7; 1,3 tries both in one plan [1]\n"
    "      --heap MIB           of each private server [512]\n"
    "      --fsync yes|no       whether their writes wait for the disk [yes]\n"
    "      --data DIR           where they keep their data: empty, or not there yet [TMPDIR]\n"
    "      --connect HOSTS[/CHROOT]  servers to use instead of private ones\n"
    "      --placement WHERE    sessions go to spread (all servers in turn), leader or\n"
    "                           followers [spread]\n"
    "      --session-timeout D  of the sessions [60s]\n"
    "      --timeout D          give up when nothing moves for so long [30s]\n"
    "      --seed S             of the order of the cells and of random times [from the clock]\n"
    "  -o, --out DIR            results, a folder that does not exist yet [results/TIME-TARGET]\n"
    "  -q, --quiet              print nothing but errors and failed verdicts\n"
    "  -h, --help               this help\n"
    "\n"
    "Durations take units: 50us, 2ms, 30s, 5m. Exit status: 0 done, every verdict holds;\n"
    "1 a verdict fails; 2 wrong usage; 3 the environment; 4 the measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect, on a private server\n"
    "  zkherd run -r scalable -n 5000 -t 1          five thousand in one queue\n"
    "  zkherd run -p free -n 100 --hold exp:5ms     real contention, random holding times\n"
    "  zkherd run --servers 1,3                     standalone against an ensemble\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  servers of your own\n";

enum long_option {
    OPTION_HANDOFFS = 256,
    OPTION_DURATION,
    OPTION_HOLD,
    OPTION_CONNECT,
    OPTION_SERVERS,
    OPTION_HEAP,
    OPTION_FSYNC,
    OPTION_DATA,
    OPTION_PLACEMENT,
    OPTION_SESSION_TIMEOUT,
    OPTION_TIMEOUT,
    OPTION_SEED
};

static const char short_options[] = ":r:n:w:p:k:t:d:P:o:qh";

static const struct option long_options[] = {
    {"recipes", required_argument, NULL, 'r'},
    {"clients", required_argument, NULL, 'n'},
    {"workload", required_argument, NULL, 'w'},
    {"handoffs", required_argument, NULL, OPTION_HANDOFFS},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"pace", required_argument, NULL, 'p'},
    {"hold", required_argument, NULL, OPTION_HOLD},
    {"locks", required_argument, NULL, 'k'},
    {"trials", required_argument, NULL, 't'},
    {"driver", required_argument, NULL, 'd'},
    {"processes", required_argument, NULL, 'P'},
    {"connect", required_argument, NULL, OPTION_CONNECT},
    {"servers", required_argument, NULL, OPTION_SERVERS},
    {"heap", required_argument, NULL, OPTION_HEAP},
    {"fsync", required_argument, NULL, OPTION_FSYNC},
    {"data", required_argument, NULL, OPTION_DATA},
    {"placement", required_argument, NULL, OPTION_PLACEMENT},
    {"session-timeout", required_argument, NULL, OPTION_SESSION_TIMEOUT},
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"out", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

void options_help(void)
{
    fputs(help, stdout);
}

/* Complains about the value of an option; false, for the parsers to return. */
static bool wrong(const char *option, const char *value, const char *why)
{
    char subject[300];
    snprintf(subject, sizeof subject, "%s %s", option, value[0] != '\0' ? value : "''");
    complain_usage("run", subject, "%s", why);
    return false;
}

/* NAME or NAME:MOST. */
static bool parse_recipe(const char *list, char *item, struct options *options)
{
    uint64_t most = UINT64_MAX;
    char *colon = strchr(item, ':');
    if (colon != NULL && !text_parse_number(colon + 1, 1, CLIENTS_MAX, &most))
        return wrong("--recipes", list, "behind a colon stands the most clients of a recipe");
    if (colon != NULL)
        *colon = '\0';
    const struct recipe *recipe = registry_find(item);
    if (recipe == NULL) {
        char why[160];
        snprintf(why, sizeof why, "no recipe is called '%s'; did you mean '%s'?", item,
                 registry_nearest(item));
        return wrong("--recipes", list, why);
    }
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
    return text_parse_numbers(value, 1, CLIENTS_MAX, &options->clients, &options->level_count) ||
           wrong("--clients", value, "expected numbers from 1 to 100000, as 10,20 or 8..256x2");
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
           wrong("--hold", value, "expected a duration with its unit, as 5ms or exp:5ms");
}

static bool parse_duration(const char *option, const char *value, uint64_t minimum_ns,
                           uint64_t *duration_ns)
{
    uint64_t parsed;
    if (!text_parse_duration(value, &parsed))
        return wrong(option, value, "expected a duration with its unit, as 500ms or 30s");
    if (parsed < minimum_ns)
        return wrong(option, value, "too short");
    *duration_ns = parsed;
    return true;
}

static bool parse_number(const char *option, const char *value, uint64_t minimum, uint64_t maximum,
                         uint64_t *number)
{
    if (text_parse_number(value, minimum, maximum, number))
        return true;
    char why[96];
    snprintf(why, sizeof why, "expected a whole number from %llu to %llu",
             (unsigned long long)minimum, (unsigned long long)maximum);
    return wrong(option, value, why);
}

static bool parse_small(const char *option, const char *value, uint32_t maximum, uint32_t *number)
{
    uint64_t parsed;
    if (!parse_number(option, value, 1, maximum, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
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

static bool parse_connect(const char *value, struct options *options)
{
    struct fault fault = {0};
    if (connect_parse(value, &options->servers, &fault) != FAULT_NONE)
        return wrong("--connect", value, fault.detail);
    options->connect = true;
    return true;
}

static bool parse_servers(const char *value, struct options *options)
{
    free(options->server_counts);
    options->server_counts = NULL;
    if (!text_parse_numbers(value, 1, ENSEMBLE_SERVERS_MAX, &options->server_counts,
                            &options->topology_count))
        return wrong("--servers", value, "expected 1, 3, 5 or 7, or several of them, as 1,3");
    for (size_t i = 0; i < options->topology_count; i++) {
        if (options->server_counts[i] % 2 == 0)
            return wrong("--servers", value,
                         "an even number gains nothing: a majority of 4 is 3, so 4 servers survive "
                         "one loss, as 3 do");
    }
    return true;
}

static bool parse_fsync(const char *value, struct options *options)
{
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

static bool parse_one(int option, const char *value, struct options *options)
{
    switch (option) {
    case 'r':
        return parse_recipes(value, options);
    case 'n':
        return parse_clients(value, options);
    case 'w':
        return parse_workload(value, options);
    case OPTION_HANDOFFS:
        return parse_number("--handoffs", value, 1, HANDOFFS_MAX, &options->handoffs);
    case OPTION_DURATION:
        return parse_duration("--duration", value, NS_PER_MS, &options->duration_ns);
    case 'p':
        return parse_pace(value, options);
    case OPTION_HOLD:
        return parse_hold(value, options);
    case 'k':
        return parse_small("--locks", value, LOCKS_MAX, &options->locks);
    case 't':
        return parse_small("--trials", value, TRIALS_MAX, &options->trials);
    case 'd':
        return parse_driver(value, options);
    case 'P':
        return parse_small("--processes", value, PROCESSES_MAX, &options->processes);
    case OPTION_CONNECT:
        return parse_connect(value, options);
    case OPTION_SERVERS:
        options->servers_given = true;
        return parse_servers(value, options);
    case OPTION_HEAP:
        return parse_small("--heap", value, HEAP_MAX_MIB, &options->heap_mib);
    case OPTION_FSYNC:
        return parse_fsync(value, options);
    case OPTION_DATA:
        return parse_data(value, options);
    case OPTION_PLACEMENT:
        return parse_placement(value, options);
    case OPTION_SESSION_TIMEOUT:
        return parse_duration("--session-timeout", value, NS_PER_S, &options->session_timeout_ns);
    case OPTION_TIMEOUT:
        return parse_duration("--timeout", value, 100 * NS_PER_MS, &options->timeout_ns);
    case OPTION_SEED:
        return parse_number("--seed", value, 0, INT64_MAX, &options->seed); /* as JSON has it */
    case 'o':
        return parse_out(value, options);
    default:
        options->quiet = true;
        return true;
    }
}

static bool has_several_servers(const struct options *options)
{
    return options->connect ? options->servers.count > 1
                            : options->server_counts[options->topology_count - 1] > 1;
}

/* What is asked of a recipe that it cannot do. */
static bool check_recipe(const struct options *options, const struct recipe *recipe)
{
    if (options->pace == PACE_LOCKSTEP && !recipe_has_law(recipe))
        return wrong("--recipes", recipe->name,
                     "it never comes to rest, so it has no lockstep: give --pace free");
    if (options->workload == WORKLOAD_STEADY && recipe->together)
        return wrong("--recipes", recipe->name,
                     "its clients enter and leave together, once: give --workload drain");
    if (options->workload == WORKLOAD_STEADY && options->pace == PACE_LOCKSTEP &&
        recipe->counts != NULL && has_several_servers(options))
        return wrong("--recipes", recipe->name,
                     "who comes back may read from a follower that is behind, so it has no exact "
                     "law on several servers: give --pace free or --workload drain");
    return true;
}

/* A client that dies does not queue again. */
static bool check_death(const struct options *options, const struct recipe *recipe)
{
    const struct death *death = &recipe->death;
    bool at_rest = death->how != DEATH_NONE && death->who != DEATH_WORKER;
    if (options->workload == WORKLOAD_STEADY && recipe->broken)
        return wrong("--recipes", recipe->name, "it is for --workload drain alone");
    if (options->pace == PACE_FREE && at_rest)
        return wrong("--recipes", recipe->name,
                     "a client of it dies when all is at rest, and in free pace it never is: leave "
                     "--pace out");
    if (death->how != DEATH_NONE && death->who == DEATH_WAITER &&
        options->clients[0] < (uint64_t)3 * options->locks)
        return wrong("--recipes", recipe->name,
                     "one who waits dies, between one who holds and one who waits: it takes three "
                     "clients a lock");
    return true;
}

static bool check_recipes(const struct options *options)
{
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (!check_recipe(options, options->recipes[i]) ||
            !check_death(options, options->recipes[i]))
            return false;
    }
    return true;
}

/* What each option allows, and all of them together do not. */
static bool check_together(const struct options *options)
{
    uint64_t fewest = options->clients[0], most = options->clients[options->level_count - 1];
    char value[32];
    if (options->workload == WORKLOAD_DRAIN &&
        (options->handoffs != 0 || options->duration_ns != 0))
        return wrong("--workload", "drain", "--handoffs and --duration are for --workload steady");
    if (options->handoffs != 0 && options->duration_ns != 0)
        return wrong("--handoffs", "with --duration", "give one of them");
    if (options->handoffs != 0 && options->handoffs < most) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)options->handoffs);
        return wrong("--handoffs", value, "fewer than the clients: each acquires at least once");
    }
    if (options->locks > fewest) {
        snprintf(value, sizeof value, "%u", options->locks);
        return wrong("--locks", value, "more locks than clients");
    }
    if (options->processes > fewest) {
        snprintf(value, sizeof value, "%u", options->processes);
        return wrong("--processes", value, "more processes than clients");
    }
    for (size_t i = 0; i < options->recipe_count; i++) {
        if (options->most_clients[i] < fewest)
            return wrong("--recipes", options->recipes[i]->name,
                         "its most clients are fewer than the fewest of --clients");
    }
    uint64_t longest = options->hold.exponential ? HOLD_LONGEST_MEANS : 1;
    if (options->hold.mean_ns * longest >= options->timeout_ns)
        return wrong("--hold", "with --timeout",
                     "nothing moves while a lock is held: give a "
                     "--timeout that is longer than the hold (than 20 means, if it is random)");
    if (options->driver == DRIVER_SIMULATED && options->connect)
        return wrong("--driver simulated", "with --connect", "a simulation has servers of its own");
    if (options->driver == DRIVER_SIMULATED && options->processes > 1)
        return wrong("--driver simulated", "with --processes",
                     "a simulation lives in one process, so that a seed says all");
    if (options->connect && options->servers_given)
        return wrong("--servers", "with --connect", "either servers are given, or started");
    if (options->connect && options->data != NULL)
        return wrong("--data", "with --connect",
                     "servers that are given keep their data where they do");
    if (!options->connect && options->placement == PLACEMENT_FOLLOWERS &&
        options->server_counts[0] == 1)
        return wrong("--placement", "followers", "a standalone server has none");
    if (options->session_timeout_ns > 3600 * NS_PER_S)
        return wrong("--session-timeout", "", "expected at most an hour");
    return true;
}

static void set_defaults(struct options *options)
{
    *options = (struct options){
        .locks = 1,
        .trials = 5,
        .processes = 1,
        .heap_mib = 512,
        .fsync = true,
        .session_timeout_ns = 60 * NS_PER_S,
        .timeout_ns = 30 * NS_PER_S,
        .seed = clock_utc_ns(),
    };
}

static bool fill_in_lists(struct options *options)
{
    return (options->recipe_count > 0 ||
            parse_recipes("nonscalable,childwatch,scalable", options)) &&
           (options->clients != NULL || parse_clients("8..256x2", options)) &&
           (options->server_counts != NULL || parse_servers("1", options));
}

/* In a cluster, -qx, getopt tells the letter only. Always false, for parse_all to return. */
static bool refuse_option(int option, const char *argument)
{
    char letter[] = {'-', (char)optopt, '\0'};
    if (option == ':')
        complain_usage("run", argument, "it takes a value");
    else if (optopt == 0)
        complain_usage("run", argument, "no such option");
    else if (optopt < OPTION_HANDOFFS && strchr(short_options, optopt) == NULL)
        complain_usage("run", letter, "no such option");
    else
        complain_usage("run", argument, "it takes no value");
    return false;
}

static bool parse_all(int argc, char **argv, struct options *options, bool *help_wanted)
{
    int option;
    optind = 1;
    opterr = 0;
    while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        if (option == 'h') {
            *help_wanted = true;
            return true;
        }
        if (option == ':' || option == '?')
            return refuse_option(option, argv[optind - 1]);
        if (!parse_one(option, optarg, options))
            return false;
    }
    if (optind < argc) {
        complain_usage("run", argv[optind], "expected an option");
        return false;
    }
    return fill_in_lists(options) && check_recipes(options) && check_together(options);
}

enum options_outcome options_parse(int argc, char **argv, struct options *options)
{
    bool help_wanted = false;
    set_defaults(options);
    if (parse_all(argc, argv, options, &help_wanted) && !help_wanted)
        return OPTIONS_RUN;
    options_deinit(options);
    return help_wanted ? OPTIONS_HELP : OPTIONS_WRONG;
}

void options_deinit(struct options *options)
{
    free(options->clients);
    free(options->server_counts);
    options->clients = options->server_counts = NULL;
}

const char *options_driver_word(enum driver driver)
{
    static const char *const words[] = {
        [DRIVER_EVENTS] = "events",
        [DRIVER_THREADS] = "threads",
        [DRIVER_SIMULATED] = "simulated",
    };
    return words[driver];
}

const char *options_placement_word(enum placement placement)
{
    static const char *const words[] = {
        [PLACEMENT_SPREAD] = "spread",
        [PLACEMENT_LEADER] = "leader",
        [PLACEMENT_FOLLOWERS] = "followers",
    };
    return words[placement];
}

uint64_t options_handoffs(const struct options *options, uint64_t clients)
{
    if (options->handoffs != 0 || options->duration_ns != 0)
        return options->handoffs;
    return clients * ROUNDS_DEFAULT;
}
