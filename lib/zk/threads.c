// SPDX-License-Identifier: Apache-2.0
#include "zk/threads.h"

#include "base/clock.h"
#include "zk/connection.h"
#include "zk/library.h"
#include "zk/note.h"
#include "zk/translate.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LETTERS_MAX 8
/* Our thread of a session; the library's two have the system's size. */
#define STACK_BYTES ((size_t)256 * 1024)
/* How long a session's socket is looked for; it is there at once, unless nobody listens. */
#define SOCKET_NS      (2 * NS_PER_S)
#define SOCKET_STEP_NS (50 * NS_PER_US)

enum letter_kind { LETTER_STATE, LETTER_EVENT, LETTER_ORDER };

/* What lies in a mailbox. */
struct letter {
    enum letter_kind kind;
    int value; /* enum client_state, enum client_event, or the order */
    char path[NOTE_PATH_MAX];
};

struct session {
    struct client client; /* first: a client of this driver is a session */
    struct threads *threads;
    const char *hosts; /* of threads_open's caller, who waits */
    uint32_t session_timeout_ms;
    pthread_t thread;
    zhandle_t *zk;
    struct fault fault; /* why it could not be opened */

    /* The session's thread alone. */
    bool noted;        /* an operation was asked for, and is to be carried out … */
    bool fits;         /* … if its note could be taken; else it is not sent */
    uint64_t alarm_ns; /* 0: none */

    /* The library's socket, or -1. Written under threads->mutex, by the session's thread, which
     * alone may read it without. */
    int descriptor;
    uint64_t cookie;

    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool started; /* open, or fault says why not */
    bool calling; /* inside a request */
    bool closing;
    size_t first, count;
    struct letter letters[LETTERS_MAX];

    /* The session's thread alone. */
    struct note note;
    char value[THREADS_VALUE_MAX];
};

struct threads {
    struct library library;
    struct threads_hooks hooks;
    size_t capacity;
    size_t opened;
    struct session *sessions;
    pthread_mutex_t mutex;
    pthread_cond_t session_ended;
    size_t ended;
};

/* ------------------------------------------------------------------ conditions with a deadline */

static void condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* until_ns of the monotonic clock; 0: without end. */
static void condition_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t until_ns)
{
    if (until_ns == 0) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                             .tv_nsec = (long)(until_ns % NS_PER_S)};
    pthread_cond_timedwait(condition, mutex, &until);
}

/* ------------------------------------------------------------------ the mailbox */

/* With the mutex held; waits for room. */
static void put(struct session *session, enum letter_kind kind, int value, const char *path)
{
    while (session->count == LETTERS_MAX && !session->closing)
        condition_wait(&session->changed, &session->mutex, 0);
    if (!session->closing) {
        struct letter *letter = &session->letters[(session->first + session->count) % LETTERS_MAX];
        letter->kind = kind;
        letter->value = value;
        /* It fits: a path that does not was never sent. */
        memccpy(letter->path, path, '\0', sizeof letter->path);
        session->count++;
        pthread_cond_broadcast(&session->changed);
    }
}

static void post(struct session *session, enum letter_kind kind, int value, const char *path)
{
    pthread_mutex_lock(&session->mutex);
    put(session, kind, value, path);
    pthread_mutex_unlock(&session->mutex);
}

enum outcome { GOT_LETTER, GOT_ALARM, GOT_NOTHING, GOT_END };

/* Takes what is next, with the mutex held; nothing waits here. */
static enum outcome take(struct session *session, struct letter *letter)
{
    if (session->closing)
        return GOT_END;
    if (session->count > 0) {
        *letter = session->letters[session->first];
        session->first = (session->first + 1) % LETTERS_MAX;
        session->count--;
        if (session->count == LETTERS_MAX - 1)
            pthread_cond_broadcast(&session->changed);
        return GOT_LETTER;
    }
    if (session->alarm_ns != 0 && clock_now_ns() >= session->alarm_ns)
        return GOT_ALARM;
    return GOT_NOTHING;
}

/* What is there to do besides the noted request, if there is one. With a request, GOT_NOTHING means
 * that the session is now inside it. */
