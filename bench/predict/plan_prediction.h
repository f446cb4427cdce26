// SPDX-License-Identifier: Apache-2.0
/*
 * plan_prediction: zkherd plan --predict and --validate: what the simulation with measured costs
 * predicts, and whether that is so. Layer: bench/predict.
 *
 * Invariant: a trial with which a prediction is compared begins after the prediction was made, and
 * is of no cell to which the costs were fitted.
 */
#ifndef BENCH_PREDICT_PLAN_PREDICTION_H
#define BENCH_PREDICT_PLAN_PREDICTION_H

/* argv[0] is "plan". Returns the exit status. */
int plan_prediction_main(int argc, char **argv);

#endif
