// SPDX-License-Identifier: Apache-2.0
#include "relay/watches.h"

#include "base/memory.h"
#include "relay/change.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

/* addWatch's mode with all znodes below (AddWatchMode); removeWatches' kinds (WatcherType). */
#define MODE_RECURSIVE  1
#define REMOVE_CHILDREN 1
#define REMOVE_DATA     2

/* A watch that is armed. */
struct armed {
    int64_t session; /* session, kind and path are the key */
    enum watches_kind kind;
    char *path;
    bool recursive;
    uint64_t set_ns;
    size_t figures;               /* their index */
    struct armed *before, *after; /* of the same session */
};

/* The writes that may have fired the watches of one kind of event at a path: those that have no
 * reply, and those among the last WATCHES_ANSWERED that have one. */
struct spot {
    int32_t event; /* event and path are the key */
    char *path;
    struct watches_write **writes; /* the oldest first */
    size_t count;
    id_tree told; /* sessions, each with the last of the writes that notified it */
};

struct told {
    int64_t session; /* the key */
    uint64_t number;
};

struct session {
    int64_t id; /* the key */
    struct armed *armed;
    struct watches_write *follows; /* the write that notified it; NULL: it follows none */
    int32_t first_xid;             /* of the requests because of that; 0: none yet */
    size_t asked;                  /* of these, without a reply */
    char **ephemerals;             /* its znodes, in no order */
    size_t ephemeral_count;
};

/* A message that is told of. */
struct heard {
    struct watches *watches;
    int64_t session;
    int32_t xid;
    uint64_t at_ns;
    struct watches_write *write; /* that is asked for */
    enum opcode opcode;
    bool answered; /* with this result: */
    int32_t error;
    int64_t zxid;
};

/* ------------------------------------------------------------------ what is found by its key */

static int order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_armed(const void *a, const void *b)
{
    const struct armed *one = a, *other = b;
    int by_session = order(one->session, other->session), by_kind = order(one->kind, other->kind);
    return by_session != 0 ? by_session : by_kind != 0 ? by_kind : strcmp(one->path, other->path);
}

static int compare_spots(const void *a, const void *b)
{
    const struct spot *one = a, *other = b;
    int by_event = order(one->event, other->event);
    return by_event != 0 ? by_event : strcmp(one->path, other->path);
}

static struct session *session_of(struct watches *watches, int64_t id)
{
    return id_tree_take(&watches->sessions, id, sizeof(struct session));
}

static struct armed *find_armed(struct watches *watches, int64_t session, enum watches_kind kind,
                                char *path)
{
    const struct armed key = {.session = session, .kind = kind, .path = path};
    struct armed **found = tfind(&key, &watches->armed, compare_armed);
    return found != NULL ? *found : NULL;
}

/* The path above a path; the caller's to free. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    return length > 0 ? memory_copy(path, length) : memory_text("/");
}

/* ------------------------------------------------------------------ watches */

static struct watches_figures *figures_of(struct watches *watches, enum watches_kind kind,
                                          const char *path, size_t *index)
{
    size_t count = watches->kinds.count;
    *index = patterns_find(&watches->kinds, kind, path, strlen(path));
    if (*index == count) {
        watches->figures = memory_grow(watches->figures, count, sizeof *watches->figures);
        watches->figures[*index] = (struct watches_figures){0};
    }
    return &watches->figures[*index];
}

static void arm(const struct heard *heard, enum watches_kind kind, char *path, bool recursive)
{
    struct watches *watches = heard->watches;
    int64_t session = heard->session;
    size_t index;
    struct watches_figures *figures = figures_of(watches, kind, path, &index);
    struct armed *armed = find_armed(watches, session, kind, path);
    if (armed != NULL) {
        figures->again++;
        return;
    }
    figures->set++;
    armed = memory_new(1, sizeof *armed);
    struct session *owner = session_of(watches, session);
    *armed = (struct armed){.session = session,
                            .kind = kind,
                            .path = memory_text(path),
                            .recursive = recursive,
                            .set_ns = heard->at_ns,
                            .figures = index,
                            .before = owner->armed};
    if (owner->armed != NULL)
        owner->armed->after = armed;
    owner->armed = armed;
    (void)memory_or_end(tsearch(armed, &watches->armed, compare_armed));
}

