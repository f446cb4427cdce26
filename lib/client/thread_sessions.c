// SPDX-License-Identifier: Apache-2.0
#include "client/thread_sessions.h"

#include "base/clock.h"
#include "client/calls.h"
#include "client/mailbox.h"
#include "client/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES             ((size_t)256 * 1024) /* of the session's own thread */
#define DROP_CONNECTION_STEP_NS (50 * NS_PER_US)     /* between looks for a reply to be cut */

/*
 * One handle of the multi-threaded build. A session with a depth of one makes synchronous calls: a
 * submitted operation is only copied; the thread carries it out when the callback that submitted it
 * has returned. With a greater depth it makes asynchronous calls at once; the library's completion
 * thread waits while the session's thread reads a reply, so that nothing of the reply is copied.
 * Between requests the thread takes the letters of the session's mailbox: watch events and states
 * from the library's completion thread, orders from the owner of the sessions. A third thread waits
 * for a reply that is to be cut, and ends with the request.
 *
 * Invariant: the session's thread alone calls the listener and the hooks, except for an order that
 * comes while it is busy (thread_session_order).
 */

/* What the sessions of a process share. */
struct thread_session_common {
    struct library library;
    struct thread_session_hooks hooks;
    struct socket_owners owners;
};

enum thread_session_phase { THREAD_SESSION_STARTING, THREAD_SESSION_OPEN, THREAD_SESSION_ENDED };

struct thread_session {
    struct client client; /* first: a pointer to it is one to the session */
    struct thread_session_common *common;
    pthread_t thread;
    zhandle_t *zk;

    /* For the session's thread alone. */
    struct socket_owner socket_owner;
    int other_end; /* crashed: the peer of the socket that the library takes for its own; else -1 */
    bool cutting;  /* the reply to the copied operation is to be lost */
    bool copied;   /* an operation is to be carried out */
    struct request_copy copy;
    char *value;       /* room for the data that a get reads */
    uint64_t alarm_ns; /* 0: none */
    bool unanswered;   /* no reply has come to the credentials yet */
    bool apart;        /* it has heard of no connection since it began or lost the last */

    struct async_calls calls; /* of a session with a depth over one, instead of the copy */
    struct mailbox mailbox;

    pthread_mutex_t mutex; /* of the phase */
    pthread_cond_t progress;
    enum thread_session_phase phase;

    /* For the start of the thread. */
    const char *hosts; /* of the caller of thread_session_open, who waits */
    uint32_t session_timeout_ms;
    struct error error; /* why it could not be opened */
};

/* ------------------------------------------------------------------ callbacks of the library */

/* The watcher of the handle, and of all its watches, on the library's completion thread. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct thread_session *session = context;
    const struct library *library = &session->common->library;
    if (type == library->session_event)
        mailbox_post(&session->mailbox, LETTER_STATE, (int)calls_state(library, state), "");
    else
        mailbox_post(&session->mailbox, LETTER_EVENT, (int)calls_event(library, type), path);
}

/* On a thread of the library. */
static void authenticated(int code, const void *context)
{
    struct thread_session *session = calls_context(context);
    mailbox_post(&session->mailbox, LETTER_AUTHENTICATED, code, "");
}

/* With a depth over one, on the library's completion thread. What the reply points to is valid
 * until this returns. */
static void replied(void *owner, struct client_reply *reply)
{
    struct thread_session *session = owner;
    mailbox_hand_over(&session->mailbox, reply);
}

static void open_letter(struct thread_session *session, const struct letter *letter)
{
    struct client *client = &session->client;
    switch (letter->kind) {
    case LETTER_STATE:
        session->apart = letter->value != CLIENT_ESTABLISHED;
        if (!session->apart)
            socket_owner_confirm(&session->socket_owner);
        if (session->apart || !session->unanswered)
            client->listener->state_changed(client->owner, (enum client_state)letter->value);
        break;
    case LETTER_AUTHENTICATED:
        session->unanswered = false;
        if (letter->value == ZOK && !session->apart)
            client->listener->state_changed(client->owner, CLIENT_ESTABLISHED);
        break;
    case LETTER_EVENT:
        client->listener->notified(client->owner, (enum client_event)letter->value, letter->path);
        break;
    case LETTER_ORDER:
        session->common->hooks.order(client->owner, letter->value);
        break;
    case LETTER_REPLY:
        client_deliver_reply(client, letter->reply);
        mailbox_reply_read(&session->mailbox);
        break;
    }
}

