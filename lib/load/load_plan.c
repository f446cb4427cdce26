// SPDX-License-Identifier: Apache-2.0
#include "load/load_plan.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char *const words[] = {
#define X(name, word) [LOAD_##name] = word,
    LOAD_KIND_LIST(X)
#undef X
};

const char *load_kind_word(enum load_kind kind)
{
    return words[kind];
}

bool load_kind_reads(enum load_kind kind)
{
    return kind == LOAD_GET || kind == LOAD_EXISTS || kind == LOAD_CHILDREN;
}

/* KIND=PERCENT; cuts the item at the sign. */
static bool parse_item(char *item, struct mix *mix, char *why, size_t size)
{
    char *equals = strchr(item, '=');
    uint64_t percent;
    int kind = 0;
    if (equals == NULL || !text_parse_number(equals + 1, 1, 100, &percent)) {
        snprintf(why, size, "expected KIND=PERCENT, such as get=70, from 1 to 100");
        return false;
    }
    *equals = '\0';
    while (kind < (int)MIX_KINDS && strcmp(words[kind], item) != 0)
        kind++;
    if (kind == (int)MIX_KINDS) {
        snprintf(why, size,
                 "no kind is called '%.20s': get, exists, children, set, create, delete, multi, "
                 "trylock, create-delete",
                 item);
        return false;
    }
    if (mix->percent[kind] != 0) {
        snprintf(why, size, "%s is named twice", words[kind]);
        return false;
    }
    mix->percent[kind] = (uint32_t)percent;
    return true;
}

bool mix_parse(const char *text, struct mix *mix, char *why, size_t size)
{
    struct mix parsed = {0};
    uint32_t sum = 0;
    char item[32];
    while (text_next_item(&text, item, sizeof item)) {
        if (!parse_item(item, &parsed, why, size))
            return false;
    }
    for (int kind = 0; kind < (int)MIX_KINDS; kind++)
        sum += parsed.percent[kind];
    if (sum != 100)
        snprintf(why, size, "the shares sum to %u, not to 100", sum);
    else if (parsed.percent[LOAD_DELETE] > parsed.percent[LOAD_CREATE])
        snprintf(why, size, "more deletes than creates: nothing would be left to delete");
    else
        *mix = parsed;
    return sum == 100 && parsed.percent[LOAD_DELETE] <= parsed.percent[LOAD_CREATE];
}

struct mix mix_of_reads(uint32_t percent)
{
    struct mix mix = {0};
    mix.percent[LOAD_GET] = percent;
    mix.percent[LOAD_SET] = 100 - percent;
    return mix;
}

const char *mix_format(const struct mix *mix, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int kind = 0; kind < (int)MIX_KINDS; kind++) {
        if (mix->percent[kind] > 0 && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s=%u",
                                       length > 0 ? "," : "", words[kind], mix->percent[kind]);
    }
    return text;
}

uint32_t mix_reads(const struct mix *mix)
{
    return mix->percent[LOAD_GET] + mix->percent[LOAD_EXISTS] + mix->percent[LOAD_CHILDREN];
}

uint32_t mix_requests(const struct mix *mix, uint32_t depth)
{
    return mix->percent[LOAD_CREATE_DELETE] > 0 ? 2 * depth : depth;
}

bool mix_needs_folders(const struct mix *mix)
{
    const uint32_t *percent = mix->percent;
    return percent[LOAD_CHILDREN] + percent[LOAD_CREATE] + percent[LOAD_CREATE_DELETE] > 0;
}

enum load_kind mix_draw(const struct mix *mix, struct random *random)
{
    uint32_t drawn = (uint32_t)random_below(random, 100);
    int kind = 0;
    while (drawn >= mix->percent[kind])
        drawn -= mix->percent[kind++];
    return (enum load_kind)kind;
}
