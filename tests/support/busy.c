// SPDX-License-Identifier: Apache-2.0
#include "tests/support/busy.h"

#include "base/clock.h"
#include "base/cores.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BUSY 256

static pid_t busy[MOST_BUSY];
static size_t busy_count;

/* Half a millisecond at a time. */
static void use_a_third(void)
{
    for (;;) {
        uint64_t until_ns = clock_cpu_ns() + NS_PER_MS / 2;
        while (clock_cpu_ns() < until_ns)
            ;
        usleep(1000);
    }
}

void busy_start(void)
{
    for (busy_count = 0; busy_count < MOST_BUSY && (double)busy_count < cores_allowed();
         busy_count++) {
        busy[busy_count] = fork();
        if (busy[busy_count] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            use_a_third();
        }
    }
}

void busy_end(void)
{
    for (size_t i = 0; i < busy_count; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
}
