// SPDX-License-Identifier: Apache-2.0
/* Every recipe through hundreds of ordeals: whatever befalls a client at any step, the others go
 * on. A seed that fails is printed, and fails again: ZKHERD_SEED=N plays that one only,
 * ZKHERD_SEEDS=N so many. */
#include "tests/support/actor.h"
#include "tests/support/seeds.h"
#include "tests/support/test.h"

/* Ordeals of each recipe: few enough for seconds, enough to meet everything (see the toll). */
#define SEEDS 500

/* One or two clients come to grief. */
static void play(struct ordeal *ordeal, const struct recipe *recipe, uint64_t seed,
                 struct toll *toll)
{
    ordeal_init(ordeal, recipe, seed, toll);
    for (uint32_t i = 0; i < ordeal->clients; i++)
        actor_enter(ordeal, i);
    for (uint64_t victims = 1 + random_below(&ordeal->random, 2); victims > 0; victims--)
        actor_draw_mishaps(ordeal, &ordeal->actors[random_below(&ordeal->random, ordeal->clients)]);
    ordeal_run_dry(ordeal);
    judge_outcome(ordeal);
}

static void check(const struct recipe *recipe, uint64_t seed, struct toll *toll)
{
    static struct ordeal ordeal;
    play(&ordeal, recipe, seed, toll);
    if (ordeal.verdict[0] != '\0')
        fail_msg("%s, seed %llu (%u clients, %u servers): %s; ZKHERD_SEED=%llu plays it again",
                 recipe->name, (unsigned long long)seed, ordeal.clients, ordeal.servers,
                 ordeal.verdict, (unsigned long long)seed);
    ordeal_deinit(&ordeal);
}

/* ------------------------------------------------------------------ tests */

/* An ordeal in which nothing befalls anybody proves nothing: so many seeds meet everything. */
static void assert_all_befell(const struct recipe *recipe, const struct toll *toll)
{
    for (enum mishap mishap = CRASH; mishap < MISHAPS; mishap++) {
        assert_true(toll->struck[mishap][ACQUIRING] > 0);
        assert_true(recipe->work == NULL || toll->struck[mishap][WORKING] > 0);
        assert_true(toll->struck[mishap][HOLDING] > 0);
        assert_true(recipe->counter_znode != NULL || toll->struck[mishap][RELEASING] > 0);
    }
    if (!recipe->recovers)
        return;
    assert_true(toll->cut[OP_CREATE] > 0);
    assert_true(toll->cut[OP_EXISTS] > 0);
    assert_true(toll->cut[OP_GET_CHILDREN] > 0);
    assert_true(toll->cut[OP_DELETE] > 0);
}

TEST(test_whatever_befalls_a_client_the_others_go_on)
{
    const struct seeds seeds = seeds_of(SEEDS);
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct toll toll = {0};
        for (uint64_t seed = seeds.first; seed <= seeds.last && !recipe->broken; seed++)
            check(recipe, seed, &toll);
        if (seeds.last - seeds.first + 1 >= SEEDS && !recipe->broken)
            assert_all_befell(recipe, &toll);
    }
}

/* What judges can fail: each of the locks that are broken on purpose is caught by some seed. */
TEST(test_broken_locks_are_caught)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        struct toll toll = {0};
        unsigned caught = 0;
        for (uint64_t seed = 1; seed <= SEEDS && recipe->broken; seed++) {
            static struct ordeal ordeal;
            play(&ordeal, recipe, seed, &toll);
            caught += ordeal.verdict[0] != '\0';
            ordeal_deinit(&ordeal);
        }
        if (recipe->broken && caught == 0)
            fail_msg("%s is not caught by any of %d seeds", recipe->name, SEEDS);
    }
}
