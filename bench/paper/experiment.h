// SPDX-License-Identifier: Apache-2.0
/*
 * experiment: the evaluations of the paper that can be repeated. Layer: bench/paper.
 *
 * A new one is an entry of the list in paper.c, with a file of its own.
 */
#ifndef BENCH_PAPER_EXPERIMENT_H
#define BENCH_PAPER_EXPERIMENT_H

#include "bench/paper/paper_options.h"

#include <stdbool.h>

/* Constant. */
struct experiment {
    const char *name; /* "table1": the operand, and the folder among all */
    struct paper_command command;
    /* Why the experiment cannot be made on these servers: a static text without a period; NULL, as
     * the function may be, if it can. Among all it is left out then. */
    const char *(*cannot)(const struct target_options *target);
    /* Runs the experiment. argv[0] and argv[1] are the subcommand and the name. Returns the exit
     * status; errors have been complained about. *interrupted: by a signal, and the status says
     * so. */
    int (*lead)(struct paper_options *options, int argc, char **argv, bool *interrupted);
};

extern const struct experiment experiment_table1, experiment_table2, experiment_table3,
    experiment_figure8;

#endif
