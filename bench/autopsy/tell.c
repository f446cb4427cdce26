// SPDX-License-Identifier: Apache-2.0
#include "bench/autopsy/internal.h"

#include "base/clock.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define GAP  2
#define ROWS 5 /* of a table on the screen; the files have all */
/* From here on a number is told: half of what ZooKeeper can count. */
#define SEQUENCE_HIGH (UINT32_C(1) << 30)
#define SEQUENCE_END  (UINT32_C(1) << 31)

static const char untold[] =
    "A log has no reads, no watches and no notifications: what woke a client, and what a client "
    "read before it knew that it held, is not in it. Turns follow from the znodes alone.";

/* ------------------------------------------------------------------ ranks */

/* The rows with the most of a column, the first of equals first; returns how many. */
static size_t rank(const struct table *table, size_t column, size_t rows[ROWS])
{
    size_t count = 0;
    for (size_t i = 0; i < table->rows; i++) {
        double value = table_number(&table_row(table, i)[column]);
        size_t at = count;
        while (at > 0 && table_number(&table_row(table, rows[at - 1])[column]) < value)
            at--;
        if (at == ROWS)
            continue;
        count += count < ROWS;
        for (size_t j = count - 1; j > at; j--)
            rows[j] = rows[j - 1];
        rows[at] = i;
    }
    return count;
}

/* ------------------------------------------------------------------ tables */

/* A column of a table on the screen. A time stands as UTC, a lock as its path. */
struct shown {
    size_t column;
    struct grid_column grid;
};

/* The rows with the most of a column. */
struct screen {
    const char *title;
    const struct table *table;
    size_t by;
    const struct shown *shown;
    size_t count;
};

#define LEFT(column, ...)                                                                          \
    {                                                                                              \
        column,                                                                                    \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define RIGHT(column, ...)                                                                         \
    {                                                                                              \
        column,                                                                                    \
        {                                                                                          \
            __VA_ARGS__, .right = true                                                             \
        }                                                                                          \
    }

static const struct shown lock_columns[] = {
    LEFT(autopsy_lock_recipe, .title = "recipe"),
    RIGHT(autopsy_lock_grants, .title = "grants"),
    RIGHT(autopsy_lock_handoffs, .title = "handoffs"),
    RIGHT(autopsy_lock_waiters_max, .over = "most", .title = "waiters"),
    RIGHT(autopsy_lock_refused, .title = "refused"),
    RIGHT(autopsy_lock_expired, .title = "expired"),
    RIGHT(autopsy_lock_held_s, .title = "held s"),
    RIGHT(autopsy_lock_held_max_s, .over = "longest", .title = "held s", .spare = 1),
    RIGHT(autopsy_lock_waited_max_s, .over = "longest", .title = "wait s"),
    LEFT(autopsy_lock_lock, .title = "lock", .below = true),
};

static const struct shown herd_columns[] = {
    LEFT(autopsy_herd_begin_ms, .title = "began (UTC)"),
    LEFT(autopsy_herd_end_ms, .title = "ended"),
    RIGHT(autopsy_herd_errors, .title = "errors"),
    RIGHT(autopsy_herd_sessions, .title = "sessions"),
    LEFT(autopsy_herd_error, .title = "error"),
    LEFT(autopsy_herd_lock, .title = "lock", .below = true),
};

static const struct shown expiry_columns[] = {
    LEFT(autopsy_expiry_expired_ms, .title = "expired (UTC)"),
    LEFT(autopsy_expiry_session, .title = "session"),
    RIGHT(autopsy_expiry_timeout_ms, .title = "timeout ms"),
    RIGHT(autopsy_expiry_ephemerals, .title = "ephemerals"),
    RIGHT(autopsy_expiry_waiters, .title = "waiters"),
    LEFT(autopsy_expiry_lock, .title = "lock", .below = true),
};

static const struct shown minute_columns[] = {
    LEFT(autopsy_minute_begin_ms, .title = "minute (UTC)"),
    RIGHT(autopsy_minute_transactions, .title = "transactions"),
    RIGHT(autopsy_minute_creates, .title = "creates"),
    RIGHT(autopsy_minute_deletes, .title = "deletes"),
    RIGHT(autopsy_minute_sets, .title = "sets", .spare = 1),
    RIGHT(autopsy_minute_errors, .title = "errors"),
    RIGHT(autopsy_minute_expired, .title = "expired"),
    RIGHT(autopsy_minute_waiters_max, .title = "waiters"),
};

static void put_cell(struct grid *grid, const struct shown *shown, const struct table_value *value,
                     const struct findings *findings)
{
    char utc[32];
    if (value->kind == TABLE_COUNT && strcmp(shown->grid.title, "lock") == 0) {
        grid_add(grid, "%s", locks_at(findings->locks, value->count)->path);
    } else if (value->kind == TABLE_SIGNED) {
        clock_format_utc((uint64_t)value->number * NS_PER_MS, 0, utc, sizeof utc);
        grid_add(grid, "%s", utc);
    } else if (value->kind == TABLE_TEXT) {
        grid_add(grid, "%s", value->text);
    } else if (value->kind == TABLE_REAL) {
        grid_add_real(grid, value->real, 1);
    } else {
        grid_add_whole(grid, table_number(value));
    }
}

static void write_screen(const struct screen *screen, const struct findings *findings, FILE *stream)
{
    size_t rows[ROWS], count = rank(screen->table, screen->by, rows);
    struct grid_column columns[GRID_COLUMNS_MAX];
    unsigned width = terminal_columns(STDOUT_FILENO);
    struct grid grid;
    if (count == 0)
        return;
    fprintf(stream, "\n%s", screen->title);
    if (screen->table->rows > count)
        fprintf(stream, ", %zu of %zu", count, screen->table->rows);
    fputs(":\n", stream);
    for (size_t i = 0; i < screen->count; i++)
        columns[i] = screen->shown[i].grid;
    grid_init(&grid, columns, screen->count, GAP);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < screen->count; j++)
            put_cell(&grid, &screen->shown[j],
                     &table_row(screen->table, rows[i])[screen->shown[j].column], findings);
    (void)!grid_fit(&grid, width, 1);
    grid_write(&grid, width, stream);
    grid_deinit(&grid);
}

