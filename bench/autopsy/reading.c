// SPDX-License-Identifier: Apache-2.0
/* The two readings: each transaction goes to its period, to the census, and to the locks, of which
 * there is none before the second. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/autopsy/internal.h"
#include "bench/output/trial_columns.h"
#include "bench/target/target.h"
#include "wire/message.h"

#include <inttypes.h>
#include <poll.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

TABLE_DEFINE(autopsy_lock, "locks.csv", AUTOPSY_LOCK_COLUMNS)
TABLE_DEFINE(autopsy_hold, "holds.csv", AUTOPSY_HOLD_COLUMNS)
TABLE_DEFINE(autopsy_expiry, "expired.csv", AUTOPSY_EXPIRY_COLUMNS)
TABLE_DEFINE(autopsy_period, "periods.csv", AUTOPSY_PERIOD_COLUMNS)

#define PERIODS_MOST 1000

/* Ends of sessions, and so of holds; other holds end by a delete, in a gap, or not at all. */
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

/* Unknown of 0. */
static struct table_value time_of(uint64_t ns)
{
    return ns > 0 ? table_signed(ms_of(ns)) : (struct table_value){0};
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

/* The row of the present time, nearly always the last: rows are in the order of time, and clocks
 * may go back. */
static struct table_value *present_row(struct autopsy *autopsy)
{
    struct table *table = &autopsy->tables[PERIODS];
    const int64_t begin_ms = autopsy->now_ms - autopsy->now_ms % (int64_t)autopsy->period_ms;
    const size_t columns = autopsy_period_columns_count;
    size_t row = table->rows;
    while (row > 0 && table_row(table, row - 1)[autopsy_period_begin_ms].number > begin_ms)
        row--;
    if (row > 0 && table_row(table, row - 1)[autopsy_period_begin_ms].number == begin_ms)
        return table->values + (row - 1) * columns;
    (void)table_add(table);
    struct table_value *values = table->values + row * columns;
    memmove(values + columns, values, (table->rows - 1 - row) * columns * sizeof *values);
    values[autopsy_period_begin_ms] = table_signed(begin_ms);
    values[autopsy_period_seconds] = table_real((double)autopsy->period_ms / 1e3);
    for (size_t i = autopsy_period_transactions; i < columns; i++)
        values[i] = table_count(0);
    return values;
}

/* ------------------------------------------------------------------ holds */

/* The row of a lock; those of new locks are added. */
static struct table_value *row_of(struct autopsy *autopsy, const struct locks_lock *lock)
{
    struct table *table = &autopsy->tables[LOCKS];
    while (table->rows <= lock->index) {
        const char *path = locks_at(autopsy->locks, table->rows)->path + 1;
        char *root = memory_copy(path, strcspn(path, "/"));
        table_add(table)[autopsy_lock_own] = table_flag(target_root_is_name(root));
        free(root);
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
    if (lock->by_name && from->held && from->handoff > 0)
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
        [autopsy_hold_arrived_ms] = time_of(from->arrived_ns),
        [autopsy_hold_granted_ms] = time_of(from->granted_ns),
        [autopsy_hold_released_ms] = time_of(from->closed_ns),
        [autopsy_hold_end] = table_text(autopsy->end),
    };
    table_write_row(&autopsy_hold_table, row, &autopsy->holds);
    free(row[autopsy_hold_session].text);
    free(row[autopsy_hold_end].text);
}

/* A time is unknown until there is one: no comparison with it is true. */
static void note_hold(const struct autopsy *autopsy, const struct locks_row *from,
                      struct table_value *row)
{
    const bool is_known = from->granted_ns > 0; /* else it has held since before the logs */
    const double held = seconds(is_known ? from->granted_ns : ns_of(autopsy->begun_ms),
                                from->closed_ns),
                 waited = seconds(from->arrived_ns, from->granted_ns),
                 before = table_number(&row[autopsy_lock_held_max_s]);
    row[autopsy_lock_held_s].real += seconds(from->held_ns, from->closed_ns);
    row[autopsy_lock_stood_still].flag =
        row[autopsy_lock_waiting].count > 0 && held >= 1 && !(held <= 2 * before);
    if (is_known && !(table_number(&row[autopsy_lock_waited_max_s]) >= waited))
        row[autopsy_lock_waited_max_s] = table_real(waited);
    if (before >= held)
        return;
    free(row[autopsy_lock_held_max_session].text);
    row[autopsy_lock_held_max_s] = table_real(held);
    row[autopsy_lock_held_max_session] = table_hex(from->session);
    row[autopsy_lock_held_max_begin_ms] = time_of(from->granted_ns);
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *from)
{
    struct autopsy *autopsy = context;
    struct table_value *row = row_of(autopsy, lock), *expiry = autopsy->expiry;
    if (!is_asked_for(autopsy, lock) ||
        (autopsy->end != open && ms_of(from->closed_ns) < autopsy->from_ms) ||
        (autopsy->until_ms < autopsy->last_ms && ms_of(from->released_ns) > autopsy->until_ms))
        return;
    row[autopsy_lock_grants].count += from->granted;
    row[autopsy_lock_handoffs].count += from->waiters > 0;
    raise_count(&row[autopsy_lock_waiters_max], from->waiters);
    row[autopsy_lock_waiting].count = autopsy->end == open ? locks_waiters(lock) : 0;
    write_handoff(autopsy, lock, from);
    if (from->held) {
        note_hold(autopsy, from, row);
        write_hold(autopsy, lock, from);
    }
    autopsy->period[autopsy_period_releases].count +=
        autopsy->end != open && autopsy->end != in_gap;
    row[autopsy_lock_expired].count += autopsy->end == expired;
    if (expiry != NULL && expiry[autopsy_expiry_held].count++ == 0) {
        expiry[autopsy_expiry_lock] = table_count(lock->index);
        expiry[autopsy_expiry_waiters] = table_count(locks_waiters(lock));
        expiry[autopsy_expiry_path] = table_text(lock->path);
    }
}

/* ------------------------------------------------------------------ changes of znodes */

static void note_refused(struct autopsy *autopsy, const struct census_create *create)
{
    bool inferred = false;
    const char *path = census_refuse(autopsy->census, create, &inferred);
    enum autopsy_period_column column = autopsy_period_unattributed;
    if (path != NULL) {
        struct table_value *row =
            row_of(autopsy, locks_refuse(autopsy->locks, create->session, path, create->at_ns));
        row[autopsy_lock_refused].count += autopsy->in_time;
        row[autopsy_lock_refused_inferred].count += autopsy->in_time && inferred;
        column = row[autopsy_lock_own].flag ? autopsy_period_own_refused : autopsy_period_refused;
    }
    autopsy->period[column].count++;
}

/* ------------------------------------------------------------------ sessions */

struct log_session {
    int64_t id; /* the key */
    int32_t timeout_ms;
    int64_t seen_ms, seen_zxid; /* its last transaction; 0: none yet */
};

static struct log_session *session_of(struct autopsy *autopsy, int64_t id)
{
    return id_tree_find_or_add(&autopsy->sessions, id, sizeof(struct log_session));
}

/* A client may give its close the number 0, as servers do when they expire a session; and reads and
 * pings are in no log. */
static const char *end_of(const struct autopsy *autopsy, const struct log_session *session,
                          const struct journal_transaction *close)
{
    const bool is_seen = session->seen_zxid != 0, is_timed = session->timeout_ms > 0;
    const int64_t silent_ms = close->time_ms - (is_seen ? session->seen_ms : autopsy->begun_ms);
    /* Clocks of two leaders may differ, at least by as much as they are seen to. */
    const bool is_same_clock = is_seen && session->seen_zxid >= autopsy->clock_zxid;
    const int64_t off_ms = is_same_clock ? 0 : autopsy->back_ms;
    if (close->cxid != 0)
        return closed;
    if (is_timed && silent_ms >= session->timeout_ms + off_ms)
        return autopsy->has_zero_close ? undecided : expired;
    return is_timed && silent_ms >= 0 && is_same_clock ? closed : undecided;
}

static struct table_value *add_expiry(struct autopsy *autopsy, const struct log_session *session,
                                      const struct journal_transaction *close)
{
    struct table_value *row = table_add(&autopsy->tables[EXPIRIES]);
    const int64_t silent_ms = session->seen_zxid != 0 ? close->time_ms - session->seen_ms : -1;
    const struct journal_change *change = &close->change;
    row[autopsy_expiry_session] = table_hex(session->id);
    row[autopsy_expiry_expired_ms] = table_signed(close->time_ms);
    row[autopsy_expiry_timeout_ms] =
        table_count_if(session->timeout_ms > 0, (uint64_t)session->timeout_ms);
    row[autopsy_expiry_silent_ms] = table_count_if(silent_ms >= 0, (uint64_t)silent_ms);
    row[autopsy_expiry_ephemerals] = table_count_if(change->listed.bytes != NULL, change->elements);
    row[autopsy_expiry_held] = table_count(0);
    row[autopsy_expiry_end] = table_text(autopsy->end);
    return row;
}

/* Ends the znodes of a session, all of which its end lists, or none before 3.6. */
static void end_znodes(struct autopsy *autopsy, const struct log_session *session,
                       const struct journal_transaction *close)
{
    struct jute paths = close->change.listed;
    struct jute_bytes listed;
    const bool are_listed = paths.bytes != NULL;
    size_t places = locks_places(autopsy->locks, session->id, NULL);
    while (journal_next_path(&paths, &listed)) {
        char *path = memory_copy(listed.bytes, listed.length);
        places -= locks_places(autopsy->locks, session->id, path);
        census_delete(autopsy->census, path, session->id, close->zxid);
        free(path);
    }
    if (are_listed && places > 0 && autopsy->left++ == 0)
        autopsy->left_zxid = close->zxid;
    if (!are_listed && autopsy->snapshot != 0 &&
        (session->timeout_ms == 0 || close->zxid <= autopsy->snapshot)) {
        autopsy->unlisted++;
        autopsy->unlisted_ms = close->time_ms;
    }
    census_close(autopsy->census, session->id, close->zxid, are_listed);
}

/* A session that has not closed itself has a row if it held a lock, or had znodes. */
static void close_session(struct autopsy *autopsy, const struct journal_transaction *close)
{
    struct log_session *session = session_of(autopsy, close->session);
    struct table *expiries = &autopsy->tables[EXPIRIES];
    end_znodes(autopsy, session, close);
    autopsy->end = end_of(autopsy, session, close);
    autopsy->expiry = add_expiry(autopsy, session, close);
    autopsy->period[autopsy_period_expired].count += autopsy->end == expired;
    autopsy->period[autopsy_period_undecided].count += autopsy->end == undecided;
    autopsy->has_zero_close |= close->cxid == 0 && autopsy->end == closed;
    locks_close(autopsy->locks, session->id, ns_of(close->time_ms));
    const bool has_row = autopsy->expiry[autopsy_expiry_held].count > 0 ||
                         (autopsy->only == NULL && close->change.elements > 0);
    if (autopsy->end == closed || !autopsy->in_time || !has_row)
        table_truncate(expiries, expiries->rows - 1);
    autopsy->expiry = NULL;
    autopsy->end = deleted;
    id_tree_remove(&autopsy->sessions, session);
    free(session);
}

/* ------------------------------------------------------------------ changes */

/* The columns that count the changes; 0: none does. */
static const enum autopsy_period_column counted[JOURNAL_TYPE_COUNT] = {
    [JOURNAL_CREATE_SESSION] = autopsy_period_opened,
    [JOURNAL_CLOSE_SESSION] = autopsy_period_closed,
    [JOURNAL_ERROR] = autopsy_period_errors,
    [JOURNAL_CREATE] = autopsy_period_creates,
    [JOURNAL_CREATE2] = autopsy_period_creates,
    [JOURNAL_CREATE_CONTAINER] = autopsy_period_creates,
    [JOURNAL_CREATE_TTL] = autopsy_period_creates,
    [JOURNAL_DELETE] = autopsy_period_deletes,
    [JOURNAL_DELETE_CONTAINER] = autopsy_period_deletes,
    [JOURNAL_SET_DATA] = autopsy_period_sets,
};

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct autopsy *autopsy = context;
    const enum autopsy_period_column column = counted[of->type];
    char *path =
        of->path.length > 0 ? memory_copy(of->path.bytes, of->path.length) : memory_text("/");
    const struct census_create create = {.session = transaction->session,
                                         .cxid = transaction->cxid,
                                         .zxid = transaction->zxid,
                                         .at_ns = ns_of(transaction->time_ms),
                                         .path = path,
                                         .ephemeral = of->ephemeral,
                                         .cversion = of->cversion};
    if (column != 0)
        autopsy->period[column].count++;
    if (column == autopsy_period_opened)
        session_of(autopsy, create.session)->timeout_ms = of->number;
    else if (column == autopsy_period_closed)
        close_session(autopsy, transaction);
    else if (column == autopsy_period_creates)
        census_create(autopsy->census, &create);
    else if (column == autopsy_period_errors && of->number == MESSAGE_NODE_EXISTS)
        note_refused(autopsy, &create);
    else if (column == autopsy_period_deletes) {
        census_delete(autopsy->census, path, create.session, create.zxid);
        locks_delete(autopsy->locks, path, create.at_ns);
    }
    free(path);
}

