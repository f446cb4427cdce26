// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/lock_view_table.h"

#include "base/clock.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/grid.h"

#include <inttypes.h>
#include <string.h>

/* Clocks that are kept together by NTP differ by less. */
#define CLOCKS_DIFFER_MS 1000

bool lock_view_table_age(int64_t created_ms, int64_t *age_ms)
{
    int64_t age = (int64_t)(clock_utc_ns() / NS_PER_MS) - created_ms;
    if (created_ms == 0 || age < -CLOCKS_DIFFER_MS)
        return false;
    *age_ms = age > 0 ? age : 0;
    return true;
}

const char *lock_view_table_format_age(int64_t created_ms, char *text, size_t size)
{
    int64_t age_ms;
    if (lock_view_table_age(created_ms, &age_ms))
        return text_format_duration((uint64_t)age_ms * NS_PER_MS, text, size);
    snprintf(text, size, GRID_UNKNOWN);
    return text;
}

/* ------------------------------------------------------------------ the sum */

static const char *number_of(size_t count, const char *one, const char *several, char *text,
                             size_t size)
{
    char digits[32];
    if (count == 0)
        snprintf(text, size, "nobody %s", one);
    else
        snprintf(text, size, "%s %s", text_format_count(count, digits, sizeof digits),
                 count == 1 ? one : several);
    return text;
}

/* "2 leases held", "0 of 3 leases held". */
static void leases_of(const struct lock_view *view, char *text, size_t size)
{
    char held[32], most[32], of[40] = "";
    uint64_t leases = view->leases_max > 0 ? view->leases_max : view->holders;
    if (view->leases_max > 0)
        snprintf(of, sizeof of, " of %s", text_format_count(leases, most, sizeof most));
    snprintf(text, size, "%s%s lease%s held", text_format_count(view->holders, held, sizeof held),
             of, leases == 1 ? "" : "s");
}

static const char *sum_of(const struct lock_view *view, char *text, size_t size)
{
    char hold[96], wait[48];
    if (view->kind == LOCK_VIEW_SEMAPHORE)
        leases_of(view, hold, sizeof hold);
    else
        number_of(view->holders, "holds", "hold", hold, sizeof hold);
    number_of(lock_view_waiters(view), "waits", "wait", wait, sizeof wait);
    if (view->kind == LOCK_VIEW_QUEUE && !view->is_lock)
        snprintf(text, size, "no children: a free queue, or not a lock");
    else if (view->kind == LOCK_VIEW_QUEUE || view->kind == LOCK_VIEW_SEMAPHORE)
        snprintf(text, size, "%s, %s", hold, wait);
    else if (view->kind == LOCK_VIEW_GONE)
        snprintf(text, size, "the znode does not exist now; it may be created again");
    else
        snprintf(text, size, "%s, waiters are not known", hold);
    return text;
}

/* ------------------------------------------------------------------ rows */

enum { PLACE, STATE, ZNODE, SESSION, QUEUED, HELD, CLIENT, SERVER, DATA, COLUMNS };

#define GAP 2 /* blanks between two columns */

static const struct grid_column columns[COLUMNS] = {
    [PLACE] = {.title = "place", .right = true},   [STATE] = {.title = "state"},
    [ZNODE] = {.title = "znode", .below = true},   [SESSION] = {.title = "session"},
    [QUEUED] = {.title = "queued", .right = true}, [HELD] = {.title = "held", .right = true},
    [CLIENT] = {.title = "client", .below = true}, [SERVER] = {.title = "server", .below = true},
    [DATA] = {.title = "data", .below = true},
};

const char *lock_view_table_state(const struct lock_view *view, size_t place)
{
    if (view->pending && place == view->holders)
        return "pending";
    return place < view->holders ? "holds" : "waits";
}

/* Which values are not known in some row. */
struct gaps {
    bool ages, connections;
};

/* As much as a line below the row has room for. */
#define DATA_WIDTH 60