/* The library's completion thread may report a connection later than a synchronous call over that
 * connection returns. False if the mailbox is closed. */
static bool hear_of_connection(struct thread_session *session)
{
    struct letter letter;
    while (session->apart) {
        switch (mailbox_take(&session->mailbox, false, &letter)) {
        case MAILBOX_CLOSED:
            return false;
        case MAILBOX_LETTER:
            open_letter(session, &letter);
            break;
        case MAILBOX_EMPTY:
            mailbox_await(&session->mailbox, 0);
            break;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ carrying out a request */

/* On a third thread: ends the connection when the reply has arrived, unless the call of the
 * session's thread returns before. */
static void *cut_reply(void *context)
{
    struct thread_session *session = context;
    const struct timespec step = {.tv_nsec = DROP_CONNECTION_STEP_NS};
    while (mailbox_is_busy(&session->mailbox)) {
        if (socket_owner_stands(&session->socket_owner) &&
            drop_connection_look(session->socket_owner.descriptor) == DROP_CONNECTION_REPLY &&
            drop_connection_off(session->socket_owner.descriptor, NULL, 0, NULL))
            break;
        nanosleep(&step, NULL);
    }
    return NULL;
}

static struct client_reply call(struct thread_session *session, struct sync_calls_answer *answer)
{
    return sync_calls_call(&session->common->library, session->zk, &session->copy.request, answer);
}

static struct client_reply call_and_cut(struct thread_session *session,
                                        struct sync_calls_answer *answer)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, cut_reply, session) != 0)
        return (struct client_reply){.status = ZK_OTHER_ERROR};
    drop_connection_hold(session->socket_owner.descriptor);
    struct client_reply reply = call(session, answer);
    mailbox_return(&session->mailbox);
    pthread_join(thread, NULL);
    return reply;
}

/* A reply of a server comes over a connection that stands. False if the mailbox is closed. */
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
        return hear_of_connection(session);
    }
}

/* The listener may submit the next operation when it hears the reply: the copy must be free. */
static void carry_out(struct thread_session *session)
{
    struct sync_calls_answer answer = {.value = session->value};
    struct client_reply reply =
        session->cutting ? call_and_cut(session, &answer) : call(session, &answer);
    session->copied = false;
    if (mailbox_return(&session->mailbox) && comes_in_turn(session, reply.status))
        client_deliver_reply(&session->client, &reply);
    session->common->library.deallocate_names(&answer.names);
}

/* ------------------------------------------------------------------ the session's thread */

/* Letters come first, then the alarm, then the request. False if the session has ended. */
static bool serve_next(struct thread_session *session)
{
    bool rings = session->alarm_ns != 0 && clock_now_ns() >= session->alarm_ns;
    struct letter letter;
    switch (mailbox_take(&session->mailbox, session->copied && !rings, &letter)) {
    case MAILBOX_CLOSED:
        return false;
    case MAILBOX_LETTER:
        open_letter(session, &letter);
        return !session->client.silent;
    case MAILBOX_EMPTY:
        break;
    }
    if (rings) {
        uint64_t due_ns = session->alarm_ns;
        session->alarm_ns = 0;
        session->common->hooks.alarm(session->client.owner, clock_now_ns() - due_ns);
    } else if (session->copied) {
        carry_out(session);
    } else if (!client_deliver_refused(&session->client)) {
        session->common->hooks.waits(session->client.owner);
        mailbox_await(&session->mailbox, session->alarm_ns);
    }
    return !session->client.silent;
}

/* A session that crashed or left carries out its orders, because other threads wait for that. If it
 * is to close the library's handle, it returns when no order is left, and is busy from then on. */
