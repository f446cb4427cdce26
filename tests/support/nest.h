// SPDX-License-Identifier: Apache-2.0
/*
 * nest: a folder for each test that starts servers, which shows what they leave behind; starts and
 * stops of servers; and questions about processes.
 */
#ifndef TESTS_NEST_H
#define TESTS_NEST_H

#include "servers/ensemble.h"
#include "tests/support/folder.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

extern char nest[64]; /* where temporary folders go */

size_t nest_count(void);

int nest_make(void **state);

int nest_remove(void **state);

#define NEST_TEST(test) TEST_BETWEEN(test, nest_make, nest_remove)

/* False once the process has ended, even if nobody has asked for its status yet. */
bool is_running(pid_t pid);

void assert_ends(pid_t pid);

void nest_assert_empties(void);

pid_t parent_of(pid_t pid);

struct ensemble *nest_start(const struct ensemble_options *options);

/* Ends it: its folder is gone then, and all that ran in it before that. On a busy machine that may
 * take longer than ensemble_stop waits. */
void nest_stop(struct ensemble *ensemble);

/* Whether all its servers run. */
bool nest_is_alive(const struct ensemble *ensemble);

/* A start that fails as it should, and leaves nothing behind. */
struct error nest_start_in_vain(const struct ensemble_options *options, enum error_kind expected);

/* A JAVA_HOME inside the nest with a shell script for java. */
void nest_install_java(const char *script);

#endif
