// SPDX-License-Identifier: Apache-2.0
#include "recipes/footprint.h"

#include "recipes/law.h"
#include "wire/maxbuffer.h"
#include "wire/wire.h"

#include <string.h>

/* The length of the path up to its last name, with the slash; 0: none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

size_t footprint_name_length(const struct recipe *recipe)
{
    const char *listed = recipe->names.listed;
    return listed == NULL ? 0 : strlen(listed) - folder_length(listed);
}

bool footprint_lists_always(const struct recipe *recipe)
{
    struct tally total = {0};
    if (recipe->names.listed == NULL || !recipe_has_law(recipe))
        return false;
    law_total(recipe, 2, 2, &total);
    return total.of[TALLY_NAMES_LISTED] > 0;
}

/* Znodes that are laid out in the folder of the clients' znodes. */
struct others {
    size_t count;
    uint64_t bytes;
};

static struct others others_listed(const struct recipe *recipe)
{
    const char *listed = recipe->names.listed;
    struct others others = {0};
    for (const struct recipe_znode *z = recipe->laid_out; z != NULL && z->name != NULL; z++) {
        size_t folder = folder_length(z->name);
        if (z->value == NULL || folder != folder_length(listed) ||
            strncmp(z->name, listed, folder) != 0)
            continue;
        others.count++;
        others.bytes += strlen(z->name) - folder;
    }
    return others;
}

uint64_t footprint_list_bytes(const struct recipe *recipe, uint64_t clients)
{
    if (recipe->names.listed == NULL)
        return 0;
    struct others others = others_listed(recipe);
    return maxbuffer_counted(wire_names_reply(
        others.count + clients, others.bytes + clients * footprint_name_length(recipe)));
}

uint64_t footprint_listed_clients(const struct recipe *recipe, uint64_t limit)
{
    if (recipe->names.listed == NULL)
        return UINT64_MAX;
    struct others others = others_listed(recipe);
    return maxbuffer_names(limit, footprint_name_length(recipe), others.count, others.bytes);
}

size_t footprint_watched_length(const struct recipe *recipe, size_t lock_length)
{
    if (recipe->names.watched != NULL)
        return lock_length + 1 + strlen(recipe->names.watched);
    return recipe->names.lock_watched ? lock_length : 0;
}

/* What a client has while it waits. */
static uint64_t watches_at_once(const struct recipe *recipe)
{
    return (recipe->names.watched != NULL) + (uint64_t)recipe->names.lock_watched;
}

uint64_t footprint_own_watches(const struct recipe *recipe, uint64_t clients)
{
    if (recipe->names.watches_left)
        return clients - 1;
    return watches_at_once(recipe);
}

/* Where watches are left, the k-th client has had at most k - 1. */
uint64_t footprint_all_watches(const struct recipe *recipe, uint64_t clients)
{
    if (recipe->names.watches_left)
        return clients * (clients - 1) / 2;
    return clients * watches_at_once(recipe);
}
