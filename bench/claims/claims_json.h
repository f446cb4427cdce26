// SPDX-License-Identifier: Apache-2.0
/*
 * claims_json: what `zkherd claims --json` prints. Layer: bench/claims.
 *
 * Invariant: the keys are those of docs/schema/claims.schema.json.
 */
#ifndef BENCH_CLAIMS_CLAIMS_JSON_H
#define BENCH_CLAIMS_CLAIMS_JSON_H

#include "bench/claims/claim.h"

#include <jansson.h>
#include <stdio.h>

/* What is beside the claims. */
struct claims_json_end {
    size_t planned; /* claims that were to be tried */
    size_t finished;
    const unsigned *verdicts;  /* the number of claims of each verdict */
    enum error_kind cut_short; /* why not all were tried; ERROR_NONE: they were */
    const char *folder;
};

/* A claim with its finding, for the list of claims_json_write; NULL without memory. */
json_t *claims_json_claim(const struct claim *claim, const struct finding *finding);

/* Writes one object with this list, which stays the caller's. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind claims_json_write(json_t *claims, const struct claims_json_end *end,
                                             FILE *stream, struct error *error);

#endif
