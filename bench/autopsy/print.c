// SPDX-License-Identifier: Apache-2.0
/* What the rows come to: findings, and views on the terminal and in JSON. */
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

TABLE_DEFINE(autopsy_flaw, "flaws.csv", AUTOPSY_FLAW_COLUMNS)
TABLE_DEFINE(autopsy_doubt, "doubts.csv", AUTOPSY_DOUBT_COLUMNS)

#define ROWS 3 /* of a table on the screen; the files have all */
/* A queue has a warning from this number on, of 2^31. */
#define SEQUENCE_HIGH (UINT32_C(1) << 30)
/* A lock that refuses more creates for each grant herds. */
#define HERD_REFUSALS 1.5
/* Refused creates of no known lock that are more of all transactions may be a herd. */
#define UNKNOWN_MOST 0.5

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
    {autopsy_period_transactions, "transactions", "of the time that is asked for"},
    {autopsy_period_opened, "sessions_opened", "sessions that began"},
    {autopsy_period_closed, "sessions_closed", "sessions that ended"},
    {autopsy_period_expired, "sessions_expired", "of these expired"},
    {autopsy_period_undecided, "sessions_undecided", "of these expired, or closed themselves"},
    {autopsy_period_errors, "errors", "error transactions"},
    {autopsy_period_refused, "refused", "creates that a lock refused"},
    {autopsy_period_own_refused, "own_refused", "creates that a lock of zkherd itself refused"},
    {autopsy_period_unattributed, "unattributed", "refused creates of no lock that is known"},
    {autopsy_period_columns_count, "orphans", "ephemeral znodes that have outlived their sessions"},
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

/* ------------------------------------------------------------------ the first rows */

#define COLUMNS(list) list, sizeof(list) / sizeof(list)[0]

static const size_t by_waiters[] = {autopsy_lock_foreign, autopsy_lock_stood_still,
                                    autopsy_lock_certain, autopsy_lock_waiters_max};
static const size_t by_refused[] = {autopsy_lock_foreign, autopsy_lock_refused};
static const size_t by_held[] = {autopsy_expiry_held};
static const size_t by_doubts[] = {autopsy_doubt_refused};

/* Finds the first rows: those with the most of a column, then of the next, then as they stand. */
static size_t find_first(const struct table *table, const size_t *by, size_t by_count,
                         size_t rows[ROWS])
{
    struct table_cells cells = table_group(table, by, by_count);
    size_t count = 0;
    for (size_t i = cells.count; i-- > 0;)
        for (size_t j = 0; j < cells.list[i].count && count < ROWS; j++)
            rows[count++] = cells.list[i].rows[j];
    table_cells_deinit(&cells);
    return count;
}

/* ------------------------------------------------------------------ findings */

static void conclude_hold(struct table *findings, const struct table_value *lock)
{
    const char *name = lock[autopsy_lock_path].text,
               *session = lock[autopsy_lock_held_max_session].text;
    const double held_s = table_number(&lock[autopsy_lock_held_max_s]);
    const struct table_value *begin = &lock[autopsy_lock_held_max_begin_ms];
    const bool is_known = begin->kind != TABLE_UNKNOWN;
    char path[TEXT_SIZE], from[TEXT_SIZE] = "before the logs", held[32];
    if (is_known)
        time_text(begin->number, from);
    findings_add(findings, FINDING_MEASURED("stood-still", name, FINDING_FIGURE(held_s), "s", 0),
                 "Stood still%s: %s, held for %s%s by %s, from %s to the end, while %" PRIu64
                 " waited",
                 lock[autopsy_lock_certain].flag ? "" : ", unless these are members of a registry",
                 printable_text(name, path, sizeof path),
                 text_format_duration((uint64_t)(1e9 * held_s), held, sizeof held),
                 is_known ? "" : " or longer", session != NULL ? session : "a znode of no session",
                 from, lock[autopsy_lock_waiting].count);
}

