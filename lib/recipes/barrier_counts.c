// SPDX-License-Identifier: Apache-2.0
#include "recipes/barrier_counts.h"

#include <inttypes.h>
#include <stdio.h>

struct count {
    const char *name;
    uint64_t found, least, most;
};

bool barrier_counts_agree(const struct tally *total, uint64_t clients, uint64_t barriers, char *why,
                          size_t size)
{
    const uint64_t *of = total->of, passages = clients * barriers;
    const uint64_t creates = of[TALLY_CREATE] - of[TALLY_CREATE_FAILED];
    const uint64_t others = clients - 1;
    const struct count counts[] = {
        /* Of those that find all znodes, one creates ready; the others try in vain. */
        {"creates that succeed", creates, passages + barriers, passages + barriers},
        {"creates that fail", of[TALLY_CREATE_FAILED], 0, barriers * others},
        {"deletes", of[TALLY_DELETE], passages, passages},
        {"deletes that fail", of[TALLY_DELETE_FAILED], 0, 0},
        /* To enter, a client lists once; to leave, once more than there are others to wait for. */
        {"lists", of[TALLY_GET_CHILDREN], 2 * passages, (2 + others) * passages},
        /* A client creates a znode and lists; then it creates ready or looks whether that exists.
         * To leave, it looks for another client's znode after each list but the last. */
        {"creates and exists", of[TALLY_CREATE] + of[TALLY_EXISTS], of[TALLY_GET_CHILDREN],
         of[TALLY_GET_CHILDREN]},
        {"other requests", of[TALLY_GET] + of[TALLY_SET] + of[TALLY_MULTI], 0, 0},
        {"notifications", of[TALLY_NOTIFICATION], 0, of[TALLY_EXISTS]},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const struct count *count = &counts[i];
        if (count->found >= count->least && count->found <= count->most)
            continue;
        snprintf(why, size, "%s: %" PRIu64 ", where there are %" PRIu64 " to %" PRIu64, count->name,
                 count->found, count->least, count->most);
        return false;
    }
    return true;
}