/* ------------------------------------------------------------------ the listener */

static void read_flaw(void *context, const char *sentence, bool loses)
{
    struct autopsy *autopsy = context;
    struct table_value *row = table_add(&autopsy->tables[FLAWS]);
    row[autopsy_flaw_sentence] = table_text(sentence);
    row[autopsy_flaw_loses] = table_flag(loses);
    autopsy->loses |= loses;
}

/* Notes how much there is, and whether the clock was set to an earlier time. */
static void note_extent(struct autopsy *autopsy, const struct journal_transaction *transaction)
{
    const int64_t now_ms = transaction->time_ms, back_ms = autopsy->now_ms - now_ms;
    if (autopsy->read++ == 0) {
        autopsy->first_zxid = transaction->zxid;
        autopsy->first_ms = autopsy->least_ms = now_ms;
    }
    if (back_ms > autopsy->back_ms) {
        autopsy->back_ms = back_ms;
        autopsy->back_zxid = transaction->zxid;
    }
    autopsy->last_zxid = transaction->zxid;
    autopsy->last_ms = now_ms > autopsy->last_ms ? now_ms : autopsy->last_ms;
    autopsy->least_ms = now_ms < autopsy->least_ms ? now_ms : autopsy->least_ms;
}

static void count_clients(struct autopsy *autopsy)
{
    size_t holders, waiters;
    locks_count(autopsy->locks, &holders, &waiters);
    raise_count(&autopsy->period[autopsy_period_holders_max], holders);
    raise_count(&autopsy->period[autopsy_period_waiters_max], waiters);
}

