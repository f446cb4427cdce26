// SPDX-License-Identifier: Apache-2.0
/*
 * manifest: manifest.json, which describes how a run was made. Layer: bench/run.
 */
#ifndef BENCH_RUN_MANIFEST_H
#define BENCH_RUN_MANIFEST_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/run/results.h"
#include "bench/target/target.h"

#include <jansson.h>
#include <stdbool.h>

/* A manifest under construction. Without memory the functions below do nothing, and manifest_write
 * returns ERROR_NO_MEMORY. */
struct manifest {
    json_t *json;
    json_t *warnings;
};

/* Begins the manifest before the first trial: command line, version, seed, plan, host, servers. */
void manifest_begin(struct manifest *manifest, int argc, char **argv, const struct options *options,
                    const struct target *target);

/* Adds a warning. */
void manifest_warn(struct manifest *manifest, const char *warning);

/* Sets the number of sessions of the last trial on each server, and the role of each server. */
void manifest_sessions(struct manifest *manifest, const struct lock_board *board);

/* Adds the stalls of a trial, if it has any. */
void manifest_stalls(struct manifest *manifest, const struct sample *sample);

/* Completes the manifest and writes manifest.json into the run's folder. cut_short: why the run
 * ended before its last trial, or NULL. */
MUST_CHECK enum error_kind manifest_write(struct manifest *manifest, const struct results *results,
                                          const struct error *cut_short, size_t trials_planned,
                                          struct error *error);
void manifest_deinit(struct manifest *manifest);

#endif
