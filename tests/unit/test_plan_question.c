// SPDX-License-Identifier: Apache-2.0
/* What zkherd plan is asked: what is not given, sizes as sessions and locks. */
#include "bench/probe/plan_question.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct plan_question ask(const char *objective, enum plan_unknown unknown)
{
    char why[200];
    struct plan_question question = {.unknown = unknown, .locks = 1};
    assert_true(objective_parse(objective, &question.objective, why, sizeof why));
    return question;
}

static void a_size_is_a_number_of_sessions(void **state)
{
    (void)state;
    struct plan_question question = ask("handoff p99 < 50ms", PLAN_WAITERS);
    assert_int_equal(plan_question_sessions(&question, 7), 8);
    assert_int_equal(plan_question_locks(&question, 7), 1);
    question = ask("handoff p99 < 50ms", PLAN_LOCKS);
    question.clients = 3;
    assert_int_equal(plan_question_sessions(&question, 7), 21);
    assert_int_equal(plan_question_locks(&question, 7), 7);
    question = ask("handoff p99 < 50ms", PLAN_SESSIONS);
    question.locks = 4;
    assert_int_equal(plan_question_sessions(&question, 9), 9);
    assert_int_equal(plan_question_locks(&question, 9), 4);
}

/* The sessions of the largest size are at most those that are allowed, and one more would not be.
 */
static void the_bounds_follow_from_the_sessions(void **state)
{
    (void)state;
    for (int unknown = PLAN_WAITERS; unknown <= PLAN_SESSIONS; unknown++) {
        struct plan_question question = ask("handoff p99 < 50ms", (enum plan_unknown)unknown);
        question.clients = unknown == PLAN_LOCKS ? 3 : 0;
        question.locks = unknown == PLAN_SESSIONS ? 4 : 1;
        plan_question_complete(&question, 100);
        assert_true(plan_question_sessions(&question, question.most) <= 100);
        assert_true(plan_question_sessions(&question, question.most + 1) > 100);
        assert_true(plan_question_sessions(&question, question.least) >=
                    2 * plan_question_locks(&question, question.least));
    }
}

/* At every rate the same clients contend. */
static void a_size_is_a_rate(void **state)
{
    (void)state;
    struct plan_question question = ask("background p99 < 50ms", PLAN_RATE);
    question.locks = 4;
    question.clients = 3;
    assert_int_equal(plan_question_sessions(&question, 700), 12);
    assert_int_equal(plan_question_locks(&question, 700), 4);
    assert_int_equal(plan_question_rate(&question, 700), 700);
    question.unknown = PLAN_WAITERS;
    assert_int_equal(plan_question_rate(&question, 700), 0);
    question.background.rate_per_s = 50;
    assert_int_equal(plan_question_rate(&question, 700), 50);
}

static void the_bounds_of_a_rate_are_its_own(void **state)
{
    (void)state;
    struct plan_question question = ask("background p99 < 50ms", PLAN_RATE);
    plan_question_complete(&question, 100);
    assert_int_equal(question.clients, PLAN_CLIENTS_DEFAULT);
    assert_int_equal(question.least, PLAN_RATE_LEAST);
    assert_int_equal(question.most, PLAN_RATE_MOST);
    assert_int_equal(question.trial_samples, 1049);
    question.most = 2 * PLAN_RATE_MOST;
    plan_question_fit(&question, 2);
    assert_int_equal(question.most, 2 * PLAN_RATE_MOST);
    question = ask("background p99 < 50ms", PLAN_RATE);
    question.most = 30;
    plan_question_complete(&question, 100);
    assert_int_equal(question.least, 30);
    question.least = 7;
    plan_question_complete(&question, 100);
    assert_int_equal(question.least, 7);
    question.most = 0;
    question.least = 2 * PLAN_RATE_MOST;
    plan_question_complete(&question, 100);
    assert_int_equal(question.most, question.least);
}

static void what_is_given_stays(void **state)
{
    (void)state;
    struct plan_question question = ask("handoff p99 < 50ms", PLAN_WAITERS);
    question.least = 5;
    question.most = 500;
    question.trial_samples = 400;
    plan_question_complete(&question, 100);
    assert_int_equal(question.least, 5);
    assert_int_equal(question.most, 500);
    assert_int_equal(question.trial_samples, 400);
    assert_int_equal(question.trial_ns, 0);
}

/* 1,049 samples of a p99 pass with five over; a p50 would need 18 only. A rate has no samples. */
static void a_trial_has_enough_samples_to_vote(void **state)
{
    (void)state;
    struct plan_question question = ask("handoff p99 < 50ms", PLAN_WAITERS);
    plan_question_complete(&question, 100);
    assert_int_equal(question.trial_samples, 1049);
    question = ask("acquire p50 < 50ms", PLAN_WAITERS);
    plan_question_complete(&question, 100);
    assert_int_equal(question.trial_samples, PLAN_SAMPLES_LEAST);
    question = ask("handoffs > 500/s", PLAN_WAITERS);
    plan_question_complete(&question, 100);
    assert_int_equal(question.trial_samples, 0);
    assert_int_equal(question.trial_ns, PLAN_TRIAL_NS);
    assert_int_equal(question.trial_least_ns, 0);
    question = ask("background p99 < 50ms", PLAN_WAITERS);
    plan_question_complete(&question, 100);
    assert_int_equal(question.trial_least_ns, PLAN_TRIAL_LEAST_NS);
    question = ask("background p99 < 50ms", PLAN_WAITERS);
    question.trial_samples = 1000;
    plan_question_complete(&question, 100);
    assert_int_equal(question.trial_least_ns, 0);
}

static void servers_that_allow_fewer_sessions_lower_the_largest_size(void **state)
{
    (void)state;
    struct plan_question question = ask("handoff p99 < 50ms", PLAN_WAITERS);
    question.least = 10;
    plan_question_complete(&question, 100);
    plan_question_fit(&question, UINT64_MAX);
    assert_int_equal(question.most, 99);
    plan_question_fit(&question, 57);
    assert_int_equal(question.most, 56);
    plan_question_fit(&question, 5);
    assert_int_equal(question.most, 10);
    question.most = 99;
    plan_question_fit(&question, 0);
    assert_int_equal(question.most, 10);
}

static void sizes_are_told_in_words(void **state)
{
    (void)state;
    char text[64];
    struct plan_question question = {.unknown = PLAN_WAITERS};
    assert_string_equal(plan_question_format(&question, 1, text, sizeof text), "1 waiter");
    question.unknown = PLAN_LOCKS;
    assert_string_equal(plan_question_format(&question, 1200, text, sizeof text),
                        "1,200 hot locks");
    question.unknown = PLAN_RATE;
    assert_string_equal(plan_question_format(&question, 1200, text, sizeof text),
                        "1,200 requests a second");
    assert_string_equal(plan_question_format(&question, 1, text, sizeof text),
                        "1 request a second");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_is_a_number_of_sessions),
        cmocka_unit_test(the_bounds_follow_from_the_sessions),
        cmocka_unit_test(a_size_is_a_rate),
        cmocka_unit_test(the_bounds_of_a_rate_are_its_own),
        cmocka_unit_test(what_is_given_stays),
        cmocka_unit_test(a_trial_has_enough_samples_to_vote),
        cmocka_unit_test(servers_that_allow_fewer_sessions_lower_the_largest_size),
        cmocka_unit_test(sizes_are_told_in_words),
    };
    return cmocka_run_group_tests_name("plan_question", tests, NULL, NULL);
}