static void serve_orders(struct thread_session *session, bool closes)
{
    struct letter letter;
    enum mailbox_news news;
    while ((news = mailbox_take(&session->mailbox, closes, &letter)) != MAILBOX_CLOSED) {
        if (news == MAILBOX_LETTER) {
            open_letter(session, &letter);
            continue;
        }
        session->common->hooks.waits(session->client.owner);
        if (closes)
            return;
        mailbox_await(&session->mailbox, 0);
    }
}

static void close_handle(struct thread_session *session)
{
    if (session->other_end >= 0)
        drop_connection_end(session->other_end);
    session->common->library.close(session->zk);
    socket_owner_drop(&session->socket_owner);
    if (session->other_end >= 0)
        close(session->other_end);
}

static void come_to(struct thread_session *session, enum thread_session_phase phase)
{
    pthread_mutex_lock(&session->mutex);
    session->phase = phase;
    pthread_cond_signal(&session->progress);
    pthread_mutex_unlock(&session->mutex);
}

static void *live(void *context)
{
    struct thread_session *session = context;
    const struct library *library = &session->common->library;
    struct socket_info_search search;
    socket_info_look(&search);
    if (library_open(library, session->hosts, watcher, authenticated, session->session_timeout_ms,
                     session, &session->zk, &session->error) == ERROR_NONE) {
        session->calls.zk = session->zk;
        socket_owner_find(&session->socket_owner, &search);
        come_to(session, THREAD_SESSION_OPEN);
        while (serve_next(session))
            ;
        serve_orders(session, true);
        close_handle(session);
        if (mailbox_return(&session->mailbox))
            serve_orders(session, false);
    }
    come_to(session, THREAD_SESSION_ENDED);
    return NULL;
}

/* ------------------------------------------------------------------ the operations */

static struct thread_session *of_client(struct client *client)
{
    return (struct thread_session *)client;
}

/* The library sets its state to expired, and then fails, under a lock, the requests that it has
 * taken. It takes a request under the same lock, and never answers one that it takes later; but
 * then the new state is visible here. A letter has no room for the path of a watch that is longer.
 */
static void submit_at_once(struct thread_session *session, const struct request *request)
{
    bool has_room = request->watch == NO_WATCH || strlen(request->path) < REQUEST_COPY_PATH_MAX;
    int code = has_room ? async_calls_call(&session->calls, request) : ZBADARGUMENTS;
    if (code != ZOK)
        client_refuse(&session->client, client_status_of(code));
    else if (calls_is_gone(&session->common->library, session->zk))
        client_doubt(&session->client, ZK_SESSION_EXPIRED);
}

static void submit(struct client *client, const struct request *request)
{
    struct thread_session *session = of_client(client);
    session->cutting = false;
    if (client->depth > 1)
        submit_at_once(session, request);
    else if (request_copy_take(&session->copy, request))
        session->copied = true;
    else
        client_refuse(client, ZK_OTHER_ERROR);
}

static bool cut(struct client *client)
{
    struct thread_session *session = of_client(client);
    session->cutting = socket_owner_stands(&session->socket_owner);
    return session->cutting;
}

/* The thread closes the library's handle when the present callback has returned. */
static void die(struct thread_session *session)
{
    socket_owner_drop(&session->socket_owner);
    session->copied = session->cutting = false;
    session->client.silent = true;
    mailbox_keep_orders(&session->mailbox);
}

/* The library must not notice the end of its connection: it would reconnect. */
static bool crash(struct client *client)
{
    struct thread_session *session = of_client(client);
    /* While the owner is busy, this is another thread, which holds the mailbox's mutex. */
    if (session->mailbox.busy || !socket_owner_stands(&session->socket_owner) ||
        !drop_connection_off(session->socket_owner.descriptor, NULL, 0, &session->other_end))
        return false;
    die(session);
    return true;
}

static bool leave(struct client *client)
{
    struct thread_session *session = of_client(client);
    if (session->mailbox.busy || !socket_owner_stands(&session->socket_owner))
        return false;
    die(session);
    return true;
}

