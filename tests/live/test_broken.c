// SPDX-License-Identifier: Apache-2.0
/* The locks that are broken on purpose: each is caught, every time, with the report that tells what
 * is wrong with it. */
#include "tests/support/live.h"
#include "tests/support/test.h"

/* Those that wait for a timeout are tried once: in simulations it is hundreds of times. */
#define TIMES   10
#define CLIENTS 5
/* How long a session that waits in vain is waited for: longer than a busy machine stands still. */
#define VAIN_NS (2 * NS_PER_S)

/* The driver of the group of tests that is running. */
static enum driver driver;

/* As patient as any other: what ends by a violation waits for nothing. */
static struct trial_plan plan_of(const char *recipe)
{
    struct trial_plan plan = live_plan(recipe, CLIENTS);
    plan.fleet.driver = driver;
    return plan;
}

/* Two sessions hold, both are named. 0: any session. */
static void expect_two_holders(const char *recipe, uint32_t session, uint32_t other,
                               uint64_t hold_ns)
{
    struct trial_plan plan = plan_of(recipe);
    plan.hold.mean_ns = hold_ns;
    for (int i = 0; i < TIMES; i++) {
        struct trial_result *result = live_trial(&plan);
        const struct violation *violation = live_first_violation(result);
        assert_int_equal(result->end, END_VIOLATION);
        assert_int_equal(violation->kind, VIOLATION_TWO_HOLDERS);
        assert_true(violation->session > 0 && violation->other > 0);
        assert_true(violation->session != violation->other);
        if (session > 0) {
            assert_int_equal(violation->session, session);
            assert_int_equal(violation->other, other);
        }
        trial_result_free(result);
    }
}

TEST(test_no_lock)
{
    expect_two_holders("broken-nolock", 2, 1, 0);
}

/* Of sessions 0 to 4 the second and the third wait in the middle; one behind the dead takes the
 * lock. On a busy machine it is told late: the first is to hold yet. */
TEST(test_no_recheck)
{
    expect_two_holders("broken-norecheck", 4, 1, VAIN_NS);
}

TEST(test_wrong_predecessor)
{
    expect_two_holders("broken-wrongpred", 0, 0, 0);
}

TEST(test_no_watch)
{
    struct trial_plan plan = plan_of("broken-nowatch");
    plan.fleet.timeout_ns = VAIN_NS;
    struct trial_result *result = live_trial(&plan);
    assert_int_equal(result->end, END_DEADLINE);
    assert_int_equal(live_first_violation(result)->kind, VIOLATION_LOST_WAKEUP);
    assert_int_equal(result->memory->violations[1].kind, VIOLATION_LOST_WAKEUP);
    assert_int_equal(result->memory->violations[1].session, 2);
    assert_non_null(strstr(result->reason, "session 1, which waits at " ROOT));
    assert_non_null(strstr(result->reason, "lock-0000000001 for the deletion of " ROOT));
    assert_non_null(strstr(result->reason, "lock-0000000000"));
    trial_result_free(result);
}

TEST(test_leak)
{
    struct trial_plan plan = plan_of("broken-leak");
    plan.fleet.session_timeout_ms =
        6000; /* the others', too: two thirds of it without a word end them */
    struct trial_result *result = live_trial(&plan);
    const struct violation *violation = live_first_violation(result);
    uint32_t timeout_ms = result->memory->fleet->sessions[0].timeout_ms;
    assert_int_equal(result->end, END_VIOLATION);
    assert_int_equal(violation->kind, VIOLATION_UNDELETED);
    assert_int_equal(violation->session, 2);
    assert_int_equal(violation->other, 1);
    assert_int_equal(violation->expected, timeout_ms);
    assert_true(result->recovery_ns > timeout_ms * NS_PER_MS / 2);
    trial_result_free(result);
}

FIXTURE(start)
{
    return live_start_with(1, 500);
}

static int start_on_events(void **state)
{
    driver = DRIVER_EVENTS;
    return start(state);
}

static int start_on_threads(void **state)
{
    driver = DRIVER_THREADS;
    return start(state);
}

TEST_GROUP(start_on_events, live_stop)
TEST_GROUP(start_on_threads, live_stop)
