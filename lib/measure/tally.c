// SPDX-License-Identifier: Apache-2.0
#include "measure/tally.h"

void tally_sum(struct tally *into, const struct tally *from)
{
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        into->of[kind] += tally_read_shared(from, (enum tally_kind)kind);
}

uint64_t tally_rpcs(const struct tally *tally)
{
    const uint64_t *of = tally->of;
    return of[TALLY_CREATE] + of[TALLY_EXISTS] + of[TALLY_GET] + of[TALLY_GET_CHILDREN] +
           of[TALLY_SET] + of[TALLY_DELETE] + of[TALLY_MULTI] + of[TALLY_SYNC];
}

const char *const tally_columns[] = {
#define X(name, column) #column,
    TALLY_LIST(X)
#undef X
};

bool tally_has_law(enum tally_kind kind)
{
    return kind != TALLY_BYTES_SENT && kind != TALLY_BYTES_RECEIVED;
}
