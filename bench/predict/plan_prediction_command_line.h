// SPDX-License-Identifier: Apache-2.0
/*
 * plan_prediction_command_line: the options of `zkherd plan --predict` and `zkherd plan
 * --validate`. Layer: bench/predict.
 *
 * Invariant: options that plan_prediction_command_line_parse has accepted do not contradict each
 * other.
 */
#ifndef BENCH_PREDICT_PLAN_PREDICTION_COMMAND_LINE_H
#define BENCH_PREDICT_PLAN_PREDICTION_COMMAND_LINE_H

#include "bench/cli/options.h"
#include "bench/model/drain_options.h"

#include <stdbool.h>
#include <stdint.h>

struct plan_prediction_options {
    bool predict;
    bool validate;
    uint32_t draws;
    bool processes_given, session_timeout_given, timeout_given; /* on the command line */
    struct drain_options drains;
    struct target_options target; /* costs: the file */
    struct output_options output;
};

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled, for
 * plan_prediction_command_line_deinit; or the exit status. */
int plan_prediction_command_line_parse(int argc, char **argv,
                                       struct plan_prediction_options *options);

void plan_prediction_command_line_deinit(struct plan_prediction_options *options);

#endif
