// SPDX-License-Identifier: Apache-2.0
/*
 * outside: a server to connect to, for all tests of a file. It is not the commands' own, so none of
 * ours (tests/support/work.h).
 */
#ifndef TESTS_OUTSIDE_H
#define TESTS_OUTSIDE_H

#include "fleet/setup_session.h"
#include "tests/support/work.h"

extern struct ensemble *outside_server;
extern char outside[64]; /* host:port */

int outside_start(void **state);

int outside_stop(void **state);

struct four_letter_counters count_outside(void);

/* No session, no ephemeral znode, and only the znodes that were there before, now or within a
 * while. */
void assert_nothing_left_outside(size_t children);

#endif
