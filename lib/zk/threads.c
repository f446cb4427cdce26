// SPDX-License-Identifier: Apache-2.0
#include "zk/threads.h"

#include "base/clock.h"
#include "base/condition.h"
#include "zk/connection.h"
#include "zk/cut.h"
#include "zk/library.h"
#include "zk/mailbox.h"
#include "zk/note.h"
#include "zk/synchronous.h"
#include "zk/translate.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Our thread of a session; the library's two have the system's size. */
#define STACK_BYTES ((size_t)256 * 1024)
/* How long a session's socket is looked for; it is there at once, unless nobody listens. */
#define SOCKET_NS      (2 * NS_PER_S)
#define SOCKET_STEP_NS (50 * NS_PER_US)

struct session {
    struct client client; /* first: a client of this driver is a session */
    struct threads *threads;
    const char *hosts; /* of threads_open's caller, who waits */
    uint32_t session_timeout_ms;
    pthread_t thread;
    zhandle_t *zk;
    struct fault fault; /* why it could not be opened */

    /* The session's thread alone. */
    bool cutting;      /* the noted operation's reply is to be lost */
    bool noted;        /* an operation was asked for, and is to be carried out … */
    bool fits;         /* … if its note could be taken; else it is not sent */
    uint64_t alarm_ns; /* 0: none */
    bool apart; /* it knows of no connection: none yet, or it heard of the loss of the last */

    /* The library's socket, or -1. Written under threads->mutex, by the session's thread, which
     * alone may read it without. */
    int descriptor;
    uint64_t cookie;
    int other_end; /* crashed: of what the library takes for its connection; else -1 */

    bool started; /* open, or fault says why not; under threads->mutex */
    struct mailbox mailbox;
    struct note note; /* the session's thread alone */
};

struct threads {
    struct library library;
    struct threads_hooks hooks;
    size_t capacity;
    size_t opened;
    struct session *sessions;
    pthread_mutex_t mutex;
    pthread_cond_t progress; /* a session has started, or ended */
    size_t ended;
};

/* ------------------------------------------------------------------ what the library tells us */

/* On the library's completion thread. The handle's own watcher serves all its watches. A session
 * event would go to every watcher there is, so it must not be taken for a notification. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct session *session = context;
    const struct library *library = &session->threads->library;
    if (type == library->session_event)
        mailbox_post(&session->mailbox, LETTER_STATE, (int)translate_state(library, state), "");
    else
        /* It fits: a path that does not was never sent. */
        mailbox_post(&session->mailbox, LETTER_EVENT, (int)translate_event(library, type), path);
}

/* ------------------------------------------------------------------ the session's socket */

static bool is_anothers(const struct session *session, uint64_t cookie)
{
    const struct threads *threads = session->threads;
    for (size_t i = 0; i < threads->opened; i++) {
        if (&threads->sessions[i] != session && threads->sessions[i].cookie == cookie)
            return true;
    }
    return false;
}

/* The connection stands: its socket is the one that was claimed, or the one that came after it. */
static void confirm_socket(struct session *session)
{
    pthread_mutex_lock(&session->threads->mutex);
    uint64_t cookie = connection_cookie(session->descriptor);
    if (cookie != session->cookie) {
        if (cookie == 0 || is_anothers(session, cookie))
            session->descriptor = -1;
        session->cookie = session->descriptor < 0 ? 0 : cookie;
    }
    pthread_mutex_unlock(&session->threads->mutex);
}

/* Whether the connection stands that was last confirmed. */
static bool knows_socket(const struct session *session)
{
    return session->cookie != 0 && connection_cookie(session->descriptor) == session->cookie;
}

static void claim_socket(struct session *session, const struct connection_search *search)
{
    const struct timespec step = {.tv_nsec = SOCKET_STEP_NS};
    uint64_t until_ns = clock_now_ns() + SOCKET_NS;
    int found;
    while ((found = connection_find(search)) < 0 && clock_now_ns() < until_ns)
        nanosleep(&step, NULL);
    pthread_mutex_lock(&session->threads->mutex);
    session->descriptor = found;
    session->cookie = connection_cookie(found);
    pthread_mutex_unlock(&session->threads->mutex);
}

/* ------------------------------------------------------------------ what comes from elsewhere */

static void open_letter(struct session *session, const struct letter *letter)
{
    struct client *client = &session->client;
    switch (letter->kind) {
    case LETTER_STATE:
        session->apart = letter->value != CLIENT_ESTABLISHED;
        if (!session->apart)
            confirm_socket(session);
        client->listener->state_changed(client->owner, (enum client_state)letter->value);
        break;
    case LETTER_EVENT:
        client->listener->notified(client->owner, (enum client_event)letter->value, letter->path);
        break;
    case LETTER_ORDER:
        session->threads->hooks.order(client->owner, letter->value);
        break;
    }
}

/* The library tells of a connection on a thread of its own, and may do so later than it hands over
 * the answer to what was sent on it. False at the end. */
static bool hear_of_connection(struct session *session)
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

/* On a thread of its own, while the session's waits for the reply: ends the connection when the
 * reply has arrived. Nothing is left to do when the session's thread has come back without. */
