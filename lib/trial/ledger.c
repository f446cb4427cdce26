// SPDX-License-Identifier: Apache-2.0
#include "trial/ledger.h"

struct ledger_row *ledger_row(const struct ledger *ledger, uint32_t lock, uint64_t handoff)
{
    size_t row = handoff < ledger->rows_per_lock ? (size_t)handoff : ledger->rows_per_lock - 1;
    return &ledger->rows[lock * ledger->rows_per_lock + row];
}

bool ledger_is_full(const struct ledger *ledger, uint64_t handoff)
{
    return handoff >= ledger->rows_per_lock;
}

void ledger_sum(const struct ledger *ledger, uint32_t lock, size_t used, struct tally *sum)
{
    for (size_t handoff = 0; handoff < used; handoff++)
        tally_sum(sum, &ledger_row(ledger, lock, handoff)->tally);
}

enum tally_kind ledger_difference(const struct tally *found, const struct tally *expected)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        if (tally_has_law((enum tally_kind)kind) &&
            tally_read_shared(found, (enum tally_kind)kind) != expected->of[kind])
            return (enum tally_kind)kind;
    }
    return TALLY_KINDS;
}
