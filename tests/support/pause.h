// SPDX-License-Identifier: Apache-2.0
/*
 * pause: between two looks at what takes its time, and how long one looks at the most.
 */
#ifndef TESTS_PAUSE_H
#define TESTS_PAUSE_H

#include "base/clock.h"

/* For what has to happen, however busy the machine is. */
#define PATIENCE_NS (30 * NS_PER_S)

void pause_ms(long ms);

#endif
