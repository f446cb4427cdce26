// SPDX-License-Identifier: Apache-2.0
/*
 * internal: what the files of `zkherd tap` share. Layer: bench/tap.
 *
 * A tap goes one way: clients or a capture (tap.c), counts (lib/relay), rows (rows.c, laws.c),
 * findings (findings.c), and what is written and printed of both (results.c).
 */
#ifndef BENCH_TAP_INTERNAL_H
#define BENCH_TAP_INTERNAL_H

#include "bench/cli/options.h"
#include "bench/cli/progress.h"
#include "bench/output/findings.h"
#include "bench/tap/columns.h"
#include "bench/target/target.h"
#include "fleet/server_counters.h"
#include "relay/capture.h"
#include "relay/observer.h"
#include "relay/relay.h"

#include <sys/types.h>

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
    uint64_t seed;        /* of the order of the runs */
    char *const *command; /* in argv, NULL behind the last word; NULL: none */
};

/* ------------------------------------------------------------------ the command (command.c) */

struct tap_command {
    pid_t pid;        /* and its process group; 0: none runs */
    bool ended;       /* by itself */
    int status;       /* as of waitpid, once tap_command_end was called; so are the next two */
    uint64_t cpu_ns;  /* user and system, of the command and of the processes it waited for */
    uint64_t rss_kib; /* largest resident memory of one of these processes */
};

/* ERROR_USAGE if the command cannot be executed. */
MUST_CHECK enum error_kind tap_command_start(struct tap_command *command, char *const *words,
                                             const char *connect, const char *n,
                                             struct error *error);
void tap_command_poll(struct tap_command *command);
void tap_command_end(struct tap_command *command);
bool tap_command_failed(const struct tap_command *command);
bool tap_command_succeeded(const struct tap_command *command);

#define TAP_TRIALS 3 /* runs of --drain at each number of clients */

/* Counts of a run: requests of each operation, those of them that failed, notifications of each
 * kind, and all requests but pings and closes. */
#define TAP_FAILED        ((size_t)OPCODES)
#define TAP_NOTIFICATIONS (2 * TAP_FAILED)
#define TAP_ALL           (TAP_NOTIFICATIONS + TRAFFIC_EVENT_KINDS)
#define TAP_COUNTS        (TAP_ALL + 1)

struct tap_run {
    uint64_t n;     /* clients */
    uint32_t trial; /* from 1 */
    uint64_t counts[TAP_COUNTS];
};

/* The tables; those of --drain alone are the last. */
enum tap_rows {
    TAP_OPERATIONS,
    TAP_PLACES,
    TAP_ERRORS,
    TAP_SESSIONS,
    TAP_SECONDS,
    TAP_WATCHES,
    TAP_CAUSES,
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
    struct observer observer;
    struct tap_command command; /* the last */
    struct tap_run first;       /* of --drain: not among the runs */
    struct tap_run *runs;
    size_t run_count;
    struct relay_connections connections; /* when the relay was ended */
    struct server_counters_count servers;
    struct capture_counts capture; /* of --pcap */
    char cut_short[256];           /* why the capture was not read to its end; "": it was */
    uint64_t begun_ns;             /* by the clock of the messages */
    double seconds;
    double cpu_us; /* of the relay, for each message; NAN without one */

    /* Results. */
    struct table tables[TAP_TABLES];
    enum reconciled reconciled;
    char folder[PATH_MAX]; /* of the files; "": none */
};

/* Counts of everything so far (laws.c). */
void tap_count(const struct traffic *traffic, struct tap_run *run);

/* Fill tap->tables: rows.c with what passed, laws.c with the runs of a drain and their laws. */
void tap_fill_rows(struct tap *tap);
void tap_fill_laws(struct tap *tap);

/* Add findings: laws.c what follows from a drain, findings.c everything, and sets
 * tap->reconciled. */
void tap_judge_laws(struct tap *tap);
void tap_judge(struct tap *tap);

/* Writes the files into a new folder, then prints the results (results.c). */
void tap_write_files(struct tap *tap, int argc, char **argv);
void tap_print(const struct tap *tap);

#endif
