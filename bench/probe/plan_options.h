// SPDX-License-Identifier: Apache-2.0
/*
 * plan_options: what the command line of `zkherd plan --slo` says. Layer: bench/probe.
 *
 * Invariant: the question of options that were parsed is completed (plan_question.h).
 */
#ifndef BENCH_PROBE_PLAN_OPTIONS_H
#define BENCH_PROBE_PLAN_OPTIONS_H

#include "bench/cli/options.h"
#include "bench/probe/plan_guard.h"
#include "bench/probe/plan_proposal.h"
#include "bench/probe/plan_question.h"

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

#endif
