// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS   5 /* of a table on the screen; the files have all */
#define DOUBTS 3
/* From here on a number is told: half of what ZooKeeper can count. */
#define SEQUENCE_HIGH (UINT32_C(1) << 30)
#define SEQUENCE_END  (UINT32_C(1) << 31)
/* A lock that refuses more creates for each grant herds. */
#define HERD_REFUSALS 1.5

#define TIME_SIZE 32

static const char *time_text(int64_t ms, char text[TIME_SIZE])
{
    clock_format_utc(ms > 0 ? (uint64_t)ms * NS_PER_MS : 0, 0, text, TIME_SIZE);
    return text;
}

/* ------------------------------------------------------------------ tables */

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

/* The rows with the most of a column. */
struct screen {
    const char *title;
    const struct table *table;
    size_t by;
    const struct row_column *columns;
    size_t count;
};

static const struct row_column lock_columns[] = {
    {.column = autopsy_lock_recipe},
    {.column = autopsy_lock_grants},
    {.column = autopsy_lock_handoffs},
    {.column = autopsy_lock_waiters_max, .over = "most", .title = "waiters"},
    {.column = autopsy_lock_refused},
    {.column = autopsy_lock_expired},
    {.column = autopsy_lock_held_s, .title = "held s", .decimals = 1},
    {.column = autopsy_lock_waited_max_s, .over = "longest", .title = "wait s", .decimals = 1},
    {.column = autopsy_lock_path, .title = "lock", .below = true},
};

static const struct row_column herd_columns[] = {
    {.column = autopsy_herd_begin_ms, .title = "began (UTC)"},
    {.column = autopsy_herd_end_ms, .title = "ended"},
    {.column = autopsy_herd_errors},
    {.column = autopsy_herd_sessions},
    {.column = autopsy_herd_error},
    {.column = autopsy_herd_path, .title = "lock", .below = true},
};

static const struct row_column expiry_columns[] = {
    {.column = autopsy_expiry_expired_ms, .title = "ended (UTC)"},
    {.column = autopsy_expiry_session},
    {.column = autopsy_expiry_end, .title = "expired?"},
    {.column = autopsy_expiry_timeout_ms, .over = "timeout", .title = "ms"},
    {.column = autopsy_expiry_silent_ms, .over = "silent", .title = "ms"},
    {.column = autopsy_expiry_waiters},
    {.column = autopsy_expiry_path, .title = "lock", .below = true},
};

static const struct row_column minute_columns[] = {
    {.column = autopsy_minute_begin_ms, .title = "minute (UTC)"},
    {.column = autopsy_minute_transactions},
    {.column = autopsy_minute_creates},
    {.column = autopsy_minute_deletes},
    {.column = autopsy_minute_errors},
    {.column = autopsy_minute_expired},
    {.column = autopsy_minute_waiters_max, .title = "waiters"},
};

static void write_screen(const struct screen *screen, FILE *stream)
{
    size_t rows[ROWS], count = rank(screen->table, screen->by, rows);
    const struct row_grid grid = {.table = screen->table,
                                  .rows = rows,
                                  .row_count = count,
                                  .columns = screen->columns,
                                  .column_count = screen->count};
    if (count == 0)
        return;
    fprintf(stream, "%s", screen->title);
    if (screen->table->rows > count)
        fprintf(stream, ", %zu of %zu", count, screen->table->rows);
    fputs(":\n", stream);
    row_grid_write(&grid, terminal_columns(STDOUT_FILENO), stream);
    fputs("\n", stream);
}

#define SCREEN(title, table, by, columns, stream)                                                  \
    write_screen(                                                                                  \
        &(struct screen){title, table, by, columns, sizeof(columns) / sizeof(columns)[0]}, stream)

/* ------------------------------------------------------------------ what people came for */

/* The first row on the screen: what stood still, or what most waited for; NULL: there is no lock.
 */
static const struct table_value *first_lock(const struct findings *findings)
{
    size_t rows[ROWS];
    return rank(&findings->lock_rows, autopsy_lock_rank, rows) > 0
               ? table_row(&findings->lock_rows, rows[0])
               : NULL;
}

/* The lock that refused the most creates, zkherd's own last; NULL: none has. */
static const struct table_value *most_refused(const struct findings *findings)
{
    const struct table_value *found = NULL;
    double most = 0;
    for (size_t i = 0; i < findings->lock_rows.rows; i++) {
        const struct table_value *row = table_row(&findings->lock_rows, i);
        double refused = table_number(&row[autopsy_lock_refused]);
        if (row[autopsy_lock_rank].real < 0)
            refused /= 1e12;
        if (refused > most) {
            most = refused;
            found = row;
        }
    }
    return found;
}

