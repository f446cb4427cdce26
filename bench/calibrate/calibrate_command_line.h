// SPDX-License-Identifier: Apache-2.0
/*
 * calibrate_command_line: the options of `zkherd calibrate`. Layer: bench/calibrate.
 *
 * Invariant: options that calibrate_command_line_parse has accepted do not contradict each other.
 */
#ifndef BENCH_CALIBRATE_CALIBRATE_COMMAND_LINE_H
#define BENCH_CALIBRATE_CALIBRATE_COMMAND_LINE_H

#include "bench/cli/options.h"
#include "bench/model/drain_options.h"

#include <stdint.h>

struct calibrate_options {
    struct drain_options drains;
    struct target_options target; /* one topology */
    struct output_options output; /* out: the file */
};

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled, for
 * calibrate_command_line_deinit; or the exit status. */
int calibrate_command_line_parse(int argc, char **argv, struct calibrate_options *options);

void calibrate_command_line_deinit(struct calibrate_options *options);

#endif