/* The library's threads may close the socket at any time, and the descriptor may become another
 * socket's. The cookie is never given again: if it is still there, the counters are of this
 * socket. */
static bool bytes(const struct client *client, struct client_bytes *bytes)
{
    const struct thread_session *session = (const struct thread_session *)client;
    struct client_bytes read = {.connection = session->socket_owner.cookie};
    if (!socket_info_bytes(session->socket_owner.descriptor, &read.sent_bytes,
                           &read.received_bytes) ||
        !socket_owner_stands(&session->socket_owner))
        return false;
    *bytes = read;
    return true;
}

static size_t unread(const struct client *client)
{
    const struct thread_session *session = (const struct thread_session *)client;
    size_t count = socket_info_unread(session->socket_owner.descriptor);
    return socket_owner_stands(&session->socket_owner) ? count : 0;
}

static uint32_t timeout_ms(const struct client *client)
{
    const struct thread_session *session = (const struct thread_session *)client;
    return (uint32_t)session->common->library.recv_timeout(session->zk);
}

static int64_t session_id(const struct client *client)
{
    const struct thread_session *session = (const struct thread_session *)client;
    return session->common->library.client_id(session->zk)->client_id;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct thread_session *session = (const struct thread_session *)client;
    library_server(&session->common->library, session->zk, text, size);
}

static const struct client_driver thread_session_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = timeout_ms,
    .session_id = session_id,
    .server = server,
};

/* ------------------------------------------------------------------ beginning and end */

static enum error_kind start(struct thread_session *session, struct error *error)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int os_error = pthread_create(&session->thread, &attributes, live, session);
    pthread_attr_destroy(&attributes);
    if (os_error != 0)
        return error_from_errno(error, os_error, "threads",
                                "the system allows no more threads; a session takes three");
    return ERROR_NONE;
}

/* Waits until the thread has a handle, or an error. */
static enum error_kind await_start(struct thread_session *session, struct error *error)
{
    pthread_mutex_lock(&session->mutex);
    while (session->phase == THREAD_SESSION_STARTING)
        condition_wait(&session->progress, &session->mutex, 0);
    pthread_mutex_unlock(&session->mutex);
    if (session->error.kind == ERROR_NONE)
        return ERROR_NONE;
    pthread_join(session->thread, NULL);
    *error = session->error;
    return error->kind;
}

static void deinit(struct thread_session *session)
{
    free(session->copy.values);
    free(session->value);
    client_deinit(&session->client);
    pthread_cond_destroy(&session->progress);
    pthread_mutex_destroy(&session->mutex);
    mailbox_deinit(&session->mailbox);
}

/* The system gives the memory of the values when it is written. */
static enum error_kind lay_out(struct thread_session *session, uint32_t depth, struct error *error)
{
    enum error_kind kind = client_init(&session->client, depth, error);
    if (kind != ERROR_NONE || depth > 1)
        return kind;
    session->copy.values = malloc(REQUEST_COPY_VALUES_MAX);
    session->value = malloc(SYNC_CALLS_VALUE_MAX);
    if (session->copy.values == NULL || session->value == NULL)
        return error_from_errno(error, ENOMEM, "session", "for values");
    return ERROR_NONE;
}

static enum error_kind open_session(struct thread_session *session,
                                    struct thread_session_common *common, const char *hosts,
                                    uint32_t session_timeout_ms, uint32_t depth,
                                    const struct client_listener *listener, void *owner,
                                    struct error *error)
{
    *session = (struct thread_session){
        .client = {.driver = &thread_session_driver, .listener = listener, .owner = owner},
        .common = common,
        .calls = {.library = &common->library, .replied = replied, .owner = session},
        .hosts = hosts,
        .session_timeout_ms = session_timeout_ms,
        .unanswered = identity_is_known(common->library.identity),
        .apart = true,
        .other_end = -1,
    };
    socket_owner_init(&session->socket_owner, &common->owners);
    mailbox_init(&session->mailbox);
    pthread_mutex_init(&session->mutex, NULL);
    condition_init(&session->progress);
    enum error_kind kind = lay_out(session, depth, error);
    if (kind == ERROR_NONE)
        kind = start(session, error);
    if (kind == ERROR_NONE)
        kind = await_start(session, error);
    if (kind != ERROR_NONE)
        deinit(session);
    return kind;
}

