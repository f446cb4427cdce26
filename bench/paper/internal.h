// SPDX-License-Identifier: Apache-2.0
/*
 * What the files of `zkherd paper` share. Layer: bench/paper.
 *
 * An experiment is an evaluation of the paper that can be repeated: its options, its axes, the
 * metric of its trials, the figures that the paper published, and the claims that are judged
 * (Hunt et al., USENIX ATC 2010, section 5). A new one is an entry of the list in paper.c, with a
 * file of its own. The experiments of a load make their trials by bench/output/load_series.h, Table
 * 3 by table3_trials.c.
 *
 * Invariant: a verdict counts valid trials alone. The figure of a cell without a valid trial is of
 * its trials that are not valid, and belongs to no verdict but "undetermined".
 */
#ifndef BENCH_PAPER_INTERNAL_H
#define BENCH_PAPER_INTERNAL_H

#include "bench/cli/arguments.h"
#include "bench/cli/grid.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "bench/output/load_series.h"
#include "bench/output/verdict.h"
#include "measure/csv.h"
#include "measure/fit.h"
#include "measure/statistics.h"
#include "measure/table.h"
#include "sim/sim_options.h"
#include "trial/trial.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What the paper's clients wrote in Tables 1 and 2. */
#define PUBLISHED_VALUE_BYTES 1024

/* ------------------------------------------------------------------ the options */

struct paper_options {
    struct load_options load; /* the first member: rows of a load put their values there */
    struct levels barriers;   /* of table3 */
    json_t *experiments; /* of --json, the caller's list, to which a result is added; NULL: text */
};

/* The rows that all evaluations have. */
#define PAPER_ROWS_COMMON                                                                          \
    PAPER_ROWS_ON(ROW_DRIVER(struct load_options), "60s", ROW_CONNECT(struct load_options),        \
                  ROWS_IDENTITY(struct load_options))

/* The same, with another row of the driver, another default of the session timeout, and other rows
 * of --connect. */
#define PAPER_ROWS_ON(driver_, timeout_, ...)                                                      \
    driver_, ROW_PROCESSES(struct load_options, processes), ROW_HEAP(struct load_options),         \
        {.name = "--server-cpus",                                                                  \
         .parse = option_row_cpus,                                                                 \
         .member = OPTION_MEMBER(struct load_options, target.cpu_percent),                         \
         .least = SERVER_CPU_MIN_PERCENT,                                                          \
         .help =                                                                                   \
             "      --server-cpus X      cores that each private server may use [an equal "        \
             "part\n"                                                                              \
             "                           of the cores that clients leave; table3: no limit]\n"},   \
        ROW_FSYNC(struct load_options), ROW_DATA(struct load_options), __VA_ARGS__,                \
        {.name = "--session-timeout",                                                              \
         .parse = option_row_duration,                                                             \
         .member = OPTION_MEMBER(struct load_options, session_timeout_ns),                         \
         .least = NS_PER_S,                                                                        \
         .most = 3600 * NS_PER_S,                                                                  \
         .expected = "expected at most an hour",                                                   \
         .value = timeout_,                                                                        \
         .help = "      --session-timeout D  requested by each session [" timeout_ "]\n"},         \
        ROW_TIMEOUT(struct load_options, timeout_ns), ROW_SEED(struct load_options, seed),         \
        ROWS_NOISE(struct load_options),                                                           \
        {.name = "--out",                                                                          \
         .letter = 'o',                                                                            \
         OPTION_FOLDER(struct load_options, output.out),                                           \
         .help = "  -o, --out DIR            new folder for the results [results/TIME-paper]\n"},  \
        ROW_PLOTS(struct load_options), ROW_JSON(struct load_options),                             \
        ROW_QUIET(struct load_options),                                                            \
        OPTION_ROW_HELP("  -h, --help               print this help\n"),                           \
    {                                                                                              \
        0                                                                                          \
    }

