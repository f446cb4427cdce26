// SPDX-License-Identifier: Apache-2.0
/*
 * wrap: words in lines of 80 columns. Layer: bench/cli.
 */
#ifndef BENCH_CLI_WRAP_H
#define BENCH_CLI_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Writes words (UTF-8), and the end of the last line. Lines begin with an indent of so many
 * columns: the first one's is there already. */
void wrap_write(const char *text, size_t indent, FILE *stream);

/* Writes words from the first column on; the lines after the first are indented a little. */
void wrap_hanging(const char *text, FILE *stream);

/* The same of a sentence yet to be put together, at most 2,000 bytes of it. */
void wrap_sentence(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
