// SPDX-License-Identifier: Apache-2.0
/* internal: what the files of `zkherd tap` share. Layer: bench/tap. */
#ifndef BENCH_TAP_INTERNAL_H
#define BENCH_TAP_INTERNAL_H

#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/output/file_set.h"
#include "bench/output/manifest.h"
#include "bench/target/target.h"
#include "fleet/server_counters.h"
#include "measure/table.h"
#include "relay/capture.h"
#include "relay/observer.h"
#include "relay/relay.h"

#include <stdio.h>
#include <sys/types.h>

struct tap_result;

struct tap_options {
    struct target_options target;
    struct output_options output;
    const char *listen;   /* the address of the relay */
    bool listen_given;    /* on the command line */
    const char *pcap;     /* a capture to be read in place of a relay; NULL: none */
    struct levels ports;  /* of the servers in it */
    uint64_t duration_ns; /* 0: until the command or the user ends it */
    bool drain;           /* the command is run for each number of clients, and the law is fitted */
    struct levels clients;
    uint64_t seed;        /* of the order of the runs */
    char *const *command; /* in argv, NULL behind the last word; NULL: none */
};

/* ------------------------------------------------------------------ the command (command.c) */

struct tap_command {
    pid_t pid;        /* and its process group; 0: none runs */
    bool ended;       /* by itself */
    int status;       /* as of waitpid, once tap_command_end was called; so are the next two */
    uint64_t cpu_ns;  /* user and system, of the command and of what it has waited for */
    uint64_t rss_kib; /* the most resident memory of one of these processes */
};

/* Starts the command with ZKHERD_CONNECT, with `{}` and `{connect}` in its words replaced by the
 * same, and `{n}` by n unless that is NULL; its standard input is empty, and it prints to standard
 * error. ERROR_USAGE if it cannot be executed. */
MUST_CHECK enum error_kind tap_command_start(struct tap_command *command, char *const *words,
                                             const char *connect, const char *n,
                                             struct error *error);

/* Whether a command that was ended failed, or was ended by a signal of its own; whether it ended by
 * itself, and did not fail. */
bool tap_command_failed(const struct tap_command *command);
bool tap_command_succeeded(const struct tap_command *command);

/* Looks whether it has ended. */
void tap_command_look(struct tap_command *command);

/* Ends it and all that it has started and left in its process group: asks first, waits 2 s at most,
 * then kills. Nothing runs afterwards. */
void tap_command_end(struct tap_command *command);

/* ------------------------------------------------------------------ out of a file (offline.c) */

/* Whether an option is given that --pcap excludes; complains about the first. */
bool tap_capture_conflicts(const struct tap_options *options);

/* Reads the whole capture, and tells the observer of its messages. Fills result->seconds, begun_ns
 * and ended_ns, and says in result->comparison.sentence why there is nothing to compare with. */
MUST_CHECK enum error_kind tap_capture_read(const struct tap_options *options,
                                            struct observer *observer, struct tap_result *result,
                                            struct error *error);

/* Writes what is to be said about the capture of a result; sets keys of the JSON to it. Nothing
 * without a capture. */
void tap_capture_write(const struct tap_result *result, FILE *stream);
void tap_capture_describe(const struct tap_result *result, json_t *json);

/* ------------------------------------------------------------------ laws (laws.c) */

/* What is counted of a run: requests of an operation, those of them that failed, notifications of
 * a kind, and all requests but pings and closes. */
#define TAP_FAILED        ((size_t)OPCODES)
#define TAP_NOTIFICATIONS (2 * TAP_FAILED)
#define TAP_ALL           (TAP_NOTIFICATIONS + TRAFFIC_EVENT_KINDS)
#define TAP_COUNTS        (TAP_ALL + 1)

struct tap_run {
    uint64_t n;     /* clients */
    uint32_t trial; /* from 1 */
    uint64_t counts[TAP_COUNTS];
};

#define TAP_TRIALS 3 /* runs at each number of clients */

/* The counts of everything so far, into run->counts. */
void tap_count(const struct traffic *traffic, struct tap_run *run);

#define TAP_RUN_COLUMNS(X, T)                                                                      \
    X(T, clients, COUNT, "", 0, KEY, "n of the run")                                               \
    X(T, trial, COUNT, "", 0, NONE, "its number, from 1, at this n")                               \
    X(T, counted, TEXT, "", 0, KEY,                                                                \
      "the operation; behind it `failed` for those of its requests that failed; or "               \
      "`notification` "                                                                            \
      "and what had happened; or `all requests`, without pings and closes")                        \
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

/* The rows of runs.csv, and of laws.csv; the caller's to table_deinit. */
struct table tap_runs(const struct tap_result *result);
struct table tap_laws(const struct tap_result *result);

