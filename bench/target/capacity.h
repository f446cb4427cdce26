// SPDX-License-Identifier: Apache-2.0
/*
 * capacity: how many sessions the servers of --connect allow this host, and which numbers of
 * clients remain. Layer: bench/target.
 *
 * Session i connects to server i mod the number of servers, and so does the load beside a trial.
 * Each server limits the connections of one address; CAPACITY_RESERVED of them, and those of the
 * load beside the trial, are not for the clients of trials.
 */
#ifndef BENCH_TARGET_CAPACITY_H
#define BENCH_TARGET_CAPACITY_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "client/connect.h"

#include <stddef.h>
#include <stdint.h>

/* zkherd's own session, a four-letter word, and two connections of the previous trial that the
 * server may not have closed yet. */
#define CAPACITY_RESERVED 4

struct capacity {
    uint64_t sessions; /* at most, at a time; UINT64_MAX: no limit was found */
    uint64_t reserved; /* connections to each server that are not for the clients of trials */
    uint64_t room;     /* connections that the server with the lowest limit allows */
    char server[ENDPOINT_TEXT_SIZE]; /* the server with the lowest limit; "": no limit was found */
};

/* Before the first server: nothing limits the sessions. companions: sessions that all servers share
 * with the clients of a trial. */
void capacity_init(struct capacity *capacity, const struct connect_string *servers,
                   uint64_t companions);

/* Takes into account that server `index` allows this host so many connections. */
void capacity_heed(struct capacity *capacity, const struct connect_string *servers, size_t index,
                   uint64_t room);

/* Finds the capacity of the servers that sessions connect to, for `most` sessions at a time beside
 * the companions of capacity_init. Errors of connection_limit_try. */
MUST_CHECK enum error_kind capacity_look(const struct connect_string *servers, uint64_t most,
                                         uint64_t companions, struct capacity *capacity,
                                         struct error *error);

/*
 * Leaves out the numbers of clients above the capacity or above max_clients. The reason goes to
 * text, "" if nothing is left out. ERROR_CONNECTION_LIMIT if nothing remains.
 */
MUST_CHECK enum error_kind capacity_fit(const struct capacity *capacity, uint64_t max_clients,
                                        struct levels *clients, char *text, size_t size,
                                        struct error *error);

#endif