static void *cut_reply(void *context)
{
    struct session *session = context;
    const struct timespec step = {.tv_nsec = SOCKET_STEP_NS};
    while (mailbox_is_busy(&session->mailbox)) {
        if (knows_socket(session) && cut_look(session->descriptor) == CUT_REPLY &&
            cut_off(session->descriptor, NULL))
            break;
        nanosleep(&step, NULL);
    }
    return NULL;
}

static int call(struct session *session, struct synchronous_answer *answer)
{
    return synchronous_call(&session->threads->library, session->zk, &session->note.request,
                            answer);
}

static int call_and_cut(struct session *session, struct synchronous_answer *answer)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, cut_reply, session) != 0)
        return ZSYSTEMERROR;
    cut_hold(session->descriptor);
    int code = call(session, answer);
    mailbox_return(&session->mailbox);
    pthread_join(thread, NULL);
    return code;
}

/* What a server has answered, it has answered over a connection that stands. False at the end. */
static bool comes_in_turn(struct session *session, enum zk_status status)
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

/* The request is no longer noted when the listener hears of the reply: it may ask for the next. */
static void carry_out(struct session *session)
{
    struct synchronous_answer answer;
    synchronous_init(&answer);
    int code = ZBADARGUMENTS;
    if (session->fits)
        code = session->cutting ? call_and_cut(session, &answer) : call(session, &answer);
    struct client_reply reply = synchronous_reply(session->note.request.operation, code, &answer);
    session->noted = session->cutting = false;
    if (mailbox_return(&session->mailbox) && comes_in_turn(session, reply.status))
        client_deliver_reply(&session->client, &reply);
    synchronous_deinit(&session->threads->library, &answer);
}

/* ------------------------------------------------------------------ the session's thread */

static void ring(struct session *session)
{
    uint64_t due_ns = session->alarm_ns;
    session->alarm_ns = 0;
    session->threads->hooks.alarm(session->client.owner, clock_now_ns() - due_ns);
}

/* Letters come first, then the alarm, then the request. False at the end. */
static bool serve_next(struct session *session)
{
    bool rings = session->alarm_ns != 0 && clock_now_ns() >= session->alarm_ns;
    struct letter letter;
    switch (mailbox_take(&session->mailbox, session->noted && !rings, &letter)) {
    case MAILBOX_CLOSED:
        return false;
    case MAILBOX_LETTER:
        open_letter(session, &letter);
        return true;
    case MAILBOX_EMPTY:
        break;
    }
    if (rings) {
        ring(session);
    } else if (session->noted) {
        carry_out(session);
    } else {
        session->threads->hooks.waits(session->client.owner);
        mailbox_await(&session->mailbox, session->alarm_ns);
    }
    return true;
}

static void tell_started(struct session *session)
{
    pthread_mutex_lock(&session->threads->mutex);
    session->started = true;
    pthread_cond_signal(&session->threads->progress);
    pthread_mutex_unlock(&session->threads->mutex);
}

static void *live(void *context)
{
    struct session *session = context;
    struct threads *threads = session->threads;
    struct connection_search search;
    connection_look(&search);
    enum fault_kind kind =
        library_open(&threads->library, session->hosts, watcher, session->session_timeout_ms,
                     session, &session->zk, &session->fault);
    if (kind == FAULT_NONE)
        claim_socket(session, &search);
    tell_started(session);
    if (kind == FAULT_NONE) {
        while (serve_next(session))
            ;
        threads->library.close(session->zk);
        if (session->other_end >= 0)
            close(session->other_end);
    }
    pthread_mutex_lock(&threads->mutex);
    threads->ended++;
    pthread_cond_signal(&threads->progress);
    pthread_mutex_unlock(&threads->mutex);
    return NULL;
}

/* ------------------------------------------------------------------ the operations */

static struct session *of_client(struct client *client)
{
    return (struct session *)client;
}

static void submit(struct client *client, const struct client_request *request)
{
    struct session *session = of_client(client);
    session->fits = note_take(&session->note, request);
    session->noted = true;
}

static bool cut(struct client *client)
{
    struct session *session = of_client(client);
    session->cutting = knows_socket(session);
    return session->cutting;
}

/* Its thread ends, and closes the library's handle. */
static void end(struct session *session)
{
    pthread_mutex_lock(&session->threads->mutex);
    session->descriptor = -1;
    session->cookie = 0;
    pthread_mutex_unlock(&session->threads->mutex);
    mailbox_close(&session->mailbox);
}

/* The library believes in its connection until it has been closed: else it would reconnect. */
static bool crash(struct client *client)
{
    struct session *session = of_client(client);
    /* Not the session's thread, if that is busy; the mailbox is locked then. */
    if (session->mailbox.busy || !knows_socket(session) ||
        !cut_off(session->descriptor, &session->other_end))
        return false;
    end(session);
    return true;
}

static bool leave(struct client *client)
{
    struct session *session = of_client(client);
    if (session->mailbox.busy || !knows_socket(session))
        return false;
    end(session);
    return true;
}

static uint64_t now_ns(const struct client *client)
{
    (void)client;
    return clock_now_ns();
}

