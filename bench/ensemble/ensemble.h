// SPDX-License-Identifier: Apache-2.0
/* ensemble: `zkherd ensemble`, private servers that stay for several runs. Layer: bench/ensemble.
 */
#ifndef BENCH_ENSEMBLE_ENSEMBLE_H
#define BENCH_ENSEMBLE_ENSEMBLE_H

/* argv[0] is the subcommand's name. Returns the exit status of the program. */
int ensemble_main(int argc, char **argv);

#endif
