// SPDX-License-Identifier: Apache-2.0
/*
 * handoff_bars: the growth of a handoff's RPCs with the clients, as bars of text. Layer: bench/run.
 *
 * A drain of O(n) RPCs has bars of one length, one of O(n²) bars as long as n. Invariant: all bars
 * are on one linear scale from 0, and no line is wider than 80 columns.
 */
#ifndef BENCH_RUN_HANDOFF_BARS_H
#define BENCH_RUN_HANDOFF_BARS_H

#include "bench/cli/options.h"
#include "bench/run/trial_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a title, and for each recipe a line for each number of clients: the RPCs of its trials by
 * their handoffs, grants that is; without trials that were cut short, or whose verdict fails. Of
 * many numbers of clients only some are shown, the
 * least and the largest among them. Writes nothing if fewer than two bars could be compared, or if
 * the terminal, of `width` columns, has no room for them. blocks: see bar.h. */
void handoff_bars_write(const struct table *rows, const struct options *options, size_t width,
                        bool blocks, FILE *stream);

#endif
