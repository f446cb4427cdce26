// SPDX-License-Identifier: Apache-2.0
/*
 * plan_command_line: the command line of `zkherd plan --slo`. Layer: bench/plan.
 *
 * Invariant: options that plan_command_line_parse has accepted do not contradict each other.
 */
#ifndef BENCH_PLAN_PLAN_COMMAND_LINE_H
#define BENCH_PLAN_PLAN_COMMAND_LINE_H

#include "bench/probe/plan_options.h"

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled, for
 * plan_command_line_deinit; or the exit status. */
int plan_command_line_parse(int argc, char **argv, struct plan_options *options);

void plan_command_line_deinit(struct plan_options *options);

#endif
