// SPDX-License-Identifier: Apache-2.0
/* A session on a thread with a library that is not there: what other threads send it, in
 * which order, and what it does inside a request. */

#include "client/library.h"
#include "client/thread_sessions.h"
#include "tests/support/ask.h"
#include "tests/support/ignore.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DELETED = 2, CONNECTED = 3, SESSION = 5, LETTERS = 8 };

/* Orders, what the session does when it is given one: others it only records. */
enum { ASK = 100, ASK_MULTI, ASK_TOO_MUCH, CRASH };

static struct thread_sessions *sessions;
static struct client *client;
static void *context; /* of the handle's watcher */
static watcher_fn watcher;
static int library_socket;
static sem_t begun, released; /* a call of the library */
static atomic_uint posted;

/* What happened, in its order, as words. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char happened[512];

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&mutex);
    size_t length = strlen(happened);
    vsnprintf(happened + length, sizeof happened - length, format, arguments);
    pthread_mutex_unlock(&mutex);
    va_end(arguments);
}

/* Waits until this has happened, and nothing else. */
static void await(const char *words)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    bool holds = false;
    while (!holds && clock_now_ns() < until_ns) {
        pthread_mutex_lock(&mutex);
        holds = strcmp(happened, words) == 0;
        pthread_mutex_unlock(&mutex);
        if (!holds)
            pause_ms(1);
    }
    assert_string_equal(happened, words);
}

/* ------------------------------------------------------------------ the library */

static zhandle_t *init(const char *hosts, watcher_fn given, int timeout, const clientid_t *id,
                       void *handle, int flags)
{
    (void)hosts, (void)timeout, (void)id, (void)flags;
    watcher = given;
    context = handle;
    library_socket = socket(AF_INET, SOCK_STREAM, 0);
    return handle;
}

static int delay(zhandle_t *zk, int seconds)
{
    return zk == NULL ? 0 : seconds;
}

static void call(void)
{
    sem_post(&begun);
    sem_wait(&released);
}

static int close_handle(zhandle_t *zk)
{
    (void)zk;
    call();
    return close(library_socket);
}

static int state_of(zhandle_t *zk)
{
    (void)zk;
    return CONNECTED;
}

static int exists(zhandle_t *zk, const char *path, int watch, struct Stat *stat)
{
    (void)zk, (void)path, (void)watch, (void)stat;
    call();
    return ZOK;
}

static void set_part(zoo_op_t *op, const char *path, const char *value, int length, int version,
                     struct Stat *stat)
{
    (void)op, (void)stat;
    note("%s=%.*s,%d ", path, length, value, version);
}

static int multi(zhandle_t *zk, int count, const zoo_op_t *ops, zoo_op_result_t *results)
{
    (void)zk, (void)ops, (void)results;
    note("multi%d ", count);
    return ZOK;
}

static int forget_names(struct String_vector *names)
{
    return names->count;
}

static const struct library library = {.init = init,
                                       .set_servers_resolution_delay = delay,
                                       .close = close_handle,
                                       .state = state_of,
                                       .exists = exists,
                                       .set_op_init = set_part,
                                       .multi = multi,
                                       .deallocate_names = forget_names,
                                       .session_event = SESSION,
                                       .connected_state = CONNECTED};

LOAD_INSTEAD(library)

static void connected(void)
{
    watcher(NULL, SESSION, CONNECTED, "", context);
}

static void *fire(void *count)
{
    for (int i = 0; i < *(int *)count; i++) {
        char path[16];
        snprintf(path, sizeof path, "/%d", i);
        watcher(NULL, DELETED, 0, path, context);
        atomic_fetch_add(&posted, 1);
    }
    return NULL;
}

/* ------------------------------------------------------------------ the session */

static void state_changed(void *owner, enum client_state state)
{
    (void)owner;
    note("state%d ", (int)state);
}

static void replied(void *owner, const struct client_reply *reply)
{
    (void)owner;
    note("reply%d ", (int)reply->status);
}

static void notified(void *owner, enum client_event event, const char *path)
{
    (void)owner, (void)event;
    note("%s ", path);
}

static void ask_multi(void)
{
    char value[] = "one", other[] = "twelve";
    const struct request parts[] = {request_set("/a", value, 3, 1), request_set("/b", other, 6, 2)};
    ask(client, request_multi(parts, 2));
    memset(value, 'x', sizeof value);
    memset(other, 'x', sizeof other);
}

