// SPDX-License-Identifier: Apache-2.0
/* table3: the trials of Table 3, and the columns of barriers.csv. Layer: bench/paper. */
#ifndef BENCH_PAPER_TABLE3_H
#define BENCH_PAPER_TABLE3_H

#include "bench/output/noise_watch.h"
#include "trial/trial.h"

#define TABLE3_AS_THERE(X, T, name, kind, unit, decimals, summary)                                 \
    X(T, name, kind, unit, decimals, summary, "as in `trials.csv`")
#define TABLE3_SERVER_COLUMN(X, T, name, keys, word, meaning)                                      \
    TABLE3_AS_THERE(X, T, server_##name, COUNT, "", 0, NONE)
#define TABLE3_ROW_COLUMNS(X, T)                                                                   \
    TABLE3_AS_THERE(X, T, run, TEXT, "", 0, NONE)                                                  \
    TABLE3_AS_THERE(X, T, target, TEXT, "", 0, KEY)                                                \
    TABLE3_AS_THERE(X, T, servers, COUNT, "", 0, KEY)                                              \
    TABLE3_AS_THERE(X, T, clients, COUNT, "", 0, KEY)                                              \
    X(T, barriers, COUNT, "", 0, KEY, "that each client enters and then leaves")                   \
    TABLE3_AS_THERE(X, T, trial, COUNT, "", 0, NONE)                                               \
    TABLE3_AS_THERE(X, T, seed, COUNT, "", 0, NONE)                                                \
    X(T, client_s, REAL, "s", 6, MEDIAN,                                                           \
      "from the common start until a client has left its last barrier: the mean over clients")     \
    X(T, elapsed_s, REAL, "s", 6, MEDIAN, "the same of the last client")                           \
    TABLE3_AS_THERE(X, T, creates, COUNT, "", 0, SUM)                                              \
    TABLE3_AS_THERE(X, T, creates_failed, COUNT, "", 0, NONE)                                      \
    TABLE3_AS_THERE(X, T, exists, COUNT, "", 0, NONE)                                              \
    TABLE3_AS_THERE(X, T, get_children, COUNT, "", 0, NONE)                                        \
    TABLE3_AS_THERE(X, T, deletes, COUNT, "", 0, SUM)                                              \
    TABLE3_AS_THERE(X, T, rpcs, COUNT, "", 0, SUM)                                                 \
    TABLE3_AS_THERE(X, T, notifications, COUNT, "", 0, NONE)                                       \
    TABLE3_AS_THERE(X, T, names_listed, COUNT, "", 0, NONE)                                        \
    TABLE3_AS_THERE(X, T, bytes_sent, COUNT, "bytes", 0, NONE)                                     \
    TABLE3_AS_THERE(X, T, bytes_received, COUNT, "bytes", 0, NONE)                                 \
    TABLE3_AS_THERE(X, T, client_cpu_s, REAL, "s", 6, NONE)                                        \
    TABLE3_AS_THERE(X, T, server_cpu_s, REAL, "s", 6, NONE)                                        \
    FOUR_LETTER_OF_TRIALS(TABLE3_SERVER_COLUMN, X, T)                                              \
    TABLE3_AS_THERE(X, T, watches_leaked, SIGNED, "", 0, NONE)                                     \
    TABLE3_AS_THERE(X, T, reconciled, TEXT, "", 0, NONE)                                           \
    TABLE3_AS_THERE(X, T, violations, COUNT, "", 0, NONE)                                          \
    TABLE3_AS_THERE(X, T, reconnects, COUNT, "", 0, NONE)                                          \
    X(T, valid, FLAG, "", 0, NONE, "whether the trial counts")                                     \
    X(T, reason, TEXT, "", 0, NONE, "why it does not")                                             \
    NOISE_COLUMNS_AS_THERE(X, T)                                                                   \
    X(T, complete, FLAG, "", 0, PRIVATE, "whether the trial ran to its end")                       \
    X(T, fails, FLAG, "", 0, PRIVATE, "whether a client was early, or the counts are wrong")
TABLE_DECLARE(table3_row, TABLE3_ROW_COLUMNS);

/* Fills the row of a finished trial, but for what all rows of a folder have in common, and the
 * trial's number. A trial is valid only if the checker, the counts that double barriers cause
 * (recipes/law.h) and the servers' own counts agree, and its times stand. */
void table3_fill_row(const struct trial_result *result, double cores_allowed,
                     struct table_value *row);

#endif
