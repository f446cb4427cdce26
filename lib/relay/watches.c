// SPDX-License-Identifier: Apache-2.0
/* The watches of sessions, and what the writes cause that fire them. */
#include "base/memory.h"
#include "relay/traffic.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#define MODE_RECURSIVE 1 /* of addWatch: with all znodes below (AddWatchMode) */
#define REMOVE_ANY     3 /* of removeWatches (WatcherType) */
/* Flags of a create (CreateMode): ephemeral, without and with a number. */
#define EPHEMERAL            1
#define EPHEMERAL_SEQUENTIAL 3
#define PART_FAILED          (-1) /* any error: with one part of a transaction all fail */

/* A watch of a session. */
struct armed {
    char *path; /* the key */
    bool recursive;
    uint64_t set_ns;
    size_t figures; /* their index */
};

/* The writes that may have fired the watches of one kind of event at a path: those that have no
 * reply, and those among the last WATCHES_ANSWERED that have one. */
struct spot {
    char *path; /* the key */
    int32_t event;
    struct watches_write **writes; /* the oldest first */
    size_t count;
    id_tree notified; /* sessions */
};

/* A session that was notified at a spot, and the last of the writes that did so. */
struct notified {
    int64_t session; /* the key */
    uint64_t number;
};

struct session {
    int64_t id; /* the key */
    path_tree armed[WATCHES_KINDS];
    struct watches_write *follows; /* the write that notified it; NULL: it follows none */
    int32_t first_xid;             /* of the requests because of that; 0: none yet */
    size_t asked;                  /* of these, without a reply */
    char **ephemerals;             /* its znodes, in no order */
    size_t ephemeral_count;
};

/* A request, or a reply, whose changes are taken in. */
struct message {
    struct watches *watches;
    struct session *session;
    int32_t xid;
    uint64_t at_ns;
    struct watches_write *write; /* that is asked for */
    enum opcode opcode;
    bool answered; /* with this result: */
    int32_t error;
    int64_t zxid;
};

static struct session *session_of(struct watches *watches, int64_t id)
{
    return id_tree_find_or_add(&watches->sessions, id, sizeof(struct session));
}

/* ------------------------------------------------------------------ watches */

static void arm(const struct message *message, enum watches_kind kind, const char *path,
                bool recursive)
{
    struct watches *watches = message->watches;
    size_t count = watches->kinds.count,
           index = patterns_find(&watches->kinds, kind, path, strlen(path));
    if (index == count) {
        watches->figures = memory_grow(watches->figures, count, sizeof *watches->figures);
        watches->figures[index] = (struct watches_figures){0};
    }
    path_tree *tree = &message->session->armed[kind];
    if (path_tree_find(tree, path) != NULL) {
        watches->figures[index].again++;
        return;
    }
    watches->figures[index].set++;
    struct armed *armed = path_tree_find_or_add(tree, path, sizeof *armed);
    armed->recursive = recursive;
    armed->set_ns = message->at_ns;
    armed->figures = index;
}

/* The watch of a session that stays on a path or, if it is recursive, above it; NULL: none. */
static struct armed *find_staying(const struct session *session, const char *path)
{
    char *above = memory_text(path), *name;
    struct armed *armed = path_tree_find(&session->armed[WATCHES_STAYING], above);
    while (armed == NULL && (name = strrchr(above, '/')) != NULL && name[1] != '\0') {
        name[name == above] = '\0';
        armed = path_tree_find(&session->armed[WATCHES_STAYING], above);
        armed = armed != NULL && armed->recursive ? armed : NULL;
    }
    free(above);
    return armed;
}

/* One notification fires all watches of a session that its event is one for. Returns when the first
 * of them was set; 0: none was seen. The server has a table of data and one of children watches,
 * each with those that stay, and counts a deletion for each that has the session (deleteNode). */
static uint64_t fire(struct watches *watches, struct session *session, int32_t event,
                     const char *path)
{
    const bool deleted = event == MESSAGE_EVENT_DELETED, children = event == MESSAGE_EVENT_CHILDREN;
    struct armed *fired[WATCHES_KINDS] = {
        [WATCHES_DATA] = children ? NULL : path_tree_find(&session->armed[WATCHES_DATA], path),
        [WATCHES_CHILDREN] =
            deleted || children ? path_tree_find(&session->armed[WATCHES_CHILDREN], path) : NULL,
        [WATCHES_STAYING] = find_staying(session, path)};
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
            path_tree_remove(&session->armed[kind], armed);
    }
    return set_ns;
}

