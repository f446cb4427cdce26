// SPDX-License-Identifier: Apache-2.0
/* The way of each transaction, in both readings: to the census, and to the locks. */
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "recipes/line.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ sessions */

static struct log_session *session_of(struct findings *findings, int64_t id)
{
    return id_tree_take(&findings->sessions, id, sizeof(struct log_session));
}

/* How a session ended. A client may give its close the number 0, as servers do when they expire it;
 * and reads and pings are in no log. *silent_ms: since its last transaction; -1: not known. */
static enum session_end end_of(const struct findings *findings, const struct log_session *session,
                               const struct journal_transaction *close, int64_t *silent_ms)
{
    bool is_seen = session->seen_zxid != 0;
    int64_t silent = close->time_ms - (is_seen ? session->seen_ms : findings->begun_ms);
    /* Clocks of two leaders may differ, at least by as much as they are seen to. */
    bool is_same_clock = is_seen && session->seen_zxid >> 32 == close->zxid >> 32;
    int64_t off_ms = is_same_clock ? 0 : findings->back.most_ms;
    *silent_ms = is_seen && silent >= 0 ? silent : -1;
    if (close->cxid != 0)
        return SESSION_CLOSED;
    if (session->timeout_ms > 0 && silent >= session->timeout_ms + off_ms)
        return findings->zero_closes > 0 ? SESSION_UNDECIDED : SESSION_EXPIRED;
    return session->timeout_ms > 0 && silent >= 0 && is_same_clock ? SESSION_CLOSED
                                                                   : SESSION_UNDECIDED;
}

static void close_session(struct findings *findings, struct log_session *session,
                          const struct journal_transaction *close)
{
    struct jute paths = close->change.listed;
    struct jute_bytes listed;
    bool are_listed = paths.bytes != NULL;
    int64_t silent_ms;
    enum session_end end = end_of(findings, session, close, &silent_ms);
    if (findings->is_second)
        holds_close(findings, session, close, end, silent_ms);
    else
        findings->zero_closes += close->cxid == 0 && end == SESSION_CLOSED;
    if (!findings->is_second && !are_listed && session->timeout_ms == 0 &&
        close->zxid <= findings->snapshot) {
        findings->unlisted++;
        findings->unlisted_ms = close->time_ms;
    }
    while (journal_next_path(&paths, &listed)) {
        char *path = memory_copy(listed.bytes, listed.length);
        census_delete(findings->census, path, close->session, close->zxid);
        free(path);
    }
    census_close(findings->census, close->session, close->zxid, are_listed);
    id_tree_remove(&findings->sessions, session);
    free(session);
}

/* ------------------------------------------------------------------ changes */

static void note_create(struct findings *findings, const struct census_create *create)
{
    census_create(findings->census, create);
    if (findings->is_second)
        holds_create(findings, create);
}

static void note_error(struct findings *findings, struct log_session *session,
                       const struct census_create *refused, int32_t code)
{
    struct census_blame blame = {0};
    if (code == MESSAGE_NODE_EXISTS)
        blame = census_refuse(findings->census, refused);
    if (findings->is_second)
        holds_refuse(findings, session, code, &blame);
}

/* Whether a server has numbered it: by the cversion of the parent, which it raises by one. */
static bool is_numbered(const char *path, int32_t cversion)
{
    const char *name = strrchr(path, '/') + 1;
    int32_t sequence;
    return !line_is_kazoo_lease(name) && queue_sequence(name, &sequence) &&
           (cversion == JOURNAL_NO_CVERSION || (uint32_t)sequence + 1 == (uint32_t)cversion);
}

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct findings *findings = context;
    struct log_session *session = session_of(findings, transaction->session);
    char *path =
        of->path.length > 0 ? memory_copy(of->path.bytes, of->path.length) : memory_text("/");
    struct census_create create = {.session = transaction->session,
                                   .cxid = transaction->cxid,
                                   .zxid = transaction->zxid,
                                   .at_ms = transaction->time_ms,
                                   .path = path,
                                   .ephemeral = of->ephemeral,
                                   .numbered = is_numbered(path, of->cversion)};
    switch (of->type) {
    case JOURNAL_CREATE_SESSION:
        session->timeout_ms = of->number;
        findings->sessions_opened += spans_ask_for(findings);
        spans_count(findings, autopsy_minute_opened, 1);
        break;
    case JOURNAL_CLOSE_SESSION:
        close_session(findings, session, transaction);
        break;
    case JOURNAL_ERROR:
        create.path = NULL;
        note_error(findings, session, &create, of->number);
        break;
    case JOURNAL_CREATE:
    case JOURNAL_CREATE2:
    case JOURNAL_CREATE_CONTAINER:
    case JOURNAL_CREATE_TTL:
        spans_count(findings, autopsy_minute_creates, 1);
        note_create(findings, &create);
        break;
    case JOURNAL_DELETE:
    case JOURNAL_DELETE_CONTAINER:
        spans_count(findings, autopsy_minute_deletes, 1);
        census_delete(findings->census, path, transaction->session, transaction->zxid);
        if (findings->is_second)
            holds_delete(findings, path);
        break;
    case JOURNAL_SET_DATA:
        spans_count(findings, autopsy_minute_sets, 1);
        break;
    default: /* no znode comes or goes */
        break;
    }
    free(path);
}

