// SPDX-License-Identifier: Apache-2.0
#include "capacity/calibration.h"

#include "tests/support/test.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define COSTS       4
#define QUANTITIES  12
#define CHANCE_MOST 1.645 /* of a normal value: nine of ten are nearer */

/* How often each cost is paid in a quantity, as the requests of a drain are. */
static const double paid[QUANTITIES][COSTS] = {
    {8, 1, 0, 30}, {16, 1, 0, 90}, {32, 2, 4, 200}, {64, 2, 30, 400},
    {8, 9, 1, 0},  {16, 17, 9, 0}, {32, 33, 20, 0}, {64, 65, 90, 0},
    {1, 40, 0, 1}, {2, 80, 5, 3},  {3, 160, 20, 4}, {4, 320, 80, 9},
};
static const double truth[COSTS] = {350, 40, 25, 6};
static const struct calibration_prior priors[COSTS] = {{500, 1}, {30, 1}, {15, 1}, {9, 1}};

/* What the model does besides adding up what is paid. */
struct model_context {
    enum error_kind fails;
    double predicts; /* instead; 0: nothing */
    bool rough;      /* predictions come in steps of 2 % */
    bool forgets;    /* the last cost */
};

static double quantity(size_t i, const double *costs)
{
    double sum = 0;
    for (size_t j = 0; j < COSTS; j++)
        sum += paid[i][j] * costs[j];
    return sum;
}

static enum error_kind model(void *context, const double *costs, double *quantities,
                             struct error *error)
{
    const struct model_context *how = context;
    double known[COSTS];
    memcpy(known, costs, sizeof known);
    known[COSTS - 1] = how->forgets ? truth[COSTS - 1] : known[COSTS - 1];
    for (size_t i = 0; i < QUANTITIES; i++) {
        quantities[i] = how->predicts != 0 ? how->predicts : quantity(i, known);
        if (how->rough)
            quantities[i] = exp(0.02 * round(log(quantities[i]) / 0.02));
    }
    return how->fails == ERROR_NONE ? ERROR_NONE
                                    : error_raise(error, how->fails, 0, "model", "as told");
}

static double draw_normal(struct random *random)
{
    return gsl_cdf_ugaussian_Pinv((random_unit(random) + 1e-12) / (1 + 2e-12));
}

/* Measures everything with this scatter, and believes that the deviation is `believed`. */
static void measure(double scatter, double believed, struct random *random,
                    struct calibration_measured *measured)
{
    for (size_t i = 0; i < QUANTITIES; i++)
        measured[i] = (struct calibration_measured){
            quantity(i, truth) * exp(scatter * (scatter > 0 ? draw_normal(random) : 0)), believed};
}

static struct calibration_problem problem_of(const struct calibration_measured *measured,
                                             struct model_context *context)
{
    return (struct calibration_problem){priors, COSTS, measured, QUANTITIES, model, context};
}

static struct calibration fitted(const struct calibration_problem *problem)
{
    struct calibration calibration = {0};
    struct error error = {0};
    assert_int_equal(calibration_fit(problem, &calibration, &error), ERROR_NONE);
    assert_true(calibration.converged);
    return calibration;
}

static double off(const struct calibration *calibration, size_t j)
{
    return log(calibration->costs[j].value / truth[j]);
}