static enum outcome next(struct session *session, struct letter *letter)
{
    pthread_mutex_lock(&session->mutex);
    enum outcome outcome = take(session, letter);
    if (outcome == GOT_NOTHING && session->noted)
        session->calling = true;
    pthread_mutex_unlock(&session->mutex);
    return outcome;
}

static void await_change(struct session *session)
{
    pthread_mutex_lock(&session->mutex);
    while (session->count == 0 && !session->closing &&
           (session->alarm_ns == 0 || clock_now_ns() < session->alarm_ns))
        condition_wait(&session->changed, &session->mutex, session->alarm_ns);
    pthread_mutex_unlock(&session->mutex);
}

/* On the library's completion thread. The handle's own watcher serves all its watches. A session
 * event would go to every watcher there is, so it must not be taken for a notification. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct session *session = context;
    const struct library *library = &session->threads->library;
    if (type == library->session_event)
        post(session, LETTER_STATE, (int)translate_state(library, state), "");
    else
        post(session, LETTER_EVENT, (int)translate_event(library, type), path);
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

/* ------------------------------------------------------------------ carrying out a request */

/* What a synchronous call fills in; it lives until the reply has been delivered. */
struct answer {
    char created[NOTE_PATH_MAX];
    struct Stat stat;
    struct String_vector names;
    int value_length;
};

static int call_multi(struct session *session)
{
    const struct library *library = &session->threads->library;
    const struct client_request *request = &session->note.request;
    zoo_op_t ops[CLIENT_PARTS_MAX];
    zoo_op_result_t results[CLIENT_PARTS_MAX];
    translate_parts(library, request, ops);
    return library->multi(session->zk, (int)request->part_count, ops, results);
}

static int call(struct session *session, struct answer *answer)
{
    const struct library *library = &session->threads->library;
    const struct client_request *request = &session->note.request;
    zhandle_t *zk = session->zk;
    const char *path = request->path;
    int watch = request->watch == WATCH, length = (int)request->value_length;
    switch (request->operation) {
    case CLIENT_CREATE:
        return library->create(zk, path, translate_value(request), length, library->open_acl,
                               translate_mode(request->mode), answer->created,
                               sizeof answer->created);
    case CLIENT_EXISTS:
        return library->exists(zk, path, watch, &answer->stat);
    case CLIENT_GET:
        answer->value_length = sizeof session->value;
        return library->get(zk, path, watch, session->value, &answer->value_length, &answer->stat);
    case CLIENT_GET_CHILDREN:
        return library->get_children(zk, path, watch, &answer->names);
    case CLIENT_SET:
        return library->set(zk, path, translate_value(request), length, request->version,
                            &answer->stat);
    case CLIENT_DELETE:
        return library->remove(zk, path, request->version);
    case CLIENT_MULTI:
        return call_multi(session);
    case CLIENT_CHECK:
        break;
    }
    return ZBADARGUMENTS;
}

static struct client_reply reply_of(const struct session *session, int code,
                                    const struct answer *answer)
{
    switch (session->note.request.operation) {
    case CLIENT_GET:
        return translate_data(code, session->value, answer->value_length, &answer->stat);
    case CLIENT_GET_CHILDREN:
        return translate_names(code, &answer->names);
    case CLIENT_CREATE:
        return translate_created(code, answer->created);
    case CLIENT_EXISTS:
    case CLIENT_SET:
        return translate_stat(code, &answer->stat);
    case CLIENT_DELETE:
    case CLIENT_MULTI:
    case CLIENT_CHECK:
        break;
    }
    return (struct client_reply){.status = translate_status(code)};
}

/* The request is no longer noted when the listener hears of the reply: it may ask for the next. */
static void carry_out(struct session *session)
{
    struct answer answer = {0};
    int code = session->fits ? call(session, &answer) : ZBADARGUMENTS;
    struct client_reply reply = reply_of(session, code, &answer);
    session->noted = false;
    pthread_mutex_lock(&session->mutex);
    session->calling = false;
    bool closing = session->closing;
    pthread_mutex_unlock(&session->mutex);
    if (!closing)
        client_deliver_reply(&session->client, &reply);
    if (code == ZOK)
        session->threads->library.deallocate_names(&answer.names);
}

