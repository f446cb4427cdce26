// SPDX-License-Identifier: Apache-2.0
#include "client/thread_sessions.h"

#include "base/clock.h"
#include "client/library.h"
#include "client/sockets.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES             ((size_t)256 * 1024) /* of the session's own thread */
#define DROP_CONNECTION_STEP_NS (50 * NS_PER_US)     /* between looks for a reply to be cut */
#define LETTERS_MAX             8
#define END_STEP_NS             (1 * NS_PER_MS) /* between looks whether a thread has ended */

/* A message of another thread to a session's thread. */
enum letter_kind { LETTER_NONE, LETTER_STATE, LETTER_EVENT, LETTER_ORDER, LETTER_AUTHENTICATED };

struct letter {
    enum letter_kind kind;
    int value; /* enum client_state, enum client_event, the order, or whether accepted */
    char path[HANDLE_PATH_MAX];
};

/* The letters that a mailbox accepts; those in it that it no longer accepts are dropped. */
enum accepts { ACCEPTS_ALL, ACCEPTS_ORDERS, ACCEPTS_NOTHING };

/* Letters in their order. The thread that takes them is the mailbox's owner. While the owner is
 * busy, inside a call that may take long, it takes none. To post to a full mailbox waits for room.
 */
struct mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    enum accepts accepts; /* only rises; ACCEPTS_NOTHING: the session is to end */
    bool busy;
    size_t first, count;
    struct letter letters[LETTERS_MAX];
};

/* A copy of a request, for a synchronous call. What it points to lies in the copy or its values. */
struct request_copy {
    struct request request;
    struct request parts[REQUEST_PARTS_MAX]; /* a request that is no multi: the first */
    char paths[REQUEST_PARTS_MAX][HANDLE_PATH_MAX];
    size_t values_length;
    char *values; /* of all parts together: HANDLE_VALUE_MAX bytes */
};

/*
 * One handle of the multi-threaded build. A submitted operation is only copied; the thread carries
 * it out, by a synchronous call, when the callback that submitted it has returned. Between requests
 * the thread takes the letters of the session's mailbox: watch events and states from the library's
 * completion thread, orders from the owner of the sessions. A third thread waits for a reply that
 * is to be cut, and ends with the request.
 *
 * Invariant: the session's thread alone calls the listener and the hooks, except for an order that
 * comes while it is busy (thread_session_order).
 */
struct thread_session {
    struct handle
        handle; /* first: a pointer to its client is one to the session; zk: NULL: closed */
    const struct thread_session_hooks *hooks;
    pthread_t thread;
    struct mailbox mailbox;

    /* For the session's thread alone. */
    struct socket_owner *socket;
    int other_end; /* crashed: the peer of the socket that the library takes for its own; else -1 */
    bool cutting;  /* the reply to the copied operation is to be lost */
    atomic_bool returned; /* for the thread that cuts: the call of the operation has returned */
    bool copied;          /* an operation is to be carried out */
    struct request_copy copy;
    char *value;       /* room for the data that a get reads */
    uint64_t alarm_ns; /* UINT64_MAX: none */
    bool apart;        /* no connection was reported since it began or lost the last */
};

struct thread_sessions {
    struct library library;
    struct thread_session_hooks hooks;
    struct socket_owners *sockets;
    size_t capacity;
    size_t opened;
    struct thread_session sessions[];
};

/* ------------------------------------------------------------------ the mailbox */

static bool is_accepted(const struct mailbox *mailbox, enum letter_kind kind)
{
    return mailbox->accepts == ACCEPTS_ALL ||
           (mailbox->accepts == ACCEPTS_ORDERS && kind == LETTER_ORDER);
}

/* The caller holds the mutex. */
static void put(struct mailbox *mailbox, enum letter_kind kind, int value, const char *path)
{
    while (mailbox->count == LETTERS_MAX && is_accepted(mailbox, kind))
        pthread_cond_wait(&mailbox->changed, &mailbox->mutex);
    if (!is_accepted(mailbox, kind))
        return;
    struct letter *letter = &mailbox->letters[(mailbox->first + mailbox->count++) % LETTERS_MAX];
    letter->kind = kind;
    letter->value = value;
    assert(strlen(path) < sizeof letter->path);
    strcpy(letter->path, path);
    pthread_cond_broadcast(&mailbox->changed);
}

