// SPDX-License-Identifier: Apache-2.0
#include "bench/autopsy/internal.h"

#include "base/memory.h"
#include "bench/output/handoff_rows.h"
#include "bench/target/target.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(autopsy_lock, "locks.csv", AUTOPSY_LOCK_COLUMNS)
TABLE_DEFINE(autopsy_hold, "holds.csv", AUTOPSY_HOLD_COLUMNS)
TABLE_DEFINE(autopsy_expiry, "expired.csv", AUTOPSY_EXPIRY_COLUMNS)
TABLE_DEFINE(autopsy_flaw, "flaws.csv", AUTOPSY_FLAW_COLUMNS)

#define PERIODS_MOST 1000

/* How a hold ends: in handoffs a release, but for a gap and for the end of the logs. */
static const char deleted[] = "deleted", closed[] = "closed", expired[] = "expired",
                  undecided[] = "undecided", in_gap[] = "gap", open[] = "open";

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

/* ------------------------------------------------------------------ locks */

static struct table_value *row_of(struct findings *findings, const struct locks_lock *lock)
{
    while (findings->all_rows.rows <= lock->index) {
        struct table_value *row = table_add(&findings->all_rows);
        for (size_t i = autopsy_lock_grants; i <= autopsy_lock_expired; i++)
            row[i] = table_count(0);
        row[autopsy_lock_held_s] = table_real(0);
        row[autopsy_lock_waiting] = table_count(0);
        row[autopsy_lock_stood_still] = table_flag(false);
    }
    return findings->all_rows.values + (size_t)lock->index * autopsy_lock_columns_count;
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
        [autopsy_hold_session] = autopsy_session_text(from->session),
        [autopsy_hold_arrived_ms] = table_signed(ms_of(from->arrived_ns)),
        [autopsy_hold_granted_ms] = table_signed(ms_of(from->granted_ns)),
        [autopsy_hold_released_ms] = table_signed(ms_of(from->closed_ns)),
        [autopsy_hold_end] = table_text(findings->end),
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
    stats[autopsy_lock_expired].count += findings->end == expired;
    if (expiry[autopsy_expiry_held].count++ == 0) {
        expiry[autopsy_expiry_lock] = table_count(lock->index);
        expiry[autopsy_expiry_waiters] = table_count(locks_waiters(lock));
        expiry[autopsy_expiry_path] = table_text(lock->path);
    }
}

static void note_hold(struct findings *findings, const struct locks_lock *lock,
                      const struct locks_row *row, struct table_value *stats)
{
    double held = seconds(row->granted_ns, row->closed_ns),
           waited = seconds(row->arrived_ns, row->granted_ns),
           before = table_number(&stats[autopsy_lock_held_max_s]);
    stats[autopsy_lock_held_s].real += held;
    if (findings->end == open) {
        stats[autopsy_lock_waiting] = table_count(locks_waiters(lock));
        stats[autopsy_lock_stood_still] =
            table_flag(locks_waiters(lock) > 0 && held >= 1 && !(held <= 2 * before));
    }
    if (!(table_number(&stats[autopsy_lock_waited_max_s]) >= waited))
        stats[autopsy_lock_waited_max_s] = table_real(waited);
    if (before >= held)
        return;
    free(stats[autopsy_lock_held_max_session].text);
    stats[autopsy_lock_held_max_s] = table_real(held);
    stats[autopsy_lock_held_max_session] = autopsy_session_text(row->session);
    stats[autopsy_lock_held_max_begin_ms] = table_signed(ms_of(row->granted_ns));
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    struct findings *findings = context;
    struct table_value *stats = row_of(findings, lock);
    if (!findings_ask_for(findings, lock) || ms_of(row->closed_ns) < findings->from_ms)
        return;
    stats[autopsy_lock_grants].count += row->granted;
    stats[autopsy_lock_handoffs].count += row->handoff > 0 && row->waiters > 0;
    periods_raise(&stats[autopsy_lock_waiters_max], row->waiters);
    write_handoff(findings, lock, row);
    if (row->granted > 0) {
        note_hold(findings, lock, row, stats);
        write_hold(findings, lock, row);
    }
    if (findings->end == open || findings->end == in_gap)
        return;
    periods_count(findings, autopsy_minute_releases, 1);
    if (findings->expiry != NULL)
        note_expiry(findings, lock, stats);
}

