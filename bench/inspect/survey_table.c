// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/survey_table.h"

#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/inspect/lock_view_table.h"

#include <inttypes.h>
#include <string.h>

enum { WAITERS, OLDEST, RECIPE, HOLDER, LOCK, DATA, COLUMNS };

#define GAP 2 /* blanks between two columns */

static const struct grid_column columns[COLUMNS] = {
    [WAITERS] = {.title = "waiters", .right = true},
    [OLDEST] = {.title = "longest wait", .right = true},
    [RECIPE] = {.title = "recipe"},
    [HOLDER] = {.title = "held by"},
    [LOCK] = {.title = "lock", .below = true},
    [DATA] = {.title = "data", .below = true},
};

/* "0x1000a3b1c2d0003", "3 readers", "3 leases", "nobody"; a znode that no session owns: "none". */
static const char *holder_of(const struct survey_lock *lock, char *text, size_t size)
{
    char count[32];
    bool leases =
        strstr(lock->recipe, "semaphore") != NULL || strstr(lock->recipe, "lease") != NULL;
    if (lock->holders == 0)
        snprintf(text, size, "nobody");
    else if (lock->holders > 1)
        snprintf(text, size, "%s %s", text_format_count(lock->holders, count, sizeof count),
                 leases ? "leases" : "readers");
    else if (!lock->found_holder)
        snprintf(text, size, GRID_UNKNOWN);
    else if (lock->session == 0)
        snprintf(text, size, "none");
    else
        snprintf(text, size, "0x%" PRIx64, (uint64_t)lock->session);
    return text;
}

static void put_row(struct grid *grid, const struct survey_lock *lock)
{
    char text[64], data[4 * SYNC_SESSION_VALUE_MAX] = GRID_UNKNOWN;
    if (lock->holders == 1 && lock->data.known && lock->data.length > 0)
        printable_bytes(lock->data.bytes, lock->data.length, data, 60);
    grid_put(grid, "%s", text_format_count(lock->waiters, text, sizeof text));
    grid_put(grid, "%s", lock_view_table_format_age(lock->oldest_ms, text, sizeof text));
    grid_put(grid, "%s", lock->recipe);
    grid_put(grid, "%s", holder_of(lock, text, sizeof text));
    grid_put(grid, "%s", lock->path);
    grid_put(grid, "%s", data);
}

enum error_kind survey_table_write(const char *path, const struct survey *survey, size_t width,
                                   FILE *stream, struct error *error)
{
    struct grid grid;
    uint64_t waiters = 0;
    char locks_text[32], waiters_text[32], printable[1024];
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < survey->count; i++) {
        put_row(&grid, &survey->locks[i]);
        waiters += survey->locks[i].waiters;
    }
    fprintf(stream, "%s: %s lock%s, %s waiter%s\n",
            printable_text(path, printable, sizeof printable),
            text_format_count(survey->count, locks_text, sizeof locks_text),
            survey->count == 1 ? "" : "s",
            text_format_count(waiters, waiters_text, sizeof waiters_text), waiters == 1 ? "" : "s");
    enum error_kind kind = grid_write(&grid, width, stream, error);
    grid_deinit(&grid);
    if (kind == ERROR_NONE && !survey->complete)
        fprintf(stream,
                "the search is incomplete: limit %d levels, %s znodes;\n"
                "unreadable znodes are skipped\n",
                SURVEY_DEPTH_MAX,
                text_format_count(SURVEY_ZNODES_MAX, locks_text, sizeof locks_text));
    return kind;
}
