// SPDX-License-Identifier: Apache-2.0
/*
 * plan_command_line: the options of `zkherd plan --slo`. Layer: bench/plan.
 *
 * Invariant: options that plan_command_line_parse has accepted do not contradict each other.
 */
#ifndef BENCH_PLAN_PLAN_COMMAND_LINE_H
#define BENCH_PLAN_PLAN_COMMAND_LINE_H

#include "bench/cli/options.h"
#include "bench/plan/plan_guard.h"
#include "bench/plan/plan_proposal.h"
#include "bench/plan/plan_question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plan_options {
    bool asks; /* --slo is given */
    struct plan_question question;
    struct plan_guard_options guard;
    bool dry_run; /* say what the searches demand, and run nothing */
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    uint64_t clients;             /* of a lock; 0: not given */
    struct target_options target; /* costs: of the simulation that proposes the first sizes */
    struct plan_proposal proposals[OPTIONS_RECIPES_MAX]; /* of each recipe (plan_proposals.h) */
    struct output_options output;
};

/* Reads the command line. Returns ARGUMENTS_GO (bench/cli/arguments.h) with *options filled, for
 * plan_command_line_deinit; or the exit status. */
int plan_command_line_parse(int argc, char **argv, struct plan_options *options);

void plan_command_line_deinit(struct plan_options *options);

#endif
