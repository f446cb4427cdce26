// SPDX-License-Identifier: Apache-2.0
#include "bench/clean/clean_json.h"

#include "base/clock.h"
#include "bench/output/json_result.h"

static json_t *last_used(const struct remains *remains)
{
    char text[32];
    clock_format_utc((uint64_t)remains->created_ms * NS_PER_MS, 0, text, sizeof text);
    return remains->created_ms > 0 ? json_string(text) : json_null();
}

/* The state as it was judged last; only of a dead root all znodes were counted. */
static json_t *describe(const struct remains *remains)
{
    bool dead = remains->state == REMAINS_DEAD;
    bool has_run = dead || remains->state == REMAINS_RUNNING;
    bool has_znode = remains->state == REMAINS_FOREIGN || remains->state == REMAINS_IN_USE;
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:b}", "path", json_text(remains->path),
                     "state", remains_word(remains->state), "run",
                     json_result_text(has_run ? remains->about : NULL), "znode",
                     json_result_text(has_znode ? remains->about : NULL), "znodes",
                     dead ? json_integer((json_int_t)remains->znodes) : json_null(), "last_used",
                     last_used(remains), "removed", (int)remains->removed);
}

enum error_kind clean_json_write(const struct remains_list *list, enum error_kind cut_short,
                                 FILE *stream, struct error *error)
{
    json_t *roots = json_array();
    size_t removed = 0, gone = 0;
    for (size_t i = 0; i < list->count; i++) {
        removed += list->items[i].removed;
        gone += list->items[i].state == REMAINS_GONE;
        json_array_append_new(roots, describe(&list->items[i]));
    }
    return json_result_write(
        json_pack("{s:o, s:I, s:I, s:I, s:o}", "roots", roots, "found", (json_int_t)list->count,
                  "removed", (json_int_t)removed, "kept",
                  (json_int_t)(list->count - removed - gone), "cut_short",
                  cut_short != ERROR_NONE ? json_string(error_words(cut_short)) : json_null()),
        "clean", stream, error);
}
