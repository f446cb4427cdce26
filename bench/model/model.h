// SPDX-License-Identifier: Apache-2.0
/*
 * model: zkherd calibrate (bench/cli/subcommands.h): what these servers take for a read, a write, a
 * notification, so that the simulation can predict other cells; zkherd plan --predict and
 * --validate: how long drains take by the simulation with such costs, and how near that comes.
 * Layer: bench/model.
 */
#ifndef BENCH_MODEL_MODEL_H
#define BENCH_MODEL_MODEL_H

/* argv[0] is "plan". Returns the exit status. */
int plan_prediction_main(int argc, char **argv);

#endif
