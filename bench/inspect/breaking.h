// SPDX-License-Identifier: Apache-2.0
/*
 * breaking: takes a lock from those who are seen to hold it, by deleting their znodes. Layer:
 * bench/inspect.
 *
 * They are not told. Unless what the lock protects refuses them (a fencing token), they go on as if
 * they held it, beside the next holder.
 *
 * Invariant: a znode is deleted only if it is the one that was seen: of the same session, created
 * at the same time, with the same version. The name of a place in line is never given again. A lock
 * of one znode, though, may change hands between the last look and the deletion, a round trip, and
 * ZooKeeper would not tell the two znodes apart.
 */
#ifndef BENCH_INSPECT_BREAKING_H
#define BENCH_INSPECT_BREAKING_H

#include "bench/inspect/lock_view.h"
#include "bench/target/browser.h"

#include <stdbool.h>
#include <stddef.h>

/* Says on stderr who would lose the lock, and reads from stdin, a terminal, whether it shall. An
 * answer other than y or yes is no. Errors of browser.h. */
MUST_CHECK enum error_kind breaking_ask(struct browser *browser, const struct lock_view *view,
                                        bool *agreed, struct error *error);

/*
 * Deletes the holders' znodes, after a look whether all of them are still as they were seen.
 * *unlike is the first that was not, or view->holders; in the former case it is left alone, and so
 * are all others, or at least those behind it if it went during the deletions. *deleted is how many
 * were deleted, from the first on, also on an error. Errors of browser.h.
 */
MUST_CHECK enum error_kind breaking_delete(struct browser *browser, const char *path,
                                           const struct lock_view *view, size_t *deleted,
                                           size_t *unlike, struct error *error);

/* Writes a line to stdout for each of the first so many holders, whose znodes were deleted. */
void breaking_tell(const struct lock_view *view, size_t deleted);

#endif
