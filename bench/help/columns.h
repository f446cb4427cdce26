// SPDX-License-Identifier: Apache-2.0
/* columns: what docs/files.md says of a column. Layer: bench/help. */
#ifndef BENCH_HELP_COLUMNS_H
#define BENCH_HELP_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

/* Writes a sentence for each file that has a column of this name, with the file's name before it.
 * Returns how many. */
size_t columns_print(const char *name, FILE *stream);

#endif
