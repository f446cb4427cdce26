// SPDX-License-Identifier: Apache-2.0
#include "bench/run/internal.h"

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/options.h"
#include "bench/target/target.h"

#include <stdio.h>

/* ------------------------------------------------------------------ contradictions */

struct contradiction {
    bool found;
    const char *option, *value; /* NULL: the number */
    uint64_t number;
    const char *why;
    uint64_t at_most; /* told behind why; 0: not told */
};

/* Complains about the first that is found. */
static bool refuse_any(const struct contradiction *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct contradiction *of = &list[i];
        char why[200];
        snprintf(why, sizeof why, of->at_most > 0 ? "%s: at most %llu" : "%s", of->why,
                 (unsigned long long)of->at_most);
        if (of->found) {
            (void)(of->value != NULL ? complain_value("run", of->option, of->value, why)
                                     : complain_number("run", of->option, of->number, why));
            return true;
        }
    }
    return false;
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

/* What is asked of a recipe that it cannot do. Who waits can die only where one does; a mistake
 * that need not show would look like a lock that works. */
static bool refuse_recipe(const struct run_plan *plan, const struct recipe *recipe)
{
    const char *name = recipe->name, *option = "--recipes";
    uint64_t fewest = plan->clients.list[0], locks = plan->locks;
    bool steady = plan->workload == WORKLOAD_STEADY, broken = recipe->broken != 0;
    char few[96];
    snprintf(few, sizeof few, "its mistake does not show with fewer than %u clients per lock",
             recipe->broken);
    const struct contradiction list[] = {
        {plan->pace == PACE_LOCKSTEP && !recipe_has_law(recipe), option, name, 0,
         "it polls without end, so lockstep cannot run it: give --pace free", 0},
        {steady && recipe->barrier, option, name, 0,
         "its clients enter and leave together, once: give --workload drain", 0},
        {recipe->death.how != DEATH_NONE && recipe->death.who == DEATH_WAITER && fewest < 3 * locks,
         option, name, 0,
         "a client dies that waits between the holder and another waiter: at least three clients "
         "per lock are needed",
         0},
        {broken && steady, option, name, 0, "it needs --workload drain", 0},
        {broken && plan->pace == PACE_FREE, option, name, 0,
         "in free pace its mistake shows only by chance: leave out --pace", 0},
        {broken && fewest < recipe->broken * locks, option, name, 0, few, 0},
        {lacks_sharer(recipe, fewest / locks), option, name, 0,
         "the first client of a lock writes, so nobody would read: at least two clients per lock "
         "are needed",
         0},
    };
    return refuse_any(list, sizeof list / sizeof list[0]);
}

static bool contradictions_found(const struct options *options)
{
    const struct run_plan *plan = &options->plan;
    for (size_t i = 0; i < plan->recipe_count; i++) {
        if (refuse_recipe(plan, plan->recipes[i]))
            return true;
    }
    uint64_t fewest = plan->clients.list[0], most = plan->clients.list[plan->clients.count - 1],
             handoffs = plan->handoffs, longest = plan->hold.exponential ? HOLD_LONGEST_MEANS : 1;
    bool timed = plan->duration_ns != 0, given = plan->background.given;
    const struct contradiction amounts[] = {
        {plan->workload == WORKLOAD_DRAIN && (handoffs != 0 || timed),
         handoffs != 0 ? "--handoffs" : "--duration", "without --workload steady", 0,
         "a drain ends when each client has acquired once: add --workload steady", 0},
        {handoffs != 0 && timed, "--handoffs", "with --duration", 0, "give only one of them", 0},
        {handoffs != 0 && handoffs < most, "--handoffs", NULL, handoffs,
         "fewer than the clients, of which each acquires at least once", 0},
        {plan->locks > fewest, "--locks", NULL, plan->locks, "more locks than clients", fewest},
        {plan->processes > fewest, "--processes", NULL, plan->processes,
         "more processes than clients", fewest}};
    if (refuse_any(amounts, sizeof amounts / sizeof amounts[0]))
        return true;
    for (size_t i = 0; i < plan->recipe_count; i++) {
        if (plan->most_clients[i] < fewest)
            return !complain_value("run", "--recipes", plan->recipes[i]->name,
                                   "its largest client count is below the smallest of --clients");
    }
    /* How many handoffs a steady trial that ends by time makes, nobody knows before. */
    uint64_t traced = plan->traced.count > 0 ? plan->traced.list[plan->traced.count - 1] : 0,
             released = 0;
    for (size_t i = 0; i < plan->recipe_count; i++) {
        const struct trial_plan largest = cell_plan(options, plan->recipes[i], most);
        uint64_t of_lock = plan_handoffs_of(&largest, 0);
        released = of_lock > released ? of_lock : released;
    }
    const struct contradiction bounds[] = {
        {plan->hold.mean_ns * longest >= plan->timeout_ns, "--hold", "with --timeout", 0,
         "nothing moves while a lock is held: give a --timeout that is longer than the hold (for "
         "exp:, longer than 20 means)",
         0},
        {plan->max_rate != 0 && plan->pace == PACE_FREE, "--max-rate", "with --pace free", 0,
         "clients that contend freely cannot be held back: leave out --pace", 0},
        {options->target.max_clients < fewest, "--max-clients", NULL, options->target.max_clients,
         "below the smallest number of --clients", 0},
        {traced > released, "--trace", NULL, traced, "a lock has fewer handoffs", released},
        {given && options->target.driver == DRIVER_SIMULATED, "--background",
         "with --driver simulated", 0, "a simulation runs the lock alone: give real servers", 0},
        {given && plan->pace != PACE_FREE, "--background", "without --pace free", 0,
         "lockstep waits for the servers to rest after each step, and they never would: add --pace "
         "free",
         0}};
    return refuse_any(bounds, sizeof bounds / sizeof bounds[0]) ||
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
    int status = arguments_take(&arguments, argc, argv, options, NULL);
    const char *traced = options->plan.traced.count > 0 ? "with --trace" : NULL;
    if (status == ARGUMENTS_GO &&
        (contradictions_found(options) || !options_write_nowhere("run", &options->output, traced)))
        status = error_exit_status(ERROR_USAGE);
    options->target.companions = options->plan.background.given ? BACKGROUND_SESSIONS : 0;
    if (status != ARGUMENTS_GO)
        options_deinit(options);
    return status;
}
