// SPDX-License-Identifier: Apache-2.0
/*
 * trace_rows: the rows of trace.csv, out of the trace of a trial. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_TRACE_ROWS_H
#define BENCH_OUTPUT_TRACE_ROWS_H

#include "measure/table.h"

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
