// SPDX-License-Identifier: Apache-2.0
/*
 * interruption: what an interrupted subcommand says that it keeps. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_INTERRUPTION_H
#define BENCH_OUTPUT_INTERRUPTION_H

#include "base/error.h"

#include <stddef.h>

/* Words an ERROR_INTERRUPTED that some request or trial has raised for the whole subcommand: so
 * many of the planned pieces are kept. piece: "trial" or "claim". Leaves any other error as it is.
 */
void interruption_reword(struct error *error, const char *subcommand, const char *piece,
                         size_t kept, size_t planned);

#endif
