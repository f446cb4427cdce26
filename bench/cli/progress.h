// SPDX-License-Identifier: Apache-2.0
/*
 * progress: one line on a terminal: the present trial or claim, how far it is, requests a second,
 * time left. Layer: bench/cli.
 *
 * Invariant: nothing is written unless stderr is a terminal, and no line is wider than that.
 */
#ifndef BENCH_CLI_PROGRESS_H
#define BENCH_CLI_PROGRESS_H

#include "load/load_plan.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_LINE_SIZE 640

struct progress {
    bool shown;        /* stderr is a terminal, and the user did not ask for quiet */
    size_t count;      /* pieces of the whole: the trials of a run, or claims */
    size_t at;         /* the index of the present piece */
    uint64_t began_ns; /* when the present piece began */
    uint64_t left_ns; /* at began_ns: the estimated time of this and all later pieces; 0: unknown */
};

/* The name of a trial. */
struct progress_name {
    const char *topology; /* "" if there is only one */
    const char *what;
    uint32_t trial; /* 0: it has no number */
    uint32_t clients;
};

void progress_init(struct progress *progress, size_t count, bool quiet);
void progress_begin(struct progress *progress, size_t at, uint64_t left_ns);

/* Shows how many pieces there are, and their estimated time; 0: not known. */
void progress_announce(const struct progress *progress, uint64_t left_ns);

/* Shows what the program is doing. */
void progress_show_step(const struct progress *progress, const char *what);

/* Each shows how far a trial of the present piece is. topology: "" if there is only one. */
void progress_show(const struct progress *progress, const struct progress_name *name,
                   const struct trial_progress *trial);
void progress_show_load(const struct progress *progress, const char *topology,
                        const struct load_progress *load);

void progress_clear(const struct progress *progress);

/* Formats the line that progress_show writes: the most important first, cut to `columns` (at
 * least 3). left_ns: as in progress_begin, from now on. */
void progress_format(const struct progress *progress, const struct progress_name *name,
                     const struct trial_progress *trial, uint64_t left_ns, unsigned columns,
                     char line[PROGRESS_LINE_SIZE]);

#endif
