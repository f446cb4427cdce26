// SPDX-License-Identifier: Apache-2.0
#include "zk/solo.h"

#include "base/clock.h"
#include "base/condition.h"
#include "zk/connection.h"
#include "zk/cut.h"
#include "zk/synchronous.h"
#include "zk/translate.h"

#include <time.h>
#include <unistd.h>

/* Our thread of a session; the library's two have the system's size. */
#define STACK_BYTES ((size_t)256 * 1024)
/* How often a reply that is to be cut is looked for. */
#define CUT_STEP_NS (50 * NS_PER_US)

/* ------------------------------------------------------------------ what the library tells us */

/* On the library's completion thread. The handle's own watcher serves all its watches. A session
 * event would go to every watcher there is, so it must not be taken for a notification. */
static void watcher(zhandle_t *zk, int type, int state, const char *path, void *context)
{
    (void)zk;
    struct solo *solo = context;
    const struct library *library = &solo->common->library;
    if (type == library->session_event)
        mailbox_post(&solo->mailbox, LETTER_STATE, (int)translate_state(library, state), "");
    else
        /* It fits: a path that does not was never sent. */
        mailbox_post(&solo->mailbox, LETTER_EVENT, (int)translate_event(library, type), path);
}

/* ------------------------------------------------------------------ what comes from elsewhere */

static void open_letter(struct solo *solo, const struct letter *letter)
{
    struct client *client = &solo->client;
    switch (letter->kind) {
    case LETTER_STATE:
        solo->apart = letter->value != CLIENT_ESTABLISHED;
        if (!solo->apart)
            claim_confirm(&solo->claim);
        client->listener->state_changed(client->owner, (enum client_state)letter->value);
        break;
    case LETTER_EVENT:
        client->listener->notified(client->owner, (enum client_event)letter->value, letter->path);
        break;
    case LETTER_ORDER:
        solo->common->hooks.order(client->owner, letter->value);
        break;
    }
}

/* The library tells of a connection on a thread of its own, and may do so later than it hands over
 * the answer to what was sent on it. False at the end. */
static bool hear_of_connection(struct solo *solo)
{
    struct letter letter;
    while (solo->apart) {
        switch (mailbox_take(&solo->mailbox, false, &letter)) {
        case MAILBOX_CLOSED:
            return false;
        case MAILBOX_LETTER:
            open_letter(solo, &letter);
            break;
        case MAILBOX_EMPTY:
            mailbox_await(&solo->mailbox, 0);
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
    struct solo *solo = context;
    const struct timespec step = {.tv_nsec = CUT_STEP_NS};
    while (mailbox_is_busy(&solo->mailbox)) {
        if (claim_stands(&solo->claim) && cut_look(solo->claim.descriptor) == CUT_REPLY &&
            cut_off(solo->claim.descriptor, NULL))
            break;
        nanosleep(&step, NULL);
    }
    return NULL;
}

static int call(struct solo *solo, struct synchronous_answer *answer)
{
    return synchronous_call(&solo->common->library, solo->zk, &solo->note.request, answer);
}

static int call_and_cut(struct solo *solo, struct synchronous_answer *answer)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, cut_reply, solo) != 0)
        return ZSYSTEMERROR;
    cut_hold(solo->claim.descriptor);
    int code = call(solo, answer);
    mailbox_return(&solo->mailbox);
    pthread_join(thread, NULL);
    return code;
}

/* What a server has answered, it has answered over a connection that stands. False at the end. */
static bool comes_in_turn(struct solo *solo, enum zk_status status)
{
    switch (status) {
    case ZK_CONNECTION_LOSS:
        solo->apart = true;
        return true;
    case ZK_SESSION_EXPIRED:
    case ZK_OTHER_ERROR:
        return true;
    default:
        return hear_of_connection(solo);
    }
}

/* The request is no longer noted when the listener hears of the reply: it may ask for the next. */
static void carry_out(struct solo *solo)
{
    struct synchronous_answer answer;
    synchronous_init(&answer);
    int code = ZBADARGUMENTS;
    if (solo->fits)
        code = solo->cutting ? call_and_cut(solo, &answer) : call(solo, &answer);
    struct client_reply reply = synchronous_reply(solo->note.request.operation, code, &answer);
    solo->noted = solo->cutting = false;
    if (mailbox_return(&solo->mailbox) && comes_in_turn(solo, reply.status))
        client_deliver_reply(&solo->client, &reply);
    synchronous_deinit(&solo->common->library, &answer);
}

/* ------------------------------------------------------------------ the session's thread */

static void ring(struct solo *solo)
{
    uint64_t due_ns = solo->alarm_ns;
    solo->alarm_ns = 0;
    solo->common->hooks.alarm(solo->client.owner, clock_now_ns() - due_ns);
}

/* Letters come first, then the alarm, then the request. False at the end. */
static bool serve_next(struct solo *solo)
{
    bool rings = solo->alarm_ns != 0 && clock_now_ns() >= solo->alarm_ns;
    struct letter letter;
    switch (mailbox_take(&solo->mailbox, solo->noted && !rings, &letter)) {
    case MAILBOX_CLOSED:
        return false;
    case MAILBOX_LETTER:
        open_letter(solo, &letter);
        return true;
    case MAILBOX_EMPTY:
        break;
    }
    if (rings) {
        ring(solo);
    } else if (solo->noted) {
        carry_out(solo);
    } else {
        solo->common->hooks.waits(solo->client.owner);
        mailbox_await(&solo->mailbox, solo->alarm_ns);
    }
    return true;
}

