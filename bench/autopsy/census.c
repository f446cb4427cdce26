// SPDX-License-Identifier: Apache-2.0
#include "bench/autopsy/internal.h"

#include "base/memory.h"
#include "recipes/line.h"
#include "recipes/queue.h"
#include "wire/message.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* An ephemeral znode without a number. */
struct name {
    char *path;           /* the key */
    int64_t created_zxid; /* of its first life */
    bool is_lock;
};

/* Creates one after the other of the same lock. */
struct run {
    const char *path;
    int64_t last_zxid;
};

/* A session that was refused a create. */
struct refused {
    int64_t id; /* the key */
    int64_t zxid;
    struct run *runs;
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->path, ((const struct name *)b)->path);
}

static void *find(void *const *tree, const void *key, int (*compare)(const void *, const void *))
{
    void **found = tfind(key, tree, compare);
    return found != NULL ? *found : NULL;
}

/* ------------------------------------------------------------------ changes */

char *census_text(const struct jute_bytes *bytes)
{
    return bytes->length > 0 ? memory_copy(bytes->bytes, bytes->length) : memory_text("/");
}

/* A server numbers by the cversion of the parent, which it raises by one. */
bool census_sequence(const char *path, int32_t cversion, int32_t *sequence)
{
    return queue_sequence(strrchr(path, '/') + 1, sequence) &&
           (cversion == JOURNAL_NO_CVERSION || (uint32_t)*sequence + 1 == (uint32_t)cversion);
}

void census_each_change(const struct journal_transaction *transaction, void *context,
                        void (*change)(void *context, const struct journal_transaction *transaction,
                                       const struct journal_change *change))
{
    struct jute parts = transaction->change.listed;
    struct journal_change part;
    if (transaction->change.type != JOURNAL_MULTI)
        change(context, transaction, &transaction->change);
    else if (!transaction->change.failed)
        while (journal_next_part(&parts, &part))
            change(context, transaction, &part);
}

/* ------------------------------------------------------------------ locks by name */

static void note_lock(struct census *census, struct name *name)
{
    if (name->is_lock)
        return;
    name->is_lock = true;
    census->only = census->locks++ == 0 ? name->path : NULL;
}

/* The session gets the lock that it was refused, now or before. */
static void note_run(struct refused *session, const char *path, int64_t zxid)
{
    struct run *last = session->count > 0 ? &session->runs[session->count - 1] : NULL;
    if (last == NULL || last->path != path) {
        session->runs = memory_grow(session->runs, session->count, sizeof *session->runs);
        last = &session->runs[session->count++];
        last->path = path;
    }
    last->last_zxid = zxid;
}

/* The entry of an ephemeral znode; NULL if it is a place in a queue. */
static struct name *name_of(struct census *census, const struct jute_bytes *path, int32_t cversion)
{
    int32_t sequence;
    struct name key = {.path = census_text(path)};
    if (census_sequence(key.path, cversion, &sequence) ||
        line_is_kazoo_lease(strrchr(key.path, '/') + 1)) {
        free(key.path);
        return NULL;
    }
    struct name *name = find(&census->names, &key, compare_names);
    if (name == NULL) {
        name = memory_new(1, sizeof *name);
        name->path = key.path;
        (void)memory_or_end(tsearch(name, &census->names, compare_names));
    } else {
        free(key.path);
    }
    return name;
}

void census_znode(void *context, const struct journal_znode *znode)
{
    struct census *census = context;
    struct name *name =
        znode->owner != 0 ? name_of(census, &znode->path, JOURNAL_NO_CVERSION) : NULL;
    if (name != NULL)
        name->created_zxid = znode->czxid;
}

static void note_create(struct census *census, const struct journal_transaction *transaction,
                        const struct journal_change *change)
{
    struct name *name = name_of(census, &change->path, change->cversion);
    if (name == NULL)
        return;
    struct refused *session = id_tree_find(&census->sessions, transaction->session);
    if (session != NULL && name->created_zxid > 0 && session->zxid > name->created_zxid)
        note_lock(census, name);
    if (session != NULL && name->is_lock)
        note_run(session, name->path, transaction->zxid);
    if (name->created_zxid == 0)
        name->created_zxid = transaction->zxid;
}

/* Forgets the name of a znode since whose first life nobody was refused: it was no lock. */
static void note_end(struct census *census, const struct jute_bytes *path)
{
    struct name key = {.path = census_text(path)};
    struct name *name = find(&census->names, &key, compare_names);
    free(key.path);
    if (name == NULL || name->is_lock || census->refused_zxid > name->created_zxid)
        return;
    tdelete(name, &census->names, compare_names);
    free(name->path);
    free(name);
}

static void refuse(struct census *census, const struct journal_transaction *transaction)
{
    struct refused *session =
        id_tree_take(&census->sessions, transaction->session, sizeof *session);
    session->zxid = census->refused_zxid = transaction->zxid;
}

static void look(void *context, const struct journal_transaction *transaction,
                 const struct journal_change *change)
{
    struct census *census = context;
    struct jute paths = change->listed;
    struct jute_bytes path;
    if (change->ephemeral)
        note_create(census, transaction, change);
    else if (change->type == JOURNAL_DELETE)
        note_end(census, &change->path);
    else if (change->type == JOURNAL_ERROR && change->number == MESSAGE_NODE_EXISTS)
        refuse(census, transaction);
    else if (change->type == JOURNAL_CLOSE_SESSION)
        while (journal_next_path(&paths, &path))
            note_end(census, &path);
}

void census_transaction(void *context, const struct journal_transaction *transaction)
{
    struct census *census = context;
    if (census->transactions++ == 0) {
        census->first_zxid = transaction->zxid;
        census->first_ms = transaction->time_ms;
    }
    census->last_zxid = transaction->zxid;
    if (transaction->time_ms > census->last_ms)
        census->last_ms = transaction->time_ms;
    census_each_change(transaction, census, look);
}

/* ------------------------------------------------------------------ what is asked for */

bool census_is_lock(const struct census *census, const char *path)
{
    struct name key = {.path = memory_text(path)};
    const struct name *name = find(&census->names, &key, compare_names);
    free(key.path);
    return name != NULL && name->is_lock;
}

const char *census_refused(const struct census *census, int64_t session, int64_t zxid)
{
    const struct refused *found = id_tree_find(&census->sessions, session);
    if (found == NULL || found->count == 0)
        return census->only;
    size_t low = 0, high = found->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (found->runs[middle].last_zxid < zxid)
            low = middle + 1;
        else
            high = middle;
    }
    return found->runs[low].path;
}

static void free_name(void *node)
{
    struct name *name = node;
    free(name->path);
    free(name);
}

static void free_refused(void *node)
{
    struct refused *session = node;
    free(session->runs);
    free(session);
}

void census_deinit(struct census *census)
{
    tdestroy(census->names, free_name);
    tdestroy(census->sessions, free_refused);
}
