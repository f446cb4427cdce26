// SPDX-License-Identifier: Apache-2.0
/* The watches of sessions, and what the writes cause that fire them. */
#include "base/memory.h"
#include "relay/traffic.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define MODE_RECURSIVE 1                   /* of addWatch: with all znodes below (AddWatchMode) */
#define EPHEMERAL      1                   /* flags of a create (CreateMode) */
#define SEQUENTIAL     2                   /* its path is known from the reply on */
#define CONFIGURATION  "/zookeeper/config" /* that reconfig changes */
#define LOST           0 /* in place of a write's zxid: its reply has not come, and will not */

/* The writes that may have fired the watches of one kind of event at a path: those that have no
 * reply, and those among the last WATCHES_ANSWERED that have one. */
struct spot {
    char *path; /* the key */
    int32_t event;
    struct watches_write **writes, **open; /* the oldest first; open: notifications without cause */
    size_t count, open_count;
    id_tree notified; /* sessions */
};

/* A session that was notified at a spot. */
struct notified {
    int64_t session; /* the key */
    int64_t zxid;    /* of the last transaction that did so */
    size_t parts;    /* of that transaction, which did so */
    size_t lost;     /* writes without a known result that may have done so */
};

/* An ephemeral znode. */
struct owned {
    char *path; /* the key */
    LIST_ENTRY(owned) link;
};

struct session {
    int64_t id; /* the key */
    struct armed armed;
    const struct conversation *connection; /* that it uses; NULL: it has ended */
    bool closes;                           /* it has asked for its end */
    int64_t zxid;                          /* the last that a reply had */
    struct watches_write *follows;         /* its last notification; NULL: it follows none */
    int32_t first_xid;                     /* of the requests because of that; 0: none yet */
    size_t asked;                          /* of these, without a reply */
    LIST_HEAD(, owned) owned;
};

/* A request, or its reply, whose changes are taken in. */
struct message {
    struct watches *watches;
    struct session *session;
    uint64_t at_ns;
    enum opcode opcode;
    struct watches_write *write; /* that is asked for; NULL: none yet */
    bool answered;
};

static struct session *session_of(struct watches *watches, int64_t id)
{
    return id_tree_find_or_add(&watches->sessions, id, sizeof(struct session));
}

/* ------------------------------------------------------------------ writes */

static void keep_costliest(struct watches *watches, const struct watches_write *write)
{
    struct watches_write kept = *write;
    kept.uses = 1;
    for (size_t i = 0; i < WATCHES_COSTLIEST; i++) {
        struct watches_write *of = &watches->costliest[i], lower = *of;
        const uint64_t cost = of->notified + of->followed, its = kept.notified + kept.followed;
        if (of->uses > 0 && (cost > its || (cost == its && of->number < kept.number)))
            continue;
        *of = kept;
        kept = lower;
    }
}

/* Without references a write's figures are known; a notification's are added to its cause. */
static void release(struct watches *watches, struct watches_write *write)
{
    struct watches_write *cause = write->cause;
    if (--write->uses > 0)
        return;
    if (cause != NULL) {
        cause->notified++;
        cause->last_ns = write->last_ns > cause->last_ns ? write->last_ns : cause->last_ns;
        cause->followed += write->followed;
        cause->followed_bytes += write->followed_bytes;
        cause->got += write->got;
        cause->armed_again += write->armed_again;
        release(watches, cause);
    } else if (write->notified > 0)
        keep_costliest(watches, write);
    free(write->at);
    free(write);
}

static struct spot *spot_at(struct watches *watches, int32_t event, const char *path)
{
    struct spot *spot = path_tree_find_or_add(&watches->spots[event], path, sizeof *spot);
    spot->event = event;
    return spot;
}

/* The write that is asked for may fire the watches of the event at the path. */
static void put_at(struct watches *watches, struct watches_write *write, int32_t event,
                   const char *path)
{
    struct spot *spot = spot_at(watches, event, path);
    spot->writes = memory_grow(spot->writes, spot->count, sizeof(void *));
    spot->writes[spot->count++] = write;
    write->at = memory_grow(write->at, write->at_count, sizeof(void *));
    write->at[write->at_count++] = spot;
}

