// SPDX-License-Identifier: Apache-2.0
/*
 * terminal: the width of the terminal and what it can show; text broken into its lines; a number
 * as a horizontal bar. Layer: bench/cli.
 */
#ifndef BENCH_CLI_TERMINAL_H
#define BENCH_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The width, in columns, of what is no terminal: a file, a pipe. */
#define TERMINAL_COLUMNS 80

/* Clears the present line, and goes to its first column. */
#define TERMINAL_CLEAR_LINE "\r\033[K"

/* Colours of what follows; the words must say the same. */
#define TERMINAL_GREEN  "\033[1;32m"
#define TERMINAL_RED    "\033[1;31m"
#define TERMINAL_YELLOW "\033[1;33m"
#define TERMINAL_PLAIN  "\033[0m"

/* The present width of the terminal of a descriptor, in columns; a user may change the width at any
 * time. TERMINAL_COLUMNS if the descriptor is no terminal, or the width is not known. */
unsigned terminal_columns(int descriptor);

/* What an output can be sent besides text: nothing unless it is a terminal of a kind ($TERM) that
 * is not "dumb"; no colours if $NO_COLOR is set and not empty. */
struct terminal_abilities {
    bool controls; /* TERMINAL_CLEAR_LINE, and other control sequences */
    bool colours;
};
struct terminal_abilities terminal_abilities(int descriptor);

/* Write a text (UTF-8) and a line feed, in lines of 80 columns. Every line has an indent of
 * `indent` columns, and the caller has written that of the first line; or it begins in the first
 * column, and the other lines are indented; so does that of a format, which is cut behind 2,000
 * bytes. */
void wrap_write(const char *text, size_t indent, FILE *stream);
void wrap_hanging(const char *text, FILE *stream);
void wrap_sentence(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define BAR_COLUMNS_MAX 80
#define BAR_SIZE        (BAR_COLUMNS_MAX + 1)

/* Puts a bar of '#' into `text`, as long as the value to the nearest column: `most` is `columns` (1
 * to BAR_COLUMNS_MAX) long, and nothing is longer; less than half a column is a '.'. "" if the
 * value or `most` is not a number above 0. Returns text. */
const char *bar_format(double value, double most, size_t columns, char text[BAR_SIZE]);

#endif
