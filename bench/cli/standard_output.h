// SPDX-License-Identifier: Apache-2.0
/*
 * standard_output: whether the printed text has reached its destination. Layer: bench/cli.
 */
#ifndef BENCH_CLI_STANDARD_OUTPUT_H
#define BENCH_CLI_STANDARD_OUTPUT_H

#include "base/error.h"

/* Flushes stdout. An error is returned once only. ERROR_UNREAD: stdout is a pipe whose reader has
 * closed it, as head does; ERROR_NO_SPACE, ERROR_SYSTEM. */
MUST_CHECK enum error_kind standard_output_flush(struct error *error);

/* Checks stdout before a long run, and prints nothing. ERROR_NO_OUTPUT if stdout is closed, or open
 * for reading only; ERROR_NO_SPACE if stdout is a file on a full disk, or /dev/full; ERROR_UNREAD
 * if stdout is a pipe whose reader has gone. */
MUST_CHECK enum error_kind standard_output_check(struct error *error);

/* At the start of the program: opens /dev/null for reading in place of each of the three standard
 * descriptors that is closed, so that no file or connection gets the number of one of them. */
void standard_output_guard(void);

#endif