/* Whether there was a herd, and what would mend it; for the caller to free. */
static char *conclude(const struct findings *findings)
{
    const struct table_value *lock = most_refused(findings);
    char path[512];
    if (findings->lock_rows.rows == 0)
        return memory_text(census_doubt(findings->overview.census, 0) != NULL
                               ? "No lock is certain: see what is undecided."
                               : "No lock was found.");
    if (lock == NULL)
        return memory_text("No herd of creates: no lock refused one. Whether the clients of a "
                           "queue herd is in no log: zkherd tap counts it.");
    double refused = table_number(&lock[autopsy_lock_refused]),
           each = refused / (table_number(&lock[autopsy_lock_grants]) + 1e-9);
    const char *name = printable_text(lock[autopsy_lock_path].text, path, sizeof path);
    if (lock[autopsy_lock_handoffs].count == 0)
        return memory_format("No herd: %s never passed on, and refused %.0f creates.", name,
                             refused);
    if (each <= HERD_REFUSALS || lock[autopsy_lock_waiters_max].count < 2)
        return memory_format("No herd: %s refused %.0f creates, %.1f a grant.", name, refused,
                             each);
    return memory_format(
        "Herd: %.0f %% of all transactions were creates that %s refused: %.0f a grant, up to "
        "%" PRIu64 " waiters. With a queue, as kazoo's Lock and Curator's InterProcessMutex: none "
        "refused, 6 requests a grant.",
        100 * refused / (double)findings->transactions, name, each,
        lock[autopsy_lock_waiters_max].count);
}

/* How long a lock was held at most, by which session, and whether it stood still. */
static void write_hold(const struct table_value *lock, FILE *stream)
{
    const char *session = lock[autopsy_lock_held_max_session].text;
    char path[512], from[TIME_SIZE], held[32], waiting[64] = "";
    bool stood_still = lock[autopsy_lock_stood_still].flag;
    if (lock[autopsy_lock_held_max_s].kind == TABLE_UNKNOWN)
        return;
    if (stood_still)
        snprintf(waiting, sizeof waiting, " to the end, while %" PRIu64 " waited",
                 lock[autopsy_lock_waiting].count);
    wrap_sentence(stream, "%s of %s: %s by %s, from %s%s.",
                  stood_still ? "Stood still: hold" : "Longest hold",
                  printable_text(lock[autopsy_lock_path].text, path, sizeof path),
                  text_format_duration((uint64_t)(1e9 * lock[autopsy_lock_held_max_s].real), held,
                                       sizeof held),
                  session != NULL ? session : "a znode of no session",
                  time_text(lock[autopsy_lock_held_max_begin_ms].number, from), waiting);
}

/* ------------------------------------------------------------------ sentences */

static void write_head(const struct findings *findings, FILE *stream)
{
    const struct overview *overview = &findings->overview;
    char first[TIME_SIZE], last[TIME_SIZE], transactions[32];
    wrap_sentence(stream,
                  "%s transactions, zxid 0x%" PRIx64 " to 0x%" PRIx64 ", %s to %s, in %zu %s.",
                  text_format_count(overview->transactions, transactions, sizeof transactions),
                  (uint64_t)overview->first_zxid, (uint64_t)overview->last_zxid,
                  time_text(overview->first_ms, first), time_text(overview->last_ms, last),
                  findings->logs, findings->logs == 1 ? "log" : "logs");
    if (findings->transactions < overview->transactions)
        wrap_sentence(stream, "Of these, %s are of the time that is asked for.",
                      text_format_count(findings->transactions, transactions, sizeof transactions));
    fputs("\n", stream);
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
    if (findings->sessions_undecided > 0)
        wrap_sentence(stream,
                      "%" PRIu64 " sessions expired or closed themselves by a request of number 0: "
                      "the log does not tell which.",
                      findings->sessions_undecided);
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

static void write_doubts(const struct findings *findings, FILE *stream)
{
    const struct census_doubt *doubt;
    for (size_t i = 0; i < DOUBTS && (doubt = census_doubt(findings->overview.census, i)) != NULL;
         i++) {
        char path[512];
        wrap_sentence(stream,
                      "Undecided: %" PRIu64 " refused creates of %" PRIu64
                      " sessions %s of %s, the "
                      "only one that was there; none of them ever created it.",
                      doubt->refusals, doubt->sessions, doubt->is_lock ? "seem to be" : "may be",
                      printable_text(doubt->path, path, sizeof path));
    }
}

static void write_clock(const struct findings *findings, FILE *stream)
{
    const struct autopsy_clock *clock = &findings->overview.clock;
    char most[32];
    if (clock->steps > 0)
        wrap_sentence(stream,
                      "Times go back %" PRIu64 " times, by up to %s at zxid 0x%" PRIx64
                      "%s: durations across "
                      "that are not exact.",
                      clock->steps,
                      text_format_duration((uint64_t)clock->most_ms * NS_PER_MS, most, sizeof most),
                      (uint64_t)clock->most_zxid,
                      clock->at_epoch ? ", where another leader's clock begins" : "");
}

static void write_sequences(const struct findings *findings, FILE *stream)
{
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++) {
        const struct autopsy_sequence *sequence = &findings->sequences[i];
        char folder[512];
        if (sequence->next >= SEQUENCE_HIGH)
            wrap_sentence(
                stream,
                "The next sequence number in %s is %" PRIu32 ": %.1f %% of 2^31. From "
                "there on servers since 3.6 give 2147483647 again and again, and negative "
                "numbers to creates in flight; older ones give negative numbers.",
                printable_text(sequence->folder, folder, sizeof folder), sequence->next,
                100.0 * sequence->next / SEQUENCE_END);
    }
}

