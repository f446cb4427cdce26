// SPDX-License-Identifier: Apache-2.0
#include "relay/handoffs.h"

#include "base/memory.h"
#include "relay/change.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ before an arrival */

/* What a session has asked of one folder and nothing else since. */
struct before {
    int64_t session; /* the key */
    char *folder;
    struct tally tally;
};

static void free_before(void *element)
{
    struct before *before = element;
    free(before->folder);
    free(before);
}

/* The tally of requests that a session sends about a folder which is no lock yet. */
static struct tally *tally_before(struct handoffs *handoffs, int64_t session, const char *folder)
{
    struct before *before = id_tree_take(&handoffs->before, session, sizeof *before);
    if (before->folder == NULL || strcmp(before->folder, folder) != 0) {
        free(before->folder);
        *before = (struct before){.session = session, .folder = memory_text(folder)};
    }
    return &before->tally;
}

/* The session arrives at a lock. */
static void take_before(struct handoffs *handoffs, int64_t session, struct locks_lock *lock)
{
    struct before *before = id_tree_find(&handoffs->before, session);
    if (before == NULL)
        return;
    if (strcmp(before->folder, lock->path) == 0)
        tally_sum(&lock->row.tally, &before->tally);
    id_tree_remove(&handoffs->before, before);
    free_before(before);
}

/* ------------------------------------------------------------------ one change */

/* A message that is told of. */
struct heard {
    struct handoffs *handoffs;
    int64_t session;
    uint64_t at_ns;
    char *path; /* of the last change */
};

static void note_path(struct heard *heard, const char *path)
{
    free(heard->path);
    heard->path = memory_text(path);
}

/* Before the request is counted: a release opens the row that the request belongs to. */
static void ask(void *context, const struct change *change)
{
    struct heard *heard = context;
    struct locks *locks = heard->handoffs->locks;
    note_path(heard, change->path);
    if (change->opcode == OPCODE_DELETE && locks_delete(locks, change->path, heard->at_ns))
        orders_release(&heard->handoffs->orders, heard->session);
    if (!change->ephemeral)
        return;
    locks_arrive(locks, heard->session, change->path, change->sequential, heard->at_ns);
    take_before(heard->handoffs, heard->session, locks_of_session(locks, heard->session));
}

static void confirm(void *context, const struct change *change)
{
    struct heard *heard = context;
    struct locks *locks = heard->handoffs->locks;
    note_path(heard, change->path);
    if (!change->ephemeral)
        return;
    if (change->error == 0 && change->made != NULL)
        locks_create(locks, heard->session, change->made, change->sequential, heard->at_ns);
    else
        locks_refuse(locks, heard->session, change->path, change->sequential,
                     change->error == MESSAGE_NODE_EXISTS, heard->at_ns);
}

/* ------------------------------------------------------------------ rows */

static bool is_traced(const struct handoffs *handoffs, uint64_t handoff)
{
    size_t i = 0;
    while (i < handoffs->traced_count && handoffs->traced[i] != handoff)
        i++;
    return i < handoffs->traced_count;
}

/* The event has its own members; the others follow from the lock's open row. */
static void note(struct handoffs *handoffs, const struct locks_lock *lock,
                 struct handoffs_event event)
{
    if (!is_traced(handoffs, lock->row.handoff))
        return;
    if (handoffs->event_count == HANDOFFS_EVENTS_MAX) {
        handoffs->lost++;
        return;
    }
    event.lock = lock->index;
    event.handoff = lock->row.handoff;
    event.released_ns = lock->row.released_ns;
    event.waiters = lock->row.waiters;
    handoffs->events =
        memory_grow(handoffs->events, handoffs->event_count, sizeof *handoffs->events);
    handoffs->events[handoffs->event_count++] = event;
}

