// SPDX-License-Identifier: Apache-2.0
#include "bench/autopsy/internal.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bench/output/handoff_rows.h"
#include "recipes/line.h"
#include "wire/message.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(autopsy_lock, "locks.csv", AUTOPSY_LOCK_COLUMNS)
TABLE_DEFINE(autopsy_hold, "holds.csv", AUTOPSY_HOLD_COLUMNS)
TABLE_DEFINE(autopsy_expiry, "expired.csv", AUTOPSY_EXPIRY_COLUMNS)
TABLE_DEFINE(autopsy_herd, "bursts.csv", AUTOPSY_HERD_COLUMNS)
TABLE_DEFINE(autopsy_flaw, "flaws.csv", AUTOPSY_FLAW_COLUMNS)
TABLE_DEFINE(autopsy_minute, "minutes.csv", AUTOPSY_PERIOD_COLUMNS)
TABLE_DEFINE(autopsy_period, "periods.csv", AUTOPSY_PERIOD_COLUMNS)

#define MINUTE_MS    60000U
#define PERIODS_MOST 1000
/* Error transactions are of one herd if they are no more apart; a herd has as many at least. */
#define HERD_GAP_MS    100
#define HERD_ERRORS    10
#define HERD_SESSIONS  2
#define HERD_CODES_MAX 16

/* A session that is open. */
struct autopsy_client {
    int64_t id; /* the key */
    int32_t timeout_ms;
    int64_t seen_ms;      /* its last transaction */
    uint64_t herd;        /* in which it had an error last */
    uint64_t herd_errors; /* in that one */
};

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

static struct autopsy_client *client_of(struct findings *findings, int64_t id)
{
    return id_tree_take(&findings->clients, id, sizeof(struct autopsy_client));
}

static void forget(struct findings *findings, struct autopsy_client *client)
{
    id_tree_remove(&findings->clients, client);
    free(client);
}

static struct table_value session_text(int64_t id)
{
    char text[32];
    snprintf(text, sizeof text, "0x%" PRIx64, (uint64_t)id);
    return table_text(text);
}

static uint64_t ns_of(int64_t ms)
{
    return ms > 0 ? (uint64_t)ms * NS_PER_MS : 0;
}

static int64_t ms_of(uint64_t ns)
{
    return (int64_t)(ns / NS_PER_MS);
}

static double seconds(uint64_t from_ns, uint64_t until_ns)
{
    return until_ns > from_ns ? (double)(until_ns - from_ns) / 1e9 : 0;
}

static void raise_real(struct table_value *value, double real)
{
    if (!(table_number(value) >= real))
        *value = table_real(real);
}

/* ------------------------------------------------------------------ periods */

/* The row of this moment, nearly always the last: clocks of several leaders may differ. */
static struct table_value *period_of(struct table *table, uint64_t length_ms, int64_t now_ms)
{
    int64_t begin_ms = now_ms - now_ms % (int64_t)length_ms;
    size_t row = table->rows;
    while (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number > begin_ms)
        row--;
    if (row > 0 && table_row(table, row - 1)[autopsy_minute_begin_ms].number == begin_ms)
        row--;
    if (row < table->rows)
        return table->values + row * table->type->count;
    struct table_value *values = table_add(table);
    values[autopsy_minute_begin_ms] = table_signed(begin_ms);
    values[autopsy_minute_seconds] = table_real((double)length_ms / 1e3);
    for (size_t i = autopsy_minute_transactions; i < autopsy_minute_columns_count; i++)
        values[i] = table_count(0);
    return values;
}

/* Adds to a count of the present minute and of the present period. */
static void count(struct findings *findings, enum autopsy_minute_column column, uint64_t more)
{
    period_of(&findings->minutes, MINUTE_MS, findings->now_ms)[column].count += more;
    period_of(&findings->periods, findings->period_ms, findings->now_ms)[column].count += more;
}

static void count_waiters(struct findings *findings)
{
    size_t holders, waiters;
    locks_count(findings->locks, &holders, &waiters);
    struct table_value *rows[] = {
        period_of(&findings->minutes, MINUTE_MS, findings->now_ms),
        period_of(&findings->periods, findings->period_ms, findings->now_ms)};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i][autopsy_minute_holders_max].count < holders)
            rows[i][autopsy_minute_holders_max].count = holders;
        if (rows[i][autopsy_minute_waiters_max].count < waiters)
            rows[i][autopsy_minute_waiters_max].count = waiters;
    }
}

/* ------------------------------------------------------------------ locks */

