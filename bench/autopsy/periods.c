// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "wire/message.h"

#include <inttypes.h>
#include <string.h>

TABLE_DEFINE(autopsy_herd, "bursts.csv", AUTOPSY_HERD_COLUMNS)
TABLE_DEFINE(autopsy_minute, "minutes.csv", AUTOPSY_PERIOD_COLUMNS)
TABLE_DEFINE(autopsy_period, "periods.csv", AUTOPSY_PERIOD_COLUMNS)

#define MINUTE_MS 60000U
/* Error transactions are of one herd if they are no more apart; a herd has as many at least. */
#define HERD_GAP_MS    100
#define HERD_ERRORS    10
#define HERD_SESSIONS  2
#define HERD_CODES_MAX 16

/* The present one. */
struct autopsy_herd {
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

struct table_value autopsy_session_text(int64_t id)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)id);
    return id != 0 ? table_text(text) : (struct table_value){0};
}

bool findings_in_time(const struct findings *findings)
{
    return findings->now_ms >= findings->from_ms && findings->now_ms <= findings->until_ms;
}

bool findings_ask_for(const struct findings *findings, const struct locks_lock *lock)
{
    return findings->only == NULL || (lock != NULL && strcmp(findings->only, lock->path) == 0);
}

/* ------------------------------------------------------------------ periods */

/* The row of a time, nearly always the last. Clocks may go back: rows are in the order of time. */
static struct table_value *period_of(struct table *table, uint64_t length_ms, int64_t now_ms)
{
    int64_t begin_ms = now_ms - now_ms % (int64_t)length_ms;
    size_t row = table->rows, columns = table->type->count;
    while (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number > begin_ms)
        row--;
    if (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number == begin_ms)
        return table->values + (row - 1) * columns;
    (void)table_add(table);
    struct table_value *values = table->values + row * columns;
    memmove(values + columns, values, (table->rows - 1 - row) * columns * sizeof *values);
    values[autopsy_minute_begin_ms] = table_signed(begin_ms);
    values[autopsy_minute_seconds] = table_real((double)length_ms / 1e3);
    for (size_t i = autopsy_minute_transactions; i < autopsy_minute_columns_count; i++)
        values[i] = table_count(0);
    return values;
}

static struct table_value *minute_of(struct findings *findings)
{
    return period_of(&findings->minutes, MINUTE_MS, findings->now_ms);
}

static struct table_value *part_of(struct findings *findings)
{
    return period_of(&findings->periods, findings->period_ms, findings->now_ms);
}

void periods_count(struct findings *findings, enum autopsy_minute_column column, uint64_t more)
{
    if (!findings_in_time(findings))
        return;
    minute_of(findings)[column].count += more;
    part_of(findings)[column].count += more;
}

void periods_raise(struct table_value *most, size_t count)
{
    if (most->count < count)
        most->count = count;
}

void periods_count_waiters(struct findings *findings)
{
    size_t holders, waiters;
    locks_count(findings->locks, &holders, &waiters);
    if (!findings_in_time(findings))
        return;
    periods_raise(&minute_of(findings)[autopsy_minute_holders_max], holders);
    periods_raise(&minute_of(findings)[autopsy_minute_waiters_max], waiters);
    periods_raise(&part_of(findings)[autopsy_minute_holders_max], holders);
    periods_raise(&part_of(findings)[autopsy_minute_waiters_max], waiters);
}

/* ------------------------------------------------------------------ bursts */

void bursts_end(struct findings *findings)
{
    const struct autopsy_herd *herd = findings->herd;
    if (herd == NULL)
        return;
    if (herd->errors < HERD_ERRORS || herd->sessions < HERD_SESSIONS ||
        !findings_ask_for(findings, herd->lock))
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
    row[autopsy_herd_session] = autopsy_session_text(herd->busiest);
    row[autopsy_herd_of_session] = table_count(herd->busiest_errors);
    if (herd->lock == NULL)
        return;
    row[autopsy_herd_lock] = table_count(herd->lock->index);
    row[autopsy_herd_path] = table_text(herd->lock->path);
}

void bursts_add(struct findings *findings, struct autopsy_client *client, int32_t code,
                const struct locks_lock *lock)
{
    if (findings->herd == NULL)
        findings->herd = memory_new(1, sizeof *findings->herd);
    struct autopsy_herd *herd = findings->herd;
    if (findings->now_ms - herd->end_ms > HERD_GAP_MS ||
        herd->begin_ms - findings->now_ms > HERD_GAP_MS) {
        bursts_end(findings);
        *herd = (struct autopsy_herd){.number = herd->number + 1, .begin_ms = findings->now_ms};
    }
    if (findings->now_ms > herd->end_ms)
        herd->end_ms = findings->now_ms;
    herd->errors++;
    size_t i = 0;
    while (i < HERD_CODES_MAX && herd->codes[i].errors > 0 && herd->codes[i].code != code)
        i++;
    if (i < HERD_CODES_MAX) {
        herd->codes[i].code = code;
        herd->codes[i].errors++;
    }
    client->herd_errors = client->herd == herd->number ? client->herd_errors + 1 : 1;
    herd->sessions += client->herd != herd->number;
    client->herd = herd->number;
    if (client->herd_errors > herd->busiest_errors) {
        herd->busiest_errors = client->herd_errors;
        herd->busiest = client->id;
    }
    if (herd->lock == NULL)
        herd->lock = lock;
}
