// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/plan_demand.h"

#include "base/clock.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/target/traffic.h"
#include "recipes/footprint.h"

#include <math.h>
#include <stdlib.h>

/* Expected: so many capacities, from one that no size meets to one that all meet. */
#define CAPACITIES 33
/* Probes whose demand is computed once: most searches ask for the same sizes. */
#define KNOWN_MAX 512

/* ------------------------------------------------------------------ sums */

/* What is not known makes the result unknown; so does what passes 64 bits. */
static uint64_t sum(uint64_t a, uint64_t b)
{
    uint64_t result;
    return __builtin_add_overflow(a, b, &result) ? PLAN_DEMAND_UNKNOWN : result;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    uint64_t result;
    if (a == PLAN_DEMAND_UNKNOWN || b == PLAN_DEMAND_UNKNOWN)
        return PLAN_DEMAND_UNKNOWN;
    return __builtin_mul_overflow(a, b, &result) ? PLAN_DEMAND_UNKNOWN : result;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void add(struct plan_demand *total, const struct plan_demand *part)
{
    total->sessions = larger(total->sessions, part->sessions);
    total->watches = larger(total->watches, part->watches);
    total->trials = sum(total->trials, part->trials);
    total->rpcs = sum(total->rpcs, part->rpcs);
    total->bytes = sum(total->bytes, part->bytes);
    total->time_ns = sum(total->time_ns, part->time_ns);
}

static void raise_to(struct plan_demand *most, const struct plan_demand *one)
{
    most->sessions = larger(most->sessions, one->sessions);
    most->watches = larger(most->watches, one->watches);
    most->trials = larger(most->trials, one->trials);
    most->rpcs = larger(most->rpcs, one->rpcs);
    most->bytes = larger(most->bytes, one->bytes);
    most->time_ns = larger(most->time_ns, one->time_ns);
}

/* ------------------------------------------------------------------ one trial */

/* How many of a rate there are in a time: rounded up. */
static uint64_t in_time(uint64_t per_s, uint64_t time_ns)
{
    double count = ceil((double)per_s * ((double)time_ns / 1e9));
    return count < 1e18 ? (uint64_t)count : PLAN_DEMAND_UNKNOWN;
}

static uint64_t watches_of(const struct trial_plan *plan)
{
    uint64_t watches = 0;
    for (uint32_t lock = 0; lock < plan->locks; lock++)
        watches = sum(watches, footprint_all_watches(plan->recipe, plan_clients_of(plan, lock)));
    return watches;
}

/* Of the locks. When the time decides, as many as the rate allows, of the size that they have in
 * one round. */
static struct traffic locks_of(const struct plan_demand_given *given,
                               const struct plan_demand_trial *trial)
{
    struct traffic traffic = traffic_of(&trial->plan, given->chroot_length);
    bool by_time = trial->plan.workload == WORKLOAD_STEADY && trial->plan.handoffs == 0;
    bool is_bounded = given->max_rate > 0 && trial->longest_ns > 0;
    uint64_t most = is_bounded ? in_time(given->max_rate, trial->longest_ns) : PLAN_DEMAND_UNKNOWN;
    uint64_t rpcs = by_time ? most : smaller(traffic.rpcs, most);
    if (rpcs == PLAN_DEMAND_UNKNOWN)
        return (struct traffic){rpcs, rpcs};
    double each = (double)traffic.bytes / (double)larger(traffic.rpcs, 1);
    return (struct traffic){rpcs, (uint64_t)ceil(each * (double)rpcs)};
}

/* --max-rate counts the requests of the locks and of the load beside them. */
static uint64_t heed_rate(const struct plan_demand_given *given,
                          const struct plan_demand_trial *trial, uint64_t rpcs)
{
    if (given->max_rate == 0 || trial->longest_ns == 0)
        return rpcs;
    return smaller(rpcs, in_time(given->max_rate, trial->longest_ns + trial->load_before_ns));
}

static struct plan_demand demand_of(const struct plan_demand_given *given,
                                    const struct recipe *recipe, const struct search_probe *probe)
{
    const struct plan_demand_trial trial = given->trial(given->context, recipe, probe);
    const struct traffic locks = locks_of(given, &trial);
    uint64_t time_ns = trial.longest_ns > 0 ? trial.longest_ns : PLAN_DEMAND_UNKNOWN;
    uint64_t load = trial.load_per_s == 0 ? 0
                    : time_ns == PLAN_DEMAND_UNKNOWN
                        ? time_ns
                        : in_time(trial.load_per_s, time_ns + trial.load_before_ns);
    return (struct plan_demand){
        .sessions = trial.plan.fleet.sessions + trial.load_sessions + given->companions,
        .watches = watches_of(&trial.plan),
        .trials = 1,
        .rpcs = heed_rate(given, &trial, sum(locks.rpcs, load)),
        .bytes = sum(locks.bytes, product(load, trial.load_bytes)),
        .time_ns = time_ns,
    };
}

/* ------------------------------------------------------------------ all trials */

/* The search ends, and with it the probe that runs then. */
static struct plan_demand heed_time(const struct plan_demand_given *given,
                                    struct plan_demand demand)
{
    if (given->max_time_ns == 0)
        return demand;
    demand.time_ns = smaller(demand.time_ns, given->max_time_ns);
    if (given->max_rate > 0)
        demand.rpcs = smaller(demand.rpcs, in_time(given->max_rate, given->max_time_ns));
    return demand;
}

static void add_times(struct plan_demand *total, size_t count, const struct plan_demand *part)
{
    for (size_t i = 0; i < count; i++)
        add(total, part);
}

/* So many of either kind, after a search that has tried no larger size. */
static void add_knee(const struct plan_demand_given *given, const struct recipe *recipe,
                     uint64_t largest, size_t count, struct plan_demand *total)
{
    const struct search_probe lone = {.size = 1}, busy = {.size = largest, .longer = true};
    if (count == 0)
        return;
    const struct plan_demand of_lone = demand_of(given, recipe, &lone),
                             of_busy = demand_of(given, recipe, &busy);
    add_times(total, count, &of_lone);
    if (largest > 1)
        add_times(total, count, &of_busy);
}

struct plan_demand plan_demand_most(const struct plan_demand_given *given,
                                    const struct recipe *recipe)
{
    const struct search_probe probe = {.size = given->search->most, .longer = true};
    struct plan_demand demand = demand_of(given, recipe, &probe);
    demand.trials = given->search->trials_most;
    demand.rpcs = product(demand.rpcs, demand.trials);
    demand.bytes = product(demand.bytes, demand.trials);
    demand.time_ns = product(demand.time_ns, demand.trials);
    add_knee(given, recipe, given->search->most, given->knee_trials_most, &demand);
    return heed_time(given, demand);
}

/* What is known of a search for this recipe. */
struct known {
    const struct plan_demand_given *given;
    const struct recipe *recipe;
    size_t count;
    struct {
        struct search_probe probe;
        struct plan_demand demand;
    } list[KNOWN_MAX];
};

static struct plan_demand look_up(struct known *known, const struct search_probe *probe)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->list[i].probe.size == probe->size &&
            known->list[i].probe.longer == probe->longer)
            return known->list[i].demand;
    }
    const struct plan_demand demand = demand_of(known->given, known->recipe, probe);
    if (known->count < KNOWN_MAX) {
        known->list[known->count].probe = *probe;
        known->list[known->count++].demand = demand;
    }
    return demand;
}