static struct table_value *row_of(struct findings *findings, const struct locks_lock *lock)
{
    while (findings->lock_rows.rows <= lock->index) {
        struct table_value *row = table_add(&findings->lock_rows);
        for (size_t i = autopsy_lock_grants; i <= autopsy_lock_expired; i++)
            row[i] = table_count(0);
        row[autopsy_lock_held_s] = table_real(0);
    }
    return findings->lock_rows.values + (size_t)lock->index * autopsy_lock_columns_count;
}

static void write_handoff(struct findings *findings, const struct locks_lock *lock,
                          const struct locks_row *from)
{
    struct table_value row[handoff_row_columns_count] = {0};
    handoff_row_fill(row, &(struct handoff_facts){.lock = lock->index,
                                                  .handoff = from->handoff,
                                                  .waiters = from->waiters,
                                                  .granted = from->granted,
                                                  .holder = from->holder,
                                                  .tally = &from->tally});
    for (size_t i = handoff_row_creates; i < handoff_row_columns_count; i++) {
        bool is_told =
            i == handoff_row_creates || i == handoff_row_creates_failed || i == handoff_row_deletes;
        row[i] = is_told ? row[i] : (struct table_value){0};
    }
    if (lock->by_name && from->granted > 0 && from->handoff > 0)
        row[handoff_row_handoff_us] =
            table_real(seconds(from->released_ns, from->granted_ns) * 1e6);
    row[handoff_row_run] = table_text(findings->run);
    row[handoff_row_recipe] = table_text(lock->recipe);
    table_write_row(&handoff_row_table, row, &findings->handoffs);
    free(row[handoff_row_run].text);
    free(row[handoff_row_recipe].text);
}

static void write_hold(struct findings *findings, const struct locks_lock *lock,
                       const struct locks_row *from)
{
    struct table_value row[autopsy_hold_columns_count] = {
        [autopsy_hold_lock] = table_count(lock->index),
        [autopsy_hold_handoff] = table_count(from->handoff),
        [autopsy_hold_session] = session_text(from->session),
        [autopsy_hold_arrived_ms] = table_signed(ms_of(from->arrived_ns)),
        [autopsy_hold_granted_ms] = table_signed(ms_of(from->granted_ns)),
        [autopsy_hold_released_ms] = table_signed(ms_of(from->closed_ns)),
        [autopsy_hold_end] = table_text(findings->end != NULL ? findings->end : "open"),
    };
    table_write_row(&autopsy_hold_table, row, &findings->holds);
    free(row[autopsy_hold_session].text);
    free(row[autopsy_hold_end].text);
}

/* A session that expires held this lock. */
static void note_expiry(struct findings *findings, const struct locks_lock *lock,
                        struct table_value *stats)
{
    struct table_value *expiry = findings->expiry;
    stats[autopsy_lock_expired].count++;
    if (expiry[autopsy_expiry_held].count++ == 0) {
        expiry[autopsy_expiry_lock] = table_count(lock->index);
        expiry[autopsy_expiry_waiters] =
            table_count(lock->place_count + lock->waiting_count - lock->holders);
    }
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    struct findings *findings = context;
    struct table_value *stats = row_of(findings, lock);
    stats[autopsy_lock_grants].count += row->granted;
    stats[autopsy_lock_handoffs].count += row->handoff > 0 && row->waiters > 0;
    write_handoff(findings, lock, row);
    if (row->granted > 0) {
        double held = seconds(row->granted_ns, row->closed_ns);
        stats[autopsy_lock_held_s].real += held;
        raise_real(&stats[autopsy_lock_held_max_s], held);
        raise_real(&stats[autopsy_lock_waited_max_s], seconds(row->arrived_ns, row->granted_ns));
        write_hold(findings, lock, row);
    }
    if (findings->end == NULL)
        return;
    count(findings, autopsy_minute_releases, 1);
    if (findings->expiry != NULL)
        note_expiry(findings, lock, stats);
}

/* ------------------------------------------------------------------ herds */

static void end_herd(struct findings *findings)
{
    const struct autopsy_herd *herd = findings->herd;
    if (herd->errors < HERD_ERRORS || herd->sessions < HERD_SESSIONS)
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
    row[autopsy_herd_session] = session_text(herd->busiest);
    row[autopsy_herd_of_session] = table_count(herd->busiest_errors);
    if (herd->lock != NULL)
        row[autopsy_herd_lock] = table_count(herd->lock->index);
}