static void read_transaction(void *context, const struct journal_transaction *transaction)
{
    struct autopsy *autopsy = context;
    const int64_t now_ms = transaction->time_ms;
    /* A later leader's clock may be behind. */
    autopsy->ended |= autopsy->is_second && now_ms - autopsy->back_ms > autopsy->until_ms;
    if (autopsy->ended)
        return;
    if (!autopsy->is_second)
        note_extent(autopsy, transaction);
    if (now_ms < autopsy->now_ms || transaction->zxid >> 32 > autopsy->clock_zxid >> 32)
        autopsy->clock_zxid = transaction->zxid;
    autopsy->now_ms = now_ms;
    autopsy->in_time =
        autopsy->is_second && now_ms >= autopsy->from_ms && now_ms <= autopsy->until_ms;
    autopsy->period = autopsy->in_time ? present_row(autopsy) : autopsy->no_period;
    if (transaction->zxid == autopsy->begun_zxid) {
        autopsy->begun_ms = now_ms;
        census_create_early(autopsy->census, ns_of(now_ms));
        locks_begin(autopsy->locks, ns_of(now_ms));
    }
    if (autopsy->period[autopsy_period_transactions].count++ == 0)
        count_clients(autopsy); /* since before the period */
    autopsy->period[autopsy_period_bytes].count += transaction->bytes;
    journal_each_change(transaction, autopsy, change);
    if (transaction->change.type != JOURNAL_CLOSE_SESSION) {
        struct log_session *session = session_of(autopsy, transaction->session);
        session->seen_ms = now_ms;
        session->seen_zxid = transaction->zxid;
    }
    count_clients(autopsy);
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
    census_create(autopsy->census, &(struct census_create){.session = znode->owner,
                                                           .zxid = znode->czxid,
                                                           .at_ns = ns_of(znode->created_ms),
                                                           .path = path,
                                                           .ephemeral = znode->owner != 0,
                                                           .was_there = true,
                                                           .cversion = znode->cversion});
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

static bool show_progress(void *context, uint64_t read_bytes, uint64_t of_bytes)
{
    struct autopsy *autopsy = context;
    struct pollfd signals = {.fd = autopsy->signals, .events = POLLIN};
    char line[80];
    snprintf(line, sizeof line, "autopsy: %.0f %% of %.0f MB, read twice",
             50 * ((double)read_bytes / (double)of_bytes + autopsy->is_second),
             (double)of_bytes / 1e6);
    progress_show_step(&autopsy->progress, line);
    return poll(&signals, 1, 0) <= 0;
}

static const struct journal_listener listener = {.begin = read_begin,
                                                 .znode = read_znode,
                                                 .session = read_session,
                                                 .transaction = read_transaction,
                                                 .flaw = read_flaw,
                                                 .progress = show_progress};

/* ------------------------------------------------------------------ the whole */

/* Holders are unknown whose sessions ended before the snapshot was written. */
static void note_unlisted(struct autopsy *autopsy)
{
    char until[32], sentence[320];
    clock_format_utc(ns_of(autopsy->unlisted_ms), 0, until, sizeof until);
    snprintf(sentence, sizeof sentence,
             "%" PRIu64 " session%s from before the first transaction ended before the first "
             "snapshot was written, and servers before 3.6 do not list what ends with them: "
             "holders up to %s may be missing.",
             autopsy->unlisted, text_plural(autopsy->unlisted), until);
    read_flaw(autopsy, sentence, true);
}

/* The end of a session lists all its ephemeral znodes that are there. */
static void note_left(struct autopsy *autopsy)
{
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "%" PRIu64 " session%s ended without a znode that the logs have not deleted, first at "
             "zxid 0x%" PRIx64 ": transactions before are missing.",
             autopsy->left, text_plural(autopsy->left), (uint64_t)autopsy->left_zxid);
    if (autopsy->left > 0)
        read_flaw(autopsy, sentence, true);
}