static void note_ends(struct handoffs *handoffs, const struct locks_lock *lock,
                      const struct locks_row *row)
{
    if (row->releaser > 0)
        note(handoffs, lock,
             (struct handoffs_event){.kind = HANDOFFS_RELEASE,
                                     .session = row->releaser - 1,
                                     .at_ns = row->released_ns});
    if (row->holder > 0)
        note(handoffs, lock,
             (struct handoffs_event){
                 .kind = HANDOFFS_GRANT, .session = row->holder - 1, .at_ns = row->granted_ns});
}

static int compare_events(const void *a, const void *b)
{
    const struct handoffs_event *one = a, *other = b;
    const uint64_t keys[][2] = {{one->lock, other->lock},
                                {one->handoff, other->handoff},
                                {one->at_ns, other->at_ns},
                                {one->kind, other->kind}};
    size_t i = 0;
    while (i < 3 && keys[i][0] == keys[i][1])
        i++;
    return (keys[i][0] > keys[i][1]) - (keys[i][0] < keys[i][1]);
}

static void keep_row(void *context, const struct locks_lock *lock, const struct locks_row *row)
{
    struct handoffs *handoffs = context;
    note_ends(handoffs, lock, row);
    if (handoffs->row_count == HANDOFFS_ROWS_MAX) {
        handoffs->lost++;
        return;
    }
    handoffs->rows = memory_grow(handoffs->rows, handoffs->row_count, sizeof *handoffs->rows);
    handoffs->rows[handoffs->row_count++] = (struct handoffs_row){lock->index, *row};
}

/* The kind of a request in a tally; TALLY_KINDS: it is in none. */
static enum tally_kind kind_of(enum opcode opcode)
{
    if (opcode_creates(opcode))
        return TALLY_CREATE;
    switch (opcode) {
    case OPCODE_EXISTS:
        return TALLY_EXISTS;
    case OPCODE_GET_DATA:
        return TALLY_GET;
    case OPCODE_GET_CHILDREN:
    case OPCODE_GET_CHILDREN2:
        return TALLY_GET_CHILDREN;
    case OPCODE_SET_DATA:
        return TALLY_SET;
    case OPCODE_DELETE:
        return TALLY_DELETE;
    case OPCODE_MULTI:
        return TALLY_MULTI;
    case OPCODE_SYNC:
        return TALLY_SYNC;
    default:
        return TALLY_KINDS;
    }
}

/* The lock that a message is about; NULL: none, or one at which its session has not arrived. */
static struct locks_lock *lock_of(const struct heard *heard)
{
    struct locks *locks = heard->handoffs->locks;
    struct locks_lock *lock = locks_find(locks, heard->path);
    return lock == NULL                               ? locks_of_session(locks, heard->session)
           : locks_is_at(locks, lock, heard->session) ? lock
                                                      : NULL;
}

/* What makes a folder is of no lock. */
static struct tally *tally_of(const struct heard *heard, struct locks_lock *lock,
                              enum opcode opcode)
{
    struct handoffs *handoffs = heard->handoffs;
    return lock != NULL                      ? &lock->row.tally
           : kind_of(opcode) == TALLY_CREATE ? &handoffs->elsewhere
                                             : tally_before(handoffs, heard->session, heard->path);
}

/* ------------------------------------------------------------------ the listener */

static struct heard hear(struct handoffs *handoffs, const struct conversation *conversation,
                         const struct jute_bytes *path, uint64_t at_ns)
{
    return (struct heard){handoffs, conversation->session, at_ns,
                          memory_copy(path->bytes, path->length)};
}

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    struct handoffs *handoffs = context;
    enum tally_kind kind = kind_of(request->opcode);
    if (request->opcode == OPCODE_CLOSE)
        locks_close(handoffs->locks, conversation->session, sent->sent_ns);
    if (kind == TALLY_KINDS)
        return 0;
    struct heard heard = hear(handoffs, conversation, &request->record.path, sent->sent_ns);
    change_each_asked(request->opcode, &request->record, ask, &heard);
    struct locks_lock *lock = lock_of(&heard);
    struct tally *tally = tally_of(&heard, lock, request->opcode);
    if (lock != NULL)
        note(handoffs, lock,
             (struct handoffs_event){.kind = HANDOFFS_REQUEST,
                                     .session = locks_number(handoffs->locks, heard.session),
                                     .at_ns = sent->sent_ns,
                                     .request = kind});
    orders_ask(&handoffs->orders, heard.session, kind);
    tally_add(tally, kind, 1);
    tally_add(tally, TALLY_BYTES_SENT, sent->bytes);
    free(heard.path);
    return 0;
}

