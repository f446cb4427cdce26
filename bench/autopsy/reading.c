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

static void begin_time(struct autopsy *autopsy, int64_t now_ms)
{
    autopsy->now_ms = now_ms;
    autopsy->in_time =
        autopsy->is_second && now_ms >= autopsy->from_ms && now_ms <= autopsy->until_ms;
    autopsy->period = autopsy->in_time ? present_row(autopsy) : autopsy->no_period;
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
                      const struct locks_row *from, struct table_value *row)
{
    const double held = seconds(from->granted_ns, from->closed_ns),
                 waited = seconds(from->arrived_ns, from->granted_ns),
                 before = table_number(&row[autopsy_lock_held_max_s]);
    row[autopsy_lock_held_s].real += held;
    if (autopsy->end == open) {
        const size_t waiting = locks_waiters(lock);
        row[autopsy_lock_waiting] = table_count(waiting);
        row[autopsy_lock_stood_still] =
            table_flag(waiting > 0 && held >= 1 && !(held <= 2 * before));
    }
    if (!(table_number(&row[autopsy_lock_waited_max_s]) >= waited))
        row[autopsy_lock_waited_max_s] = table_real(waited);
    if (before >= held)
        return;
    free(row[autopsy_lock_held_max_session].text);
    row[autopsy_lock_held_max_s] = table_real(held);
    row[autopsy_lock_held_max_session] = table_hex(from->session);
    row[autopsy_lock_held_max_begin_ms] = table_signed(ms_of(from->granted_ns));
}

/* A session that ends, and has not closed itself, held this lock. */
static void note_expiry(struct autopsy *autopsy, const struct locks_lock *lock,
                        struct table_value *expiry)
{
    row_of(autopsy, lock)[autopsy_lock_expired].count += autopsy->end == expired;
    if (expiry[autopsy_expiry_held].count++ > 0)
        return;
    expiry[autopsy_expiry_lock] = table_count(lock->index);
    expiry[autopsy_expiry_waiters] = table_count(locks_waiters(lock));
    expiry[autopsy_expiry_path] = table_text(lock->path);
}

static void close_row(void *context, const struct locks_lock *lock, const struct locks_row *from)
{
    struct autopsy *autopsy = context;
    struct table_value *row = row_of(autopsy, lock);
    if (!is_asked_for(autopsy, lock) || ms_of(from->closed_ns) < autopsy->from_ms ||
        ms_of(from->released_ns) > autopsy->until_ms)
        return;
    row[autopsy_lock_grants].count += from->granted;
    row[autopsy_lock_handoffs].count += from->waiters > 0;
    raise_count(&row[autopsy_lock_waiters_max], from->waiters);
    write_handoff(autopsy, lock, from);
    if (from->granted > 0) {
        note_hold(autopsy, lock, from, row);
        write_hold(autopsy, lock, from);
    }
    autopsy->period[autopsy_period_releases].count +=
        autopsy->end != open && autopsy->end != in_gap;
    if (autopsy->expiry != NULL)
        note_expiry(autopsy, lock, autopsy->expiry);
}

/* ------------------------------------------------------------------ changes of znodes */

static void note_refused(struct autopsy *autopsy, const struct census_create *create)
{
    struct table_value *period = autopsy->period;
    const struct census_blame blame = census_refuse(autopsy->census, create);
    if (blame.path == NULL) {
        period[autopsy_period_unattributed].count++;
        return;
    }
    struct table_value *row =
        row_of(autopsy, locks_refuse(autopsy->locks, create->session, blame.path, create->at_ns));
    row[autopsy_lock_refused].count += autopsy->in_time;
    row[autopsy_lock_refused_inferred].count += autopsy->in_time && blame.inferred;
    period[row[autopsy_lock_own].flag ? autopsy_period_own_refused : autopsy_period_refused]
        .count++;
}

/* ------------------------------------------------------------------ sessions */

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
    const bool is_same_clock = is_seen && session->seen_zxid >> 32 == close->zxid >> 32;
    const int64_t off_ms = is_same_clock ? 0 : autopsy->back_ms;
    if (close->cxid != 0)
        return closed;
    if (is_timed && silent_ms >= session->timeout_ms + off_ms)
        return autopsy->zero_closes > 0 ? undecided : expired;
    return is_timed && silent_ms >= 0 && is_same_clock ? closed : undecided;
}

/* Ends the holds of a session. One that has not closed itself has a row if it held a lock, or had
 * znodes. */
