// SPDX-License-Identifier: Apache-2.0
/* Whom a death takes, and what the checker makes of a lock whose holder has died. */

#include "recipes/registry.h"
#include "trial/internal.h"

#include "tests/support/test.h"

#define CLIENTS 6

static struct trial_plan plan;
static struct trial_memory *memory;

/* All have arrived at the only lock, and session 0 holds it, since 100 ns. */
FIXTURE(set_up)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("scalable"),
                               .fleet.sessions = CLIENTS,
                               .locks = 1,
                               .fleet.processes = 1};
    if (trial_memory_new(&plan, &memory, &error) != ERROR_NONE)
        return -1;
    atomic_store(&memory->locks[0].arrivals, CLIENTS);
    atomic_store(&memory->locks[0].grants, 1);
    memory->sessions[0].acquisitions = 1;
    checker_granted(memory, 0, 0, 0, 100);
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(memory);
    return 0;
}

TEST_BETWEEN(test_a_crashed_holder_holds_until_its_timeout, set_up, tear_down)
{
    atomic_store(&memory->locks[0].lapses_ns, 1000);
    injection_dead(memory, 0, 2000);
    checker_granted(memory, 0, 1, 1, 1000);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
}

TEST_BETWEEN(test_a_grant_before_that_is_a_second_holder, set_up, tear_down)
{
    atomic_store(&memory->locks[0].lapses_ns, 1000);
    injection_dead(memory, 0, 2000);
    checker_granted(memory, 0, 1, 1, 999);
    assert_int_equal(atomic_load(&memory->violation_count), 1);
    assert_int_equal(memory->violations[0].kind, VIOLATION_TWO_HOLDERS);
    assert_int_equal(memory->violations[0].session, 2);
    assert_int_equal(memory->violations[0].other, 1);
}

TEST_BETWEEN(test_a_holder_that_lives_never_lapses, set_up, tear_down)
{
    checker_granted(memory, 0, 1, 1, UINT64_MAX);
    assert_int_equal(memory->violations[0].kind, VIOLATION_TWO_HOLDERS);
}

TEST_BETWEEN(test_a_deserter_is_told_once, set_up, tear_down)
{
    char text[256];
    checker_released(memory, 0, 0);
    atomic_store(&memory->locks[0].undeleted, 1);
    memory->fleet->sessions[0].timeout_ms = 4000;
    checker_granted(memory, 0, 1, 1, UINT64_C(4200) * 1000 * 1000);
    checker_released(memory, 0, 1);
    checker_granted(memory, 0, 2, 2, UINT64_MAX);
    assert_int_equal(atomic_load(&memory->violation_count), 1);
    assert_string_equal(
        violation_describe(&memory->violations[0], text, sizeof text),
        "lock 0, handoff 0: leftover: session 0 ended and left its ephemeral znode: "
        "session 1 was granted 4.200 s after the release, at the session timeout "
        "(4.000 s)");
}

static bool takes(enum death_who who, uint64_t handoff, uint32_t *session)
{
    plan.death = (struct death){DEATH_EXIT, who, handoff};
    return injection_due(memory, session);
}

TEST_BETWEEN(test_it_takes_whom_the_plan_says, set_up, tear_down)
{
    uint32_t session = UINT32_MAX;
    assert_true(takes(DEATH_HOLDER, 0, &session));
    assert_int_equal(session, 0);
    assert_true(takes(DEATH_WAITER, 0, &session));
    assert_int_equal(session, 3); /* of 1 to 5 */
    assert_false(takes(DEATH_HOLDER, 1, &session));
    assert_false(takes(DEATH_WORKER, 0, &session));
    atomic_store(&memory->locks[0].releases, 1);
    assert_true(takes(DEATH_HOLDER, 1, &session));
    injection_begun(memory, 0, 0, 100);
    assert_false(takes(DEATH_HOLDER, 1, &session));
}

/* Of four the second. */
TEST_BETWEEN(test_the_waiter_is_the_one_in_the_middle, set_up, tear_down)
{
    uint32_t session = UINT32_MAX;
    atomic_store(&memory->locks[0].grants, 2);
    memory->sessions[1].acquisitions = 1;
    assert_true(takes(DEATH_WAITER, 0, &session));
    assert_int_equal(session, 3); /* of 2 to 5 */
}

/* It takes nobody at a later one. */
TEST_BETWEEN(test_a_session_dies_at_its_handoff_alone, set_up, tear_down)
{
    uint32_t session = UINT32_MAX;
    atomic_store(&memory->locks[0].releases, 2);
    assert_false(takes(DEATH_HOLDER, 1, &session));
    assert_true(takes(DEATH_HOLDER, 2, &session));
    assert_false(takes(DEATH_HOLDER, 3, &session));
}

/* A worker may be looked at late. */
TEST_BETWEEN(test_a_worker_dies_from_its_handoff_on, set_up, tear_down)
{
    plan.death = (struct death){DEATH_CRASH, DEATH_WORKER, 2};
    atomic_store(&memory->locks[0].releases, 1);
    assert_false(injection_crashes_work(memory, 0));
    atomic_store(&memory->locks[0].releases, 2);
    assert_true(injection_crashes_work(memory, 0));
    atomic_store(&memory->locks[0].releases, 3);
    assert_true(injection_crashes_work(memory, 0));
    injection_begun(memory, 0, 0, 100);
    assert_false(injection_crashes_work(memory, 0));
}

TEST_BETWEEN(test_the_dead_neither_hold_nor_wait, set_up, tear_down)
{
    assert_int_equal(handoff_holder(memory, 0), 1);
    assert_int_equal(handoff_waiting(memory, 0), 5);
    injection_dead(memory, 0, 1);
    atomic_fetch_add(&memory->locks[0].abandoned, 2);
    assert_int_equal(handoff_holder(memory, 0), 0);
    assert_int_equal(handoff_waiting(memory, 0), 3);
}