/* Takes out all watches of a session, which the close of the session ends, or the last message. */
static void end_armed(struct watches *watches, struct session *session, bool closes)
{
    for (enum watches_kind kind = 0; kind < WATCHES_KINDS; kind++) {
        while (session->armed[kind] != NULL) {
            struct armed *armed = *(struct armed **)session->armed[kind];
            *(closes ? &watches->figures[armed->figures].left
                     : &watches->figures[armed->figures].armed) += 1;
            if (closes)
                watches->closing +=
                    1 + (kind == WATCHES_STAYING ? 2 * session->ephemeral_count : 0);
            path_tree_remove(&session->armed[kind], armed);
        }
    }
}

/* ------------------------------------------------------------------ writes */

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
    if (write->notified > 0)
        keep_costliest(watches, write);
    free(write);
}

static void unlink_write(struct watches *watches, struct spot *spot, struct watches_write *write)
{
    size_t index = 0;
    while (spot->writes[index] != write)
        index++;
    memmove(spot->writes + index, spot->writes + index + 1,
            (--spot->count - index) * sizeof(void *));
    release(watches, write);
    if (spot->count > 0)
        return;
    tdestroy(spot->notified, free);
    free(spot->writes);
    path_tree_remove(&watches->spots[spot->event], spot);
}

/* The write that is asked for may fire the watches of the event at the path. */
static void put_at(const struct message *message, int32_t event, const char *path)
{
    struct spot *spot = path_tree_find_or_add(&message->watches->spots[event], path, sizeof *spot);
    spot->event = event;
    spot->writes = memory_grow(spot->writes, spot->count, sizeof(void *));
    spot->writes[spot->count++] = message->write;
    message->write->uses++;
}

/* It has, or it has failed. A write that is answered stays at its spot until WATCHES_ANSWERED
 * others are: its notifications are under way on other connections. */
static void answer_at(const struct message *message, int32_t event, const char *path)
{
    struct watches *watches = message->watches;
    struct watches_answered *slot = &watches->answered[watches->next % WATCHES_ANSWERED];
    struct spot *spot = path_tree_find(&watches->spots[event], path);
    size_t i = 0;
    while (
        spot != NULL && i < spot->count &&
        (spot->writes[i]->session != message->session->id || spot->writes[i]->xid != message->xid))
        i++;
    if (spot == NULL || i == spot->count)
        return;
    struct watches_write *write = spot->writes[i];
    write->replied_ns = message->at_ns;
    write->zxid = message->zxid;
    if (message->error != 0) {
        unlink_write(watches, spot, write);
        return;
    }
    if (slot->spot != NULL)
        unlink_write(watches, slot->spot, slot->write);
    *slot = (struct watches_answered){spot, write};
    watches->next++;
}

/* Takes in a change: its event at its znode and, unless it only sets the data, above. */
static void change_at(struct message *message, int32_t event, const char *path)
{
    void (*at)(const struct message *, int32_t, const char *) =
        message->answered ? answer_at : put_at;
    struct watches *watches = message->watches;
    if (message->write == NULL && !message->answered) {
        message->write = memory_new(1, sizeof *message->write);
        *message->write = (struct watches_write){.opcode = message->opcode,
                                                 .session = message->session->id,
                                                 .xid = message->xid,
                                                 .number = ++watches->asked,
                                                 .requested_ns = message->at_ns,
                                                 .uses = 1};
        pattern_fold(path, strlen(path), message->write->pattern);
    }
    at(message, event, path);
    if (event == MESSAGE_EVENT_CHANGED)
        return;
    char *parent = memory_text(path), *name = strrchr(parent, '/');
    name[name == parent] = '\0';
    at(message, MESSAGE_EVENT_CHILDREN, parent);
    free(parent);
}

/* ------------------------------------------------------------------ changes */

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

static void keep_ephemeral(const struct message *message, const struct jute_bytes *made,
                           bool sequential)
{
    struct session *session = message->session;
    char *path = memory_copy(made->bytes, made->length);
    locks_create(message->watches->locks, session->id, path, sequential, message->at_ns);
    session->ephemerals =
        memory_grow(session->ephemerals, session->ephemeral_count, sizeof(char *));
    session->ephemerals[session->ephemeral_count++] = path;
}

/* Takes in a change that a request asks for, alone or as a part of a transaction, or that a reply
 * confirms or refuses: `made` is the path of the znode that was created. */
