// SPDX-License-Identifier: Apache-2.0
/* The two readings: each transaction goes to its period, to the census, and to the locks, of which
 * there is none before the second. */
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "bench/output/trial_columns.h"
#include "bench/target/target.h"
#include "recipes/line.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(autopsy_lock, "locks.csv", AUTOPSY_LOCK_COLUMNS)
TABLE_DEFINE(autopsy_hold, "holds.csv", AUTOPSY_HOLD_COLUMNS)
TABLE_DEFINE(autopsy_expiry, "expired.csv", AUTOPSY_EXPIRY_COLUMNS)
TABLE_DEFINE(autopsy_period, "periods.csv", AUTOPSY_PERIOD_COLUMNS)

#define PERIODS_MOST 1000

/* How a session ended, and so a hold; others end by a delete, in a gap, or not before the logs. */
static const char closed[] = "closed", expired[] = "expired", undecided[] = "undecided",
                  deleted[] = "deleted", in_gap[] = "gap", open[] = "open";

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

static void raise_count(struct table_value *most, size_t count)
{
    if (most->count < count)
        most->count = count;
}

/* ------------------------------------------------------------------ periods */

/* The row of the present time, nearly always the last. Clocks may go back: rows are in the order of
 * time. */
static struct table_value *present_row(struct autopsy *autopsy)
{
    struct table *table = &autopsy->tables[PERIODS];
    int64_t begin_ms = autopsy->now_ms - autopsy->now_ms % (int64_t)autopsy->period_ms;
    size_t row = table->rows, columns = table->type->count;
    while (row > 0 && table_row(table, row - 1)[autopsy_period_begin_ms].number > begin_ms)
        row--;
    if (row > 0 && table_row(table, row - 1)[autopsy_period_begin_ms].number == begin_ms)
        return table->values + (row - 1) * columns;
    (void)table_add(table);
    struct table_value *values = table->values + row * columns;
    memmove(values + columns, values, (table->rows - 1 - row) * columns * sizeof *values);
    values[autopsy_period_begin_ms] = table_signed(begin_ms);
    values[autopsy_period_seconds] = table_real((double)autopsy->period_ms / 1e3);
    for (size_t i = autopsy_period_transactions; i < autopsy_period_columns_count; i++)
        values[i] = table_count(0);
    return values;
}

static void begin_time(struct autopsy *autopsy, int64_t now_ms)
{
    autopsy->now_ms = now_ms;
    autopsy->in_time =
        autopsy->is_second && now_ms >= autopsy->from_ms && now_ms <= autopsy->until_ms;
    autopsy->period = autopsy->in_time ? present_row(autopsy) : autopsy->no_period;
}

/* ------------------------------------------------------------------ holds */

/* The row that a lock gets when it is first seen. */
static struct table_value *row_of(struct autopsy *autopsy, const struct locks_lock *lock)
{
    struct table *table = &autopsy->tables[LOCKS];
    while (table->rows <= lock->index) {
        struct table_value *row = table_add(table);
        for (size_t i = autopsy_lock_grants; i <= autopsy_lock_expired; i++)
            row[i] = table_count(0);
        row[autopsy_lock_held_s] = table_real(0);
        row[autopsy_lock_waiting] = row[autopsy_lock_refused_inferred] = table_count(0);
        row[autopsy_lock_stood_still] = row[autopsy_lock_own] = table_flag(false);
    }
    return table->values + (size_t)lock->index * autopsy_lock_columns_count;
}

static bool is_asked_for(const struct autopsy *autopsy, const struct locks_lock *lock)
{
    return autopsy->only == NULL || strcmp(autopsy->only, lock->path) == 0;
}

