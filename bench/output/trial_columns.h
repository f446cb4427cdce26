// SPDX-License-Identifier: Apache-2.0
/*
 * trial_columns: the columns of trials.csv, which zkherd run writes and zkherd compare reads.
 * Layer: bench/output.
 */
#ifndef BENCH_OUTPUT_TRIAL_COLUMNS_H
#define BENCH_OUTPUT_TRIAL_COLUMNS_H

#include "bench/output/noise_watch.h"
#include "measure/table.h"
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
    X(T, handoff_of_##role##_us, REAL, "us", 0, PRIVATE,                                           \
      "median handoff of the sessions on servers of this role")

#define TRIAL_ROW_COLUMNS(X, T)                                                                    \
    X(T, run, TEXT, "", 0, NONE, "the run's id")                                                   \
    X(T, target, TEXT, "", 0, KEY,                                                                 \
      "`standalone` for one private server, `ensemble3` for three; `simulated1`, `simulated3` "    \
      "in a simulation; otherwise the first host of `--connect` with its port, in which `-` "      \
      "replaces every character except letters, digits and dots")                                  \
    X(T, servers, COUNT, "", 0, KEY,                                                               \
      "number of servers; with `--connect` those that served at the start")                        \
    X(T, recipe, TEXT, "", 0, KEY, "its name")                                                     \
    X(T, workload, TEXT, "", 0, KEY, "`drain` or `steady`")                                        \
    X(T, pace, TEXT, "", 0, KEY, "`lockstep` or `free`")                                           \
    X(T, driver, TEXT, "", 0, KEY,                                                                 \
      "`events`, `threads` or `simulated`; with `simulated`, all times come from the "             \
      "simulation's model")                                                                        \
    X(T, processes, COUNT, "", 0, KEY, "number of worker processes")                               \
    X(T, clients, COUNT, "", 0, KEY, "number of sessions")                                         \
    X(T, locks, COUNT, "", 0, KEY, "number of locks over which the sessions are spread")           \
    X(T, trial, COUNT, "", 0, NONE,                                                                \
      "its number within the cell (recipe, clients, topology), which is the number of "            \
      "its round")                                                                                 \
    X(T, seed, COUNT, "", 0, NONE,                                                                 \
      "the seed of the run, the same in all rows. The holding times of trial *t* derive "          \
      "from seed + *t*: a generator with this seed gives each process the seed of its "            \
      "own generator")                                                                             \
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
    X(T, notifications, COUNT, "", 0, EXACT,                                                       \
      "watch notifications received, spurious ones included")                                      \
    X(T, notifications_spurious, COUNT, "", 0, EXACT,                                              \
      "those that did not wake the session that received them")                                    \
    X(T, names_listed, COUNT, "", 0, EXACT, "names of children in all getChildren replies")        \
    X(T, bytes_sent, COUNT, "bytes", 0, EXACT,                                                     \
      "bytes that the sessions sent: TCP payload as counted by the kernel, without "               \
      "retransmissions")                                                                           \
    X(T, bytes_received, COUNT, "bytes", 0, EXACT,                                                 \
      "bytes that the sessions received: TCP payload")                                             \
    X(T, law_rpcs, COUNT, "", 0, NONE, "requests by the law")                                      \
    X(T, law_notifications, COUNT, "", 0, NONE, "notifications by the law")                        \
    X(T, elapsed_s, REAL, "s", 6, MEDIAN,                                                          \
      "from the opening of the gate to the reply to the last release")                             \
    X(T, drain_s, REAL, "s", 6, MEDIAN,                                                            \
      "from the first release request to the reply to the last one")                               \
    X(T, handoffs_per_s, REAL, "1/s", 2, MEDIAN,                                                   \
      "`handoffs` / `drain_s` in a drain, which has as many releases as handoffs; "                \
      "`handoffs` / `elapsed_s` in the workload `steady`")                                         \
    TRIAL_TIME_COLUMN(X, T, handoff_p50, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_p90, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_p99, TRIAL_HANDOFF)                                            \
    TRIAL_TIME_COLUMN(X, T, handoff_max, TRIAL_HANDOFF)                                            \
    X(T, acquire_p50_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, acquire_p99_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, acquire_max_us, REAL, "us", 1, MEDIAN, "from a client's arrival to its grant")            \
    X(T, client_cpu_s, REAL, "s", 6, MEDIAN,                                                       \
      "CPU time of all worker processes, user and system, each from the opening of the gate to "   \
      "its last reading, without the coordinator's CPU time")                                      \
    X(T, server_cpu_s, REAL, "s", 6, MEDIAN,                                                       \
      "CPU time of the private server's JVM, all threads, between the two readings of "            \
      "its counters; empty with `--connect`")                                                      \
    X(T, client_rss_kib, COUNT, "KiB", 0, NONE,                                                    \
      "resident memory of all worker processes at the last reading. A page that several of them "  \
      "share is counted for each of them")                                                         \
    FOUR_LETTER_OF_TRIALS(TRIAL_SERVER_COLUMN, X, T)                                               \
    X(T, watches_leaked, SIGNED, "", 0, NONE,                                                      \
      "watches at the end minus watches at the opening of the gate (`zk_watch_count`). "           \
      "May be negative on servers that others use")                                                \
    X(T, ephemerals_leaked, SIGNED, "", 0, NONE,                                                   \
      "ephemeral znodes at the end minus those at the opening of the gate "                        \
      "(`zk_ephemerals_count`); with several servers, which all have the same znodes, "            \
      "the smallest value")                                                                        \
    X(T, reconciled, TEXT, "", 0, NONE,                                                            \
      "`yes`: the servers' counts equal the sessions' (see method.md). `no`: they "                \
      "differ, which is a failed verdict. `na`: cannot be compared, because the servers "          \
      "do not report their counters, a server had to be asked again (for example during "          \
      "an election, after which its counters start at zero), other clients use the "               \
      "servers, a connection was lost in free pace, a session received missed watch "              \
      "events on a new connection, or the trial was cut short")                                    \
    X(T, violations, COUNT, "", 0, NONE,                                                           \
      "number of verdicts that failed in the trial; see [method.md](method.md)")                   \
    X(T, order_inversions, COUNT, "", 0, NONE,                                                     \
      "grants whose number is not above that of the previous grant of the lock. For a "            \
      "queue, this is the sequence number; otherwise, the number of the arrival")                  \
    X(T, fairness_jain, REAL, "", 4, MEDIAN,                                                       \
      "Jain's fairness index of the sessions' acquisitions: 1 when all sessions have "             \
      "the same number, 1/`clients` when one session has all; empty when there was no "            \
      "acquisition")                                                                               \
    X(T, reconnects, COUNT, "", 0, NONE,                                                           \
      "number of times that a session lost its connection and connected again")                    \
    X(T, recovery_s, REAL, "s", 6, MEDIAN,                                                         \
      "in a trial in which a session died as planned (see [method.md](method.md)): "               \
      "from its death to the next grant of that lock; else empty")                                 \
    X(T, repairs, COUNT, "", 0, NONE,                                                              \
      "how often a holder found and repaired data that a crash had left half-written "             \
      "(`ready`)")                                                                                 \
    X(T, valid, FLAG, "", 0, NONE, "`yes` or `no`: whether the measurement is valid")              \
    X(T, reason, TEXT, "", 0, NONE, "what is wrong; empty if nothing is wrong")                    \
    X(T, stalls, COUNT, "", 0, NONE,                                                               \
      "how often a server owed an answer and no session received anything for longer "             \
      "than 1 s, or than a bound that follows from the trial's latencies (see "                    \
      "[method.md](method.md))")                                                                   \
    X(T, stalled_s, REAL, "s", 6, MEDIAN, "how long these stalls lasted in total")                 \
    TRIAL_TIME_COLUMN(X, T, background_alone_p50, TRIAL_ALONE)                                     \
    TRIAL_TIME_COLUMN(X, T, background_alone_p99, TRIAL_ALONE)                                     \
    TRIAL_TIME_COLUMN(X, T, background_p50, TRIAL_CONTENDED)                                       \
    TRIAL_TIME_COLUMN(X, T, background_p99, TRIAL_CONTENDED)                                       \
    TRIAL_TIME_COLUMN(X, T, background_max, TRIAL_CONTENDED)                                       \
    X(T, background_requests, COUNT, "", 0, NONE,                                                  \
      "requests answered, as foreseen, of those due while the clients contend: the "               \
      "number of these times")                                                                     \
    X(T, background_per_s, REAL, "1/s", 2, MEDIAN,                                                 \
      "requests answered per second while the clients contend")                                    \
    X(T, background_errors, COUNT, "", 0, NONE, "replies with an error, alone and contended")      \
    X(T, background_unsent, COUNT, "", 0, NONE,                                                    \
      "requests that were due and never sent, because as many as the depth were "                  \
      "outstanding until the end")                                                                 \
    NOISE_COLUMNS(X, T)                                                                            \
    X(T, complete, FLAG, "", 0, PRIVATE,                                                           \
      "whether the trial ran to its end: its counts can be used")                                  \
    X(T, drained, FLAG, "", 0, PRIVATE,                                                            \
      "whether it is complete and valid: its drain time can be used")                              \
    X(T, counted, FLAG, "", 0, PRIVATE, "whether it is complete, and its verdict does not fail")   \
    X(T, timed, FLAG, "", 0, PRIVATE, "whether it is counted and valid")                           \
    X(T, has_law, FLAG, "", 0, PRIVATE, "whether the counts have a law")                           \
    X(T, law_creates, COUNT, "", 0, PRIVATE, "CREATE requests by the law")                         \
    X(T, law_names_listed, COUNT, "", 0, PRIVATE, "names listed by the law")                       \
    X(T, bytes, COUNT, "bytes", 0, PRIVATE, "sent and received")                                   \
    X(T, beta, REAL, "", 0, PRIVATE, "the cost of one more waiter, in bare handoffs")              \
    X(T, stalled_server, TEXT, "", 0, PRIVATE, "the server of the longest stall")                  \
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

#endif