static void disarm(struct watches *watches, struct armed *armed)
{
    if (armed->before != NULL)
        armed->before->after = armed->after;
    if (armed->after != NULL)
        armed->after->before = armed->before;
    else
        session_of(watches, armed->session)->armed = armed->before;
    tdelete(armed, &watches->armed, compare_armed);
    free(armed->path);
    free(armed);
}

/* The watch of a session that stays on a path or, if it is recursive, above it; NULL: none. */
static struct armed *find_staying(struct watches *watches, int64_t session, const char *path)
{
    char *above = memory_text(path);
    struct armed *armed = find_armed(watches, session, WATCHES_STAYING, above);
    while (armed == NULL && strcmp(above, "/") != 0) {
        char *parent = parent_of(above);
        free(above);
        above = parent;
        armed = find_armed(watches, session, WATCHES_STAYING, above);
        armed = armed != NULL && armed->recursive ? armed : NULL;
    }
    free(above);
    return armed;
}

/* One notification fires all watches of a session that its event is one for. Returns when the first
 * of them was set; 0: none was seen. The server has a table of data watches and one of children
 * watches, each with those that stay: it counts a deletion once for each table that has the session
 * (DataTree.deleteNode). */
static uint64_t fire(struct watches *watches, int64_t session, int32_t event, char *path)
{
    const bool deleted = event == MESSAGE_EVENT_DELETED, children = event == MESSAGE_EVENT_CHILDREN;
    struct armed *fired[WATCHES_KINDS] = {
        [WATCHES_DATA] = children ? NULL : find_armed(watches, session, WATCHES_DATA, path),
        [WATCHES_CHILDREN] =
            deleted || children ? find_armed(watches, session, WATCHES_CHILDREN, path) : NULL,
        [WATCHES_STAYING] = find_staying(watches, session, path)};
    uint64_t set_ns = 0;
    watches->both += deleted && (fired[WATCHES_STAYING] != NULL ||
                                 (fired[WATCHES_DATA] != NULL && fired[WATCHES_CHILDREN] != NULL));
    for (enum watches_kind kind = 0; kind < WATCHES_KINDS; kind++) {
        struct armed *armed = fired[kind];
        if (armed == NULL)
            continue;
        set_ns = set_ns == 0 || armed->set_ns < set_ns ? armed->set_ns : set_ns;
        watches->figures[armed->figures].fired++;
        if (kind != WATCHES_STAYING)
            disarm(watches, armed);
    }
    return set_ns;
}

static void remove_armed(struct watches *watches, int64_t session, enum watches_kind kind,
                         char *path)
{
    struct armed *armed = find_armed(watches, session, kind, path);
    if (armed == NULL)
        return;
    watches->figures[armed->figures].removed++;
    disarm(watches, armed);
}

/* ------------------------------------------------------------------ writes */

static struct watches_cause *cause_of(struct watches *watches, const struct watches_write *write)
{
    size_t count = watches->writes.count, index;
    index = patterns_find(&watches->writes, write->opcode, write->pattern, strlen(write->pattern));
    if (index == count) {
        watches->causes = memory_grow(watches->causes, count, sizeof(void *));
        watches->causes[index] = memory_new(1, sizeof *watches->causes[index]);
    }
    return watches->causes[index];
}

static void keep_costliest(struct watches *watches, const struct watches_write *write)
{
    struct watches_write kept = *write;
    kept.uses = 1;
    for (size_t i = 0; i < WATCHES_COSTLIEST; i++) {
        struct watches_write *of = &watches->costliest[i], lower = *of;
        if (of->uses > 0 && of->notified + of->followed >= kept.notified + kept.followed)
            continue;
        *of = kept;
        kept = lower;
    }
}

