// SPDX-License-Identifier: Apache-2.0
/*
 * releases: experiments on single releases of a lock: whom each notifies, and whom it lets in.
 * Layer: bench/claims.
 *
 * They read the ledger of a drain under lockstep, whose row i has what release i set off.
 */
#ifndef BENCH_CLAIMS_RELEASES_H
#define BENCH_CLAIMS_RELEASES_H

#include "bench/claims/claim.h"

/* Of one lock: all who wait are notified. */
experiment_function releases_notify_all;

/* Of one lock: all who wait are notified, and so is the deleter. */
experiment_function releases_notify_children_watches;

/* Of a lock that readers share: those behind a writer are let in by its release, all of them, and
 * nobody else is woken. */
experiment_function releases_let_readers_in_together;

/* For a larger experiment: one of those who wait is notified, and the handoffs cost the same
 * whatever their number. The errors of trial_run. */
MUST_CHECK enum error_kind releases_notify_one(const struct recipe *recipe, uint32_t clients,
                                               struct testbed *testbed, struct finding *finding,
                                               struct error *error);

#endif