/* ------------------------------------------------------------------ refusals */

/* The lock of this path, if another session holds it; else NULL. */
static struct locks_lock *held_at(struct findings *findings, const char *path, int64_t session)
{
    struct locks_lock *lock = path != NULL ? locks_find(findings->locks, path) : NULL;
    return lock != NULL && lock->holders > 0 && lock->row.session != session ? lock : NULL;
}

/* The lock by name that has refused a create: the one that the session wants, if it is held, or
 * else the only one that is; NULL: none, or it is not known. Who is refused while none is held
 * wants something else. */
static struct locks_lock *refused_by(struct findings *findings,
                                     const struct journal_transaction *transaction)
{
    struct census_wants wants =
        census_wants(findings->overview.census, transaction->session, transaction->zxid);
    struct autopsy_client *client = autopsy_client_of(&findings->clients, transaction->session);
    struct locks_lock *lock = held_at(findings, wants.next, transaction->session), *only;
    size_t held = locks_held(findings->locks, transaction->session, &only);
    if (wants.explained)
        return NULL;
    client->wants_other |= held == 0;
    if (lock == NULL)
        lock = held_at(findings, wants.before, transaction->session);
    if (lock == NULL && held == 1 && !client->wants_other)
        lock = only;
    return lock;
}

static void fail(struct findings *findings, const struct journal_transaction *transaction,
                 int32_t code)
{
    struct locks_lock *lock = NULL;
    bool is_create = code == MESSAGE_NODE_EXISTS, in_time = findings_in_time(findings);
    if (is_create)
        lock = refused_by(findings, transaction);
    if (lock != NULL) {
        locks_refuse(findings->locks, transaction->session, lock->path, false, true,
                     ns_of(transaction->time_ms));
        row_of(findings, lock)[autopsy_lock_refused].count += in_time;
        tally_add(&lock->row.tally, TALLY_CREATE, 1);
        tally_add(&lock->row.tally, TALLY_CREATE_FAILED, 1);
    }
    if (!in_time)
        return;
    findings->errors++;
    findings->refused += lock != NULL;
    findings->unattributed += is_create && lock == NULL;
    periods_count(findings, autopsy_minute_errors, 1);
    bursts_add(findings, autopsy_client_of(&findings->clients, transaction->session), code, lock);
}

/* ------------------------------------------------------------------ creates and deletes */

static bool is_of(const struct autopsy_sequence *sequence, const char *path, size_t length)
{
    return strncmp(sequence->folder, path, length) == 0 && sequence->folder[length] == '\0';
}

