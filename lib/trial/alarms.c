// SPDX-License-Identifier: Apache-2.0
#include "trial/alarms.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum fault_kind alarms_init(struct alarms *alarms, size_t capacity,
                            void (*ring)(void *owner, uint64_t late_ns), struct fault *fault)
{
    struct alarm *set = calloc(capacity, sizeof *set);
    if (set == NULL)
        return fault_from_errno(fault, ENOMEM, "alarms", "for %zu holds", capacity);
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) {
        int error = errno;
        free(set);
        return fault_from_errno(fault, error, "alarms", "timerfd_create");
    }
    *alarms =
        (struct alarms){.descriptor = descriptor, .capacity = capacity, .set = set, .ring = ring};
    return FAULT_NONE;
}

void alarms_deinit(struct alarms *alarms)
{
    if (alarms->set == NULL)
        return;
    close(alarms->descriptor);
    free(alarms->set);
    *alarms = (struct alarms){.descriptor = -1};
}

static void wind_up(struct alarms *alarms)
{
    uint64_t next_ns = UINT64_MAX;
    for (size_t i = 0; i < alarms->count; i++) {
        if (alarms->set[i].due_ns < next_ns)
            next_ns = alarms->set[i].due_ns;
    }
    struct itimerspec when = {0};
    if (next_ns != UINT64_MAX) {
        when.it_value.tv_sec = (time_t)(next_ns / NS_PER_S);
        when.it_value.tv_nsec = (long)(next_ns % NS_PER_S);
    }
    timerfd_settime(alarms->descriptor, TFD_TIMER_ABSTIME, &when, NULL);
}

void alarms_set(struct alarms *alarms, uint64_t due_ns, void *owner)
{
    assert(alarms->count < alarms->capacity);
    alarms->set[alarms->count++] = (struct alarm){due_ns, owner};
    wind_up(alarms);
}

void alarms_ring(struct alarms *alarms)
{
    uint64_t expirations;
    (void)!read(alarms->descriptor, &expirations, sizeof expirations);
    uint64_t now_ns = clock_now_ns();
    for (size_t i = 0; i < alarms->count;) {
        struct alarm due = alarms->set[i];
        if (due.due_ns > now_ns) {
            i++;
            continue;
        }
        /* Taken out before it rings: it may set another. */
        alarms->set[i] = alarms->set[--alarms->count];
        alarms->ring(due.owner, now_ns - due.due_ns);
    }
    wind_up(alarms);
}
