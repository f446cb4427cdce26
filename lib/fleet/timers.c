// SPDX-License-Identifier: Apache-2.0
#include "fleet/timers.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum error_kind timers_init(struct timers *timers, size_t capacity,
                            void (*ring)(void *owner, uint64_t late_ns), struct error *error)
{
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0)
        return error_from_errno(error, errno, "alarms", "timerfd_create");
    struct alarm *heap = calloc(2 * capacity, sizeof *heap);
    if (heap == NULL) {
        close(descriptor);
        return error_from_errno(error, ENOMEM, "alarms", "for %zu holds", capacity);
    }
    *timers = (struct timers){.descriptor = descriptor,
                              .capacity = capacity,
                              .heap = heap,
                              .due = heap + capacity,
                              .armed_ns = UINT64_MAX,
                              .ring = ring};
    return ERROR_NONE;
}

void timers_deinit(struct timers *timers)
{
    if (timers->heap == NULL)
        return;
    close(timers->descriptor);
    free(timers->heap);
    *timers = (struct timers){.descriptor = -1};
}

static bool is_before(const struct alarm *a, const struct alarm *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

static struct alarm remove_first(struct timers *timers)
{
    struct alarm *heap = timers->heap;
    struct alarm first = heap[0];
    const struct alarm *last = &heap[--timers->count];
    size_t at = 0;
    for (size_t below = 1; below < timers->count; below = 2 * at + 1) {
        if (below + 1 < timers->count && is_before(&heap[below + 1], &heap[below]))
            below++;
        if (!is_before(&heap[below], last))
            break;
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = *last;
    return first;
}

static void arm(struct timers *timers)
{
    uint64_t due_ns = timers->count == 0 ? UINT64_MAX : timers->heap[0].due_ns;
    if (due_ns == timers->armed_ns)
        return;
    const struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(due_ns / NS_PER_S), .tv_nsec = (long)(due_ns % NS_PER_S)}};
    timerfd_settime(timers->descriptor, TFD_TIMER_ABSTIME, &when, NULL);
    timers->armed_ns = due_ns;
}

void timers_set(struct timers *timers, uint64_t due_ns, void *owner)
{
    /* The time 0 would disarm the timerfd. */
    const struct alarm alarm = {due_ns == 0 ? 1 : due_ns, timers->order++, owner};
    struct alarm *heap = timers->heap;
    size_t at = timers->count++;
    assert(at < timers->capacity);
    for (; at > 0 && is_before(&alarm, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = alarm;
    if (!timers->ringing)
        arm(timers);
}

void timers_ring(void *context)
{
    struct timers *timers = context;
    uint64_t expirations;
    size_t count = 0;
    /* The timerfd has expired, and is not armed any more. */
    if (read(timers->descriptor, &expirations, sizeof expirations) > 0)
        timers->armed_ns = UINT64_MAX;
    uint64_t now_ns = clock_now_ns();
    while (timers->count > 0 && timers->heap[0].due_ns <= now_ns)
        timers->due[count++] = remove_first(timers);
    timers->ringing = true;
    for (size_t i = 0; i < count; i++)
        timers->ring(timers->due[i].owner, now_ns - timers->due[i].due_ns);
    timers->ringing = false;
    arm(timers);
}
