// SPDX-License-Identifier: Apache-2.0
/* Every recipe through thousands of seeded schedules of a simulated ensemble, with deaths and
 * without, and the locks that are broken on purpose, each of which is caught. A seed that fails is
 * printed, and fails again: ZKHERD_SEED=N runs that one only, ZKHERD_SEEDS=N so many. */
#include "tests/support/seeds.h"
#include "tests/support/simulation.h"
#include "tests/support/test.h"

#include "base/clock.h"
#include "base/random.h"

/* Of each recipe, unless ZKHERD_SEEDS says otherwise; with a death a part of them. */
#define SEEDS            150
#define SEEDS_PER_DEATHS 3
/* Up to so many clients each recipe is held against its law. */
#define CLIENTS 40

struct world {
    struct simulation simulation;
    struct trial_plan plan;
    bool by_clients; /* drawn from their number, not from a seed: every run plays it */
};

/* What a seed stands for: how many clients, servers and locks, how they go about it, and how long
 * everything takes. */
static void draw(struct world *world, const struct recipe *recipe, uint64_t seed)
{
    struct random random;
    struct trial_plan *plan = &world->plan;
    random_init(&random, seed);
    world->by_clients = false;
    simulation_init(&world->simulation, 1 + 2 * random_below(&random, 3));
    world->simulation.options.costs.network_jitter_ns = UINT64_C(1000) << random_below(&random, 15);
    *plan = simulation_plan(&world->simulation, recipe, 1);
    plan->fleet.seed = seed;
    if (random_below(&random, 4) > 0 || !recipe_has_law(recipe))
        plan->pace = PACE_FREE;
    /* As `zkherd run` has it, no barrier is steady. */
    if (random_below(&random, 3) == 0 && !recipe->barrier)
        plan->workload = WORKLOAD_STEADY;
    plan->fleet.sessions = 1 + (uint32_t)random_below(&random, 8);
    plan->hold.mean_ns = random_below(&random, 2) * NS_PER_MS;
    plan->hold.exponential = true;
    plan->handoffs = plan->workload == WORKLOAD_STEADY ? 3 * plan->fleet.sessions : 0;
    if (random_below(&random, 4) == 0 && plan->fleet.sessions > 1)
        plan->locks = 2;
}

/* The same with a drain of one lock by so many clients. */
static void draw_drain(struct world *world, const struct recipe *recipe, uint64_t seed,
                       enum pace pace, uint32_t clients)
{
    draw(world, recipe, seed);
    world->plan.pace = pace;
    world->plan.workload = WORKLOAD_DRAIN;
    world->plan.handoffs = 0;
    world->plan.fleet.sessions = clients;
    world->plan.locks = 1;
}

/* The same with a death. It comes at rest, so under lockstep, but for a worker's; and nobody comes
 * back from it. Who takes every lock dies at its first task: later ones may have been done by
 * others. */
static void draw_death(struct world *world, const struct recipe *recipe, uint64_t seed)
{
    struct random random;
    draw(world, recipe, seed);
    random_init(&random, ~seed);
    world->plan.workload = WORKLOAD_DRAIN;
    world->plan.handoffs = 0;
    struct death death = {
        .how = random_below(&random, 2) == 0 ? DEATH_EXIT : DEATH_CRASH,
        .who = random_below(&random, 2) == 0 ? DEATH_HOLDER : DEATH_WAITER,
        .handoff = random_below(&random, plan_clients_of(&world->plan, 0)),
    };
    bool other = random_below(&random, 3) == 0;
    if (recipe->recovers && other)
        death = (struct death){.how = DEATH_LOST_REPLY, .who = death.who};
    if (recipe->every_lock || (recipe->work != NULL && other))
        death = (struct death){DEATH_CRASH, DEATH_WORKER, recipe->every_lock ? 0 : death.handoff};
    if (death.who != DEATH_WORKER)
        world->plan.pace = PACE_LOCKSTEP;
    world->plan.death = death;
}

/* Says which world it is, what is wrong, and how to play it again. */
static void explain(const struct world *world, const struct trial_result *result, const char *what)
{
    const struct trial_plan *plan = &world->plan;
    unsigned long long seed = plan->fleet.seed;
    char drawn[32] = "", again[64] = "", violation[256] = "";
    if (result->violation_count > 0)
        violation_describe(&result->memory->violations[0], violation, sizeof violation);
    if (!world->by_clients) {
        snprintf(drawn, sizeof drawn, ", seed %llu", seed);
        snprintf(again, sizeof again, "; ZKHERD_SEED=%llu plays it again", seed);
    }
    fail_msg("%s%s (%u clients, %u locks, %zu servers, %s, %s): %s: %s%s%s%s", plan->recipe->name,
             drawn, plan->fleet.sessions, plan->locks, world->simulation.servers.count,
             plan->pace == PACE_LOCKSTEP ? "lockstep" : "free",
             plan->workload == WORKLOAD_DRAIN ? "drain" : "steady", what, violation,
             violation[0] != '\0' && result->reason[0] != '\0' ? "; " : "", result->reason, again);
}

