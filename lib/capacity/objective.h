// SPDX-License-Identifier: Apache-2.0
/*
 * objective: what a load must meet, as text and as numbers, and whether a trial meets it. Layer:
 * capacity.
 *
 *   METRIC pN < DURATION    handoff p99 < 50ms, acquire p95 < 1s, background p99.9 < 20ms
 *
 * METRIC is handoff (from a release to the next grant), acquire (from the arrival of a client to
 * its grant) or background (the response times of a load beside the lock). <= is read as <: they
 * differ by a nanosecond, which no measurement shows.
 *
 * Invariant: the limit lies in the range of a histogram (measure/histogram.h), so the values above
 * it can be counted.
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
    X(BACKGROUND, "background")

enum objective_metric {
#define X(name, word) OBJECTIVE_##name,
    OBJECTIVE_METRIC_LIST(X)
#undef X
        OBJECTIVE_METRICS
};

extern const char *const objective_metric_words[];

#define OBJECTIVE_GRAMMAR                                                                          \
    "expected handoff|acquire|background pN < DURATION, with p50 to p99.9 and 1ns to 60s, such "   \
    "as 'handoff p99 < 50ms'"

/* size of a text that holds every objective. */
#define OBJECTIVE_TEXT_SIZE 64

struct objective {
    enum objective_metric metric;
    uint32_t percentile_hundredths; /* 9900 is p99 */
    uint64_t limit_ns;              /* exclusive */
};

/* False, with *objective unchanged, if the text is not one: OBJECTIVE_GRAMMAR. Blanks are free. */
bool objective_parse(const char *text, struct objective *objective);

/* Formats an objective as objective_parse reads it; returns text. size >= OBJECTIVE_TEXT_SIZE. */
const char *objective_format(const struct objective *objective, char *text, size_t size);

/* The percentile: 99 for p99; and the share of the values that may exceed the limit: 0.01. */
double objective_percent(const struct objective *objective);
double objective_share(const struct objective *objective);

/* ------------------------------------------------------------------ the verdict of a trial
 *
 * The question is which share of all samples exceeds the limit: p99 < 50ms is met if at most 1 %
 * do. Of n samples k were over. The trial passes if the one-sided 95 % bound of Clopper and Pearson
 * (Biometrika 26, 1934) lies at or below that share, and fails if the bound of the other side lies
 * above it; else the trial had too few samples to decide, and is undetermined. For p99, 299 samples
 * pass without one over, 473 with one, 628 with two.
 *
 * The bound holds for independent samples, and the handoffs of one trial are not: a pause delays
 * several. So the bound is no confidence in the ensemble. It decides only whether a trial had
 * enough samples to vote, and a trial is one vote, however many samples it had: search.h decides by
 * several trials. Samples of several trials are never pooled. */

#define JUDGE_CONFIDENCE 0.95 /* one-sided */

/* X(name, the word for it in files). The last two are the caller's: zkherd itself was the limit, or
 * the numbers do not add up; the brake has ended the trial before its time. */
#define JUDGE_VERDICT_LIST(X)                                                                      \
    X(PASS, "pass")                                                                                \
    X(FAIL, "fail")                                                                                \
    X(UNDETERMINED, "undetermined")                                                                \
    X(NOT_VALID, "not valid")                                                                      \
    X(BRAKED, "braked")

enum judge_verdict {
#define X(name, word) JUDGE_##name,
    JUDGE_VERDICT_LIST(X)
#undef X
        JUDGE_VERDICTS
};

extern const char *const judge_verdict_words[];

/* The verdict of a trial whose limit `over` of its samples exceeded; from a histogram: count with
 * overflow, and histogram_above. */
enum judge_verdict judge_percentile(const struct objective *objective, uint64_t samples,
                                    uint64_t over);

/* The least number of samples with which a trial passes if `over` (below 2^32) exceed the limit. */
uint64_t judge_samples_needed(const struct objective *objective, uint64_t over);

#endif