static void add_to_herd(struct findings *findings, struct autopsy_client *client, int32_t code,
                        const struct locks_lock *lock)
{
    struct autopsy_herd *herd = findings->herd;
    if (findings->now_ms - herd->end_ms > HERD_GAP_MS) {
        end_herd(findings);
        *herd = (struct autopsy_herd){.number = herd->number + 1, .begin_ms = findings->now_ms};
    }
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

/* A create that was refused; of a lock if that was held. */
static struct locks_lock *refuse(struct findings *findings,
                                 const struct journal_transaction *transaction)
{
    const char *path = census_refused(&findings->census, transaction->session, transaction->zxid);
    struct locks_lock *lock = path != NULL ? locks_find(findings->locks, path) : NULL;
    if (lock == NULL || lock->holders == 0) {
        findings->unattributed++;
        return NULL;
    }
    findings->refused++;
    row_of(findings, lock)[autopsy_lock_refused].count++;
    locks_refuse(findings->locks, transaction->session, path, false, true,
                 ns_of(transaction->time_ms));
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    tally_add(&lock->row.tally, TALLY_CREATE_FAILED, 1);
    return lock;
}

/* ------------------------------------------------------------------ changes */

static bool is_of(const struct autopsy_sequence *sequence, const char *path, size_t length)
{
    return strncmp(sequence->folder, path, length) == 0 && sequence->folder[length] == '\0';
}

/* Keeps the highest; the last of the list gives way to a folder that is not in it. */
static void note_sequence(struct findings *findings, const char *path, int32_t sequence)
{
    struct autopsy_sequence *list = findings->sequences;
    size_t length = (size_t)(strrchr(path, '/') - path), at = 0;
    struct autopsy_sequence new = {.next = (uint32_t)sequence + 1};
    while (at < AUTOPSY_SEQUENCES - 1 && list[at].folder != NULL && !is_of(&list[at], path, length))
        at++;
    if (new.next <= list[at].next)
        return;
    new.folder = memory_copy(path, length);
    free(list[at].folder);
    for (; at > 0 && list[at - 1].next < new.next; at--)
        list[at] = list[at - 1];
    list[at] = new;
}

static void note_create(struct findings *findings, int64_t session, const char *path,
                        bool ephemeral, int32_t cversion, int64_t at_ms)
{
    int32_t sequence;
    bool sequential = census_sequence(path, cversion, &sequence);
    if (sequential)
        note_sequence(findings, path, sequence);
    if (!ephemeral || (!sequential && !line_is_kazoo_lease(strrchr(path, '/') + 1) &&
                       !census_is_lock(&findings->census, path)))
        return;
    locks_create(findings->locks, session, path, sequential, ns_of(at_ms));
    tally_add(&locks_find(findings->locks, path)->row.tally, TALLY_CREATE, 1);
}

static void note_delete(struct findings *findings, const char *path)
{
    locks_delete(findings->locks, path, ns_of(findings->now_ms));
    struct locks_lock *lock = locks_find(findings->locks, path);
    if (lock != NULL && (lock->by_name || strcmp(lock->path, path) != 0))
        tally_add(&lock->row.tally, TALLY_DELETE, 1);
}

static void fail(struct findings *findings, const struct journal_transaction *transaction)
{
    int32_t code = transaction->change.number;
    bool is_create = transaction->change.type == JOURNAL_ERROR && code == MESSAGE_NODE_EXISTS;
    findings->errors++;
    count(findings, autopsy_minute_errors, 1);
    add_to_herd(findings, client_of(findings, transaction->session), code,
                is_create ? refuse(findings, transaction) : NULL);
}

static void end_session(struct findings *findings, const struct journal_transaction *transaction)
{
    struct autopsy_client *client = client_of(findings, transaction->session);
    bool expired = transaction->cxid == 0;
    struct table_value expiry[autopsy_expiry_columns_count] = {
        [autopsy_expiry_expired_ms] = table_signed(findings->now_ms),
        [autopsy_expiry_timeout_ms] =
            table_count_if(client->timeout_ms > 0, (uint64_t)client->timeout_ms),
        [autopsy_expiry_silent_ms] =
            table_count_if(client->seen_ms > 0, (uint64_t)(findings->now_ms - client->seen_ms)),
        [autopsy_expiry_ephemerals] =
            table_count_if(transaction->change.listed.bytes != NULL, transaction->change.elements),
        [autopsy_expiry_held] = table_count(0),
    };
    findings->sessions_closed++;
    findings->sessions_expired += expired;
    count(findings, autopsy_minute_closed, 1);
    count(findings, autopsy_minute_expired, expired);
    findings->expiry = expired ? expiry : NULL;
    findings->end = expired ? "expired" : "closed";
    locks_close(findings->locks, transaction->session, ns_of(findings->now_ms));
    findings->end = "deleted";
    findings->expiry = NULL;
    if (expired && (expiry[autopsy_expiry_held].count > 0 || transaction->change.elements > 0)) {
        expiry[autopsy_expiry_session] = session_text(client->id);
        memcpy(table_add(&findings->expiries), expiry, sizeof expiry);
    }
    forget(findings, client);
}

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct findings *findings = context;
    char *path = census_text(&of->path);
    switch (of->type) {
    case JOURNAL_CREATE_SESSION:
        findings->sessions_opened++;
        count(findings, autopsy_minute_opened, 1);
        client_of(findings, transaction->session)->timeout_ms = of->number;
        break;
    case JOURNAL_CLOSE_SESSION:
        end_session(findings, transaction);
        break;
    case JOURNAL_ERROR:
        fail(findings, transaction);
        break;
    case JOURNAL_CREATE:
    case JOURNAL_CREATE2:
    case JOURNAL_CREATE_CONTAINER:
    case JOURNAL_CREATE_TTL:
        count(findings, autopsy_minute_creates, 1);
        note_create(findings, transaction->session, path, of->ephemeral, of->cversion,
                    findings->now_ms);
        break;
    case JOURNAL_DELETE:
    case JOURNAL_DELETE_CONTAINER:
        count(findings, autopsy_minute_deletes, 1);
        note_delete(findings, path);
        break;
    case JOURNAL_SET_DATA:
        count(findings, autopsy_minute_sets, 1);
        break;
    default: /* no znode comes or goes */
        break;
    }
    free(path);
}

