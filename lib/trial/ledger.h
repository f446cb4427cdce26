// SPDX-License-Identifier: Apache-2.0
/*
 * ledger: attributes every message of a trial to the handoff that it belongs to. Layer: trial.
 *
 * There is a row for each lock and handoff. Row 0 holds what came before the lock's first release:
 * the arrivals and the first grant. Row i holds what was sent and received from release i on, up to
 * release i+1. The last release has a row too; nobody is granted in it if nobody waited.
 *
 * The rows lie in memory that all processes of the trial share, and are written with atomic
 * additions. Invariant: the sum of the rows is the trial's total; a message is in exactly one row.
 */
#ifndef TRIAL_LEDGER_H
#define TRIAL_LEDGER_H

#include "measure/tally.h"
#include "recipes/law.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ledger_row {
    struct tally tally;
    uint64_t released_ns;     /* when the release was sent, on the trial's clock. Rows 1 and up */
    uint32_t waiters;         /* when the release was sent */
    _Atomic uint32_t granted; /* sessions: more than one if they share */
    _Atomic uint32_t holder;  /* the first that was granted, +1; 0 while nobody was */
    /* From the release sent to the last grant that followed; 0: none did. Rows 1 and up. */
    _Atomic uint64_t handoff_ns;
};

struct ledger {
    struct ledger_row *rows; /* locks × rows_per_lock */
    uint32_t locks;
    size_t rows_per_lock;
};

/* The row of a lock's handoff; the last row when all are used up (ledger_is_full). */
struct ledger_row *ledger_row(const struct ledger *ledger, uint32_t lock, uint64_t handoff);

/* Whether a handoff of this number has no row of its own. */
bool ledger_is_full(const struct ledger *ledger, uint64_t handoff);

/* Adds the first `used` rows of a lock to *sum. */
void ledger_sum(const struct ledger *ledger, uint32_t lock, size_t used, struct tally *sum);

/*
 * The first kind, in the order of the columns, in which a tally differs from what the law predicts,
 * or TALLY_KINDS if they are equal. Bytes have no law.
 */
enum tally_kind ledger_difference(const struct tally *found, const struct tally *expected);

#endif
