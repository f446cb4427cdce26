// SPDX-License-Identifier: Apache-2.0
/*
 * metrics_totals: what locks and loads have counted alike, of the finished trials of a target, and
 * of the one that runs. Layer: bench/metrics.
 */
#ifndef BENCH_METRICS_METRICS_TOTALS_H
#define BENCH_METRICS_METRICS_TOTALS_H

#include "bench/metrics/metrics_text.h"
#include "fleet/server_counters.h"
#include "measure/tally.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum metrics_verdict { METRICS_VALID, METRICS_NOT_VALID, METRICS_FAILED, METRICS_VERDICTS };

struct metrics_totals {
    const char *target;
    const char *recipe;                /* NULL: a load, which has none */
    uint64_t trials[METRICS_VERDICTS]; /* finished */
    struct tally counted;
    uint64_t reconnects;
    /* Of finished trials of which they are known: */
    uint64_t server_writes;
    uint64_t server_notifications;
    uint64_t server_packets;
};

struct metrics_labels metrics_totals_labels(const struct metrics_totals *totals);

/* Adds what the servers have counted in a finished trial. */
void metrics_totals_add_servers(struct metrics_totals *totals,
                                const struct server_counters_count *servers);

/* Writes the families of all totals. */
void metrics_totals_write(FILE *stream, const struct metrics_totals *list, size_t count);

/* The whole, and the trial that runs. */
struct metrics_whole {
    size_t planned;    /* trials */
    size_t number;     /* of the running trial among them, from 1; 0: none runs */
    uint32_t sessions; /* of that trial, established */
    uint64_t left_ns;  /* to the end of the last trial; 0: not known */
};

/* Writes their families. */
void metrics_totals_write_whole(FILE *stream, const struct metrics_whole *whole);

/* One sample of each of `count` totals. The number is at this offset of the first, and `stride`
 * bytes further of the next. */
struct metrics_counter {
    const char *name, *help;
    size_t offset;
};
void metrics_totals_write_counter(FILE *stream, const struct metrics_counter *counter,
                                  const struct metrics_totals *list, size_t count,
                                  const void *first, size_t stride);

#endif
