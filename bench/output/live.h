// SPDX-License-Identifier: Apache-2.0
/*
 * live: what a load does at the moment, a line a second on a terminal. Layer: bench/output.
 *
 * Invariant: nothing is written unless stderr is a terminal, and no line is wider than 79 columns.
 */
#ifndef BENCH_OUTPUT_LIVE_H
#define BENCH_OUTPUT_LIVE_H

#include "bench/output/load_rows.h"
#include "load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of 79 columns, with its terminator. */
#define LIVE_LINE_SIZE 80

struct live {
    bool shown;                   /* stderr is a terminal, and the user did not ask for quiet */
    size_t at, count;             /* the present trial, from 0, and all trials */
    uint64_t trial_ns;            /* how long a trial takes, about */
    uint64_t began_ns;            /* when the present trial began */
    const struct load_cell *cell; /* of the present trial */
    const char *target;           /* its servers; "": there is only one target */
    uint32_t seconds;             /* of the present trial that have a line */
    struct histogram *response;   /* of a second: room to add up in; NULL: no memory */
};

void live_init(struct live *live, size_t count, uint64_t trial_ns, bool quiet);
void live_deinit(struct live *live);

/* A trial begins: writes a line that names it. */
void live_begin(struct live *live, size_t at, const struct load_cell *cell, const char *target);

/* Shows the progress of the present trial (struct load_watch). */
void live_show(struct live *live, const struct load_progress *progress);

/* The estimated time of the present trial and all later ones, from now on. */
uint64_t live_left_ns(const struct live *live);

/* Removes the line of what is under way. */
void live_clear(const struct live *live);

/* Puts the line that names a trial, from 0, of `count` into `line`. The mix is the last, and its
 * end is left out, for three dots, where it does not fit. target: "" if there is only one. */
void live_put_trial(size_t at, size_t count, const struct load_cell *cell, const char *target,
                    char line[LIVE_LINE_SIZE]);

/* Puts the line of a second of the measured time, from 0, into `line`. Percentiles without an
 * answer, errors if there are none, and a lag of 0, as in a closed loop, are left out; so is, from
 * the end, what does not fit. lag_ns: the largest. */
void live_put(uint32_t second, uint64_t answered, uint64_t errors, const struct histogram *response,
              uint64_t lag_ns, uint64_t left_ns, char line[LIVE_LINE_SIZE]);

#endif
