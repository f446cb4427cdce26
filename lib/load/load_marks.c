// SPDX-License-Identifier: Apache-2.0
#include "load/load_marks.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
#define X(name, word) [LOAD_MARK_##name] = word,
    LOAD_MARK_LIST(X)
#undef X
};

/* Which marks give way to others: snapshots first, and those of faults never, except to each other.
 */
static int rank_of(enum load_mark_kind kind)
{
    if (kind == LOAD_MARK_SNAPSHOT)
        return 0;
    return kind == LOAD_MARK_KILLED || kind == LOAD_MARK_RESTARTED ? 2 : 1;
}

/* The latest of those that give way first. */
static uint32_t find_least(const struct load_marks *marks)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < marks->count; i++) {
        if (rank_of(marks->list[i].kind) <= rank_of(marks->list[least].kind))
            least = i;
    }
    return least;
}

/* Leaves one mark out of a full list. Returns false if that is the one that is to be added. */
static bool make_room(struct load_marks *marks, enum load_mark_kind kind)
{
    uint32_t least = find_least(marks);
    marks->left_out++;
    if (rank_of(kind) <= rank_of(marks->list[least].kind))
        return false;
    marks->count--;
    memmove(&marks->list[least], &marks->list[least + 1],
            (marks->count - least) * sizeof marks->list[0]);
    return true;
}

void load_marks_add(struct load_marks *marks, uint64_t time_ns, enum load_mark_kind kind,
                    uint32_t server)
{
    if (marks->count == LOAD_MARKS_MAX && !make_room(marks, kind))
        return;
    uint32_t place = marks->count++;
    for (; place > 0 && marks->list[place - 1].time_ns > time_ns; place--)
        marks->list[place] = marks->list[place - 1];
    marks->list[place] = (struct load_mark){time_ns, kind, server};
}

static uint32_t second_of(const struct load_mark *mark)
{
    return mark->time_ns == 0 ? 0 : (uint32_t)((mark->time_ns - 1) / NS_PER_S);
}

static void append(const struct load_mark *mark, char *text, size_t size)
{
    size_t length = strlen(text);
    const char *between = length > 0 ? ";" : "";
    if (mark->kind == LOAD_MARK_NO_LEADER)
        snprintf(text + length, size - length, "%s%s", between, words[mark->kind]);
    else
        snprintf(text + length, size - length, "%sserver %u %s", between, mark->server + 1,
                 words[mark->kind]);
}

const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < marks->count; i++) {
        if (second_of(&marks->list[i]) == second)
            append(&marks->list[i], text, size);
    }
    return text;
}
