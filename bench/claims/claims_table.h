// SPDX-License-Identifier: Apache-2.0
/*
 * claims_table: a claim and its finding, for the terminal and for claims.csv. Layer: bench/claims.
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

/* Writes id, verdict and words of a claim, and below them a paragraph for each other column. */
void claims_table_write(const struct claim *claim, const struct finding *finding, FILE *stream);

/* Writes a line to stderr if the claim does not hold. */
void claims_table_complain(const struct claim *claim, const struct finding *finding);

#endif
