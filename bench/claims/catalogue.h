// SPDX-License-Identifier: Apache-2.0
/* catalogue: the list of all claims. Layer: bench/claims. */
#ifndef BENCH_CLAIMS_CATALOGUE_H
#define BENCH_CLAIMS_CATALOGUE_H

#include "bench/claims/claim.h"

#include <stddef.h>

/* The claim of this index in the list; NULL behind the last. */
const struct claim *catalogue_at(size_t index);
size_t catalogue_count(void);

#endif
