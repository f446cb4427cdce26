// SPDX-License-Identifier: Apache-2.0
/*
 * breaking: takes a lock from its holders by deleting their znodes. Layer: bench/inspect.
 *
 * The holders do not notice. Unless the resource refuses them (a fencing token), they continue
 * beside the next holder.
 *
 * Invariant: a znode is deleted only if it is the znode of the view: same session, same time of
 * creation, same version. The name of a place in a queue is never used again. But a lock of one
 * znode may change hands in the round trip between the last read and the deletion, and ZooKeeper
 * cannot tell the two znodes apart.
 */
#ifndef BENCH_INSPECT_BREAKING_H
#define BENCH_INSPECT_BREAKING_H

#include "bench/inspect/lock_view.h"
#include "bench/target/browser.h"

#include <stdbool.h>
#include <stddef.h>

/* Names on stderr the sessions that would lose the lock, and asks for confirmation (consent_await).
 * Errors of browser.h. */
MUST_CHECK enum error_kind breaking_ask(struct browser *browser, const struct lock_view *view,
                                        bool *agreed, struct error *error);

/*
 * Deletes the znodes of the holders, after a check that all of them are as in the view. *unlike is
 * the index of the first znode that is not, or view->holders. If the check finds one, nothing is
 * deleted; if a znode differs only at its deletion, this one and those behind it are kept. *deleted
 * is the number of deleted znodes, from the first on, also on an error. Errors of browser.h.
 */
MUST_CHECK enum error_kind breaking_delete(struct browser *browser, const char *path,
                                           const struct lock_view *view, size_t *deleted,
                                           size_t *unlike, struct error *error);

/* Writes a line to stdout for each of the first `deleted` holders. */
void breaking_tell(const struct lock_view *view, size_t deleted);

#endif
