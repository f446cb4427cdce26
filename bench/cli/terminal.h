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

/* What may be written besides plain text. */
struct terminal_abilities {
    bool controls; /* TERMINAL_CLEAR_LINE, and other control sequences */
    bool colours;
    bool blocks; /* the block elements of Unicode, by eighths of a column */
};

/* What all that is known of an output allows: whether it is a terminal, $TERM and $NO_COLOR (NULL:
 * not set), the name of the locale's character set. A file, a pipe, and a terminal without a kind
 * or of the kind "dumb" get plain text only; one of the kind "linux", whose fonts lack most block
 * elements, gets no blocks. A value of $NO_COLOR but "" forbids colours. */
struct terminal_abilities terminal_judge(bool is_terminal, const char *term, const char *no_color,
                                         const char *charset);

/* The same of a descriptor, by the environment. The program's locale stays as it is. */
struct terminal_abilities terminal_abilities(int descriptor);

/* A formula in ASCII as an output can show it, its powers as signs (n²) unless it is a terminal
 * whose character set is not UTF-8. The caller's to free. */
char *terminal_spell_formula(const char *formula, FILE *stream);

/* Write a text (UTF-8) and a line feed, in lines of 80 columns; on such a terminal the signs of
 * zkherd beyond ASCII (n², ≥, …) are in ASCII (n^2, >=, ..). Every line has an indent of so many
 * columns, and the caller has written that of the first line; or it begins in the first column, and
 * the other lines are indented; so does that of a format, which is cut behind 2,000 bytes. */
void wrap_write(const char *text, size_t indent, FILE *stream);
void wrap_hanging(const char *text, FILE *stream);
void wrap_sentence(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define BAR_COLUMNS_MAX 80
#define BAR_SIZE        (BAR_COLUMNS_MAX * 3 + 1)

/* Puts a bar into `text`, as long as the value is to the nearest eighth of a column with block
 * elements, to the nearest column without: `most` is `columns` (1 to BAR_COLUMNS_MAX) long, and
 * nothing is longer. blocks: in block elements (UTF-8), at least an eighth of a column; else in
 * '#', and a value of less than half a column is a '.'. "" if the value or `most` is not a number
 * above 0. Returns text. */
const char *bar_format(double value, double most, size_t columns, bool blocks, char text[BAR_SIZE]);

#endif
