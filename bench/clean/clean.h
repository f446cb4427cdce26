// SPDX-License-Identifier: Apache-2.0
/* clean: `zkherd clean`, removes what killed runs left on servers. Layer: bench/clean. */
#ifndef BENCH_CLEAN_CLEAN_H
#define BENCH_CLEAN_CLEAN_H

/* argv[0] is the subcommand's name. Returns the exit status of the program. */
int clean_main(int argc, char **argv);

#endif