static char *parent_of(const char *path)
{
    char *parent = memory_text(path), *name = strrchr(parent, '/');
    name[name == parent] = '\0';
    return parent;
}

/* The write at a spot that fired a notification: that of its transaction, or the first that its
 * session has not seen, neither by a reply nor by a notification here; else one whose reply is
 * lost, each once; NULL: none was asked for before. open: set if one of these has no reply yet. */
static struct watches_write *find_cause(const struct spot *spot, const struct watches_write *told,
                                        const struct notified *last, bool *open)
{
    struct watches_write *first = NULL, *again = NULL, *lost = NULL;
    size_t parts = 0, losses = 0;
    for (size_t i = 0; spot != NULL && i < spot->count; i++) {
        struct watches_write *write = spot->writes[i];
        const int64_t zxid = write->zxid;
        if (write->number > told->number)
            continue;
        if (write->replied_ns == 0)
            *open = true;
        else if (zxid == LOST)
            lost = losses++ == last->lost ? write : lost;
        else if (told->zxid > 0 ? zxid != told->zxid : zxid <= told->since)
            continue;
        else if (zxid == last->zxid) {
            again = write;
            parts++;
        } else if (zxid > last->zxid && (first == NULL || zxid < first->zxid))
            first = write;
    }
    return parts > last->parts ? again : first != NULL ? first : lost;
}

/* Attributes the notifications at a spot up to the first whose cause is not certain. Frees a spot
 * with nothing at it. */
static void attribute(struct watches *watches, struct spot *spot)
{
    size_t done = 0;
    for (; done < spot->open_count; done++) {
        struct watches_write *told = spot->open[done], *cause;
        struct notified *last = id_tree_find_or_add(&spot->notified, told->session, sizeof *last);
        bool open = false;
        cause = find_cause(spot, told, last, &open);
        if (cause == NULL && spot->event == MESSAGE_EVENT_CREATED &&
            (unsigned char)(spot->path[strlen(spot->path) - 1] - '0') < 10) {
            char *parent = parent_of(spot->path);
            (void)find_cause(path_tree_find(&watches->spots[MESSAGE_EVENT_CHILDREN], parent), told,
                             last, &open);
            free(parent);
        }
        if (open && (cause == NULL || cause->zxid == LOST || told->zxid <= 0))
            break;
        told->cause = cause;
        watches->unattributed += cause == NULL;
        if (cause != NULL)
            cause->uses++;
        if (cause != NULL && cause->zxid == LOST) {
            last->lost++;
        } else if (cause != NULL) {
            last->parts = cause->zxid == last->zxid ? last->parts + 1 : 1;
            last->zxid = cause->zxid;
        }
        release(watches, told);
    }
    spot->open_count -= done;
    if (done > 0)
        memmove(spot->open, spot->open + done, spot->open_count * sizeof(void *));
    if (spot->count + spot->open_count > 0)
        return;
    tdestroy(spot->notified, free);
    free(spot->writes);
    free(spot->open);
    path_tree_remove(&watches->spots[spot->event], spot);
}

/* Takes away a write that has failed, or was answered long ago. */
static void retire(struct watches *watches, struct watches_write *write)
{
    for (size_t i = 0; i < write->at_count; i++) {
        struct spot *spot = write->at[i];
        size_t index = 0;
        while (spot->writes[index] != write)
            index++;
        memmove(spot->writes + index, spot->writes + index + 1,
                (--spot->count - index) * sizeof(void *));
        attribute(watches, spot);
    }
    release(watches, write);
}

/* A write that has a reply stays at its spots until WATCHES_ANSWERED others do: its notifications
 * are under way on other connections. */
