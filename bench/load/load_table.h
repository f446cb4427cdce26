// SPDX-License-Identifier: Apache-2.0
/*
 * load_table: the results of a load: a table, sentences on what was not valid, and JSON. Layer:
 * bench/load.
 */
#ifndef BENCH_LOAD_LOAD_TABLE_H
#define BENCH_LOAD_LOAD_TABLE_H

#include "bench/output/load_record.h"

#include <jansson.h>
#include <stdio.h>

/* Writes the table, with a row for each cell, for a terminal of so many columns; a mix that all
 * rows share is on a line above. A column without a value in any row is left out, and so are, if
 * the table is too wide, first errors that are 0, then the interval, the service time and errors.
 */
void load_table_write(const struct table *rows, const struct load_options *options,
                      unsigned columns, FILE *stream);

/* A new list of the cells, in the order of the table, with the keys of
 * docs/schema/load.schema.json; json_decref frees. */
json_t *load_table_json(const struct table *rows);

/* Prints the table of a record to stdout, with a row for each cell, and what is not valid to
 * stderr. */
void load_table_tell(const struct load_record *record);

#endif
