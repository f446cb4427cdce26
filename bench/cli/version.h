// SPDX-License-Identifier: Apache-2.0
/*
 * version: the version of this program. Layer: bench/cli.
 */
#ifndef BENCH_CLI_VERSION_H
#define BENCH_CLI_VERSION_H

/* What `git describe` printed for the sources of this program. */
extern const char version_text[];

#endif
