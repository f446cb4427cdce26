// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd tap` share. Layer: bench/tap.
 *
 * A tap goes one way: clients or a capture (tap.c), counts (lib/relay), rows (results.c, laws.c),
 * findings (findings.c, laws.c), and what is written and printed of both (results.c).
 */
#ifndef BENCH_TAP_INTERNAL_H
#define BENCH_TAP_INTERNAL_H

#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/output/findings.h"
#include "bench/tap/columns.h"
#include "bench/target/target.h"
#include "fleet/server_counters.h"
#include "measure/fit.h"
#include "relay/capture.h"
#include "relay/relay.h"
#include "relay/traffic.h"

#include <string.h>

/* Counts of a run: requests of each operation, those of them that failed, notifications of each
 * kind, all of these, and all requests but pings and closes. */
#define TAP_FAILED            ((size_t)OPCODES)
#define TAP_NOTIFICATIONS     (2 * TAP_FAILED)
#define TAP_ALL_NOTIFICATIONS (TAP_NOTIFICATIONS + TRAFFIC_EVENTS)
#define TAP_ALL               (TAP_ALL_NOTIFICATIONS + 1)
#define TAP_COUNTS            (TAP_ALL + 1)

struct tap_run {
    uint64_t n;     /* clients */
    uint32_t trial; /* from 1 */
    uint64_t counts[TAP_COUNTS];
};

struct tap_options {
    struct target_options target;
    struct output_options output;
    const char *listen;   /* address of the relay */
    bool listen_given;    /* on the command line */
    const char *pcap;     /* capture that is read in place of a relay; NULL: none */
    struct levels ports;  /* of the servers in it */
    uint64_t duration_ns; /* 0: until the command or the user ends it */
    bool drain;           /* the command runs for each number of clients, and laws are fitted */
    struct levels clients;
    uint32_t trials; /* runs at each number of clients */
    bool expect_given;
    struct fit_polynomial expected[TAP_COUNTS]; /* of each run; not `exact`: of this count none */
    uint64_t seed;                              /* of the order of the runs */
    char *const *command;                       /* in argv, NULL behind the last word; or NULL */
};

struct tap_command {
    pid_t pid;          /* and its process group; 0: none runs */
    bool ended, failed; /* by itself; with a status other than 0, or by a signal of its own */
    int status;         /* as of waitpid */
    int output;         /* what it prints: the reading end of a pipe */
    char last[160];     /* line of that which is not empty, so far */
    size_t length;      /* of it */
    bool has_ended_line;
};

/* The tables; those of --drain alone are the last. */
enum tap_rows {
    TAP_OPERATIONS,
    TAP_PLACES,
    TAP_ERRORS,
    TAP_SESSIONS,
    TAP_SECONDS,
    TAP_WATCHES,
    TAP_HERDS,
    TAP_FINDINGS,
    TAP_RUNS,
    TAP_LAWS,
    TAP_TABLES
};

struct tap {
    const struct tap_options *options;
    struct error error; /* the first one: nothing is opened or relayed after it */

    struct target target;
    int signals; /* descriptor that is readable when the tap is to end */
    struct relay *relay;
    char connect[CONNECT_TEXT_SIZE]; /* for clients of the relay */
    struct progress progress;

    /* Counts. */
    struct traffic traffic;
    struct tap_command command; /* the last */
    struct tap_run *runs;
    size_t run_count, run_planned, run_at; /* ended well; of all; now, 0: the one before them */
    struct relay_connections connections;  /* when the relay was ended */
    struct server_counters_count servers;
    bool is_absent;                /* a server has not answered at the end */
    struct capture_counts capture; /* of --pcap */
    char cut_short[256];           /* why the capture was not read to its end; "": it was */
    uint64_t begun_ns;             /* by the clock of the messages */
    double seconds;

    /* Results. */
    struct table tables[TAP_TABLES];
    enum reconciled reconciled;
    char folder[PATH_MAX]; /* of the files; "": none */
};

/* Adds a row: a value for each column of `type`, in their order. */
#define TAP_ADD_ROW(table, type, ...)                                                              \
    do {                                                                                           \
        const struct table_value values[] = {__VA_ARGS__};                                         \
        _Static_assert(sizeof values / sizeof values[0] == type##_columns_count, "all columns");   \
        memcpy(table_add(table), values, sizeof values);                                           \
    } while (0)

/* Adds a finding with a figure (NaN: none), and its sentence from a format. */
#define TAP_ADD_FINDING(tap, slug, subject, verdict, figure, unit, n, ...)                         \
    do {                                                                                           \
        const struct finding added = {slug, subject, verdict, FINDING_FIGURE(figure), unit, n};    \
        findings_add(&(tap)->tables[TAP_FINDINGS], &added, __VA_ARGS__);                           \
    } while (0)

/* clients.c: whether the command can know n: by {n}, or by ZKHERD_N in a word or in the file of
 * that name; and all that is relayed and counted. */
bool tap_command_knows_n(char *const *words);
void tap_relay_clients(struct tap *tap);

/* laws.c: the counts of everything so far; the value of --expect; rows and findings of a drain. */
void tap_count(const struct traffic *traffic, struct tap_run *run);
option_parser tap_parse_expected;
void tap_judge_laws(struct tap *tap);

/* findings.c: adds all findings, and sets tap->reconciled. */
void tap_judge(struct tap *tap);

/* results.c: the rows of what passed; the files in a new folder, and what is printed. */
void tap_fill_rows(struct tap *tap);
void tap_write_files(struct tap *tap, int argc, char **argv);
void tap_print(const struct tap *tap);

#endif
