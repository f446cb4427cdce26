// SPDX-License-Identifier: Apache-2.0
/*
 * apart: a piece of work in a process of its own, so that a signal can end the work while it waits
 * for a name or for servers that do not answer. Layer: bench/target.
 *
 * Invariant: after apart_run the process has ended. Whatever the work opens is closed with it.
 */
#ifndef BENCH_TARGET_APART_H
#define BENCH_TARGET_APART_H

#include "base/error.h"

#include <stddef.h>

/* Runs `work` on a copy of `object`, `size` bytes in which no pointer is followed, and takes over
 * the copy on success; else *object is unchanged. context is for the work to read. interrupts: a
 * descriptor; ERROR_INTERRUPTED when it becomes readable before the work is done. -1: never. Other
 * errors are those of the work, ERROR_WORKER_DIED, and the operating system's. */
MUST_CHECK enum error_kind
apart_run(enum error_kind (*work)(void *object, const void *context, struct error *error),
          void *object, size_t size, const void *context, int interrupts, struct error *error);

#endif
