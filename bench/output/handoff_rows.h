// SPDX-License-Identifier: Apache-2.0
/*
 * handoff_rows: the rows of handoffs.csv, out of the ledger of a trial, or of a log of
 * transactions; and of trace.csv, out of the trace of a trial. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_HANDOFF_ROWS_H
#define BENCH_OUTPUT_HANDOFF_ROWS_H

#include "measure/table.h"
#include "measure/tally.h"

#define HANDOFF_COUNT(X, T, name) X(T, name, COUNT, "", 0, NONE, "as in `trials.csv`, for this row")
#define HANDOFF_PART(X, T, name)                                                                   \
    X(T, name, COUNT, "", 0, NONE,                                                                 \
      "as in `trials.csv`, for this row: parts of `creates`, `deletes` and `notifications`")

#define HANDOFF_ROW_COLUMNS(X, T)                                                                  \
    X(T, run, TEXT, "", 0, NONE, "the trial, as in `trials.csv`")                                  \
    X(T, recipe, TEXT, "", 0, KEY, "the trial, as in `trials.csv`")                                \
    X(T, clients, COUNT, "", 0, KEY, "the trial, as in `trials.csv`")                              \
    X(T, trial, COUNT, "", 0, NONE, "the trial, as in `trials.csv`")                               \
    X(T, lock, COUNT, "", 0, NONE, "the lock")                                                     \
    X(T, handoff, COUNT, "", 0, NONE, "the row's number, *i*")                                     \
    X(T, waiters, COUNT, "", 0, NONE,                                                              \
      "clients that had arrived and had not been granted when the release was sent; 0 in row 0")   \
    X(T, holder, COUNT, "", 0, NONE,                                                               \
      "the session that was granted in this row, the first of several; empty if none was")         \
    X(T, granted, COUNT, "", 0, NONE,                                                              \
      "number of sessions granted in this row: more than one if sessions share the lock, as the "  \
      "readers of `rwlock` do")                                                                    \
    HANDOFF_COUNT(X, T, creates)                                                                   \
    HANDOFF_COUNT(X, T, exists)                                                                    \
    HANDOFF_COUNT(X, T, gets)                                                                      \
    HANDOFF_COUNT(X, T, get_children)                                                              \
    HANDOFF_COUNT(X, T, sets)                                                                      \
    HANDOFF_COUNT(X, T, deletes)                                                                   \
    HANDOFF_COUNT(X, T, multis)                                                                    \
    HANDOFF_COUNT(X, T, rpcs)                                                                      \
    HANDOFF_COUNT(X, T, notifications)                                                             \
    HANDOFF_COUNT(X, T, names_listed)                                                              \
    X(T, bytes_sent, COUNT, "bytes", 0, NONE,                                                      \
      "bytes, attributed when the connection's counters are read")                                 \
    X(T, bytes_received, COUNT, "bytes", 0, NONE,                                                  \
      "bytes, attributed when the connection's counters are read")                                 \
    X(T, handoff_us, REAL, "us", 1, NONE,                                                          \
      "from the release request to the grant, the last of several; empty in row 0, and if the "    \
      "release granted no session")                                                                \
    HANDOFF_PART(X, T, creates_failed)                                                             \
    HANDOFF_PART(X, T, deletes_failed)                                                             \
    HANDOFF_PART(X, T, notifications_spurious)                                                     \
    HANDOFF_COUNT(X, T, syncs)                                                                     \
    X(T, died, COUNT, "", 0, NONE,                                                                 \
      "the session that died on purpose, or lost a reply, at this handoff; empty if none did")
TABLE_DECLARE(handoff_row, HANDOFF_ROW_COLUMNS);

/* What a row is made of. */
struct handoff_facts {
    uint64_t lock, handoff;
    uint64_t waiters, granted;
    uint32_t holder;     /* the session's number, + 1; 0: none */
    uint64_t handoff_ns; /* 0: none */
    uint32_t died;       /* the session's number, + 1; 0: none */
    const struct tally *tally;
};

/* Fills the columns from `lock` on; those before are the caller's. */
void handoff_row_fill(struct table_value *row, const struct handoff_facts *facts);

#define TRACE_ROW_COLUMNS(X, T)                                                                    \
    X(T, run, TEXT, "", 0, NONE, "the trial, as in `trials.csv`")                                  \
    X(T, recipe, TEXT, "", 0, KEY, "the trial, as in `trials.csv`")                                \
    X(T, clients, COUNT, "", 0, KEY, "the trial, as in `trials.csv`")                              \
    X(T, trial, COUNT, "", 0, NONE, "the trial, as in `trials.csv`")                               \
    X(T, lock, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                    \
    X(T, handoff, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, waiters, COUNT, "", 0, NONE, "the row of `handoffs.csv`")                                 \
    X(T, time_us, REAL, "us", 3, NONE,                                                             \
      "when this happened, since the release began. In free pace a grant or a release that "       \
      "another release overtakes is counted to the other's handoff, before which it is: below 0")  \
    X(T, session, COUNT, "", 0, NONE,                                                              \
      "the session that sent the request, received the reply or the notification, began the "      \
      "release, or was granted the lock")                                                          \
    X(T, event, TEXT, "", 0, NONE, "`release`, `request`, `reply`, `notification` or `grant`")     \
    X(T, operation, TEXT, "", 0, NONE,                                                             \
      "request, reply: `create`, `exists`, `get`, `get_children`, `set`, `delete`, `multi` or "    \
      "`sync`; notification: what happened to the znode, `created`, `deleted`, `changed` or "      \
      "`child`")                                                                                   \
    X(T, status, TEXT, "", 0, NONE,                                                                \
      "reply: `ok`, `no_node`, `node_exists`, `bad_version`, `not_empty` or `no_auth`; in a "      \
      "trial that failed also `connection_loss`, `session_expired` or `other`")                    \
    X(T, latency_us, REAL, "us", 3, NONE, "reply: the time since its request")                     \
    X(T, wakes, FLAG, "", 0, NONE,                                                                 \
      "notification: `yes` if the session was waiting for it, `no` if it was spurious")
TABLE_DECLARE(trace_row, TRACE_ROW_COLUMNS);

#endif