TEST(costs_are_found_again)
{
    struct model_context context = {0};
    struct calibration_measured measured[QUANTITIES];
    measure(0, 0.01, NULL, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    const struct calibration calibration = fitted(&problem);
    for (size_t j = 0; j < COSTS; j++) {
        assert_true(fabs(off(&calibration, j)) < 0.1 * calibration.costs[j].sd);
        assert_true(calibration.costs[j].determined);
    }
    assert_true(calibration.model_sd == 0);
    assert_true(calibration.runs < 150);
}

TEST(predictions_in_steps_do_no_harm)
{
    struct model_context context = {.rough = true};
    struct calibration_measured measured[QUANTITIES];
    measure(0, 0.02, NULL, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    const struct calibration calibration = fitted(&problem);
    for (size_t j = 0; j < COSTS; j++)
        assert_true(fabs(off(&calibration, j)) < 2 * calibration.costs[j].sd);
}

/* Nine of ten intervals hold the true cost, and nine of ten the next measurement. */
TEST(intervals_hold_what_they_should)
{
    enum { ROUNDS = 400 };
    struct random random;
    struct model_context context = {0};
    int costs_held = 0, next_held = 0;
    random_init(&random, 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct calibration_measured measured[QUANTITIES];
        measure(0.05, 0.05, &random, measured);
        const struct calibration_problem problem = problem_of(measured, &context);
        const struct calibration calibration = fitted(&problem);
        for (size_t j = 0; j < COSTS; j++)
            costs_held += fabs(off(&calibration, j)) < CHANCE_MOST * calibration.costs[j].sd;
        double next = quantity(3, truth) * 4 * exp(0.05 * draw_normal(&random));
        int below = 0;
        for (int draw = 0; draw < 100; draw++) {
            double costs[COSTS];
            calibration_draw(&calibration, &random, costs);
            double off = hypot(calibration.model_sd, 0.05) * draw_normal(&random);
            below += quantity(3, costs) * 4 * exp(off) < next;
        }
        next_held += below >= 5 && below <= 95;
    }
    assert_in_range(costs_held, ROUNDS * COSTS * 85 / 100, ROUNDS * COSTS * 95 / 100);
    assert_in_range(next_held, ROUNDS * 85 / 100, ROUNDS * 96 / 100);
}

/* A cost that the quantities do not depend on, and two that occur as a sum alone. */
TEST(what_is_not_determined_stays_at_its_prior)
{
    struct model_context context = {.forgets = true};
    struct calibration_measured measured[QUANTITIES];
    measure(0, 0.02, NULL, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    const struct calibration calibration = fitted(&problem);
    const struct calibration_cost *cost = &calibration.costs[COSTS - 1];
    assert_true(fabs(log(cost->value / priors[COSTS - 1].value)) < 1e-6);
    assert_true(fabs(cost->sd - priors[COSTS - 1].sd) < 1e-6);
    assert_false(cost->determined);
    assert_true(calibration.costs[0].determined);
    assert_true(fabs(off(&calibration, 0)) < 0.01);
}

static enum error_kind sum_model(void *context, const double *costs, double *quantities,
                                 struct error *error)
{
    (void)context;
    (void)error;
    quantities[0] = costs[0] + costs[1];
    quantities[1] = 2 * (costs[0] + costs[1]);
    return ERROR_NONE;
}

TEST(of_a_sum_only_the_sum_is_determined)
{
    static const struct calibration_prior two[] = {{100, 0.5}, {100, 0.5}};
    static const struct calibration_measured measured[] = {{300, 0.02}, {600, 0.02}};
    const struct calibration_problem problem = {two, 2, measured, 2, sum_model, NULL};
    const struct calibration calibration = fitted(&problem);
    double a = calibration.costs[0].value, b = calibration.costs[1].value;
    assert_true(fabs((a + b) / 300 - 1) < 0.02);
    assert_true(fabs(a / b - 1) < 0.01);
    assert_true(calibration.covariance[0][1] < 0);
    assert_false(calibration.costs[0].determined || calibration.costs[1].determined);
    /* Drawn sums scatter much less than what is summed. */
    enum { DRAWS = 1000 };
    struct random random;
    double squares = 0;
    random_init(&random, 2);
    for (int i = 0; i < DRAWS; i++) {
        double costs[2];
        calibration_draw(&calibration, &random, costs);
        squares += pow(log((costs[0] + costs[1]) / (a + b)), 2) / DRAWS;
    }
    assert_true(calibration.costs[0].sd > 0.3);
    assert_true(sqrt(squares) < 0.15);
}

TEST(a_known_cost_is_not_estimated)
{
    struct model_context context = {0};
    struct calibration_measured measured[QUANTITIES];
    struct calibration_prior some[COSTS];
    struct random random;
    double costs[COSTS];
    measure(0, 0.02, NULL, measured);
    memcpy(some, priors, sizeof some);
    some[1] = (struct calibration_prior){truth[1], 0};
    struct calibration_problem problem = problem_of(measured, &context);
    problem.priors = some;
    const struct calibration calibration = fitted(&problem);
    assert_true(calibration.costs[1].value == truth[1] && calibration.costs[1].sd == 0);
    assert_true(calibration.costs[1].determined);
    assert_true(calibration.covariance[1][1] == 0 && calibration.covariance[0][1] == 0);
    assert_true(fabs(off(&calibration, 2)) < 0.01);
    random_init(&random, 3);
    calibration_draw(&calibration, &random, costs);
    assert_true(costs[1] == truth[1] && costs[0] != calibration.costs[0].value);
}

/* The trials scatter by 2 %, and the model is wrong by 15 %. */
TEST(the_error_of_the_model_is_found)
{
    struct random random;
    struct model_context context = {0};
    double sum = 0;
    random_init(&random, 4);
    for (int i = 0; i < 50; i++) {
        struct calibration_measured measured[QUANTITIES];
        measure(0.15, 0.02, &random, measured);
        const struct calibration_problem problem = problem_of(measured, &context);
        const struct calibration calibration = fitted(&problem);
        sum += calibration.model_sd;
    }
    assert_true(fabs(sum / 50 - 0.15) < 0.02);
}

TEST(draws_have_the_covariance)
{
    enum { DRAWS = 20000 };
    struct random random;
    struct model_context context = {0};
    struct calibration_measured measured[QUANTITIES];
    double sums[COSTS][COSTS] = {{0}};
    random_init(&random, 5);
    measure(0.1, 0.1, &random, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    const struct calibration calibration = fitted(&problem);
    for (int draw = 0; draw < DRAWS; draw++) {
        double costs[COSTS], logs[COSTS];
        calibration_draw(&calibration, &random, costs);
        for (size_t j = 0; j < COSTS; j++)
            logs[j] = log(costs[j] / calibration.costs[j].value);
        for (size_t j = 0; j < COSTS * COSTS; j++)
            sums[j / COSTS][j % COSTS] += logs[j / COSTS] * logs[j % COSTS];
    }
    for (size_t j = 0; j < COSTS * COSTS; j++) {
        double scale = calibration.costs[j / COSTS].sd * calibration.costs[j % COSTS].sd;
        double expected = calibration.covariance[j / COSTS][j % COSTS];
        assert_true(fabs(sums[j / COSTS][j % COSTS] / DRAWS - expected) < 0.04 * scale);
    }
}

TEST(what_has_no_logarithm_is_refused)
{
    struct model_context context = {.predicts = NAN};
    struct calibration_measured measured[QUANTITIES];
    struct calibration calibration;
    struct error error = {0};
    measure(0, 0.02, NULL, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    assert_int_equal(calibration_fit(&problem, &calibration, &error), ERROR_USAGE);
    assert_string_equal(error.detail, "the model predicts nan for quantity 0");
}

TEST(an_error_of_the_model_ends_the_calibration)
{
    struct model_context context = {.fails = ERROR_NO_MEMORY};
    struct calibration_measured measured[QUANTITIES];
    struct calibration calibration = {.runs = 77};
    struct error error = {0};
    measure(0, 0.02, NULL, measured);
    const struct calibration_problem problem = problem_of(measured, &context);
    assert_int_equal(calibration_fit(&problem, &calibration, &error), ERROR_NO_MEMORY);
    assert_string_equal(error.detail, "as told");
    assert_int_equal(calibration.runs, 77);
}
