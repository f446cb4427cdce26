// SPDX-License-Identifier: Apache-2.0
/*
 * root: a run's root znode: its name, whose it is, and whether the run lives. Layer: bench/target.
 *
 * The name is the time and the process, /zkherd-20261122T080910Z-0001234. On servers of others its
 * data name the process and the host, and an ephemeral child shows that the run lives: that znode
 * goes with the session of the run, so also when the run was killed.
 */
#ifndef BENCH_TARGET_ROOT_H
#define BENCH_TARGET_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#define ROOT_PATH_SIZE   48
#define ROOT_RECORD_SIZE 128

/* The child that is there as long as the run. */
#define ROOT_MARK "alive"

/* What a znode's data begin with that is a run's root. */
#define ROOT_RECORD "zkherd run, "

/* The root's path for this process and this second; as long in every run. size >= ROOT_PATH_SIZE.
 * Returns text. */
const char *root_path(char *text, size_t size);

/* Whether a child of / has the name of a root. */
bool root_is_name(const char *name);

/* Whether a child of a root has a name that runs give: of a trial, or the mark. */
bool root_is_child(const char *name);

/* The root's data: "zkherd run, process 1234 on host". size >= ROOT_RECORD_SIZE. Returns text. */
const char *root_record(char *text, size_t size);

#endif
