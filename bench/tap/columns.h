// SPDX-License-Identifier: Apache-2.0
/*
 * columns: those of the files of `zkherd tap`, which are its lists in JSON and its tables on the
 * terminal. Layer: bench/tap.
 */
#ifndef BENCH_TAP_COLUMNS_H
#define BENCH_TAP_COLUMNS_H

#include "measure/table.h"
#include "relay/traffic.h"

#define TAP_FIGURES(X, T)                                                                          \
    X(T, messages, COUNT, "", 0, SUM, "requests of clients, or notifications to them")             \
    X(T, failed, COUNT, "", 0, SUM, "requests that were answered with an error")                   \
    X(T, watches, COUNT, "", 0, SUM, "watches that the requests set, or set again")                \
    X(T, sent_bytes, COUNT, "bytes", 0, SUM, "bytes of the requests")                              \
    X(T, received_bytes, COUNT, "bytes", 0, SUM, "bytes of the replies or notifications")          \
    X(T, p50_us, REAL, "us", 1, NONE, "time from a request to its reply, as the relay saw it")     \
    X(T, p99_us, REAL, "us", 1, NONE, "99th percentile of the same, of 100 or more")               \
    X(T, max_us, REAL, "us", 1, NONE, "longest of the same")
#define TAP_OPERATION_COLUMNS(X, T)                                                                \
    X(T, operation, TEXT, "", 0, KEY,                                                              \
      "ZooKeeper's name of the operation; or `notification` and what had happened")                \
    TAP_FIGURES(X, T)
TABLE_DECLARE(tap_operation, TAP_OPERATION_COLUMNS);

#define TAP_PLACE_COLUMNS(X, T)                                                                    \
    X(T, operation, TEXT, "", 0, KEY, "ZooKeeper's name of the operation")                         \
    X(T, pattern, TEXT, "", 0, KEY,                                                                \
      "what the paths have in common: `<n>`, `<guid>` and `<session>` stand for numbers")          \
    TAP_FIGURES(X, T)
TABLE_DECLARE(tap_place, TAP_PLACE_COLUMNS);

#define TAP_ERROR_COLUMNS(X, T)                                                                    \
    X(T, operation, TEXT, "", 0, KEY, "ZooKeeper's name of the operation")                         \
    X(T, error, TEXT, "", 0, KEY, "ZooKeeper's name of the error (KeeperException.Code)")          \
    X(T, code, SIGNED, "", 0, KEY, "its number")                                                   \
    X(T, replies, COUNT, "", 0, SUM, "replies, or parts of a multiRead's, with it")
TABLE_DECLARE(tap_error, TAP_ERROR_COLUMNS);

#define TAP_CLIENT_FIGURE(X, T, name, unit, meaning) X(T, name, COUNT, unit, 0, SUM, meaning)
#define TAP_SESSION_COLUMNS(X, T)                                                                  \
    X(T, session, TEXT, "", 0, KEY, "its id, in hexadecimal digits")                               \
    X(T, library, TEXT, "", 0, NONE,                                                               \
      "what the client is by its first request and the names of its znodes: `C` (Apache's), "      \
      "`Curator`, `kazoo`, or `Java or another`, which look alike")                                \
    X(T, connections, COUNT, "", 0, SUM, "connections on which it was opened")                     \
    X(T, from_s, REAL, "s", 3, NONE, "its first message, from the first of all")                   \
    X(T, until_s, REAL, "s", 3, NONE, "its last message, from the same beginning")                 \
    TRAFFIC_SUMS(TAP_CLIENT_FIGURE, X, T)
TABLE_DECLARE(tap_session, TAP_SESSION_COLUMNS);

#define TAP_SECOND_COLUMNS(X, T)                                                                   \
    X(T, second, COUNT, "", 0, KEY, "from the first message on, from 0")                           \
    TRAFFIC_SUMS(TAP_CLIENT_FIGURE, X, T)
TABLE_DECLARE(tap_second, TAP_SECOND_COLUMNS);

#define TAP_WATCH_FIGURE(X, T, name, meaning) X(T, name, COUNT, "", 0, SUM, meaning)
#define TAP_WATCH_COLUMNS(X, T)                                                                    \
    X(T, kind, TEXT, "", 0, KEY,                                                                   \
      "`data` (set by exists and getData), `children` (by getChildren), or `staying` (addWatch)")  \
    X(T, pattern, TEXT, "", 0, KEY, "of the paths, as in paths.csv")                               \
    WATCHES_FIGURES(TAP_WATCH_FIGURE, X, T)
TABLE_DECLARE(tap_watch, TAP_WATCH_COLUMNS);

#define TAP_HERD_COLUMNS(X, T)                                                                     \
    X(T, operation, TEXT, "", 0, KEY,                                                              \
      "ZooKeeper's name of the write; `closeSession` deletes the session's ephemeral znodes")      \
    X(T, pattern, TEXT, "", 0, KEY, "of its path, as in paths.csv")                                \
    X(T, at_s, REAL, "s", 6, NONE, "when the write was requested, from the start of the tap")      \
    X(T, notified, COUNT, "", 0, SUM, "notifications that it fired")                               \
    X(T, requests_after, COUNT, "", 0, SUM,                                                        \
      "requests of the notified sessions because of that: until each has set a watch again, "      \
      "has written, or is notified again")                                                         \
    X(T, bytes_after, COUNT, "bytes", 0, SUM, "bytes of these requests and their replies")         \
    X(T, got, COUNT, "", 0, SUM,                                                                   \
      "of the notified sessions those that then wrote, deleted, or held a lock")                   \
    X(T, in_vain, COUNT, "", 0, SUM, "those that only set a watch again, or did nothing")          \
    X(T, last_us, REAL, "us", 1, NONE, "time from its request to its last notification")
TABLE_DECLARE(tap_herd, TAP_HERD_COLUMNS);

#define TAP_RUN_COLUMNS(X, T)                                                                      \
    X(T, clients, COUNT, "", 0, KEY, "n of the run")                                               \
    X(T, trial, COUNT, "", 0, NONE, "its number, from 1, at this n")                               \
    X(T, counted, TEXT, "", 0, KEY,                                                                \
      "the operation; behind it `failed` for those of its requests that failed; or "               \
      "`notification` and what had happened; or `all requests`, without pings and closes")         \
    X(T, messages, COUNT, "", 0, NONE, "how many")
TABLE_DECLARE(tap_run, TAP_RUN_COLUMNS);

#define TAP_LAW_COLUMNS(X, T)                                                                      \
    X(T, counted, TEXT, "", 0, KEY, "as in runs.csv")                                              \
    X(T, law, TEXT, "", 0, NONE,                                                                   \
      "the polynomial in n, with whole or half coefficients, that most runs equal; empty: none "   \
      "that enough of them do")                                                                    \
    X(T, runs, COUNT, "", 0, NONE, "runs")                                                         \
    X(T, equal, COUNT, "", 0, NONE, "of them those that equal it")                                 \
    X(T, differ_most, COUNT, "", 0, NONE, "by how much the others differ at most")                 \
    X(T, exponent, REAL, "", 3, NONE, "e, where the count grows as n^e")                           \
    X(T, exponent_low, REAL, "", 3, NONE, "lower end of its 95 % interval")                        \
    X(T, exponent_high, REAL, "", 3, NONE, "upper end of its 95 % interval")
TABLE_DECLARE(tap_law, TAP_LAW_COLUMNS);

#endif