/* A sentence about the built-in recipes whose law of a drain the counts obey, or the first whose
 * law they obey but for one kind of messages, of which there are more; the caller's to free. NULL:
 * there is none. */
char *tap_like(const struct tap_result *result);

/* A sentence about what the first run of --drain, which is not counted, sent beyond the others with
 * as many clients: what is made once. The caller's to free. NULL: nothing. */
char *tap_first_time(const struct tap_result *result);

/* Writes the laws, for a terminal of so many columns. */
void tap_laws_write(const struct tap_result *result, unsigned width, FILE *stream);

/* ------------------------------------------------------------------ watches (causes.c) */

#define TAP_WATCH_FIGURE(X, T, name, meaning) X(T, name, COUNT, "", 0, SUM, meaning)
#define TAP_WATCH_COLUMNS(X, T)                                                                    \
    X(T, kind, TEXT, "", 0, KEY,                                                                   \
      "`data` (set by exists and getData), `children` (by getChildren), or `staying` "             \
      "(addWatch)")                                                                                \
    X(T, pattern, TEXT, "", 0, KEY, "of the paths, as in paths.csv")                               \
    WATCHES_FIGURES(TAP_WATCH_FIGURE, X, T)
TABLE_DECLARE(tap_watch, TAP_WATCH_COLUMNS);

#define TAP_CAUSED(X, T)                                                                           \
    X(T, notified, COUNT, "", 0, SUM, "notifications that they fired")                             \
    X(T, requests_after, COUNT, "", 0, SUM,                                                        \
      "requests of the notified sessions because of that: until each has set a watch again, "      \
      "has written, or is notified again")                                                         \
    X(T, bytes_after, COUNT, "bytes", 0, SUM, "bytes of these requests and their replies")         \
    X(T, got, COUNT, "", 0, SUM,                                                                   \
      "of the notified sessions those that then wrote, deleted, or held a lock")                   \
    X(T, in_vain, COUNT, "", 0, SUM, "those that only set a watch again, or did nothing")
#define TAP_CAUSE_COLUMNS(X, T)                                                                    \
    X(T, operation, TEXT, "", 0, KEY,                                                              \
      "ZooKeeper's name of the write; `closeSession` deletes "                                     \
      "the session's ephemeral znodes")                                                            \
    X(T, pattern, TEXT, "", 0, KEY, "of its path, as in paths.csv")                                \
    X(T, writes, COUNT, "", 0, SUM, "writes that notified a session")                              \
    X(T, notified_most, COUNT, "", 0, NONE, "most notifications that one of them fired")           \
    TAP_CAUSED(X, T)                                                                               \
    X(T, last_p50_us, REAL, "us", 1, NONE,                                                         \
      "median time from the request of a write to its last notification")                          \
    X(T, last_max_us, REAL, "us", 1, NONE, "longest of the same")
TABLE_DECLARE(tap_cause, TAP_CAUSE_COLUMNS);

#define TAP_HERD_COLUMNS(X, T)                                                                     \
    X(T, operation, TEXT, "", 0, KEY, "as in causes.csv")                                          \
    X(T, pattern, TEXT, "", 0, KEY, "as in causes.csv")                                            \
    X(T, at_s, REAL, "s", 6, NONE, "when the write was requested, from the start of the tap")      \
    TAP_CAUSED(X, T)                                                                               \
    X(T, last_us, REAL, "us", 1, NONE, "time from its request to its last notification")
TABLE_DECLARE(tap_herd, TAP_HERD_COLUMNS);

/* The rows of watches.csv, of causes.csv (what notified most first), and of herds.csv: the
 * costliest writes, by notifications and requests after them. The caller's to table_deinit. */
struct table tap_watches(const struct tap_result *result);
struct table tap_causes(const struct tap_result *result);
struct table tap_herds(const struct tap_result *result);

/* Writes both tables, for a terminal of so many columns. */
void tap_watches_write(const struct tap_result *result, unsigned width, FILE *stream);

/* ------------------------------------------------------------------ the result (tell.c) */

#define TAP_FIGURES(X, T)                                                                          \
    X(T, messages, COUNT, "", 0, SUM, "requests of clients, or notifications to them")             \
    X(T, failed, COUNT, "", 0, SUM, "requests that were answered with an error")                   \
    X(T, watches, COUNT, "", 0, SUM, "watches that the requests set, or set again")                \
    X(T, sent_bytes, COUNT, "bytes", 0, SUM, "bytes of the requests")                              \
    X(T, received_bytes, COUNT, "bytes", 0, SUM, "bytes of the replies or notifications")          \
    X(T, p50_us, REAL, "us", 1, NONE, "time from a request to its reply, as the relay saw it")     \
    X(T, p99_us, REAL, "us", 1, NONE, "99th percentile of the same")                               \
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