static void conclude_herd(struct table *findings, const struct table_value *lock, double all)
{
    const uint64_t refused = lock[autopsy_lock_refused].count,
                   grants = lock[autopsy_lock_grants].count,
                   waiters = lock[autopsy_lock_waiters_max].count,
                   sure = refused - lock[autopsy_lock_refused_inferred].count;
    const double each = grants > 0 ? (double)refused / (double)grants : 0;
    const struct finding *finding = FINDING_MEASURED(
        "herd", lock[autopsy_lock_path].text, FINDING_FIGURE(each), "refused creates a grant", 0);
    char name[TEXT_SIZE];
    printable_text(finding->subject, name, sizeof name);
    if (refused == 0)
        findings_add(findings, finding,
                     "No herd of creates: no lock refused one. Whether the clients of a queue herd "
                     "is in no log: zkherd tap counts it");
    else if (lock[autopsy_lock_handoffs].count == 0)
        findings_add(findings, finding,
                     "No herd: %s never passed on, and refused %" PRIu64 " create%s", name, refused,
                     text_plural(refused));
    else if (each <= HERD_REFUSALS || waiters < 2)
        findings_add(findings, finding, "No herd: %s refused %" PRIu64 " create%s, %.1f a grant",
                     name, refused, text_plural(refused), each);
    else if ((double)sure <= HERD_REFUSALS * (double)grants && refused > (grants + 1) * waiters)
        /* more than releases wake: clients may create again what is there, as Kafka's brokers do */
        findings_add(findings, finding,
                     "Undecided: %s may have refused %" PRIu64 " creates, and surely %" PRIu64
                     ": zkherd tap counts them",
                     name, refused, sure);
    else
        findings_add(findings, finding,
                     "Herd: %.0f %% of all transactions were creates that %s refused: %.3g a "
                     "grant, up to %" PRIu64 " waiters; with kazoo's Lock or Curator's "
                     "InterProcessMutex: none refused, 6 requests a grant",
                     100 * (double)refused / all, name, each, waiters);
}

static void conclude_end(struct table *findings, const struct autopsy *autopsy)
{
    int64_t from;
    const size_t count = journal_unsettled(autopsy->journal, &from);
    if (count > 0)
        findings_add(
            findings,
            FINDING_MEASURED("unsettled", "", FINDING_FIGURE((double)count), "transactions", 0),
            "The last transactions, at most %zu, from zxid 0x%" PRIx64 " on, may not have been "
            "committed: in these folders no majority of the servers has them; name the other "
            "folders, too",
            count, (uint64_t)from);
}

void autopsy_conclude(struct autopsy *autopsy)
{
    const struct finding *none = FINDING_MEASURED("herd", "", FINDING_NO_FIGURE, NULL, 0);
    const struct table *locks = &autopsy->tables[LOCKS];
    struct table *findings = &autopsy->tables[FINDINGS];
    const double all = (double)count_of(autopsy, autopsy_period_transactions),
                 unknown = (double)count_of(autopsy, autopsy_period_unattributed);
    size_t first[ROWS], count = find_first(locks, COLUMNS(by_waiters), first);
    conclude_end(findings, autopsy);
    if (count > 0 && table_row(locks, first[0])[autopsy_lock_stood_still].flag)
        conclude_hold(findings, table_row(locks, first[0]));
    (void)find_first(locks, COLUMNS(by_refused), first);
    if (count == 0 && autopsy->tables[DOUBTS].rows > 0)
        findings_add(findings, none, "No lock is certain: see what is undecided");
    else if (unknown > UNKNOWN_MOST * all)
        findings_add(findings, none,
                     "Undecided: %.0f %% of all transactions were creates that no lock that is "
                     "known refused: zkherd tap says which znode did",
                     100 * unknown / all);
    else if (count == 0)
        findings_add(findings, none, "No lock was found");
    else
        conclude_herd(findings, table_row(locks, first[0]), all);
}

/* ------------------------------------------------------------------ the terminal */

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

/* The tables on the screen. */
static const struct {
    enum autopsy_rows table;
    const size_t *by;
    size_t by_count;
    const char *title;
    const struct row_column *columns;
    size_t column_count;
} views[] = {
    {EXPIRIES, COLUMNS(by_held), "sessions that expired, or may have", COLUMNS(expiry_columns)},
    {DOUBTS, COLUMNS(by_doubts), "undecided: creates that a znode may have refused",
     COLUMNS(doubt_columns)},
    {LOCKS, COLUMNS(by_waiters), "locks with the most waiters", COLUMNS(lock_columns)},
};

