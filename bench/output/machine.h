// SPDX-License-Identifier: Apache-2.0
/*
 * machine: what the host is, and whether its limits allow a run. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_MACHINE_H
#define BENCH_OUTPUT_MACHINE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Raises the limit of open files so that a process can hold so many sessions, and a private server
 * all of them. ERROR_NO_DESCRIPTORS, with the numbers, when that is not allowed. */
MUST_CHECK enum error_kind machine_allow_descriptors(uint64_t needed, struct error *error);

/* How many local ports the kernel gives out for connections to one server. */
uint64_t machine_local_ports(void);

/* Writes the kind of file system that a folder lies on, as the kernel calls it ("ext4", "tmpfs"),
 * or "unknown"; folder is an absolute path without links. */
void machine_file_system(const char *folder, char *name, size_t size);

/* CPU, cores, memory, kernel and limits, for the manifest; NULL without memory. The caller's to
 * json_decref. */
json_t *machine_describe(void);

#endif
