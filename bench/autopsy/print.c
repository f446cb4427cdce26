// SPDX-License-Identifier: Apache-2.0
/* What the rows come to: findings, and views on the terminal and in JSON. */
#include "base/memory.h"
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
TABLE_DEFINE(autopsy_doubt, "doubts.csv", AUTOPSY_DOUBT_COLUMNS)

#define ROWS 5 /* of a table on the screen; the files have all */
/* The number from which on a queue has a warning: half of what ZooKeeper can count. */
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

/* ------------------------------------------------------------------ counts */

/* Counts of the time that is asked for: sums over its periods. */
static const struct {
    enum autopsy_period_column column;
    const char *name, *words;
} counts[] = {
    {autopsy_period_opened, "sessions_opened", "sessions began"},
    {autopsy_period_closed, "sessions_closed", "ended"},
    {autopsy_period_expired, "sessions_expired", "expired"},
    {autopsy_period_undecided, "sessions_undecided",
     "expired or closed themselves by a request of number 0"},
    {autopsy_period_errors, "errors", "error transactions"},
    {autopsy_period_refused, "refused", "creates that a lock refused"},
    {autopsy_period_own_refused, "own_refused", "creates that a lock of zkherd itself refused"},
    {autopsy_period_unattributed, "unattributed", "refused creates of no lock that is known"},
    {autopsy_period_columns_count, "orphans",
     "ephemeral znodes of a snapshot that have outlived their sessions"},
};
#define COUNTS (sizeof counts / sizeof counts[0])

static uint64_t count_of(const struct autopsy *autopsy, enum autopsy_period_column column)
{
    const struct table *periods = &autopsy->tables[PERIODS];
    uint64_t sum = 0;
    if (column == autopsy_period_columns_count) /* of a snapshot, which has no period */
        return autopsy->orphans;
    for (size_t i = 0; i < periods->rows; i++)
        sum += table_row(periods, i)[column].count;
    return sum;
}

/* ------------------------------------------------------------------ findings */

/* The row with the most of a column, one of zkherd's own only if there is no other; NULL: there is
 * no row. */
static const struct table_value *most(const struct table *locks, enum autopsy_lock_column column)
{
    const struct table_value *found = NULL;
    double of_found = 0;
    for (size_t i = 0; i < locks->rows; i++) {
        const struct table_value *row = table_row(locks, i);
        const double value = table_number(&row[column]) - (row[autopsy_lock_own].flag ? 1e13 : 0);
        if (found == NULL || value > of_found) {
            found = row;
            of_found = value;
        }
    }
    return found;
}

static void conclude_hold(struct autopsy *autopsy, const struct table_value *lock)
{
    const char *name = lock[autopsy_lock_path].text,
               *session = lock[autopsy_lock_held_max_session].text;
    const double held_s = table_number(&lock[autopsy_lock_held_max_s]);
    char path[TEXT_SIZE], from[TEXT_SIZE], held[32];
    findings_add(&autopsy->tables[FINDINGS],
                 FINDING_MEASURED("stood-still", name, FINDING_FIGURE(held_s), "s", 0),
                 "Stood still: %s, held for %s by %s, from %s to the end, while %" PRIu64 " waited",
                 printable_text(name, path, sizeof path),
                 text_format_duration((uint64_t)(1e9 * held_s), held, sizeof held),
                 session != NULL ? session : "a znode of no session",
                 time_text(lock[autopsy_lock_held_max_begin_ms].number, from),
                 lock[autopsy_lock_waiting].count);
}

static void conclude_herd(struct autopsy *autopsy, const struct table_value *lock)
{
    const uint64_t refused = lock[autopsy_lock_refused].count,
                   grants = lock[autopsy_lock_grants].count,
                   waiters = lock[autopsy_lock_waiters_max].count;
    const double each = grants > 0 ? (double)refused / (double)grants : 0,
                 all = (double)count_of(autopsy, autopsy_period_transactions);
    struct table *findings = &autopsy->tables[FINDINGS];
    const struct finding *finding = FINDING_MEASURED(
        "herd", lock[autopsy_lock_path].text, FINDING_FIGURE(each), "refused creates a grant", 0);
    char name[TEXT_SIZE];
    printable_text(lock[autopsy_lock_path].text, name, sizeof name);
    if (refused == 0)
        findings_add(findings, finding,
                     "No herd of creates: no lock refused one. Whether the clients of a queue herd "
                     "is in no log: zkherd tap counts it");
    else if (lock[autopsy_lock_handoffs].count == 0)
        findings_add(findings, finding,
                     "No herd: %s never passed on, and refused %" PRIu64 " creates", name, refused);
    else if (each <= HERD_REFUSALS || waiters < 2)
        findings_add(findings, finding, "No herd: %s refused %" PRIu64 " creates, %.1f a grant",
                     name, refused, each);
    else
        findings_add(findings, finding,
                     "Herd: %.0f %% of all transactions were creates that %s refused: %.3g a "
                     "grant, up to %" PRIu64 " waiters; with kazoo's Lock or Curator's "
                     "InterProcessMutex: none refused, 6 requests a grant",
                     100 * (double)refused / all, name, each, waiters);
}