static void ask_too_much(void)
{
    char path[HANDLE_PATH_MAX + 1];
    memset(path, 'p', sizeof path);
    path[HANDLE_PATH_MAX] = '\0';
    ask(client, request_read(OP_EXISTS, path, NO_WATCH));
}

static void order(void *owner, int order)
{
    (void)owner;
    if (order == ASK)
        ask(client, request_read(OP_EXISTS, "/", NO_WATCH));
    else if (order == ASK_MULTI)
        ask_multi();
    else if (order == ASK_TOO_MUCH)
        ask_too_much();
    else if (order == CRASH)
        note("crash%d ", client_crash(client));
    else
        note("order%d ", order);
}

static void alarm_rings(void *owner, uint64_t late_ns)
{
    (void)owner, (void)late_ns;
}

static void waits(void *owner)
{
    (void)owner;
}

FIXTURE(set_up)
{
    static const struct client_listener listener = {state_changed, ignore_sent, replied, notified};
    static const struct thread_session_hooks hooks = {order, alarm_rings, waits};
    struct error error;
    happened[0] = '\0';
    atomic_store(&posted, 0);
    sem_init(&begun, 0, 0);
    sem_init(&released, 0, 0);
    assert_int_equal(thread_sessions_new(1, NULL, &hooks, &sessions, &error), ERROR_NONE);
    assert_int_equal(thread_sessions_open(sessions, "h", 1000, &listener, NULL, &client, &error),
                     ERROR_NONE);
    return 0;
}

FIXTURE(tear_down)
{
    sem_post(&released);
    assert_int_equal(thread_sessions_close(sessions, clock_now_ns() + PATIENCE_NS), 0);
    thread_sessions_free(sessions);
    return 0;
}

#define THREAD_TEST(test) TEST_BETWEEN(test, set_up, tear_down)

/* The places of the mailbox are used several times over. */
THREAD_TEST(letters_come_in_their_order)
{
    char words[512] = "";
    for (int i = 0; i < 3 * LETTERS; i++) {
        thread_session_order(client, i);
        watcher(NULL, DELETED, 0, "/a/b", context);
        snprintf(words + strlen(words), sizeof words - strlen(words), "order%d /a/b ", i);
    }
    await(words);
}

/* The library reports a connection on another thread than that of the call over it. */
THREAD_TEST(a_reply_waits_for_the_report_of_its_connection)
{
    thread_session_order(client, ASK);
    sem_wait(&begun);
    sem_post(&released);
    pause_ms(20); /* in which a reply that did not wait would come */
    await("");
    connected();
    await("state1 reply0 ");
}

THREAD_TEST(a_busy_session_carries_out_orders_at_once_and_letters_wait_for_room)
{
    pthread_t thread;
    int count = LETTERS + 1;
    connected();
    thread_session_order(client, ASK);
    sem_wait(&begun);
    thread_session_order(client, 7);
    assert_string_equal(happened, "state1 order7 ");
    assert_int_equal(pthread_create(&thread, NULL, fire, &count), 0);
    while (atomic_load(&posted) < LETTERS)
        pause_ms(1);
    pause_ms(20); /* in which a letter that did not wait for room would be posted */
    assert_int_equal(atomic_load(&posted), LETTERS);
    sem_post(&released);
    await("state1 order7 reply0 /0 /1 /2 /3 /4 /5 /6 /7 /8 ");
    pthread_join(thread, NULL);
}

THREAD_TEST(a_request_is_copied)
{
    connected();
    thread_session_order(client, ASK_MULTI);
    await("state1 /a=one,1 /b=twelve,2 multi2 reply0 ");
    happened[0] = '\0';
    thread_session_order(client, ASK_TOO_MUCH);
    await("reply9 ");
}

/* The library, which ends its threads, must not wait for room in the mailbox. */
THREAD_TEST(a_session_that_crashed_takes_orders_alone)
{
    int count = 2 * LETTERS;
    thread_session_order(client, CRASH);
    sem_wait(&begun);
    fire(&count);
    thread_session_order(client, 1);
    assert_string_equal(happened, "crash1 order1 ");
    sem_post(&released);
    thread_session_order(client, 2);
    await("crash1 order1 order2 ");
    fire(&count);
    thread_session_order(client, CRASH);
    await("crash1 order1 order2 crash0 ");
}

/* It stays blocked in the library. */
TEST_BETWEEN(a_session_that_does_not_end_is_counted, set_up, NULL)
{
    thread_session_order(client, ASK);
    sem_wait(&begun);
    assert_int_equal(thread_sessions_close(sessions, clock_now_ns()), 1);
}