static void add_doubt(void *context, const char *path, bool is_lock, uint64_t refusals,
                      uint64_t sessions)
{
    struct table_value *row = table_add(context);
    row[autopsy_doubt_path] = table_text(path);
    row[autopsy_doubt_is_lock] = table_flag(is_lock);
    row[autopsy_doubt_refused] = table_count(refusals);
    row[autopsy_doubt_sessions] = table_count(sessions);
}

/* Between the readings: decides what is a lock, and how long the periods are: PERIODS_MOST at most,
 * or the longest. The time that is asked for ends with the logs. */
static void read_again(struct autopsy *autopsy)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, 60000, 600000};
    const struct table *flaws = &autopsy->tables[FLAWS];
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    if (autopsy->unlisted > 0 && autopsy->unlisted_ms >= autopsy->from_ms)
        note_unlisted(autopsy);
    if (autopsy->read == 0) {
        const char *why = flaws->rows > 0 ? table_row(flaws, 0)[autopsy_flaw_sentence].text
                                          : "the log has no transaction.";
        (void)!error_raise(&autopsy->error, ERROR_NO_JOURNAL, 0, autopsy->folders[0], "%.*s",
                           (int)strlen(why) - 1, why); /* the full stop is the complaint's */
    }
    if (autopsy->from_ms < autopsy->least_ms)
        autopsy->from_ms = autopsy->least_ms;
    if (autopsy->until_ms > autopsy->last_ms)
        autopsy->until_ms = autopsy->last_ms;
    while (length < last &&
           (autopsy->until_ms - autopsy->from_ms) / (int64_t)lengths_ms[length] > PERIODS_MOST)
        length++;
    autopsy->period_ms = lengths_ms[length];
    census_again(autopsy->census, add_doubt, &autopsy->tables[DOUBTS]);
    autopsy->is_second = true;
    autopsy->now_ms = autopsy->clock_zxid = 0; /* as before the first reading */
}