static bool bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    return connection_bytes(((const struct session *)client)->descriptor, sent_bytes,
                            received_bytes);
}

static size_t unread(const struct client *client)
{
    return connection_unread(((const struct session *)client)->descriptor);
}

static uint32_t timeout_ms(const struct client *client)
{
    const struct session *session = (const struct session *)client;
    return (uint32_t)session->threads->library.recv_timeout(session->zk);
}

static int64_t session_id(const struct client *client)
{
    const struct session *session = (const struct session *)client;
    return session->threads->library.client_id(session->zk)->client_id;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct session *session = (const struct session *)client;
    library_server(&session->threads->library, session->zk, text, size);
}

static const struct client_driver threads_driver = {
    .submit = submit,
    .cut = cut,
    .crash = crash,
    .leave = leave,
    .now_ns = now_ns,
    .bytes = bytes,
    .unread = unread,
    .timeout_ms = timeout_ms,
    .session_id = session_id,
    .server = server,
};

/* ------------------------------------------------------------------ for the sessions' owner */

enum fault_kind threads_new(size_t capacity, const struct threads_hooks *hooks,
                            struct threads **threads, struct fault *fault)
{
    struct library library;
    enum fault_kind kind = library_load(LIBRARY_MT, &library, fault);
    if (kind != FAULT_NONE)
        return kind;
    struct threads *made = calloc(1, sizeof *made);
    struct session *sessions = calloc(capacity, sizeof *sessions);
    if (made == NULL || sessions == NULL) {
        free(made);
        free(sessions);
        return fault_from_errno(fault, ENOMEM, "threads", "for %zu sessions", capacity);
    }
    *made = (struct threads){
        .library = library, .hooks = *hooks, .capacity = capacity, .sessions = sessions};
    pthread_mutex_init(&made->mutex, NULL);
    condition_init(&made->progress);
    *threads = made;
    return FAULT_NONE;
}

/* Waits until the thread has come to its session, or to a fault. */
static enum fault_kind start(struct session *session, struct fault *fault)
{
    struct threads *threads = session->threads;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&session->thread, &attributes, live, session);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        return fault_from_errno(fault, error, "threads",
                                "the system allows no more threads; a session takes three");
    pthread_mutex_lock(&threads->mutex);
    while (!session->started)
        condition_wait(&threads->progress, &threads->mutex, 0);
    pthread_mutex_unlock(&threads->mutex);
    if (session->fault.kind == FAULT_NONE)
        return FAULT_NONE;
    pthread_join(session->thread, NULL);
    threads->ended--;
    *fault = session->fault;
    return fault->kind;
}

static void set_opened(struct threads *threads, size_t opened)
{
    pthread_mutex_lock(&threads->mutex);
    threads->opened = opened;
    pthread_mutex_unlock(&threads->mutex);
}

enum fault_kind threads_open(struct threads *threads, const char *hosts,
                             uint32_t session_timeout_ms, const struct client_listener *listener,
                             void *owner, struct client **client, struct fault *fault)
{
    if (threads->opened == threads->capacity)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "threads", "all %zu sessions are open",
                           threads->capacity);
    struct session *session = &threads->sessions[threads->opened];
    *session = (struct session){
        .client = {.driver = &threads_driver, .listener = listener, .owner = owner},
        .threads = threads,
        .hosts = hosts,
        .session_timeout_ms = session_timeout_ms,
        .apart = true,
        .descriptor = -1,
        .other_end = -1,
    };
    mailbox_init(&session->mailbox);
    *client = &session->client;
    enum fault_kind kind = start(session, fault);
    if (kind == FAULT_NONE)
        set_opened(threads, threads->opened + 1);
    return kind;
}

void threads_order(struct client *client, int order)
{
    struct session *session = of_client(client);
    mailbox_post_or_call(&session->mailbox, LETTER_ORDER, order, session->threads->hooks.order,
                         client->owner);
}

void threads_alarm(struct client *client, uint64_t due_ns)
{
    of_client(client)->alarm_ns = due_ns;
}

/* ------------------------------------------------------------------ the end */

size_t threads_close(struct threads *threads, uint64_t until_ns)
{
    for (size_t i = 0; i < threads->opened; i++)
        mailbox_close(&threads->sessions[i].mailbox);
    pthread_mutex_lock(&threads->mutex);
    while (threads->ended < threads->opened && clock_now_ns() < until_ns)
        condition_wait(&threads->progress, &threads->mutex, until_ns);
    size_t left = threads->opened - threads->ended;
    pthread_mutex_unlock(&threads->mutex);
    if (left > 0)
        return left;
    for (size_t i = 0; i < threads->opened; i++) {
        struct session *session = &threads->sessions[i];
        pthread_join(session->thread, NULL);
        mailbox_deinit(&session->mailbox);
    }
    threads->opened = threads->ended = 0;
    return 0;
}

void threads_free(struct threads *threads)
{
    if (threads == NULL)
        return;
    pthread_cond_destroy(&threads->progress);
    pthread_mutex_destroy(&threads->mutex);
    free(threads->sessions);
    free(threads);
}
