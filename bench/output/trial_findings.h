// SPDX-License-Identifier: Apache-2.0
/*
 * trial_findings: whether the times of a trial can be used, and why not; and what is found of the
 * trials of any kind: those that fail or are not valid, how many were disturbed, whether the
 * servers counted as the clients did. Layer: bench/output.
 *
 * Invariants: every reason is kept, one behind the other; the counts of a trial whose times cannot
 * be used still stand. A disturbed trial is in the finding of the times alone, whatever else made
 * it not valid: what others do to the machine has many faces.
 */
#ifndef BENCH_OUTPUT_TRIAL_FINDINGS_H
#define BENCH_OUTPUT_TRIAL_FINDINGS_H

#include "base/text.h"
#include "bench/output/findings.h"
#include "bench/output/noise_watch.h"
#include "measure/table.h"
#include "trial/trial.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero bytes: nothing speaks against the times. */
struct validity {
    bool lost;
    char reason[TRIAL_REASON_SIZE]; /* clauses (base/text.h), cut to fit */
};

/* The times cannot be used, for this reason among others. */
#define validity_lose(validity, ...)                                                               \
    ((validity)->lost = true,                                                                      \
     text_append_clause((validity)->reason, sizeof(validity)->reason, __VA_ARGS__))

/* What the driver of a trial did: a process of it can use one core at most, threads all that are
 * allowed. */
struct validity_driver {
    const struct fleet_plan *plan;
    double cores_allowed;         /* for zkherd (base/cores.h) */
    double cores;                 /* that it used; NaN: not known */
    const struct histogram *late; /* by how much its actions were late */
    const char *what;             /* these actions: "holds ended" */
    uint64_t absent_ns;           /* it did not run, beyond what may be */
};

/* Gives the reasons for which the driver, and not the servers, may have been the limit. Returns
 * whether there is one. */
bool validity_judge_driver(const struct validity_driver *driver, struct validity *validity);

/* Gives the reasons for which the times of a trial that ran to its end on servers, with
 * cores_allowed for zkherd, may not be those of the servers: a server stalled, a connection was
 * lost, or the driver itself may have been the limit. */
void validity_judge_trial(const struct trial_result *result, double cores_allowed,
                          struct validity *validity);

/* Adds a finding for each reason for which trials of a subject fail or are not valid; reasons that
 * differ only in numbers are one. repeat: what stands behind it, how to repeat the trials; "". */
void trial_findings_add_faults(const struct trial_kind *kind, const struct table *rows,
                               const char *repeat, struct table *findings);

/* Adds whether the servers' counts equal those of the clients; nothing if they were not compared.
 */
void trial_findings_add_servers(const struct trial_kind *kind, const struct table *rows,
                                struct table *findings);

/* Adds how many of the trials were disturbed, by this watch, unless none was: with --noise report,
 * and of votes, that judges nothing. made_again: attempts that another one followed. */
void trial_findings_add_noise(const struct trial_kind *kind, const struct table *rows,
                              const struct noise_watch *watch, size_t made_again,
                              struct table *findings);

#endif
