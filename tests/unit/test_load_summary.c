// SPDX-License-Identifier: Apache-2.0
/* The figures of the cells of a load: over which trials, in which order, and when with an interval.
 */

#include "bench/output/load_summary.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

static struct load_samples samples;

static int set_up(void **state)
{
    (void)state;
    samples = (struct load_samples){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    load_samples_deinit(&samples);
    return 0;
}

static struct load_cell cell_of(uint32_t reads, uint64_t rate_per_s, uint32_t sessions)
{
    return (struct load_cell){
        .mix = mix_of_reads(reads), .rate_per_s = rate_per_s, .sessions = sessions, .trial = 1};
}

/* A valid trial, each figure of which is another multiple of the value; for the caller to change.
 */
static struct load_sample *add(struct load_cell cell, double value)
{
    struct error error;
    struct load_sample sample = {.cell = cell,
                                 .offered_per_s = 8 * value,
                                 .achieved_per_s = value,
                                 .response_us = {2 * value, 20 * value, 3 * value},
                                 .service_us = {4 * value, 20 * value, 5 * value},
                                 .fan_out_mean = 9 * value,
                                 .notification_us = {10 * value, 20 * value, 20 * value},
                                 .first_notification_us = {11 * value, 20 * value, 20 * value},
                                 .last_notification_us = {12 * value, 20 * value, 13 * value},
                                 .set_service_us = {14 * value, 20 * value, 20 * value},
                                 .client_cores = 6 * value,
                                 .server_cores = 7 * value,
                                 .errors = 1,
                                 .reconciled = RECONCILED_YES,
                                 .complete = true,
                                 .valid = true};
    assert_int_equal(load_samples_add(&samples, &sample, &error), ERROR_NONE);
    return &samples.list[samples.count - 1];
}

static struct load_summary take(struct load_cell cell)
{
    struct error error;
    struct load_summary summary;
    assert_int_equal(load_summary_take(&samples, &cell, &summary, &error), ERROR_NONE);
    summary.cell = NULL; /* is no more */
    return summary;
}

static void assert_value(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 1e-9))
        fail_msg("%g, not %g", found, expected);
}

/* ------------------------------------------------------------------ which trials */

TEST_BETWEEN(a_figure_is_the_geometric_mean_of_its_own, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100);
    add(cell_of(80, 0, 4), 400);
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 2);
    assert_int_equal(summary.valid, 2);
    assert_true(summary.errors == 2);
    assert_value(summary.offered_per_s.value, 1600);
    assert_value(summary.achieved_per_s.value, 200);
    assert_value(summary.response_p50_us.value, 400);
    assert_value(summary.response_p99_us.value, 600);
    assert_value(summary.service_p50_us.value, 800);
    assert_value(summary.service_p99_us.value, 1000);
    assert_value(summary.fan_out_mean.value, 1800);
    assert_value(summary.notification_p50_us.value, 2000);
    assert_value(summary.first_notification_p50_us.value, 2200);
    assert_value(summary.last_notification_p50_us.value, 2400);
    assert_value(summary.last_notification_p99_us.value, 2600);
    assert_value(summary.set_service_p50_us.value, 2800);
    assert_value(summary.client_cores.value, 1200);
    assert_value(summary.server_cores.value, 1400);
}

/* The number of the trial is the only thing in which trials of a cell differ. */
TEST_BETWEEN(other_cells_do_not_count, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100);
    add(cell_of(81, 0, 4), 1e6);
    add(cell_of(80, 1, 4), 1e6);
    add(cell_of(80, 0, 5), 1e6);
    add(cell_of(80, 0, 4), 1e6)->cell.topology = 1;
    add(cell_of(80, 0, 4), 100)->cell.trial = 2;
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 2);
    assert_value(summary.achieved_per_s.value, 100);
}

/* The mean of the other trials would be too low. */
TEST_BETWEEN(a_figure_above_its_range_makes_no_mean, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100);
    add(cell_of(80, 0, 4), 100)->response_us[2] = INFINITY;
    add(cell_of(80, 0, 4), 100)->service_us[2] = NAN;
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_true(isinf(summary.response_p99_us.value) || isnan(summary.response_p99_us.value));
    assert_value(summary.response_p50_us.value, 200);
    assert_value(summary.service_p99_us.value, 500);
}

TEST_BETWEEN(there_is_an_interval_from_five_trials_on, set_up, tear_down)
{
    for (unsigned trials = 1; trials <= 6; trials++) {
        add(cell_of(80, 0, 4), 100 + trials);
        struct load_summary summary = take(cell_of(80, 0, 4));
        assert_int_equal(isfinite(summary.achieved_per_s.low), trials >= 5);
        assert_int_equal(isfinite(summary.response_p99_us.high), trials >= 5);
        assert_true(isfinite(summary.achieved_per_s.value));
    }
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_true(summary.achieved_per_s.low < summary.achieved_per_s.value);
    assert_true(summary.achieved_per_s.high > summary.achieved_per_s.value);
}

/* Five valid ones, not five. */
TEST_BETWEEN(trials_that_are_not_valid_make_no_interval, set_up, tear_down)
{
    for (unsigned trials = 1; trials <= 5; trials++)
        add(cell_of(80, 0, 4), 100);
    samples.list[2].valid = false;
    assert_true(isnan(take(cell_of(80, 0, 4)).achieved_per_s.low));
}

