// SPDX-License-Identifier: Apache-2.0
/*
 * paper_json_cells: the cells of each experiment beside the paper's figures, for `zkherd paper
 * --json`. Layer: bench/paper.
 *
 * Invariant: the keys are those of docs/schema/paper.schema.json; but for the numbers of trials,
 * they are the columns of the experiment's CSV file.
 */
#ifndef BENCH_PAPER_PAPER_JSON_CELLS_H
#define BENCH_PAPER_PAPER_JSON_CELLS_H

#include <jansson.h>
#include <stddef.h>

/* Each is a new list of the cells on a topology; NULL without memory. `table` is a struct table1, …
 * (bench/paper/paper_results.h). */
json_t *paper_json_cells_table1(const void *table, size_t topology);
json_t *paper_json_cells_table2(const void *table, size_t topology);
json_t *paper_json_cells_table3(const void *table, size_t topology);

/* Of a struct figure8: its events, medians over the trials. */
json_t *paper_json_cells_figure8(const void *table, size_t topology);

#endif