/* Completes the row of each lock that is asked for, and drops those of the others. */
static void complete_locks(struct autopsy *autopsy)
{
    const struct locks_lock *lock;
    struct table *table = &autopsy->tables[LOCKS];
    const size_t columns = autopsy_lock_columns_count;
    size_t kept = 0;
    const bool is_until = autopsy->ended || autopsy->now_ms > autopsy->until_ms;
    autopsy->end = open; /* at the last time, which need not be the latest */
    locks_end(autopsy->locks, ns_of(is_until ? autopsy->until_ms : autopsy->now_ms));
    for (size_t i = 0; (lock = locks_at(autopsy->locks, i)) != NULL; i++) {
        struct table_value *row = row_of(autopsy, lock);
        const bool is_held = row[autopsy_lock_held_max_s].kind != TABLE_UNKNOWN;
        if (!is_asked_for(autopsy, lock) || (!is_held && row[autopsy_lock_refused].count == 0))
            continue;
        for (size_t j = autopsy_lock_grants; j <= autopsy_lock_refused_inferred; j++)
            if (j <= autopsy_lock_held_s || j >= autopsy_lock_waiting)
                row[j].kind = table->type->columns[j].kind;
        raise_count(&row[autopsy_lock_waiters_max], row[autopsy_lock_waiting].count);
        row[autopsy_lock_lock] = table_count(i);
        row[autopsy_lock_path] = table_text(lock->path);
        row[autopsy_lock_recipe] = table_text(lock->recipe);
        row[autopsy_lock_next_sequence] = table_count_if(lock->next_number > 0, lock->next_number);
        row[autopsy_lock_foreign] = table_flag(!row[autopsy_lock_own].flag);
        row[autopsy_lock_certain] =
            table_flag(row[autopsy_lock_handoffs].count > 0 || strcmp(lock->recipe, "queue") != 0);
        memmove(table->values + kept++ * columns, row, columns * sizeof *row);
    }
    table->rows = kept; /* the rows behind have no text of their own */
    note_left(autopsy);
    if (autopsy->only != NULL && kept == 0)
        (void)!error_raise(&autopsy->error, ERROR_NO_LOCK, 0, autopsy->only,
                           "the logs have no hold of it in the time that is asked for");
}

void autopsy_read(struct autopsy *autopsy)
{
    struct error *error = &autopsy->error;
    struct journal_listener second = listener;
    second.flaw = NULL; /* they are the same */
    autopsy->locks = locks_new(close_row, autopsy);
    autopsy->census = census_new(autopsy->locks);
    autopsy->period = autopsy->no_period;
    ERROR_FIRST(error,
                journal_open(autopsy->folders, autopsy->folder_count, &autopsy->journal, error));
    ERROR_FIRST(error, journal_read(autopsy->journal, &listener, autopsy, error));
    if (error->kind == ERROR_NONE)
        read_again(autopsy);
    ERROR_FIRST(error, journal_read(autopsy->journal, &second, autopsy, error));
    if (error->kind == ERROR_NONE)
        complete_locks(autopsy);
    census_free(autopsy->census);
    locks_free(autopsy->locks);
    tdestroy(autopsy->sessions, free);
}