static void end_holds(struct autopsy *autopsy, const struct log_session *session,
                      const struct journal_transaction *close)
{
    struct table *table = &autopsy->tables[EXPIRIES];
    struct table_value *row = table_add(table);
    const int64_t silent_ms = session->seen_zxid != 0 ? close->time_ms - session->seen_ms : -1;
    const struct journal_change *change = &close->change;
    const bool is_doubtful = autopsy->end != closed;
    row[autopsy_expiry_session] = table_hex(session->id);
    row[autopsy_expiry_expired_ms] = table_signed(close->time_ms);
    row[autopsy_expiry_timeout_ms] =
        table_count_if(session->timeout_ms > 0, (uint64_t)session->timeout_ms);
    row[autopsy_expiry_silent_ms] = table_count_if(silent_ms >= 0, (uint64_t)silent_ms);
    row[autopsy_expiry_ephemerals] = table_count_if(change->listed.bytes != NULL, change->elements);
    row[autopsy_expiry_held] = table_count(0);
    row[autopsy_expiry_end] = table_text(autopsy->end);
    autopsy->expiry = is_doubtful ? row : NULL;
    locks_close(autopsy->locks, session->id, ns_of(close->time_ms));
    autopsy->expiry = NULL;
    if (!is_doubtful || !autopsy->in_time ||
        (row[autopsy_expiry_held].count == 0 && (autopsy->only != NULL || change->elements == 0)))
        table_truncate(table, table->rows - 1);
}

