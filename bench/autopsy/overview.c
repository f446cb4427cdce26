// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/autopsy/internal.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ creates */

static char *text_of(const struct jute_bytes *bytes)
{
    return bytes->length > 0 ? memory_copy(bytes->bytes, bytes->length) : memory_text("/");
}

struct census_create autopsy_create(const struct journal_transaction *transaction,
                                    const struct journal_change *change, char **path)
{
    int32_t sequence;
    *path = text_of(&change->path);
    /* A server numbers by the cversion of the parent, which it raises by one. */
    bool numbered = queue_sequence(strrchr(*path, '/') + 1, &sequence) &&
                    (change->cversion == JOURNAL_NO_CVERSION ||
                     (uint32_t)sequence + 1 == (uint32_t)change->cversion);
    return (struct census_create){.session = transaction->session,
                                  .cxid = transaction->cxid,
                                  .zxid = transaction->zxid,
                                  .at_ms = transaction->time_ms,
                                  .path = change->type == JOURNAL_ERROR ? NULL : *path,
                                  .ephemeral = change->ephemeral,
                                  .numbered = numbered};
}

struct census_create autopsy_create_znode(const struct journal_znode *znode, char **path)
{
    return autopsy_create(&(struct journal_transaction){.session = znode->owner,
                                                        .zxid = znode->czxid,
                                                        .time_ms = znode->created_ms},
                          &(struct journal_change){.type = JOURNAL_CREATE,
                                                   .path = znode->path,
                                                   .ephemeral = znode->owner != 0,
                                                   .cversion = JOURNAL_NO_CVERSION},
                          path);
}

/* ------------------------------------------------------------------ sessions */

struct autopsy_client *autopsy_client_of(id_tree *clients, int64_t id)
{
    return id_tree_take(clients, id, sizeof(struct autopsy_client));
}

void autopsy_client_forget(id_tree *clients, struct autopsy_client *client)
{
    id_tree_remove(clients, client);
    free(client);
}

enum session_end autopsy_session_end(const struct autopsy_client *client,
                                     const struct journal_transaction *close,
                                     const struct overview *overview, int64_t begun_ms,
                                     int64_t *silent_ms)
{
    enum session_end expired = overview->zero_closes > 0 ? SESSION_UNDECIDED : SESSION_EXPIRED;
    bool is_seen = client->seen_zxid != 0;
    int64_t silent = close->time_ms - (is_seen ? client->seen_ms : begun_ms);
    /* Clocks of two leaders may differ, at least by as much as they are seen to. */
    bool is_same_clock = is_seen && client->seen_zxid >> 32 == close->zxid >> 32;
    int64_t off_ms = is_same_clock ? 0 : overview->clock.most_ms;
    *silent_ms = is_seen && silent >= 0 ? silent : -1;
    if (close->cxid != 0)
        return SESSION_CLOSED;
    if (client->timeout_ms > 0 && silent >= client->timeout_ms + off_ms)
        return expired;
    return client->timeout_ms > 0 && silent >= 0 && is_same_clock ? SESSION_CLOSED
                                                                  : SESSION_UNDECIDED;
}

/* ------------------------------------------------------------------ the first reading */

void overview_begin(void *context, int64_t zxid, int64_t snapshot)
{
    struct overview *overview = context;
    if (overview->census == NULL)
        overview->census = census_new();
    census_begin(overview->census, zxid, snapshot == JOURNAL_NOT_KNOWN ? INT64_MAX : snapshot);
    tdestroy(overview->clients, free);
    overview->clients = NULL;
    overview->begun_zxid = zxid;
}

void overview_session(void *context, int64_t id, int32_t timeout_ms)
{
    struct overview *overview = context;
    autopsy_client_of(&overview->clients, id)->timeout_ms = timeout_ms;
}

