// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/signals.h"

#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals_block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void signals_take(int descriptor)
{
    struct signalfd_siginfo signal;
    while (read(descriptor, &signal, sizeof signal) > 0)
        continue;
}