static struct trial_result *run(const struct world *world)
{
    return simulation_run(&world->simulation, &world->plan);
}

/* Walkback asks with a watch for all but one of the znodes that have gone before its own. */
static int64_t watches_of_walkbacks(const struct trial_plan *plan)
{
    int64_t watches = 0;
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        int64_t clients = plan_clients_of(plan, lock);
        watches += (clients - 1) * (clients - 2) / 2;
    }
    return watches;
}

/* Under lockstep nobody leaves a watch behind, but for walkback, which does so by design. In free
 * pace exists may come too late, and then leaves one for a name that does not come again: a place
 * in line, a client at a barrier. */
static void check_watches(const struct world *world, const struct trial_result *result)
{
    const struct trial_plan *plan = &world->plan;
    bool walks = plan->recipe == &recipe_walkback;
    bool no_name_twice = plan->recipe->fifo || plan->recipe->barrier || walks;
    bool may_stay = walks || (no_name_twice && plan->pace == PACE_FREE);
    int64_t least = 0, most = may_stay ? (int64_t)result->total.of[TALLY_EXISTS] : 0;
    if (walks && plan->pace == PACE_LOCKSTEP && plan->workload == WORKLOAD_DRAIN &&
        plan->death.how == DEATH_NONE)
        least = most = watches_of_walkbacks(plan);
    int64_t left = result->servers.watches;
    if (left < least || left > most)
        explain(world, result, "it leaves watches behind");
}

static void check_world(const struct world *world)
{
    struct trial_result *result = run(world);
    if (result->end != END_DONE)
        explain(world, result, "it does not end well");
    if (result->violation_count > 0)
        explain(world, result, "the verdict fails");
    if (result->reconcile.reconciled != RECONCILED_YES)
        explain(world, result, "the servers counted otherwise");
    if (result->servers.ephemerals != 0)
        explain(world, result, "it leaves ephemerals behind");
    check_watches(world, result);
    trial_result_free(result);
}

static void check_seed(const struct recipe *recipe, uint64_t seed)
{
    struct world world;
    draw(&world, recipe, seed);
    check_world(&world);
}

/* Whether a trial of this recipe may have a death: it comes at rest, and none has one where clients
 * share. How the others fare, test_deaths_at_any_step shows. */
static bool survives(const struct recipe *recipe)
{
    return recipe_has_law(recipe) && !recipe->broken && recipe->shares == NULL;
}

/* What a worker that crashed has left behind is mended once, or its task run again: by the next, if
 * there is one. */
static void check_work(const struct world *world, const struct trial_result *result)
{
    const struct recipe *recipe = world->plan.recipe;
    bool crashed = world->plan.death.who == DEATH_WORKER;
    bool is_next = world->plan.death.handoff + 1 < plan_clients_of(&world->plan, 0);
    if (recipe->every_lock && result->tasks_done != (is_next ? world->plan.locks : 0))
        explain(world, result, "not every task was done once");
    if (!recipe->every_lock && result->repairs != (crashed && is_next ? 1 : 0))
        explain(world, result, "what a crash leaves is not mended once");
}

/* The znode of who crashed stays until its session's timeout, and the trial waits so long only if
 * others wait for it. */
static void check_left_by_dead(const struct world *world, const struct trial_result *result)
{
    const struct death *death = &world->plan.death;
    bool is_awaited =
        death->who != DEATH_WAITER && death->handoff + 1 < plan_clients_of(&world->plan, 0);
    int64_t most = death->how == DEATH_CRASH && !is_awaited ? 1 : 0;
    if (result->servers.ephemerals < 0 || result->servers.ephemerals > most)
        explain(world, result, "it leaves ephemerals behind after a death");
    check_watches(world, result);
}

static void check_death(const struct recipe *recipe, uint64_t seed)
{
    struct world world;
    draw_death(&world, recipe, seed);
    struct trial_result *result = run(&world);
    const struct death *death = &world.plan.death;
    /* A waiter dies only if one waits. */
    uint32_t contend = plan_clients_of(&world.plan, 0);
    bool dies = death->who != DEATH_WAITER || death->how == DEATH_LOST_REPLY ||
                death->handoff + 1 < contend;
    bool never_granted = dies && death->who == DEATH_WAITER && death->how != DEATH_LOST_REPLY;
    if (result->end != END_DONE)
        explain(&world, result, "it does not end well after a death");
    if (result->violation_count > 0)
        explain(&world, result, "the verdict fails after a death");
    if (result->reconcile.reconciled != RECONCILED_YES)
        explain(&world, result, "the servers counted otherwise after a death");
    if (result->had_death != dies || (dies && result->has_law))
        explain(&world, result, dies ? "nobody died" : "somebody died");
    /* In a tour it misses the locks that were still to come. */
    if (!recipe->every_lock &&
        result->handoffs != world.plan.fleet.sessions - (never_granted ? 1 : 0))
        explain(&world, result, "not all who live were granted");
    check_work(&world, result);
    check_left_by_dead(&world, result);
    trial_result_free(result);
}

