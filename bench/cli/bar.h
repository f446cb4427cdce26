// SPDX-License-Identifier: Apache-2.0
/*
 * bar: a number as a horizontal bar of text. Layer: bench/cli.
 *
 * Invariant: lengths are proportional to the numbers, to the nearest eighth of a column with block
 * elements, to the nearest column without; only what is not 0 never becomes 0.
 */
#ifndef BENCH_CLI_BAR_H
#define BENCH_CLI_BAR_H

#include <stdbool.h>
#include <stddef.h>

#define BAR_COLUMNS_MAX 80
#define BAR_SIZE        (BAR_COLUMNS_MAX * 3 + 1)

/* Puts a bar into `text`: `most` is `columns` (1 to BAR_COLUMNS_MAX) long, and nothing is longer.
 * blocks: in block elements (UTF-8), at least an eighth of a column; else in '#', and a value of
 * less than half a column is a '.'. "" if the value or `most` is not a number above 0. Returns
 * text. */
const char *bar_put(double value, double most, size_t columns, bool blocks, char text[BAR_SIZE]);

#endif
