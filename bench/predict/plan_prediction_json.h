// SPDX-License-Identifier: Apache-2.0
/*
 * plan_prediction_json: what `zkherd plan --predict --json` and `--validate --json` print. Layer:
 * bench/predict.
 *
 * Invariant: the keys are those of docs/schema/plan-prediction.schema.json; those of a cell are
 * columns of predict.csv and validate.csv.
 */
#ifndef BENCH_PREDICT_PLAN_PREDICTION_JSON_H
#define BENCH_PREDICT_PLAN_PREDICTION_JSON_H

#include "bench/predict/plan_prediction_cells.h"

/* Writes one object. folder: that of the file. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_prediction_json_write(const struct plan_prediction_cells *cells,
                                                      const char *folder, FILE *stream,
                                                      struct error *error);

#endif
