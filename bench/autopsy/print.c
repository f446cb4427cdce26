// SPDX-License-Identifier: Apache-2.0
/* What the findings come to, as rows, on the terminal and in JSON. */
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/cli/terminal.h"
#include "bench/output/findings.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TABLE_DEFINE(autopsy_flaw, "flaws.csv", AUTOPSY_FLAW_COLUMNS)

#define ROWS   5 /* of a table on the screen; the files have all */
#define DOUBTS 3
/* From here on a number is told: half of what ZooKeeper can count. */
#define SEQUENCE_HIGH (UINT32_C(1) << 30)
#define SEQUENCE_END  (UINT32_C(1) << 31)
/* A lock that refuses more creates for each grant herds. */
#define HERD_REFUSALS 1.5

#define TEXT_SIZE 512 /* of a path, or a time */

static const char *time_text(int64_t ms, char text[TEXT_SIZE])
{
    clock_format_utc(ms > 0 ? (uint64_t)ms * NS_PER_MS : 0, 0, text, TEXT_SIZE);
    return text;
}

static const char *path_text(const struct table_value *path, char text[TEXT_SIZE])
{
    return printable_text(path->text, text, TEXT_SIZE);
}

bool autopsy_loses(const struct findings *findings)
{
    bool loses = false;
    for (size_t i = 0; i < findings->flaws.rows; i++)
        loses = loses || table_row(&findings->flaws, i)[autopsy_flaw_loses].flag;
    return loses;
}

/* ------------------------------------------------------------------ what people came for */

static double count_of(const struct table_value *lock, enum autopsy_lock_column column)
{
    return table_number(&lock[column]);
}

/* The row with the most of a column; zkherd's own count if there are no others. NULL: there is no
 * row. */
static const struct table_value *most(const struct table *locks, enum autopsy_lock_column column)
{
    const struct table_value *found = NULL;
    for (size_t i = 0; i < locks->rows; i++) {
        const struct table_value *row = table_row(locks, i);
        bool is_own = row[autopsy_lock_own].flag;
        if (found == NULL || is_own < found[autopsy_lock_own].flag ||
            (is_own == found[autopsy_lock_own].flag &&
             count_of(row, column) > count_of(found, column)))
            found = row;
    }
    return found;
}

static void conclude_hold(struct findings *findings, const struct table_value *lock)
{
    const char *session = lock[autopsy_lock_held_max_session].text;
    char path[TEXT_SIZE], from[TEXT_SIZE], held[32];
    double held_s = count_of(lock, autopsy_lock_held_max_s);
    findings_add(&findings->answers,
                 &(struct finding){.slug = "stood-still",
                                   .subject = lock[autopsy_lock_path].text,
                                   .verdict = VERDICT_MEASURED,
                                   .figure = FINDING_FIGURE(held_s),
                                   .unit = "s"},
                 "Stood still: %s, held for %s by %s, from %s to the end, while %.0f waited",
                 path_text(&lock[autopsy_lock_path], path),
                 text_format_duration((uint64_t)(1e9 * held_s), held, sizeof held),
                 session != NULL ? session : "a znode of no session",
                 time_text(lock[autopsy_lock_held_max_begin_ms].number, from),
                 count_of(lock, autopsy_lock_waiting));
}

static void conclude_herd(struct findings *findings, const struct table_value *lock)
{
    struct finding finding = {.slug = "herd",
                              .subject = lock != NULL ? lock[autopsy_lock_path].text : "",
                              .verdict = VERDICT_MEASURED,
                              .figure = FINDING_NO_FIGURE};
    char path[TEXT_SIZE];
    if (lock == NULL) {
        findings_add(&findings->answers, &finding, "%s",
                     census_doubt(findings->census, 0) != NULL
                         ? "No lock is certain: see what is undecided"
                         : "No lock was found");
        return;
    }
    double refused = count_of(lock, autopsy_lock_refused),
           grants = count_of(lock, autopsy_lock_grants), each = grants > 0 ? refused / grants : 0;
    const char *name = path_text(&lock[autopsy_lock_path], path);
    finding.figure.value = each;
    finding.unit = "refused creates a grant";
    if (refused == 0)
        findings_add(&findings->answers, &finding,
                     "No herd of creates: no lock refused one. Whether the clients of a queue herd "
                     "is in no log: zkherd tap counts it");
    else if (count_of(lock, autopsy_lock_handoffs) == 0)
        findings_add(&findings->answers, &finding,
                     "No herd: %s never passed on, and refused %.0f creates", name, refused);
    else if (each <= HERD_REFUSALS || count_of(lock, autopsy_lock_waiters_max) < 2)
        findings_add(&findings->answers, &finding, "No herd: %s refused %.0f creates, %.1f a grant",
                     name, refused, each);
    else
        findings_add(&findings->answers, &finding,
                     "Herd: %.0f %% of all transactions were creates that %s refused: %.3g a "
                     "grant, up to %.0f waiters; with kazoo's Lock or Curator's "
                     "InterProcessMutex: none refused, 6 requests a grant",
                     100 * refused / (double)findings->transactions, name, each,
                     count_of(lock, autopsy_lock_waiters_max));
}