static void close_session(struct autopsy *autopsy, struct log_session *session,
                          const struct journal_transaction *close)
{
    struct jute paths = close->change.listed;
    struct jute_bytes listed;
    const bool are_listed = paths.bytes != NULL;
    autopsy->end = end_of(autopsy, session, close);
    autopsy->period[autopsy_period_expired].count += autopsy->end == expired;
    autopsy->period[autopsy_period_undecided].count += autopsy->end == undecided;
    end_holds(autopsy, session, close);
    autopsy->zero_closes += !autopsy->is_second && close->cxid == 0 && autopsy->end == closed;
    autopsy->end = deleted;
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
    struct log_session *session = session_of(autopsy, transaction->session);
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
        session->timeout_ms = of->number;
    else if (column == autopsy_period_closed)
        close_session(autopsy, session, transaction);
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

/* ------------------------------------------------------------------ flaws */

/* Adds a sentence, which is the table's to free. */
static void add_flaw(struct autopsy *autopsy, bool loses, char *sentence)
{
    struct table_value *row = table_add(&autopsy->tables[FLAWS]);
    row[autopsy_flaw_sentence] = (struct table_value){.kind = TABLE_TEXT, .text = sentence};
    row[autopsy_flaw_loses] = table_flag(loses);
    autopsy->loses |= loses;
}

/* What is missing, for the caller to free. */
static char *describe_gap(const struct journal_flaw *gap)
{
    const uint64_t after = (uint64_t)gap->after, before = (uint64_t)gap->before;
    const bool is_certain = gap->newest != 0 || after >> 32 == before >> 32;
    char found[48] = "";
    if (gap->newest != 0)
        snprintf(found, sizeof found, ", a snapshot has 0x%" PRIx64, (uint64_t)gap->newest);
    if (before == 0)
        return memory_format("Transactions behind 0x%" PRIx64 " are in no log%s.", after, found);
    return memory_format(
        "Transactions between 0x%" PRIx64 " and 0x%" PRIx64
        " %s%s: holders behind them begin anew.",
        after, before, is_certain ? "are in no log" : "may be missing, because no server has both",
        found);
}

static void read_flaw(void *context, const struct journal_flaw *flaw)
{
    struct autopsy *autopsy = context;
    const struct journal_flaw_row *kind = &journal_flaws[flaw->kind];
    const char *compression = flaw->compression;
    char where[96] = "", file[512];
    if (autopsy->is_second)
        return;
    if (flaw->offset > 0)
        snprintf(where, sizeof where, " (at byte %" PRIu64 ", behind zxid 0x%" PRIx64 ")",
                 flaw->offset, (uint64_t)flaw->after);
    add_flaw(autopsy, kind->loses,
             flaw->kind == JOURNAL_GAP
                 ? describe_gap(flaw)
                 : memory_format("%s %s%s%s%s.", printable_text(flaw->file, file, sizeof file),
                                 kind->sentence, compression != NULL ? " " : "",
                                 compression != NULL ? compression : "", where));
}

/* Holders are unknown whose sessions ended before the snapshot was written. */
static void add_flaw_of_unlisted(struct autopsy *autopsy)
{
    char until[32];
    if (autopsy->unlisted == 0 || autopsy->unlisted_ms < autopsy->from_ms)
        return;
    clock_format_utc((uint64_t)autopsy->unlisted_ms * NS_PER_MS, 0, until, sizeof until);
    add_flaw(autopsy, true,
             memory_format(
                 "%" PRIu64 " sessions from before the first transaction ended before the first "
                 "snapshot, and servers before 3.6 do not list what ends with them: holders "
                 "up to %s may be missing.",
                 autopsy->unlisted, until));
}

/* ------------------------------------------------------------------ the listener */

/* Notes how much there is, and whether the clock was set to an earlier time. */
static void note_extent(struct autopsy *autopsy, const struct journal_transaction *transaction)
{
    const int64_t now_ms = transaction->time_ms, back_ms = autopsy->now_ms - now_ms;
    const bool is_first = autopsy->read++ == 0;
    if (is_first) {
        autopsy->first_zxid = transaction->zxid;
        autopsy->first_ms = autopsy->least_ms = now_ms;
    }
    if (!is_first && back_ms > autopsy->back_ms) {
        autopsy->back_ms = back_ms;
        autopsy->back_zxid = transaction->zxid;
    }
    autopsy->last_zxid = transaction->zxid;
    autopsy->last_ms = now_ms > autopsy->last_ms ? now_ms : autopsy->last_ms;
    autopsy->least_ms = now_ms < autopsy->least_ms ? now_ms : autopsy->least_ms;
}

static void read_transaction(void *context, const struct journal_transaction *transaction)
{
    struct autopsy *autopsy = context;
    size_t holders, waiters;
    /* A later leader's clock may be behind. */
    autopsy->ended |=
        autopsy->is_second && transaction->time_ms - autopsy->back_ms > autopsy->until_ms;
    if (autopsy->ended)
        return;
    if (!autopsy->is_second)
        note_extent(autopsy, transaction);
    begin_time(autopsy, transaction->time_ms);
    if (transaction->zxid == autopsy->begun_zxid) {
        autopsy->begun_ms = transaction->time_ms;
        if (autopsy->is_second)
            census_create_early(autopsy->census, ns_of(autopsy->begun_ms));
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
    census_create(autopsy->census, &(struct census_create){.session = znode->owner,
                                                           .zxid = znode->czxid,
                                                           .at_ns = ns_of(znode->created_ms),
                                                           .path = path,
                                                           .ephemeral = znode->owner != 0,
                                                           .cversion = CENSUS_NO_CVERSION});
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

/* Between the readings: decides what is a lock, and how long the periods are: PERIODS_MOST at most,
 * or the longest. The time that is asked for ends with the logs. */
static void read_again(struct autopsy *autopsy)
{
    static const uint64_t lengths_ms[] = {100, 1000, 10000, 60000, 600000};
    const struct table *flaws = &autopsy->tables[FLAWS];
    size_t length = 0, last = sizeof lengths_ms / sizeof lengths_ms[0] - 1;
    add_flaw_of_unlisted(autopsy);
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
    census_again(autopsy->census);
    autopsy->is_second = true;
}

/* Completes the row of each lock that is asked for, and drops those of the others. The order on the
 * screen: what stood still, then what most waited for. */
static void complete_locks(struct autopsy *autopsy)
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
        row[autopsy_lock_next_sequence] = table_count_if(lock->next_number > 0, lock->next_number);
        for (size_t j = autopsy_lock_grants; j <= autopsy_lock_refused_inferred; j++)
            if (j <= autopsy_lock_held_s || j >= autopsy_lock_waiting)
                row[j].kind = table->type->columns[j].kind;
        raise_count(&row[autopsy_lock_waiters_max], row[autopsy_lock_waiting].count);
        row[autopsy_lock_rank] = table_real((row[autopsy_lock_stood_still].flag ? 1e12 : 0) +
                                            table_number(&row[autopsy_lock_waiters_max]));
        memmove(table->values + kept++ * autopsy_lock_columns_count, row,
                autopsy_lock_columns_count * sizeof *row);
    }
    table->rows = kept; /* the rows behind have no text of their own */
    if (autopsy->only != NULL && kept == 0)
        (void)!error_raise(&autopsy->error, ERROR_NO_LOCK, 0, autopsy->only,
                           "the logs have no hold of it in the time that is asked for");
}

void autopsy_read(struct autopsy *autopsy)
{
    struct error *error = &autopsy->error;
    autopsy->locks = locks_new(close_row, autopsy);
    autopsy->census = census_new(autopsy->locks);
    autopsy->period = autopsy->no_period;
    ERROR_FIRST(error,
                journal_open(autopsy->folders, autopsy->folder_count, &autopsy->journal, error));
    ERROR_FIRST(error, journal_read(autopsy->journal, &listener, autopsy, error));
    if (error->kind == ERROR_NONE)
        read_again(autopsy);
    ERROR_FIRST(error, journal_read(autopsy->journal, &listener, autopsy, error));
    if (error->kind == ERROR_NONE)
        complete_locks(autopsy);
}
