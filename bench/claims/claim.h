// SPDX-License-Identifier: Apache-2.0
/*
 * claim: the claims about locks that are tried on real servers. Layer: bench/claims.
 *
 * A claim is an entry of the catalogue (bench/claims/catalogue.h): its words, the recipes that its
 * experiment is made with, and the experiment, a function. That runs trials, computes what the
 * claim foretells, and holds the one against the other; it knows no verdict beforehand. What it is
 * made with is given to it, so that a test can give it a lock of which the claim is not true, and
 * see it fail.
 */
#ifndef BENCH_CLAIMS_CLAIM_H
#define BENCH_CLAIMS_CLAIM_H

#include "base/error.h"
#include "bench/claims/finding.h"
#include "bench/claims/testbed.h"
#include "recipes/recipe.h"

#define CLAIM_RECIPES_MAX 6

struct claim;

/* Tries the claim and fills in the finding, which was all zero. The errors of trial_run. */
typedef enum error_kind experiment_function(const struct claim *claim, struct testbed *testbed,
                                            struct finding *finding, struct error *error);

struct claim {
    const char *id; /* "C1"; numbers are not given twice */
    const char *statement;
    const char *source;
    experiment_function *experiment;
    /* What each of them is for is the experiment's to say; the rest are NULL. */
    const struct recipe *recipes[CLAIM_RECIPES_MAX];
};

#endif
