// SPDX-License-Identifier: Apache-2.0
/*
 * calibration: costs that are estimated from measurements. Layer: capacity.
 *
 * A model predicts quantities from costs, as a simulation predicts the times of drains. The
 * estimates are those whose predictions come nearest to the measured quantities, by weighted least
 * squares of logarithms: all costs and quantities are positive, and errors are relative.
 *
 * Measurements may not determine every cost, or only a sum of some. Therefore each cost has a
 * prior: a value, and how far from it the cost may well be. Its distance from the prior counts like
 * the residual of a measurement.
 *
 * No model is exact. If its residuals are larger than the scatter of the trials explains, the
 * difference is attributed to the model: `model_sd` (Paule and Mandel, J. Res. Natl. Bur. Stand.
 * 87, 1982, with the effective number of costs in place of one mean). It widens all intervals.
 *
 * The method is that of Levenberg and Marquardt, with central differences over steps of
 * CALIBRATION_STEP, far above the noise of a simulation. It is GSL's, which ends the program where
 * it has no memory.
 *
 * Invariant: the same problem gives the same result.
 */
#ifndef CAPACITY_CALIBRATION_H
#define CAPACITY_CALIBRATION_H

#include "base/error.h"
#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>

#define CALIBRATION_COSTS_MAX 16
#define CALIBRATION_STEP      0.1 /* of a logarithm, to either side */

/* A standard deviation of the logarithm is meant wherever a name ends in _sd. */
struct calibration_prior {
    double value; /* > 0 */
    double sd;    /* > 0; or 0: the cost is known, and not estimated. At least one is not */
};

struct calibration_measured {
    double value; /* > 0, such as the geometric mean over trials */
    double sd;    /* > 0: of this value, from the scatter over trials */
};

/* Predicts all quantities from the costs, in the order of the measured ones. Each must become
 * positive. An error ends the calibration. The same costs must give the same quantities. */
typedef enum error_kind calibration_model(void *context, const double *costs, double *quantities,
                                          struct error *error);

struct calibration_problem {
    const struct calibration_prior *priors;
    size_t cost_count; /* 1 to CALIBRATION_COSTS_MAX */
    const struct calibration_measured *measured;
    size_t measured_count; /* at least 1 */
    calibration_model *model;
    void *context;
};

struct calibration_cost {
    double value;
    double sd;
    bool determined; /* the measurements say more about it than its prior: sd is below half of the
                        prior's. Always true for a cost that is known */
};

struct calibration {
    size_t cost_count;
    struct calibration_cost costs[CALIBRATION_COSTS_MAX];
    /* The covariance of the costs' logarithms; rows and columns of known costs are 0. */
    double covariance[CALIBRATION_COSTS_MAX][CALIBRATION_COSTS_MAX];
    double model_sd; /* what the scatter of the trials does not explain; 0: nothing */
    size_t runs;     /* of the model */
    bool converged;  /* else the search ended at its limit of steps */
};

/* Estimates the costs. Errors: ERROR_USAGE (a quantity that the model predicts is not positive),
 * those of the model. */
MUST_CHECK enum error_kind calibration_fit(const struct calibration_problem *problem,
                                           struct calibration *calibration, struct error *error);

/* Whether the covariance can be one: its rows of known costs are 0, and the rest is positive
 * definite. Always true of what calibration_fit has estimated. */
bool calibration_can_draw(const struct calibration *calibration);

/* Draws costs (cost_count of them) from the distribution of the estimates: log-normal, with the
 * covariance, which must be one. The model, run with many such draws, gives the uncertainty of a
 * prediction. */
void calibration_draw(const struct calibration *calibration, struct random *random, double *costs);

#endif
