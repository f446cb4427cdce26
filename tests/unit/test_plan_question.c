// SPDX-License-Identifier: Apache-2.0
/* What zkherd plan is asked: what is not given, sizes as sessions and locks. */
#include "bench/plan/internal.h"

#include "base/clock.h"

#include "tests/support/test.h"

static struct plan_question question;

static void ask(const char *objective, enum plan_unknown unknown, uint64_t clients, uint32_t locks)
{
    question = (struct plan_question){.unknown = unknown, .clients = clients, .locks = locks};
    assert_true(objective_parse(objective, &question.objective));
}

/* At every rate the same clients contend. */
TEST(a_size_is_a_number_of_sessions_or_a_rate)
{
    static const struct {
        enum plan_unknown unknown;
        uint64_t clients;
        uint32_t locks;
        uint64_t given_rate, size, sessions, of_locks, rate;
    } cases[] = {
        {PLAN_WAITERS, 0, 1, 0, 7, 8, 1, 0},   {PLAN_WAITERS, 0, 1, 50, 7, 8, 1, 50},
        {PLAN_LOCKS, 3, 1, 0, 7, 21, 7, 0},    {PLAN_SESSIONS, 0, 4, 0, 9, 9, 4, 0},
        {PLAN_RATE, 3, 4, 0, 700, 12, 4, 700},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t size = cases[i].size;
        ask("handoff p99 < 50ms", cases[i].unknown, cases[i].clients, cases[i].locks);
        question.background.rate_per_s = cases[i].given_rate;
        assert_int_equal(plan_question_sessions(&question, size), cases[i].sessions);
        assert_int_equal(plan_question_locks(&question, size), cases[i].of_locks);
        assert_int_equal(plan_question_rate(&question, size), cases[i].rate);
    }
}

/* The sessions of the largest size are at most those that are allowed, and one more would not be.
 */
TEST(the_bounds_follow_from_the_sessions)
{
    for (int unknown = PLAN_WAITERS; unknown <= PLAN_SESSIONS; unknown++) {
        ask("handoff p99 < 50ms", (enum plan_unknown)unknown, unknown == PLAN_LOCKS ? 3 : 0,
            unknown == PLAN_SESSIONS ? 4 : 1);
        plan_question_complete(&question, 100);
        assert_true(plan_question_sessions(&question, question.most) <= 100);
        assert_true(plan_question_sessions(&question, question.most + 1) > 100);
        assert_true(plan_question_sessions(&question, question.least) >=
                    2 * plan_question_locks(&question, question.least));
    }
}

TEST(the_bounds_of_a_rate_are_its_own)
{
    static const struct {
        uint64_t least, most, then_least, then_most;
    } cases[] = {
        {0, 0, PLAN_RATE_LEAST, PLAN_RATE_MOST},
        {0, 30, 30, 30},
        {7, 30, 7, 30},
        {2 * PLAN_RATE_MOST, 0, 2 * PLAN_RATE_MOST, 2 * PLAN_RATE_MOST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask("background p99 < 50ms", PLAN_RATE, 0, 1);
        question.least = cases[i].least;
        question.most = cases[i].most;
        plan_question_complete(&question, 100);
        plan_question_fit(&question, 2);
        assert_int_equal(question.least, cases[i].then_least);
        assert_int_equal(question.most, cases[i].then_most);
        assert_int_equal(question.clients, PLAN_CLIENTS_DEFAULT);
    }
}

/* 1,049 samples of a p99 pass with five over; a p50 would need 18 only. A rate has no samples. */
TEST(a_trial_has_enough_samples_to_vote)
{
    static const struct {
        const char *objective;
        uint64_t given, samples, ns, least_ns;
    } cases[] = {
        {"handoff p99 < 50ms", 0, 1049, 0, 0},
        {"acquire p50 < 50ms", 0, PLAN_SAMPLES_LEAST, 0, 0},
        {"handoffs > 500/s", 0, 0, PLAN_TRIAL_NS, 0},
        {"background p99 < 50ms", 0, 1049, 0, PLAN_TRIAL_LEAST_NS},
        {"background p99 < 50ms", 1000, 1000, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask(cases[i].objective, PLAN_WAITERS, 0, 1);
        question.trial_samples = cases[i].given;
        plan_question_complete(&question, 100);
        assert_int_equal(question.trial_samples, cases[i].samples);
        assert_int_equal(question.trial_ns, cases[i].ns);
        assert_int_equal(question.trial_least_ns, cases[i].least_ns);
    }
}

TEST(servers_that_allow_fewer_sessions_lower_the_largest_size)
{
    static const struct {
        uint64_t sessions, most;
    } cases[] = {{UINT64_MAX, 99}, {57, 56}, {5, 10}, {0, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ask("handoff p99 < 50ms", PLAN_WAITERS, 0, 1);
        question.least = 10;
        plan_question_complete(&question, 100);
        plan_question_fit(&question, cases[i].sessions);
        assert_int_equal(question.most, cases[i].most);
    }
}
