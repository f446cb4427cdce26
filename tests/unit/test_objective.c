// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "tests/support/test.h"

#include <math.h>

static struct objective parse(const char *text)
{
    struct objective objective;
    if (!objective_parse(text, &objective))
        fail_msg("'%s' is refused", text);
    return objective;
}

TEST(an_objective_is_a_metric_and_a_bound)
{
    static const struct {
        const char *text;
        struct objective expected;
    } cases[] = {
        {"handoff p99 < 50ms", {OBJECTIVE_HANDOFF, 9900, 50000000, 0}},
        {"acquire p95 < 1s", {OBJECTIVE_ACQUIRE, 9500, 1000000000, 0}},
        {"background p99.9 < 20ms", {OBJECTIVE_BACKGROUND, 9990, 20000000, 0}},
        {"handoffs > 500/s", {OBJECTIVE_HANDOFFS, 0, 0, 500}},
        {"handoff p99<50ms", {OBJECTIVE_HANDOFF, 9900, 50000000, 0}},
        {"  handoff\tp50  <  1.5us  ", {OBJECTIVE_HANDOFF, 5000, 1500, 0}},
        {"handoff p99<=50 ms", {OBJECTIVE_HANDOFF, 9900, 50000000, 0}},
        {"handoff p50 < 1ns", {OBJECTIVE_HANDOFF, 5000, 1, 0}},
        {"handoff p99 < 60s", {OBJECTIVE_HANDOFF, 9900, UINT64_C(60000000000), 0}},
        {"handoffs>1/s", {OBJECTIVE_HANDOFFS, 0, 0, 1}},
        {"handoffs >= 7 /s ", {OBJECTIVE_HANDOFFS, 0, 0, 7}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct objective found = parse(cases[i].text), expected = cases[i].expected;
        assert_int_equal(found.metric, expected.metric);
        assert_int_equal(found.percentile_hundredths, expected.percentile_hundredths);
        assert_int_equal(found.limit_ns, expected.limit_ns);
        assert_int_equal(found.least_per_s, expected.least_per_s);
        assert_int_equal(objective_is_rate(&found), expected.least_per_s > 0);
    }
}

TEST(the_share_is_what_may_exceed_the_limit)
{
    static const struct {
        const char *text;
        double share;
    } cases[] = {
        {"handoff p50 < 1s", 0.5}, {"handoff p99.9 < 1s", 0.001}, {"handoff p97.25 < 1s", 0.0275}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct objective objective = parse(cases[i].text);
        assert_true(fabs(objective_share(&objective) - cases[i].share) < 1e-12);
    }
}

TEST(what_is_printed_is_parsed_again)
{
    static const char *const texts[] = {
        "handoff p99 < 50ms",          "acquire p95 < 1s",       "background p99.9 < 20ms",
        "handoff p50 < 1ns",           "handoff p97.25 < 999us", "acquire p99.5 < 1.5s",
        "handoff p90 < 60s",           "handoff p99 < 1.05ms",   "handoff p99 < 1.234567891s",
        "handoff p99 < 59.999999999s", "handoffs > 500/s",       "handoffs > 1000000000/s",
    };
    char text[OBJECTIVE_TEXT_SIZE];
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct objective objective = parse(texts[i]);
        assert_string_equal(objective_format(&objective, text, sizeof text), texts[i]);
    }
    struct objective other = parse("handoff p99.90<0.001h");
    assert_string_equal(objective_format(&other, text, sizeof text), "handoff p99.9 < 3.6s");
}

TEST(what_is_no_objective_is_refused)
{
    static const char *const texts[] = {
        "",
        "latency p99 < 50ms",
        "handoff",
        "handoff < 50ms",
        "handoff p49.99 < 50ms",
        "handoff p99.91 < 50ms",
        "handoff p99",
        "handoff p99 > 50ms",
        "handoff p99 50ms",
        "handoff p99 <",
        "handoff p99 < 50",
        "handoff p99 < 5 0 ms",
        "handoff p99 =< 50ms",
        "handoffs > 5 00/s",
        "handoff p99 < 50ms, acquire p95 < 1s",
        "handoff p99 < 0",
        "handoff p99 < 0ns",
        "handoff p99 < 60.000000001s",
        "handoffs",
        "handoffs < 500/s",
        "handoffs p99 > 500/s",
        "handoffs > 500",
        "handoffs > 0/s",
        "handoffs > /s",
        "handoffs > -1/s",
        "handoffs > 5ms",
        "handoff p99 < 500/s",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct objective objective = {.limit_ns = 7};
        if (objective_parse(texts[i], &objective))
            fail_msg("'%s' is an objective", texts[i]);
        assert_int_equal(objective.limit_ns, 7);
    }
}