/* Numbers of private servers, or of simulated ones; simulated_ is that of struct paper_command. */
#define PAPER_ROW_SERVERS(default_, simulated_)                                                    \
    {                                                                                              \
        .name = "--servers", .parse = rows_simulated_topologies,                                   \
        .member = OPTION_MEMBER(struct load_options, target),                                      \
        .given = OPTION_MEMBER(struct load_options, target.servers_given), .least = 1,             \
        .most = SIM_SERVERS_MAX, .value = default_,                                                \
        .help = "      --servers LIST       numbers of private servers, 1 to 7 [" default_ "];\n"  \
                "                           of simulated ones 1 to 13 [" simulated_ "]\n"          \
    }

/* One number of sessions; a list is for paper_options_sessions_are_one to refuse. */
#define PAPER_ROW_SESSIONS                                                                         \
    {                                                                                              \
        .name = "--sessions", .letter = 'n', .parse = option_row_levels,                           \
        .member = OPTION_MEMBER(struct load_options, sessions), .least = 1,                        \
        .most = FLEET_SESSIONS_MAX, .expected = "expected a whole number from 1 to 100000",        \
        .value = "60", .help = "  -n, --sessions N         the paper: 250 [60]\n"                  \
    }

/* The command line of an evaluation; constant. */
struct paper_command {
    struct arguments arguments;
    const char *simulated; /* the default numbers of simulated servers */
    bool compares_servers; /* needs two numbers of private or simulated servers, or more */
    bool (*is_consistent)(const struct paper_options *options); /* complains; NULL: always */
};

/* Whether --sessions is one number; complains if not. */
bool paper_options_sessions_are_one(const char *subcommand, const struct paper_options *options);

/* Frees the lists. */
void paper_options_deinit(struct paper_options *options);

/* Parses argv[1] …. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns *options, to
 * paper_options_deinit. Else the exit status: the help is printed, or the mistake has been
 * complained about. With --connect the only number of servers is that of the servers named. */
int paper_options_parse(const struct paper_command *command, int argc, char **argv,
                        struct paper_options *options);

/* Why these servers cannot show how throughput changes with their number, of writes or of reads
 * alone: a static text without a period; NULL if they can. Servers that share the cores of one
 * machine take them from each other, and the leader of a simulation pays nothing for a follower. */
const char *paper_servers_cannot_show(const struct target_options *target, bool writes);

/* What a server of ours has, where the paper's has a machine. Returns text. */
const char *paper_servers_describe(const struct target_options *target, char *text, size_t size);

/* ------------------------------------------------------------------ judgements */

#define JUDGEMENT_CONFIDENCE 0.95

/* A verdict is that of the interval, or `reason` says why it is another. */
struct judgement {
    char claim[200];      /* such as "reads rise from 1 to 3 servers" */
    char row[200];        /* the same in fewer words, for a table of 80 columns */
    uint64_t servers;     /* that the claim is about */
    uint64_t against;     /* servers that they are compared with; 0: none */
    struct interval ours; /* a ratio or an exponent; low and high are NaN without valid trials */
    double paper;         /* the same of the paper's figures; NaN: the paper has none */
    enum verdict verdict;
    char reason[96]; /* why the verdict is not that of the interval, without a period; "": it is */
};

struct judgements {
    const char *quantity; /* what `ours` is: "ratio", "exponent"; a static text */
    const char *unit;     /* of it, for a heading: "times"; a static text */
    struct judgement *list;
    size_t count;
};

/* Appends a judgement, all zero, and returns it; it moves with the next call. */
struct judgement *judgements_add(struct judgements *judgements);
void judgements_deinit(struct judgements *judgements);

/* Makes the judgement undetermined for this reason; NULL: leaves the judgement as it is. */
void judgement_deny(struct judgement *judgement, const char *reason);

/* 0 if every judgement holds, 1 if one fails, else 4, as without a judgement. */
int judgements_exit_status(const struct judgements *judgements);

/* For output_write: the file shape.csv of a struct judgements. */
void judgements_write(FILE *stream, const void *judgements);

/* Appends an interval, each end with as many decimals as the function says. */
void judgements_put_interval(struct grid *grid, double low, double high,
                             int (*decimals_for)(double value));

