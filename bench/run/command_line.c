// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/option_table.h"
#include "bench/model/costs_file.h"
#include "bench/target/target_conflicts.h"

#include <stdio.h>

/* ------------------------------------------------------------------ options that exclude each
 * other */

/* Complains about the value of an option; false, for the functions here to return. */
static bool wrong(const char *option, const char *value, const char *why)
{
    return complain_value("run", option, value, why);
}

static bool wrong_number(const char *option, uint64_t number, const char *why)
{
    return complain_number("run", option, number, why);
}

/* Refuses a number above the fewest clients. why: what it is too many of. */
static bool too_many(const char *option, uint64_t number, const char *why, uint64_t fewest)
{
    char text[96];
    snprintf(text, sizeof text, "%s: at most %llu", why, (unsigned long long)fewest);
    return wrong_number(option, number, text);
}

/* What is asked of a recipe that it cannot do. */
static bool check_recipe(const struct options *options, const struct recipe *recipe)
{
    if (options->plan.pace == PACE_LOCKSTEP && !recipe_has_law(recipe))
        return wrong("--recipes", recipe->name,
                     "it polls without end, so lockstep cannot run it: give --pace free");
    if (options->plan.workload == WORKLOAD_STEADY && recipe->barrier)
        return wrong("--recipes", recipe->name,
                     "its clients enter and leave together, once: give --workload drain");
    return true;
}

/* Who waits can die only where one does. */
static bool check_death(const struct options *options, const struct recipe *recipe)
{
    const struct death *death = &recipe->death;
    if (death->how != DEATH_NONE && death->who == DEATH_WAITER &&
        options->plan.clients.list[0] < (uint64_t)3 * options->plan.locks)
        return wrong(
            "--recipes", recipe->name,
            "a client dies that waits between the holder and another waiter: at least three "
            "clients per lock are needed");
    return true;
}

/* A mistake that need not show would look like a lock that works. */
static bool check_broken(const struct options *options, const struct recipe *recipe)
{
    char why[96];
    if (!recipe->broken)
        return true;
    if (options->plan.workload == WORKLOAD_STEADY)
        return wrong("--recipes", recipe->name, "it needs --workload drain");
    if (options->plan.pace == PACE_FREE)
        return wrong("--recipes", recipe->name,
                     "in free pace its mistake shows only by chance: leave out --pace");
    snprintf(why, sizeof why, "its mistake does not show with fewer than %u clients per lock",
             recipe->broken);
    return options->plan.clients.list[0] >= (uint64_t)recipe->broken * options->plan.locks ||
           wrong("--recipes", recipe->name, why);
}

/* Where only some may share a lock, as readers do, the clients of each lock are to have one. */
static bool check_sharing(const struct options *options, const struct recipe *recipe)
{
    uint64_t fewest = options->plan.clients.list[0] / options->plan.locks;
    if (recipe->shares == NULL)
        return true;
    for (uint32_t number = 0; number < fewest; number++) {
        if (recipe_shares(recipe, number))
            return true;
    }
    return wrong(
        "--recipes", recipe->name,
        "the first client of a lock writes, so nobody would read: at least two clients per "
        "lock are needed");
}

static bool check_recipes(const struct options *options)
{
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (!check_recipe(options, options->plan.recipes[i]) ||
            !check_death(options, options->plan.recipes[i]) ||
            !check_broken(options, options->plan.recipes[i]) ||
            !check_sharing(options, options->plan.recipes[i]))
            return false;
    }
    return true;
}

/* How much is to be done, and by how many. */
static bool check_amounts(const struct options *options)
{
    uint64_t fewest = options->plan.clients.list[0],
             most = options->plan.clients.list[options->plan.clients.count - 1];
    if (options->plan.workload == WORKLOAD_DRAIN &&
        (options->plan.handoffs != 0 || options->plan.duration_ns != 0))
        return wrong(options->plan.handoffs != 0 ? "--handoffs" : "--duration",
                     "without --workload steady",
                     "a drain ends when each client has acquired once: add --workload steady");
    if (options->plan.handoffs != 0 && options->plan.duration_ns != 0)
        return wrong("--handoffs", "with --duration", "give only one of them");
    if (options->plan.handoffs != 0 && options->plan.handoffs < most)
        return wrong_number("--handoffs", options->plan.handoffs,
                            "fewer than the clients, of which each acquires at least once");
    if (options->plan.locks > fewest)
        return too_many("--locks", options->plan.locks, "more locks than clients", fewest);
    if (options->plan.processes > fewest)
        return too_many("--processes", options->plan.processes, "more processes than clients",
                        fewest);
    for (size_t i = 0; i < options->plan.recipe_count; i++) {
        if (options->plan.most_clients[i] < fewest)
            return wrong("--recipes", options->plan.recipes[i]->name,
                         "its largest client count is below the smallest of --clients");
    }
    return true;
}

