// SPDX-License-Identifier: Apache-2.0
/*
 * manifest: manifest.json, which describes how results were made. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_MANIFEST_H
#define BENCH_OUTPUT_MANIFEST_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "bench/output/file_set.h"
#include "bench/target/target.h"
#include "fleet/shared.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* A manifest under construction. */
struct manifest {
    json_t *json;     /* an object, to which the subcommand adds members of its own */
    json_t *warnings; /* a list of texts, which stands in the object when that is complete */
};

/* Begins it with what is known before the first trial. argv[0] is the subcommand; takes the plan.
 */
void manifest_begin(struct manifest *manifest, int argc, char **argv, uint64_t seed, json_t *plan,
                    const struct target_options *options, const struct target *target);

/* Sets the number of sessions of the last trial on each server, and the role of each server. */
void manifest_sessions(struct manifest *manifest, const struct shared *shared);

/* Completes the manifest, and writes manifest.json into the folder. noise: the object of the
 * trials, which it takes, or NULL; cut_short: why the trials ended before the last of those
 * planned, or why a file is missing; NULL: neither. */
MUST_CHECK enum error_kind manifest_write(struct manifest *manifest, const struct file_set *files,
                                          size_t planned, json_t *noise,
                                          const struct error *cut_short, struct error *error);

/* Warns, but with --quiet, about what comes after all other files; adds the warning to a manifest
 * that manifest_write has written into the folder, and writes it again. If that cannot be done, the
 * file is as before. */
void manifest_warn_late(const struct manifest *manifest, const char *folder, const char *warning,
                        bool quiet);

/* What --json prints of the results on a topology, once the manifest is written: a new object of
 * what both say, and the cells, the subcommand's own list, which it takes. */
json_t *manifest_result(const struct manifest *manifest, const char *folder, size_t servers,
                        json_t *cells);

void manifest_deinit(struct manifest *manifest);

#endif
