// SPDX-License-Identifier: Apache-2.0
/*
 * sight_table: a sight of a lock, for people. Layer: bench.
 *
 * Ages are from a znode's creation, by the servers' clock, to now, by this machine's: there is no
 * asking for the servers' time without writing something. Where that gives less than nothing, it is
 * said.
 */
#ifndef BENCH_SIGHT_TABLE_H
#define BENCH_SIGHT_TABLE_H

#include "bench/sight.h"
#include "zk/whereabouts.h"

#include <stdio.h>

/* Writes the line that sums up, a row for each place, aligned, and a line for each thing that could
 * not be told. */
void sight_table_write(const char *path, const struct sight *sight,
                       const struct whereabouts *whereabouts, FILE *stream);

#endif
