// SPDX-License-Identifier: Apache-2.0
#include "bench/model/prediction.h"

#include "base/random.h"

#include <math.h>

/* Sums over the draws of the logarithms of a time. */
struct moments {
    double sum, squares;
};

static double variance_of(const struct moments *moments, double count)
{
    double mean = moments->sum / count;
    return fmax(0, moments->squares / count - mean * mean) * count / (count - 1);
}

/* Each draw has a seed of its own, and none of those of drain_expect. */
static enum error_kind simulate_draws(const struct prediction_basis *basis,
                                      const struct drain_cell *cell, unsigned servers,
                                      struct moments moments[DRAIN_TIMES], struct error *error)
{
    struct sim_options options = costs_file_simulation(basis->costs, servers);
    struct random random;
    random_init(&random, basis->seed);
    for (uint32_t i = 0; i < basis->draws; i++) {
        double list_ns[CALIBRATION_COSTS_MAX] = {0}, times_s[DRAIN_TIMES] = {0};
        calibration_draw(&basis->costs->fit, &random, list_ns);
        options.costs = cost_list_give(list_ns);
        enum error_kind kind =
            drain_simulate(&options, cell, DRAIN_SEEDS + 1 + i, basis->interrupts, times_s, error);
        if (kind != ERROR_NONE)
            return kind;
        for (enum drain_time time = 0; time < DRAIN_TIMES; time++) {
            moments[time].sum += log(times_s[time]);
            moments[time].squares += pow(log(times_s[time]), 2);
        }
    }
    return ERROR_NONE;
}

static struct interval widen(const struct prediction_basis *basis, enum drain_time time,
                             double value_s, double variance)
{
    const struct costs_file *costs = basis->costs;
    double all =
        variance + pow(costs->fit.model_sd, 2) + pow(costs->trial_sd[time], 2) / basis->trials;
    double width = exp(statistics_t(0.95, basis->draws - 1) * sqrt(all));
    return (struct interval){value_s, value_s / width, value_s * width};
}

enum error_kind prediction_make(const struct prediction_basis *basis, const struct drain_cell *cell,
                                unsigned servers, struct prediction *prediction,
                                struct error *error)
{
    const struct sim_options options = costs_file_simulation(basis->costs, servers);
    struct moments moments[DRAIN_TIMES] = {{0}};
    double times_s[DRAIN_TIMES];
    enum error_kind kind = drain_expect(&options, cell, basis->interrupts, times_s, error);
    if (kind == ERROR_NONE)
        kind = simulate_draws(basis, cell, servers, moments, error);
    if (kind != ERROR_NONE)
        return kind;
    for (enum drain_time time = 0; time < DRAIN_TIMES; time++)
        prediction->times_s[time] =
            widen(basis, time, times_s[time], variance_of(&moments[time], basis->draws));
    return ERROR_NONE;
}

bool prediction_covers(const struct interval *predicted, double measured_s)
{
    return measured_s >= predicted->low && measured_s <= predicted->high;
}