void autopsy_conclude(struct findings *findings)
{
    const struct table_value *first = most(&findings->lock_rows, autopsy_lock_rank);
    if (first != NULL && first[autopsy_lock_stood_still].flag)
        conclude_hold(findings, first);
    conclude_herd(findings, most(&findings->lock_rows, autopsy_lock_refused));
}

static const char *answer(const struct findings *findings, size_t row)
{
    return table_row(&findings->answers, row)[finding_sentence].text;
}

/* ------------------------------------------------------------------ tables */

static const struct row_column lock_columns[] = {
    {.column = autopsy_lock_recipe},
    {.column = autopsy_lock_grants},
    {.column = autopsy_lock_handoffs, .over = "hand", .title = "offs"},
    {.column = autopsy_lock_waiters_max, .over = "most", .title = "wait"},
    {.column = autopsy_lock_refused},
    {.column = autopsy_lock_expired, .over = "ex-", .title = "pired"},
    {.column = autopsy_lock_held_s, .title = "held s", .decimals = 1},
    {.column = autopsy_lock_held_max_s, .over = "longest", .title = "held s", .decimals = 1},
    {.column = autopsy_lock_waited_max_s, .over = "longest", .title = "wait s", .decimals = 1},
    {.column = autopsy_lock_path, .title = "lock", .below = true},
    {.column = autopsy_lock_held_max_session, .title = "longest by", .below = true},
    {.column = autopsy_lock_held_max_begin_ms, .title = "from", .below = true},
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

/* Writes the rows with the most of a column, the first of equals first. */
static void write_most(const char *title, const struct table *table, size_t by,
                       const struct row_column *columns, size_t column_count, FILE *stream)
{
    size_t rows[ROWS], count = 0;
    for (size_t i = 0; i < table->rows; i++) {
        double value = table_number(&table_row(table, i)[by]);
        size_t at = count;
        while (at > 0 && table_number(&table_row(table, rows[at - 1])[by]) < value)
            at--;
        if (at == ROWS)
            continue;
        count += count < ROWS;
        memmove(rows + at + 1, rows + at, (count - 1 - at) * sizeof *rows);
        rows[at] = i;
    }
    if (count == 0)
        return;
    fprintf(stream, "%s", title);
    if (table->rows > count)
        fprintf(stream, ", %zu of %zu", count, table->rows);
    fputs(":\n", stream);
    row_grid_write(&(struct row_grid){.table = table,
                                      .rows = rows,
                                      .row_count = count,
                                      .columns = columns,
                                      .column_count = column_count},
                   terminal_columns(STDOUT_FILENO), stream);
    fputs("\n", stream);
}

#define WRITE_MOST(title, table, by, columns, stream)                                              \
    write_most(title, &(table), by, columns, sizeof(columns) / sizeof *(columns), stream)

/* ------------------------------------------------------------------ sentences */

static void write_extent(const struct findings *findings, FILE *stream)
{
    char first[TEXT_SIZE], last[TEXT_SIZE], count[32];
    wrap_sentence(
        stream, "%s transactions, zxid 0x%" PRIx64 " to 0x%" PRIx64 ", %s to %s, in %zu log%s.",
        text_format_count(findings->read, count, sizeof count), (uint64_t)findings->first_zxid,
        (uint64_t)findings->last_zxid, time_text(findings->first_ms, first),
        time_text(findings->last_ms, last), findings->logs, text_plural(findings->logs));
    if (findings->transactions < findings->read)
        wrap_sentence(stream, "Of these, %s are of the time that is asked for.",
                      text_format_count(findings->transactions, count, sizeof count));
    fputs("\n", stream);
}

/* Those that are not 0. */
static void write_counts(const struct findings *findings, FILE *stream)
{
    const struct {
        uint64_t count;
        const char *words;
    } counts[] = {
#define X(name, words) {findings->name, words},
        AUTOPSY_COUNTS(X)
#undef X
    };
    struct growing_text line = {0};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char number[32];
        if (counts[i].count > 0)
            growing_text_add(&line, "%s%s %s", line.length > 0 ? "; " : "", counts[i].words,
                             text_format_count(counts[i].count, number, sizeof number));
    }
    if (line.length > 0)
        wrap_sentence(stream, "%s.", line.text);
    free(line.text);
}