/* A thread that waits for room for a letter that is not accepted any more continues. */
static void restrict_to(struct mailbox *mailbox, enum accepts accepts)
{
    pthread_mutex_lock(&mailbox->mutex);
    if (mailbox->accepts < accepts)
        mailbox->accepts = accepts;
    pthread_cond_broadcast(&mailbox->changed);
    pthread_mutex_unlock(&mailbox->mutex);
}

/* Removes the next letter, without waiting. LETTER_NONE: there is none; if the owner has work, it
 * is busy from now on. False if the session is to end. */
static bool next_letter(struct mailbox *mailbox, bool has_work, struct letter *letter)
{
    letter->kind = LETTER_NONE;
    pthread_mutex_lock(&mailbox->mutex);
    while (letter->kind == LETTER_NONE && mailbox->count > 0) {
        const struct letter *next = &mailbox->letters[mailbox->first];
        if (is_accepted(mailbox, next->kind))
            *letter = *next;
        mailbox->first = (mailbox->first + 1) % LETTERS_MAX;
        if (mailbox->count-- == LETTERS_MAX)
            pthread_cond_broadcast(&mailbox->changed);
    }
    bool goes_on = mailbox->accepts != ACCEPTS_NOTHING;
    mailbox->busy = goes_on && has_work && letter->kind == LETTER_NONE;
    pthread_mutex_unlock(&mailbox->mutex);
    return goes_on;
}

/* The owner is busy no longer. False if the session is to end. */
static bool go_on(struct mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->busy = false;
    bool goes_on = mailbox->accepts != ACCEPTS_NOTHING;
    pthread_mutex_unlock(&mailbox->mutex);
    return goes_on;
}

/* Waits for a letter or the session's end, until `until_ns` of the monotonic clock. */
static void await_letter(struct mailbox *mailbox, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                   .tv_nsec = (long)(until_ns % NS_PER_S)};
    pthread_mutex_lock(&mailbox->mutex);
    while (mailbox->count == 0 && mailbox->accepts != ACCEPTS_NOTHING && clock_now_ns() < until_ns)
        pthread_cond_clockwait(&mailbox->changed, &mailbox->mutex, CLOCK_MONOTONIC, &until);
    pthread_mutex_unlock(&mailbox->mutex);
}

/* ------------------------------------------------------------------ callbacks of the library */

/* On the library's completion thread, but for the reply to the credentials. */
static void post(struct handle *handle, enum letter_kind kind, int value, const char *path)
{
    struct mailbox *mailbox = &((struct thread_session *)handle)->mailbox;
    pthread_mutex_lock(&mailbox->mutex);
    put(mailbox, kind, value, path);
    pthread_mutex_unlock(&mailbox->mutex);
}

static void state_changed(struct handle *handle, enum client_state state)
{
    post(handle, LETTER_STATE, (int)state, "");
}

static void notified(struct handle *handle, enum client_event event, const char *path)
{
    post(handle, LETTER_EVENT, (int)event, path);
}

static void authenticated(struct handle *handle, bool accepted)
{
    post(handle, LETTER_AUTHENTICATED, accepted, "");
}

static const struct handle_events handle_events = {state_changed, notified, authenticated};

static void open_letter(struct thread_session *session, const struct letter *letter)
{
    struct client *client = &session->handle.client;
    switch (letter->kind) {
    case LETTER_STATE:
        session->apart = letter->value != CLIENT_ESTABLISHED;
        if (!session->apart)
            socket_owner_confirm(session->socket);
        if (session->apart || !session->handle.unanswered)
            client->listener->state_changed(client->owner, (enum client_state)letter->value);
        break;
    case LETTER_AUTHENTICATED:
        session->handle.unanswered = false;
        if (letter->value && !session->apart)
            client->listener->state_changed(client->owner, CLIENT_ESTABLISHED);
        break;
    case LETTER_EVENT:
        client->listener->notified(client->owner, (enum client_event)letter->value, letter->path);
        break;
    case LETTER_ORDER:
        session->hooks->order(client->owner, letter->value);
        break;
    case LETTER_NONE:
        break;
    }
}