/* ------------------------------------------------------------------ the session's thread */

static void open_letter(struct session *session, const struct letter *letter)
{
    struct client *client = &session->client;
    switch (letter->kind) {
    case LETTER_STATE:
        if (letter->value == CLIENT_ESTABLISHED)
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

static void ring(struct session *session)
{
    uint64_t due_ns = session->alarm_ns;
    session->alarm_ns = 0;
    session->threads->hooks.alarm(session->client.owner, clock_now_ns() - due_ns);
}

static void serve(struct session *session)
{
    for (;;) {
        struct letter letter;
        switch (next(session, &letter)) {
        case GOT_LETTER:
            open_letter(session, &letter);
            break;
        case GOT_ALARM:
            ring(session);
            break;
        case GOT_NOTHING:
            if (session->noted) {
                carry_out(session);
                break;
            }
            session->threads->hooks.waits(session->client.owner);
            await_change(session);
            break;
        case GOT_END:
            return;
        }
    }
}

static void tell_started(struct session *session)
{
    pthread_mutex_lock(&session->mutex);
    session->started = true;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->mutex);
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
        serve(session);
        threads->library.close(session->zk);
    }
    pthread_mutex_lock(&threads->mutex);
    threads->ended++;
    pthread_cond_signal(&threads->session_ended);
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
    .now_ns = now_ns,
    .bytes = bytes,
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
    condition_init(&made->session_ended);
    *threads = made;
    return FAULT_NONE;
}

/* Waits until the thread has come to its session, or to a fault. */
static enum fault_kind start(struct session *session, struct fault *fault)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&session->thread, &attributes, live, session);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        return fault_from_errno(fault, error, "threads",
                                "the system allows no more threads; a session takes three");
    pthread_mutex_lock(&session->mutex);
    while (!session->started)
        condition_wait(&session->changed, &session->mutex, 0);
    pthread_mutex_unlock(&session->mutex);
    if (session->fault.kind == FAULT_NONE)
        return FAULT_NONE;
    pthread_join(session->thread, NULL);
    session->threads->ended--;
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
        .descriptor = -1,
    };
    pthread_mutex_init(&session->mutex, NULL);
    condition_init(&session->changed);
    *client = &session->client;
    enum fault_kind kind = start(session, fault);
    if (kind == FAULT_NONE)
        set_opened(threads, threads->opened + 1);
    return kind;
}

void threads_order(struct client *client, int order)
{
    struct session *session = of_client(client);
    pthread_mutex_lock(&session->mutex);
    if (session->calling)
        session->threads->hooks.order(client->owner, order);
    else
        put(session, LETTER_ORDER, order, "");
    pthread_mutex_unlock(&session->mutex);
}

void threads_alarm(struct client *client, uint64_t due_ns)
{
    of_client(client)->alarm_ns = due_ns;
}

/* ------------------------------------------------------------------ the end */

static void begin_close(struct session *session)
{
    pthread_mutex_lock(&session->mutex);
    session->closing = true;
    pthread_cond_broadcast(&session->changed);
    pthread_mutex_unlock(&session->mutex);
}

size_t threads_close(struct threads *threads, uint64_t until_ns)
{
    for (size_t i = 0; i < threads->opened; i++)
        begin_close(&threads->sessions[i]);
    pthread_mutex_lock(&threads->mutex);
    while (threads->ended < threads->opened && clock_now_ns() < until_ns)
        condition_wait(&threads->session_ended, &threads->mutex, until_ns);
    size_t left = threads->opened - threads->ended;
    pthread_mutex_unlock(&threads->mutex);
    if (left > 0)
        return left;
    for (size_t i = 0; i < threads->opened; i++) {
        struct session *session = &threads->sessions[i];
        pthread_join(session->thread, NULL);
        pthread_cond_destroy(&session->changed);
        pthread_mutex_destroy(&session->mutex);
    }
    threads->opened = threads->ended = 0;
    return 0;
}

void threads_free(struct threads *threads)
{
    if (threads == NULL)
        return;
    pthread_cond_destroy(&threads->session_ended);
    pthread_mutex_destroy(&threads->mutex);
    free(threads->sessions);
    free(threads);
}
