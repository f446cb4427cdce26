// SPDX-License-Identifier: Apache-2.0
/*
 * objective: what a load must meet, as text and as numbers. Layer: capacity.
 *
 *   METRIC pN < DURATION    handoff p99 < 50ms, acquire p95 < 1s, background p99.9 < 20ms
 *   handoffs > N/s          handoffs > 500/s
 *
 * METRIC is handoff (from a release to the next grant), acquire (from the arrival of a client to
 * its grant) or background (the response times of a load beside the lock). <= and >= are read as <
 * and >: they differ by a nanosecond or by a handoff in the whole time, which no measurement tells.
 *
 * Invariant: the limit of a latency lies in the range of a histogram (measure/histogram.h), so the
 * values above the limit can be counted.
 */
#ifndef CAPACITY_OBJECTIVE_H
#define CAPACITY_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, the word for it in an objective and in files) */
#define OBJECTIVE_METRIC_LIST(X)                                                                   \
    X(HANDOFF, "handoff")                                                                          \
    X(ACQUIRE, "acquire")                                                                          \
    X(BACKGROUND, "background")                                                                    \
    X(HANDOFFS, "handoffs") /* a rate; the others are latencies */

enum objective_metric {
#define X(name, word) OBJECTIVE_##name,
    OBJECTIVE_METRIC_LIST(X)
#undef X
        OBJECTIVE_METRICS
};

extern const char *const objective_metric_words[];

#define OBJECTIVE_GRAMMAR                                                                          \
    "expected handoff|acquire|background pN < DURATION, with p50 to p99.9 and 1ns to 60s, or "     \
    "handoffs > N/s, such as 'handoff p99 < 50ms'"

/* size of a text that holds every objective. */
#define OBJECTIVE_TEXT_SIZE 64

struct objective {
    enum objective_metric metric;
    uint32_t percentile_hundredths; /* 9900 is p99; 0: a rate */
    uint64_t limit_ns;              /* of a latency, exclusive; 0: a rate */
    uint64_t least_per_s;           /* of a rate, exclusive; 0: a latency */
};

/* False, with *objective unchanged, if the text is not one: OBJECTIVE_GRAMMAR. Blanks are free. */
bool objective_parse(const char *text, struct objective *objective);

/* Formats an objective as objective_parse reads it; returns text. size >= OBJECTIVE_TEXT_SIZE. */
const char *objective_format(const struct objective *objective, char *text, size_t size);

/* Whether the objective bounds a rate, not a latency. */
bool objective_is_rate(const struct objective *objective);

/* The percentile of a latency: 99 for p99; and the share of the values that may exceed its limit:
 * 0.01 for p99. */
double objective_percent(const struct objective *objective);
double objective_share(const struct objective *objective);

#endif