/* When nothing refers to the write any more, what it has caused is known. */
static void release(struct watches *watches, struct watches_write *write)
{
    if (--write->uses > 0)
        return;
    if (write->notified > 0) {
        struct watches_cause *cause = cause_of(watches, write);
        cause->writes++;
        cause->notified += write->notified;
        if (write->notified > cause->notified_most)
            cause->notified_most = write->notified;
        cause->followed += write->followed;
        cause->followed_bytes += write->followed_bytes;
        cause->got += write->got;
        cause->armed_again += write->armed_again;
        histogram_record(&cause->last, write->last_ns - write->requested_ns);
        keep_costliest(watches, write);
    }
    free(write);
}

static struct spot *find_spot(struct watches *watches, int32_t event, char *path)
{
    const struct spot key = {.event = event, .path = path};
    struct spot **found = tfind(&key, &watches->spots, compare_spots);
    return found != NULL ? *found : NULL;
}

static void take_out(struct watches *watches, struct spot *spot, struct watches_write *write)
{
    size_t index = 0;
    while (spot->writes[index] != write)
        index++;
    memmove(spot->writes + index, spot->writes + index + 1,
            (--spot->count - index) * sizeof(void *));
    release(watches, write);
    if (spot->count > 0)
        return;
    tdelete(spot, &watches->spots, compare_spots);
    tdestroy(spot->told, free);
    free(spot->path);
    free(spot->writes);
    free(spot);
}

/* A write that is answered stays at its spot until so many others are: its notifications are under
 * way on other connections. */
static void keep_answered(struct watches *watches, struct spot *spot, struct watches_write *write)
{
    struct watches_answered *slot = &watches->answered[watches->next++ % WATCHES_ANSWERED];
    if (slot->spot != NULL)
        take_out(watches, slot->spot, slot->write);
    *slot = (struct watches_answered){spot, write};
}

/* The write may fire the watches of the event at the path. */
static void put_at(const struct heard *heard, int32_t event, char *path)
{
    struct watches *watches = heard->watches;
    struct spot *spot = find_spot(watches, event, path);
    if (spot == NULL) {
        spot = memory_new(1, sizeof *spot);
        spot->event = event;
        spot->path = memory_text(path);
        (void)memory_or_end(tsearch(spot, &watches->spots, compare_spots));
    }
    spot->writes = memory_grow(spot->writes, spot->count, sizeof(void *));
    spot->writes[spot->count++] = heard->write;
    heard->write->uses++;
}

/* It has, or it has failed. */
static void answer_at(const struct heard *heard, int32_t event, char *path)
{
    struct spot *spot = find_spot(heard->watches, event, path);
    for (size_t i = 0; spot != NULL && i < spot->count; i++) {
        struct watches_write *write = spot->writes[i];
        if (write->session != heard->session || write->xid != heard->xid)
            continue;
        write->replied_ns = heard->at_ns;
        write->zxid = heard->zxid;
        if (heard->error != 0)
            take_out(heard->watches, spot, write);
        else
            keep_answered(heard->watches, spot, write);
        return;
    }
}

/* The events of a change: at its znode, and of children above it. */
static void at_both(const struct heard *heard, enum opcode opcode, char *path)
{
    void (*at)(const struct heard *, int32_t, char *) = heard->answered ? answer_at : put_at;
    if (opcode == OPCODE_SET_DATA) {
        at(heard, MESSAGE_EVENT_CHANGED, path);
        return;
    }
    char *parent = parent_of(path);
    at(heard, opcode == OPCODE_DELETE ? MESSAGE_EVENT_DELETED : MESSAGE_EVENT_CREATED, path);
    at(heard, MESSAGE_EVENT_CHILDREN, parent);
    free(parent);
}