static void come_to(struct solo *solo, enum solo_stage stage)
{
    pthread_mutex_lock(&solo->mutex);
    solo->stage = stage;
    pthread_cond_signal(&solo->progress);
    pthread_mutex_unlock(&solo->mutex);
}

static void *live(void *context)
{
    struct solo *solo = context;
    const struct library *library = &solo->common->library;
    struct connection_search search;
    connection_look(&search);
    if (library_open(library, solo->hosts, watcher, solo->session_timeout_ms, solo, &solo->zk,
                     &solo->fault) == FAULT_NONE) {
        claim_find(&solo->claim, &search);
        come_to(solo, SOLO_OPEN);
        while (serve_next(solo))
            ;
        library->close(solo->zk);
        claim_drop(&solo->claim);
        if (solo->other_end >= 0)
            close(solo->other_end);
    }
    come_to(solo, SOLO_ENDED);
    return NULL;
}

/* ------------------------------------------------------------------ the operations */

static struct solo *of_client(struct client *client)
{
    return (struct solo *)client;
}

static void submit(struct client *client, const struct client_request *request)
{
    struct solo *solo = of_client(client);
    solo->fits = note_take(&solo->note, request);
    solo->noted = true;
}

static bool cut(struct client *client)
{
    struct solo *solo = of_client(client);
    solo->cutting = claim_stands(&solo->claim);
    return solo->cutting;
}

/* Its thread ends, and closes the library's handle. */
static void end(struct solo *solo)
{
    claim_drop(&solo->claim);
    solo_end(solo);
}

/* The library believes in its connection until it has been closed: else it would reconnect. */
static bool crash(struct client *client)
{
    struct solo *solo = of_client(client);
    /* Not the session's thread, if that is busy; the mailbox is locked then. */
    if (solo->mailbox.busy || !claim_stands(&solo->claim) ||
        !cut_off(solo->claim.descriptor, &solo->other_end))
        return false;
    end(solo);
    return true;
}

static bool leave(struct client *client)
{
    struct solo *solo = of_client(client);
    if (solo->mailbox.busy || !claim_stands(&solo->claim))
        return false;
    end(solo);
    return true;
}

static uint64_t now_ns(const struct client *client)
{
    (void)client;
    return clock_now_ns();
}

static bool bytes(const struct client *client, uint64_t *sent_bytes, uint64_t *received_bytes)
{
    return connection_bytes(((const struct solo *)client)->claim.descriptor, sent_bytes,
                            received_bytes);
}

static size_t unread(const struct client *client)
{
    return connection_unread(((const struct solo *)client)->claim.descriptor);
}

static uint32_t timeout_ms(const struct client *client)
{
    const struct solo *solo = (const struct solo *)client;
    return (uint32_t)solo->common->library.recv_timeout(solo->zk);
}

static int64_t session_id(const struct client *client)
{
    const struct solo *solo = (const struct solo *)client;
    return solo->common->library.client_id(solo->zk)->client_id;
}

static void server(const struct client *client, char *text, size_t size)
{
    const struct solo *solo = (const struct solo *)client;
    library_server(&solo->common->library, solo->zk, text, size);
}

static const struct client_driver solo_driver = {
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

/* ------------------------------------------------------------------ beginning and end */

static enum fault_kind start(struct solo *solo, struct fault *fault)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    int error = pthread_create(&solo->thread, &attributes, live, solo);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        return fault_from_errno(fault, error, "threads",
                                "the system allows no more threads; a session takes three");
    return FAULT_NONE;
}

/* Waits until the thread has come to its session, or to a fault. */
static enum fault_kind await_start(struct solo *solo, struct fault *fault)
{
    pthread_mutex_lock(&solo->mutex);
    while (solo->stage == SOLO_STARTING)
        condition_wait(&solo->progress, &solo->mutex, 0);
    pthread_mutex_unlock(&solo->mutex);
    if (solo->fault.kind == FAULT_NONE)
        return FAULT_NONE;
    pthread_join(solo->thread, NULL);
    *fault = solo->fault;
    return fault->kind;
}

static void deinit(struct solo *solo)
{
    pthread_cond_destroy(&solo->progress);
    pthread_mutex_destroy(&solo->mutex);
    mailbox_deinit(&solo->mailbox);
}

enum fault_kind solo_open(struct solo *solo, struct solo_common *common, const char *hosts,
                          uint32_t session_timeout_ms, const struct client_listener *listener,
                          void *owner, struct fault *fault)
{
    *solo = (struct solo){
        .client = {.driver = &solo_driver, .listener = listener, .owner = owner},
        .common = common,
        .hosts = hosts,
        .session_timeout_ms = session_timeout_ms,
        .apart = true,
        .other_end = -1,
    };
    claim_init(&solo->claim, &common->claims);
    mailbox_init(&solo->mailbox);
    pthread_mutex_init(&solo->mutex, NULL);
    condition_init(&solo->progress);
    enum fault_kind kind = start(solo, fault);
    if (kind == FAULT_NONE)
        kind = await_start(solo, fault);
    if (kind != FAULT_NONE)
        deinit(solo);
    return kind;
}

void solo_end(struct solo *solo)
{
    mailbox_close(&solo->mailbox);
}

bool solo_await_end(struct solo *solo, uint64_t until_ns)
{
    pthread_mutex_lock(&solo->mutex);
    while (solo->stage != SOLO_ENDED && clock_now_ns() < until_ns)
        condition_wait(&solo->progress, &solo->mutex, until_ns);
    bool ended = solo->stage == SOLO_ENDED;
    pthread_mutex_unlock(&solo->mutex);
    return ended;
}

void solo_close(struct solo *solo)
{
    pthread_join(solo->thread, NULL);
    deinit(solo);
}
