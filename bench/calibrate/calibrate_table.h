// SPDX-License-Identifier: Apache-2.0
/* calibrate_table: what `zkherd calibrate` prints. Layer: bench/calibrate. */
#ifndef BENCH_CALIBRATE_CALIBRATE_TABLE_H
#define BENCH_CALIBRATE_CALIBRATE_TABLE_H

#include "base/error.h"
#include "bench/model/costs_file.h"

#include <stdio.h>

/* The costs with their intervals, the cells as measured and as fitted, and what the model does not
 * explain. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind calibrate_table_write(const struct costs_file *costs, FILE *stream,
                                                 struct error *error);

#endif