/* The library's completion thread may report a connection later than a synchronous call over that
 * connection returns. False if the session is to end. */
static bool await_connection(struct thread_session *session)
{
    struct letter letter;
    while (session->apart) {
        if (!next_letter(&session->mailbox, false, &letter))
            return false;
        if (letter.kind == LETTER_NONE)
            await_letter(&session->mailbox, UINT64_MAX);
        else
            open_letter(session, &letter);
    }
    return true;
}

/* ------------------------------------------------------------------ carrying out a request */

/* Copies one request; false if there is no room. */
static bool copy_part(struct request_copy *copy, size_t part, const struct request *request)
{
    size_t length = strnlen(request->path, HANDLE_PATH_MAX);
    if (length == HANDLE_PATH_MAX || request->value_length > HANDLE_VALUE_MAX - copy->values_length)
        return false;
    char *value = &copy->values[copy->values_length];
    memcpy(copy->paths[part], request->path, length + 1);
    if (request->value_length > 0)
        memcpy(value, request->value, request->value_length);
    copy->values_length += request->value_length;
    copy->parts[part] = *request;
    copy->parts[part].path = copy->paths[part];
    copy->parts[part].value = value;
    return true;
}

static bool copy_request(struct request_copy *copy, const struct request *request)
{
    bool is_multi = request->operation == OP_MULTI;
    size_t count = is_multi ? request->part_count : 1;
    assert(count <= REQUEST_PARTS_MAX);
    copy->values_length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!copy_part(copy, i, is_multi ? &request->parts[i] : request))
            return false;
    }
    copy->request = is_multi ? *request : copy->parts[0];
    if (is_multi)
        copy->request.parts = copy->parts;
    return true;
}

/* On a third thread: ends the connection when the reply has arrived, unless the call of the
 * session's thread returns before. */
static void *cut_reply(void *context)
{
    struct thread_session *session = context;
    const struct timespec step = {.tv_nsec = DROP_CONNECTION_STEP_NS};
    while (!atomic_load(&session->returned)) {
        if (socket_owner_stands(session->socket) &&
            drop_connection_peek(session->socket->descriptor) == DROP_CONNECTION_REPLY &&
            drop_connection_off(session->socket->descriptor, NULL, 0, NULL))
            break;
        nanosleep(&step, NULL);
    }
    return NULL;
}

static struct client_reply call(struct thread_session *session, struct handle_answer *answer)
{
    pthread_t thread;
    if (!session->cutting)
        return handle_call(&session->handle, &session->copy.request, answer);
    atomic_store(&session->returned, false);
    if (pthread_create(&thread, NULL, cut_reply, session) != 0)
        return (struct client_reply){.status = ZK_OTHER_ERROR};
    drop_connection_hold(session->socket->descriptor);
    struct client_reply reply = handle_call(&session->handle, &session->copy.request, answer);
    atomic_store(&session->returned, true);
    pthread_join(thread, NULL);
    return reply;
}

/* A server's reply comes over a connection that was reported. False if the session is to end. */
static bool comes_in_turn(struct thread_session *session, enum zk_status status)
{
    switch (status) {
    case ZK_CONNECTION_LOSS:
        session->apart = true;
        return true;
    case ZK_SESSION_EXPIRED:
    case ZK_OTHER_ERROR:
        return true;
    default:
        return await_connection(session);
    }
}

/* The listener may submit the next operation when it has the reply: the copy must be free. */
static void carry_out(struct thread_session *session)
{
    struct handle_answer answer = {.value = session->value};
    struct client_reply reply = call(session, &answer);
    session->copied = false;
    if (go_on(&session->mailbox) && comes_in_turn(session, reply.status))
        client_deliver_reply(&session->handle.client, &reply);
    session->handle.library->deallocate_names(&answer.names);
}

/* ------------------------------------------------------------------ the session's thread */

static void close_handle(struct thread_session *session)
{
    if (session->other_end >= 0)
        drop_connection_end(session->other_end);
    session->handle.library->close(session->handle.zk);
    session->handle.zk = NULL;
    socket_owner_drop(session->socket);
    if (session->other_end >= 0)
        close(session->other_end);
}

