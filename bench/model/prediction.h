// SPDX-License-Identifier: Apache-2.0
/*
 * prediction: the times of a drain that was not measured, by the simulation with calibrated costs.
 * Layer: bench/model.
 *
 * The interval is to cover, in 95 of 100 cases, the geometric mean of so many trials. Its width has
 * three parts, as variances of logarithms: that of the costs (drawn from their covariance and
 * simulated again), what the simulation did not explain of the calibration's cells, and the scatter
 * of trials.
 *
 * Invariant: the same basis, cell and servers have the same prediction.
 */
#ifndef BENCH_MODEL_PREDICTION_H
#define BENCH_MODEL_PREDICTION_H

#include "bench/model/costs_file.h"
#include "bench/model/drain.h"
#include "measure/statistics.h"

#include <stdbool.h>
#include <stdint.h>

struct prediction_basis {
    const struct costs_file *costs;
    uint32_t draws;  /* of the costs, at least 2 */
    uint32_t trials; /* of which the mean is predicted */
    uint64_t seed;   /* of the draws */
    int interrupts;  /* readable when the prediction is to be given up; -1: never */
};

struct prediction {
    struct interval times_s[DRAIN_TIMES]; /* NaN: there is no such time */
};

/* On so many servers. Errors of drain_expect. */
MUST_CHECK enum error_kind prediction_make(const struct prediction_basis *basis,
                                           const struct drain_cell *cell, unsigned servers,
                                           struct prediction *prediction, struct error *error);

/* Whether a measured time lies in the interval; true on its ends. */
bool prediction_covers(const struct interval *predicted, double measured_s);

#endif