/* A log has no other requests than these. */
static void write_handoff(struct autopsy *autopsy, const struct locks_lock *lock,
                          const struct locks_row *from)
{
    struct table_value row[handoff_row_columns_count] = {
        [handoff_row_run] = table_text(autopsy->files.run),
        [handoff_row_recipe] = table_text(lock->recipe),
        [handoff_row_lock] = table_count(lock->index),
        [handoff_row_handoff] = table_count(from->handoff),
        [handoff_row_waiters] = table_count(from->waiters),
        [handoff_row_holder] = table_count_if(from->holder != 0, from->holder - 1),
        [handoff_row_granted] = table_count(from->granted),
        [handoff_row_creates] = table_count(from->tally.of[TALLY_CREATE]),
        [handoff_row_creates_failed] = table_count(from->tally.of[TALLY_CREATE_FAILED]),
        [handoff_row_deletes] = table_count(from->tally.of[TALLY_DELETE]),
    };
    if (lock->by_name && from->granted > 0 && from->handoff > 0)
        row[handoff_row_handoff_us] =
            table_real(seconds(from->released_ns, from->granted_ns) * 1e6);
    table_write_row(&handoff_row_table, row, &autopsy->handoffs);
    free(row[handoff_row_run].text);
    free(row[handoff_row_recipe].text);
}

static void write_hold(struct autopsy *autopsy, const struct locks_lock *lock,
                       const struct locks_row *from)
{
    struct table_value row[autopsy_hold_columns_count] = {
        [autopsy_hold_lock] = table_count(lock->index),
        [autopsy_hold_handoff] = table_count(from->handoff),
        [autopsy_hold_session] = table_hex(from->session),
        [autopsy_hold_arrived_ms] = table_signed(ms_of(from->arrived_ns)),
        [autopsy_hold_granted_ms] = table_signed(ms_of(from->granted_ns)),
        [autopsy_hold_released_ms] = table_signed(ms_of(from->closed_ns)),
        [autopsy_hold_end] = table_text(autopsy->end),
    };
    table_write_row(&autopsy_hold_table, row, &autopsy->holds);
    free(row[autopsy_hold_session].text);
    free(row[autopsy_hold_end].text);
}

