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
    struct alarm *set = calloc(capacity, sizeof *set);
    if (set == NULL)
        return error_from_errno(error, ENOMEM, "alarms", "for %zu holds", capacity);
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) {
        int os_error = errno;
        free(set);
        return error_from_errno(error, os_error, "alarms", "timerfd_create");
    }
    *timers =
        (struct timers){.descriptor = descriptor, .capacity = capacity, .set = set, .ring = ring};
    return ERROR_NONE;
}

void timers_deinit(struct timers *timers)
{
    if (timers->set == NULL)
        return;
    close(timers->descriptor);
    free(timers->set);
    *timers = (struct timers){.descriptor = -1};
}

static void wind_up(struct timers *timers)
{
    uint64_t next_ns = UINT64_MAX;
    for (size_t i = 0; i < timers->count; i++) {
        if (timers->set[i].due_ns < next_ns)
            next_ns = timers->set[i].due_ns;
    }
    struct itimerspec when = {0};
    if (next_ns != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(next_ns / NS_PER_S);
        when.it_value.tv_nsec = (long)(next_ns % NS_PER_S);
    }
    timerfd_settime(timers->descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

void timers_set(struct timers *timers, uint64_t due_ns, void *owner)
{
    assert(timers->count < timers->capacity);
    timers->set[timers->count++] = (struct alarm){due_ns, owner};
    wind_up(timers);
}

void timers_ring(struct timers *timers)
{
    uint64_t expirations;
    (void)!read(timers->descriptor, &expirations, sizeof expirations);
    uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < timers->count;) {
        struct alarm due = timers->set[i];
        if (due.due_ns > now_ns) {
            i++;
            continue;
        }
        /* Taken out before it rings: it may set another. */
        timers->set[i] = timers->set[--timers->count];
        timers->ring(due.owner, now_ns - due.due_ns);
    }
    wind_up(timers);
}