void findings_transaction(void *context, const struct journal_transaction *transaction)
{
    struct findings *findings = context;
    findings->now_ms = transaction->time_ms;
    count(findings, autopsy_minute_transactions, 1);
    count(findings, autopsy_minute_bytes, transaction->bytes);
    if (transaction->change.failed)
        fail(findings, transaction);
    else
        census_each_change(transaction, findings, change);
    if (transaction->change.type != JOURNAL_CLOSE_SESSION)
        client_of(findings, transaction->session)->seen_ms = transaction->time_ms;
    count_waiters(findings);
}

/* ------------------------------------------------------------------ the whole */

void findings_begin(struct findings *findings)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, MINUTE_MS, 600000};
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    int64_t span_ms = findings->census.last_ms - findings->census.first_ms;
    while (length < last && span_ms / (int64_t)lengths_ms[length] > PERIODS_MOST)
        length++;
    findings->period_ms = lengths_ms[length];
    findings->end = "deleted";
    findings->now_ms = findings->census.first_ms;
    findings->herd = memory_new(1, sizeof *findings->herd);
    findings->locks = locks_new(close_row, findings);
    findings->lock_rows.type = &autopsy_lock_table;
    findings->expiries.type = &autopsy_expiry_table;
    findings->herds.type = &autopsy_herd_table;
    findings->minutes.type = &autopsy_minute_table;
    findings->periods.type = &autopsy_period_table;
}

void findings_session(void *context, int64_t id, int32_t timeout_ms)
{
    client_of(context, id)->timeout_ms = timeout_ms;
}

void findings_znode(void *context, const struct journal_znode *znode)
{
    struct findings *findings = context;
    if (znode->owner == 0)
        return;
    char *path = census_text(&znode->path);
    findings->orphans += client_of(findings, znode->owner)->timeout_ms == 0;
    note_create(findings, znode->owner, path, true, JOURNAL_NO_CVERSION, znode->created_ms);
    free(path);
}

void findings_end(struct findings *findings)
{
    end_herd(findings);
    findings->end = NULL;
    locks_end(findings->locks, ns_of(findings->census.last_ms));
    const struct locks_lock *lock;
    for (size_t i = 0; (lock = locks_at(findings->locks, i)) != NULL; i++) {
        struct table_value *row = row_of(findings, lock);
        row[autopsy_lock_lock] = table_count(i);
        row[autopsy_lock_path] = table_text(lock->path);
        row[autopsy_lock_recipe] = table_text(lock->recipe);
        row[autopsy_lock_waiters_max] = table_count(lock->waiters_max);
    }
}

bool findings_lose(const struct findings *findings)
{
    bool lose = false;
    for (size_t i = 0; i < findings->flaws.rows; i++)
        lose = lose || table_row(&findings->flaws, i)[autopsy_flaw_loses].flag;
    return lose;
}

void findings_deinit(struct findings *findings)
{
    locks_free(findings->locks);
    table_deinit(&findings->flaws);
    table_deinit(&findings->lock_rows);
    table_deinit(&findings->expiries);
    table_deinit(&findings->herds);
    table_deinit(&findings->minutes);
    table_deinit(&findings->periods);
    tdestroy(findings->clients, free);
    free(findings->herd);
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++)
        free(findings->sequences[i].folder);
    census_deinit(&findings->census);
}