void autopsy_conclude(struct autopsy *autopsy)
{
    const struct table *locks = &autopsy->tables[LOCKS];
    const struct table_value *first = most(locks, autopsy_lock_rank);
    const struct census_doubt *doubt;
    const struct finding *none = FINDING_MEASURED("herd", "", FINDING_NO_FIGURE, NULL, 0);
    for (size_t i = 0; (doubt = census_doubt(autopsy->census, i)) != NULL; i++) {
        struct table_value *row = table_add(&autopsy->tables[DOUBTS]);
        row[autopsy_doubt_path] = table_text(doubt->path);
        row[autopsy_doubt_is_lock] = table_flag(doubt->is_lock);
        row[autopsy_doubt_refused] = table_count(doubt->refusals);
        row[autopsy_doubt_sessions] = table_count(doubt->sessions);
    }
    if (first != NULL && first[autopsy_lock_stood_still].flag)
        conclude_hold(autopsy, first);
    if (first != NULL)
        conclude_herd(autopsy, most(locks, autopsy_lock_refused));
    else
        findings_add(&autopsy->tables[FINDINGS], none, "%s",
                     autopsy->tables[DOUBTS].rows > 0 ? "No lock is certain: see what is undecided"
                                                      : "No lock was found");
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
static const struct row_column expiry_columns[] = {
    {.column = autopsy_expiry_expired_ms, .title = "ended (UTC)"},
    {.column = autopsy_expiry_session},
    {.column = autopsy_expiry_end, .title = "expired?"},
    {.column = autopsy_expiry_timeout_ms, .over = "timeout", .title = "ms"},
    {.column = autopsy_expiry_silent_ms, .over = "silent", .title = "ms"},
    {.column = autopsy_expiry_waiters},
    {.column = autopsy_expiry_path, .title = "lock", .below = true},
};
static const struct row_column doubt_columns[] = {
    {.column = autopsy_doubt_refused},
    {.column = autopsy_doubt_sessions},
    {.column = autopsy_doubt_is_lock, .title = "taken for a lock"},
    {.column = autopsy_doubt_path, .title = "znode"},
};

#define COLUMNS(list) list, sizeof(list) / sizeof(list)[0]

/* Prints the rows that have the most of a column, the first of equals first. */
static void print_most(const struct table *table, size_t by, const char *title,
                       const struct row_column *columns, size_t column_count)
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
    printf("%s", title);
    if (table->rows > count)
        printf(", %zu of %zu", count, table->rows);
    puts(":");
    row_grid_write(&(struct row_grid){.table = table,
                                      .rows = rows,
                                      .row_count = count,
                                      .columns = columns,
                                      .column_count = column_count},
                   terminal_columns(STDOUT_FILENO), stdout);
    putchar('\n');
}

/* ------------------------------------------------------------------ the terminal */

static void print_extent(const struct autopsy *autopsy)
{
    char first[TEXT_SIZE], last[TEXT_SIZE], count[32];
    const size_t logs = journal_logs(autopsy->journal);
    wrap_sentence(
        stdout, "%s transactions, zxid 0x%" PRIx64 " to 0x%" PRIx64 ", %s to %s, in %zu log%s.",
        text_format_count(autopsy->read, count, sizeof count), (uint64_t)autopsy->first_zxid,
        (uint64_t)autopsy->last_zxid, time_text(autopsy->first_ms, first),
        time_text(autopsy->last_ms, last), logs, text_plural(logs));
    uint64_t asked_for = count_of(autopsy, autopsy_period_transactions);
    if (asked_for < autopsy->read)
        wrap_sentence(stdout, "Of these, %s are of the time that is asked for.",
                      text_format_count(asked_for, count, sizeof count));
    putchar('\n');
}

/* Those that are not 0. */
static void print_counts(const struct autopsy *autopsy)
{
    struct growing_text line = {0};
    char number[32];
    for (size_t i = 0; i < COUNTS; i++) {
        uint64_t count = count_of(autopsy, counts[i].column);
        if (count > 0)
            growing_text_add(&line, "%s%s %s", line.length > 0 ? "; " : "", counts[i].words,
                             text_format_count(count, number, sizeof number));
    }
    if (line.length > 0)
        wrap_sentence(stdout, "%s.", line.text);
    free(line.text);
}

