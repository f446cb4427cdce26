// SPDX-License-Identifier: Apache-2.0
/*
 * terminal: how wide the terminal is, and its lines. Layer: bench/cli.
 */
#ifndef BENCH_CLI_TERMINAL_H
#define BENCH_CLI_TERMINAL_H

/* The columns of whatever has no width of its own: a file, a pipe. */
#define TERMINAL_COLUMNS 80

/* Takes the present line of a terminal away: what follows begins it anew. */
#define TERMINAL_CLEAR_LINE "\r\033[K"

/* The columns of the terminal behind a descriptor, as wide as it is at the moment: ask each time
 * before writing. TERMINAL_COLUMNS if it is no terminal, or one that does not know its width. */
unsigned terminal_columns(int descriptor);

#endif
