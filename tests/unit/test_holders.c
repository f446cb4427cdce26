// SPDX-License-Identifier: Apache-2.0
/* What the checker makes of grants and releases, alone and shared, in order and out of it; whom a
 * death takes, and what becomes of a lock whose holder has died. */

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

/* Of rwlock clients 0 and 4 write, the others read. */
TEST_BETWEEN(each_script_has_its_verdict, NULL, tear_down)
{
    static const struct {
        const char *recipe;
        uint32_t leases;    /* 0: the recipe's own; else all share so many */
        const char *script; /* "+S:O": session S is granted with order O; "-S": it releases */
        uint32_t holders, inversions;
        struct {
            enum violation_kind kind; /* 0: there is none */
            uint32_t session, other;
            uint64_t expected, found;
        } violation;
    } cases[] = {
        {"scalable", 0, "+0:0", 1, 0, {0}},
        {"scalable", 0, "+0:0 -0 +1:1 -1 +2:2 -2", 0, 0, {0}},
        {"scalable", 0, "+2:0 +4:1", 1, 0, {VIOLATION_TWO_HOLDERS, 5, 3, 0, 0}},
        /* session 2 holds, and goes on */
        {"scalable", 0, "+2:0 -3", 1, 0, {VIOLATION_NOT_HOLDER, 4, 3, 0, 0}},
        {"rwlock", 0, "+1:0 +2:1", 2, 0, {0}},
        {"rwlock", 0, "+1:0 +2:1 +4:2", 3, 0, {VIOLATION_SHARED, 5, 0, 0, 2}},
        {"rwlock", 0, "+0:0 +1:1", 2, 0, {VIOLATION_TWO_HOLDERS, 2, 1, 0, 0}},
        {"rwlock", 0, "+1:0 -1", 0, 0, {0}},
        {"rwlock", 0, "+1:0 -1 -2", UINT32_MAX, 0, {VIOLATION_NOT_HOLDER, 3, 0, 0, 0}},
        {"scalable", 2, "+0:0 +1:1 -0 +2:2", 2, 0, {0}},
        {"scalable", 2, "+0:0 +1:1 -0 +2:2 +3:3", 3, 0, {VIOLATION_LEASES, 4, 0, 2, 2}},
        /* The same place twice is out of turn as well: no two have the same. */
        {"scalable", 0, "+0:5 -0 +1:4", 1, 1, {VIOLATION_ORDER, 2, 0, 5, 4}},
        {"scalable", 0, "+0:5 -0 +1:5", 1, 1, {VIOLATION_ORDER, 2, 0, 5, 5}},
        {"nonscalable", 0, "+0:5 -0 +1:4", 1, 1, {0}},
        /* Readers may be granted in any order, but none before the last writer's place. */
        {"rwlock", 0, "+0:3 -0 +2:6 +1:5", 2, 0, {0}},
        {"rwlock", 0, "+0:3 -0 +2:6 +1:5 +3:2", 3, 1, {VIOLATION_ORDER, 4, 0, 3, 2}},
        {"rwlock", 0, "+1:6 -1 +4:5", 1, 1, {VIOLATION_ORDER, 5, 0, 6, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(cases[i].recipe);
        struct recipe shared = *plan.recipe;
        shared.shares = recipe_all_share;
        shared.leases = cases[i].leases;
        plan.recipe = shared.leases > 0 ? &shared : plan.recipe;
        for (const char *step = cases[i].script; step != NULL; step = strchr(step, ' ')) {
            step += *step == ' ' ? 1 : 0;
            uint32_t session = (uint32_t)(step[1] - '0');
            if (*step == '+')
                grant(session, step[3] - '0');
            else
                checker_released(memory, 0, session);
        }
        const struct violation *found = &memory->violations[0];
        assert_int_equal(atomic_load(&memory->violation_count), cases[i].violation.session > 0);
        assert_int_equal(found->kind, cases[i].violation.kind);
        assert_int_equal(found->session, cases[i].violation.session);
        assert_int_equal(found->other, cases[i].violation.other);
        assert_int_equal(found->expected, cases[i].violation.expected);
        assert_int_equal(found->found, cases[i].violation.found);
        assert_int_equal(checker_holders(memory, 0), cases[i].holders);
        assert_int_equal(atomic_load(&memory->locks[0].inversions), cases[i].inversions);
    }
}

static void repeat(enum passage passage, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++)
        checker_begins(memory, 0, passage);
}

/* The third barrier: all have been through the first two. */
TEST_BETWEEN(test_a_barrier_lets_nobody_in_before_all_have_come, NULL, tear_down)
{
    begin("barrier");
    repeat(PASSAGE_IN, 3 * CLIENTS - 1);
    checker_ends(memory, 0, 0, 1, PASSAGE_IN);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    checker_ends(memory, 0, 0, 2, PASSAGE_IN);
    expect(VIOLATION_ENTERED_EARLY, 0);
    assert_int_equal(memory->violations[0].expected, CLIENTS);
    assert_int_equal(memory->violations[0].found, CLIENTS - 1);
    checker_begins(memory, 0, PASSAGE_IN);
    checker_ends(memory, 0, 0, 2, PASSAGE_IN);
    expect(VIOLATION_ENTERED_EARLY, 0);
}

TEST_BETWEEN(test_a_barrier_lets_nobody_out_before_all_have_begun_to_leave, NULL, tear_down)
{
    begin("barrier");
    repeat(PASSAGE_IN, 3 * CLIENTS); /* that is no leaving */
    repeat(PASSAGE_OUT, 2 * CLIENTS - 1);
    checker_ends(memory, 0, 1, 0, PASSAGE_OUT);
    assert_int_equal(atomic_load(&memory->violation_count), 0);
    checker_ends(memory, 0, 1, 1, PASSAGE_OUT);
    expect(VIOLATION_LEFT_EARLY, 1);
    assert_int_equal(memory->violations[0].found, CLIENTS - 1);
    checker_begins(memory, 0, PASSAGE_OUT);
    checker_ends(memory, 0, 1, 1, PASSAGE_OUT);
    expect(VIOLATION_LEFT_EARLY, 1);
}

/* ------------------------------------------------------------------ deaths */

/* All have arrived, and session 0 holds, since 100 ns. */
static void begin_held(void)
{
    begin("scalable");
    atomic_store(&memory->locks[0].arrivals, CLIENTS);
    atomic_store(&memory->locks[0].grants, 1);
    memory->sessions[0].acquisitions = 1;
    grant(0, 0);
}

/* Whether a session that is granted the lock at this time is a second holder. */
static bool is_second(bool first_died, uint64_t now_ns)
{
    begin_held();
    if (first_died) {
        atomic_store(&memory->locks[0].lapses_ns, 1000);
        injection_dead(memory, 0, 2000);
    }
    checker_granted(memory, 0, 1, 1, now_ns);
    if (atomic_load(&memory->violation_count) > 0) {
        expect(VIOLATION_TWO_HOLDERS, 1);
        assert_int_equal(memory->violations[0].other, 1);
    }
    return atomic_load(&memory->violation_count) > 0;
}

TEST_BETWEEN(test_a_crashed_holder_holds_until_its_timeout, NULL, tear_down)
{
    assert_false(is_second(true, 1000));
    assert_true(is_second(true, 999));
    assert_true(is_second(false, UINT64_MAX));
}

TEST_BETWEEN(test_a_deserter_is_told_once, NULL, tear_down)
{
    begin_held();
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

TEST_BETWEEN(test_it_takes_whom_the_plan_says, NULL, tear_down)
{
    begin_held();
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
    begin_held();
    atomic_store(&memory->locks[0].releases, 2);
    assert_false(takes(DEATH_HOLDER, 1, &session)); /* at its handoff alone */
    assert_true(takes(DEATH_HOLDER, 2, &session));
    assert_false(takes(DEATH_HOLDER, 3, &session));
    atomic_store(&memory->locks[0].grants, 2);
    memory->sessions[1].acquisitions = 1;
    assert_true(takes(DEATH_WAITER, 2, &session));
    assert_int_equal(session, 3); /* the second of 2 to 5 */
}

/* A worker may be looked at late. */
TEST_BETWEEN(test_a_worker_dies_from_its_handoff_on, NULL, tear_down)
{
    begin_held();
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

TEST_BETWEEN(test_the_dead_neither_hold_nor_wait, NULL, tear_down)
{
    begin_held();
    assert_int_equal(handoff_holder(memory, 0), 1);
    assert_int_equal(handoff_waiting(memory, 0), 5);
    injection_dead(memory, 0, 1);
    atomic_fetch_add(&memory->locks[0].abandoned, 2);
    assert_int_equal(handoff_holder(memory, 0), 0);
    assert_int_equal(handoff_waiting(memory, 0), 3);
}
