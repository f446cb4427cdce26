// SPDX-License-Identifier: Apache-2.0
/*
 * paper_servers: what the servers of an evaluation are, and what they can show of the paper's.
 * Layer: bench/paper.
 */
#ifndef BENCH_PAPER_PAPER_SERVERS_H
#define BENCH_PAPER_PAPER_SERVERS_H

#include "bench/cli/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Why these servers cannot show how throughput changes with their number, of writes or of reads
 * alone: a static text without a period; NULL if they can. Servers that share the cores of one
 * machine take them from each other, and the leader of a simulation pays nothing for a follower. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes);

/* What a server of ours has, where the paper's has a machine. Returns text. */
const char *paper_servers_describe(const struct target_options *target, char *text, size_t size);

#endif