/* Inexact times, sequence numbers that end soon, and flaws. */
static void print_cautions(const struct autopsy *autopsy)
{
    const struct table *locks = &autopsy->tables[LOCKS], *flaws = &autopsy->tables[FLAWS];
    char text[TEXT_SIZE];
    if (autopsy->back.steps > 0)
        wrap_sentence(
            stdout,
            "Times go back %" PRIu64 " times, by up to %s at zxid 0x%" PRIx64
            "%s: durations across that are not exact.",
            autopsy->back.steps,
            text_format_duration((uint64_t)autopsy->back.most_ms * NS_PER_MS, text, sizeof text),
            (uint64_t)autopsy->back.most_zxid,
            autopsy->back.at_epoch ? ", where another leader's clock begins" : "");
    for (size_t i = 0; i < locks->rows; i++) {
        const struct table_value *row = table_row(locks, i);
        const uint64_t next = row[autopsy_lock_next_sequence].count;
        if (row[autopsy_lock_next_sequence].kind == TABLE_COUNT && next >= SEQUENCE_HIGH)
            wrap_sentence(stdout,
                          "The next sequence number in %s is %" PRIu64
                          ": %.1f %% of 2^31. From there on servers since 3.6 give 2147483647 "
                          "again and again, and negative numbers to creates in flight; older ones "
                          "give negative numbers.",
                          printable_text(row[autopsy_lock_path].text, text, sizeof text), next,
                          100.0 * (double)next / SEQUENCE_END);
    }
    for (size_t i = 0; i < flaws->rows; i++)
        wrap_sentence(stdout, "%s", table_row(flaws, i)[autopsy_flaw_sentence].text);
}

/* The table of locks and the answer are last: they stay on the screen. */
void autopsy_print(const struct autopsy *autopsy)
{
    const struct table *tables = autopsy->tables;
    print_extent(autopsy);
    print_most(&tables[EXPIRIES], autopsy_expiry_held, "sessions that expired, or may have",
               COLUMNS(expiry_columns));
    print_counts(autopsy);
    print_cautions(autopsy);
    putchar('\n');
    print_most(&tables[DOUBTS], autopsy_doubt_refused,
               "undecided: creates that may have been refused by a znode", COLUMNS(doubt_columns));
    print_most(&tables[LOCKS], autopsy_lock_rank, "locks with the most waiters",
               COLUMNS(lock_columns));
    for (size_t i = 0; i < tables[FINDINGS].rows; i++)
        wrap_sentence(stdout, "%s.", table_row(&tables[FINDINGS], i)[finding_sentence].text);
    puts("A log has no reads, watches, notifications, and no path of what it refused.");
    if (autopsy->loses)
        puts("Not valid: transactions are missing.");
    if (autopsy->files.folder[0] != '\0' && !autopsy->output.quiet)
        printf("results in %s\n", autopsy->files.folder);
}

/* ------------------------------------------------------------------ JSON */

void autopsy_print_json(const struct autopsy *autopsy)
{
    static const char *const keys[AUTOPSY_TABLES] = {
        [LOCKS] = "locks", [EXPIRIES] = "expired", [DOUBTS] = "doubts", [FINDINGS] = "findings"};
    const struct table *flaw_rows = &autopsy->tables[FLAWS], *findings = &autopsy->tables[FINDINGS];
    json_t *flaws = json_array();
    for (size_t i = 0; i < flaw_rows->rows; i++)
        json_array_append_new(flaws,
                              json_text(table_row(flaw_rows, i)[autopsy_flaw_sentence].text));
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:s}", "folder",
        json_result_text(autopsy->files.folder), "logs", (json_int_t)journal_logs(autopsy->journal),
        "transactions", (json_int_t)count_of(autopsy, autopsy_period_transactions), "first_zxid",
        (json_int_t)autopsy->first_zxid, "last_zxid", (json_int_t)autopsy->last_zxid, "first_ms",
        (json_int_t)autopsy->first_ms, "last_ms", (json_int_t)autopsy->last_ms, "flaws", flaws,
        "clock_back_ms", (json_int_t)autopsy->back.most_ms, "answer",
        json_text(table_row(findings, findings->rows - 1)[finding_sentence].text), "verdict",
        verdict_word(autopsy->loses ? VERDICT_NOT_VALID : VERDICT_HOLDS));
    for (size_t i = 0; i < AUTOPSY_TABLES; i++)
        if (keys[i] != NULL)
            json_object_set_new(json, keys[i], json_result_rows(&autopsy->tables[i]));
    for (size_t i = 0; i < COUNTS; i++)
        json_object_set_new(json, counts[i].name,
                            json_integer((json_int_t)count_of(autopsy, counts[i].column)));
    json_result_write(json, stdout);
}