/* The table of locks and the answer are last: they stay on the screen. */
void autopsy_write(const struct findings *findings, FILE *stream)
{
    const struct table_value *first = first_lock(findings);
    write_head(findings, stream);
    SCREEN("costliest minutes", &findings->minutes, autopsy_minute_transactions, minute_columns,
           stream);
    SCREEN("sessions that expired, or may have", &findings->expiries, autopsy_expiry_held,
           expiry_columns, stream);
    SCREEN("herds: bursts of error transactions", &findings->herds, autopsy_herd_errors,
           herd_columns, stream);
    write_counts(findings, stream);
    write_doubts(findings, stream);
    write_clock(findings, stream);
    write_sequences(findings, stream);
    for (size_t i = 0; i < findings->flaws.rows; i++)
        wrap_sentence(stream, "%s", table_row(&findings->flaws, i)[autopsy_flaw_sentence].text);
    fputs("\n", stream);
    SCREEN("locks with the most waiters", &findings->lock_rows, autopsy_lock_rank, lock_columns,
           stream);
    if (first != NULL)
        write_hold(first, stream);
    char *answer = conclude(findings);
    wrap_sentence(stream, "%s", answer);
    free(answer);
    wrap_sentence(stream,
                  "A log has no reads, watches and notifications: turns follow from znodes.");
    if (findings_lose(findings))
        wrap_sentence(stream, "Not valid: transactions are missing.");
}

/* ------------------------------------------------------------------ JSON */

static json_t *describe_sequences(const struct findings *findings)
{
    json_t *list = json_array();
    for (size_t i = 0; i < AUTOPSY_SEQUENCES && findings->sequences[i].folder != NULL; i++)
        json_array_append_new(list, json_pack("{s:o, s:I}", "folder",
                                              json_text(findings->sequences[i].folder), "next",
                                              (json_int_t)findings->sequences[i].next));
    return list;
}

static json_t *describe_doubts(const struct findings *findings)
{
    json_t *list = json_array();
    const struct census_doubt *doubt;
    for (size_t i = 0; (doubt = census_doubt(findings->overview.census, i)) != NULL; i++)
        json_array_append_new(list, json_pack("{s:o, s:b, s:I, s:I}", "path",
                                              json_text(doubt->path), "is_lock", doubt->is_lock,
                                              "refused", (json_int_t)doubt->refusals, "sessions",
                                              (json_int_t)doubt->sessions));
    return list;
}

json_t *autopsy_describe(const struct findings *findings, const char *folder)
{
    const struct overview *overview = &findings->overview;
    json_t *flaws = json_array();
    for (size_t i = 0; i < findings->flaws.rows; i++)
        json_array_append_new(
            flaws, json_text(table_row(&findings->flaws, i)[autopsy_flaw_sentence].text));
    char *answer = conclude(findings);
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:s}",
        "folder", json_result_text(folder), "logs", (json_int_t)findings->logs, "transactions",
        (json_int_t)findings->transactions, "first_zxid", (json_int_t)overview->first_zxid,
        "last_zxid", (json_int_t)overview->last_zxid, "first_ms", (json_int_t)overview->first_ms,
        "last_ms", (json_int_t)overview->last_ms, "locks", json_result_rows(&findings->lock_rows),
        "herds", json_result_rows(&findings->herds), "expired",
        json_result_rows(&findings->expiries), "minutes", json_result_rows(&findings->minutes),
        "sequences", describe_sequences(findings), "flaws", flaws, "clock_back_ms",
        (json_int_t)overview->clock.most_ms, "doubts", describe_doubts(findings), "answer",
        json_text(answer), "verdict", json_result_verdict(findings_lose(findings) ? 4 : 0));
    free(answer);
#define X(name) json_object_set_new(json, #name, json_integer((json_int_t)findings->name));
    AUTOPSY_COUNTS(X)
#undef X
    return json;
}
