// SPDX-License-Identifier: Apache-2.0
/*
 * paper: `zkherd paper`: the evaluation of the ZooKeeper paper beside ours. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_PAPER_H
#define BENCH_PAPER_PAPER_H

/* argv[0] is the subcommand. Returns the exit status of the program. */
int paper_main(int argc, char **argv);

#endif