/* A table for people, for a terminal of so many columns, and the reasons below the table. */
void judgements_print(const struct judgements *judgements, unsigned columns, FILE *stream);

/* Complains about each judgement that does not hold: for those who do not see the table. */
void judgements_complain(const struct judgements *judgements);

/* ------------------------------------------------------------------ cells */

#define PAPER_AXES_MAX 2

/* A figure of the paper, by the values on both axes; with one axis by the number of servers and the
 * value on it. */
struct paper_figure {
    uint64_t x, y;
    double value;
};

/* That of these values; NaN if the paper has none. */
double paper_published(const struct paper_figure *list, size_t count, uint64_t x, uint64_t y);

/* The trials at a number of servers and a value on each axis. */
struct paper_cell {
    uint64_t servers;
    uint64_t at[PAPER_AXES_MAX];
    size_t trials; /* that were led to their end */
    size_t valid;  /* of these, without the starved ones */
    size_t starved;
    struct table_cell counted; /* the valid trials, or all if none is */
    double *values;            /* of the metric, in these trials */
    struct interval mean;
    double published; /* the paper's figure of the metric, or NaN */
};

enum paper_between {
    PAPER_SERVERS, /* from each number of servers to the next */
    PAPER_LEVELS,  /* with each number of servers, from each value on the axis to the next */
    PAPER_ENDS,    /* with each number of servers, from the first value on the axis to the last,
                      without a step at which the metric falls */
};

/* The claim that a ratio of two cells is above 1, or below. */
struct paper_claim {
    enum paper_between between;
    bool first; /* PAPER_SERVERS: with the first value on the axis; else with the last */
    bool falls;
    const char *words, *row; /* how the judgement's claim and its row begin */
    const char *noun;        /* what there is more of: "workers"; NULL: not told */
    const char *fixed;       /* what is the same in both cells: "server"; NULL: not told */
};

struct paper_cells;

/* The figures and the judgements of an experiment; constant. */
struct paper_design {
    /* The columns of its file: the number of servers, the values on the axes, `trials`, `valid`,
     * and what fill adds. */
    const struct table_type *figures;
    struct {
        size_t column; /* of the rows of trials */
        size_t levels; /* the offset of its struct levels in struct paper_options */
    } axes[PAPER_AXES_MAX];
    size_t axis_count;
    size_t complete, valid, metric; /* columns of the rows of trials */
    struct interval (*mean)(const double *values, size_t count, double confidence);
    /* Whether the servers of a trial did not use what they may of the CPU; NULL: no matter. */
    bool (*is_starved)(const struct table_value *trial, const struct paper_cell *cell,
                       const struct target_options *target);
    const struct paper_figure *published;
    size_t published_count;
    void (*fill)(const struct paper_cell *cell, struct table_value *row);
    const struct paper_claim *claims;
    size_t claim_count;
    void (*judge)(struct paper_cells *cells); /* instead of by claims */
};

struct paper_cells {
    const struct paper_design *design;
    const struct paper_options *options;
    size_t topologies, lengths[PAPER_AXES_MAX];
    struct paper_cell *list; /* by topology, and the values on the axes, all ascending */
    size_t count;
    struct table figures; /* a row a cell */
    struct judgements judgements;
};

/* Gathers and judges the trials of each of the options' topologies. What these servers cannot show
 * is undetermined. The options and the rows must outlive the cells, the caller's to
 * paper_cells_deinit. */
void paper_cells_init(struct paper_cells *cells, const struct paper_design *design,
                      const struct paper_options *options, const struct table *const rows[]);
void paper_cells_deinit(struct paper_cells *cells);

/* The cell of a topology and of values on the axes, by their indices; without a second axis the
 * last index is 0. */
struct paper_cell *paper_cells_at(const struct paper_cells *cells, size_t topology, size_t first,
                                  size_t second);

/* A column of the trials that count, unknown ones as NaN; the caller's to free. */
double *paper_cell_values(const struct paper_cell *cell, size_t column);

/* ------------------------------------------------------------------ experiments */

