// SPDX-License-Identifier: Apache-2.0
/*
 * metrics: what --metrics tells: counters in the text format of Prometheus, version 0.0.4, answered
 * at http://127.0.0.1:PORT/metrics. Layer: bench/metrics.
 *
 * A family is metrics_text_family, followed by its samples. Invariant: whatever a label's value
 * contains, a sample is one line.
 */
#ifndef BENCH_METRICS_METRICS_H
#define BENCH_METRICS_METRICS_H

#include "base/error.h"
#include "measure/histogram.h"
#include "measure/table.h"
#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ the text */

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

#define METRICS_LABELS_MAX 4

/* The labels of a sample; one whose value is NULL is left out. */
struct metrics_labels {
    struct {
        const char *name, *value;
    } of[METRICS_LABELS_MAX];
};

/* Labels for one call: METRICS_LABELS({"target", target}, {"recipe", recipe}). */
#define METRICS_LABELS(...) (&(const struct metrics_labels){{__VA_ARGS__}})
#define METRICS_NO_LABELS   METRICS_LABELS({0})

/* type: "counter", "gauge" or "histogram". help: without line breaks and backslashes. */
void metrics_text_family(FILE *stream, const char *name, const char *type, const char *help);

/* One sample: a number that is counted, and one that is measured. */
void metrics_text_count(FILE *stream, const char *name, uint64_t value,
                        const struct metrics_labels *labels);
void metrics_text_real(FILE *stream, const char *name, double value,
                       const struct metrics_labels *labels);

/* ------------------------------------------------------------------ histograms */

/* Durations in the buckets of a Prometheus histogram: one is in the bucket whose bounds it has, or
 * exceeds the bound by less than 0.1 % (measure/histogram.h); all are in the last one, +Inf. */
#define METRICS_HISTOGRAM_BOUNDS 17

/* All zero: no duration. */
struct metrics_histogram {
    uint64_t recorded;
    uint64_t above[METRICS_HISTOGRAM_BOUNDS]; /* durations above each bound */
    double sum_s; /* within 0.05 %; infinite if a duration was above a minute */
};

/* Adds the durations. */
void metrics_histogram_add(struct metrics_histogram *into, const struct histogram *from);

/* Writes the samples: a number that is counted for each bucket, their sum, and their number. */
void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels);

/* ------------------------------------------------------------------ trials */

/* The trials on a target, or those of a recipe on it. */
struct metrics_group {
    const char *target, *recipe; /* recipe: NULL of a load */
    const struct table *rows;    /* of the finished trials on the target */
    struct tally counted;        /* in the finished trials of the group */
};

struct metrics_trials {
    struct metrics_group *groups;
    size_t count;
    size_t running;    /* the group of the running trial */
    struct tally told; /* of that trial, when it was last told */
};

/* The running trial has been finished, and has a row. */
void metrics_trials_finish(struct metrics_trials *trials, const struct tally *counted);

/* Whether a row of its target is of the group. */
bool metrics_trials_has(const struct metrics_group *group, const struct table_value *row);

/* Writes what trials of locks and of loads have alike. verdict: of a row, as an exit status. */
void metrics_trials_write(FILE *stream, const struct metrics_trials *trials,
                          int (*verdict)(const struct table_value *row));

/* Writes messages of this kind. */
void metrics_trials_write_kind(FILE *stream, const struct metrics_trials *trials, const char *name,
                               const char *help, enum tally_kind kind);

/* The sum of a column over the rows of a group. */
struct metrics_counter {
    const char *name, *help, *column;
    const char *beside; /* only over rows that know this column, too; NULL: over all */
    uint64_t told;      /* of the running trial */
};
void metrics_trials_write_counters(FILE *stream, const struct metrics_trials *trials,
                                   const struct metrics_counter *counters, size_t count);

/* The whole, and the trial that runs. */
struct metrics_whole {
    size_t planned;    /* trials */
    size_t number;     /* of the running trial among them, from 1; 0: none runs */
    uint32_t sessions; /* of that trial, established */
    uint64_t left_ns;  /* to the end of the last trial; 0: not known */
};

/* Writes their families. */
void metrics_write_whole(FILE *stream, const struct metrics_whole *whole);

/* ------------------------------------------------------------------ the server */

/* It has no thread: requests wait in the kernel until metrics_server_answer. HTTP is
 * libmicrohttpd's. Invariant: nothing waits here, neither for a client that sends nothing nor for
 * one that reads nothing; only 127.0.0.1 is listened on. */

struct metrics_server;

/* Listens; `write` writes what is told, in the text format of Prometheus. *server is the caller's
 * to metrics_server_stop. ERROR_NO_HTTP_LIBRARY, ERROR_PORT_TAKEN, ERROR_DENIED, ERROR_SYSTEM, and
 * those of errno. */
MUST_CHECK enum error_kind metrics_server_start(uint16_t port,
                                                void (*write)(void *context, FILE *stream),
                                                void *context, struct metrics_server **server,
                                                struct error *error);

/* Answers what has arrived. NULL is fine. */
void metrics_server_answer(struct metrics_server *server);

/* Closes all connections and the port. NULL is fine. */
void metrics_server_stop(struct metrics_server *server);

#endif
