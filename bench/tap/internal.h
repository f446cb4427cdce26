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
#include "measure/fit.h"
#include "relay/capture.h"
#include "relay/observer.h"
#include "relay/relay.h"

#include <sys/types.h>

/* Counts of a run: requests of each operation, those of them that failed, notifications of each
 * kind, all of these, and all requests but pings and closes. */
#define TAP_FAILED            ((size_t)OPCODES)
#define TAP_NOTIFICATIONS     (2 * TAP_FAILED)
#define TAP_ALL_NOTIFICATIONS (TAP_NOTIFICATIONS + TRAFFIC_EVENT_KINDS)
#define TAP_ALL               (TAP_ALL_NOTIFICATIONS + 1)
#define TAP_COUNTS            (TAP_ALL + 1)
#define TAP_NAME_SIZE         64

struct tap_run {
    uint64_t n;     /* clients */
    uint32_t trial; /* from 1 */
    uint64_t counts[TAP_COUNTS];
};

/* Counts that the runs of a drain must have. */
#define TAP_EXPECTED_MOST 16
struct tap_expected {
    struct tap_expectation {
        size_t counted; /* index of a run's counts */
        struct fit_polynomial law;
    } list[TAP_EXPECTED_MOST];
    size_t count;
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
    struct tap_expected expected;
    uint64_t seed;        /* of the order of the runs */
    char *const *command; /* in argv, NULL behind the last word; NULL: none */
};

/* ------------------------------------------------------------------ the command (command.c) */

struct tap_command {
    pid_t pid;      /* and its process group; 0: none runs */
    bool ended;     /* by itself */
    int output;     /* what it prints: the reading end of a pipe */
    char last[160]; /* line of that which is not empty */
    size_t length;  /* of the line that is being printed */
    char line[160];
    int status;       /* as of waitpid, once tap_command_end was called; so are the next two */
    uint64_t cpu_ns;  /* user and system, of the command and of the processes it waited for */
    uint64_t rss_kib; /* largest resident memory of one of these processes */
};

/* ERROR_USAGE if the command cannot be executed. */
MUST_CHECK enum error_kind tap_command_start(struct tap_command *command, char *const *words,
                                             const char *connect, const char *n,
                                             struct error *error);
/* Whether the command can know n: by {n}, or by ZKHERD_N in a word or in the file of that name. */
bool tap_command_knows_n(char *const *words);
void tap_command_poll(struct tap_command *command);
void tap_command_end(struct tap_command *command);
bool tap_command_failed(const struct tap_command *command);
bool tap_command_succeeded(const struct tap_command *command);

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
    size_t run_count, run_planned, run_at; /* ended well, of all, started with the first */
    struct relay_connections connections;  /* when the relay was ended */
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

/* Counts of everything so far; the name of a count; the law of a count in words (laws.c). */
void tap_count(const struct traffic *traffic, struct tap_run *run);
const char *tap_count_name(size_t counted, char name[TAP_NAME_SIZE]);
const char *tap_describe_law(const struct tap *tap, size_t counted, char *text, size_t size);

/* --expect: reads its value, and adds findings of what the runs have (expect.c). */
option_parser tap_parse_expected;
void tap_judge_expected(struct tap *tap);

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
