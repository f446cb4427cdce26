// SPDX-License-Identifier: Apache-2.0
/*
 * cell_figures: the figures of the trials of one cell, a recipe at a number of clients, together.
 * Layer: bench/run.
 *
 * Counts are medians over the complete trials (under lockstep all are equal), or over all if none
 * is complete; times are medians over the valid trials.
 */
#ifndef BENCH_RUN_CELL_FIGURES_H
#define BENCH_RUN_CELL_FIGURES_H

#include "bench/run/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cell_figures {
    const struct recipe *recipe;
    uint64_t clients;
    size_t trials, complete, valid;
    bool fails;   /* the verdict of a trial does */
    bool has_law; /* each complete trial has one */
    double rpcs, creates, notifications, bytes;
    double drain_s; /* of trials that ran to their end; NaN: no trial has one */
    double handoff_p50_us, handoff_p99_us;
    double handoff_of_us[ROLES]; /* as in struct sample */
};

/* False if there is no trial of the cell: *figures is then undefined. */
bool cell_figures_take(const struct samples *samples, const struct recipe *recipe, uint64_t clients,
                       struct cell_figures *figures);

#endif
