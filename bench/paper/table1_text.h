// SPDX-License-Identifier: Apache-2.0
/*
 * table1_text: Table 1 for people: ours beside the paper's. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_TABLE1_TEXT_H
#define BENCH_PAPER_TABLE1_TEXT_H

#include "bench/paper/table1.h"

#include <stdio.h>

/* For struct paper_results: the figures, and below the judgements the trials that do not count and
 * what differs from the paper's plan. table: a struct table1. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table1_text_print(const void *table, const struct load_options *options,
                                             unsigned columns, FILE *stream, struct error *error);
void table1_text_explain(const void *table, const struct load_options *options, FILE *stream);

#endif
