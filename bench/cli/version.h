// SPDX-License-Identifier: Apache-2.0
/*
 * version: which zkherd this is. Layer: bench/cli.
 */
#ifndef BENCH_CLI_VERSION_H
#define BENCH_CLI_VERSION_H

/* The description that git gave of the tree the program was built from. */
extern const char version_text[];

#endif