static void print_view(const struct autopsy *autopsy, size_t view)
{
    const struct table *table = &autopsy->tables[views[view].table];
    size_t rows[ROWS], count = find_first(table, views[view].by, views[view].by_count, rows);
    const struct row_grid grid = {.table = table,
                                  .rows = rows,
                                  .row_count = count,
                                  .columns = views[view].columns,
                                  .column_count = views[view].column_count};
    if (count == 0)
        return;
    printf("\n%s", views[view].title);
    if (table->rows > count)
        printf(", %zu of %zu", count, table->rows);
    puts(":");
    row_grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
}

static void print_counts(const struct autopsy *autopsy)
{
    char first[TEXT_SIZE], last[TEXT_SIZE], text[32];
    const size_t logs = journal_logs(autopsy->journal);
    wrap_sentence(stdout,
                  "%s transaction%s, zxid 0x%" PRIx64 " to 0x%" PRIx64 ", %s to %s, in %zu log%s.",
                  text_format_count(autopsy->read, text, sizeof text), text_plural(autopsy->read),
                  (uint64_t)autopsy->first_zxid, (uint64_t)autopsy->last_zxid,
                  time_text(autopsy->first_ms, first), time_text(autopsy->last_ms, last), logs,
                  text_plural(logs));
    for (size_t i = 0; i < COUNTS; i++) {
        const uint64_t count = count_of(autopsy, counts[i].column);
        if (i == 0 ? count < autopsy->read : count > 0)
            printf("%s: %s\n", counts[i].words, text_format_count(count, text, sizeof text));
    }
}

/* The answer, or before it what may not have been committed. */
static void print_findings(const struct autopsy *autopsy, bool unsettled)
{
    const struct table *findings = &autopsy->tables[FINDINGS];
    for (size_t i = 0; i < findings->rows; i++)
        if ((strcmp(table_row(findings, i)[finding_slug].text, "unsettled") == 0) == unsettled)
            wrap_sentence(stdout, "%s.", table_row(findings, i)[finding_sentence].text);
}

/* Inexact times, sequence numbers that end soon, and flaws. */
static void print_cautions(const struct autopsy *autopsy)
{
    const struct table *locks = &autopsy->tables[LOCKS], *flaws = &autopsy->tables[FLAWS];
    char text[TEXT_SIZE];
    text_format_duration((uint64_t)autopsy->back_ms * NS_PER_MS, text, sizeof text);
    if (autopsy->back_ms > 0)
        wrap_sentence(stdout,
                      "Times go back by up to %s, at zxid 0x%" PRIx64
                      ": durations across that are not exact.",
                      text, (uint64_t)autopsy->back_zxid);
    for (size_t i = 0; i < locks->rows; i++) {
        const struct table_value *row = table_row(locks, i),
                                 *next = &row[autopsy_lock_next_sequence];
        if (next->count >= SEQUENCE_HIGH)
            wrap_sentence(stdout,
                          "The next sequence number in %s is %" PRIu64
                          ": from 2^31 on servers since 3.6 give 2147483647 again and again, and "
                          "negative numbers to creates in flight; older ones negative numbers.",
                          printable_text(row[autopsy_lock_path].text, text, sizeof text),
                          next->count);
    }
    for (size_t i = 0; i < flaws->rows; i++)
        wrap_sentence(stdout, "%s", table_row(flaws, i)[autopsy_flaw_sentence].text);
    print_findings(autopsy, true);
}

/* The table of locks and the answer are last: they stay on the screen. */
void autopsy_print(const struct autopsy *autopsy)
{
    print_counts(autopsy);
    print_cautions(autopsy);
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        print_view(autopsy, i);
    putchar('\n');
    print_findings(autopsy, false);
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
        "clock_back_ms", (json_int_t)autopsy->back_ms, "answer",
        json_text(table_row(findings, findings->rows - 1)[finding_sentence].text), "verdict",
        verdict_word(autopsy->loses ? VERDICT_NOT_VALID : VERDICT_HOLDS));
    for (size_t i = 0; i < AUTOPSY_TABLES; i++)
        if (keys[i] != NULL)
            json_object_set_new(json, keys[i], json_result_rows(&autopsy->tables[i]));
    for (size_t i = 1; i < COUNTS; i++) /* the transactions stand above */
        json_object_set_new(json, counts[i].name,
                            json_integer((json_int_t)count_of(autopsy, counts[i].column)));
    json_result_write(json, stdout);
}
