// SPDX-License-Identifier: Apache-2.0
/*
 * lock_view_table: a view of a lock, for people. Layer: bench/inspect.
 *
 * An age is this machine's time minus the creation of a znode by the servers' clock, because nobody
 * can read that clock without writing a znode. A negative age is reported as unknown.
 */
#ifndef BENCH_INSPECT_LOCK_VIEW_TABLE_H
#define BENCH_INSPECT_LOCK_VIEW_TABLE_H

#include "bench/inspect/lock_view.h"
#include "servers/connections.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a summary line, a row for each place, for a terminal of so many columns, and a line for
 * each kind of value that is not known. Errors of grid_write. */
MUST_CHECK enum error_kind lock_view_table_write(const char *path, const struct lock_view *view,
                                                 const struct connections *connections,
                                                 size_t width, FILE *stream, struct error *error);

/* The age of a znode created at this time, in *age_ms. False if the age is not known: created_ms is
 * 0, or lies ahead by more than two synchronized clocks differ. */
bool lock_view_table_age(int64_t created_ms, int64_t *age_ms);

/* "2.4 s", or GRID_UNKNOWN; size >= 32. Returns text. */
const char *lock_view_table_format_age(int64_t created_ms, char *text, size_t size);

/* "holds", "waits" or "pending". A static text. */
const char *lock_view_table_state(const struct lock_view *view, size_t place);

#endif