static struct watches_write *begin_write(const struct heard *heard, enum opcode opcode,
                                         const char *path)
{
    struct watches_write *write = memory_new(1, sizeof *write);
    *write = (struct watches_write){.opcode = opcode,
                                    .session = heard->session,
                                    .xid = heard->xid,
                                    .number = ++heard->watches->asked,
                                    .requested_ns = heard->at_ns,
                                    .uses = 1};
    pattern_fold(path, strlen(path), write->pattern);
    return write;
}

/* ------------------------------------------------------------------ changes and znodes of sessions
 */

static void forget_ephemeral(struct session *session, const char *path)
{
    size_t i = session->ephemeral_count;
    while (i > 0 && strcmp(session->ephemerals[i - 1], path) != 0)
        i--;
    if (i == 0)
        return;
    free(session->ephemerals[i - 1]);
    session->ephemerals[i - 1] = session->ephemerals[--session->ephemeral_count];
}

static void take_asked(void *context, const struct change *change)
{
    struct heard *heard = context;
    struct locks *locks = heard->watches->locks;
    if (change->opcode == OPCODE_DELETE)
        locks_delete(locks, change->path, heard->at_ns);
    if (change->ephemeral)
        locks_arrive(locks, heard->session, change->path, change->sequential, heard->at_ns);
    if (heard->write == NULL)
        heard->write = begin_write(heard, heard->opcode, change->path);
    at_both(heard, change->opcode, change->path);
}

static void take_answered(void *context, const struct change *change)
{
    struct heard *heard = context;
    struct locks *locks = heard->watches->locks;
    struct session *session = session_of(heard->watches, heard->session);
    const bool made = change->error == 0 && change->made != NULL;
    heard->error = change->error;
    if (change->ephemeral && made)
        locks_create(locks, heard->session, change->made, change->sequential, heard->at_ns);
    else if (change->ephemeral)
        locks_refuse(locks, heard->session, change->path, change->sequential,
                     change->error == MESSAGE_NODE_EXISTS, heard->at_ns);
    at_both(heard, change->opcode, change->path);
    if (change->error == 0 && change->opcode == OPCODE_DELETE)
        forget_ephemeral(session, change->path);
    if (change->ephemeral && made) {
        session->ephemerals =
            memory_grow(session->ephemerals, session->ephemeral_count, sizeof(char *));
        session->ephemerals[session->ephemeral_count++] = memory_text(change->made);
    }
}

/* The end of a session deletes its znodes, and its watches are gone. */
static void close_session(struct heard *heard, struct session *session)
{
    for (size_t i = 0; i < session->ephemeral_count; i++) {
        if (heard->write == NULL && !heard->answered)
            heard->write = begin_write(heard, OPCODE_CLOSE, session->ephemerals[i]);
        at_both(heard, OPCODE_DELETE, session->ephemerals[i]);
    }
    while (!heard->answered && session->armed != NULL) {
        struct armed *armed = session->armed;
        heard->watches->figures[armed->figures].left++;
        heard->watches->closing +=
            1 + (armed->kind == WATCHES_STAYING ? 2 * session->ephemeral_count : 0);
        disarm(heard->watches, armed);
    }
}

/* ------------------------------------------------------------------ what follows */

/* wrote: whether it has written something; who holds a lock has got something, too. */
static void end_following(struct watches *watches, struct session *session, bool wrote)
{
    struct watches_write *write = session->follows;
    bool got = wrote || locks_holds(watches->locks, session->id);
    session->follows = NULL;
    session->first_xid = 0;
    session->asked = 0;
    if (write == NULL)
        return;
    write->got += got;
    write->armed_again += !got;
    release(watches, write);
}

/* A deletion is a cause of its own, and what is deleted was got. */
static void follow_request(struct watches *watches, struct session *session,
                           const struct conversation_request *sent)
{
    struct watches_write *write = session->follows;
    if (write == NULL || sent->opcode == OPCODE_PING)
        return;
    if (sent->opcode == OPCODE_DELETE || sent->opcode == OPCODE_MULTI ||
        sent->opcode == OPCODE_CLOSE) {
        end_following(watches, session, true);
        return;
    }
    if (session->first_xid == 0)
        session->first_xid = sent->xid;
    session->asked++;
    write->followed++;
    write->followed_bytes += sent->bytes;
}

