// SPDX-License-Identifier: Apache-2.0
#include "tests/support/lateness.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static _Atomic uint64_t lateness_sum_ns;

static void *lateness_watch(void *nothing)
{
    for (;;) {
        uint64_t due_ns = clock_now_ns() + NS_PER_MS;
        pause_ms(1);
        uint64_t now_ns = clock_now_ns();
        if (now_ns > due_ns + NS_PER_MS)
            atomic_fetch_add(&lateness_sum_ns, now_ns - due_ns);
    }
    return nothing;
}

/* The thread starts once, takes no signal, and ends with the process. */
static void lateness_start(void)
{
    static bool started;
    sigset_t all, before;
    pthread_t thread;
    if (started)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    assert_int_equal(pthread_create(&thread, NULL, lateness_watch, NULL), 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_detach(thread);
    started = true;
}

struct lateness_mark lateness_mark(void)
{
    lateness_start();
    return (struct lateness_mark){clock_now_ns(), atomic_load(&lateness_sum_ns)};
}

uint64_t lateness_run_ns(struct lateness_mark since)
{
    uint64_t elapsed_ns = clock_now_ns() - since.now_ns;
    uint64_t late_ns = atomic_load(&lateness_sum_ns) - since.sum_ns;
    return elapsed_ns > late_ns ? elapsed_ns - late_ns : 0;
}
