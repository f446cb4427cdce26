// SPDX-License-Identifier: Apache-2.0
/*
 * zookeeper_option: the option --zookeeper: the releases that private servers run. Layer:
 * bench/cli.
 *
 * Invariant: every home has a server's jar, no two are one folder, and no two names are equal.
 */
#ifndef BENCH_CLI_ZOOKEEPER_OPTION_H
#define BENCH_CLI_ZOOKEEPER_OPTION_H

#include "bench/cli/option_row.h"

/* Parser: a list of homes (servers/install.h), into a struct target_options, with a topology for
 * each number of servers and home. */
bool zookeeper_option_take(struct option_given *given);

#endif
