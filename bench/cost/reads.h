// SPDX-License-Identifier: Apache-2.0
/*
 * reads: what a load of reads costs zkherd, beside the bare calls of the client library. Layer:
 * bench.
 *
 * A load of `zkherd load`, with all that it counts and times, and the bare client of bare_reads.h
 * take turns on the server of read_server.h; the ratio of the CPU times is taken turn by turn.
 */
#ifndef BENCH_COST_READS_H
#define BENCH_COST_READS_H

#include "base/error.h"
#include "fleet/setup_session.h"

/* Measures and prints, the goals beside. `setup` makes the folders of the load, which the sessions
 * never ask for, below `root`, and deletes them. */
MUST_CHECK enum error_kind reads_compare(struct setup_session *setup, const char *root,
                                         struct error *error);

#endif