/* A time is unknown until there is one: no comparison with it is true. */
static void note_hold(const struct autopsy *autopsy, const struct locks_lock *lock,
                      const struct locks_row *row, struct table_value *stats)
{
    const double held = seconds(row->granted_ns, row->closed_ns),
                 waited = seconds(row->arrived_ns, row->granted_ns),
                 before = table_number(&stats[autopsy_lock_held_max_s]);
    stats[autopsy_lock_held_s].real += held;
    if (autopsy->end == open) {
        const size_t waiting = locks_waiters(lock);
        stats[autopsy_lock_waiting] = table_count(waiting);
        stats[autopsy_lock_stood_still] =
            table_flag(waiting > 0 && held >= 1 && !(held <= 2 * before));
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
static void note_expiry(const struct autopsy *autopsy, const struct locks_lock *lock,
                        struct table_value *stats)
{
    struct table_value *expiry = autopsy->expiry;
    stats[autopsy_lock_expired].count += autopsy->end == expired;
    if (expiry[autopsy_expiry_held].count++ > 0)
        return;
    expiry[autopsy_expiry_lock] = table_count(lock->index);
    expiry[autopsy_expiry_waiters] = table_count(locks_waiters(lock));
    expiry[autopsy_expiry_path] = table_text(lock->path);
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    struct autopsy *autopsy = context;
    struct table_value *stats = row_of(autopsy, lock);
    if (!is_asked_for(autopsy, lock) || ms_of(row->closed_ns) < autopsy->from_ms ||
        ms_of(row->released_ns) > autopsy->until_ms)
        return;
    stats[autopsy_lock_grants].count += row->granted;
    stats[autopsy_lock_handoffs].count += row->handoff > 0 && row->waiters > 0;
    raise_count(&stats[autopsy_lock_waiters_max], row->waiters);
    write_handoff(autopsy, lock, row);
    if (row->granted > 0) {
        note_hold(autopsy, lock, row, stats);
        write_hold(autopsy, lock, row);
    }
    if (autopsy->end == open || autopsy->end == in_gap)
        return;
    autopsy->period[autopsy_period_releases].count++;
    if (autopsy->expiry != NULL)
        note_expiry(autopsy, lock, stats);
}

/* ------------------------------------------------------------------ changes of znodes */

/* Whether a server has numbered it: by the cversion of the parent, which it raises by one. */
static bool is_numbered(const char *path, int32_t cversion)
{
    const char *name = strrchr(path, '/') + 1;
    int32_t sequence;
    return !line_is_kazoo_lease(name) && queue_sequence(name, &sequence) &&
           (cversion == JOURNAL_NO_CVERSION || (uint32_t)sequence + 1 == (uint32_t)cversion);
}

static void note_created(struct autopsy *autopsy, const struct census_create *create)
{
    int32_t sequence;
    census_create(autopsy->census, create);
    if (!census_is_lock(autopsy->census, create))
        return;
    locks_create(autopsy->locks, create->ephemeral ? create->session : 0, create->path,
                 create->numbered, ns_of(create->at_ms));
    struct locks_lock *lock = locks_find(autopsy->locks, create->path);
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    struct table_value *row = row_of(autopsy, lock);
    char *root = memory_copy(lock->path + 1, strcspn(lock->path + 1, "/"));
    row[autopsy_lock_own].flag = target_root_is_name(root);
    free(root);
    if (create->numbered && queue_sequence(create->path, &sequence)) {
        row[autopsy_lock_next_sequence].kind = TABLE_COUNT;
        raise_count(&row[autopsy_lock_next_sequence], (uint32_t)sequence + 1);
    }
}

static void note_deleted(struct autopsy *autopsy, const char *path,
                         const struct journal_transaction *transaction)
{
    census_delete(autopsy->census, path, transaction->session, transaction->zxid);
    locks_delete(autopsy->locks, path, ns_of(autopsy->now_ms));
    struct locks_lock *lock = locks_find(autopsy->locks, path);
    if (lock != NULL && (lock->by_name || strcmp(lock->path, path) != 0))
        tally_add(&lock->row.tally, TALLY_DELETE, 1);
}

static void note_refused(struct autopsy *autopsy, const struct census_create *create)
{
    struct table_value *period = autopsy->period;
    const struct census_blame blame = census_refuse(autopsy->census, create);
    struct locks_lock *lock = blame.path != NULL ? locks_find(autopsy->locks, blame.path) : NULL;
    if (lock == NULL) {
        period[autopsy_period_unattributed].count++;
        return;
    }
    struct table_value *row = row_of(autopsy, lock);
    locks_refuse(autopsy->locks, create->session, lock->path, ns_of(autopsy->now_ms));
    tally_add(&lock->row.tally, TALLY_CREATE, 1);
    tally_add(&lock->row.tally, TALLY_CREATE_FAILED, 1);
    row[autopsy_lock_refused].count += autopsy->in_time;
    row[autopsy_lock_refused_inferred].count += autopsy->in_time && blame.inferred;
    period[row[autopsy_lock_own].flag ? autopsy_period_own_refused : autopsy_period_refused]
        .count++;
}

/* ------------------------------------------------------------------ sessions */

static struct log_session *session_of(struct autopsy *autopsy, int64_t id)
{
    return id_tree_take(&autopsy->sessions, id, sizeof(struct log_session));
}

/* A client may give its close the number 0, as servers do when they expire a session; and reads and
 * pings are in no log. */
static const char *end_of(const struct autopsy *autopsy, const struct log_session *session,
                          const struct journal_transaction *close)
{
    const bool is_seen = session->seen_zxid != 0, is_timed = session->timeout_ms > 0;
    const int64_t silent_ms = close->time_ms - (is_seen ? session->seen_ms : autopsy->begun_ms);
    /* Clocks of two leaders may differ, at least by as much as they are seen to. */
    const bool is_same_clock = is_seen && session->seen_zxid >> 32 == close->zxid >> 32;
    const int64_t off_ms = is_same_clock ? 0 : autopsy->back.most_ms;
    if (close->cxid != 0)
        return closed;
    if (is_timed && silent_ms >= session->timeout_ms + off_ms)
        return autopsy->zero_closes > 0 ? undecided : expired;
    return is_timed && silent_ms >= 0 && is_same_clock ? closed : undecided;
}

/* Ends the holds of a session. One that has not closed itself has a row if it held a lock, or had
 * znodes. */
static void end_holds(struct autopsy *autopsy, const struct log_session *session,
                      const struct journal_transaction *close, const char *end)
{
    const int64_t silent_ms = session->seen_zxid != 0 ? close->time_ms - session->seen_ms : -1;
    const size_t listed = close->change.elements;
    struct table_value expiry[autopsy_expiry_columns_count] = {
        [autopsy_expiry_expired_ms] = table_signed(close->time_ms),
        [autopsy_expiry_timeout_ms] =
            table_count_if(session->timeout_ms > 0, (uint64_t)session->timeout_ms),
        [autopsy_expiry_silent_ms] = table_count_if(silent_ms >= 0, (uint64_t)silent_ms),
        [autopsy_expiry_ephemerals] = table_count_if(close->change.listed.bytes != NULL, listed),
        [autopsy_expiry_held] = table_count(0),
    };
    autopsy->expiry = end != closed ? expiry : NULL;
    autopsy->end = end;
    locks_close(autopsy->locks, session->id, ns_of(close->time_ms));
    if (end != closed && autopsy->in_time &&
        (expiry[autopsy_expiry_held].count > 0 || (autopsy->only == NULL && listed > 0))) {
        expiry[autopsy_expiry_session] = table_hex(session->id);
        expiry[autopsy_expiry_end] = table_text(end);
        memcpy(table_add(&autopsy->tables[EXPIRIES]), expiry, sizeof expiry);
    } else {
        free(expiry[autopsy_expiry_path].text);
    }
    autopsy->end = deleted;
    autopsy->expiry = NULL;
}

static void close_session(struct autopsy *autopsy, struct log_session *session,
                          const struct journal_transaction *close)
{
    struct jute paths = close->change.listed;
    struct jute_bytes listed;
    const bool are_listed = paths.bytes != NULL;
    const char *end = end_of(autopsy, session, close);
    autopsy->period[autopsy_period_closed].count++;
    autopsy->period[autopsy_period_expired].count += end == expired;
    autopsy->period[autopsy_period_undecided].count += end == undecided;
    end_holds(autopsy, session, close, end);
    autopsy->zero_closes += !autopsy->is_second && close->cxid == 0 && end == closed;
    if (!autopsy->is_second && !are_listed && session->timeout_ms == 0 &&
        close->zxid <= autopsy->snapshot) {
        autopsy->unlisted++;
        autopsy->unlisted_ms = close->time_ms;
    }
    while (journal_next_path(&paths, &listed)) {
        char *path = memory_copy(listed.bytes, listed.length);
        census_delete(autopsy->census, path, session->id, close->zxid);
        free(path);
    }
    census_close(autopsy->census, session->id, close->zxid, are_listed);
    id_tree_remove(&autopsy->sessions, session);
    free(session);
}

/* ------------------------------------------------------------------ changes */

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct autopsy *autopsy = context;
    struct table_value *period = autopsy->period;
    struct log_session *session = session_of(autopsy, transaction->session);
    char *path =
        of->path.length > 0 ? memory_copy(of->path.bytes, of->path.length) : memory_text("/");
    const struct census_create create = {.session = transaction->session,
                                         .cxid = transaction->cxid,
                                         .zxid = transaction->zxid,
                                         .at_ms = transaction->time_ms,
                                         .path = path,
                                         .ephemeral = of->ephemeral,
                                         .numbered = is_numbered(path, of->cversion)};
    switch (of->type) {
    case JOURNAL_CREATE_SESSION:
        session->timeout_ms = of->number;
        period[autopsy_period_opened].count++;
        break;
    case JOURNAL_CLOSE_SESSION:
        close_session(autopsy, session, transaction);
        break;
    case JOURNAL_ERROR:
        period[autopsy_period_errors].count++;
        if (of->number == MESSAGE_NODE_EXISTS)
            note_refused(autopsy, &create);
        break;
    case JOURNAL_CREATE:
    case JOURNAL_CREATE2:
    case JOURNAL_CREATE_CONTAINER:
    case JOURNAL_CREATE_TTL:
        period[autopsy_period_creates].count++;
        note_created(autopsy, &create);
        break;
    case JOURNAL_DELETE:
    case JOURNAL_DELETE_CONTAINER:
        period[autopsy_period_deletes].count++;
        note_deleted(autopsy, path, transaction);
        break;
    case JOURNAL_SET_DATA:
        period[autopsy_period_sets].count++;
        break;
    default: /* no znode comes or goes */
        break;
    }
    free(path);
}

/* Creates the znodes that were there at the beginning and are known by their deletions alone. */
static void make_early(struct autopsy *autopsy)
{
    const struct census_early *early;
    while ((early = census_next_early(autopsy->census)) != NULL) {
        struct census_create create = {.session = early->session,
                                       .zxid = early->zxid - 1,
                                       .at_ms = autopsy->begun_ms,
                                       .path = early->path,
                                       .numbered = is_numbered(early->path, JOURNAL_NO_CVERSION)};
        create.ephemeral = census_is_lock(autopsy->census, &create);
        if (create.ephemeral)
            note_created(autopsy, &create);
    }
}

/* ------------------------------------------------------------------ the listener */

/* Notes how much there is, and whether the clock was set to an earlier time. */
static void note_extent(struct autopsy *autopsy, const struct journal_transaction *transaction)
{
    int64_t back_ms = autopsy->now_ms - transaction->time_ms;
    if (autopsy->read++ == 0) {
        autopsy->first_zxid = transaction->zxid;
        autopsy->first_ms = autopsy->least_ms = transaction->time_ms;
    } else if (back_ms > 0) {
        autopsy->back.steps++;
        if (back_ms > autopsy->back.most_ms) {
            autopsy->back.most_ms = back_ms;
            autopsy->back.most_zxid = transaction->zxid;
            autopsy->back.at_epoch = transaction->zxid >> 32 != autopsy->last_zxid >> 32;
        }
    }
    autopsy->last_zxid = transaction->zxid;
    if (transaction->time_ms > autopsy->last_ms)
        autopsy->last_ms = transaction->time_ms;
    if (transaction->time_ms < autopsy->least_ms)
        autopsy->least_ms = transaction->time_ms;
}

static void read_transaction(void *context, const struct journal_transaction *transaction)
{
    struct autopsy *autopsy = context;
    size_t holders, waiters;
    /* A later leader's clock may be behind. */
    autopsy->ended |=
        autopsy->is_second && transaction->time_ms - autopsy->back.most_ms > autopsy->until_ms;
    if (autopsy->ended)
        return;
    if (!autopsy->is_second)
        note_extent(autopsy, transaction);
    begin_time(autopsy, transaction->time_ms);
    if (transaction->zxid == autopsy->begun_zxid) {
        autopsy->begun_ms = transaction->time_ms;
        if (autopsy->is_second)
            make_early(autopsy);
    }
    autopsy->period[autopsy_period_transactions].count++;
    autopsy->period[autopsy_period_bytes].count += transaction->bytes;
    journal_each_change(transaction, autopsy, change);
    if (transaction->change.type != JOURNAL_CLOSE_SESSION) {
        struct log_session *session = session_of(autopsy, transaction->session);
        session->seen_ms = transaction->time_ms;
        session->seen_zxid = transaction->zxid;
    }
    locks_count(autopsy->locks, &holders, &waiters);
    raise_count(&autopsy->period[autopsy_period_holders_max], holders);
    raise_count(&autopsy->period[autopsy_period_waiters_max], waiters);
}

static void read_session(void *context, int64_t id, int32_t timeout_ms)
{
    session_of(context, id)->timeout_ms = timeout_ms;
}

static void read_znode(void *context, const struct journal_znode *znode)
{
    struct autopsy *autopsy = context;
    char *path = memory_copy(znode->path.bytes, znode->path.length);
    if (autopsy->is_second && znode->owner != 0)
        autopsy->orphans += session_of(autopsy, znode->owner)->timeout_ms == 0;
    note_created(autopsy,
                 &(struct census_create){.session = znode->owner,
                                         .zxid = znode->czxid,
                                         .at_ms = znode->created_ms,
                                         .path = path,
                                         .ephemeral = znode->owner != 0,
                                         .numbered = is_numbered(path, JOURNAL_NO_CVERSION)});
    free(path);
}

static void read_begin(void *context, int64_t zxid, int64_t snapshot)
{
    struct autopsy *autopsy = context;
    census_begin(autopsy->census, zxid, snapshot == JOURNAL_NOT_KNOWN ? INT64_MAX : snapshot);
    autopsy->end = in_gap;
    locks_forget(autopsy->locks, ns_of(autopsy->now_ms));
    autopsy->end = deleted;
    tdestroy(autopsy->sessions, free);
    autopsy->sessions = NULL;
    autopsy->begun_zxid = zxid;
    autopsy->snapshot = snapshot;
}

const struct journal_listener reading_listener = {.begin = read_begin,
                                                  .znode = read_znode,
                                                  .session = read_session,
                                                  .transaction = read_transaction};

/* ------------------------------------------------------------------ the whole */

void reading_start(struct autopsy *autopsy)
{
    autopsy->census = census_new();
    autopsy->locks = locks_new(close_row, autopsy);
    autopsy->period = autopsy->no_period;
}

/* Decides what is a lock, and how long the periods are: PERIODS_MOST at most, or the longest. The
 * time that is asked for ends with the logs. */
void reading_again(struct autopsy *autopsy)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, 60000, 600000};
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    if (autopsy->from_ms < autopsy->least_ms)
        autopsy->from_ms = autopsy->least_ms;
    if (autopsy->until_ms > autopsy->last_ms)
        autopsy->until_ms = autopsy->last_ms;
    while (length < last &&
           (autopsy->until_ms - autopsy->from_ms) / (int64_t)lengths_ms[length] > PERIODS_MOST)
        length++;
    autopsy->period_ms = lengths_ms[length];
    census_again(autopsy->census);
    autopsy->is_second = true;
}