/* Calls check with the seeds that are asked for, a part of them. */
static void for_seeds(const struct recipe *recipe, uint64_t part,
                      void (*check)(const struct recipe *recipe, uint64_t seed))
{
    const struct seeds seeds = seeds_of(SEEDS);
    uint64_t last = seeds.first + (seeds.last - seeds.first) / part;
    for (uint64_t seed = seeds.first; seed <= last; seed++)
        check(recipe, seed);
}

/* The same for each recipe of a kind. */
static void for_recipes(bool (*is_meant)(const struct recipe *recipe), uint64_t part,
                        void (*check)(const struct recipe *recipe, uint64_t seed))
{
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (is_meant(recipe))
            for_seeds(recipe, part, check);
    }
}

static bool is_broken(const struct recipe *recipe)
{
    return recipe->broken;
}

static bool is_whole(const struct recipe *recipe)
{
    return !recipe->broken;
}

TEST(test_every_schedule_ends_well)
{
    for_recipes(is_whole, 1, check_seed);
}

static void check_every_number(const struct recipe *recipe)
{
    for (uint32_t clients = 1; clients <= CLIENTS; clients++) {
        struct world world;
        draw_drain(&world, recipe, clients, PACE_LOCKSTEP, clients);
        world.by_clients = true;
        check_world(&world);
    }
}

/* The laws of all recipes, as the coordinator holds them against every step. */
TEST(test_every_law_holds_for_every_number_of_clients)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        if (!recipe->broken && recipe->death.how == DEATH_NONE && recipe_has_law(recipe))
            check_every_number(recipe);
    }
}

/* They are in no registry. */
TEST(test_the_examples_end_well)
{
    extern const struct recipe recipe_kazoo, recipe_semaphore, recipe_syncqueue, recipe_twowatches;
    const struct recipe *const examples[] = {&recipe_kazoo, &recipe_semaphore, &recipe_syncqueue,
                                             &recipe_twowatches};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        for_seeds(examples[i], 1, check_seed);
        check_every_number(examples[i]);
    }
}

TEST(test_deaths_are_survived)
{
    for_recipes(survives, SEEDS_PER_DEATHS, check_death);
}

/* Who leaves when nobody waits leaves nobody behind who would see what follows from it: it is in
 * the servers' counts all the same, with a disk that takes longer than any lull. */
static void check_last(const struct recipe *recipe, uint64_t seed)
{
    struct world world;
    draw_drain(&world, recipe, seed, PACE_LOCKSTEP, 1);
    world.simulation.options.costs.sync_ns = 100 * NS_PER_MS;
    world.plan.death = (struct death){.how = DEATH_EXIT, .who = DEATH_HOLDER};
    check_world(&world);
}

TEST(test_the_last_may_leave)
{
    for_recipes(survives, SEEDS_PER_DEATHS, check_last);
}

/* Among five clients each mistake shows, whatever the order in which things happen. */
static void check_broken(const struct recipe *recipe, uint64_t seed)
{
    static const struct {
        const char *recipe;
        enum fleet_end end;
        enum violation_kind kind;
    } caught[] = {
        {"broken-nolock", END_VIOLATION, VIOLATION_TWO_HOLDERS},
        {"broken-norecheck", END_VIOLATION, VIOLATION_TWO_HOLDERS},
        {"broken-wrongpred", END_VIOLATION, VIOLATION_TWO_HOLDERS},
        {"broken-nowatch", END_DEADLINE, VIOLATION_LOST_WAKEUP},
        {"broken-leak", END_VIOLATION, VIOLATION_UNDELETED},
    };
    struct world world;
    draw_drain(&world, recipe, seed, PACE_LOCKSTEP, 5);
    size_t i = 0;
    while (strcmp(caught[i].recipe, recipe->name) != 0)
        assert_true(++i < sizeof caught / sizeof caught[0]);
    struct trial_result *result = run(&world);
    if (result->violation_count == 0 || result->memory->violations[0].kind != caught[i].kind)
        explain(&world, result, "it is not caught");
    assert_int_equal(result->end, caught[i].end);
    trial_result_free(result);
}

TEST(test_every_broken_lock_is_caught)
{
    for_recipes(is_broken, 1, check_broken);
}

/* A hold lasts for a turn at least. Everything is answered at once here, so both of two clients are
 * granted in the turn in which the first of them could release. */
TEST(test_holds_of_no_length_overlap)
{
    struct world world;
    draw_drain(&world, registry_find("broken-nolock"), 1, PACE_FREE, 2);
    simulation_init(&world.simulation, 1);
    world.simulation.options.costs = (struct sim_costs){.network_ns = 1000};
    world.plan.hold.mean_ns = 0;
    struct trial_result *result = run(&world);
    if (result->violation_count == 0 || result->memory->violations[0].kind != VIOLATION_TWO_HOLDERS)
        explain(&world, result, "two holders are not seen");
    trial_result_free(result);
}
