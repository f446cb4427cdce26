// SPDX-License-Identifier: Apache-2.0
/*
 * claims_table: a claim and what became of it, for the terminal and for claims.csv. Layer:
 * bench/claims.
 */
#ifndef BENCH_CLAIMS_CLAIMS_TABLE_H
#define BENCH_CLAIMS_CLAIMS_TABLE_H

#include "bench/claims/claim.h"
#include "measure/csv.h"

#include <stdio.h>

/* The columns of claims.csv, and a claim's row. */
extern const char claims_table_columns[];
void claims_table_write_row(const struct claim *claim, const struct finding *finding,
                            struct csv *csv);

/* Its id, its verdict and its words, and below them a part for each other column. */
void claims_table_write(const struct claim *claim, const struct finding *finding, FILE *stream);

/* To stderr, one line if it does not hold. */
void claims_table_complain(const struct claim *claim, const struct finding *finding);

#endif
