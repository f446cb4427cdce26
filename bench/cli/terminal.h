// SPDX-License-Identifier: Apache-2.0
/*
 * terminal: the width of the terminal, and how a line of it is cleared. Layer: bench/cli.
 */
#ifndef BENCH_CLI_TERMINAL_H
#define BENCH_CLI_TERMINAL_H

/* The width, in columns, of what is no terminal: a file, a pipe. */
#define TERMINAL_COLUMNS 80

/* Clears the present line, and goes to its first column. */
#define TERMINAL_CLEAR_LINE "\r\033[K"

/* The present width of the terminal of a descriptor, in columns; a user may change the width at any
 * time. TERMINAL_COLUMNS if the descriptor is no terminal, or the width is not known. */
unsigned terminal_columns(int descriptor);

#endif