/* Letters come first, then the alarm, then the request. A session that crashed or left closes the
 * handle, and then carries out orders: other threads wait for that. False if it has ended. */
static bool serve_next(struct thread_session *session)
{
    struct client *client = &session->handle.client;
    bool closes = client->silent && session->handle.zk != NULL;
    uint64_t alarm_ns = client->silent ? UINT64_MAX : session->alarm_ns;
    bool rings = alarm_ns != UINT64_MAX && clock_now_ns() >= alarm_ns;
    struct letter letter;
    if (!next_letter(&session->mailbox, closes || (session->copied && !rings), &letter))
        return false;
    if (letter.kind != LETTER_NONE) {
        open_letter(session, &letter);
    } else if (closes) {
        session->hooks->waits(client->owner);
        close_handle(session);
        go_on(&session->mailbox);
    } else if (rings) {
        session->alarm_ns = UINT64_MAX;
        session->hooks->alarm(client->owner, clock_now_ns() - alarm_ns);
    } else if (session->copied) {
        carry_out(session);
    } else if (!client_deliver_refused(client)) {
        session->hooks->waits(client->owner);
        await_letter(&session->mailbox, alarm_ns);
    }
    return true;
}

static void *live(void *context)
{
    struct thread_session *session = context;
    while (serve_next(session))
        ;
    if (session->handle.zk != NULL)
        close_handle(session);
    return NULL;
}

/* ------------------------------------------------------------------ the operations */

static struct thread_session *of_client(struct client *client)
{
    return (struct thread_session *)client;
}

static void submit(struct client *client, const struct request *request)
{
    struct thread_session *session = of_client(client);
    session->cutting = false;
    if (copy_request(&session->copy, request))
        session->copied = true;
    else
        client_refuse(client, ZK_OTHER_ERROR);
}

static bool cut(struct client *client)
{
    struct thread_session *session = of_client(client);
    session->cutting = socket_owner_stands(session->socket);
    return session->cutting;
}

/* Ends the session: its thread closes the library's handle when the present callback has returned.
 * While the owner of the mailbox is busy, this is another thread, which holds the mailbox's mutex.
 * After a crash the library must not notice the end of its connection: it would reconnect. */
static bool end(struct client *client, bool crashes)
{
    struct thread_session *session = of_client(client);
    if (session->mailbox.busy || !socket_owner_stands(session->socket) ||
        (crashes &&
         !drop_connection_off(session->socket->descriptor, NULL, 0, &session->other_end)))
        return false;
    socket_owner_drop(session->socket);
    session->copied = session->cutting = false;
    client->silent = true;
    restrict_to(&session->mailbox, ACCEPTS_ORDERS);
    return true;
}

static bool crash(struct client *client)
{
    return end(client, true);
}

static bool leave(struct client *client)
{
    return end(client, false);
}

/* The library's threads may close the socket at any time, and the descriptor may become another's.
 * The cookie is never given again: if it is still there, the counters are of this socket. */
static bool bytes(const struct client *client, struct client_bytes *bytes)
{
    const struct socket_owner *owner = ((const struct thread_session *)client)->socket;
    struct client_bytes read = {.connection = owner->cookie};
    if (!socket_info_bytes(owner->descriptor, &read.sent_bytes, &read.received_bytes) ||
        !socket_owner_stands(owner))
        return false;
    *bytes = read;
    return true;
}

static size_t unread(const struct client *client)
{
    const struct socket_owner *owner = ((const struct thread_session *)client)->socket;
    size_t count = socket_info_unread(owner->descriptor);
    return socket_owner_stands(owner) ? count : 0;
}

static const struct client_driver driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = handle_timeout_ms,
    .session_id = handle_session_id,
    .server = handle_server,
};

void thread_session_order(struct client *client, int order)
{
    struct thread_session *session = of_client(client);
    pthread_mutex_lock(&session->mailbox.mutex);
    if (session->mailbox.busy)
        session->hooks->order(client->owner, order);
    else
        put(&session->mailbox, LETTER_ORDER, order, "");
    pthread_mutex_unlock(&session->mailbox.mutex);
}

