// SPDX-License-Identifier: Apache-2.0
/*
 * run: `zkherd run`. Layer: bench/run.
 */
#ifndef BENCH_RUN_RUN_H
#define BENCH_RUN_RUN_H

/* argv[0] is the subcommand. Returns the exit status of the program. */
int run_main(int argc, char **argv);

#endif
