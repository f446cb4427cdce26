// SPDX-License-Identifier: Apache-2.0
/*
 * demise: how a seat's session dies, or loses a reply. Layer: trial, below course.
 *
 * Invariant: what is known of a death beforehand is on the board before it happens (death.h).
 */
#ifndef TRIAL_DEMISE_H
#define TRIAL_DEMISE_H

#include "trial/seat.h"

#include <stdbool.h>

/* The session ends, in order or without a word, and has no say in the trial any more. False: its
 * connection was lost already. */
bool demise_die(struct seat *seat, enum death_how how);

/* The reply to the request that has just been sent is to be lost. False as above. */
bool demise_lose_reply(struct seat *seat);

#endif
