// SPDX-License-Identifier: Apache-2.0
/*
 * progress: one line on a terminal: which of the trials or claims, arrivals or handoffs, requests a
 * second, time left. Layer: bench/cli.
 *
 * Invariant: nothing is written unless stderr is a terminal, no line is longer than that is wide,
 * and no time is told that is not known.
 */
#ifndef BENCH_CLI_PROGRESS_H
#define BENCH_CLI_PROGRESS_H

#include "trial/watchdog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_SIZE 512

struct progress {
    bool shown;        /* stderr is a terminal, and the user did not ask for quiet */
    size_t count;      /* pieces of the whole: the trials of a run, or claims */
    size_t at;         /* the index of the present one */
    uint64_t began_ns; /* when that began … */
    uint64_t left_ns;  /* … and about how long it and all behind it were to take; 0: unknown */
};

/* What a trial is called. */
struct progress_name {
    const char *topology; /* "" if there is only one */
    const char *what;
    uint32_t trial; /* 0: it has no number */
    uint32_t clients;
};

void progress_init(struct progress *progress, size_t count, bool quiet);

/* A piece begins. left_ns: about how long it and all behind it will take; 0: nobody knows. */
void progress_begin(struct progress *progress, size_t at, uint64_t left_ns);

/* Before the first piece: how many requests there are to make, and about how long they take. */
void progress_announce(const struct progress *progress, uint64_t rpcs, uint64_t left_ns);

/* A sentence about what is being done before there is anything to count. */
void progress_say(const struct progress *progress, const char *what);

/* Shows where a trial of the present piece is. */
void progress_show(const struct progress *progress, const struct progress_name *name,
                   const struct trial_progress *trial);

/* Takes the line away again. */
void progress_clear(const struct progress *progress);

/* The line that progress_show writes, in so many columns. What does not fit is left out, the least
 * important first: requests a second, the trial's number, the time left, the topology. left_ns: as
 * in progress_begin, from now on. */
void progress_put(const struct progress *progress, const struct progress_name *name,
                  const struct trial_progress *trial, uint64_t left_ns, unsigned columns,
                  char line[PROGRESS_LINE_SIZE]);

#endif
