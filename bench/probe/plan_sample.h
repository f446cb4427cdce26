// SPDX-License-Identifier: Apache-2.0
/*
 * plan_sample: the figures of a finished trial of a search, its verdict, and its row of plan.csv.
 * Layer: bench/probe.
 *
 * Invariant: a trial whose times are not those of the servers, whose counts disagree, or whose
 * figures do not add up by Little's law (capacity/utilisation.h), has no vote: its verdict is
 * JUDGE_NOT_VALID, and the reason says why. So it is with a trial whose load in the background was
 * not sent as planned, whatever the objective is about.
 */
#ifndef BENCH_PROBE_PLAN_SAMPLE_H
#define BENCH_PROBE_PLAN_SAMPLE_H

#include "base/error.h"
#include "bench/probe/plan_probe.h"
#include "capacity/utilisation.h"
#include "measure/csv.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the latency that the objective is about; the figure of the objective's own percentile first.
 */
enum { PLAN_AT, PLAN_P50, PLAN_P99, PLAN_LARGEST, PLAN_FIGURES };

struct plan_sample {
    const struct recipe *recipe;
    struct search_probe probe;
    bool for_knee;     /* run for the knee alone (plan_knee.h): no step of the search */
    uint64_t step;     /* of the trials of its search, from 1 */
    uint64_t proposed; /* where its search began, by a model; 0: at the least size */
    uint32_t sessions, locks;
    uint64_t handoffs;                /* grants in all */
    uint64_t load_per_s;              /* asked of the load beside the trial; 0: there is none */
    struct background_figures beside; /* not measured if there is none */
    struct plan_count count;
    enum judge_verdict verdict;
    /* NaN: none, as for the objective's own percentile if it is about a rate; infinite: above the
     * range of a histogram. */
    double latency_us[PLAN_FIGURES];
    double handoff_p50_us; /* of the handoffs that count, whatever is judged; NaN: there is none */
    double handoffs_per_s; /* while all clients took part; NaN: no such time */
    double elapsed_s;
    double client_cores; /* that the driver used */
    double server_cores; /* that all servers used; NaN: not known */
    enum reconciled reconciled;
    bool is_explained; /* the figures of the trial add up; else the next two are not known */
    struct utilisation_figures figures;
    struct utilisation_finding gave_out; /* what gave out first */
    bool fails;       /* a verdict of the trial failed: the lock is broken, or a server miscounts */
    char reason[832]; /* why the trial is not valid, or which verdict failed; "": neither */
};

struct plan_samples {
    struct plan_sample *list;
    size_t count;
};

/* What a trial ran on. */
struct plan_machine {
    double cores;            /* that zkherd and its private servers may use (base/cores.h) */
    unsigned server_percent; /* of a core, for each private server; 0: no limit */
};

/* Fills *sample from a finished trial and the load beside it; without a load, the figures beside
 * are of all zero bytes. ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind plan_sample_take(const struct plan_probe *probe,
                                            const struct search_probe *asked,
                                            const struct trial_result *result,
                                            const struct background_figures *beside,
                                            const struct plan_machine *machine,
                                            struct plan_sample *sample, struct error *error);

/* Whether it is a vote of its search. */
bool plan_sample_is_vote(const struct plan_sample *sample);

/* Whether it has all its samples. A trial that was ended before because it failed in any case has
 * more slow handoffs than its share. */
bool plan_sample_is_whole(const struct plan_question *question, const struct plan_sample *sample);

/* Fills *sample of a trial of this recipe that did not begin, because the load beside it had ended:
 * it is not valid. */
void plan_sample_miss(const struct plan_probe *probe, const struct search_probe *asked,
                      const struct recipe *recipe, const struct background_figures *beside,
                      struct plan_sample *sample);

/* The guard has ended the trial, because it did harm: why. */
void plan_sample_brake(struct plan_sample *sample, const char *why);

/* Appends; plan_samples_deinit frees. */
MUST_CHECK enum error_kind plan_samples_add(struct plan_samples *samples,
                                            const struct plan_sample *sample, struct error *error);
void plan_samples_deinit(struct plan_samples *samples);

/* What is equal in all rows of a folder. */
struct plan_sample_context {
    const char *run;
    const char *target;
    size_t servers;
    const struct plan_question *question;
};

/* The columns of plan.csv, and a sample's row. */
extern const char plan_sample_columns[];
void plan_sample_write(const struct plan_sample *sample, const struct plan_sample_context *context,
                       struct csv *csv);

#endif
