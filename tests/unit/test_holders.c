// SPDX-License-Identifier: Apache-2.0
/* What the checker makes of grants and releases, alone and shared, in order and out of it. */

#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

#define CLIENTS 6

static struct trial_plan plan;
static struct trial_memory *memory;

static void begin(const char *recipe)
{
    struct error error;
    trial_memory_free(memory);
    plan = (struct trial_plan){.recipe = registry_find(recipe),
                               .fleet.sessions = CLIENTS,
                               .locks = 1,
                               .fleet.processes = 1};
    assert_int_equal(trial_memory_new(&plan, &memory, &error), ERROR_NONE);
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    memory = NULL;
    return 0;
}

static void grant(uint32_t session, int64_t order)
{
    checker_granted(memory, 0, session, order, 100);
}

/* Exactly one, of this kind, and this session's. */
static void expect(enum violation_kind kind, uint32_t session)
{
    assert_int_equal(atomic_load(&memory->violation_count), 1);
    assert_int_equal(memory->violations[0].kind, kind);
    assert_int_equal(memory->violations[0].session, session + 1);
}

TEST_BETWEEN(test_one_after_the_other_is_as_it_should_be, NULL, tear_down)
{
    begin("scalable");
    for (uint32_t i = 0; i < CLIENTS; i++) {
        grant(i, i);
        assert_int_equal(checker_holders(memory, 0), 1);
        checker_released(memory, 0, i);
        assert_int_equal(checker_holders(memory, 0), 0);
    }
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    assert_int_equal(atomic_load(&memory->locks[0].inversions), 0);
}

TEST_BETWEEN(test_a_second_holder_is_told_with_the_first, NULL, tear_down)
{
    begin("scalable");
    grant(2, 0);
    grant(4, 1);
    expect(VIOLATION_TWO_HOLDERS, 4);
    assert_int_equal(memory->violations[0].other, 3);
}

TEST_BETWEEN(test_who_does_not_hold_cannot_release, NULL, tear_down)
{
    begin("scalable");
    grant(2, 0);
    checker_released(memory, 0, 3);
    expect(VIOLATION_NOT_HOLDER, 3);
    assert_int_equal(memory->violations[0].other, 3); /* session 2 does, and goes on */
    assert_int_equal(checker_holders(memory, 0), 1);
}

/* Clients 0 and 4 of rwlock write, the others read. */
TEST_BETWEEN(test_readers_hold_together_and_no_writer_beside_them, NULL, tear_down)
{
    begin("rwlock");
    grant(1, 0);
    grant(2, 1);
    assert_int_equal(checker_holders(memory, 0), 2);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    grant(4, 2);
    expect(VIOLATION_TWO_HOLDERS, 4);
    assert_int_equal(memory->violations[0].found, 2);
}

TEST_BETWEEN(test_no_reader_holds_beside_a_writer, NULL, tear_down)
{
    begin("rwlock");
    grant(0, 0);
    grant(1, 1);
    expect(VIOLATION_TWO_HOLDERS, 1);
    assert_int_equal(memory->violations[0].other, 1);
}

TEST_BETWEEN(test_no_more_hold_than_there_are_leases, NULL, tear_down)
{
    begin("scalable");
    struct recipe semaphore = *plan.recipe;
    semaphore.shares = recipe_all_share;
    semaphore.leases = 2;
    plan.recipe = &semaphore;
    grant(0, 0);
    grant(1, 1);
    assert_int_equal(checker_holders(memory, 0), 2);
    checker_released(memory, 0, 0);
    grant(2, 2);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    grant(3, 3);
    expect(VIOLATION_LEASES, 3);
    assert_int_equal(memory->violations[0].expected, 2);
    assert_int_equal(memory->violations[0].found, 2);
}

TEST_BETWEEN(test_a_reader_that_does_not_hold_cannot_release, NULL, tear_down)
{
    begin("rwlock");
    grant(1, 0);
    checker_released(memory, 0, 1);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    checker_released(memory, 0, 2);
    expect(VIOLATION_NOT_HOLDER, 2);
}

/* The same place twice is out of turn as well: places are nobody else's. */
TEST_BETWEEN(test_a_queue_grants_in_the_order_of_its_places, NULL, tear_down)
{
    for (int64_t order = 4; order <= 5; order++) {
        begin("scalable");
        grant(0, 5);
        checker_released(memory, 0, 0);
        grant(1, order);
        expect(VIOLATION_ORDER, 1);
        assert_int_equal(memory->violations[0].expected, 5);
        assert_int_equal(memory->violations[0].found, order);
        assert_int_equal(atomic_load(&memory->locks[0].inversions), 1);
    }
}

TEST_BETWEEN(test_of_what_is_no_queue_the_order_is_counted_alone, NULL, tear_down)
{
    begin("nonscalable");
    grant(0, 5);
    checker_released(memory, 0, 0);
    grant(1, 4);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    assert_int_equal(atomic_load(&memory->locks[0].inversions), 1);
}

/* Readers may be granted in any order among themselves, but none before the last writer's place. */
TEST_BETWEEN(test_readers_keep_behind_the_writer_before_them, NULL, tear_down)
{
    begin("rwlock");
    grant(0, 3);
    checker_released(memory, 0, 0);
    grant(2, 6);
    grant(1, 5);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    grant(3, 2);
    expect(VIOLATION_ORDER, 3);
    assert_int_equal(memory->violations[0].expected, 3);
}

TEST_BETWEEN(test_a_writer_keeps_behind_the_readers_before_it, NULL, tear_down)
{
    begin("rwlock");
    grant(1, 6);
    checker_released(memory, 0, 1);
    grant(4, 5);
    expect(VIOLATION_ORDER, 4);
}

static void repeat(void (*begins)(struct trial_memory *memory, uint32_t lock), uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        begins(memory, 0);
}

/* The third barrier: all have been through the first two. */
TEST_BETWEEN(test_a_barrier_lets_nobody_in_before_all_have_come, NULL, tear_down)
{
    begin("barrier");
    repeat(checker_enters, 3 * CLIENTS - 1);
    checker_entered(memory, 0, 0, 1);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    checker_entered(memory, 0, 0, 2);
    expect(VIOLATION_ENTERED_EARLY, 0);
    assert_int_equal(memory->violations[0].expected, CLIENTS);
    assert_int_equal(memory->violations[0].found, CLIENTS - 1);
    checker_enters(memory, 0);
    checker_entered(memory, 0, 0, 2);
    expect(VIOLATION_ENTERED_EARLY, 0);
}

TEST_BETWEEN(test_a_barrier_lets_nobody_out_before_all_have_begun_to_leave, NULL, tear_down)
{
    begin("barrier");
    repeat(checker_enters, 3 * CLIENTS); /* that is no leaving */
    repeat(checker_leaves, 2 * CLIENTS - 1);
    checker_left(memory, 0, 1, 0);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    checker_left(memory, 0, 1, 1);
    expect(VIOLATION_LEFT_EARLY, 1);
    assert_int_equal(memory->violations[0].found, CLIENTS - 1);
    checker_leaves(memory, 0);
    checker_left(memory, 0, 1, 1);
    expect(VIOLATION_LEFT_EARLY, 1);
}

TEST_BETWEEN(test_what_is_no_barrier_lets_everybody_in, NULL, tear_down)
{
    begin("scalable");
    checker_entered(memory, 0, 0, 0);
    checker_left(memory, 0, 0, 0);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
}