static void answer(struct watches *watches, struct watches_write *write, uint64_t at_ns,
                   int64_t zxid)
{
    struct watches_write **slot = &watches->answered[watches->next++ % WATCHES_ANSWERED];
    write->replied_ns = at_ns;
    write->zxid = zxid;
    for (size_t i = 0; i < write->at_count; i++)
        attribute(watches, write->at[i]);
    if (*slot != NULL)
        retire(watches, *slot);
    *slot = write;
}

/* ------------------------------------------------------------------ changes */

/* Takes in a change that is asked for: its event at its znode, if its path is known, and above
 * unless it only sets the data. */
static void change_at(struct message *message, int32_t event, const char *path)
{
    if (message->write == NULL) {
        message->write = memory_new(1, sizeof *message->write);
        *message->write = (struct watches_write){.opcode = message->opcode,
                                                 .session = message->session->id,
                                                 .number = ++message->watches->asked,
                                                 .requested_ns = message->at_ns,
                                                 .uses = 1};
        pattern_fold(path, strlen(path), message->write->pattern);
    }
    if (event != 0)
        put_at(message->watches, message->write, event, path);
    if (event == MESSAGE_EVENT_CHANGED)
        return;
    char *parent = parent_of(path);
    put_at(message->watches, message->write, MESSAGE_EVENT_CHILDREN, parent);
    free(parent);
}

static void forget_owned(struct watches *watches, const char *path)
{
    struct owned *owned = path_tree_find(&watches->owned, path);
    if (owned == NULL)
        return;
    LIST_REMOVE(owned, link);
    path_tree_remove(&watches->owned, owned);
}

static void keep_owned(const struct message *message, const char *path, bool sequential)
{
    locks_create(message->watches->locks, message->session->id, path, sequential, message->at_ns);
    forget_owned(message->watches, path);
    struct owned *owned = path_tree_find_or_add(&message->watches->owned, path, sizeof *owned);
    LIST_INSERT_HEAD(&message->session->owned, owned, link);
}

/* Takes in a change that a request asks for, alone or as a part of a transaction, or that a reply
 * confirms: `made` is the path of the znode that was created. */
static void add_change(struct message *message, enum opcode opcode,
                       const struct message_record *asked, const struct jute_bytes *made)
{
    const bool creates = opcode_creates(opcode), deletes = opcode == OPCODE_DELETE,
               answered = message->answered,
               sequential = creates && (asked->number & SEQUENTIAL) != 0;
    const struct jute_bytes *of = creates && answered ? made : &asked->path;
    if ((!creates && !deletes && opcode != OPCODE_SET_DATA) || of->length == 0 ||
        of->bytes[0] != '/')
        return;
    char *path = memory_copy(of->bytes, of->length);
    if (!answered)
        change_at(message,
                  deletes      ? MESSAGE_EVENT_DELETED
                  : !creates   ? MESSAGE_EVENT_CHANGED
                  : sequential ? 0
                               : MESSAGE_EVENT_CREATED,
                  path);
    else if (sequential)
        put_at(message->watches, message->write, MESSAGE_EVENT_CREATED, path);
    if (answered && creates && (asked->number | SEQUENTIAL) == (EPHEMERAL | SEQUENTIAL))
        keep_owned(message, path, sequential);
    else if (answered && deletes)
        forget_owned(message->watches, path);
    else if (deletes)
        locks_delete(message->watches->locks, path, message->at_ns);
    free(path);
}

/* Takes in each change of a request; reply: all zero bytes if it has none yet. */
static void add_changes(struct message *message, const struct message_record *asked,
                        const struct message_record *reply)
{
    struct jute parts = asked->parts, results = reply->parts;
    struct message_record part, result = {0};
    enum opcode opcode, answer;
    if (message->opcode == OPCODE_RECONFIG && !message->answered)
        change_at(message, MESSAGE_EVENT_CHANGED, CONFIGURATION);
    else if (message->opcode != OPCODE_MULTI)
        add_change(message, message->opcode, asked, &reply->path);
    while (message->opcode == OPCODE_MULTI && message_next_part(&parts, false, &opcode, &part)) {
        (void)!message_next_part(&results, true, &answer, &result);
        add_change(message, opcode, &part, &result.path);
    }
}

