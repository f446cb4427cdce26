// SPDX-License-Identifier: Apache-2.0
/*
 * claim: the claims about locks and ensembles that are tried on real servers. Layer: bench/claims.
 *
 * A claim is an entry of the catalogue (bench/claims/catalogue.h): its words, recipes or numbers of
 * servers, and an experiment. The experiment is a function that runs trials, computes what the
 * claim predicts, and compares the two. A test can give the experiment a lock, or servers, for
 * which the claim is false, and check that the claim fails.
 */
#ifndef BENCH_CLAIMS_CLAIM_H
#define BENCH_CLAIMS_CLAIM_H

#include "base/error.h"
#include "bench/claims/finding.h"
#include "bench/claims/testbed.h"
#include "recipes/recipe.h"

#include <stdint.h>

#define CLAIM_RECIPES_MAX 6

struct claim;

/* Runs the experiment of a claim, and fills in the finding, which is all zero before. Errors of
 * trial_run. */
typedef enum error_kind experiment_function(const struct claim *claim, struct testbed *testbed,
                                            struct finding *finding, struct error *error);

struct claim {
    const char *id; /* "C1"; a number is never used again */
    const char *statement;
    const char *source;
    experiment_function *experiment;
    /* In the order that the experiment expects; the rest are NULL. */
    const struct recipe *recipes[CLAIM_RECIPES_MAX];
    /* Of a claim about private ensembles side by side: how many servers each has; else 0. */
    uint64_t servers[2];
};

#endif
