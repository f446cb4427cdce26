// SPDX-License-Identifier: Apache-2.0
/* The verdict of a cell in what `zkherd load --json` prints, of trials made by hand. */
#include "bench/load/load_json.h"

#include "tests/support/test.h"

static struct load_sample list[2];
static const struct load_samples samples = {list, 2};

static int lay_out(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < samples.count; i++)
        list[i] = (struct load_sample){
            .cell = {.mix = mix_of_reads(50), .sessions = 2, .trial = i + 1},
            .achieved_per_s = 100,
            .reconciled = RECONCILED_YES,
            .complete = true,
            .valid = true,
        };
    return 0;
}

static void expect(const char *verdict)
{
    struct error error;
    json_t *cells;
    assert_int_equal(load_json_cells(&samples, &cells, &error), ERROR_NONE);
    assert_int_equal(json_array_size(cells), 1);
    const json_t *cell = json_array_get(cells, 0);
    assert_string_equal(json_string_value(json_object_get(cell, "verdict")), verdict);
    assert_float_equal(json_real_value(json_object_get(cell, "achieved_per_s")), 100, 1e-9);
    assert_true(json_is_null(json_object_get(cell, "achieved_per_s_low")));
    assert_true(json_is_null(json_object_get(cell, "rate_per_s")));
    json_decref(cells);
}

TEST_BETWEEN(test_valid_trials_hold, lay_out, NULL)
{
    expect("holds");
}

TEST_BETWEEN(test_a_trial_that_is_not_valid, lay_out, NULL)
{
    list[0].valid = false;
    expect("not valid");
}

TEST_BETWEEN(test_servers_that_counted_otherwise_fail_the_cell, lay_out, NULL)
{
    list[0].valid = false;
    list[1].reconciled = RECONCILED_NO;
    expect("fails");
}