TEST_BETWEEN(trials_that_are_not_valid_count_only_if_none_is, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100)->valid = false;
    add(cell_of(80, 0, 4), 400)->valid = false;
    samples.list[1].driver_bound = true;
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 2);
    assert_int_equal(summary.valid, 0);
    assert_int_equal(summary.driver_bound, 1);
    assert_value(summary.achieved_per_s.value, 200);
    add(cell_of(80, 0, 4), 7);
    summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 3);
    assert_int_equal(summary.valid, 1);
    assert_value(summary.achieved_per_s.value, 7);
    assert_true(summary.errors == 3); /* those of all trials */
}

TEST_BETWEEN(a_trial_that_was_cut_short_does_not_count, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 400)->valid = false;
    samples.list[0].complete = false;
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 0);
    assert_true(isnan(summary.achieved_per_s.value));
    add(cell_of(80, 0, 4), 100)->valid = false;
    summary = take(cell_of(80, 0, 4));
    assert_int_equal(summary.trials, 1);
    assert_value(summary.achieved_per_s.value, 100);
}

TEST_BETWEEN(counts_that_differ_are_counted, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100)->reconciled = RECONCILED_NO;
    add(cell_of(80, 0, 4), 100)->reconciled = RECONCILED_NA;
    add(cell_of(80, 0, 4), 100);
    assert_int_equal(take(cell_of(80, 0, 4)).miscounted, 1);
}

/* Of the servers of somebody else no CPU time is known. */
TEST_BETWEEN(a_figure_that_no_trial_has_is_none, set_up, tear_down)
{
    add(cell_of(80, 0, 4), 100)->server_cores = NAN;
    add(cell_of(80, 0, 4), 400)->server_cores = NAN;
    struct load_summary summary = take(cell_of(80, 0, 4));
    assert_true(isnan(summary.server_cores.value));
    samples.list[0].server_cores = 3;
    assert_value(take(cell_of(80, 0, 4)).server_cores.value, 3);
}

/* ------------------------------------------------------------------ the order of the cells */

TEST_BETWEEN(cells_are_in_the_order_of_the_plan, set_up, tear_down)
{
    static const struct {
        uint32_t reads;
        uint64_t rate_per_s;
        uint32_t sessions;
    } order[] = {{0, 10, 4}, {0, 10, 8}, {0, 100, 4}, {50, 10, 2}, {50, 10, 100}, {100, 5, 1}};
    static const size_t trials[] = {3, 0, 5, 2, 4, 1, 0, 3, 5, 1, 2, 4};
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        add(cell_of(order[trials[i]].reads, order[trials[i]].rate_per_s, order[trials[i]].sessions),
            1);
    for (const struct load_cell *cell = load_summary_next(&samples, NULL); cell != NULL;
         cell = load_summary_next(&samples, cell)) {
        assert_true(count < sizeof order / sizeof order[0]);
        assert_int_equal(mix_reads(&cell->mix), order[count].reads);
        assert_int_equal(cell->rate_per_s, order[count].rate_per_s);
        assert_int_equal(cell->sessions, order[count].sessions);
        count++;
    }
    assert_int_equal(count, sizeof order / sizeof order[0]);
}

TEST_BETWEEN(without_trials_there_are_no_cells, set_up, tear_down)
{
    assert_null(load_summary_next(&samples, NULL));
}

/* ------------------------------------------------------------------ the row */

TEST_BETWEEN(each_figure_has_its_columns, set_up, tear_down)
{
    static const struct load_options options;
    const struct load_context context = {"run1", "ensemble3", 3, &options};
    const struct load_cell cell = cell_of(100, 5000, 8);
    const struct load_summary summary = {.cell = &cell,
                                         .trials = 9,
                                         .valid = 8,
                                         .driver_bound = 1,
                                         .errors = 10,
                                         .offered_per_s = {14, 15, NAN},
                                         .achieved_per_s = {11, 12, 13},
                                         .response_p50_us = {21, 22, 23},
                                         .response_p99_us = {31, 32, 33},
                                         .service_p50_us = {41, 42, 43},
                                         .service_p99_us = {51, NAN, NAN},
                                         .client_cores = {61, 62, 63},
                                         .server_cores = {NAN, NAN, NAN}};
    static const char *const expected[][2] = {
        {"run", "run1"},
        {"target", "ensemble3"},
        {"servers", "3"},
        {"mix", "get=100"},
        {"reads_percent", "100"},
        {"sessions", "8"},
        {"rate_per_s", "5000"},
        {"trials", "9"},
        {"valid", "8"},
        {"driver_bound", "1"},
        {"errors", "10"},
        {"offered_per_s", "14.00"},
        {"offered_per_s_low", "15.00"},
        {"offered_per_s_high", ""},
        {"achieved_per_s", "11.00"},
        {"achieved_per_s_low", "12.00"},
        {"achieved_per_s_high", "13.00"},
        {"response_p50_us", "21.0"},
        {"response_p99_us_low", "32.0"},
        {"service_p50_us_high", "43.0"},
        {"service_p99_us", "51.0"},
        {"service_p99_us_low", ""},
        {"client_cores", "61.000"},
        {"server_cores", ""},
    };
    char *row = NULL;
    size_t size;
    struct csv csv = {.stream = open_memstream(&row, &size)};
    (void)state;
    assert_non_null(csv.stream);
    load_summary_write(&summary, &context, &csv);
    fclose(csv.stream);
    assert_fields(load_summary_columns, row);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_field(load_summary_columns, row, expected[i][0], expected[i][1]);
    free(row);
}
