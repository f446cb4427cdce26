// SPDX-License-Identifier: Apache-2.0
/*
 * table2_text: Table 2 for people: ours beside the paper's. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_TABLE2_TEXT_H
#define BENCH_PAPER_TABLE2_TEXT_H

#include "bench/paper/table2.h"

#include <stdio.h>

/* For struct paper_results: the figures, and below the judgements what differs from the paper's
 * plan. table: a struct table2. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table2_text_print(const void *table, const struct load_options *options,
                                             unsigned columns, FILE *stream, struct error *error);
void table2_text_explain(const void *table, const struct load_options *options, FILE *stream);

#endif
