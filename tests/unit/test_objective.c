// SPDX-License-Identifier: Apache-2.0
#include "capacity/objective.h"

#include "tests/support/test.h"

#include <math.h>

static struct objective parse(const char *text)
{
    struct objective objective;
    char why[256] = "";
    if (!objective_parse(text, &objective, why, sizeof why))
        fail_msg("'%s': %s", text, why);
    return objective;
}

TEST(an_objective_is_a_metric_and_a_bound)
{
    struct objective found = parse("handoff p99 < 50ms");
    assert_int_equal(found.metric, OBJECTIVE_HANDOFF);
    assert_int_equal(found.percentile_hundredths, 9900);
    assert_int_equal(found.limit_ns, 50000000);
    assert_int_equal(found.least_per_s, 0);
    assert_false(objective_is_rate(&found));

    found = parse("acquire p95 < 1s");
    assert_int_equal(found.metric, OBJECTIVE_ACQUIRE);
    assert_int_equal(found.limit_ns, 1000000000);

    found = parse("background p99.9 < 20ms");
    assert_int_equal(found.metric, OBJECTIVE_BACKGROUND);
    assert_int_equal(found.percentile_hundredths, 9990);

    found = parse("handoffs > 500/s");
    assert_int_equal(found.metric, OBJECTIVE_HANDOFFS);
    assert_int_equal(found.least_per_s, 500);
    assert_int_equal(found.percentile_hundredths, 0);
    assert_int_equal(found.limit_ns, 0);
    assert_true(objective_is_rate(&found));
}

TEST(blanks_are_free)
{
    assert_int_equal(parse("handoff p99<50ms").limit_ns, 50000000);
    assert_int_equal(parse("  handoff\tp50  <  1.5us  ").limit_ns, 1500);
    assert_int_equal(parse("handoffs>1/s").least_per_s, 1);
    assert_int_equal(parse("handoffs > 7/s ").least_per_s, 7);
    assert_int_equal(parse("handoff p99 < 50 ms").limit_ns, 50000000);
    assert_int_equal(parse("handoffs > 7 /s").least_per_s, 7);
}

/* What differs by a nanosecond, or by a handoff. */
TEST(at_most_is_below)
{
    assert_int_equal(parse("handoff p99 <= 50ms").limit_ns, 50000000);
    assert_int_equal(parse("handoff p99<=50 ms").limit_ns, 50000000);
    assert_int_equal(parse("handoffs >= 500/s").least_per_s, 500);
}

TEST(the_share_is_what_may_exceed_the_limit)
{
    static const struct {
        const char *text;
        double share;
    } cases[] = {{"handoff p50 < 1s", 0.5},
                 {"handoff p99 < 1s", 0.01},
                 {"handoff p99.9 < 1s", 0.001},
                 {"handoff p97.25 < 1s", 0.0275}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct objective objective = parse(cases[i].text);
        assert_true(fabs(objective_share(&objective) - cases[i].share) < 1e-12);
    }
}

TEST(what_is_printed_is_parsed_again)
{
    static const char *const texts[] = {
        "handoff p99 < 50ms",    "acquire p95 < 1s",       "background p99.9 < 20ms",
        "handoff p50 < 1ns",     "handoff p97.25 < 999us", "acquire p99.5 < 1.5s",
        "handoff p90 < 60s",     "handoff p99 < 1.05ms",   "handoff p99 < 1.234567891s",
        "background p75 < 10us", "handoffs > 500/s",       "handoffs > 1000000000/s",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct objective objective = parse(texts[i]);
        char text[OBJECTIVE_TEXT_SIZE];
        assert_string_equal(objective_format(&objective, text, sizeof text), texts[i]);
    }
    struct objective other = parse("handoff p99.90<0.001h");
    char text[OBJECTIVE_TEXT_SIZE];
    assert_string_equal(objective_format(&other, text, sizeof text), "handoff p99.9 < 3.6s");
}

/* What is wrong comes first, the grammar behind it; the objective is as it was. */
TEST(what_is_no_objective_is_refused)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "no metric is called ''"},
        {"latency p99 < 50ms", "no metric is called 'latency'"},
        {"handoff", "'' is not a percentile from p50 to p99.9"},
        {"handoff < 50ms", "'' is not a percentile from p50 to p99.9"},
        {"handoff p49.99 < 50ms", "'p49.99' is not a percentile from p50 to p99.9"},
        {"handoff p99.91 < 50ms", "'p99.91' is not a percentile from p50 to p99.9"},
        {"handoff p99", "the sign '<' is missing"},
        {"handoff p99 > 50ms", "the sign '<' is missing"},
        {"handoff p99 50ms", "the sign '<' is missing"},
        {"handoff p99 <", "'' is not a duration such as 50ms"},
        {"handoff p99 < 50", "'50' is not a duration such as 50ms"},
        {"handoff p99 < 5 0 ms", "'5 0 ms' is not a duration such as 50ms"},
        {"handoff p99 =< 50ms", "the sign '<' is missing"},
        {"handoffs > 5 00/s", "'5 00/s' is not a rate such as 500/s"},
        {"handoff p99 < 50ms, acquire p95 < 1s",
         "'50ms, acquire p95 < 1s' is not a duration such as 50ms"},
        {"handoff p99 < 0", "the limit is not in 1ns to 60s, the times that are measured"},
        {"handoff p99 < 60.000000001s",
         "the limit is not in 1ns to 60s, the times that are measured"},
        {"handoffs", "the sign '>' is missing"},
        {"handoffs < 500/s", "the sign '>' is missing"},
        {"handoffs p99 > 500/s", "the sign '>' is missing"},
        {"handoffs > 500", "'500' is not a rate such as 500/s"},
        {"handoffs > 0/s", "'0/s' is not a rate such as 500/s"},
        {"handoffs > /s", "'/s' is not a rate such as 500/s"},
        {"handoffs > -1/s", "'-1/s' is not a rate such as 500/s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct objective objective, before;
        char why[256], expected[256];
        memset(&objective, 0x5a, sizeof objective);
        before = objective;
        assert_false(objective_parse(cases[i].text, &objective, why, sizeof why));
        snprintf(expected, sizeof expected, "%s; %s", cases[i].why, OBJECTIVE_GRAMMAR);
        assert_string_equal(why, expected);
        assert_memory_equal(&objective, &before, sizeof objective);
    }
}

TEST(a_short_text_for_the_reason_is_not_overrun)
{
    struct objective objective;
    for (size_t size = 1; size < 60; size++) {
        char why[64];
        memset(why, 'x', sizeof why);
        assert_false(objective_parse("load p99 < 1s", &objective, why, size));
        assert_int_equal(strlen(why), size - 1);
        for (size_t i = size; i < sizeof why; i++)
            assert_int_equal(why[i], 'x');
    }
}
