// SPDX-License-Identifier: Apache-2.0
/*
 * trial_columns: the columns of trials.csv, which zkherd run writes and zkherd compare reads; and
 * of handoffs.csv, out of the ledger of a trial or of a log of transactions. Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_TRIAL_COLUMNS_H
#define BENCH_OUTPUT_TRIAL_COLUMNS_H

#include "bench/output/noise_watch.h"
#include "measure/table.h"
#include "measure/tally.h"
#include "servers/four_letter.h"

#define TRIAL_SERVER_COLUMN(X, T, name, keys, word, meaning)                                       \
    X(T, server_##name, COUNT, "", 0, NONE, meaning)

#define TRIAL_TIME_COLUMN(X, T, name, meaning) X(T, name##_us, REAL, "us", 1, MEDIAN, meaning)
#define TRIAL_HANDOFF                          "latency of a handoff: from a release request to the next grant"
#define TRIAL_ALONE                            "response time alone; the p99 is empty with fewer than 100 requests"
#define TRIAL_CONTENDED                                                                            \
    "response time while the clients contend for the lock; the p99 is empty with fewer than 100 "  \
    "requests"
#define TRIAL_ROLE_COLUMN(X, T, role)                                                              \
    X(T, handoff_of_##role##_us, REAL, "us", 0, PRIVATE, "median handoff on such servers")

#define TRIAL_ROW_COLUMNS(X, T)                                                                    \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, target, TEXT, "", 0, KEY,                                                                 \
      "`standalone`, `ensemble3`: private servers; `simulated1`, `simulated3`; or the first host " \
      "of `--connect` with its port, in which only letters, digits and dots are not `-`")          \
    X(T, servers, COUNT, "", 0, KEY, "number; with `--connect` those that served at the start")    \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, workload, TEXT, "", 0, KEY, "`drain` or `steady`")                                        \
    X(T, pace, TEXT, "", 0, KEY, "`lockstep` or `free`")                                           \
    X(T, driver, TEXT, "", 0, KEY,                                                                 \
      "`events`, `threads` or `simulated`: then all times come from the simulation's model")       \
    X(T, processes, COUNT, "", 0, KEY, "number of worker processes")                               \
    X(T, clients, COUNT, "", 0, KEY, "number of sessions")                                         \
    X(T, locks, COUNT, "", 0, KEY, "number of locks over which the sessions are spread")           \
    X(T, trial, COUNT, "", 0, NONE, "its number in the cell, that of its round")                   \
    X(T, seed, COUNT, "", 0, NONE,                                                                 \
      "of the run; holding times of trial *t* follow from seed + *t*")                             \
    X(T, handoffs, COUNT, "", 0, NONE, "grants, the first of each lock included")                  \
    X(T, creates, COUNT, "", 0, EXACT, "CREATE requests, failed ones included")                    \
    X(T, creates_failed, COUNT, "", 0, EXACT, "how many of these were answered by an error")       \
    X(T, exists, COUNT, "", 0, EXACT, "EXISTS requests")                                           \
    X(T, gets, COUNT, "", 0, EXACT, "getData requests")                                            \
    X(T, get_children, COUNT, "", 0, EXACT, "getChildren requests")                                \
    X(T, sets, COUNT, "", 0, EXACT, "setData requests")                                            \
    X(T, deletes, COUNT, "", 0, EXACT, "DELETE requests, failed ones included")                    \
    X(T, deletes_failed, COUNT, "", 0, EXACT, "how many of these were answered by an error")       \
    X(T, multis, COUNT, "", 0, EXACT, "multi requests")                                            \
    X(T, syncs, COUNT, "", 0, EXACT, "sync requests")                                              \
    X(T, rpcs, COUNT, "", 0, EXACT,                                                                \
      "`creates` + `exists` + `gets` + `get_children` + `sets` + `deletes` + `multis` + `syncs`")  \
    X(T, notifications, COUNT, "", 0, EXACT, "watch notifications, spurious ones included")        \
    X(T, notifications_spurious, COUNT, "", 0, EXACT, "those that did not wake the session")       \
    X(T, names_listed, COUNT, "", 0, EXACT, "names of children in all getChildren replies")        \
    X(T, bytes_sent, COUNT, "bytes", 0, EXACT,                                                     \
      "sent by the sessions: TCP payload as counted by the kernel, without retransmissions")       \
    X(T, bytes_received, COUNT, "bytes", 0, EXACT, "received by the sessions: TCP payload")        \
    X(T, law_rpcs, COUNT, "", 0, NONE, "requests by the law")                                      \
    X(T, law_notifications, COUNT, "", 0, NONE, "notifications by the law")                        \
    X(T, elapsed_s, REAL, "s", 6, MEDIAN, "from the gate's opening to the last release's reply")   \
    X(T, drain_s, REAL, "s", 6, MEDIAN, "from the first release request to the last one's reply")  \
    X(T, handoffs_per_s, REAL, "1/s", 2, MEDIAN,                                                   \
      "`handoffs` / `drain_s` in a drain, `handoffs` / `elapsed_s` in the workload `steady`")      \
    TRIAL_TIME_COLUMN(X, T, handoff_p50, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_p90, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_p99, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_max, TRIAL_HANDOFF)                                            \
    X(T, acquire_p50_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, acquire_p99_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, acquire_max_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, client_cpu_s, REAL, "s", 6, MEDIAN, "CPU time of all workers from the gate's opening")    \
    X(T, server_cpu_s, REAL, "s", 6, MEDIAN,                                                       \
      "CPU time of the server's JVM between the readings of its counters; empty with `--connect`") \
    X(T, client_rss_kib, COUNT, "KiB", 0, NONE, "of all workers: shared pages count for each")     \
    FOUR_LETTER_OF_TRIALS(TRIAL_SERVER_COLUMN, X, T)                                               \
    X(T, watches_leaked, SIGNED, "", 0, NONE,                                                      \
      "`zk_watch_count` at the end less that at the beginning; may be negative on shared servers") \
    X(T, ephemerals_leaked, SIGNED, "", 0, NONE,                                                   \
      "the same of ephemeral znodes (`zk_ephemerals_count`); of several servers the smallest")     \
    X(T, reconciled, TEXT, "", 0, NONE,                                                            \
      "`yes`: the servers' counts equal the sessions'. `no`: they differ, which is a failed "      \
      "verdict. `na`: they [cannot be compared](method.md#reconciliation)")                        \
    X(T, violations, COUNT, "", 0, NONE, "verdicts that failed: see [method.md](method.md)")       \
    X(T, order_inversions, COUNT, "", 0, NONE,                                                     \
      "grants not above the lock's previous one: by sequence number in a queue, else by arrival")  \
    X(T, fairness_jain, REAL, "", 4, MEDIAN,                                                       \
      "Jain's fairness index of the sessions' acquisitions: 1 when all have as many, 1/`clients` " \
      "when one has all; empty without any")                                                       \
    X(T, reconnects, COUNT, "", 0, NONE, "connections that were lost and opened again")            \
    X(T, recovery_s, REAL, "s", 6, MEDIAN, "from a [death](method.md#deaths) to the next grant")   \
    X(T, repairs, COUNT, "", 0, NONE, "of data that a crash had left half-written (`ready`)")      \
    X(T, valid, FLAG, "", 0, NONE, "`yes` or `no`: whether the measurement is valid")              \
    X(T, reason, TEXT, "", 0, NONE, "what is wrong; empty if nothing is wrong")                    \
    X(T, stalls, COUNT, "", 0, NONE,                                                               \
      "how often a server owed an answer and sent none ([method.md](method.md#stalls))")           \
    X(T, stalled_s, REAL, "s", 6, MEDIAN, "how long these stalls lasted in total")                 \
    TRIAL_TIME_COLUMN(X, T, background_alone_p50, TRIAL_ALONE)                                     \
    TRIAL_TIME_COLUMN(X, T, background_alone_p99, TRIAL_ALONE)                                     \
    TRIAL_TIME_COLUMN(X, T, background_p50, TRIAL_CONTENDED)                                       \
    TRIAL_TIME_COLUMN(X, T, background_p99, TRIAL_CONTENDED)                                       \
    TRIAL_TIME_COLUMN(X, T, background_max, TRIAL_CONTENDED)                                       \
    X(T, background_requests, COUNT, "", 0, NONE,                                                  \
      "requests due while the clients contend and answered, as foreseen")                          \
    X(T, background_per_s, REAL, "1/s", 2, MEDIAN, "answered a second while the clients contend")  \
    X(T, background_errors, COUNT, "", 0, NONE, "replies with an error, alone and contended")      \
    X(T, background_unsent, COUNT, "", 0, NONE,                                                    \
      "requests that were due and never sent: as many as the depth were outstanding")              \
    NOISE_COLUMNS(X, T)                                                                            \
    X(T, complete, FLAG, "", 0, PRIVATE, "whether it ran to its end: its counts can be used")      \
    X(T, drained, FLAG, "", 0, PRIVATE, "whether its drain time can be used: complete and valid")  \
    X(T, counted, FLAG, "", 0, PRIVATE, "whether it is complete, and its verdict does not fail")   \
    X(T, timed, FLAG, "", 0, PRIVATE, "whether it is counted and valid")                           \
    X(T, has_law, FLAG, "", 0, PRIVATE, "whether the counts have a law")                           \
    X(T, law_creates, COUNT, "", 0, PRIVATE, "CREATE requests by the law")                         \
    X(T, law_names_listed, COUNT, "", 0, PRIVATE, "names listed by the law")                       \
    X(T, bytes, COUNT, "bytes", 0, PRIVATE, "sent and received")                                   \
    X(T, beta, REAL, "", 0, PRIVATE, "the cost of one more waiter, in bare handoffs")              \
    X(T, died_session, COUNT, "", 0, PRIVATE, "the session that died, or lost a reply")            \
    X(T, died_handoff, COUNT, "", 0, PRIVATE, "the handoff at which it did")                       \
    TRIAL_ROLE_COLUMN(X, T, unknown)                                                               \
    TRIAL_ROLE_COLUMN(X, T, standalone)                                                            \
    TRIAL_ROLE_COLUMN(X, T, leader)                                                                \
    TRIAL_ROLE_COLUMN(X, T, follower)                                                              \
    TRIAL_ROLE_COLUMN(X, T, observer)                                                              \
    TRIAL_ROLE_COLUMN(X, T, reconnected)                                                           \
    X(T, topology, COUNT, "", 0, PRIVATE, "the index of the target")

TABLE_DECLARE(trial_row, TRIAL_ROW_COLUMNS);

/* The trial that a row is of. */
#define OF_TRIAL_COLUMNS(X, T)                                                                     \
    X(T, run, TEXT, "", 0, NONE, "the trial, as in `trials.csv`")                                  \
    X(T, recipe, TEXT, "", 0, KEY, "the trial, as in `trials.csv`")                                \
    X(T, clients, COUNT, "", 0, KEY, "the trial, as in `trials.csv`")                              \
    X(T, trial, COUNT, "", 0, NONE, "the trial, as in `trials.csv`")

