// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include "tests/support/test.h"

#include <math.h>

enum { DRAWS = 100000 };

/* The published test vector of xoshiro256** from the state 1, 2, 3, 4. */
TEST(the_sequence_is_the_published_one)
{
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        UINT64_C(16172922978634559625),
        8476171486693032832,
        UINT64_C(10595114339597558777),
        2904607092377533576,
    };
    struct random random = {{1, 2, 3, 4}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(random_next(&random) == expected[i]);
}

/* And that of splitmix64, which spreads the seed. */
TEST(the_seed_is_spread_as_published)
{
    static const uint64_t expected[] = {6457827717110365317, 3203168211198807973,
                                        UINT64_C(9817491932198370423), 4593380528125082431};
    struct random random;
    random_init(&random, 1234567);
    assert_memory_equal(random.state, expected, sizeof expected);
    random_init(&random, 0);
    static const uint64_t zeros[4];
    assert_memory_not_equal(random.state, zeros, sizeof zeros);
}

/* A bare remainder of this bound would fall into the lower third twice as often. */
TEST(a_large_bound_has_no_bias)
{
    struct random random;
    random_init(&random, 2);
    const uint64_t third = UINT64_C(1) << 62;
    size_t lower = 0;
    for (int i = 0; i < DRAWS; i++)
        lower += random_below(&random, 3 * third) < third;
    assert_in_range(lower, DRAWS / 3 - 600, DRAWS / 3 + 600);
}

/* Half of the values lie below mean · ln 2, and one in e above the mean. */
TEST(exponential_has_its_mean_and_shape)
{
    struct random random;
    random_init(&random, 4);
    double sum = 0;
    int below_median = 0, above_mean = 0;
    for (int i = 0; i < DRAWS; i++) {
        double value = random_exponential(&random, 250);
        assert_true(value >= 0 && isfinite(value));
        sum += value;
        below_median += value < 250 * log(2);
        above_mean += value > 250;
    }
    assert_true(fabs(sum / DRAWS - 250) < 4);
    assert_true(abs(below_median - DRAWS / 2) < 700);
    assert_true(fabs(above_mean - DRAWS / exp(1)) < 700);
}

/* All six orders of three items, equally often. */
TEST(shuffles_are_even)
{
    struct random random;
    random_init(&random, 5);
    size_t seen[3][3] = {{0}};
    for (int i = 0; i < 6000; i++) {
        struct {
            unsigned id;
            char padding[20];
        } items[3] = {{.id = 0}, {.id = 1}, {.id = 2}};
        random_shuffle(&random, items, 3, sizeof items[0]);
        assert_int_equal(items[0].id + items[1].id + items[2].id, 3);
        assert_int_not_equal(items[0].id, items[1].id);
        seen[items[0].id][items[1].id]++;
    }
    for (size_t first = 0; first < 3; first++) {
        for (size_t second = 0; second < 3; second++) {
            if (first != second)
                assert_in_range(seen[first][second], 880, 1120);
        }
    }
    random_shuffle(&random, NULL, 0, 8);
}
