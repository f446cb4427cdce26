// SPDX-License-Identifier: Apache-2.0
#include "recipes/line.h"

#include "recipes/queue.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether the name contains the word, not as the end of a longer word: read-, but not spread-. */
static bool has_word(const char *name, const char *word)
{
    for (const char *at = strstr(name, word); at != NULL; at = strstr(at + 1, word)) {
        if (word[0] == '_' || at == name || !isalnum((unsigned char)at[-1]))
            return true;
    }
    return false;
}

/* Whether the prefix is all that precedes the number, as in zk-ruby's names. */
static bool is_prefix(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 &&
           name[length + strspn(name + length, "-0123456789")] == '\0';
}

static enum line_role role_of(const char *name)
{
    if (has_word(name, "read-") || has_word(name, "__READ__") || has_word(name, "__rlock__") ||
        is_prefix(name, "sh"))
        return LINE_READS;
    if (has_word(name, "write-") || has_word(name, "__WRIT__") || is_prefix(name, "ex"))
        return LINE_WRITES;
    return has_word(name, "lease-") ? LINE_LEASES : LINE_ALONE;
}

/* By the distance from the first place: a total order. Only names made by hand are equal in it. */
static int compare(const void *a, const void *b, void *context)
{
    const struct line_place *one = a, *other = b;
    const int32_t *first = context;
    uint32_t from = (uint32_t)one->sequence - (uint32_t)*first;
    uint32_t to = (uint32_t)other->sequence - (uint32_t)*first;
    return from != to ? (from > to) - (from < to) : strcmp(one->name, other->name);
}

bool line_joins(const struct line_place *place, size_t rank, const struct line_place *first)
{
    bool shares = place->role == LINE_READS || place->role == LINE_LEASES;
    return rank == 0 || (shares && first->role == place->role);
}

void line_grant(struct line_place *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        places[i].holds = (i == 0 || places[i - 1].holds) && line_joins(&places[i], i, &places[0]);
}

size_t line_read(const char *const *names, size_t name_count, struct line_place *places)
{
    size_t count = 0;
    int32_t first = 0;
    for (size_t i = 0; i < name_count; i++) {
        int32_t sequence;
        if (line_is_kazoo_lease(names[i]) || !queue_sequence(names[i], &sequence))
            continue;
        if (count == 0 || queue_before(sequence, first))
            first = sequence;
        places[count++] =
            (struct line_place){.name = names[i], .sequence = sequence, .role = role_of(names[i])};
    }
    qsort_r(places, count, sizeof *places, compare, &first);
    line_grant(places, count);
    return count;
}

/* ------------------------------------------------------------------ the recipe of the names */

#define GUID_DIGITS   32
#define NUMBER_DIGITS 10

static bool begins_with_guid(const char *name)
{
    return strspn(name, "0123456789abcdef") == GUID_DIGITS;
}

bool line_is_kazoo_lease(const char *name)
{
    return begins_with_guid(name) && name[GUID_DIGITS] == '\0';
}

static bool any_has(const struct line_place *places, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(places[i].name, word) != NULL)
            return true;
    }
    return false;
}

static const char *recipe_of_curator(const struct line_place *places, size_t count)
{
    if (any_has(places, count, "__READ__") || any_has(places, count, "__WRIT__"))
        return "Curator read/write";
    if (any_has(places, count, "-latch-"))
        return "Curator latch";
    return any_has(places, count, "-lease-") ? "Curator leases" : "Curator mutex";
}

const char *line_recipe(const struct line_place *places, size_t count)
{
    const char *name = places[0].name;
    bool shares = false;
    for (size_t i = 0; i < count; i++)
        shares = shares || places[i].role != LINE_ALONE;
    if (strncmp(name, "_c_", 3) == 0)
        return begins_with_guid(name + 3) ? "go-zookeeper lock" : recipe_of_curator(places, count);
    if (begins_with_guid(name) && name[GUID_DIGITS] == '_')
        return any_has(places, count, "__rlock__") ? "kazoo read/write" : "kazoo lock";
    if (name[0] == 'x' && name[1] == '-' && strchr(name + 2, '-') != NULL)
        return "ZooKeeper recipe";
    if (is_prefix(name, "sh") || is_prefix(name, "ex"))
        return "zk-ruby read/write";
    return shares ? "read/write" : "queue";
}

/* The recipe of a single name; "" without a sequence number. */
static const char *recipe_of(const char *name)
{
    struct line_place place;
    return line_read(&name, 1, &place) > 0 ? line_recipe(&place, 1) : "";
}

/* Many recipes have names of a "queue": these must begin alike. */
bool line_is_place(const char *name, const char *beside)
{
    const char *recipe = recipe_of(name);
    const size_t length = strlen(name);
    if (strchr(recipe, ' ') != NULL)
        return true;
    if (beside == NULL || strcmp(recipe, recipe_of(beside)) != 0)
        return false;
    return strcmp(recipe, "queue") != 0 ||
           (strlen(beside) == length && strncmp(name, beside, length - NUMBER_DIGITS) == 0);
}
