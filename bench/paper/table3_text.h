// SPDX-License-Identifier: Apache-2.0
/*
 * table3_text: Table 3 for people: ours beside the paper's. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_TABLE3_TEXT_H
#define BENCH_PAPER_TABLE3_TEXT_H

#include "bench/paper/table3.h"

#include <stdio.h>

/* For struct paper_results: the figures, and below the judgements what a time is, when a growth
 * counts as linear, and what differs from the paper's plan. table: a struct table3.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table3_text_print(const void *table, const struct load_options *options,
                                             unsigned columns, FILE *stream, struct error *error);
void table3_text_explain(const void *table, const struct load_options *options, FILE *stream);

#endif
