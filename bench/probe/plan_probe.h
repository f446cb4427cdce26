// SPDX-License-Identifier: Apache-2.0
/*
 * plan_probe: what one trial of a search is of, and when it has measured enough. Layer:
 * bench/probe.
 *
 * A trial is in steady state and free pace. Where the objective is about the latency of a lock, the
 * trial ends when it has the samples that were asked for; or before, when so many of them are over
 * the limit that it fails whatever the others are; or when it has lasted as long as the samples
 * take that meet the objective. So a size that is far too large costs little time. Otherwise the
 * time alone decides.
 *
 * Of the handoffs, those count that all other clients of the lock waited for: at the end of a trial
 * fewer and fewer wait, and those handoffs are of smaller sizes. Those before every client has been
 * granted once do not count either.
 *
 * Of the load beside a trial those requests count that were due from plan_probe_is_steady on, until
 * the trial has enough. Their number follows from the rate, however slow their replies are.
 *
 * Invariant: to end a trial early never changes its verdict.
 */
#ifndef BENCH_PROBE_PLAN_PROBE_H
#define BENCH_PROBE_PLAN_PROBE_H

#include "base/clock.h"
#include "bench/background/background.h"
#include "bench/probe/plan_question.h"
#include "measure/histogram.h"
#include "trial/trial_memory.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_probe {
    const struct plan_question *question;
    uint64_t size;
    uint64_t load_per_s; /* requests of the load beside the trial; 0: there is none */
    uint64_t samples;    /* that are enough; 0: the time decides */
    uint64_t fails_at;   /* so many over the limit are a failure, of so many samples */
    uint64_t longest_ns; /* from the gate on */
};

/* The samples of a trial, and those of them that are over the objective's limit. */
struct plan_count {
    uint64_t samples, over;
};

/* The samples that are enough for a trial; 0: the time decides. */
uint64_t plan_probe_samples(const struct plan_question *question, const struct search_probe *probe);

struct plan_probe plan_probe_of(const struct plan_question *question,
                                const struct search_probe *probe);

/* The load beside it; its rate is 0 if there is none. */
struct background_plan plan_probe_background(const struct plan_probe *probe);

/* The trial: all but its root, its servers and its seed. */
struct trial_plan plan_probe_trial(const struct plan_probe *probe, const struct recipe *recipe,
                                   enum driver driver);

/* What an objective on handoffs is judged by; may be asked while the trial goes on. */
struct plan_count plan_probe_count_handoffs(const struct objective *objective,
                                            const struct trial_memory *memory);

/* Adds these handoffs to a histogram. */
void plan_probe_take_handoffs(const struct trial_memory *memory, struct histogram *histogram);

/* What an objective on the rate is judged by: how many handoffs a second all locks made together,
 * in each of so many equal parts of the time in which all clients took part. Returns how many there
 * are: 0 if there was no such time. */
#define PLAN_BATCHES 10
size_t plan_probe_rates(const struct trial_memory *memory, double per_s[PLAN_BATCHES]);

/* Whether a trial that has gone on for so long is in steady state: as many handoffs of each lock as
 * it has clients; or PLAN_STEADY_NS, which is enough for all clients to arrive. */
#define PLAN_STEADY_NS (5 * NS_PER_S)
bool plan_probe_is_steady(const struct trial_memory *memory, uint64_t elapsed_ns);

/* Whether a trial that has gone on for so long has measured enough. beside: of the load beside it,
 * so far. */
bool plan_probe_has_enough(const struct plan_probe *probe, const struct trial_memory *memory,
                           const struct plan_count *beside, uint64_t elapsed_ns);

#endif