#define HANDOFF_COUNT(X, T, name) X(T, name, COUNT, "", 0, NONE, "as in `trials.csv`, for this row")
#define HANDOFF_PART(X, T, name)                                                                   \
    X(T, name, COUNT, "", 0, NONE,                                                                 \
      "as in `trials.csv`, for this row: parts of `creates`, `deletes` and `notifications`")

#define HANDOFF_ROW_COLUMNS(X, T)                                                                  \
    OF_TRIAL_COLUMNS(X, T)                                                                         \
    X(T, lock, COUNT, "", 0, NONE, "the lock")                                                     \
    X(T, handoff, COUNT, "", 0, NONE, "the row's number, *i*")                                     \
    X(T, waiters, COUNT, "", 0, NONE, "clients that waited when the release was sent; 0 in row 0") \
    X(T, holder, COUNT, "", 0, NONE, "the session granted here, the first of several, if any")     \
    X(T, granted, COUNT, "", 0, NONE,                                                              \
      "sessions granted in this row: several if they share the lock, as the readers of `rwlock`")  \
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
    X(T, bytes_sent, COUNT, "bytes", 0, NONE, "attributed when the kernel's counter is read")      \
    X(T, bytes_received, COUNT, "bytes", 0, NONE, "attributed when the kernel's counter is read")  \
    X(T, handoff_us, REAL, "us", 1, NONE,                                                          \
      "from the release request to the (last) grant; empty in row 0, and without a grant")         \
    HANDOFF_PART(X, T, creates_failed)                                                             \
    HANDOFF_PART(X, T, deletes_failed)                                                             \
    HANDOFF_PART(X, T, notifications_spurious)                                                     \
    HANDOFF_COUNT(X, T, syncs)                                                                     \
    X(T, died, COUNT, "", 0, NONE, "the session that died on purpose, or lost a reply, here")
TABLE_DECLARE(handoff_row, HANDOFF_ROW_COLUMNS);

#endif
