// SPDX-License-Identifier: Apache-2.0
/* Predicted drains: their intervals, the verdict on what was measured, the table and the file. */

#include "bench/model/internal.h"
#include "recipes/registry.h"
#include "sim/sim.h"

#include "tests/support/test.h"

#include <math.h>

static struct costs_file costs;
static struct error error;
static const struct drain_cell cell = {&recipe_scalable, 8, 1};

/* The costs of the simulation's default, all known but that of a sync. */
static void make_costs(double sync_sd)
{
    const struct sim_options options = sim_options_default();
    double list_ns[COST_LIST_COUNT];
    costs = (struct costs_file){.holds_for.server_count = 1,
                                .cell_count = 1,
                                .cells = {{.drain = {&recipe_scalable, 4, 1}}}};
    cost_list_take(&options.costs, list_ns);
    costs.fit.cost_count = COST_LIST_COUNT;
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        costs.fit.costs[i].value = fmax(1, list_ns[i]);
    costs.fit.costs[COST_LIST_sync].sd = sync_sd;
    costs.fit.covariance[COST_LIST_sync][COST_LIST_sync] = sync_sd * sync_sd;
}

/* Half of the interval, as a logarithm. */
static double width_of(uint32_t trials, struct interval *predicted)
{
    const struct prediction_basis basis = {
        .costs = &costs, .draws = 20, .trials = trials, .seed = 1, .interrupts = -1};
    struct interval predicted_s[DRAIN_TIMES];
    assert_int_equal(prediction_make(&basis, &cell, 1, predicted_s, &error), ERROR_NONE);
    *predicted = predicted_s[DRAIN_TOTAL];
    return log(predicted->high / predicted->value);
}

TEST(a_simulation_is_a_function_of_the_costs)
{
    const struct sim_options options = sim_options_default();
    double once_s[DRAIN_TIMES], twice_s[DRAIN_TIMES];
    assert_int_equal(drain_expect(&options, &cell, -1, once_s, &error), ERROR_NONE);
    assert_int_equal(drain_expect(&options, &cell, -1, twice_s, &error), ERROR_NONE);
    assert_memory_equal(once_s, twice_s, sizeof once_s);
    /* A handoff waits for a sync at least, and eight clients hand over seven times. */
    assert_true(once_s[DRAIN_HANDOFF] > 350e-6);
    assert_true(once_s[DRAIN_TOTAL] > 7 * once_s[DRAIN_HANDOFF] * 0.9);
}

TEST(the_interval_has_what_is_not_known)
{
    struct interval predicted;
    make_costs(0);
    assert_true(width_of(1, &predicted) < 0.05); /* the jitter alone */
    costs.fit.model_sd = 0.2;
    double t = statistics_t(0.95, 19), by_model = width_of(1, &predicted);
    assert_true(fabs(by_model - t * 0.2) < 0.01);
    costs.trial_sd[DRAIN_TOTAL] = 0.4;
    assert_true(fabs(width_of(4, &predicted) - t * sqrt(0.08)) < 0.01);
    costs.fit.model_sd = costs.trial_sd[DRAIN_TOTAL] = 0;
    make_costs(0.3);
    double by_costs = width_of(1, &predicted);
    assert_true(by_costs > 0.1 && by_costs < t * 0.5);
    assert_true(fabs(log(predicted.value / predicted.low) - by_costs) < 1e-9);
}

TEST(a_longer_sync_takes_longer)
{
    struct interval before, after;
    make_costs(0);
    width_of(1, &before);
    costs.fit.costs[COST_LIST_sync].value *= 4;
    width_of(1, &after);
    assert_true(after.value > 2 * before.value);
}

/* ------------------------------------------------------------------ measured cells */

#define CELLS 5

static struct prediction_cell list[CELLS];
static struct prediction_cells cells;

