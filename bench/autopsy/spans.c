// SPDX-License-Identifier: Apache-2.0
/* What happened in each minute and in each period, and bursts of error transactions. */
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "wire/message.h"

#include <string.h>

TABLE_DEFINE(autopsy_herd, "bursts.csv", AUTOPSY_HERD_COLUMNS)
TABLE_DEFINE(autopsy_minute, "minutes.csv", AUTOPSY_PERIOD_COLUMNS)
TABLE_DEFINE(autopsy_period, "periods.csv", AUTOPSY_PERIOD_COLUMNS)

#define PERIODS_MOST 1000
/* Error transactions are of one herd if they are no more apart; a herd has as many at least. */
#define HERD_GAP_MS    100
#define HERD_ERRORS    10
#define HERD_SESSIONS  2
#define HERD_CODES_MAX 16

/* The present one. */
struct herd {
    uint64_t number; /* from 1 */
    int64_t begin_ms, end_ms;
    uint64_t errors, sessions;
    struct {
        int32_t code;
        uint64_t errors;
    } codes[HERD_CODES_MAX];
    int64_t busiest;
    uint64_t busiest_errors;
    const struct locks_lock *lock;
};

/* ------------------------------------------------------------------ minutes and periods */

bool spans_ask_for(const struct findings *findings)
{
    return findings->is_second && findings->now_ms >= findings->from_ms &&
           findings->now_ms <= findings->until_ms;
}

/* The row of the present time, nearly always the last. Clocks may go back: rows are in the order of
 * time. */
static struct table_value *row_of(struct findings *findings, size_t span)
{
    struct table *table = &findings->spans[span];
    int64_t begin_ms = findings->now_ms - findings->now_ms % (int64_t)findings->span_ms[span];
    size_t row = table->rows, columns = table->type->count;
    while (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number > begin_ms)
        row--;
    if (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number == begin_ms)
        return table->values + (row - 1) * columns;
    (void)table_add(table);
    struct table_value *values = table->values + row * columns;
    memmove(values + columns, values, (table->rows - 1 - row) * columns * sizeof *values);
    values[autopsy_minute_begin_ms] = table_signed(begin_ms);
    values[autopsy_minute_seconds] = table_real((double)findings->span_ms[span] / 1e3);
    for (size_t i = autopsy_minute_transactions; i < autopsy_minute_columns_count; i++)
        values[i] = table_count(0);
    return values;
}

void spans_count(struct findings *findings, enum autopsy_minute_column column, uint64_t more)
{
    for (size_t i = 0; i < SPANS && spans_ask_for(findings); i++)
        row_of(findings, i)[column].count += more;
}

void raise_count(struct table_value *most, size_t count)
{
    if (most->count < count)
        most->count = count;
}

void spans_count_waiters(struct findings *findings)
{
    size_t holders, waiters;
    for (size_t i = 0; i < SPANS && spans_ask_for(findings); i++) {
        locks_count(findings->locks, &holders, &waiters);
        raise_count(&row_of(findings, i)[autopsy_minute_holders_max], holders);
        raise_count(&row_of(findings, i)[autopsy_minute_waiters_max], waiters);
    }
}

void spans_start(struct findings *findings)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, 60000, 600000};
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    int64_t from_ms =
                findings->least_ms > findings->from_ms ? findings->least_ms : findings->from_ms,
            until_ms =
                findings->last_ms < findings->until_ms ? findings->last_ms : findings->until_ms;
    while (length < last && (until_ms - from_ms) / (int64_t)lengths_ms[length] > PERIODS_MOST)
        length++;
    findings->span_ms[MINUTES] = 60000;
    findings->span_ms[PERIODS] = lengths_ms[length];
    findings->spans[MINUTES].type = &autopsy_minute_table;
    findings->spans[PERIODS].type = &autopsy_period_table;
    findings->herds.type = &autopsy_herd_table;
    findings->herd = memory_new(1, sizeof *findings->herd);
}

/* ------------------------------------------------------------------ bursts */

void bursts_end(struct findings *findings)
{
    const struct herd *herd = findings->herd;
    bool is_asked_for = findings->only == NULL ||
                        (herd->lock != NULL && strcmp(findings->only, herd->lock->path) == 0);
    if (herd->errors < HERD_ERRORS || herd->sessions < HERD_SESSIONS || !is_asked_for)
        return;
    size_t most = 0;
    for (size_t i = 1; i < HERD_CODES_MAX; i++)
        most = herd->codes[i].errors > herd->codes[most].errors ? i : most;
    struct table_value *row = table_add(&findings->herds);
    row[autopsy_herd_begin_ms] = table_signed(herd->begin_ms);
    row[autopsy_herd_end_ms] = table_signed(herd->end_ms);
    row[autopsy_herd_errors] = table_count(herd->errors);
    row[autopsy_herd_sessions] = table_count(herd->sessions);
    row[autopsy_herd_code] = table_signed(herd->codes[most].code);
    row[autopsy_herd_error] = table_text(message_error_name(herd->codes[most].code));
    row[autopsy_herd_of_code] = table_count(herd->codes[most].errors);
    row[autopsy_herd_session] = table_hex(herd->busiest);
    row[autopsy_herd_of_session] = table_count(herd->busiest_errors);
    if (herd->lock == NULL)
        return;
    row[autopsy_herd_lock] = table_count(herd->lock->index);
    row[autopsy_herd_path] = table_text(herd->lock->path);
}

void bursts_add(struct findings *findings, struct log_session *session, int32_t code,
                const struct locks_lock *lock)
{
    struct herd *herd = findings->herd;
    int64_t now_ms = findings->now_ms;
    if (now_ms - herd->end_ms > HERD_GAP_MS || herd->begin_ms - now_ms > HERD_GAP_MS) {
        bursts_end(findings);
        *herd = (struct herd){.number = herd->number + 1, .begin_ms = now_ms, .end_ms = now_ms};
    }
    if (now_ms > herd->end_ms)
        herd->end_ms = now_ms;
    if (now_ms < herd->begin_ms)
        herd->begin_ms = now_ms;
    herd->errors++;
    size_t i = 0;
    while (i < HERD_CODES_MAX && herd->codes[i].errors > 0 && herd->codes[i].code != code)
        i++;
    if (i < HERD_CODES_MAX) {
        herd->codes[i].code = code;
        herd->codes[i].errors++;
    }
    session->herd_errors = session->herd == herd->number ? session->herd_errors + 1 : 1;
    herd->sessions += session->herd != herd->number;
    session->herd = herd->number;
    if (session->herd_errors > herd->busiest_errors) {
        herd->busiest_errors = session->herd_errors;
        herd->busiest = session->id;
    }
    if (herd->lock == NULL)
        herd->lock = lock;
}