#define TAP_CLIENT_FIGURE(X, T, name, unit, meaning) X(T, name, COUNT, unit, 0, SUM, meaning)
#define TAP_SESSION_COLUMNS(X, T)                                                                  \
    X(T, session, TEXT, "", 0, KEY, "its id, in hexadecimal digits")                               \
    X(T, library, TEXT, "", 0, NONE,                                                               \
      "what the client is by its first request and the names of its znodes: `C` (Apache's), "      \
      "`Curator`, `kazoo`, or `Java or another`, which look alike")                                \
    X(T, connections, COUNT, "", 0, SUM, "connections on which it was opened")                     \
    X(T, from_s, REAL, "s", 3, NONE, "its first message, from the first of all")                   \
    X(T, until_s, REAL, "s", 3, NONE, "its last message, likewise")                                \
    CLIENTS_FIGURES(TAP_CLIENT_FIGURE, X, T)
TABLE_DECLARE(tap_session, TAP_SESSION_COLUMNS);

#define TAP_SECOND_COLUMNS(X, T)                                                                   \
    X(T, second, COUNT, "", 0, KEY, "from the first message on, from 0")                           \
    CLIENTS_FIGURES(TAP_CLIENT_FIGURE, X, T)
TABLE_DECLARE(tap_second, TAP_SECOND_COLUMNS);

#define TAP_ERROR_COLUMNS(X, T)                                                                    \
    X(T, operation, TEXT, "", 0, KEY, "ZooKeeper's name of the operation")                         \
    X(T, error, TEXT, "", 0, KEY, "ZooKeeper's name of the error (KeeperException.Code)")          \
    X(T, code, SIGNED, "", 0, KEY, "its number")                                                   \
    X(T, replies, COUNT, "", 0, SUM, "replies with it")
TABLE_DECLARE(tap_error, TAP_ERROR_COLUMNS);

/* What the servers counted beside the relay. */
struct tap_comparison {
    struct server_counters_count servers;
    enum reconciled reconciled;
    char sentence[400];
};

/* What a tap has found. */
struct tap_result {
    const struct tap_options *options;
    const struct target *target;
    const struct traffic *traffic;
    const struct clients *clients;
    const struct watches *watches; /* ended */
    uint64_t begun_ns, ended_ns;   /* of the clock of the messages */
    struct tap_run first;          /* of --drain: the run before those */
    char *like, *first_time;       /* sentences: tap_like, tap_first_time; the caller's to free */
    struct relay_connections connections; /* when the relay was ended */
    struct tap_comparison comparison;
    struct tap_command command; /* the last */
    struct tap_run *runs;       /* of --drain; the caller's to free */
    size_t run_count;
    double seconds;
    double cpu_us;                 /* of the relay, for each message; NAN without one */
    struct capture_counts capture; /* of --pcap */
    char cut_short[256];           /* why the file was not read to its end; "": it was */
    bool incomplete;               /* for that reason, or nothing was found */
    int verdict;                   /* an exit status */
};

/* Whether nothing of the command came to the relay. */
bool tap_is_passed_by(const struct tap_result *result);

/* Compares the relay's counts with the servers', and fills result->comparison. */
void tap_compare(struct tap_result *result);

/* The rows of traffic.csv, of paths.csv (the most frequent first), and of errors.csv; the caller's
 * to table_deinit. */
struct table tap_operations(const struct tap_result *result);
struct table tap_places(const struct tap_result *result);
struct table tap_errors(const struct tap_result *result);

/* The rows of clients.csv and of seconds.csv (clients.c), likewise. */
struct table tap_sessions(const struct tap_result *result);
struct table tap_seconds(const struct tap_result *result);

/* Writes a sentence about the clients' libraries. */
void tap_clients_write(const struct tap_result *result, FILE *stream);

/* A table of the result: its file and its key in JSON. */
struct tap_part {
    const char *key;
    const struct table_type *type;
    struct table (*rows)(const struct tap_result *result);
    bool of_drain; /* only with --drain */
};

/* The part with this number that the result has; NULL behind the last. */
const struct tap_part *tap_part(const struct tap_result *result, size_t index);

/* Writes a grid for a terminal of so many columns, and ends the grid. */
void tap_write_grid(struct grid *grid, unsigned width, FILE *stream);

/* Writes the table, and the sentences below it. */
void tap_write(const struct tap_result *result, FILE *stream);

/* The same as an object of docs/schema/tap.schema.json; the caller's to json_decref. */
json_t *tap_describe(const struct tap_result *result, const char *folder);

/* Keeps the files of a result in a new folder (keep.c). */
MUST_CHECK enum error_kind tap_keep(const struct tap_result *result, int argc, char **argv,
                                    char folder[PATH_MAX], struct error *error);

#endif
