// SPDX-License-Identifier: Apache-2.0
/*
 * progress: one line on a terminal: cell, trial, handoffs, requests a second, time left. Layer:
 * bench.
 *
 * Invariant: nothing is written unless stderr is a terminal.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include "bench/cells.h"
#include "trial/conductor.h"

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown; /* stderr is a terminal, and the user did not ask for quiet */
    const struct cells *cells;
    size_t at; /* the cell that runs */
};

void progress_init(struct progress *progress, const struct cells *cells, bool quiet);

/* Before the first cell: how many requests there are to make, and about how long they take. */
void progress_announce(const struct progress *progress);

/* A sentence about what is being done before there is anything to count. */
void progress_say(const struct progress *progress, const char *what);

/* Shows where the present cell is: the progress callback of a trial; context is the struct
 * progress. */
void progress_show(void *context, const struct trial_progress *trial);

/* Takes the line away again. */
void progress_clear(const struct progress *progress);

#endif