/* Keeps the highest; the last of the list gives way to a folder that is not in it. */
static void note_sequence(struct findings *findings, const char *path)
{
    struct autopsy_sequence *list = findings->sequences;
    size_t length = (size_t)(strrchr(path, '/') - path), at = 0;
    int32_t sequence = 0;
    (void)!queue_sequence(path + length + 1, &sequence);
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

static void note_create(struct findings *findings, const struct census_create *create)
{
    if (create->numbered)
        note_sequence(findings, create->path);
    autopsy_client_of(&findings->clients, create->session)->wants_other = false;
    if (!census_is_lock(findings->overview.census, create))
        return;
    locks_create(findings->locks, create->ephemeral ? create->session : 0, create->path,
                 create->numbered, ns_of(create->at_ms));
    tally_add(&locks_find(findings->locks, create->path)->row.tally, TALLY_CREATE, 1);
}

static void note_delete(struct findings *findings, const char *path)
{
    locks_delete(findings->locks, path, ns_of(findings->now_ms));
    struct locks_lock *lock = locks_find(findings->locks, path);
    if (lock != NULL && (lock->by_name || strcmp(lock->path, path) != 0))
        tally_add(&lock->row.tally, TALLY_DELETE, 1);
}

/* Adds the znodes that were there before and that only their deletions tell. */
static void note_early(struct findings *findings)
{
    const struct census_early *early;
    int32_t sequence;
    while ((early = census_early(findings->overview.census, findings->early)) != NULL &&
           early->zxid == findings->begun_zxid) {
        struct census_create create = {.session = early->session,
                                       .at_ms = findings->begun_ms,
                                       .path = early->path,
                                       .numbered = queue_sequence(early->path, &sequence)};
        create.ephemeral = census_is_lock(findings->overview.census, &create);
        if (create.ephemeral)
            note_create(findings, &create);
        findings->early++;
    }
}

/* ------------------------------------------------------------------ ends of sessions */

static void end_session(struct findings *findings, const struct journal_transaction *transaction)
{
    struct autopsy_client *client = autopsy_client_of(&findings->clients, transaction->session);
    int64_t silent_ms;
    enum session_end end = autopsy_session_end(client, transaction, &findings->overview,
                                               findings->begun_ms, &silent_ms);
    struct table_value expiry[autopsy_expiry_columns_count] = {
        [autopsy_expiry_expired_ms] = table_signed(findings->now_ms),
        [autopsy_expiry_timeout_ms] =
            table_count_if(client->timeout_ms > 0, (uint64_t)client->timeout_ms),
        [autopsy_expiry_silent_ms] = table_count_if(silent_ms >= 0, (uint64_t)silent_ms),
        [autopsy_expiry_ephemerals] =
            table_count_if(transaction->change.listed.bytes != NULL, transaction->change.elements),
        [autopsy_expiry_held] = table_count(0),
    };
    bool in_time = findings_in_time(findings);
    findings->sessions_closed += in_time;
    findings->sessions_expired += in_time && end == SESSION_EXPIRED;
    findings->sessions_undecided += in_time && end == SESSION_UNDECIDED;
    periods_count(findings, autopsy_minute_closed, 1);
    periods_count(findings, autopsy_minute_expired, end == SESSION_EXPIRED);
    findings->expiry = end != SESSION_CLOSED ? expiry : NULL;
    findings->end = end == SESSION_EXPIRED ? expired : end == SESSION_CLOSED ? closed : undecided;
    locks_close(findings->locks, transaction->session, ns_of(findings->now_ms));
    bool is_told = findings->only != NULL
                       ? expiry[autopsy_expiry_held].count > 0
                       : expiry[autopsy_expiry_held].count > 0 || transaction->change.elements > 0;
    if (findings->expiry != NULL && is_told && in_time) {
        expiry[autopsy_expiry_session] = autopsy_session_text(client->id);
        expiry[autopsy_expiry_end] = table_text(findings->end);
        memcpy(table_add(&findings->expiries), expiry, sizeof expiry);
    } else {
        free(expiry[autopsy_expiry_path].text);
    }
    findings->end = deleted;
    findings->expiry = NULL;
    autopsy_client_forget(&findings->clients, client);
}

/* ------------------------------------------------------------------ the second reading */

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct findings *findings = context;
    char *path;
    struct census_create create = autopsy_create(transaction, of, &path);
    switch (of->type) {
    case JOURNAL_CREATE_SESSION:
        findings->sessions_opened += findings_in_time(findings);
        periods_count(findings, autopsy_minute_opened, 1);
        findings_session(findings, transaction->session, of->number);
        break;
    case JOURNAL_CLOSE_SESSION:
        end_session(findings, transaction);
        break;
    case JOURNAL_ERROR:
        fail(findings, transaction, of->number);
        break;
    case JOURNAL_CREATE:
    case JOURNAL_CREATE2:
    case JOURNAL_CREATE_CONTAINER:
    case JOURNAL_CREATE_TTL:
        periods_count(findings, autopsy_minute_creates, 1);
        note_create(findings, &create);
        break;
    case JOURNAL_DELETE:
    case JOURNAL_DELETE_CONTAINER:
        periods_count(findings, autopsy_minute_deletes, 1);
        note_delete(findings, path);
        break;
    case JOURNAL_SET_DATA:
        periods_count(findings, autopsy_minute_sets, 1);
        break;
    default: /* no znode comes or goes */
        break;
    }
    free(path);
}

void findings_transaction(void *context, const struct journal_transaction *transaction)
{
    struct findings *findings = context;
    findings->ended |= transaction->time_ms > findings->until_ms;
    if (findings->ended)
        return;
    findings->now_ms = transaction->time_ms;
    if (transaction->zxid == findings->begun_zxid) {
        findings->begun_ms = transaction->time_ms;
        note_early(findings);
    }
    findings->transactions += findings_in_time(findings);
    periods_count(findings, autopsy_minute_transactions, 1);
    periods_count(findings, autopsy_minute_bytes, transaction->bytes);
    journal_each_change(transaction, findings, change);
    autopsy_client_see(&findings->clients, transaction);
    periods_count_waiters(findings);
}

