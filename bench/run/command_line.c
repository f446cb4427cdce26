// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/target/target.h"

#include <stdio.h>

/* ------------------------------------------------------------------ conflicts */

#define TEXT_SIZE 80

static const char *format_number(uint64_t number, char text[TEXT_SIZE])
{
    snprintf(text, TEXT_SIZE, "%llu", (unsigned long long)number);
    return text;
}

static const char *format_limit(const char *why, uint64_t most, char text[TEXT_SIZE])
{
    snprintf(text, TEXT_SIZE, "%s: at most %llu", why, (unsigned long long)most);
    return text;
}

/* Where only some may share a lock, as readers do, the clients of each lock are to have one. */
static bool lacks_sharer(const struct recipe *recipe, uint64_t clients)
{
    for (uint32_t number = 0; recipe->shares != NULL && number < clients; number++) {
        if (recipe_shares(recipe, number))
            return false;
    }
    return recipe->shares != NULL;
}

/* Options that a recipe cannot run with. A waiter can die only where one waits; a mistake
 * that need not show would look like a lock that works. */
static bool recipe_conflicts(const struct run_plan *plan, size_t index)
{
    const struct recipe *recipe = plan->recipes[index];
    const char *name = recipe->name, *option = "--recipes";
    uint64_t fewest = plan->clients.list[0], locks = plan->locks;
    bool steady = plan->workload == WORKLOAD_STEADY, broken = recipe->broken != 0,
         waiter_dies = recipe->death.how != DEATH_NONE && recipe->death.who == DEATH_WAITER;
    char few[TEXT_SIZE];
    snprintf(few, sizeof few, "its mistake does not show with fewer than %u clients per lock",
             recipe->broken);
    const struct conflict conflicts[] = {
        {plan->pace == PACE_LOCKSTEP && !recipe_has_law(recipe), option, name,
         "it polls without end, so lockstep cannot run it: give --pace free"},
        {steady && recipe->barrier, option, name,
         "its clients enter and leave together, once: give --workload drain"},
        {waiter_dies && fewest < 3 * locks, option, name,
         "a client dies that waits between the holder and another waiter: at least three clients "
         "per lock are needed"},
        {broken && steady, option, name, "it needs --workload drain"},
        {broken && plan->pace == PACE_FREE, option, name,
         "in free pace its mistake shows only by chance: leave out --pace"},
        {broken && fewest < recipe->broken * locks, option, name, few},
        {lacks_sharer(recipe, fewest / locks), option, name,
         "the first client of a lock writes, so no client would read: at least two clients per "
         "lock "
         "are needed"},
        {plan->most_clients[index] < fewest, option, name,
         "its largest client count is below the smallest of --clients"},
    };
    return complain_conflict("run", conflicts, sizeof conflicts / sizeof conflicts[0]);
}

/* The most handoffs of a lock in the largest trials; UINT64_MAX where the time decides,
 * which leaves them open. */
static uint64_t most_handoffs(const struct options *options)
{
    const struct run_plan *plan = &options->plan;
    uint64_t most = 0;
    for (size_t i = 0; i < plan->recipe_count; i++) {
        const struct trial_plan largest =
            cell_plan(options, plan->recipes[i], plan->clients.list[plan->clients.count - 1]);
        uint64_t handoffs = plan_handoffs_of(&largest, 0);
        most = handoffs > most ? handoffs : most;
    }
    return most;
}

static bool options_conflict(const struct options *options)
{
    const struct run_plan *plan = &options->plan;
    uint64_t fewest = plan->clients.list[0], most = plan->clients.list[plan->clients.count - 1],
             handoffs = plan->handoffs, released = most_handoffs(options),
             longest = plan->hold.exponential ? HOLD_LONGEST_MEANS : 1,
             traced = plan->traced.count > 0 ? plan->traced.list[plan->traced.count - 1] : 0;
    bool drains = plan->workload == WORKLOAD_DRAIN, timed = plan->duration_ns != 0,
         free_pace = plan->pace == PACE_FREE, loads = plan->background.given;
    char text[8][TEXT_SIZE];
    const struct conflict conflicts[] = {
        {drains && (handoffs != 0 || timed), handoffs != 0 ? "--handoffs" : "--duration",
         "without --workload steady",
         "a drain ends when each client has acquired once: add --workload steady"},
        {handoffs != 0 && timed, "--handoffs", "with --duration", "give only one of them"},
        {handoffs != 0 && handoffs < most, "--handoffs", format_number(handoffs, text[0]),
         "fewer than the clients, of which each acquires at least once"},
        {plan->locks > fewest, "--locks", format_number(plan->locks, text[1]),
         format_limit("more locks than clients", fewest, text[2])},
        {plan->processes > fewest, "--processes", format_number(plan->processes, text[3]),
         format_limit("more processes than clients", fewest, text[4])},
        {plan->hold.mean_ns * longest >= plan->timeout_ns, "--hold", "with --timeout",
         "nothing moves while a lock is held: give a --timeout that is longer than the hold (for "
         "exp:, longer than 20 means)"},
        {plan->max_rate != 0 && free_pace, "--max-rate", "with --pace free",
         "clients that contend freely cannot be held back: leave out --pace"},
        {options->target.max_clients < fewest, "--max-clients",
         format_number(options->target.max_clients, text[5]),
         "below the smallest number of --clients"},
        {traced > released, "--trace", format_number(traced, text[6]),
         format_limit("a lock has fewer handoffs", released, text[7])},
        {loads && options->target.driver == DRIVER_SIMULATED, "--background",
         "with --driver simulated", "a simulation runs the lock alone: give real servers"},
        {loads && !free_pace, "--background", "without --pace free",
         "lockstep waits for the servers to rest after each step, and they never would: add --pace "
         "free"},
    };
    for (size_t i = 0; i < plan->recipe_count; i++) {
        if (recipe_conflicts(plan, i))
            return true;
    }
    return complain_conflict("run", conflicts, sizeof conflicts / sizeof conflicts[0]) ||
           target_conflicts("run", &options->target, plan->processes);
}

/* ------------------------------------------------------------------ the command line */

static const char usage[] =
    "Usage: zkherd run [OPTION]...\n"
    "Run lock recipes against ZooKeeper, count every message of every handoff, and\n"
    "check the counts against their laws. Writes CSV files, histograms, fits, plots.\n"
    "\n";

static const char notes[] =
    "\n"
    "Options of private servers: zkherd help servers.\n"
    "Durations D need a unit: 50us, 2ms, 30s, 5m. Exit status: 0 done; 1 a verdict\n"
    "fails; 2 wrong usage; 3 the environment; 4 the measurement is not valid.\n"
    "\n"
    "Examples:\n"
    "  zkherd run                                   the herd effect\n"
    "  zkherd run --connect zk1:2181,zk2:2181/test  existing servers\n";

int command_line_parse(int argc, char **argv, struct options *options)
{
    static const struct arguments arguments = {"run", usage, option_table, notes, NULL};
    *options = (struct options){.target.max_clients = UINT64_MAX, .plan.seed = clock_utc_ns()};
    int status = arguments_parse(&arguments, argc, argv, options, NULL);
    const char *traced = options->plan.traced.count > 0 ? "with --trace" : NULL;
    if (status == ARGUMENTS_GO &&
        (options_conflict(options) || !options_write_nowhere("run", &options->output, traced)))
        status = error_exit_status(ERROR_USAGE);
    options->target.companions = options->plan.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}