static void count_reply(struct tally *tally, enum opcode opcode, const struct message_reply *reply,
                        size_t bytes)
{
    enum tally_kind kind = kind_of(opcode);
    if (reply->error != 0 && kind == TALLY_CREATE)
        tally_add(tally, TALLY_CREATE_FAILED, 1);
    if (reply->error != 0 && kind == TALLY_DELETE)
        tally_add(tally, TALLY_DELETE_FAILED, 1);
    if (kind == TALLY_GET_CHILDREN)
        tally_add(tally, TALLY_NAMES_LISTED, reply->record.elements);
    tally_add(tally, TALLY_BYTES_RECEIVED, bytes);
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct handoffs *handoffs = context;
    if (kind_of(request->opcode) == TALLY_KINDS)
        return;
    struct heard heard = hear(handoffs, conversation, &request->record.path, at_ns);
    change_each_answered(request, reply, confirm, &heard);
    struct locks_lock *lock = lock_of(&heard);
    count_reply(tally_of(&heard, lock, request->opcode), request->opcode, reply, bytes);
    if (lock != NULL) {
        (void)locks_hear(handoffs->locks, heard.session, lock, true, at_ns);
        note(handoffs, lock,
             (struct handoffs_event){.kind = HANDOFFS_REPLY,
                                     .session = locks_number(handoffs->locks, heard.session),
                                     .at_ns = at_ns,
                                     .latency_ns = at_ns - request->sent_ns,
                                     .request = kind_of(request->opcode),
                                     .code = reply->error});
    }
    free(heard.path);
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    struct handoffs *handoffs = context;
    struct heard heard = hear(handoffs, conversation, &notification->path, at_ns);
    struct locks_lock *lock = lock_of(&heard);
    /* The end of a session that the relay does not see, such as an expiry. */
    if (notification->event == MESSAGE_EVENT_DELETED)
        (void)locks_delete(handoffs->locks, heard.path, at_ns);
    orders_notify(&handoffs->orders, heard.session);
    if (lock != NULL) {
        bool waited = locks_hear(handoffs->locks, heard.session, lock, false, at_ns);
        tally_add(&lock->row.tally, TALLY_NOTIFICATION, 1);
        tally_add(&lock->row.tally, TALLY_NOTIFICATION_SPURIOUS, !waited);
        tally_add(&lock->row.tally, TALLY_BYTES_RECEIVED, bytes);
        note(handoffs, lock,
             (struct handoffs_event){.kind = HANDOFFS_NOTIFICATION,
                                     .session = locks_number(handoffs->locks, heard.session),
                                     .at_ns = at_ns,
                                     .code = notification->event,
                                     .wakes = waited});
    }
    free(heard.path);
}

const struct conversation_listener handoffs_listener = {
    .requested = hear_request, .replied = hear_reply, .notified = hear_notification};

/* ------------------------------------------------------------------ the whole */

void handoffs_init(struct handoffs *handoffs)
{
    *handoffs = (struct handoffs){.locks = locks_new(keep_row, handoffs)};
}

void handoffs_end(struct handoffs *handoffs, uint64_t at_ns)
{
    locks_end(handoffs->locks, at_ns);
    if (handoffs->event_count > 0)
        qsort(handoffs->events, handoffs->event_count, sizeof *handoffs->events, compare_events);
}

void handoffs_deinit(struct handoffs *handoffs)
{
    tdestroy(handoffs->before, free_before);
    orders_deinit(&handoffs->orders);
    locks_free(handoffs->locks);
    free(handoffs->rows);
    free(handoffs->events);
    *handoffs = (struct handoffs){0};
}