void findings_session(void *context, int64_t id, int32_t timeout_ms)
{
    struct findings *findings = context;
    autopsy_client_of(&findings->clients, id)->timeout_ms = timeout_ms;
}

void findings_znode(void *context, const struct journal_znode *znode)
{
    struct findings *findings = context;
    char *path;
    struct census_create create = autopsy_create_znode(znode, &path);
    if (znode->owner != 0)
        findings->orphans += autopsy_client_of(&findings->clients, znode->owner)->timeout_ms == 0;
    note_create(findings, &create);
    free(path);
}

void findings_begin(void *context, int64_t zxid, int64_t snapshot)
{
    struct findings *findings = context;
    (void)snapshot;
    findings->end = in_gap;
    locks_forget(findings->locks, ns_of(findings->now_ms));
    findings->end = deleted;
    tdestroy(findings->clients, free);
    findings->clients = NULL;
    findings->begun_zxid = zxid;
    while (census_early(findings->overview.census, findings->early) != NULL &&
           census_early(findings->overview.census, findings->early)->zxid < zxid)
        findings->early++;
}

void findings_start(struct findings *findings)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, 60000, 600000};
    const struct overview *overview = &findings->overview;
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    int64_t from_ms =
                overview->least_ms > findings->from_ms ? overview->least_ms : findings->from_ms,
            until_ms =
                overview->last_ms < findings->until_ms ? overview->last_ms : findings->until_ms;
    while (length < last && (until_ms - from_ms) / (int64_t)lengths_ms[length] > PERIODS_MOST)
        length++;
    findings->period_ms = lengths_ms[length];
    findings->locks = locks_new(close_row, findings);
    findings->all_rows.type = findings->lock_rows.type = &autopsy_lock_table;
    findings->expiries.type = &autopsy_expiry_table;
    findings->herds.type = &autopsy_herd_table;
    findings->minutes.type = &autopsy_minute_table;
    findings->periods.type = &autopsy_period_table;
}

/* zkherd's own locks are last; before all others is what stood still, then what most waited for. */
static double rank_of(const struct locks_lock *lock, const struct table_value *row)
{
    const char *begin = lock->path + 1;
    char *first = memory_copy(begin, strcspn(begin, "/"));
    bool is_own = target_root_is_name(first);
    free(first);
    return (row[autopsy_lock_stood_still].flag ? 1e12 : 0) - (is_own ? 1e13 : 0) +
           table_number(&row[autopsy_lock_waiters_max]);
}

void findings_end(struct findings *findings)
{
    int64_t last_ms = findings->overview.last_ms;
    const struct locks_lock *lock;
    bursts_end(findings);
    findings->end = open;
    locks_end(findings->locks, ns_of(findings->ended ? findings->until_ms : last_ms));
    for (size_t i = 0; (lock = locks_at(findings->locks, i)) != NULL; i++) {
        struct table_value *row = row_of(findings, lock);
        row[autopsy_lock_lock] = table_count(i);
        row[autopsy_lock_path] = table_text(lock->path);
        row[autopsy_lock_recipe] = table_text(lock->recipe);
        periods_raise(&row[autopsy_lock_waiters_max], row[autopsy_lock_waiting].count);
        row[autopsy_lock_rank] = table_real(rank_of(lock, row));
        bool is_used = row[autopsy_lock_grants].count + row[autopsy_lock_refused].count > 0;
        if (findings_ask_for(findings, lock) && is_used) {
            memcpy(table_add(&findings->lock_rows), row, autopsy_lock_columns_count * sizeof *row);
            memset(row, 0, autopsy_lock_columns_count * sizeof *row); /* its texts have moved */
        }
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
    struct table *tables[] = {&findings->flaws,    &findings->lock_rows, &findings->all_rows,
                              &findings->expiries, &findings->herds,     &findings->minutes,
                              &findings->periods};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        table_deinit(tables[i]);
    locks_free(findings->locks);
    tdestroy(findings->clients, free);
    free(findings->herd);
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++)
        free(findings->sequences[i].folder);
    overview_deinit(&findings->overview);
}
