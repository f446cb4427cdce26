// SPDX-License-Identifier: Apache-2.0
/*
 * manifest: manifest.json, everything needed to judge a run and to repeat it. Layer: bench/run.
 */
#ifndef BENCH_RUN_MANIFEST_H
#define BENCH_RUN_MANIFEST_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/results.h"
#include "bench/target/target.h"

#include <jansson.h>
#include <stdbool.h>

/* A manifest under construction. All of the below do nothing once memory has run out;
 * manifest_write says so. */
struct manifest {
    json_t *json;
    json_t *warnings;
};

/* Begins with what is known before the first trial: command line, version, seed, plan, host,
 * servers. */
void manifest_begin(struct manifest *manifest, int argc, char **argv, const struct options *options,
                    const struct target *target);

/* Adds a warning. */
void manifest_warn(struct manifest *manifest, const char *warning);

/* Notes which sessions of the last trial were connected to which server, a count each, and what
 * each server was. */
void manifest_sessions(struct manifest *manifest, const struct lock_board *board);

/* Adds the stalls of a trial, if it has any. */
void manifest_stalls(struct manifest *manifest, const struct sample *sample);

/* Ends it and writes it into the run's folder. cut_short: why the run ended before its last trial,
 * or NULL. */
MUST_CHECK enum error_kind manifest_write(struct manifest *manifest, const struct results *results,
                                          const struct error *cut_short, size_t trials_planned,
                                          struct error *error);
void manifest_deinit(struct manifest *manifest);

#endif
