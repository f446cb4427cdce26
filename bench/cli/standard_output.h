// SPDX-License-Identifier: Apache-2.0
/*
 * standard_output: whether what was printed has come to where it goes. Layer: bench/cli.
 */
#ifndef BENCH_CLI_STANDARD_OUTPUT_H
#define BENCH_CLI_STANDARD_OUTPUT_H

#include "base/error.h"

/* Writes out what is left. An error that was told is not one again. ERROR_UNREAD: it is a pipe that
 * is closed, as when head has seen enough; ERROR_NO_SPACE, ERROR_SYSTEM. */
MUST_CHECK enum error_kind standard_output_flush(struct error *error);

/* For before a long work: ERROR_NO_OUTPUT if nothing can be printed, as it is closed or open for
 * reading alone, ERROR_NO_SPACE if it goes to a file on a disk without room, or to /dev/full, and
 * ERROR_UNREAD if it is a pipe whose reader has gone. Nothing is printed. */
MUST_CHECK enum error_kind standard_output_check(struct error *error);

/* For the program's start: what is closed of its three standard descriptors becomes /dev/null, open
 * for reading, so that no file or connection is taken for one of them. */
void standard_output_guard(void);

#endif
