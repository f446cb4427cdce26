// SPDX-License-Identifier: Apache-2.0
/*
 * plan_limits_command_line: the options of `zkherd plan --limits`. Layer: bench/limits.
 *
 * Invariant: options that plan_limits_command_line_parse has accepted do not contradict each other.
 */
#ifndef BENCH_LIMITS_PLAN_LIMITS_COMMAND_LINE_H
#define BENCH_LIMITS_PLAN_LIMITS_COMMAND_LINE_H

#include "bench/cli/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_limits_options {
    bool limits;
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    uint64_t clients; /* of a lock; 0: not asked about */
    const char *lock; /* path of the lock's znode, below the chroot */
    uint32_t jute_maxbuffer_bytes;
    struct target_options target;
    struct output_options output;
};

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled, for
 * plan_limits_command_line_deinit; or the exit status. */
int plan_limits_command_line_parse(int argc, char **argv, struct plan_limits_options *options);

void plan_limits_command_line_deinit(struct plan_limits_options *options);

#endif
