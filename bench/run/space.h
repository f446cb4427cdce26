// SPDX-License-Identifier: Apache-2.0
/*
 * space: whether there is room for what a run writes, before it begins. Layer: bench/run.
 *
 * What is refused would certainly fail: the files take at least what is reckoned here. Others may
 * fill the disk while the run goes on; that is found when it happens.
 */
#ifndef BENCH_RUN_SPACE_H
#define BENCH_RUN_SPACE_H

#include "base/error.h"
#include "bench/cli/options.h"

/* ERROR_NO_SPACE, with the numbers, if the file system of the results' folder, which need not be
 * there yet, or the limit of a file's size (ulimit -f) has less room than the results take. */
MUST_CHECK enum error_kind space_check(const struct options *options, struct error *error);

#endif
