// SPDX-License-Identifier: Apache-2.0
/* The tables of a calibration, what it says of trials that scatter, and how long it warms up. */
#include "bench/model/internal.h"

#include "recipes/registry.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

/* exp(0.095) = 1.10, exp(1.5) = 4.48, exp(0.049) = 1.05. */
static struct costs_file costs = {.trial_sd = {[DRAIN_TOTAL] = 0.095, [DRAIN_HANDOFF] = 1.5},
                                  .fit = {.model_sd = 0.049, .converged = true}};

TEST(scatter_is_told_as_a_factor)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    calibrate_write_table(&costs, stream);
    fclose(stream);
    words_unwrap(text);
    assert_has(text, "scatter by a factor of 1.10 (drain) and 4.48 (handoff p50); beyond that, the "
                     "simulation differs from the servers by a factor of 1.05 (geometric");
    free(text);
}

TEST(each_cost_and_each_cell_has_a_row)
{
    char *text = NULL;
    size_t size = 0;
    costs.cells[0] = (struct costs_cell){.drain = {.recipe = &recipe_nonscalable, .clients = 6},
                                         .measured_s = {0.012, 0.002},
                                         .fitted_s = {0.006, 0.001}};
    costs.cell_count = 1;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    calibrate_write_table(&costs, stream);
    fclose(stream);
    assert_has(text, "95 % interval\n");
    assert_has(text, "\nnetwork_jitter ");
    assert_has(text, "\nnonscalable       6 ");
    assert_has(text, " 12.00   6.00  0.50 ");
    free(text);
}

/* From a factor of e on. */
TEST(much_scatter_is_warned_of)
{
    static const struct costs_file limit = {
        .trial_sd = {[DRAIN_TOTAL] = 0.999, [DRAIN_HANDOFF] = 1.001}};
    char *of_limit = calibrate_warning(&limit, DRAIN_HANDOFF);
    char *text = calibrate_warning(&costs, DRAIN_HANDOFF);
    assert_null(calibrate_warning(&limit, DRAIN_TOTAL));
    assert_null(calibrate_warning(&costs, DRAIN_TOTAL));
    assert_non_null(of_limit);
    assert_has(text, "scatter by a factor of 4.5 (handoff p50, geometric standard deviation): ");
    assert_has(text, " or a longer --warm-up");
    free(of_limit);
    free(text);
}

TEST(every_server_is_warmed_up)
{
    const struct drain_options options = {.warm_up_ns = 30 * NS_PER_S};
    assert_int_equal(drain_options_warm_up_ns(&options, 1), 30 * NS_PER_S);
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 90 * NS_PER_S);
}

TEST(a_warm_up_that_was_given_is_all_of_it)
{
    const struct drain_options options = {.warm_up_ns = 5 * NS_PER_S, .warm_up_given = true};
    assert_int_equal(drain_options_warm_up_ns(&options, 3), 5 * NS_PER_S);
}
