// SPDX-License-Identifier: Apache-2.0
#include "recipes/recipe.h"

#include <stdio.h>
#include <string.h>

const char *contender_child(const struct contender *s, const char *child, char *path)
{
    snprintf(path, RECIPE_PATH_MAX, "%s/%s", s->lock, child);
    return path;
}

/* Version 4, variant 1, of RFC 4122. */
void contender_set_guid(struct contender *s, uint64_t high, uint64_t low)
{
    snprintf(s->guid, sizeof s->guid, "%08x-%04x-4%03x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff),
             (unsigned)(0x8000 | (low >> 48 & 0x3fff)),
             (unsigned long long)(low & UINT64_C(0xffffffffffff)));
}

void contender_park(struct contender *s, enum client_event event, const char *path)
{
    s->awaited = event;
    if (path != s->watched)
        snprintf(s->watched, sizeof s->watched, "%s", path);
}

bool contender_wakes(struct contender *s, enum client_event event, const char *path)
{
    bool uses_up = event == s->awaited || event != EVENT_CHILD;
    if (s->awaited != EVENT_ANY && !(uses_up && strcmp(path, s->watched) == 0))
        return false;
    s->happened = event;
    return true;
}

bool recipe_all_share(uint32_t number)
{
    (void)number;
    return true;
}

enum recipe_step contender_delete_own(struct contender *s)
{
    BEGIN;
    AWAIT(delete_znode(s, s->node));
    if (s->status == ZK_OK)
        RELEASED;
    END;
}
