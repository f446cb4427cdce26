// SPDX-License-Identifier: Apache-2.0
/*
 * course: how a seat goes through its recipe: arrives, acquires, works, holds, releases, and queues
 * again. Layer: trial, below seat.
 *
 * It resumes the recipe's coroutines, sees what each step has come to, and tells the meter and the
 * checker. What brings a step about, a reply, a notification or an order, is seat.h's.
 */
#ifndef TRIAL_COURSE_H
#define TRIAL_COURSE_H

#include "trial/seat.h"

/* The seat contends for this lock from now on. */
void course_choose(struct seat *seat, uint32_t lock);

/* Gets in line at the lock that is due. */
void course_arrive(struct seat *seat);

/* Begins to acquire, from the recipe's first step. */
void course_begin(struct seat *seat);

/* Resumes the recipe, and takes note of what it has come to. */
void course_advance(struct seat *seat);

/* Holding: releases now … */
void course_release(struct seat *seat);

/* … or as soon as it has held for as long as the plan says, but in a later turn: a hold that ended
 * where it began could overlap with no other, and the checker would see nothing. */
void course_let_go(struct seat *seat);

/* The session dies. */
void course_die(struct seat *seat, enum death_how how);

/* The session cannot go on: its connection or an answer is not what the recipe can use. */
void course_lose(struct seat *seat, enum zk_status status);

#endif