static bool changes(enum opcode opcode)
{
    return opcode_creates(opcode) || opcode == OPCODE_SET_DATA;
}

static void follow_reply(struct watches *watches, struct session *session,
                         const struct conversation_request *request,
                         const struct message_reply *reply, size_t bytes)
{
    struct watches_write *write = session->follows;
    if (write == NULL || session->first_xid == 0 || request->xid < session->first_xid)
        return;
    session->asked--;
    write->followed_bytes += bytes;
    bool wrote = reply->error == 0 && changes(request->opcode);
    bool armed = session->asked == 0 && request->record.watch;
    if (wrote || armed)
        end_following(watches, session, wrote);
}

/* ------------------------------------------------------------------ the listener */

static uint64_t hear_request(void *context, struct conversation *conversation,
                             const struct message_request *request,
                             const struct conversation_request *sent)
{
    struct watches *watches = context;
    struct session *session = session_of(watches, conversation->session);
    struct heard heard = {.watches = watches,
                          .session = session->id,
                          .xid = sent->xid,
                          .opcode = sent->opcode,
                          .at_ns = sent->sent_ns};
    follow_request(watches, session, sent);
    if (sent->opcode == OPCODE_CLOSE) {
        locks_close(watches->locks, session->id, sent->sent_ns);
        close_session(&heard, session);
    } else
        change_each_asked(sent->opcode, &request->record, take_asked, &heard);
    if (heard.write != NULL)
        release(watches, heard.write);
    return 0;
}

/* What a reply confirms about the session's watches. */
static void note_watch(struct watches *watches, const struct conversation_request *request,
                       const struct message_reply *reply, const struct heard *heard)
{
    const struct message_record *record = &request->record;
    char *path = request->copy;
    bool done = reply->error == 0;
    if (record->path.length == 0)
        return;
    switch (request->opcode) {
    case OPCODE_EXISTS: /* it waits for a znode that is not there, too */
        done = done || reply->error == MESSAGE_NO_NODE;
        /* fall through */
    case OPCODE_GET_DATA:
        if (done && record->watch)
            arm(heard, WATCHES_DATA, path, false);
        break;
    case OPCODE_GET_CHILDREN:
    case OPCODE_GET_CHILDREN2:
        if (done && record->watch)
            arm(heard, WATCHES_CHILDREN, path, false);
        break;
    case OPCODE_ADD_WATCH:
        if (done)
            arm(heard, WATCHES_STAYING, path, record->number == MODE_RECURSIVE);
        break;
    case OPCODE_REMOVE_WATCHES:
        if (done && record->number != REMOVE_DATA)
            remove_armed(watches, heard->session, WATCHES_CHILDREN, path);
        if (done && record->number != REMOVE_CHILDREN)
            remove_armed(watches, heard->session, WATCHES_DATA, path);
        if (done)
            remove_armed(watches, heard->session, WATCHES_STAYING, path);
        break;
    default:
        break;
    }
}

static void hear_reply(void *context, struct conversation *conversation,
                       const struct conversation_request *request,
                       const struct message_reply *reply, size_t bytes, uint64_t at_ns)
{
    struct watches *watches = context;
    struct session *session = session_of(watches, conversation->session);
    struct heard heard = {.watches = watches,
                          .session = session->id,
                          .xid = request->xid,
                          .at_ns = at_ns,
                          .answered = true,
                          .error = reply->error,
                          .zxid = reply->zxid};
    note_watch(watches, request, reply, &heard);
    if (request->opcode == OPCODE_CLOSE)
        close_session(&heard, session);
    else
        change_each_answered(request, reply, take_answered, &heard);
    follow_reply(watches, session, request, reply, bytes);
}

