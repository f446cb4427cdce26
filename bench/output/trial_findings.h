// SPDX-License-Identifier: Apache-2.0
/*
 * trial_findings: what is found of the trials of any kind: those that fail or are not valid, how
 * many were disturbed, whether the servers counted as the clients did. Layer: bench/output.
 *
 * Invariant: a disturbed trial is in the finding of the times alone, whatever else made it not
 * valid: what others do to the machine has many faces.
 */
#ifndef BENCH_OUTPUT_TRIAL_FINDINGS_H
#define BENCH_OUTPUT_TRIAL_FINDINGS_H

#include "bench/output/findings.h"
#include "bench/output/noise_watch.h"
#include "measure/table.h"

#include <stddef.h>

/* The columns of a kind of trials that are judged. */
struct trial_findings {
    size_t subject;    /* the text that findings are about */
    size_t valid;      /* the flag; 0: none, as of the votes of a search: one that is not valid is
                          no vote, and no finding */
    size_t reason;     /* the text why not, or why the verdict fails */
    size_t reconciled; /* the word */
    size_t noise;      /* the first column of noise (noise_watch.h) */
    size_t fails;      /* the flag or the count that is above 0 if the verdict fails */
    /* Writes which of the subject's trials a row is: "trial 2 with 16 clients". */
    void (*describe)(const struct table_value *row, char *text, size_t size);
};

/* Adds a finding for each reason for which trials of a subject fail or are not valid; reasons that
 * differ only in numbers are one. repeat: what stands behind it, how to repeat the trials; "". */
void trial_findings_add_faults(const struct trial_findings *kind, const struct table *rows,
                               const char *repeat, struct table *findings);

/* Adds whether the servers' counts equal those of the clients; nothing if they were not compared.
 */
void trial_findings_add_servers(const struct trial_findings *kind, const struct table *rows,
                                struct table *findings);

/* Adds how many of the trials were disturbed, by this watch, unless none was: with --noise report,
 * and of votes, that judges nothing. made_again: attempts that another one followed. */
void trial_findings_add_noise(const struct trial_findings *kind, const struct table *rows,
                              const struct noise_watch *watch, size_t made_again,
                              struct table *findings);

#endif