/* Makes the znodes that were there at the beginning and that only their deletions tell. */
static void make_early(struct findings *findings)
{
    const struct census_early *early;
    while ((early = census_early(findings->census, findings->early)) != NULL &&
           early->zxid == findings->begun_zxid) {
        struct census_create create = {.session = early->session,
                                       .zxid = early->zxid - 1,
                                       .at_ms = findings->begun_ms,
                                       .path = early->path,
                                       .numbered = is_numbered(early->path, JOURNAL_NO_CVERSION)};
        create.ephemeral = census_is_lock(findings->census, &create);
        if (create.ephemeral)
            note_create(findings, &create);
        findings->early++;
    }
}

/* ------------------------------------------------------------------ the listener */

/* Notes how much there is, and whether the clock was set to an earlier time. */
static void note_extent(struct findings *findings, const struct journal_transaction *transaction)
{
    int64_t back_ms = findings->now_ms - transaction->time_ms;
    if (findings->read++ == 0) {
        findings->first_zxid = transaction->zxid;
        findings->first_ms = findings->least_ms = transaction->time_ms;
    } else if (back_ms > 0) {
        findings->back.steps++;
        if (back_ms > findings->back.most_ms) {
            findings->back.most_ms = back_ms;
            findings->back.most_zxid = transaction->zxid;
            findings->back.at_epoch = transaction->zxid >> 32 != findings->last_zxid >> 32;
        }
    }
    findings->last_zxid = transaction->zxid;
    if (transaction->time_ms > findings->last_ms)
        findings->last_ms = transaction->time_ms;
    if (transaction->time_ms < findings->least_ms)
        findings->least_ms = transaction->time_ms;
}

static void read_transaction(void *context, const struct journal_transaction *transaction)
{
    struct findings *findings = context;
    /* A later leader's clock may be behind. */
    findings->ended |=
        findings->is_second && transaction->time_ms - findings->back.most_ms > findings->until_ms;
    if (findings->ended)
        return;
    if (!findings->is_second)
        note_extent(findings, transaction);
    findings->now_ms = transaction->time_ms;
    if (transaction->zxid == findings->begun_zxid) {
        findings->begun_ms = transaction->time_ms;
        if (findings->is_second)
            make_early(findings);
    }
    findings->transactions += spans_ask_for(findings);
    spans_count(findings, autopsy_minute_transactions, 1);
    spans_count(findings, autopsy_minute_bytes, transaction->bytes);
    journal_each_change(transaction, findings, change);
    if (transaction->change.type != JOURNAL_CLOSE_SESSION) {
        struct log_session *session = session_of(findings, transaction->session);
        session->seen_ms = transaction->time_ms;
        session->seen_zxid = transaction->zxid;
    }
    spans_count_waiters(findings);
}

static void read_session(void *context, int64_t id, int32_t timeout_ms)
{
    session_of(context, id)->timeout_ms = timeout_ms;
}

static void read_znode(void *context, const struct journal_znode *znode)
{
    struct findings *findings = context;
    char *path = memory_copy(znode->path.bytes, znode->path.length);
    if (findings->is_second && znode->owner != 0)
        findings->orphans += session_of(findings, znode->owner)->timeout_ms == 0;
    note_create(findings,
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
    struct findings *findings = context;
    if (findings->census == NULL)
        findings->census = census_new();
    census_begin(findings->census, zxid, snapshot == JOURNAL_NOT_KNOWN ? INT64_MAX : snapshot);
    if (findings->is_second)
        holds_forget(findings);
    tdestroy(findings->sessions, free);
    findings->sessions = NULL;
    findings->begun_zxid = zxid;
    findings->snapshot = snapshot;
    const struct census_early *early;
    while ((early = census_early(findings->census, findings->early)) != NULL && early->zxid < zxid)
        findings->early++;
}

const struct journal_listener reading_listener = {.begin = read_begin,
                                                  .znode = read_znode,
                                                  .session = read_session,
                                                  .transaction = read_transaction};

void reading_again(struct findings *findings)
{
    census_again(findings->census);
    findings->is_second = true;
    findings->early = 0;
    spans_start(findings);
    holds_start(findings);
}

void reading_end(struct findings *findings)
{
    bursts_end(findings);
    holds_end(findings);
}

void reading_deinit(struct findings *findings)
{
    struct table *tables[] = {
        &findings->flaws, &findings->lock_rows,      &findings->all_rows,       &findings->expiries,
        &findings->herds, &findings->spans[MINUTES], &findings->spans[PERIODS], &findings->answers};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        table_deinit(tables[i]);
    for (size_t i = 0; i < AUTOPSY_SEQUENCES; i++)
        free(findings->sequences[i].folder);
    census_free(findings->census);
    locks_free(findings->locks);
    tdestroy(findings->sessions, free);
    free(findings->herd);
}