/* How a real number is printed for people, if not with so many decimals; 0: as a whole number. */
enum {
    PAPER_SECONDS = -1,  /* with about three digits */
    PAPER_INTERVAL = -2, /* likewise with its upper end, in the next column */
};

/* A column of the table for people. */
struct paper_column {
    struct grid_column grid;
    size_t of; /* the column of the cells */
    int decimals;
    bool at_last;    /* of a line of the ends: the last value on the axis, not the first */
    bool if_several; /* only with several numbers of servers */
};

struct experiment;

/* An experiment that is made. */
struct paper {
    const struct experiment *experiment;
    struct paper_options *options;
    int argc; /* the command line: argv[0] and argv[1] are the subcommand and the name */
    char **argv;
    bool interrupted; /* by a signal, and the status says so */
};

/* Constant. */
struct experiment {
    const char *name; /* "table1": the operand, and the folder among all */
    struct paper_command command;
    /* Why the experiment cannot be made on these servers: a static text without a period; NULL, as
     * the function may be, if it can. Among all it is left out then. */
    const char *(*cannot)(const struct target_options *target);
    /* Runs the experiment. Returns the exit status; errors have been complained about. */
    int (*lead)(struct paper *paper);
    const struct paper_design *design; /* NULL: lead has its own */
    /* For people: the table above the judgements, and what is to be known of it, below. cells: what
     * the JSON has, too. */
    const struct paper_column *columns;
    size_t column_count;
    bool is_of_ends; /* a line for each number of servers; else one for each cell */
    void (*explain)(const struct table *cells, const struct load_options *options, FILE *stream);
};

extern const struct experiment experiment_table1, experiment_table2, experiment_table3,
    experiment_figure8;
extern const struct paper_design design_table1, design_table2, design_table3;

/* ------------------------------------------------------------------ results */

/* What an experiment ends with. */
struct paper_outcome {
    const struct paper *paper;
    const struct table *file;  /* table1.csv, … */
    const struct table *cells; /* as many of each topology, in their order */
    const struct judgements *judgements;
    const struct series *series;
    bool fails; /* the servers have counted otherwise */
};

/* Writes the file and shape.csv into the folder of the options, draws the plots, adds the page, and
 * prints, or adds the result to the list of --json; with --quiet or --json, complains about what
 * does not hold. *verdict: that of the judgements, or 1 if the servers have counted otherwise.
 * Returns 0, or the exit status of an error that has been complained about. */
int paper_tell(const struct paper_outcome *outcome, int *verdict);

/* The same of the trials of a series, by the experiment's design. */
int paper_tell_design(const struct paper *paper, const struct series *series, bool fails,
                      int *verdict);

/* A new list of rows from `first` on. The keys are those of docs/schema/paper.schema.json: but for
 * the numbers of trials, the columns of the experiment's file. */
json_t *paper_json_rows(const struct table *table, size_t first, size_t count);

/* Appends the result of an experiment to a list, and takes its records. verdict: an exit status. */
void paper_json_add(json_t *list, const char *name, int verdict, const char *folder,
                    json_t *records, const struct judgements *judgements);

/* Appends an experiment that has no result. left_out: why it was not made; NULL: it ended before
 * its first trial did. */
void paper_json_add_without_result(json_t *list, const char *name, const char *left_out);

/* Whether an experiment of the list has a result: else there is nothing to write. */
bool paper_json_has_result(const json_t *list);

/* Writes one object, with the verdict of all; the list stays the caller's. cut_short: why trials
 * are missing; NULL: none is. */
void paper_json_write(json_t *list, const char *cut_short, FILE *stream);

/* ------------------------------------------------------------------ loads */

/* Gives each private server its share of the CPU, and makes all trials, after a rehearsal if
 * servers live through all of them (bench/output/load_series.h). The user's subcommand and warning
 * are filled in here. Returns the exit status; errors have been complained about. */
int paper_loads_lead(struct paper *paper, const struct load_series_user *wanted);

/* For struct experiment: by its design. */
int paper_loads_lead_design(struct paper *paper);

/* Complains about the trials that are not valid. Returns whether the servers have counted
 * otherwise.
 */