void overview_znode(void *context, const struct journal_znode *znode)
{
    struct overview *overview = context;
    char *path;
    struct census_create create = autopsy_create_znode(znode, &path);
    census_create(overview->census, &create);
    free(path);
}

static void close_session(struct overview *overview, const struct journal_transaction *transaction)
{
    struct autopsy_client *client = autopsy_client_of(&overview->clients, transaction->session);
    struct jute paths = transaction->change.listed;
    struct jute_bytes listed;
    int64_t silent_ms;
    overview->zero_closes += transaction->cxid == 0 &&
                             autopsy_session_end(client, transaction, overview, overview->begun_ms,
                                                 &silent_ms) == SESSION_CLOSED;
    autopsy_client_forget(&overview->clients, client);
    if (paths.bytes == NULL)
        census_close(overview->census, transaction->session, transaction->zxid);
    while (journal_next_path(&paths, &listed)) {
        char *path = text_of(&listed);
        census_delete(overview->census, path, transaction->session, transaction->zxid);
        free(path);
    }
}

static void change(void *context, const struct journal_transaction *transaction,
                   const struct journal_change *of)
{
    struct overview *overview = context;
    char *path;
    struct census_create create = autopsy_create(transaction, of, &path);
    switch (of->type) {
    case JOURNAL_CREATE_SESSION:
        overview_session(overview, transaction->session, of->number);
        break;
    case JOURNAL_CLOSE_SESSION:
        close_session(overview, transaction);
        break;
    case JOURNAL_ERROR:
        if (of->number == MESSAGE_NODE_EXISTS)
            census_refuse(overview->census, &create);
        break;
    case JOURNAL_CREATE:
    case JOURNAL_CREATE2:
    case JOURNAL_CREATE_CONTAINER:
    case JOURNAL_CREATE_TTL:
        census_create(overview->census, &create);
        break;
    case JOURNAL_DELETE:
    case JOURNAL_DELETE_CONTAINER:
        census_delete(overview->census, path, transaction->session, transaction->zxid);
        break;
    default: /* no znode comes or goes */
        break;
    }
    free(path);
}

/* Notes a step of the clock to an earlier time. */
static void note_step(struct overview *overview, const struct journal_transaction *transaction)
{
    int64_t back_ms = overview->now_ms - transaction->time_ms;
    struct autopsy_clock *clock = &overview->clock;
    if (back_ms <= 0 || overview->transactions == 0)
        return;
    clock->steps++;
    if (back_ms <= clock->most_ms)
        return;
    clock->most_ms = back_ms;
    clock->most_zxid = transaction->zxid;
    clock->at_epoch = transaction->zxid >> 32 != overview->last_zxid >> 32;
}

void overview_transaction(void *context, const struct journal_transaction *transaction)
{
    struct overview *overview = context;
    note_step(overview, transaction);
    overview->now_ms = transaction->time_ms;
    if (transaction->zxid == overview->begun_zxid)
        overview->begun_ms = transaction->time_ms;
    if (overview->transactions++ == 0) {
        overview->first_zxid = transaction->zxid;
        overview->first_ms = overview->least_ms = transaction->time_ms;
    }
    overview->last_zxid = transaction->zxid;
    if (transaction->time_ms > overview->last_ms)
        overview->last_ms = transaction->time_ms;
    if (transaction->time_ms < overview->least_ms)
        overview->least_ms = transaction->time_ms;
    journal_each_change(transaction, overview, change);
    autopsy_client_see(&overview->clients, transaction);
}

void autopsy_client_see(id_tree *clients, const struct journal_transaction *transaction)
{
    if (transaction->change.type == JOURNAL_CLOSE_SESSION)
        return;
    struct autopsy_client *client = autopsy_client_of(clients, transaction->session);
    client->seen_ms = transaction->time_ms;
    client->seen_zxid = transaction->zxid;
}

void overview_deinit(struct overview *overview)
{
    census_free(overview->census);
    tdestroy(overview->clients, free);
}
