// SPDX-License-Identifier: Apache-2.0
/* What the second reading finds of locks: their holds and handoffs, refusals, and expired holders.
 */
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "bench/output/handoff_rows.h"
#include "bench/target/target.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(autopsy_lock, "locks.csv", AUTOPSY_LOCK_COLUMNS)
TABLE_DEFINE(autopsy_hold, "holds.csv", AUTOPSY_HOLD_COLUMNS)
TABLE_DEFINE(autopsy_expiry, "expired.csv", AUTOPSY_EXPIRY_COLUMNS)

/* How a hold ends: in handoffs a release, but for a gap and for the end of the logs. */
static const char deleted[] = "deleted", in_gap[] = "gap", open[] = "open";
static const char *const ends[] = {
    [SESSION_CLOSED] = "closed", [SESSION_EXPIRED] = "expired", [SESSION_UNDECIDED] = "undecided"};

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

/* ------------------------------------------------------------------ rows of a lock */

/* The row that a lock gets when it is first seen. */
static struct table_value *row_of(struct findings *findings, const struct locks_lock *lock)
{
    while (findings->all_rows.rows <= lock->index) {
        struct table_value *row = table_add(&findings->all_rows);
        for (size_t i = autopsy_lock_grants; i <= autopsy_lock_expired; i++)
            row[i] = table_count(0);
        row[autopsy_lock_held_s] = table_real(0);
        row[autopsy_lock_waiting] = row[autopsy_lock_refused_inferred] = table_count(0);
        row[autopsy_lock_stood_still] = row[autopsy_lock_own] = table_flag(false);
    }
    return findings->all_rows.values + (size_t)lock->index * autopsy_lock_columns_count;
}

static bool is_asked_for(const struct findings *findings, const struct locks_lock *lock)
{
    return findings->only == NULL || strcmp(findings->only, lock->path) == 0;
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
        [autopsy_hold_session] = table_hex(from->session),
        [autopsy_hold_arrived_ms] = table_signed(ms_of(from->arrived_ns)),
        [autopsy_hold_granted_ms] = table_signed(ms_of(from->granted_ns)),
        [autopsy_hold_released_ms] = table_signed(ms_of(from->closed_ns)),
        [autopsy_hold_end] = table_text(findings->end),
    };
    table_write_row(&autopsy_hold_table, row, &findings->holds);
    free(row[autopsy_hold_session].text);
    free(row[autopsy_hold_end].text);
}

static void note_hold(const struct findings *findings, const struct locks_lock *lock,
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
    stats[autopsy_lock_held_max_session] = table_hex(row->session);
    stats[autopsy_lock_held_max_begin_ms] = table_signed(ms_of(row->granted_ns));
}

/* A session that ends, and has not closed itself, held this lock. */
static void note_expiry(const struct findings *findings, const struct locks_lock *lock,
                        struct table_value *stats)
{
    struct table_value *expiry = findings->expiry;
    stats[autopsy_lock_expired].count += findings->end == ends[SESSION_EXPIRED];
    if (expiry[autopsy_expiry_held].count++ > 0)
        return;
    expiry[autopsy_expiry_lock] = table_count(lock->index);
    expiry[autopsy_expiry_waiters] = table_count(locks_waiters(lock));
    expiry[autopsy_expiry_path] = table_text(lock->path);
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    struct findings *findings = context;
    struct table_value *stats = row_of(findings, lock);
    if (!is_asked_for(findings, lock) || ms_of(row->closed_ns) < findings->from_ms ||
        ms_of(row->released_ns) > findings->until_ms)
        return;
    stats[autopsy_lock_grants].count += row->granted;
    stats[autopsy_lock_handoffs].count += row->handoff > 0 && row->waiters > 0;
    raise_count(&stats[autopsy_lock_waiters_max], row->waiters);
    write_handoff(findings, lock, row);
    if (row->granted > 0) {
        note_hold(findings, lock, row, stats);
        write_hold(findings, lock, row);
    }
    if (findings->end == open || findings->end == in_gap)
        return;
    spans_count(findings, autopsy_minute_releases, 1);
    if (findings->expiry != NULL)
        note_expiry(findings, lock, stats);
}

/* ------------------------------------------------------------------ refusals */

void holds_refuse(struct findings *findings, struct log_session *session, int32_t code,
                  const struct census_blame *blame)
{
    struct locks_lock *lock = blame->path != NULL ? locks_find(findings->locks, blame->path) : NULL;
    bool in_time = spans_ask_for(findings), is_own = false;
    if (lock != NULL) {
        struct table_value *row = row_of(findings, lock);
        locks_refuse(findings->locks, session->id, lock->path, false, true,
                     ns_of(findings->now_ms));
        row[autopsy_lock_refused].count += in_time;
        row[autopsy_lock_refused_inferred].count += in_time && blame->inferred;
        is_own = row[autopsy_lock_own].flag;
        tally_add(&lock->row.tally, TALLY_CREATE, 1);
        tally_add(&lock->row.tally, TALLY_CREATE_FAILED, 1);
    }
    if (!in_time)
        return;
    findings->errors++;
    findings->refused += lock != NULL && !is_own;
    findings->own_refused += is_own;
    findings->unattributed += code == MESSAGE_NODE_EXISTS && lock == NULL;
    spans_count(findings, autopsy_minute_errors, 1);
    bursts_add(findings, session, code, lock);
}

