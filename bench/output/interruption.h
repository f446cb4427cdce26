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

/* From here on, until signals_block, SIGINT, SIGHUP and SIGTERM end the program with that sentence
 * and status: nothing is kept, because nothing has been made. A signal that the program was started
 * to ignore stays ignored. */
void interruption_ends_program(const char *subcommand, const char *piece);

/* Such an end discards this folder, which the program has just made; discard may do what a signal
 * handler may do. */
void interruption_discards(const char *folder, void (*discard)(const char *folder));

#endif