/* The end of a session deletes its znodes. */
static void close_session(struct message *message)
{
    struct session *session = message->session;
    struct owned *owned;
    session->closes = true;
    locks_close(message->watches->locks, session->id, message->at_ns);
    while ((owned = LIST_FIRST(&session->owned)) != NULL) {
        change_at(message, MESSAGE_EVENT_DELETED, owned->path);
        forget_owned(message->watches, owned->path);
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
                           const struct conversation_request *request)
{
    struct watches_write *write = session->follows;
    if (write == NULL)
        return;
    if (request->opcode == OPCODE_DELETE || request->opcode == OPCODE_MULTI ||
        request->opcode == OPCODE_CLOSE) {
        end_following(watches, session, true);
        return;
    }
    if (request->xid < 0) /* of the library: a ping, credentials, watches that are set again */
        return;
    if (session->first_xid == 0)
        session->first_xid = request->xid;
    session->asked++;
    write->followed++;
    write->followed_bytes += request->bytes;
}

static bool is_followed(const struct session *session, const struct conversation_request *request)
{
    return session->first_xid != 0 && request->xid >= session->first_xid;
}

static void follow_reply(struct watches *watches, struct session *session,
                         const struct conversation_request *request,
                         const struct message_reply *reply, size_t bytes)
{
    struct watches_write *write = session->follows;
    if (!is_followed(session, request))
        return;
    session->asked--;
    write->followed_bytes += bytes;
    bool wrote = reply->error == 0 &&
                 (opcode_creates(request->opcode) || request->opcode == OPCODE_SET_DATA);
    if (wrote || (session->asked == 0 && request->record.watch))
        end_following(watches, session, wrote);
}

/* ------------------------------------------------------------------ messages */

struct watches_write *watches_read_request(struct watches *watches,
                                           const struct conversation *conversation,
                                           const struct conversation_request *request)
{
    struct session *session = session_of(watches, conversation->session);
    struct message message = {watches, session, conversation->now_ns, request->opcode, NULL, false};
    session->connection = conversation;
    if (opcode_sets_again(request->opcode))
        armed_set_again(&watches->armed, &session->armed, request->record.parts);
    follow_request(watches, session, request);
    if (request->opcode == OPCODE_CLOSE)
        close_session(&message);
    else
        add_changes(&message, &request->record, &(struct message_record){0});
    return message.write;
}

/* What a reply confirms about the session's watches. */
static void note_watch(const struct message *message, const struct conversation_request *request,
                       int32_t error)
{
    const struct message_record *record = &request->record;
    const enum opcode opcode = request->opcode;
    const char *path = request->copy;
    struct armed_counts *counts = &message->watches->armed;
    struct armed *armed = &message->session->armed;
    /* An exists waits for a znode that is not there, too. */
    bool done = error == 0 || (opcode == OPCODE_EXISTS && error == MESSAGE_NO_NODE);
    if (record->path.length == 0 || !done)
        return;
    if (opcode == OPCODE_ADD_WATCH)
        armed_set(counts, armed, WATCHES_STAYING, path, record->number == MODE_RECURSIVE);
    else if (opcode == OPCODE_REMOVE_WATCHES)
        armed_remove(armed, record->number, path);
    else if (record->watch)
        armed_set(counts, armed,
                  opcode == OPCODE_EXISTS || opcode == OPCODE_GET_DATA ? WATCHES_DATA
                                                                       : WATCHES_CHILDREN,
                  path, false);
}

void watches_read_reply(struct watches *watches, const struct conversation *conversation,
                        const struct conversation_request *request,
                        const struct message_reply *reply, size_t bytes)
{
    struct session *session = session_of(watches, conversation->session);
    struct watches_write *write = request->write;
    struct message message = {watches, session, conversation->now_ns, request->opcode, write, true};
    session->zxid = reply->zxid > session->zxid ? reply->zxid : session->zxid;
    session->armed.resets -= opcode_sets_again(request->opcode) && session->armed.resets > 0;
    note_watch(&message, request, reply->error);
    if (write != NULL && reply->error != 0)
        retire(watches, write);
    else if (write != NULL) {
        add_changes(&message, &request->record, &reply->record);
        answer(watches, write, message.at_ns, reply->zxid);
    }
    follow_reply(watches, session, request, reply, bytes);
}

void watches_lose_reply(struct watches *watches, const struct conversation *conversation,
                        const struct conversation_request *request)
{
    struct session *session = session_of(watches, conversation->session);
    session->asked -= is_followed(session, request);
    if (request->write != NULL)
        answer(watches, request->write, conversation->now_ns, LOST);
}

void watches_read_notification(struct watches *watches, const struct conversation *conversation,
                               const struct message_notification *notification)
{
    struct session *session = session_of(watches, conversation->session);
    char *path = notification->path.length == 0
                     ? memory_text("")
                     : memory_copy(notification->path.bytes, notification->path.length);
    const int32_t event = notification->event;
    struct watches_write *told = memory_new(1, sizeof *told);
    *told = (struct watches_write){.session = session->id,
                                   .number = watches->asked,
                                   .zxid = notification->zxid,
                                   .since = session->zxid,
                                   .last_ns = conversation->now_ns,
                                   .uses = 1};
    armed_fire(&watches->armed, &session->armed, notification, path);
    /* The end of a session that no client has asked for, such as an expiry, shows here alone. */
    if (event == MESSAGE_EVENT_DELETED)
        locks_delete(watches->locks, path, conversation->now_ns);
    end_following(watches, session, false);
    session->follows = told;
    if (event >= MESSAGE_EVENT_CREATED && event <= MESSAGE_EVENT_CHILDREN && path[0] == '/') {
        struct spot *spot = spot_at(watches, event, path);
        spot->open = memory_grow(spot->open, spot->open_count, sizeof(void *));
        spot->open[spot->open_count++] = told;
        told->uses++;
        attribute(watches, spot);
    } else
        watches->unattributed++;
    free(path);
}

void watches_begin_connection(struct watches *watches, const struct conversation *conversation)
{
    struct session *session = session_of(watches, conversation->session);
    if (session->connection != NULL)
        armed_lose(&watches->armed, &session->armed);
    armed_end(&session->armed, true);
    session->connection = conversation;
    session->closes = false;
}

void watches_end_connection(struct watches *watches, const struct conversation *conversation)
{
    struct session *session = session_of(watches, conversation->session);
    if (session->connection != conversation)
        return;
    armed_lose(&watches->armed, &session->armed);
    if (session->closes)
        armed_end(&session->armed, true);
    session->connection = NULL;
}

void watches_begin(struct watches *watches)
{
    locks_free(watches->locks);
    watches->locks = locks_new(NULL, NULL);
}

void watches_end(struct watches *watches)
{
    for (int event = MESSAGE_EVENT_CHILDREN; event > 0; event--)
        while (watches->spots[event] != NULL) {
            struct spot *spot = *(struct spot **)watches->spots[event];
            if (spot->count > 0)
                retire(watches, spot->writes[spot->count - 1]);
            else
                attribute(watches, spot);
        }
    memset(watches->answered, 0, sizeof watches->answered);
    while (watches->sessions != NULL) {
        struct session *session = *(struct session **)watches->sessions;
        end_following(watches, session, false);
        armed_end(&session->armed, session->closes);
        id_tree_remove(&watches->sessions, session);
        free(session);
    }
    tdestroy(watches->owned, path_tree_free_element);
    watches->owned = NULL;
}

void watches_deinit(struct watches *watches)
{
    watches_end(watches);
    locks_free(watches->locks);
    patterns_deinit(&watches->armed.kinds);
}
