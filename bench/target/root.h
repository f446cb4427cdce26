// SPDX-License-Identifier: Apache-2.0
/*
 * root: the name and the data of a run's root znode. Layer: bench/target.
 *
 * The name has the time and the process: /zkherd-20261122T080910Z-0001234. On the servers of
 * --connect the data name the process and the host, and an ephemeral child, the mark, exists as
 * long as the session of the run: the servers remove the mark also of a run that was killed.
 */
#ifndef BENCH_TARGET_ROOT_H
#define BENCH_TARGET_ROOT_H

#include <stdbool.h>
#include <stddef.h>

#define ROOT_PATH_SIZE   48
#define ROOT_RECORD_SIZE 128

/* The name of the mark. */
#define ROOT_MARK "alive"

/* The data of a root begin with this text. */
#define ROOT_RECORD "zkherd run, "

/* The path of the root for this process and this second; its length is the same in every run.
 * size >= ROOT_PATH_SIZE. Returns text. */
const char *root_path(char *text, size_t size);

/* Whether a child of / has the name of a root. */
bool root_is_name(const char *name);

/* Whether a child of a root has the name of a trial, or of the mark. */
bool root_is_child(const char *name);

/* The root's data: "zkherd run, process 1234 on host". size >= ROOT_RECORD_SIZE. Returns text. */
const char *root_record(char *text, size_t size);

#endif
