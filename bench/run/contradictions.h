// SPDX-License-Identifier: Apache-2.0
/*
 * contradictions: values of options of `zkherd run` that exclude each other. Layer: bench/run.
 *
 * Each value is allowed by itself (bench/cli/option_table.h). A recipe that cannot run with the
 * other options is a contradiction too.
 */
#ifndef BENCH_RUN_CONTRADICTIONS_H
#define BENCH_RUN_CONTRADICTIONS_H

#include "bench/cli/options.h"

#include <stdbool.h>

/* Whether there is a contradiction in complete options, defaults included; the first has been
 * reported. */
bool contradictions_found(const struct options *options);

#endif
