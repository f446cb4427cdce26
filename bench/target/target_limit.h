// SPDX-License-Identifier: Apache-2.0
/*
 * target_limit: how many sessions the servers of --connect allow this host, and which numbers of
 * clients remain. Layer: bench/target.
 *
 * A server closes a connection at once when the client's host already has maxClientCnxns
 * connections (60 by default). It tells this number only if its whitelist allows `conf`.
 * Session i connects to server i mod the number of servers, and so does the load beside a trial.
 * TARGET_LIMIT_RESERVED connections to each server, and those of the load beside the trial, are not
 * for the clients of trials.
 */
#ifndef BENCH_TARGET_TARGET_LIMIT_H
#define BENCH_TARGET_TARGET_LIMIT_H

#include "base/error.h"
#include "bench/cli/options.h"
#include "client/connect.h"

#include <stddef.h>
#include <stdint.h>

/* zkherd's own session, a four-letter word, and two connections of the previous trial that the
 * server may not have closed yet. */
#define TARGET_LIMIT_RESERVED 4

struct target_limit {
    uint64_t sessions; /* at most, at a time; UINT64_MAX: no limit is known */
    uint64_t reserved; /* connections to each server that are not for the clients of trials */
    uint64_t room;     /* connections that the server with the lowest limit allows */
    char server[ENDPOINT_TEXT_SIZE]; /* the server with the lowest limit; "": no limit is known */
};

/* Of servers that allow this host so many connections each (UINT64_MAX: not told, or no limit), for
 * at most `most` sessions; what all of these fit is no limit. companions: sessions that all servers
 * share with the clients of a trial. */
struct target_limit target_limit_of(const struct connect_string *servers, const uint64_t rooms[],
                                    uint64_t most, uint64_t companions);

/*
 * Leaves out the numbers of clients above the limit or above max_clients. The reason goes to text,
 * "" if nothing is left out. ERROR_CONNECTION_LIMIT if nothing remains.
 */
MUST_CHECK enum error_kind target_limit_fit(const struct target_limit *limit, uint64_t max_clients,
                                            struct levels *clients, char *text, size_t size,
                                            struct error *error);

#endif
