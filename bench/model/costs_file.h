// SPDX-License-Identifier: Apache-2.0
/*
 * costs_file: costs.json: the costs of an ensemble, as zkherd calibrate has estimated them, and the
 * servers for which they hold. Layer: bench/model.
 *
 * Invariant: what costs_file_read has accepted is complete: every cost is positive, and the
 * covariance is that of these costs.
 */
#ifndef BENCH_MODEL_COSTS_FILE_H
#define BENCH_MODEL_COSTS_FILE_H

#include "base/error.h"
#include "bench/model/cost_list.h"
#include "bench/model/drain.h"
#include "capacity/calibration.h"
#include "measure/statistics.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COSTS_FILE_CELLS_MAX 256
#define COSTS_FILE_TEXT      256

/* The servers and the driver for which costs hold. */
struct costs_record {
    char servers[COSTS_FILE_TEXT]; /* "private", or the servers of --connect */
    uint32_t server_count;
    char zookeeper[COSTS_FILE_TEXT]; /* the version of the servers */
    uint32_t cpu_percent;            /* of one core, for each server; 0: no limit */
    char fsync[16];                  /* "yes" or "no"; "unknown": of servers of others */
    char driver[16];
    uint32_t processes;
    char host[COSTS_FILE_TEXT]; /* on which zkherd ran */
    char cpu[COSTS_FILE_TEXT];
    double cores; /* that zkherd, and its private servers, could use */
};

/* A cell to which the costs were fitted. */
struct costs_cell {
    struct drain_cell drain;
    uint32_t trials;
    double measured_s[DRAIN_TIMES]; /* geometric means; NaN: there was no such time */
    double fitted_s[DRAIN_TIMES];   /* by the simulation with the costs of the file */
};

struct costs_file {
    char zkherd[COSTS_FILE_TEXT]; /* the version that has written the file */
    char date[32];                /* UTC */
    struct costs_record holds_for;
    unsigned shared_cores;        /* struct sim_options */
    struct calibration fit;       /* COST_LIST_COUNT costs, in nanoseconds */
    double trial_sd[DRAIN_TIMES]; /* of the logarithm of the time of one trial of a cell */
    struct costs_cell cells[COSTS_FILE_CELLS_MAX];
    size_t cell_count;
};

/* A cost with its 95 % interval, in nanoseconds. Without an interval: the cost was not estimated.
 */
struct interval costs_file_cost(const struct costs_file *costs, size_t index);

/* A simulation of so many servers with these costs. */
struct sim_options costs_file_simulation(const struct costs_file *costs, unsigned servers);

/* Whether the costs were fitted to this cell. */
bool costs_file_has(const struct costs_file *costs, const struct drain_cell *cell);

/* The largest number of clients of the cells. */
uint32_t costs_file_most_clients(const struct costs_file *costs);

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

#endif
