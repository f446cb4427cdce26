// SPDX-License-Identifier: Apache-2.0
#include "zk/events.h"

#include "base/clock.h"
#include "zk/handle.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Handles whose deadline has passed are looked for this often: fine enough for pings and
 * reconnects, which are due after seconds. */
#define SWEEP_NS    (25 * NS_PER_MS)
#define BATCH       512
#define WATCHED_MAX 4

struct watched {
    int descriptor;
    void (*ready)(void *context); /* NULL: the place is free */
    void *context;
};

struct events {
    struct library library;
    int epoll;
    uint64_t next_sweep_ns;
    size_t capacity;
    size_t count;
    struct handle *handles;
    struct watched watched[WATCHED_MAX];
    struct epoll_event batch[BATCH];
};

enum fault_kind events_new(size_t capacity, struct events **events, struct fault *fault)
{
    struct events *made = calloc(1, sizeof *made);
    struct handle *handles = calloc(capacity, sizeof *handles);
    enum fault_kind kind;
    if (made == NULL || handles == NULL) {
        kind = fault_from_errno(fault, ENOMEM, "event loop", "for %zu sessions", capacity);
        goto failed;
    }
    made->capacity = capacity;
    made->handles = handles;
    kind = library_load(LIBRARY_ST, &made->library, fault);
    if (kind != FAULT_NONE)
        goto failed;
    made->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (made->epoll < 0) {
        kind = fault_from_errno(fault, errno, "event loop", "epoll_create1");
        goto failed;
    }
    *events = made;
    return FAULT_NONE;
failed:
    free(handles);
    free(made);
    return kind;
}

/* What epoll knows of a source: a handle's index, or a watched descriptor's behind all handles. */
static void epoll_set(struct events *events, int descriptor, uint32_t interest, size_t source)
{
    struct epoll_event event = {.events = interest, .data = {.u64 = source}};
    /* The library's socket may be another one under the same number: then epoll has forgotten it.
     */
    if (epoll_ctl(events->epoll, EPOLL_CTL_MOD, descriptor, &event) != 0 && errno == ENOENT)
        epoll_ctl(events->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static void tell_epoll(struct events *events, struct handle *handle, uint32_t before)
{
    if (!handle->reopened && handle->epoll_events == before)
        return;
    handle->reopened = false;
    if (handle->descriptor >= 0)
        epoll_set(events, handle->descriptor, handle->epoll_events,
                  (size_t)(handle - events->handles));
}

static void refresh(struct events *events, struct handle *handle)
{
    uint32_t before = handle->epoll_events;
    handle_refresh(handle);
    tell_epoll(events, handle, before);
}

enum fault_kind events_open(struct events *events, const char *hosts, uint32_t session_timeout_ms,
                            const struct client_listener *listener, void *owner,
                            struct client **client, struct fault *fault)
{
    if (events->count == events->capacity)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "event loop", "all %zu sessions are open",
                           events->capacity);
    struct handle *handle = &events->handles[events->count];
    enum fault_kind kind =
        handle_init(handle, &events->library, hosts, session_timeout_ms, listener, owner, fault);
    if (kind != FAULT_NONE)
        return kind;
    events->count++;
    refresh(events, handle);
    *client = &handle->client;
    return FAULT_NONE;
}

void events_forget(struct events *events)
{
    assert(events->count > 0);
    handle_deinit(&events->handles[--events->count]);
}

static struct watched *find_watched(struct events *events, int descriptor)
{
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        struct watched *watched = &events->watched[i];
        if (descriptor < 0 ? watched->ready == NULL
                           : watched->ready != NULL && watched->descriptor == descriptor)
            return watched;
    }
    return NULL;
}

