// SPDX-License-Identifier: Apache-2.0
/*
 * standard_output: whether what was printed has come to where it goes. Layer: bench.
 */
#ifndef BENCH_STANDARD_OUTPUT_H
#define BENCH_STANDARD_OUTPUT_H

#include "base/fault.h"

/* Writes out what is left. A fault that was told is not one again. FAULT_UNREAD: it is a pipe that
 * is closed, as when head has seen enough; FAULT_NO_SPACE, FAULT_SYSTEM. */
MUST_CHECK enum fault_kind standard_output_flush(struct fault *fault);

#endif
