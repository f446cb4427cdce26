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
    int signals;   /* a signalfd (bench/cli/machine.h), until targets_deinit; -1: none */
    bool made_out; /* the folder for the folders of several targets */
};

/* Finds the servers of --connect, for most_sessions sessions at a time; then turns the signals that
 * end a program into a descriptor, starts the servers of every topology, and makes the root znodes.
 * targets_close and targets_deinit must be called also after an error. Errors of target_find,
 * target_open and target_make_root. */
MUST_CHECK enum error_kind targets_open(struct targets *targets,
                                        const struct target_options *options,
                                        uint64_t most_sessions, struct error *error);

/* Closes all targets; *left, if it is ERROR_LEFT_BEHIND, says what remains. May be called again. */
void targets_close(struct targets *targets, struct error *left);

/* Closes the descriptor of signals, and removes the folder `out` if targets_folder has made it and
 * nothing was kept in it. */
void targets_deinit(struct targets *targets, const char *out);

/* target_find_cause, of all targets. */
enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error);

/* The folder for the results of a target, from the first to the last: *path is `out` itself if
 * there is one target, or if `out` is NULL; else a folder in `out`, which is made for the first,
 * and whose path is written to `folder`. ERROR_EXISTS and the operating system's. */
MUST_CHECK enum error_kind targets_folder(struct targets *targets, size_t topology, const char *out,
                                          char folder[PATH_MAX], const char **path,
                                          struct error *error);

/* Writes which versions the servers of a target run to text; "" if they run the same. */
void targets_describe_versions(const struct target *target, char *text, size_t size);

#endif