void thread_session_order(struct client *client, int order)
{
    struct thread_session *session = of_client(client);
    mailbox_post_or_call(&session->mailbox, LETTER_ORDER, order, session->common->hooks.order,
                         client->owner);
}

void thread_session_alarm(struct client *client, uint64_t due_ns)
{
    of_client(client)->alarm_ns = due_ns;
}

static bool await_end(struct thread_session *session, uint64_t until_ns)
{
    pthread_mutex_lock(&session->mutex);
    while (session->phase != THREAD_SESSION_ENDED && clock_now_ns() < until_ns)
        condition_wait(&session->progress, &session->mutex, until_ns);
    bool ended = session->phase == THREAD_SESSION_ENDED;
    pthread_mutex_unlock(&session->mutex);
    return ended;
}

/* ------------------------------------------------------------------ all sessions of a process */

struct thread_sessions {
    struct thread_session_common common;
    size_t capacity;
    size_t opened;
    struct thread_session sessions[];
};

enum error_kind thread_sessions_new_with(const struct library *library, size_t capacity,
                                         const struct thread_session_hooks *hooks,
                                         struct thread_sessions **sessions, struct error *error)
{
    struct thread_sessions *made = calloc(1, sizeof *made + capacity * sizeof made->sessions[0]);
    if (made == NULL)
        return error_from_errno(error, ENOMEM, "threads", "for %zu sessions", capacity);
    made->common = (struct thread_session_common){.library = *library, .hooks = *hooks};
    made->capacity = capacity;
    socket_owners_init(&made->common.owners);
    *sessions = made;
    return ERROR_NONE;
}

enum error_kind thread_sessions_new(size_t capacity, const struct identity *identity,
                                    const struct thread_session_hooks *hooks,
                                    struct thread_sessions **sessions, struct error *error)
{
    struct library library;
    enum error_kind kind = library_load(LIBRARY_MT, &library, error);
    if (kind != ERROR_NONE)
        return kind;
    library_identify(&library, identity);
    return thread_sessions_new_with(&library, capacity, hooks, sessions, error);
}

enum error_kind thread_sessions_open(struct thread_sessions *sessions, const char *hosts,
                                     uint32_t session_timeout_ms, uint32_t depth,
                                     const struct client_listener *listener, void *owner,
                                     struct client **client, struct error *error)
{
    if (sessions->opened == sessions->capacity)
        return error_raise(error, ERROR_NO_MEMORY, 0, "threads", "all %zu sessions are open",
                           sessions->capacity);
    struct thread_session *session = &sessions->sessions[sessions->opened];
    *client = &session->client;
    enum error_kind kind = open_session(session, &sessions->common, hosts, session_timeout_ms,
                                        depth, listener, owner, error);
    if (kind == ERROR_NONE)
        sessions->opened++;
    return kind;
}

size_t thread_sessions_close(struct thread_sessions *sessions, uint64_t until_ns)
{
    size_t left = 0;
    for (size_t i = 0; i < sessions->opened; i++)
        mailbox_close(&sessions->sessions[i].mailbox);
    for (size_t i = 0; i < sessions->opened; i++)
        left += !await_end(&sessions->sessions[i], until_ns);
    if (left > 0)
        return left;
    for (size_t i = 0; i < sessions->opened; i++) {
        pthread_join(sessions->sessions[i].thread, NULL);
        deinit(&sessions->sessions[i]);
    }
    sessions->opened = 0;
    return 0;
}

void thread_sessions_free(struct thread_sessions *sessions)
{
    if (sessions == NULL)
        return;
    socket_owners_deinit(&sessions->common.owners);
    free(sessions);
}
