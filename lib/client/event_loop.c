// SPDX-License-Identifier: Apache-2.0
#include "client/event_loop.h"

#include "base/clock.h"
#include "client/event_session.h"
#include "client/sockets.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

/* How often passed deadlines are looked for: those of pings and reconnects come after seconds. */
#define SWEEP_NS    (25 * NS_PER_MS)
#define BATCH       512
#define WATCHED_MAX 4

struct watched {
    int descriptor;
    void (*ready)(void *context); /* NULL: the place is free */
    void *context;
};

struct event_loop {
    struct library library;
    int epoll;
    uint64_t next_sweep_ns;
    size_t capacity;
    size_t count;
    struct event_session *neglected; /* see struct event_session */
    struct watched watched[WATCHED_MAX];
    struct epoll_event batch[BATCH];
    struct event_session sessions[];
};

enum error_kind event_loop_new(size_t capacity, const struct identity *identity,
                               struct event_loop **events, struct error *error)
{
    struct event_loop *made = calloc(1, sizeof *made + capacity * sizeof made->sessions[0]);
    if (made == NULL)
        return error_from_errno(error, ENOMEM, "event loop", "for %zu sessions", capacity);
    made->capacity = capacity;
    enum error_kind kind = library_load(LIBRARY_ST, &made->library, error);
    library_identify(&made->library, identity);
    if (kind == ERROR_NONE && (made->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        kind = error_from_errno(error, errno, "event loop", "epoll_create1");
    if (kind == ERROR_NONE)
        *events = made;
    else
        free(made);
    return kind;
}

/* A source is the index of a session, or `capacity` and that of a watched descriptor. */
static void epoll_set(struct event_loop *events, int descriptor, uint32_t interest, size_t source)
{
    struct epoll_event event = {.events = interest, .data = {.u64 = source}};
    /* epoll has forgotten the number of a socket that the library has reopened. */
    if (epoll_ctl(events->epoll, EPOLL_CTL_MOD, descriptor, &event) != 0 && errno == ENOENT)
        epoll_ctl(events->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static void update_epoll(struct event_loop *events, struct event_session *session, uint32_t before)
{
    if (!session->reopened && session->epoll_events == before)
        return;
    session->reopened = false;
    if (session->descriptor >= 0)
        epoll_set(events, session->descriptor, session->epoll_events,
                  (size_t)(session - events->sessions));
}

static void refresh(struct event_loop *events, struct event_session *session)
{
    uint32_t before = session->epoll_events;
    event_session_refresh(session);
    update_epoll(events, session, before);
}

static void refresh_neglected(struct event_loop *events)
{
    while (events->neglected != NULL) {
        struct event_session *session = events->neglected;
        events->neglected = session->next_neglected;
        session->neglected = false;
        refresh(events, session);
    }
}

enum error_kind event_loop_open(struct event_loop *events, const char *hosts,
                                uint32_t session_timeout_ms, uint32_t depth,
                                const struct client_listener *listener, void *owner,
                                struct client **client, struct error *error)
{
    if (events->count == events->capacity)
        return error_raise(error, ERROR_NO_MEMORY, 0, "event loop", "all %zu sessions are open",
                           events->capacity);
    struct event_session *session = &events->sessions[events->count];
    enum error_kind kind = event_session_init(session, &events->library, hosts, session_timeout_ms,
                                              depth, listener, owner, error);
    if (kind != ERROR_NONE)
        return kind;
    session->all_neglected = &events->neglected;
    events->count++;
    refresh(events, session);
    *client = &session->client;
    return ERROR_NONE;
}

void event_loop_forget(struct event_loop *events)
{
    assert(events->count > 0);
    refresh_neglected(events);
    event_session_deinit(&events->sessions[--events->count]);
}

static struct watched *find_watched(struct event_loop *events, int descriptor)
{
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        struct watched *watched = &events->watched[i];
        if (descriptor < 0 ? watched->ready == NULL
                           : watched->ready != NULL && watched->descriptor == descriptor)
            return watched;
    }
    return NULL;
}

enum error_kind event_loop_watch(struct event_loop *events, int descriptor,
                                 void (*ready)(void *context), void *context, struct error *error)
{
    struct watched *place = find_watched(events, -1);
    if (place == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "event loop", "all watches are taken");
    size_t source = events->capacity + (size_t)(place - events->watched);
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = source}};
    if (epoll_ctl(events->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        return error_from_errno(error, errno, "event loop", "epoll_ctl");
    *place = (struct watched){descriptor, ready, context};
    return ERROR_NONE;
}

void event_loop_unwatch(struct event_loop *events, int descriptor)
{
    struct watched *watched = find_watched(events, descriptor);
    if (watched == NULL)
        return;
    epoll_ctl(events->epoll, EPOLL_CTL_DEL, descriptor, NULL);
    *watched = (struct watched){0};
}

static void sweep(struct event_loop *events, uint64_t now_ns)
{
    events->next_sweep_ns = now_ns + SWEEP_NS;
    for (size_t i = 0; i < events->count; i++) {
        struct event_session *session = &events->sessions[i];
        client_deliver_refused(&session->client);
        if (now_ns >= session->deadline_ns)
            refresh(events, session);
    }
}

static void dispatch(struct event_loop *events, const struct epoll_event *event)
{
    size_t source = (size_t)event->data.u64;
    if (source >= events->capacity) {
        const struct watched *watched = &events->watched[source - events->capacity];
        if (watched->ready != NULL)
            watched->ready(watched->context);
        return;
    }
    struct event_session *session = &events->sessions[source];
    uint32_t before = session->epoll_events;
    event_session_process(session, event->events);
    update_epoll(events, session, before);
}

static int milliseconds_until(uint64_t until_ns)
{
    uint64_t now_ns = clock_now_ns();
    if (until_ns <= now_ns)
        return 0;
    uint64_t left_ms = (until_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return left_ms > 60000 ? 60000 : (int)left_ms;
}

enum error_kind event_loop_poll(struct event_loop *events, uint64_t until_ns, struct error *error)
{
    uint64_t wake_ns = until_ns;
    refresh_neglected(events);
    if (events->count > 0 && events->next_sweep_ns < wake_ns)
        wake_ns = events->next_sweep_ns;
    int ready = epoll_wait(events->epoll, events->batch, BATCH, milliseconds_until(wake_ns));
    if (ready < 0 && errno != EINTR)
        return error_from_errno(error, errno, "event loop", "epoll_wait");
    for (int i = 0; i < ready; i++)
        dispatch(events, &events->batch[i]);
    uint64_t now_ns = clock_now_ns();
    if (now_ns >= events->next_sweep_ns)
        sweep(events, now_ns);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the end */

/* Continues to close a session; false if no server will confirm that. */
static bool go_on_closing(struct event_loop *events, size_t index)
{
    struct event_session *session = &events->sessions[index];
    enum event_session_closing closing = event_session_close(session);
    if (closing != EVENT_SESSION_CUT_OFF) {
        uint32_t room = closing == EVENT_SESSION_BLOCKED ? (uint32_t)EPOLLOUT : 0u;
        epoll_set(events, session->descriptor, (uint32_t)EPOLLIN | room, index);
    } else if (session->descriptor >= 0) {
        epoll_ctl(events->epoll, EPOLL_CTL_DEL, session->descriptor, NULL);
    }
    return closing != EVENT_SESSION_CUT_OFF;
}

/* Waits for the servers of `waiting` sessions; adds to *confirmed those that are closed. */
static void await_closed(struct event_loop *events, size_t waiting, size_t *confirmed,
                         uint64_t until_ns)
{
    while (waiting > 0 && clock_now_ns() < until_ns) {
        int ready = epoll_wait(events->epoll, events->batch, BATCH, milliseconds_until(until_ns));
        for (int i = 0; i < ready; i++) {
            size_t index = (size_t)events->batch[i].data.u64;
            struct event_session *session = &events->sessions[index];
            if (drop_connection_drain(session->descriptor)) {
                epoll_ctl(events->epoll, EPOLL_CTL_DEL, session->descriptor, NULL);
                waiting--;
                *confirmed += session->asked;
            } else if (events->batch[i].events & EPOLLOUT) {
                waiting -= !go_on_closing(events, index);
            }
        }
    }
}

size_t event_loop_close(struct event_loop *events, uint64_t until_ns)
{
    size_t waiting = 0, due = 0, confirmed = 0;
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        if (events->watched[i].ready != NULL)
            event_loop_unwatch(events, events->watched[i].descriptor);
    }
    for (size_t i = 0; i < events->count; i++) {
        due += !events->sessions[i].crashed;
        waiting += go_on_closing(events, i);
    }
    await_closed(events, waiting, &confirmed, until_ns);
    for (size_t i = 0; i < events->count; i++)
        event_session_deinit(&events->sessions[i]);
    events->count = 0;
    events->neglected = NULL;
    return due - confirmed;
}

void event_loop_free(struct event_loop *events)
{
    if (events == NULL)
        return;
    event_loop_close(events, clock_now_ns() + NS_PER_S);
    close(events->epoll);
    free(events);
}

void event_loop_abandon(struct event_loop *events)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->sessions[i].descriptor >= 0)
            close(events->sessions[i].descriptor);
    }
    close(events->epoll);
}
