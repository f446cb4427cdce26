// SPDX-License-Identifier: Apache-2.0
/*
 * machine: describes the host, and raises its limits for a run. Layer: bench/cli.
 */
#ifndef BENCH_CLI_MACHINE_H
#define BENCH_CLI_MACHINE_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Raises the limit of open files for so many sessions in one process, or in one private server.
 * ERROR_NO_DESCRIPTORS, with the numbers, if the host does not allow that. */
MUST_CHECK enum error_kind machine_allow_descriptors(uint64_t needed, struct error *error);

/* The sessions with one descriptor each that machine_allow_descriptors can allow; UINT64_MAX: no
 * limit. */
uint64_t machine_descriptors(void);

/* The number of local ports for connections to one server. */
uint64_t machine_local_ports(void);

/* Writes the kernel's name of the file system of a folder ("ext4", "tmpfs"), or "unknown". folder:
 * an absolute path without links. */
void machine_file_system(const char *folder, char *name, size_t size);

/* Writes the name of this host, and the model of its CPU, or "unknown". */
void machine_names(char *host, size_t host_size, char *cpu, size_t cpu_size);

/* CPU, cores, memory, kernel and limits, for the manifest; NULL without memory. The caller's to
 * json_decref. */
json_t *machine_describe(void);

#endif
