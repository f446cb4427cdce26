// SPDX-License-Identifier: Apache-2.0
/* The cells that `zkherd run --json` prints, of trials made by hand. */

#include "recipes/registry.h"

#include "bench/run/internal.h"
#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

#define CLIENTS 10

static struct sample list[3];
static const struct samples samples = {list, 3};
static uint64_t levels[] = {CLIENTS, 2 * CLIENTS};
static const struct options options = {.plan.recipes = {&recipe_scalable, &recipe_ticket},
                                       .plan.recipe_count = 2,
                                       .plan.clients.list = levels,
                                       .plan.clients.count = 2};

/* Three trials of one cell, with 100, 200 and 300 creates and a drain of 1, 2 and 3 seconds. */
static int lay_out(void **state)
{
    (void)state;
    for (unsigned i = 0; i < samples.count; i++) {
        list[i] = (struct sample){
            .cell = {.recipe = &recipe_scalable, .clients = CLIENTS, .trial = i + 1},
            .has_law = true,
            .valid = true,
            .complete = true,
            .drain_s = i + 1,
            .handoff_us = {NAN, NAN, NAN, NAN},
        };
        list[i].total.of[TALLY_CREATE] = 100 * (i + 1);
    }
    return 0;
}

static json_t *only_cell(json_t **cells)
{
    *cells = table_json(samples_outcome(&samples, &options));
    assert_int_equal(json_array_size(*cells), 1);
    return json_array_get(*cells, 0);
}

static void expect(json_int_t complete, json_int_t valid, json_int_t creates, double drain_s,
                   const char *verdict)
{
    json_t *cells, *cell = only_cell(&cells);
    assert_int_equal(json_integer_value(json_object_get(cell, "trials")), 3);
    assert_int_equal(json_integer_value(json_object_get(cell, "trials_complete")), complete);
    assert_int_equal(json_integer_value(json_object_get(cell, "trials_valid")), valid);
    assert_int_equal(json_integer_value(json_object_get(cell, "creates")), creates);
    assert_int_equal(json_integer_value(json_object_get(cell, "rpcs")), creates);
    assert_float_equal(json_real_value(json_object_get(cell, "drain_s")), drain_s, 0);
    assert_true(json_is_null(json_object_get(cell, "handoff_p50_us")));
    assert_string_equal(json_string_value(json_object_get(cell, "verdict")), verdict);
    json_decref(cells);
}

TEST_BETWEEN(test_all_trials_are_good, lay_out, NULL)
{
    expect(3, 3, 200, 2, "holds");
}

TEST_BETWEEN(test_an_aborted_trial_is_in_no_median, lay_out, NULL)
{
    list[0].complete = list[0].valid = false;
    list[1].valid = false;
    expect(2, 1, 250, 3, "not valid");
}

TEST_BETWEEN(test_one_violation_fails_the_cell, lay_out, NULL)
{
    list[1].valid = false;
    list[2].violations = 1;
    expect(3, 2, 200, 2, "fails");
}

TEST_BETWEEN(test_without_a_complete_trial_no_law_was_tried, lay_out, NULL)
{
    json_t *cells;
    for (size_t i = 0; i < samples.count; i++)
        list[i].complete = list[i].valid = false;
    const json_t *cell = only_cell(&cells);
    assert_true(json_is_false(json_object_get(cell, "has_law")));
    assert_int_equal(json_integer_value(json_object_get(cell, "creates")), 200);
    assert_true(json_is_null(json_object_get(cell, "drain_s")));
    json_decref(cells);
}
