// SPDX-License-Identifier: Apache-2.0
#include "bench/target/traffic.h"

#include "bench/target/root.h"
#include "recipes/law.h"

/* Upper bounds (wire/wire.h has what messages are made of): a request with its reply, without paths
 * and names; a notification without its path; a name in a list; what stands between a run's root
 * and a name ("/t0000/l65535/"), and the longest name that a recipe gives, with its GUID. */
#define BYTES_PER_RPC          128
#define BYTES_PER_NOTIFICATION 32
#define BYTES_PER_NAME         68
#define LOCK_PATH_MAX          16
#define NAME_MAX_LENGTH        64

/* One path goes with each request, and another with the reply to a CREATE. */
static uint64_t bound_bytes(const struct tally *total, size_t chroot_length)
{
    uint64_t path = chroot_length + ROOT_PATH_SIZE + LOCK_PATH_MAX + NAME_MAX_LENGTH;
    return tally_rpcs(total) * (BYTES_PER_RPC + path) + total->of[TALLY_CREATE] * path +
           total->of[TALLY_NOTIFICATION] * (BYTES_PER_NOTIFICATION + path) +
           total->of[TALLY_NAMES_LISTED] * BYTES_PER_NAME;
}

struct traffic traffic_of(const struct trial_plan *plan, size_t chroot_length)
{
    struct tally total = {0};
    for (uint32_t lock = 0; lock < plan->locks; lock++) {
        uint64_t handoffs = plan_handoffs_of(plan, lock);
        /* When the time decides, nobody knows how many: counted as one round. */
        uint64_t share = plan_clients_of(plan, lock);
        if (handoffs == UINT64_MAX)
            handoffs = share;
        if (recipe_has_law(plan->recipe))
            law_total(plan->recipe, share, handoffs, &total);
        else /* nobody knows either: everybody's first try, its release, and a retry of each */
            tally_add(&total, TALLY_CREATE, 3 * handoffs);
    }
    return (struct traffic){tally_rpcs(&total), bound_bytes(&total, chroot_length)};
}