/* Of the search whose sizes pass up to this one. */
static struct plan_demand demand_up_to(struct known *known, struct search *search, double capacity)
{
    struct plan_demand demand = {0};
    struct search_probe probe;
    uint64_t largest = 0;
    while (search_next(search, &probe)) {
        const struct plan_demand one = look_up(known, &probe);
        add(&demand, &one);
        largest = larger(largest, probe.size);
        search_report(search, (double)probe.size <= capacity ? JUDGE_PASS : JUDGE_FAIL);
    }
    add_knee(known->given, known->recipe, largest, known->given->knee_trials, &demand);
    return demand;
}

/* From half of the least size to the largest, all ratios alike. */
static double capacity_of(const struct search_plan *plan, unsigned index)
{
    double from = (double)plan->least / 2, to = (double)plan->most;
    return index == CAPACITIES - 1 ? to : from * pow(to / from, (double)index / (CAPACITIES - 1));
}

static bool search_all(struct known *known, struct plan_demand *most)
{
    const struct plan_demand_given *given = known->given;
    struct search_plan plan = *given->search;
    if (given->proposal != NULL)
        plan.proposal = given->proposal(given->context, known->recipe);
    for (unsigned i = 0; i < CAPACITIES; i++) {
        struct search search;
        if (!search_init(&search, &plan))
            return false;
        const struct plan_demand one = demand_up_to(known, &search, capacity_of(&plan, i));
        search_deinit(&search);
        raise_to(most, &one);
    }
    return true;
}