static const char *data_of(const struct browser_data *data, char *text, size_t size)
{
    if (!data->known || data->length == 0)
        return GRID_UNKNOWN;
    printable_bytes(data->bytes, data->length, text, size);
    return printable_cut(text, DATA_WIDTH);
}

static void put_row(struct grid *grid, const struct lock_view *view, size_t place,
                    const struct connections *connections, struct gaps *gaps)
{
    static const char *const roles[] = {[LINE_ALONE] = "",
                                        [LINE_READS] = ", reads",
                                        [LINE_WRITES] = ", writes",
                                        [LINE_LEASES] = ""};
    const struct lock_view_entry *entry = &view->entries[place];
    const struct connection *found = connections_find(connections, entry->stat.owner);
    char age[32], server[ENDPOINT_TEXT_SIZE] = GRID_UNKNOWN, data[4 * SYNC_SESSION_VALUE_MAX];
    if (found != NULL)
        endpoint_typed(&connections->servers->endpoints[found->server], server, sizeof server);
    grid_put(grid, "%zu", place + 1);
    grid_put(grid, "%s%s", lock_view_table_state(view, place), roles[view->places[place].role]);
    grid_put(grid, "%s%s%s", entry->below + (entry->below[0] == '/'),
             entry->below[0] != '\0' ? "/" : "", view->places[place].name);
    if (entry->stat.owner != 0)
        grid_put(grid, "0x%" PRIx64, (uint64_t)entry->stat.owner);
    else
        grid_put(grid, "none");
    grid_put(grid, "%s", lock_view_table_format_age(entry->stat.created_ms, age, sizeof age));
    gaps->ages = gaps->ages || strcmp(age, GRID_UNKNOWN) == 0;
    grid_put(grid, "%s", lock_view_table_format_age(entry->held_ms, age, sizeof age));
    grid_put(grid, "%s", found != NULL ? found->client : GRID_UNKNOWN);
    gaps->connections = gaps->connections || (found == NULL && entry->stat.owner != 0);
    grid_put(grid, "%s", server);
    grid_put(grid, "%s", data_of(&entry->data, data, sizeof data));
}

/* ------------------------------------------------------------------ what is not known */

static void write_foreign(const char *text, FILE *stream)
{
    char printable[1024];
    fputs(printable_text(text, printable, sizeof printable), stream);
}

static void write_refusals(const struct connections *connections, FILE *stream)
{
    bool all_answered = true;
    for (size_t i = 0; i < connections->servers->count; i++) {
        const struct error *refusal = &connections->refusals[i];
        char line[1200];
        if (refusal->kind == ERROR_NONE)
            continue;
        all_answered = false;
        snprintf(line, sizeof line, "no client addresses from %s: %s%s%s; %s", refusal->subject,
                 error_words(refusal->kind), refusal->detail[0] != '\0' ? ": " : "",
                 refusal->detail, error_advice(refusal->kind));
        write_foreign(line, stream);
        fputc('\n', stream);
    }
    if (all_answered)
        fputs("a session without a client has no connection to a server of --connect\n", stream);
}

enum error_kind lock_view_table_write(const char *path, const struct lock_view *view,
                                      const struct connections *connections, size_t width,
                                      FILE *stream, struct error *error)
{
    struct grid grid;
    struct gaps gaps = {false, false};
    char sum[160];
    grid_init(&grid, columns, COLUMNS, GAP);
    for (size_t i = 0; i < view->count; i++)
        put_row(&grid, view, i, connections, &gaps);
    write_foreign(path, stream);
    fprintf(stream, ": %s\n", sum_of(view, sum, sizeof sum));
    enum error_kind kind = grid_write(&grid, width, stream, error);
    grid_deinit(&grid);
    if (kind != ERROR_NONE)
        return kind;
    if (gaps.connections)
        write_refusals(connections, stream);
    if (gaps.ages)
        fputs("ages are not known: the servers' clock is ahead of this machine's\n", stream);
    if (view->kind == LOCK_VIEW_ZNODE)
        fputs("a waiter sets a watch on this znode and creates no znode of its own\n", stream);
    return ERROR_NONE;
}
