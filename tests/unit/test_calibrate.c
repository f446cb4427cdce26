// SPDX-License-Identifier: Apache-2.0
/* The tables of a calibration, what it says of trials that scatter, and how long it warms up. */
#include "bench/model/internal.h"

#include "recipes/registry.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <math.h>

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

/* Three drains of one size and two of another, each size with a mean of its own. What does not
 * stand is left out. */
static struct drain_series series_of_five(void)
{
    static struct drain_cell cells[2];
    static struct drain_sample samples[] = {
        {.cell = 0, .stands = true, .messages = 10, .client_cpu_ns = 5000},
        {.cell = 1, .stands = true, .messages = 100, .client_cpu_ns = 30000},
        {.cell = 0, .stands = true, .messages = 10, .client_cpu_ns = 5000},
        {.cell = 1, .stands = false, .messages = 1000, .client_cpu_ns = 1e9},
        {.cell = 0, .stands = true, .messages = 10, .client_cpu_ns = 5000},
        {.cell = 1, .stands = true, .messages = 100, .client_cpu_ns = 50000},
    };
    static const double logs[] = {1, 5, 1.3, 9, 0.7, 5.2};
    for (size_t i = 0; i < 6; i++) {
        for (int time = 0; time < DRAIN_TIMES; time++)
            samples[i].times_s[time] = exp(logs[i]);
    }
    return (struct drain_series){
        .cells = cells, .cell_count = 2, .samples = samples, .sample_count = 6};
}

/* Five trials have two means: three degrees of freedom are left. */
TEST(scatter_is_that_of_trials_of_one_size)
{
    const struct drain_series series = series_of_five();
    double squares = 0.3 * 0.3 + 0.3 * 0.3 + 0.1 * 0.1 + 0.1 * 0.1;
    assert_true(fabs(drain_series_scatter(&series, DRAIN_TOTAL) - sqrt(squares / 3)) < 1e-9);
}

/* Where there are the most messages: of 200 messages, 80 us. */
TEST(a_message_costs_what_the_largest_drains_say)
{
    const struct drain_series series = series_of_five();
    assert_true(fabs(drain_series_message_ns(&series) - 400) < 1e-9);
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