#define COLUMNS_OF(list) list, sizeof(list) / sizeof(list)[0]

static void write_tables(const struct findings *findings, FILE *stream)
{
    const struct screen screens[] = {
        {"locks with the most waiters", &findings->lock_rows, autopsy_lock_waiters_max,
         COLUMNS_OF(lock_columns)},
        {"herds: bursts of error transactions", &findings->herds, autopsy_herd_errors,
         COLUMNS_OF(herd_columns)},
        {"sessions that expired and held something", &findings->expiries, autopsy_expiry_held,
         COLUMNS_OF(expiry_columns)},
        {"costliest minutes", &findings->minutes, autopsy_minute_transactions,
         COLUMNS_OF(minute_columns)},
    };
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++)
        write_screen(&screens[i], findings, stream);
    fputs("\n", stream);
}

/* ------------------------------------------------------------------ sentences */

static void write_head(const struct findings *findings, FILE *stream)
{
    const struct census *census = &findings->census;
    char first[32], last[32], transactions[32];
    clock_format_utc((uint64_t)census->first_ms * NS_PER_MS, 0, first, sizeof first);
    clock_format_utc((uint64_t)census->last_ms * NS_PER_MS, 0, last, sizeof last);
    wrap_sentence(stream,
                  "%s transactions, zxid 0x%" PRIx64 " to 0x%" PRIx64 ", %s to %s, in %zu %s.",
                  text_format_count(census->transactions, transactions, sizeof transactions),
                  (uint64_t)census->first_zxid, (uint64_t)census->last_zxid, first, last,
                  findings->logs, findings->logs == 1 ? "log" : "logs");
}

static void write_counts(const struct findings *findings, FILE *stream)
{
    char opened[32], closed[32], expired[32], errors[32], refused[32];
    wrap_sentence(stream,
                  "%s sessions began, %s ended, of which %s expired. %s transactions are errors, "
                  "%s of them creates that a lock refused.",
                  text_format_count(findings->sessions_opened, opened, sizeof opened),
                  text_format_count(findings->sessions_closed, closed, sizeof closed),
                  text_format_count(findings->sessions_expired, expired, sizeof expired),
                  text_format_count(findings->errors, errors, sizeof errors),
                  text_format_count(findings->refused, refused, sizeof refused));
    if (findings->unattributed > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " refused creates belong to no lock that is known: an error "
                      "transaction has no path.",
                      findings->unattributed);
    if (findings->orphans > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " ephemeral znodes of the snapshot belong to no session of it: "
                      "they have outlived their sessions.",
                      findings->orphans);
}

static void write_sequences(const struct findings *findings, FILE *stream)
{
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++) {
        const struct autopsy_sequence *sequence = &findings->sequences[i];
        char folder[512];
        if (sequence->next >= SEQUENCE_HIGH)
            wrap_sentence(stream,
                          "The next sequence number in %s is %" PRIu32 ": %.1f %% of 2^31, where "
                          "numbers become negative and sort before all others.",
                          printable_text(sequence->folder, folder, sizeof folder), sequence->next,
                          100.0 * sequence->next / SEQUENCE_END);
    }
}

void autopsy_write(const struct findings *findings, FILE *stream)
{
    write_head(findings, stream);
    write_tables(findings, stream);
    write_counts(findings, stream);
    write_sequences(findings, stream);
    for (size_t i = 0; i < findings->flaws.rows; i++)
        wrap_sentence(stream, "%s", table_row(&findings->flaws, i)[autopsy_flaw_sentence].text);
    wrap_sentence(stream, "%s", untold);
    if (findings_lose(findings))
        wrap_sentence(stream, "Not valid: transactions are missing.");
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_rows(const struct table *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows->rows; i++) {
        json_t *object = json_object();
        json_result_set_row(object, rows->type, table_row(rows, i), 0, rows->type->count - 1);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *describe_sequences(const struct findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < AUTOPSY_SEQUENCES && findings->sequences[i].folder != NULL; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "folder",
                                              json_text(findings->sequences[i].folder), "next",
                                              (json_int_t)findings->sequences[i].next));
    return list;
}

json_t *autopsy_describe(const struct findings *findings, const char *folder)
{
    const struct census *census = &findings->census;
    json_t *flaws = json_array();
    for (size_t i = 0; i < findings->flaws.rows; i++)
        json_array_append_new(
            flaws, json_text(table_row(&findings->flaws, i)[autopsy_flaw_sentence].text));
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "folder",
        json_result_text(folder), "logs", (json_int_t)findings->logs, "transactions",
        (json_int_t)census->transactions, "first_zxid", (json_int_t)census->first_zxid, "last_zxid",
        (json_int_t)census->last_zxid, "first_ms", (json_int_t)census->first_ms, "last_ms",
        (json_int_t)census->last_ms, "locks", describe_rows(&findings->lock_rows), "herds",
        describe_rows(&findings->herds), "expired", describe_rows(&findings->expiries), "minutes",
        describe_rows(&findings->minutes), "sequences", describe_sequences(findings), "flaws",
        flaws, "verdict", json_result_verdict(findings_lose(findings) ? 4 : 0));
#define X(name) json_object_set_new(json, #name, json_integer((json_int_t)findings->name));
    AUTOPSY_COUNTS(X)
#undef X
    return json;
}