enum fault_kind events_watch(struct events *events, int descriptor, void (*ready)(void *context),
                             void *context, struct fault *fault)
{
    struct watched *place = find_watched(events, -1);
    if (place == NULL)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "event loop", "all watches are taken");
    size_t source = events->capacity + (size_t)(place - events->watched);
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = source}};
    if (epoll_ctl(events->epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        return fault_from_errno(fault, errno, "event loop", "epoll_ctl");
    *place = (struct watched){descriptor, ready, context};
    return FAULT_NONE;
}

void events_unwatch(struct events *events, int descriptor)
{
    struct watched *watched = find_watched(events, descriptor);
    if (watched == NULL)
        return;
    epoll_ctl(events->epoll, EPOLL_CTL_DEL, descriptor, NULL);
    *watched = (struct watched){0};
}

static void sweep(struct events *events, uint64_t now_ns)
{
    events->next_sweep_ns = now_ns + SWEEP_NS;
    for (size_t i = 0; i < events->count; i++) {
        struct handle *handle = &events->handles[i];
        handle_deliver_deferred(handle);
        if (now_ns >= handle->deadline_ns)
            refresh(events, handle);
    }
}

static void dispatch(struct events *events, const struct epoll_event *event)
{
    size_t source = (size_t)event->data.u64;
    if (source >= events->capacity) {
        const struct watched *watched = &events->watched[source - events->capacity];
        if (watched->ready != NULL)
            watched->ready(watched->context);
        return;
    }
    struct handle *handle = &events->handles[source];
    uint32_t before = handle->epoll_events;
    handle_process(handle, event->events);
    tell_epoll(events, handle, before);
}

static int milliseconds_until(uint64_t until_ns)
{
    uint64_t now_ns = clock_now_ns();
    if (until_ns <= now_ns)
        return 0;
    uint64_t left_ms = (until_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return left_ms > 60000 ? 60000 : (int)left_ms;
}

enum fault_kind events_poll(struct events *events, uint64_t until_ns, struct fault *fault)
{
    uint64_t wake_ns = until_ns;
    if (events->count > 0 && events->next_sweep_ns < wake_ns)
        wake_ns = events->next_sweep_ns;
    int ready = epoll_wait(events->epoll, events->batch, BATCH, milliseconds_until(wake_ns));
    if (ready < 0 && errno != EINTR)
        return fault_from_errno(fault, errno, "event loop", "epoll_wait");
    for (int i = 0; i < ready; i++)
        dispatch(events, &events->batch[i]);
    uint64_t now_ns = clock_now_ns();
    if (now_ns >= events->next_sweep_ns)
        sweep(events, now_ns);
    return FAULT_NONE;
}

/* ------------------------------------------------------------------ the end */

/* Reads away what still comes; true when the server has closed the connection. */
static bool drained(int descriptor)
{
    char unread[4096];
    for (;;) {
        ssize_t length = recv(descriptor, unread, sizeof unread, MSG_DONTWAIT);
        if (length == 0)
            return true;
        if (length < 0)
            return errno != EAGAIN && errno != EINTR;
    }
}

static void await_closed(struct events *events, size_t *waiting, uint64_t until_ns)
{
    while (*waiting > 0 && clock_now_ns() < until_ns) {
        int ready = epoll_wait(events->epoll, events->batch, BATCH, milliseconds_until(until_ns));
        for (int i = 0; i < ready; i++) {
            struct handle *handle = &events->handles[events->batch[i].data.u64];
            if (!drained(handle->descriptor))
                continue;
            epoll_ctl(events->epoll, EPOLL_CTL_DEL, handle->descriptor, NULL);
            (*waiting)--;
        }
    }
}

static void stop_watching(struct events *events)
{
    for (size_t i = 0; i < WATCHED_MAX; i++) {
        if (events->watched[i].ready != NULL)
            events_unwatch(events, events->watched[i].descriptor);
    }
}

size_t events_close(struct events *events, uint64_t until_ns)
{
    size_t waiting = 0, unconfirmed = 0;
    stop_watching(events);
    for (size_t i = 0; i < events->count; i++) {
        struct handle *handle = &events->handles[i];
        if (handle_begin_close(handle)) {
            waiting++;
            epoll_set(events, handle->descriptor, EPOLLIN, i);
        } else {
            unconfirmed += !handle->crashed;
            if (handle->descriptor >= 0)
                epoll_ctl(events->epoll, EPOLL_CTL_DEL, handle->descriptor, NULL);
        }
    }
    await_closed(events, &waiting, until_ns);
    for (size_t i = 0; i < events->count; i++)
        handle_deinit(&events->handles[i]);
    events->count = 0;
    return waiting + unconfirmed;
}

void events_free(struct events *events)
{
    if (events == NULL)
        return;
    events_close(events, clock_now_ns() + NS_PER_S);
    close(events->epoll);
    free(events->handles);
    free(events);
}

void events_abandon(struct events *events)
{
    for (size_t i = 0; i < events->count; i++) {
        if (events->handles[i].descriptor >= 0)
            close(events->handles[i].descriptor);
    }
    close(events->epoll);
}
