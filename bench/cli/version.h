// SPDX-License-Identifier: Apache-2.0
/*
 * version: the version of this program. Layer: bench/cli.
 */
#ifndef BENCH_CLI_VERSION_H
#define BENCH_CLI_VERSION_H

/* The release, and behind a dash the commit of the sources, unless it is the release's own. */
extern const char version_text[];

#endif
