// SPDX-License-Identifier: Apache-2.0
/*
 * table1_text: Table 1 for people: ours beside the paper's, the judged shape, and what differs from
 * the paper's plan. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_TABLE1_TEXT_H
#define BENCH_PAPER_TABLE1_TEXT_H

#include "bench/paper/table1.h"

#include <stdio.h>

/* Writes all of it, for a terminal of so many columns. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind table1_text_write(const struct table1 *table,
                                             const struct load_options *options, unsigned columns,
                                             FILE *stream, struct error *error);

/* Complains about each judgement that does not hold: for those who do not see the table. */
void table1_text_complain(const struct table1 *table);

#endif
