// SPDX-License-Identifier: Apache-2.0
/*
 * costs_file: costs.json: the costs of an ensemble, as zkherd calibrate has estimated them, and the
 * servers for which they hold. Layer: bench/model.
 *
 * Invariant: what costs_file_read has accepted is complete: every cost is positive, and the
 * covariance is that of these costs. Lists of costs have COST_LIST_COUNT numbers, in nanoseconds
 * and in the order of SIM_COST_LIST.
 */
#ifndef BENCH_MODEL_COSTS_FILE_H
#define BENCH_MODEL_COSTS_FILE_H

#include "base/error.h"
#include "bench/target/target.h"
#include "capacity/calibration.h"
#include "measure/statistics.h"
#include "recipes/recipe.h"
#include "sim/sim_options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COSTS_FILE_CELLS_MAX 256
#define COSTS_FILE_TEXT      256

enum cost_list_index {
#define X(name) COST_LIST_##name,
    SIM_COST_LIST(X)
#undef X
        COST_LIST_COUNT
};

/* The servers and the driver for which costs hold. X(kind, member and key, the words for it where
 * other servers are refused, the least and the most that it can be) */
#define COSTS_RECORD(X)                                                                            \
    X(TEXT, servers, "ensemble", 0, 0) /* "private", or the servers of --connect */                \
    X(COUNT, server_count, "servers", 1, SIM_SERVERS_MAX)                                          \
    X(TEXT, zookeeper, "ZooKeeper", 0, 0) /* the version of the servers, or "unknown" */           \
    X(SHARE, server_cpu_percent, "--server-cpus", 1, 1000000) /* of one core; 0: no limit */       \
    X(TEXT, fsync, "fsync", 0, 0)   /* "yes" or "no"; "unknown": of servers of others */           \
    X(TEXT, driver, "driver", 0, 0) /* of zkherd */                                                \
    X(COUNT, processes, "--processes", 1, 1000)                                                    \
    X(TEXT, host, "host", 0, 0) /* on which zkherd ran */                                          \
    X(TEXT, cpu, "CPU", 0, 0)                                                                      \
    X(REAL, cores, "cores", 0.001, 1e6) /* that zkherd, and its private servers, could use */

struct costs_record {
#define COSTS_MEMBER_TEXT(name)           char name[COSTS_FILE_TEXT]
#define COSTS_MEMBER_COUNT(name)          uint32_t name
#define COSTS_MEMBER_SHARE(name)          uint32_t name
#define COSTS_MEMBER_REAL(name)           double name
#define X(kind, name, words, least, most) COSTS_MEMBER_##kind(name);
    COSTS_RECORD(X)
#undef X
};

/* A drain: each client acquires its lock once. */
struct drain_cell {
    const struct recipe *recipe;
    uint32_t clients; /* of all locks together */
    uint32_t locks;   /* at most as many as clients */
};

/* From the first release to the answer to the last, and the median handoff. */
enum drain_time { DRAIN_TOTAL, DRAIN_HANDOFF, DRAIN_TIMES };

/* A cell to which the costs were fitted. */
struct costs_cell {
    struct drain_cell drain;
    uint32_t trials;
    double measured_s[DRAIN_TIMES]; /* geometric means; NaN: there was no such time */
    double fitted_s[DRAIN_TIMES];   /* by the simulation with the costs of the file */
};

struct costs_file {
    char zkherd[COSTS_FILE_TEXT]; /* the version that has written the file */
    char date[COSTS_FILE_TEXT];   /* UTC */
    struct costs_record holds_for;
    uint32_t shared_cores;        /* struct sim_options */
    struct calibration fit;       /* COST_LIST_COUNT costs, in nanoseconds */
    double trial_sd[DRAIN_TIMES]; /* of the logarithm of the time of one trial of a cell */
    struct costs_cell cells[COSTS_FILE_CELLS_MAX];
    size_t cell_count;
};

/* The name of a cost, below COST_LIST_COUNT: "read", "apply", ...; a static string. */
const char *cost_list_name(size_t index);

void cost_list_take(const struct sim_costs *costs, double *list_ns);

/* Rounds to whole nanoseconds. */
struct sim_costs cost_list_give(const double *list_ns);

/* A cost with its 95 % interval, in nanoseconds. Without an interval: the cost was not estimated.
 */
struct interval costs_file_cost(const struct costs_file *costs, size_t index);

/* A simulation of so many servers with these costs. */
struct sim_options costs_file_simulation(const struct costs_file *costs, unsigned servers);

/* Describes open servers, and a driver of so many processes. */
struct costs_record costs_file_record(const struct target_options *options,
                                      const struct target *target, uint32_t processes);

/* ERROR_OTHER_COSTS, with all that differs, unless the costs of the file hold for these servers. */
MUST_CHECK enum error_kind costs_file_check_holds(const struct costs_file *costs, const char *path,
                                                  const struct costs_record *servers,
                                                  struct error *error);

/* What the file holds, as a new object. NULL without memory. */
json_t *costs_file_describe(const struct costs_file *costs);

/* Writes the file, whole or not at all. Errors of base/output.h. */
MUST_CHECK enum error_kind costs_file_write(const struct costs_file *costs, const char *path,
                                            struct error *error);

/* Reads a file. Errors: those of the operating system; ERROR_NOT_COSTS (missing, not JSON, not
 * written by zkherd calibrate, or in another format), ERROR_MALFORMED (a value is missing or cannot
 * be). */
MUST_CHECK enum error_kind costs_file_read(const char *path, struct costs_file *costs,
                                           struct error *error);

/*
 * --costs of the subcommands that can simulate: reads the file of target->costs, if one is given,
 * into the other members. A simulation of another number of servers than the costs were measured on
 * is no mistake, but a warning is printed unless `quiet`. Returns ARGUMENTS_GO
 * (bench/cli/arguments.h); or the exit status, and has complained.
 */
int costs_file_take_option(const char *subcommand, struct target_options *target, bool quiet);

#endif
