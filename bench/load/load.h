// SPDX-License-Identifier: Apache-2.0
/*
 * load: `zkherd load`. Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

/* argv[0] is the subcommand. Returns the exit status of the program. */
int load_main(int argc, char **argv);

#endif