static void add_change(struct message *message, enum opcode opcode,
                       const struct message_record *asked, const struct jute_bytes *made)
{
    const bool deletes = opcode == OPCODE_DELETE, done = message->answered && message->error == 0,
               sequential = asked->number == EPHEMERAL_SEQUENTIAL;
    const int32_t event = opcode_creates(opcode)      ? MESSAGE_EVENT_CREATED
                          : deletes                   ? MESSAGE_EVENT_DELETED
                          : opcode == OPCODE_SET_DATA ? MESSAGE_EVENT_CHANGED
                                                      : 0;
    if (event == 0 || asked->path.length == 0 || asked->path.bytes[0] != '/')
        return;
    char *path = memory_copy(asked->path.bytes, asked->path.length);
    if (deletes && !message->answered)
        locks_delete(message->watches->locks, path, message->at_ns);
    change_at(message, event, path);
    if (done && deletes)
        forget_ephemeral(message->session, path);
    free(path);
    if (done && (opcode == OPCODE_CREATE || opcode == OPCODE_CREATE2) &&
        (sequential || asked->number == EPHEMERAL) && made->length > 0 && made->bytes[0] == '/')
        keep_ephemeral(message, made, sequential);
}

/* Takes in each change of a request; reply: all zero bytes if it has none yet. */
static void add_changes(struct message *message, const struct message_record *asked,
                        const struct message_record *reply)
{
    struct jute parts = asked->parts, results = reply->parts;
    struct message_record part, result = {0};
    enum opcode opcode, answer;
    if (message->opcode != OPCODE_MULTI)
        add_change(message, message->opcode, asked, &reply->path);
    while (message->opcode == OPCODE_MULTI && message_next_part(&parts, false, &opcode, &part)) {
        bool done = message_next_part(&results, true, &answer, &result) && answer != OPCODE_OTHER;
        message->error = done ? 0 : PART_FAILED;
        add_change(message, opcode, &part, &result.path);
    }
}

/* The end of a session deletes its znodes, and its watches are gone. */
static void close_session(struct message *message)
{
    struct session *session = message->session;
    for (size_t i = 0; i < session->ephemeral_count; i++)
        change_at(message, MESSAGE_EVENT_DELETED, session->ephemerals[i]);
    if (!message->answered)
        end_armed(message->watches, session, true);
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
    if (write == NULL || request->opcode == OPCODE_PING)
        return;
    if (request->opcode == OPCODE_DELETE || request->opcode == OPCODE_MULTI ||
        request->opcode == OPCODE_CLOSE) {
        end_following(watches, session, true);
        return;
    }
    if (session->first_xid == 0)
        session->first_xid = request->xid;
    session->asked++;
    write->followed++;
    write->followed_bytes += request->bytes;
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
    bool wrote = reply->error == 0 &&
                 (opcode_creates(request->opcode) || request->opcode == OPCODE_SET_DATA);
    bool armed = session->asked == 0 && request->record.watch;
    if (wrote || armed)
        end_following(watches, session, wrote);
}

/* ------------------------------------------------------------------ messages */

void watches_read_request(struct watches *watches, const struct conversation *conversation,
                          const struct conversation_request *request)
{
    struct session *session = session_of(watches, conversation->session);
    struct message message = {.watches = watches,
                              .session = session,
                              .xid = request->xid,
                              .opcode = request->opcode,
                              .at_ns = conversation->now_ns};
    follow_request(watches, session, request);
    if (request->opcode == OPCODE_CLOSE) {
        locks_close(watches->locks, session->id, message.at_ns);
        close_session(&message);
    } else
        add_changes(&message, &request->record, &(struct message_record){0});
    if (message.write != NULL)
        release(watches, message.write);
}

/* Takes out the watches at a path that a request removes. */
static void remove_watches(struct watches *watches, struct session *session, int32_t type,
                           const char *path)
{
    for (enum watches_kind kind = 0; kind < WATCHES_KINDS; kind++) {
        struct armed *armed = path_tree_find(&session->armed[kind], path);
        if (armed == NULL ||
            (kind != WATCHES_STAYING && type != REMOVE_ANY && type != (int32_t)kind))
            continue;
        watches->figures[armed->figures].removed++;
        path_tree_remove(&session->armed[kind], armed);
    }
}

/* What a reply confirms about the session's watches. */
static void note_watch(const struct message *message, const struct conversation_request *request)
{
    const struct message_record *record = &request->record;
    const char *path = request->copy;
    /* An exists waits for a znode that is not there, too. */
    bool done = message->error == 0 ||
                (request->opcode == OPCODE_EXISTS && message->error == MESSAGE_NO_NODE);
    if (record->path.length == 0 || !done)
        return;
    switch (request->opcode) {
    case OPCODE_EXISTS:
    case OPCODE_GET_DATA:
        if (record->watch)
            arm(message, WATCHES_DATA, path, false);
        break;
    case OPCODE_GET_CHILDREN:
    case OPCODE_GET_CHILDREN2:
        if (record->watch)
            arm(message, WATCHES_CHILDREN, path, false);
        break;
    case OPCODE_ADD_WATCH:
        arm(message, WATCHES_STAYING, path, record->number == MODE_RECURSIVE);
        break;
    case OPCODE_REMOVE_WATCHES:
        remove_watches(message->watches, message->session, record->number, path);
        break;
    default:
        break;
    }
}

