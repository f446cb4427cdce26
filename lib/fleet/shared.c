// SPDX-License-Identifier: Apache-2.0
#include "fleet/shared.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/* ------------------------------------------------------------------ memory */

void *shared_reserve(struct shared_layout *layout, size_t size_bytes)
{
    void *block = layout->base == NULL ? NULL : layout->base + layout->size_bytes;
    layout->size_bytes +=
        (size_bytes + SHARED_CACHE_LINE - 1) / SHARED_CACHE_LINE * SHARED_CACHE_LINE;
    return block;
}

enum error_kind shared_layout_map(struct shared_layout *layout, struct error *error)
{
    /* Pages that are never touched cost nothing. */
    void *mapped = mmap(NULL, layout->size_bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return error_from_errno(error, errno, "trial", "%zu MiB of shared memory",
                                layout->size_bytes >> 20);
    *layout = (struct shared_layout){.base = mapped};
    return ERROR_NONE;
}

static struct shared *lay_out(struct shared_layout *layout, const struct fleet_plan *plan)
{
    struct shared *shared = shared_reserve(layout, sizeof *shared);
    struct shared_worker *workers = shared_reserve(layout, plan->processes * sizeof *workers);
    struct shared_session *sessions = shared_reserve(layout, plan->sessions * sizeof *sessions);
    if (shared != NULL) {
        shared->plan = plan;
        shared->workers = workers;
        shared->sessions = sessions;
    }
    return shared;
}

static enum error_kind open_eventfd(int *descriptor, struct error *error)
{
    *descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*descriptor < 0)
        return error_from_errno(error, errno, "worker", "eventfd");
    return ERROR_NONE;
}

enum error_kind shared_new(const struct fleet_plan *plan, struct shared **shared,
                           struct error *error)
{
    struct shared_layout layout = {0};
    (void)lay_out(&layout, plan);
    enum error_kind kind = shared_layout_map(&layout, error);
    if (kind != ERROR_NONE)
        return kind;
    struct shared *made = lay_out(&layout, plan);
    made->size_bytes = layout.size_bytes;
    made->coordinator_descriptor = -1;
    for (uint32_t i = 0; i < plan->processes; i++)
        made->workers[i].wake_descriptor = -1;
    if (plan->driver != DRIVER_SIMULATED) { /* one thread: none waits */
        kind = open_eventfd(&made->coordinator_descriptor, error);
        for (uint32_t i = 0; kind == ERROR_NONE && i < plan->processes; i++)
            kind = open_eventfd(&made->workers[i].wake_descriptor, error);
    }
    if (kind == ERROR_NONE)
        *shared = made;
    else
        shared_free(made);
    return kind;
}

void shared_free(struct shared *shared)
{
    if (shared == NULL)
        return;
    if (shared->coordinator_descriptor >= 0)
        close(shared->coordinator_descriptor);
    for (uint32_t i = 0; i < shared->plan->processes; i++) {
        if (shared->workers[i].wake_descriptor >= 0)
            close(shared->workers[i].wake_descriptor);
    }
    munmap(shared, shared->size_bytes);
}

/* ------------------------------------------------------------------ between the processes */

static void wake_workers(struct shared *shared)
{
    for (uint32_t i = 0; i < shared->plan->processes; i++)
        shared_wake(shared->workers[i].wake_descriptor);
}

void shared_enter(struct shared *shared, enum fleet_phase phase)
{
    atomic_store(&shared->phase, phase);
    wake_workers(shared);
}

void shared_order(struct shared *shared, uint32_t session, int order)
{
    struct shared_worker *worker = &shared->workers[session % shared->plan->processes];
    atomic_store(&worker->command, (uint64_t)order << 32 | (session + UINT64_C(1)));
    shared_wake(worker->wake_descriptor);
}

void shared_order_all(struct shared *shared, int order)
{
    for (uint32_t i = 0; i < shared->plan->processes; i++)
        atomic_store(&shared->workers[i].command, (uint64_t)order << 32);
    wake_workers(shared);
}

bool shared_have_taken(const struct shared *shared)
{
    for (uint32_t i = 0; i < shared->plan->processes; i++) {
        if (atomic_load(&shared->workers[i].command) != 0)
            return false;
    }
    return true;
}

/* The phase is stored first: whoever sees the last inquiry sees it. */
bool shared_inquire(struct shared *shared, bool last)
{
    if (atomic_load(&shared->inquiry) > 0 && !shared_has_reports(shared))
        return false;
    if (last)
        atomic_store(&shared->phase, PHASE_MEASURED);
    atomic_store(&shared->reported, 0);
    atomic_fetch_add(&shared->inquiry, 1);
    wake_workers(shared);
    return true;
}

bool shared_has_reports(const struct shared *shared)
{
    return atomic_load(&shared->reported) == shared->plan->processes;
}

uint64_t shared_steps(const struct shared *shared)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < shared->plan->processes; i++)
        sum += atomic_load(&shared->workers[i].steps);
    return sum;
}

uint64_t shared_absence_ns(struct shared *shared)
{
    uint64_t longest_ns = 0;
    for (uint32_t i = 0; i < shared->plan->processes; i++) {
        uint64_t absent_ns = atomic_exchange(&shared->workers[i].absent_ns, 0);
        longest_ns = absent_ns > longest_ns ? absent_ns : longest_ns;
    }
    return longest_ns;
}

void shared_check_rest(struct shared *shared)
{
    if (shared->in_steps && atomic_load(&shared->phase) == PHASE_RUN &&
        atomic_load(&shared->busy) == 0)
        shared_wake(shared->coordinator_descriptor);
}

/* A silence lasts from one request to the next. The next may leave its process later than it was
 * made, by a tenth of the time between two pings at most. */
#define LATE_PART 10

uint64_t pings_most(uint64_t silence_ns, uint32_t timeout_ms)
{
    /* The library divides whole milliseconds, and rounds down the time that has passed. */
    uint64_t third_ms = timeout_ms / 3;
    uint64_t third_ns = third_ms > 1 ? (third_ms - 1) * NS_PER_MS : NS_PER_MS;
    return (silence_ns + third_ns / LATE_PART) / third_ns;
}

uint64_t shared_pings_most(const struct shared *shared, uint64_t now_ns)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < shared->plan->sessions; i++) {
        const struct shared_session *session = &shared->sessions[i];
        most += session->pings + pings_most(now_ns - session->spoke_ns, session->timeout_ms);
    }
    return most;
}

void shared_raise(_Atomic uint64_t *highest, uint64_t value)
{
    uint64_t before = atomic_load(highest);
    while (before < value && !atomic_compare_exchange_weak(highest, &before, value))
        continue;
}

void shared_wake(int descriptor)
{
    /* Fails only if the counter is full: then the other side is awake already. */
    if (descriptor >= 0)
        (void)!eventfd_write(descriptor, 1);
}

void shared_woken(int descriptor)
{
    eventfd_t count;
    if (descriptor >= 0)
        (void)!eventfd_read(descriptor, &count);
}
