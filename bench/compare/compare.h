// SPDX-License-Identifier: Apache-2.0
/*
 * compare: `zkherd compare`. Layer: bench/compare.
 */
#ifndef BENCH_COMPARE_COMPARE_H
#define BENCH_COMPARE_COMPARE_H

/* argv[0] is the subcommand. Returns the exit status of the program. */
int compare_main(int argc, char **argv);

#endif