/* ------------------------------------------------------------------ creates and deletes */

static bool is_of(const struct sequence *sequence, const char *path, size_t length)
{
    return strncmp(sequence->folder, path, length) == 0 && sequence->folder[length] == '\0';
}

/* Keeps the highest; the last of the list gives way to a folder that is not in it. */
static void note_sequence(struct sequence *list, const char *path)
{
    size_t length = (size_t)(strrchr(path, '/') - path), at = 0;
    int32_t sequence = 0;
    (void)!queue_sequence(path + length + 1, &sequence);
    struct sequence new = {.next = (uint32_t)sequence + 1};
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

void holds_create(struct findings *findings, const struct census_create *create)
{
    if (create->numbered)
        note_sequence(findings->sequences, create->path);
    if (!census_is_lock(findings->census, create))
        return;
    locks_create(findings->locks, create->ephemeral ? create->session : 0, create->path,
                 create->numbered, ns_of(create->at_ms));
    struct locks_lock *lock = locks_find(findings->locks, create->path);
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    char *root = memory_copy(lock->path + 1, strcspn(lock->path + 1, "/"));
    row_of(findings, lock)[autopsy_lock_own].flag = target_root_is_name(root);
    free(root);
}

void holds_delete(struct findings *findings, const char *path)
{
    locks_delete(findings->locks, path, ns_of(findings->now_ms));
    struct locks_lock *lock = locks_find(findings->locks, path);
    if (lock != NULL && (lock->by_name || strcmp(lock->path, path) != 0))
        tally_add(&lock->row.tally, TALLY_DELETE, 1);
}

/* ------------------------------------------------------------------ ends */

void holds_close(struct findings *findings, const struct log_session *session,
                 const struct journal_transaction *close, enum session_end end, int64_t silent_ms)
{
    struct table_value expiry[autopsy_expiry_columns_count] = {
        [autopsy_expiry_expired_ms] = table_signed(findings->now_ms),
        [autopsy_expiry_timeout_ms] =
            table_count_if(session->timeout_ms > 0, (uint64_t)session->timeout_ms),
        [autopsy_expiry_silent_ms] = table_count_if(silent_ms >= 0, (uint64_t)silent_ms),
        [autopsy_expiry_ephemerals] =
            table_count_if(close->change.listed.bytes != NULL, close->change.elements),
        [autopsy_expiry_held] = table_count(0),
    };
    bool in_time = spans_ask_for(findings);
    findings->sessions_closed += in_time;
    findings->sessions_expired += in_time && end == SESSION_EXPIRED;
    findings->sessions_undecided += in_time && end == SESSION_UNDECIDED;
    spans_count(findings, autopsy_minute_closed, 1);
    spans_count(findings, autopsy_minute_expired, end == SESSION_EXPIRED);
    findings->expiry = end != SESSION_CLOSED ? expiry : NULL;
    findings->end = ends[end];
    locks_close(findings->locks, close->session, ns_of(findings->now_ms));
    bool is_told = expiry[autopsy_expiry_held].count > 0 ||
                   (findings->only == NULL && close->change.elements > 0);
    if (findings->expiry != NULL && is_told && in_time) {
        expiry[autopsy_expiry_session] = table_hex(session->id);
        expiry[autopsy_expiry_end] = table_text(findings->end);
        memcpy(table_add(&findings->expiries), expiry, sizeof expiry);
    } else {
        free(expiry[autopsy_expiry_path].text);
    }
    findings->end = deleted;
    findings->expiry = NULL;
}

void holds_forget(struct findings *findings)
{
    findings->end = in_gap;
    locks_forget(findings->locks, ns_of(findings->now_ms));
    findings->end = deleted;
}

void holds_start(struct findings *findings)
{
    findings->locks = locks_new(close_row, findings);
    findings->all_rows.type = findings->lock_rows.type = &autopsy_lock_table;
    findings->expiries.type = &autopsy_expiry_table;
}

/* The order on the screen: what stood still, then what most waited for; zkherd's own are last. */
void holds_end(struct findings *findings)
{
    const struct locks_lock *lock;
    int64_t last_ms =
        findings->last_ms < findings->until_ms ? findings->last_ms : findings->until_ms;
    findings->end = open;
    locks_end(findings->locks, ns_of(last_ms));
    for (size_t i = 0; (lock = locks_at(findings->locks, i)) != NULL; i++) {
        struct table_value *row = row_of(findings, lock);
        row[autopsy_lock_lock] = table_count(i);
        row[autopsy_lock_path] = table_text(lock->path);
        row[autopsy_lock_recipe] = table_text(lock->recipe);
        raise_count(&row[autopsy_lock_waiters_max], row[autopsy_lock_waiting].count);
        row[autopsy_lock_rank] = table_real((row[autopsy_lock_stood_still].flag ? 1e12 : 0) -
                                            (row[autopsy_lock_own].flag ? 1e13 : 0) +
                                            table_number(&row[autopsy_lock_waiters_max]));
        if (is_asked_for(findings, lock) &&
            row[autopsy_lock_grants].count + row[autopsy_lock_refused].count > 0) {
            memcpy(table_add(&findings->lock_rows), row, autopsy_lock_columns_count * sizeof *row);
            memset(row, 0, autopsy_lock_columns_count * sizeof *row); /* its texts have moved */
        }
    }
}
