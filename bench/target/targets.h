// SPDX-License-Identifier: Apache-2.0
/*
 * targets: the target of each topology that a subcommand works on. Layer: bench/target.
 *
 * Invariant: after targets_close no private server runs, and each root znode is deleted or
 * reported.
 */
#ifndef BENCH_TARGET_TARGETS_H
#define BENCH_TARGET_TARGETS_H

#include "bench/target/target.h"

#include <limits.h>

struct targets {
    struct target list[OPTIONS_TOPOLOGIES_MAX];
    size_t count;
    int signals; /* a signalfd (bench/cli/signals.h), the targets'; -1: none */
};

/* Starts or finds the servers of every topology, for most_sessions sessions at a time, turns the
 * signals that end a program into a descriptor, and makes the root znodes. targets_close must be
 * called also after an error. Those of target_open and target_make_root. */
MUST_CHECK enum error_kind targets_open(struct targets *targets,
                                        const struct target_options *options,
                                        uint64_t most_sessions, struct error *error);

/* Closes all targets; *left, if it is ERROR_LEFT_BEHIND, says what remains. May be called again. */
void targets_close(struct targets *targets, struct error *left);

/* target_find_cause, of all targets. */
enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error);

/* The folder for the results of a target: `out` itself if there is one target, else a folder in it,
 * whose path is written to `folder`; NULL if `out` is NULL. */
const char *targets_folder(const struct targets *targets, size_t topology, const char *out,
                           char folder[PATH_MAX]);

#endif