/* Completes the row of each lock that is asked for, and drops those of the others. The order on the
 * screen: what stood still, then what most waited for; zkherd's own are last. */
void reading_end(struct autopsy *autopsy)
{
    const struct locks_lock *lock;
    struct table *table = &autopsy->tables[LOCKS];
    size_t kept = 0;
    autopsy->end = open;
    locks_end(autopsy->locks, ns_of(autopsy->until_ms));
    for (size_t i = 0; (lock = locks_at(autopsy->locks, i)) != NULL; i++) {
        struct table_value *row = row_of(autopsy, lock);
        if (!is_asked_for(autopsy, lock) ||
            row[autopsy_lock_grants].count + row[autopsy_lock_refused].count == 0)
            continue;
        row[autopsy_lock_lock] = table_count(i);
        row[autopsy_lock_path] = table_text(lock->path);
        row[autopsy_lock_recipe] = table_text(lock->recipe);
        raise_count(&row[autopsy_lock_waiters_max], row[autopsy_lock_waiting].count);
        row[autopsy_lock_rank] = table_real((row[autopsy_lock_stood_still].flag ? 1e12 : 0) -
                                            (row[autopsy_lock_own].flag ? 1e13 : 0) +
                                            table_number(&row[autopsy_lock_waiters_max]));
        memmove(table->values + kept++ * autopsy_lock_columns_count, row,
                autopsy_lock_columns_count * sizeof *row);
    }
    table->rows = kept; /* the rows behind have no text of their own */
}