bool paper_loads_complain(const struct load_series *series);

/* ------------------------------------------------------------------ Table 3 */

/* The interval of an exponent must lie within these: the margin of O(n) everywhere in zkherd, which
 * contains the exponents of the paper's own figures, which it calls roughly linear. */
#define TABLE3_EXPONENT_LEAST (1 - FIT_MARGIN)
#define TABLE3_EXPONENT_MOST  (1 + FIT_MARGIN)

/* The exponent of the paper's own figures: of the barriers for a number of clients, or of the
 * clients for a number of barriers. NaN if the paper has no such line. */
double table3_paper_exponent(bool of_barriers, uint64_t fixed);

#define TABLE3_SERVER_COLUMN(X, T, name, keys, word, meaning)                                      \
    X(T, server_##name, COUNT, "", 0, NONE, "as in `trials.csv`")

#define TABLE3_ROW_COLUMNS(X, T)                                                                   \
    X(T, run, TEXT, "", 0, NONE, "as in `trials.csv`")                                             \
    X(T, target, TEXT, "", 0, KEY, "as in `trials.csv`")                                           \
    X(T, servers, COUNT, "", 0, KEY, "as in `trials.csv`")                                         \
    X(T, clients, COUNT, "", 0, KEY, "as in `trials.csv`")                                         \
    X(T, barriers, COUNT, "", 0, KEY, "that each client enters and then leaves")                   \
    X(T, trial, COUNT, "", 0, NONE, "as in `trials.csv`")                                          \
    X(T, seed, COUNT, "", 0, NONE, "as in `trials.csv`")                                           \
    X(T, client_s, REAL, "s", 6, MEDIAN,                                                           \
      "from the common start until a client has left its last barrier: the mean over clients")     \
    X(T, elapsed_s, REAL, "s", 6, MEDIAN, "the same of the last client")                           \
    X(T, creates, COUNT, "", 0, SUM, "as in `trials.csv`")                                         \
    X(T, creates_failed, COUNT, "", 0, NONE, "as in `trials.csv`")                                 \
    X(T, exists, COUNT, "", 0, NONE, "as in `trials.csv`")                                         \
    X(T, get_children, COUNT, "", 0, NONE, "as in `trials.csv`")                                   \
    X(T, deletes, COUNT, "", 0, SUM, "as in `trials.csv`")                                         \
    X(T, rpcs, COUNT, "", 0, SUM, "as in `trials.csv`")                                            \
    X(T, notifications, COUNT, "", 0, NONE, "as in `trials.csv`")                                  \
    X(T, names_listed, COUNT, "", 0, NONE, "as in `trials.csv`")                                   \
    X(T, bytes_sent, COUNT, "bytes", 0, NONE, "as in `trials.csv`")                                \
    X(T, bytes_received, COUNT, "bytes", 0, NONE, "as in `trials.csv`")                            \
    X(T, client_cpu_s, REAL, "s", 6, NONE, "as in `trials.csv`")                                   \
    X(T, server_cpu_s, REAL, "s", 6, NONE, "as in `trials.csv`")                                   \
    FOUR_LETTER_OF_TRIALS(TABLE3_SERVER_COLUMN, X, T)                                              \
    X(T, watches_leaked, SIGNED, "", 0, NONE, "as in `trials.csv`")                                \
    X(T, reconciled, TEXT, "", 0, NONE, "as in `trials.csv`")                                      \
    X(T, violations, COUNT, "", 0, NONE, "as in `trials.csv`")                                     \
    X(T, reconnects, COUNT, "", 0, NONE, "as in `trials.csv`")                                     \
    X(T, valid, FLAG, "", 0, NONE, "whether the trial counts")                                     \
    X(T, reason, TEXT, "", 0, NONE, "why it does not")                                             \
    NOISE_COLUMNS_AS_THERE(X, T)                                                                   \
    X(T, complete, FLAG, "", 0, PRIVATE, "whether the trial ran to its end")                       \
    X(T, fails, FLAG, "", 0, PRIVATE, "whether a client was early, or the counts are wrong")

TABLE_DECLARE(table3_row, TABLE3_ROW_COLUMNS);

/* A trial of so many clients, numbered from 1. */
struct table3_trial {
    uint32_t clients, barriers, number;
};

/* Every round makes one trial of each cell; with a rehearsal of the largest cell of each topology.
 * The cells stand by topology, clients, barriers: table3_trial_of has the trial of an index. */
void table3_lay_out(const struct paper_options *options, struct rounds *rounds);
struct table3_trial table3_trial_of(const struct paper_options *options,
                                    const struct rounds_trial *trial);

/* Entries and departures of all clients: the barrier operations of the paper. */
uint64_t table3_passages(uint64_t clients, uint64_t barriers);

/* Fills the row of a finished trial, but for what all rows of a folder have in common. A trial is
 * valid only if the checker, the counts that double barriers cause (recipes/law.h) and the servers'
 * own counts agree, and its times stand. cores_allowed: see bench/output/trial_times.h. */
void table3_row_take(const struct table3_trial *trial, const struct trial_result *result,
                     double cores_allowed, struct table_value *row);

/* For struct experiment. */
int table3_lead(struct paper *paper);

/* ------------------------------------------------------------------ Figure 8 */

#define FIGURE8_EVENTS_MAX 5
#define FIGURE8_FAULTS_MAX (2 * FIGURE8_EVENTS_MAX)

/* The paper's events in their order: a follower, another follower, the leader, two followers at
 * once, the leader. Each event is a kill and a start. With three servers the two followers are left
 * out: no quorum would stay. A trial is equal parts: two before the first kill; and for each event
 * one from the kill to the start, and two from the start to the next kill, or to the end. */
struct figure8_plan {
    uint64_t part_ns;
    uint32_t events;
    struct load_fault faults[FIGURE8_FAULTS_MAX]; /* of each event the kill, and the start */
};

/* The parts of a trial. */
uint64_t figure8_plan_parts(uint64_t servers);

/* servers: 3 or more. */
void figure8_plan_init(struct figure8_plan *plan, uint64_t servers, uint64_t duration_ns);

/* What the event kills: a static text, such as "another follower". */
const char *figure8_plan_word(const struct figure8_plan *plan, uint32_t event);

#define FIGURE8_FAULT_COLUMNS(X, T)                                                                \
    X(T, trial, COUNT, "", 0, KEY, "the trial")                                                    \
    X(T, valid, FLAG, "", 0, NONE, "whether it is valid")                                          \
    X(T, fault, COUNT, "", 0, KEY, "its number, from 1")                                           \
    X(T, event, TEXT, "", 0, NONE, "what the event kills")                                         \
    X(T, action, TEXT, "", 0, NONE, "`kill` or `restart`")                                         \
    X(T, servers, TEXT, "", 0, NONE, "the servers, from 1, with plus signs between")               \
    X(T, role, TEXT, "", 0, NONE, "what the first of them was just before its kill")               \
    X(T, at_s, REAL, "s", 3, NONE, "when it was carried out, since the measured time began")       \
    X(T, took_ms, REAL, "ms", 1, NONE, "until the processes had ended or were started")            \
    X(T, first_operation_ms, REAL, "ms", 1, NONE,                                                  \
      "until the completion of the first operation that was sent after the fault")                 \
    X(T, first_write_ms, REAL, "ms", 1, MEDIAN, "the same of the first write")                     \
    X(T, longest_silence_ms, REAL, "ms", 0, MEDIAN,                                                \
      "the longest time until the next fault in which no operation was completed")                 \
    X(T, longest_write_silence_ms, REAL, "ms", 0, NONE, "in which no write was completed")         \
    X(T, seconds_at_zero, COUNT, "s", 0, SUM,                                                      \
      "whole seconds, ending before the next fault, without a completed operation")                \
    X(T, new_leader_ms, REAL, "ms", 1, MEDIAN,                                                     \
      "of a leader's death: until another server was seen to lead and serve")                      \
    X(T, new_leader_sooner_ms, REAL, "ms", 1, NONE, "by so much sooner that may have been")        \
    X(T, new_leader, COUNT, "", 0, NONE, "which one")                                              \
    X(T, serves_ms, REAL, "ms", 1, MEDIAN,                                                         \
      "of a start: until the last of its servers was seen to serve")                               \
    X(T, serves_sooner_ms, REAL, "ms", 1, NONE, "by so much sooner that may have been")            \
    X(T, before_per_s, REAL, "1/s", 1, MEDIAN,                                                     \
      "of a kill: operations a second in the part before")                                         \
    X(T, down_per_s, REAL, "1/s", 1, MEDIAN, "from the kill to the start")                         \
    X(T, after_per_s, REAL, "1/s", 1, MEDIAN, "in the part that begins a part after the start")    \
    X(T, reason, TEXT, "", 0, NONE, "why the fault was not carried out")                           \
    X(T, killed, COUNT, "", 0, PRIVATE, "of a kill: how many servers")                             \
    X(T, of_leader, FLAG, "", 0, PRIVATE, "whether the event kills the leader")

#define FIGURE8_EVENT_COLUMNS(X, T)                                                                \
    X(T, servers, COUNT, "", 0, KEY, "of the ensemble")                                            \
    X(T, trials, COUNT, "", 0, NONE, "all trials")                                                 \
    X(T, valid, COUNT, "", 0, NONE, "of these; the medians are theirs, or of all if none is")      \
    X(T, event, TEXT, "", 0, NONE, "as in figure8.csv, like all below")                            \
    X(T, before_per_s, REAL, "1/s", 1, MEDIAN, "")                                                 \
    X(T, down_per_s, REAL, "1/s", 1, MEDIAN, "")                                                   \
    X(T, after_per_s, REAL, "1/s", 1, MEDIAN, "")                                                  \
    X(T, first_write_ms, REAL, "ms", 1, MEDIAN, "")                                                \
    X(T, longest_silence_ms, REAL, "ms", 0, MEDIAN, "")                                            \
    X(T, new_leader_ms, REAL, "ms", 1, MEDIAN, "")                                                 \
    X(T, serves_ms, REAL, "ms", 1, MEDIAN, "of the start")

#define FIGURE8_SAMPLE_COLUMNS(X, T)                                                               \
    X(T, trial, COUNT, "", 0, KEY, "the trial")                                                    \
    X(T, from_s, REAL, "s", 1, NONE, "the beginning, since the measured time began")               \
    X(T, reads, COUNT, "", 0, NONE, "completed as foreseen")                                       \
    X(T, writes, COUNT, "", 0, NONE, "completed as foreseen")                                      \
    X(T, operations_per_s, REAL, "1/s", 1, NONE, "the rate of both together")

TABLE_DECLARE(figure8_fault, FIGURE8_FAULT_COLUMNS);
TABLE_DECLARE(figure8_event, FIGURE8_EVENT_COLUMNS);
TABLE_DECLARE(figure8_sample, FIGURE8_SAMPLE_COLUMNS);

struct figure8 {
    struct figure8_plan plan;
    uint64_t servers;
    uint32_t seconds;
    struct table faults;  /* figure8.csv: a row for each fault of each trial */
    struct table samples; /* samples.csv: a row for each 300 ms of each trial */
    struct table events;  /* of figure8_judge */
    struct judgements judgements;
};

/* Operations completed in a tenth of a second. */
struct figure8_operations {
    uint64_t reads;
    uint64_t writes;
};

void figure8_init(struct figure8 *figure, uint64_t servers, uint64_t duration_ns);
void figure8_deinit(struct figure8 *figure);

/* Keeps a trial: what became of its faults, and the tenths of its measured time. */
void figure8_add(struct figure8 *figure, uint64_t number, bool valid,
                 const struct load_fault_result *faults,
                 const struct figure8_operations *operations);

/* Sums the trials up by event, and judges them. cannot_show: why these servers cannot show what one
 * of them costs, or NULL. */
void figure8_judge(struct figure8 *figure, const char *cannot_show);

#endif
