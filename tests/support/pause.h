// SPDX-License-Identifier: Apache-2.0
/*
 * pause: how long a test waits between two looks, and at most.
 */
#ifndef TESTS_PAUSE_H
#define TESTS_PAUSE_H

#include "base/clock.h"

/* For what has to happen, however busy the machine is. */
#define PATIENCE_NS (30 * NS_PER_S)

void pause_ms(long ms);

#endif
