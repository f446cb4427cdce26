// SPDX-License-Identifier: Apache-2.0
/* What zkherd plan is asked: what is not given, sizes as sessions and locks. */
#include "bench/plan/internal.h"

#include "base/clock.h"

#include "tests/support/test.h"

static struct plan_question ask(const char *objective, enum plan_unknown unknown)
{
    char why[200];
    struct plan_question question = {.unknown = unknown, .locks = 1};
    assert_true(objective_parse(objective, &question.objective, why, sizeof why));
    return question;
}

TEST(a_size_is_a_number_of_sessions)
{
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
TEST(the_bounds_follow_from_the_sessions)
{
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
TEST(a_size_is_a_rate)
{
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

TEST(the_bounds_of_a_rate_are_its_own)
{
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

TEST(what_is_given_stays)
{
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
TEST(a_trial_has_enough_samples_to_vote)
{
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

TEST(servers_that_allow_fewer_sessions_lower_the_largest_size)
{
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

TEST(sizes_are_told_in_words)
{
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
