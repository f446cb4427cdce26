// SPDX-License-Identifier: Apache-2.0
/*
 * wrap: breaks text between words into lines of 80 columns. Layer: bench/cli.
 */
#ifndef BENCH_CLI_WRAP_H
#define BENCH_CLI_WRAP_H

#include <stddef.h>
#include <stdio.h>

/* Writes a text (UTF-8) and a line feed. Every line has an indent of so many columns; the caller
 * has written that of the first line. */
void wrap_write(const char *text, size_t indent, FILE *stream);

/* Writes a text from the first column on; the lines after the first are indented. */
void wrap_hanging(const char *text, FILE *stream);

/* The same, from a format; a text longer than 2,000 bytes is cut. */
void wrap_sentence(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