void watches_read_reply(struct watches *watches, const struct conversation *conversation,
                        const struct conversation_request *request,
                        const struct message_reply *reply, size_t bytes)
{
    struct message message = {.watches = watches,
                              .session = session_of(watches, conversation->session),
                              .xid = request->xid,
                              .opcode = request->opcode,
                              .at_ns = conversation->now_ns,
                              .answered = true,
                              .error = reply->error,
                              .zxid = reply->zxid};
    note_watch(&message, request);
    if (request->opcode == OPCODE_CLOSE)
        close_session(&message);
    else
        add_changes(&message, &request->record, &reply->record);
    follow_reply(watches, message.session, request, reply, bytes);
}

/* The write that has fired a watch which was set then; NULL: none that was seen. No write notifies
 * a session twice at a spot. */
static struct watches_write *find_cause(struct spot *spot, int64_t session, int64_t zxid,
                                        uint64_t set_ns)
{
    struct watches_write *answered = NULL, *asked = NULL;
    if (spot == NULL)
        return NULL;
    struct notified *notified = id_tree_find_or_add(&spot->notified, session, sizeof *notified);
    for (size_t i = 0; i < spot->count; i++) {
        struct watches_write *write = spot->writes[i];
        if (write->replied_ns > 0 && write->zxid == zxid) {
            answered = write;
            break;
        }
        if (write->number <= notified->number)
            continue;
        if (write->replied_ns == 0 && asked == NULL)
            asked = write;
        if (write->replied_ns > set_ns && answered == NULL && zxid <= 0)
            answered = write;
    }
    struct watches_write *cause = answered != NULL ? answered : asked;
    if (cause != NULL)
        notified->number = cause->number;
    return cause;
}

void watches_read_notification(struct watches *watches, const struct conversation *conversation,
                               const struct message_notification *notification)
{
    struct session *session = session_of(watches, conversation->session);
    char *path = memory_copy(notification->path.bytes, notification->path.length);
    const int32_t event = notification->event;
    uint64_t set_ns = fire(watches, session, event, path);
    bool is_known = event >= MESSAGE_EVENT_CREATED && event <= MESSAGE_EVENT_CHILDREN;
    struct watches_write *write =
        find_cause(is_known ? path_tree_find(&watches->spots[event], path) : NULL, session->id,
                   notification->zxid, set_ns);
    /* The end of a session that no client has asked for, such as an expiry, shows here alone. */
    if (event == MESSAGE_EVENT_DELETED)
        locks_delete(watches->locks, path, conversation->now_ns);
    end_following(watches, session, false);
    watches->unattributed += write == NULL;
    if (write != NULL) {
        write->notified++;
        write->last_ns = conversation->now_ns;
        write->uses++;
        session->follows = write;
    }
    free(path);
}

/* ------------------------------------------------------------------ the whole */

void watches_begin(struct watches *watches)
{
    locks_free(watches->locks);
    watches->locks = locks_new(NULL, NULL);
}

void watches_end(struct watches *watches)
{
    for (size_t i = 0; i < WATCHES_ANSWERED; i++)
        if (watches->answered[i].spot != NULL)
            unlink_write(watches, watches->answered[i].spot, watches->answered[i].write);
    memset(watches->answered, 0, sizeof watches->answered);
    for (int event = MESSAGE_EVENT_CREATED; event <= MESSAGE_EVENT_CHILDREN; event++) {
        while (watches->spots[event] != NULL) { /* what has no reply */
            struct spot *spot = *(struct spot **)watches->spots[event];
            unlink_write(watches, spot, spot->writes[0]);
        }
    }
    while (watches->sessions != NULL) {
        struct session *session = *(struct session **)watches->sessions;
        if (session->follows != NULL)
            release(watches, session->follows);
        end_armed(watches, session, false);
        for (size_t i = 0; i < session->ephemeral_count; i++)
            free(session->ephemerals[i]);
        free(session->ephemerals);
        id_tree_remove(&watches->sessions, session);
        free(session);
    }
}

void watches_deinit(struct watches *watches)
{
    watches_end(watches);
    locks_free(watches->locks);
    free(watches->figures);
    patterns_deinit(&watches->kinds);
}
