// SPDX-License-Identifier: Apache-2.0
/*
 * load_table: the results of a load for people: a table, and sentences on what was not valid.
 * Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_TABLE_H
#define BENCH_LOAD_LOAD_TABLE_H

#include "bench/output/load_record.h"

/* Prints the table of a record to stdout, with a row for each cell, and what is not valid to
 * stderr. ERROR_NO_MEMORY if the table is missing. */
MUST_CHECK enum error_kind load_table_tell(const struct load_record *record, struct error *error);

#endif