/* The write that has fired a watch which was set then; NULL: none that was seen. No write notifies
 * a session twice at a spot. */
static struct watches_write *find_cause(struct spot *spot, int64_t session, int64_t zxid,
                                        uint64_t set_ns)
{
    struct watches_write *answered = NULL, *asked = NULL;
    struct told *told = spot != NULL ? id_tree_take(&spot->told, session, sizeof *told) : NULL;
    for (size_t i = 0; spot != NULL && i < spot->count; i++) {
        struct watches_write *write = spot->writes[i];
        if (write->replied_ns > 0 && write->zxid == zxid) {
            answered = write;
            break;
        }
        if (write->number <= told->number)
            continue;
        if (write->replied_ns == 0 && asked == NULL)
            asked = write;
        if (write->replied_ns > set_ns && answered == NULL && zxid <= 0)
            answered = write;
    }
    struct watches_write *cause = answered != NULL ? answered : asked;
    if (cause != NULL)
        told->number = cause->number;
    return cause;
}

static void hear_notification(void *context, struct conversation *conversation,
                              const struct message_notification *notification, size_t bytes,
                              uint64_t at_ns)
{
    struct watches *watches = context;
    struct session *session = session_of(watches, conversation->session);
    char *path = memory_copy(notification->path.bytes, notification->path.length);
    uint64_t set_ns = fire(watches, session->id, notification->event, path);
    struct watches_write *write = find_cause(find_spot(watches, notification->event, path),
                                             session->id, notification->zxid, set_ns);
    (void)bytes;
    /* The end of a session that nobody has asked for, such as an expiry, shows here alone. */
    if (notification->event == MESSAGE_EVENT_DELETED)
        locks_delete(watches->locks, path, at_ns);
    end_following(watches, session, false);
    watches->unattributed += write == NULL;
    if (write != NULL) {
        write->notified++;
        write->last_ns = at_ns;
        write->uses++;
        session->follows = write;
    }
    free(path);
}

const struct conversation_listener watches_listener = {
    .requested = hear_request, .replied = hear_reply, .notified = hear_notification};

/* ------------------------------------------------------------------ the whole */

static void end_session(const void *node, VISIT visit, void *context)
{
    struct session *session = *(struct session *const *)node;
    struct watches *watches = context;
    if (visit != preorder && visit != leaf)
        return;
    if (session->follows != NULL)
        release(watches, session->follows);
    session->follows = NULL;
    for (const struct armed *armed = session->armed; armed != NULL; armed = armed->before)
        watches->figures[armed->figures].armed++;
}

void watches_end(struct watches *watches)
{
    for (size_t i = 0; i < WATCHES_ANSWERED; i++)
        if (watches->answered[i].spot != NULL)
            take_out(watches, watches->answered[i].spot, watches->answered[i].write);
    memset(watches->answered, 0, sizeof watches->answered);
    while (watches->spots != NULL) { /* what has no reply */
        struct spot *spot = *(struct spot **)watches->spots;
        take_out(watches, spot, spot->writes[0]);
    }
    twalk_r(watches->sessions, end_session, watches);
}

static void free_session(void *element)
{
    struct session *session = element;
    for (size_t i = 0; i < session->ephemeral_count; i++)
        free(session->ephemerals[i]);
    free(session->ephemerals);
    for (struct armed *armed = session->armed, *before; armed != NULL; armed = before) {
        before = armed->before;
        free(armed->path);
        free(armed);
    }
    free(session);
}

static void leave(void *element)
{
    (void)element;
}

void watches_deinit(struct watches *watches)
{
    tdestroy(watches->armed, leave); /* the sessions have them */
    tdestroy(watches->sessions, free_session);
    for (size_t i = 0; i < watches->writes.count; i++)
        free(watches->causes[i]);
    free(watches->causes);
    free(watches->figures);
    patterns_deinit(&watches->kinds);
    patterns_deinit(&watches->writes);
}