bool plan_demand_expected(const struct plan_demand_given *given, const struct recipe *recipe,
                          struct plan_demand *demand)
{
    struct plan_demand most = {0};
    struct known *known = calloc(1, sizeof *known);
    if (known == NULL)
        return false;
    known->given = given;
    known->recipe = recipe;
    bool found = search_all(known, &most);
    free(known);
    if (found)
        *demand = heed_time(given, most);
    return found;
}

size_t plan_demand_rows(const struct plan_demand_given *given, const struct recipe *const *recipes,
                        size_t count, struct plan_demand_row *rows, struct error *error)
{
    struct plan_demand_row all = {0};
    for (size_t i = 0; i < count; i++) {
        struct plan_demand_row *row = &rows[i];
        *row = (struct plan_demand_row){.recipe = recipes[i],
                                        .most = plan_demand_most(given, recipes[i])};
        if (!plan_demand_expected(given, recipes[i], &row->expected)) {
            error_raise(error, ERROR_NO_MEMORY, 0, "plan", "%s", "");
            return 0;
        }
        add(&all.expected, &row->expected);
        add(&all.most, &row->most);
    }
    if (count < 2)
        return count;
    all.expected = heed_time(given, all.expected);
    all.most = heed_time(given, all.most);
    rows[count] = all;
    return count + 1;
}

/* ------------------------------------------------------------------ the table */

static const struct grid_column columns[] = {
    {.title = "recipe"},
    {.title = "sessions", .right = true},
    {.title = "watches", .right = true},
    {.title = "trials", .right = true},
    {.title = "requests", .right = true},
    {.title = "bytes", .right = true},
    {.title = "time", .right = true},
};

static const char legend[] =
    "\n"
    "The first row of a recipe: if its size alone decides each trial. At most: with\n"
    "all trials of the budget, all of them long and at the largest size. Requests\n"
    "are estimates; times are without the opening of sessions.\n";

/* A large number in short, such as 26.6M. */
static void put_count(struct grid *grid, uint64_t count)
{
    static const char units[] = "kMGTPE";
    double value = (double)count / 1e3;
    size_t unit = 0;
    if (count == PLAN_DEMAND_UNKNOWN) {
        grid_put(grid, GRID_UNKNOWN);
        return;
    }
    if (count < 100000) {
        grid_put_whole(grid, (double)count);
        return;
    }
    for (; value >= 999.5; unit++)
        value /= 1e3;
    grid_put(grid, "%.*f%c", value < 99.95, value, units[unit]);
}

static void put_row(struct grid *grid, const char *name, const struct plan_demand *demand)
{
    char time[32];
    grid_put(grid, "%s", name);
    put_count(grid, demand->sessions);
    put_count(grid, demand->watches);
    put_count(grid, demand->trials);
    put_count(grid, demand->rpcs);
    put_count(grid, demand->bytes);
    grid_put(grid, "%s",
             demand->time_ns == PLAN_DEMAND_UNKNOWN
                 ? GRID_UNKNOWN
                 : text_format_duration(demand->time_ns, time, sizeof time));
}

enum error_kind plan_demand_write(const struct plan_demand_given *given,
                                  const struct plan_demand_row *rows, size_t count, size_t width,
                                  FILE *stream, struct error *error)
{
    struct grid grid;
    grid_init(&grid, columns, sizeof columns / sizeof columns[0], 2);
    for (size_t i = 0; i < count; i++) {
        put_row(&grid, rows[i].recipe != NULL ? rows[i].recipe->name : "all", &rows[i].expected);
        put_row(&grid, "  at most", &rows[i].most);
    }
    enum error_kind kind = grid_write(&grid, width, stream, error);
    if (kind == ERROR_NONE)
        fputs(legend, stream);
    if (kind == ERROR_NONE && given->knee_trials > 0)
        fputs("Both rows have the trials for the knee for hot locks.\n", stream);
    grid_deinit(&grid);
    return kind;
}
