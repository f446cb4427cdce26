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
#include "fleet/server_counters.h"
#include "measure/histogram.h"
#include "measure/tally.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ------------------------------------------------------------------ the text */

#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

#define METRICS_LABELS_MAX 4

/* The labels of a sample; a NULL in place of a name ends them. */
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
void metrics_histogram_sum(struct metrics_histogram *into, const struct metrics_histogram *from);

/* Writes the samples: a number that is counted for each bucket, their sum, and their number. */
void metrics_histogram_write(FILE *stream, const char *name,
                             const struct metrics_histogram *histogram,
                             const struct metrics_labels *labels);

/* ------------------------------------------------------------------ totals */

/* What locks and loads have counted alike, in the finished trials of a target, and in the one that
 * runs. */
enum metrics_verdict { METRICS_VALID, METRICS_NOT_VALID, METRICS_FAILED, METRICS_VERDICTS };

struct metrics_totals {
    const char *target;
    const char *recipe;                /* NULL: a load, which has none */
    uint64_t trials[METRICS_VERDICTS]; /* finished */
    struct tally counted;
    uint64_t reconnects;
    struct { /* of finished trials of which they are known */
        FOUR_LETTER_COUNTED(FOUR_LETTER_MEMBER, , )
    } servers;
};

struct metrics_labels metrics_totals_labels(const struct metrics_totals *totals);

/* Adds a finished trial, whose verdict is that of an exit status. */
void metrics_totals_add(struct metrics_totals *totals, int status, const struct tally *counted,
                        uint64_t reconnects, const struct server_counters_count *servers);

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

/* ------------------------------------------------------------------ the server */

/* It has no thread: requests wait in the kernel until metrics_server_answer. HTTP is
 * libmicrohttpd's. Invariant: nothing waits here, neither for a client that sends nothing nor for
 * one that reads nothing; only 127.0.0.1 is listened on. */

/* Whose numbers are told. */
struct metrics_source {
    /* Writes them in the text format of Prometheus. */
    void (*write)(void *context, FILE *stream);
    void *context;
};

struct metrics_server;

/* Listens; the source must outlive the server. *server is the caller's to metrics_server_stop.
 * ERROR_PORT_TAKEN, ERROR_SYSTEM, and those of errno. */
MUST_CHECK enum error_kind metrics_server_start(uint16_t port, const struct metrics_source *source,
                                                struct metrics_server **server,
                                                struct error *error);

/* Answers what has arrived. NULL is fine. */
void metrics_server_answer(struct metrics_server *server);

/* Closes all connections and the port. NULL is fine. */
void metrics_server_stop(struct metrics_server *server);

#endif
