// SPDX-License-Identifier: Apache-2.0
/*
 * figure8_plan: the schedule of Figure 8 of the paper: which servers are killed and started again,
 * and when. Layer: bench/paper.
 *
 * The paper's events in their order: a follower, another follower, the leader, two followers at
 * once, the leader. Each event is a kill and a start. With three servers the two followers are left
 * out: no quorum would stay.
 *
 * Invariant: a trial is equal parts: two before the first kill; and for each event one from the
 * kill to the start, and two from the start to the next kill, or to the end.
 */
#ifndef BENCH_PAPER_FIGURE8_PLAN_H
#define BENCH_PAPER_FIGURE8_PLAN_H

#include "load/load_plan.h"

#include <stdint.h>

#define FIGURE8_EVENTS_MAX 5
#define FIGURE8_FAULTS_MAX (2 * FIGURE8_EVENTS_MAX)

struct figure8_plan {
    uint64_t part_ns;
    uint32_t events;
    struct load_fault faults[FIGURE8_FAULTS_MAX]; /* of each event the kill, and the start */
};

/* The parts of a trial. */
uint64_t figure8_plan_parts(uint64_t servers);

/* servers: 3 or more. */
void figure8_plan_init(struct figure8_plan *plan, uint64_t servers, uint64_t duration_ns);

/* What the event kills: a static text, such as "another follower". */
const char *figure8_plan_word(const struct figure8_plan *plan, uint32_t event);

/* Whether the event kills the leader. */
bool figure8_plan_is_of_leader(const struct figure8_plan *plan, uint32_t event);

#endif