/* What a log cannot tell, or tells not exactly. */
static void write_doubts(const struct findings *findings, FILE *stream)
{
    const struct census_doubt *doubt;
    char text[TEXT_SIZE];
    for (size_t i = 0; i < DOUBTS && (doubt = census_doubt(findings->census, i)) != NULL; i++)
        wrap_sentence(stream,
                      "Undecided: %" PRIu64 " refused creates of %" PRIu64
                      " sessions %s of %s, the only one that was there; none of them ever created "
                      "it.",
                      doubt->refusals, doubt->sessions, doubt->is_lock ? "seem to be" : "may be",
                      printable_text(doubt->path, text, sizeof text));
    if (findings->back.steps > 0)
        wrap_sentence(
            stream,
            "Times go back %" PRIu64 " times, by up to %s at zxid 0x%" PRIx64
            "%s: durations across that are not exact.",
            findings->back.steps,
            text_format_duration((uint64_t)findings->back.most_ms * NS_PER_MS, text, sizeof text),
            (uint64_t)findings->back.most_zxid,
            findings->back.at_epoch ? ", where another leader's clock begins" : "");
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++) {
        const struct sequence *sequence = &findings->sequences[i];
        if (sequence->next >= SEQUENCE_HIGH)
            wrap_sentence(stream,
                          "The next sequence number in %s is %" PRIu32
                          ": %.1f %% of 2^31. From there on servers since 3.6 give 2147483647 "
                          "again and again, and negative numbers to creates in flight; older ones "
                          "give negative numbers.",
                          printable_text(sequence->folder, text, sizeof text), sequence->next,
                          100.0 * sequence->next / SEQUENCE_END);
    }
    for (size_t i = 0; i < findings->flaws.rows; i++)
        wrap_sentence(stream, "%s", table_row(&findings->flaws, i)[autopsy_flaw_sentence].text);
}

/* The table of locks and the answer are last: they stay on the screen. */
void autopsy_write(const struct findings *findings, FILE *stream)
{
    write_extent(findings, stream);
    WRITE_MOST("costliest minutes", findings->spans[MINUTES], autopsy_minute_transactions,
               minute_columns, stream);
    WRITE_MOST("sessions that expired, or may have", findings->expiries, autopsy_expiry_held,
               expiry_columns, stream);
    WRITE_MOST("herds: bursts of error transactions", findings->herds, autopsy_herd_errors,
               herd_columns, stream);
    write_counts(findings, stream);
    write_doubts(findings, stream);
    fputs("\n", stream);
    WRITE_MOST("locks with the most waiters", findings->lock_rows, autopsy_lock_rank, lock_columns,
               stream);
    for (size_t i = 0; i < findings->answers.rows; i++)
        wrap_sentence(stream, "%s.", answer(findings, i));
    fputs("A log has no reads, watches, notifications, and no path of what it refused.\n", stream);
    if (autopsy_loses(findings))
        fputs("Not valid: transactions are missing.\n", stream);
}

/* ------------------------------------------------------------------ JSON */

json_t *autopsy_describe(const struct findings *findings, const char *folder)
{
    json_t *flaws = json_array(), *sequences = json_array(), *doubts = json_array();
    const struct census_doubt *doubt;
    for (size_t i = 0; i < findings->flaws.rows; i++)
        json_array_append_new(
            flaws, json_text(table_row(&findings->flaws, i)[autopsy_flaw_sentence].text));
    for (size_t i = 0; i < AUTOPSY_SEQUENCES && findings->sequences[i].folder != NULL; i++)
        json_array_append_new(sequences, json_pack("{s:o, s:I}", "folder",
                                                   json_text(findings->sequences[i].folder), "next",
                                                   (json_int_t)findings->sequences[i].next));
    for (size_t i = 0; (doubt = census_doubt(findings->census, i)) != NULL; i++)
        json_array_append_new(doubts, json_pack("{s:o, s:b, s:I, s:I}", "path",
                                                json_text(doubt->path), "is_lock", doubt->is_lock,
                                                "refused", (json_int_t)doubt->refusals, "sessions",
                                                (json_int_t)doubt->sessions));
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, "
        "s:s}",
        "folder", json_result_text(folder), "logs", (json_int_t)findings->logs, "transactions",
        (json_int_t)findings->transactions, "first_zxid", (json_int_t)findings->first_zxid,
        "last_zxid", (json_int_t)findings->last_zxid, "first_ms", (json_int_t)findings->first_ms,
        "last_ms", (json_int_t)findings->last_ms, "locks", json_result_rows(&findings->lock_rows),
        "herds", json_result_rows(&findings->herds), "expired",
        json_result_rows(&findings->expiries), "minutes",
        json_result_rows(&findings->spans[MINUTES]), "sequences", sequences, "flaws", flaws,
        "clock_back_ms", (json_int_t)findings->back.most_ms, "doubts", doubts, "answer",
        json_text(answer(findings, findings->answers.rows - 1)), "findings",
        json_result_rows(&findings->answers), "verdict",
        json_result_verdict(autopsy_loses(findings) ? 4 : 0));
#define X(name, words) json_object_set_new(json, #name, json_integer((json_int_t)findings->name));
    AUTOPSY_COUNTS(X)
#undef X
    return json;
}