/* Ten times, of which so many are covered. */
static void measure(size_t covered)
{
    make_costs(0);
    cells = (struct prediction_cells){"c.json", &costs, true, list, CELLS};
    for (size_t i = 0; i < CELLS; i++) {
        list[i] = (struct prediction_cell){.drain = {&recipe_scalable, (uint32_t)(10 * (i + 1)), 1},
                                           .servers = 1,
                                           .predicted_s = {{2e-3, 1e-3, 4e-3}, {2e-3, 1e-3, 4e-3}},
                                           .measured = {5, {2.5e-3, 2.5e-3}}};
        for (size_t time = 0; time < DRAIN_TIMES; time++) {
            if (DRAIN_TIMES * i + time >= covered)
                list[i].measured.times_s[time] = 5e-3;
        }
    }
}

TEST(eight_of_ten_must_be_covered)
{
    measure(8);
    struct prediction_score score = prediction_cells_score(&cells);
    assert_int_equal(score.covered, 8);
    assert_int_equal(score.count, 10);
    assert_true(score.passes);
    assert_true(fabs(score.worst - 0.6) < 1e-9);
    measure(7);
    assert_false(prediction_cells_score(&cells).passes);
    list[4].measured.times_s[DRAIN_HANDOFF] = NAN; /* without this, seven of nine: still too few */
    score = prediction_cells_score(&cells);
    assert_int_equal(score.count, 9);
    assert_false(score.passes);
    cells.count = 0;
    assert_false(prediction_cells_score(&cells).passes);
}

TEST(the_ends_of_an_interval_are_covered)
{
    measure(10);
    list[0].measured = (struct drain_summary){5, {1e-3, 4e-3}};
    list[1].measured = (struct drain_summary){5, {0.999e-3, 4.001e-3}};
    assert_int_equal(prediction_cells_score(&cells).covered, 8);
}

static char *text;

static void print(void)
{
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    prediction_cells_print(&cells, stream);
    assert_int_equal(fclose(stream), 0);
}

static void assert_printed(const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' is not in:\n%s", words, text);
}

TEST(the_table_has_both_sides)
{
    measure(7);
    print();
    assert_printed("recipe    clients  servers  ms           predicted  95 % interval  measured  "
                   "covered\n");
    assert_printed("scalable       10        1  drain             2.00      1.00-4.00      2.50  "
                   "yes\n");
    assert_printed("scalable       50        1  handoff p50       2.00      1.00-4.00      5.00  "
                   "NO\n");
    assert_printed("7 of 10 intervals cover what was measured: FAILS");
    assert_printed("60 %");
    free(text);
}

TEST(a_prediction_says_what_was_not_measured)
{
    measure(0);
    cells.validates = false;
    cells.count = 1;
    list[0].measured = (struct drain_summary){0};
    list[0].servers = 3;
    print();
    assert_null(strstr(text, "measured  covered"));
    assert_printed("fitted to at most 4 clients, on 1 server.");
    assert_printed("numbers of servers were not measured.");
    assert_null(strstr(text, "some of these recipes"));
    free(text);
}

TEST(the_file_has_a_row_for_each_time)
{
    size_t size;
    measure(1);
    list[1].measured = (struct drain_summary){0};
    struct csv csv = {.stream = open_memstream(&text, &size)};
    prediction_cells_write(&cells, &csv);
    assert_int_equal(fclose(csv.stream), 0);
    assert_printed("costs,recipe,clients,locks,servers,time,predicted_s,low_s,high_s,trials,"
                   "measured_s,covered\n"
                   "c.json,scalable,10,1,1,drain,0.002000000,0.001000000,0.004000000,5,"
                   "0.002500000,yes\n"
                   "c.json,scalable,10,1,1,handoff_p50,0.002000000,0.001000000,0.004000000,5,"
                   "0.005000000,no\n"
                   "c.json,scalable,20,1,1,drain,0.002000000,0.001000000,0.004000000,,,\n");
    free(text);
}