/* The most handoffs of a lock in any trial. How many a steady trial that ends by time makes, nobody
 * knows before. */
static uint64_t most_handoffs(const struct options *options)
{
    const struct run_plan *run = &options->plan;
    uint64_t clients = run->clients.list[run->clients.count - 1], most = 0;
    for (size_t r = 0; r < run->recipe_count; r++) {
        const struct trial_plan largest = {.recipe = run->recipes[r],
                                           .workload = run->workload,
                                           .fleet.sessions = (uint32_t)clients,
                                           .locks = run->locks,
                                           .handoffs = options_handoffs(options, clients)};
        uint64_t handoffs = plan_handoffs_of(&largest, 0);
        most = handoffs > most ? handoffs : most;
    }
    return most;
}

/* A lock's last handoff is that of its last release. */
static bool check_trace(const struct options *options)
{
    const struct run_plan *run = &options->plan;
    uint64_t most = most_handoffs(options);
    if (run->traced.count == 0 || run->traced.list[run->traced.count - 1] <= most)
        return true;
    return too_many("--trace", run->traced.list[run->traced.count - 1], "a lock has fewer handoffs",
                    most);
}

static bool check_hold(const struct options *options)
{
    uint64_t longest = options->plan.hold.exponential ? HOLD_LONGEST_MEANS : 1;
    return options->plan.hold.mean_ns * longest < options->plan.timeout_ns ||
           wrong("--hold", "with --timeout",
                 "nothing moves while a lock is held: give a "
                 "--timeout that is longer than the hold (for exp:, longer than 20 means)");
}

/* What is to spare the servers. */
static bool check_bounds(const struct options *options)
{
    if (options->plan.max_rate != 0 && options->plan.pace == PACE_FREE)
        return wrong("--max-rate", "with --pace free",
                     "clients that contend freely cannot be held back: leave out --pace");
    return options->target.max_clients >= options->plan.clients.list[0] ||
           wrong_number("--max-clients", options->target.max_clients,
                        "below the smallest number of --clients");
}

static bool check_background(const struct options *options)
{
    if (!options->plan.background.given)
        return true;
    if (options->target.driver == DRIVER_SIMULATED)
        return wrong("--background", "with --driver simulated",
                     "a simulation runs the lock alone: give real servers");
    return options->plan.pace == PACE_FREE ||
           wrong("--background", "without --pace free",
                 "lockstep waits for the servers to rest after each step, and they never would: "
                 "add --pace free");
}

static bool contradictions_found(const struct options *options)
{
    return !check_recipes(options) || !check_amounts(options) || !check_hold(options) ||
           !check_bounds(options) || !check_trace(options) || !check_background(options) ||
           target_conflicts("run", &options->target, options->plan.processes);
}

/* ------------------------------------------------------------------ the command line */

static const char usage[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and\n"
    "check the counts against their laws. Writes CSV files, histograms, fits, plots.\n"
    "\n";

static const char notes[] =
    "\n"
    "Durations D need a unit: 50us, 2ms, 30s, 5m. Exit status: 0 done; 1 a verdict\n"
    "fails; 2 wrong usage; 3 the environment; 4 the measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect\n"
    "  zkherd run -r scalable -n 5000 -t 1          5000 clients in one queue\n"
    "  zkherd run --servers 1,3                     one server against three\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  existing servers\n";

int command_line_parse(int argc, char **argv, struct options *options)
{
    static const struct arguments arguments = {"run", usage, option_table, notes, NULL};
    *options = (struct options){.target.max_clients = UINT64_MAX, .plan.seed = clock_utc_ns()};
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    if (status == ARGUMENTS_GO && contradictions_found(options))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO)
        status = costs_file_take_option("run", &options->target, options->output.quiet);
    options->target.companions = options->plan.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}