void thread_session_alarm(struct client *client, uint64_t due_ns)
{
    of_client(client)->alarm_ns = due_ns;
}

/* ------------------------------------------------------------------ all sessions of a process */

enum error_kind thread_sessions_new(size_t capacity, const struct identity *identity,
                                    const struct thread_session_hooks *hooks,
                                    struct thread_sessions **sessions, struct error *error)
{
    struct thread_sessions *made = calloc(1, sizeof *made + capacity * sizeof made->sessions[0]);
    if (made == NULL)
        return error_from_errno(error, ENOMEM, "threads", "for %zu sessions", capacity);
    enum error_kind kind = library_load(LIBRARY_MT, identity, &made->library, error);
    if (kind != ERROR_NONE) {
        free(made);
        return kind;
    }
    made->hooks = *hooks;
    made->sockets = socket_owners_new(capacity);
    made->capacity = capacity;
    *sessions = made;
    return ERROR_NONE;
}

static enum error_kind start(struct thread_session *session, struct error *error)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int os_error = pthread_create(&session->thread, &attributes, live, session);
    pthread_attr_destroy(&attributes);
    if (os_error == 0)
        return ERROR_NONE;
    restrict_to(&session->mailbox, ACCEPTS_NOTHING);
    close_handle(session);
    return error_from_errno(error, os_error, "threads",
                            "the system allows no more threads; a session takes three");
}

static void deinit(struct thread_session *session)
{
    free(session->copy.values);
    pthread_cond_destroy(&session->mailbox.changed);
    pthread_mutex_destroy(&session->mailbox.mutex);
}

enum error_kind thread_sessions_open(struct thread_sessions *sessions, const char *hosts,
                                     uint32_t session_timeout_ms,
                                     const struct client_listener *listener, void *owner,
                                     struct client **client, struct error *error)
{
    assert(sessions->opened < sessions->capacity);
    /* The system gives this memory when it is written. */
    char *values = malloc(2 * HANDLE_VALUE_MAX);
    if (values == NULL)
        return error_from_errno(error, ENOMEM, "session", "for values");
    struct thread_session *session = &sessions->sessions[sessions->opened];
    *session = (struct thread_session){
        .handle.client = {.driver = &driver, .listener = listener, .owner = owner},
        .hooks = &sessions->hooks,
        .socket = &sessions->sockets->all[sessions->opened],
        .other_end = -1,
        .copy.values = values,
        .value = values + HANDLE_VALUE_MAX,
        .alarm_ns = UINT64_MAX,
        .apart = true,
    };
    *client = &session->handle.client;
    pthread_mutex_init(&session->mailbox.mutex, NULL);
    pthread_cond_init(&session->mailbox.changed, NULL);
    socket_owner_begin(session->socket);
    enum error_kind kind = handle_open(&session->handle, &sessions->library, &handle_events, hosts,
                                       session_timeout_ms, error);
    if (kind == ERROR_NONE) {
        socket_owner_find(session->socket);
        kind = start(session, error);
    }
    if (kind == ERROR_NONE)
        sessions->opened++;
    else
        deinit(session);
    return kind;
}

static bool join_until(pthread_t thread, uint64_t until_ns)
{
    const struct timespec step = {.tv_nsec = END_STEP_NS};
    int os_error;
    while ((os_error = pthread_tryjoin_np(thread, NULL)) != 0 && clock_now_ns() < until_ns)
        nanosleep(&step, NULL);
    return os_error == 0;
}

size_t thread_sessions_close(struct thread_sessions *sessions, uint64_t until_ns)
{
    size_t left = 0;
    for (size_t i = 0; i < sessions->opened; i++)
        restrict_to(&sessions->sessions[i].mailbox, ACCEPTS_NOTHING);
    for (size_t i = 0; i < sessions->opened; i++) {
        if (join_until(sessions->sessions[i].thread, until_ns))
            deinit(&sessions->sessions[i]);
        else
            left++;
    }
    sessions->opened = 0;
    return left;
}

void thread_sessions_free(struct thread_sessions *sessions)
{
    if (sessions == NULL)
        return;
    socket_owners_free(sessions->sockets);
    free(sessions);
}
