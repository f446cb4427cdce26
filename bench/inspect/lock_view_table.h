// SPDX-License-Identifier: Apache-2.0
/*
 * lock_view_table: a view of a lock, for people. Layer: bench/inspect.
 *
 * Ages are from a znode's creation, by the servers' clock, to now, by this machine's: there is no
 * asking for the servers' time without writing something. Where that gives less than nothing, it is
 * said.
 */
#ifndef BENCH_INSPECT_LOCK_VIEW_TABLE_H
#define BENCH_INSPECT_LOCK_VIEW_TABLE_H

#include "bench/inspect/lock_view.h"
#include "servers/connections.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the line that sums up, a row for each place, for a terminal of so many columns, and a line
 * for each thing that is not known. Errors of grid_write. */
MUST_CHECK enum error_kind lock_view_table_write(const char *path, const struct lock_view *view,
                                                 const struct connections *connections,
                                                 size_t width, FILE *stream, struct error *error);

/* The age of what was created at this time, in *age_ms; false if it seems to lie ahead by more than
 * clocks differ that are kept together, or is 0: not known. */
bool lock_view_table_age(int64_t created_ms, int64_t *age_ms);

/* "2.4 s", or GRID_UNKNOWN; size >= 32. Returns text. */
const char *lock_view_table_format_age(int64_t created_ms, char *text, size_t size);

/* "holds", "waits" or "pending". A static text. */
const char *lock_view_table_state(const struct lock_view *view, size_t place);

#endif
