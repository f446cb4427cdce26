// SPDX-License-Identifier: Apache-2.0
/*
 * load_table: the results of a load for people: a table, and sentences on what was not valid.
 * Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_TABLE_H
#define BENCH_LOAD_LOAD_TABLE_H

#include "bench/load/load_summary.h"

#include <stdio.h>

/* Writes a row for each cell, for a terminal of so many columns. ERROR_NO_MEMORY, and nothing is
 * written. */
MUST_CHECK enum error_kind load_table_write(const struct load_samples *samples,
                                            const struct load_options *options, unsigned columns,
                                            FILE *stream, struct error *error);

/* Complains about each trial that is not valid, or that the servers counted otherwise. where: the
 * text before each complaint. */
void load_table_complain(const struct load_samples *samples, const char *where);

#endif
