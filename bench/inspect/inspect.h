// SPDX-License-Identifier: Apache-2.0
/* inspect: `zkherd inspect`, who holds a lock and who waits for it; breaks it. Layer:
 * bench/inspect. */
#ifndef BENCH_INSPECT_INSPECT_H
#define BENCH_INSPECT_INSPECT_H

/* argv[0] is the subcommand's name. Returns the exit status of the program. */
int inspect_main(int argc, char **argv);

#endif
