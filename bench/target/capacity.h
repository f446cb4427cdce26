// SPDX-License-Identifier: Apache-2.0
/*
 * capacity: how many sessions the servers of --connect allow this host, and what of a plan that
 * leaves. Layer: bench/target.
 *
 * Session i connects to server i mod their number, and each server has a limit of its own for each
 * address that connects to it. Of that limit CAPACITY_RESERVED are no trial's.
 */
#ifndef BENCH_TARGET_CAPACITY_H
#define BENCH_TARGET_CAPACITY_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "client/connect.h"

#include <stddef.h>
#include <stdint.h>

/* zkherd's own session, a question by four-letter word, and two connections of the trial before
 * that the server may not have done with yet. */
#define CAPACITY_RESERVED 4

struct capacity {
    uint64_t sessions; /* at most, at a time; UINT64_MAX: as many as were asked for */
    uint64_t room;     /* connections of this host that the tightest server takes, … */
    char server[ENDPOINT_TEXT_SIZE]; /* … and which that is; "": none has a limit that matters */
};

/* Takes down that the server of this index takes so many connections of this host. */
void capacity_heed(struct capacity *capacity, const struct connect_string *servers, size_t index,
                   uint64_t room);

/* Finds out what these servers, those that sessions connect to, allow a plan whose largest number
 * of clients is `most`. Errors of connection_limit_try. */
MUST_CHECK enum error_kind capacity_look(const struct connect_string *servers, uint64_t most,
                                         struct capacity *capacity, struct error *error);

/*
 * Leaves out the numbers of clients above the capacity or above max_clients. The reason goes to
 * text, "" if nothing is left out. ERROR_CONNECTION_LIMIT if nothing remains.
 */
MUST_CHECK enum error_kind capacity_fit(const struct capacity *capacity, uint64_t max_clients,
                                        struct client_counts *clients, char *text, size_t size,
                                        struct error *error);

#endif
