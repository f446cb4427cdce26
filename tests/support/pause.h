// SPDX-License-Identifier: Apache-2.0
/*
 * pause: how long a test waits between two looks, and at most.
 */
#ifndef TESTS_PAUSE_H
#define TESTS_PAUSE_H

#include "base/clock.h"

#include <sys/types.h>

/* For what has to happen, however busy the machine is. */
#define PATIENCE_NS (30 * NS_PER_S)

void pause_ms(long ms);

/* Stops a process with SIGSTOP, and returns when none of its threads runs any more: a signal takes
 * a moment to reach all threads of a JVM, which may answer requests until then. SIGCONT lets the
 * process go on. */
void pause_process(pid_t pid);

#endif
