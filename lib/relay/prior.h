// SPDX-License-Identifier: Apache-2.0
/*
 * prior: what a recording presupposes: the znodes that were there before its first message, as far
 * as its replies tell; and the names that its servers have given to sequential znodes. Layer:
 * relay.
 *
 * A znode was there if something succeeded that needs it, a create failed because of it, or a znode
 * was made below it, and the recording has not made it before. The order of replies on several
 * connections is not that of the writes: a znode that somebody finds before its maker has the reply
 * is not taken for an older one.
 *
 * Invariant: with each znode that was there its parents were.
 */
#ifndef RELAY_PRIOR_H
#define RELAY_PRIOR_H

#include "base/error.h"
#include "relay/path_tree.h"
#include "relay/recording.h"
#include "relay/traffic.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero bytes: nothing was read. */
struct prior {
    struct traffic traffic; /* of the recording; first, because the listener's context is both */
    struct recording_facts facts;
    char **znodes; /* those that were there, parents first, without the root */
    size_t znode_count;
    path_tree places; /* prior.c's own */
    path_tree names;  /* relay/rename.h, of sequential znodes; none is settled */
};

/* Reads a recording. *prior ends with prior_deinit, also after an error: those of recording_read.
 */
MUST_CHECK enum error_kind prior_read(struct prior *prior, const char *path, struct error *error);
void prior_deinit(struct prior *prior);

#endif
