// SPDX-License-Identifier: Apache-2.0
/*
 * hosts: what the tests of `zkherd worker` share: a server that is measured (outside), another one
 * at which workers meet, and the commands.
 */
#ifndef TESTS_HOSTS_H
#define TESTS_HOSTS_H

#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/place.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <jansson.h>

#define WORKERS  3
#define PATIENCE "2m"

extern struct command hosts_run, second, workers[WORKERS];
extern char meet[80];                /* the meeting place */
extern struct ensemble *hosts_place; /* its server */
extern char few_at[80], some_at[80]; /* others on the same server */

int hosts_start(void **state);
int hosts_stop(void **state);

/* In a folder of its own; nothing may be left behind on either server. */
int hosts_make(void **state);
int hosts_clear_away(void **state);

#define HOSTS_TEST(test) TEST_BETWEEN(test, hosts_make, hosts_clear_away)

/* Workers of one process each, which wait when it returns. */
void hosts_start_workers(size_t count);
void hosts_end_workers(size_t count);

#define LOAD "load", "--connect", outside, "--timeout", PATIENCE, "-t", "1", "--seed", "7"
#define AT_A_RATE                                                                                  \
    "-m", "get=60,set=40", "-n", "6", "--rate", "300", "--depth", "100", "--duration", "2s",       \
        "--warm-up", "1s"
#define ENDLESS "-n", "6", "--rate", "100", "--duration", "10m", "--warm-up", "0"

/* The times of a busy machine may not stand; the counts do. */
void hosts_assert_counted(const struct csv_file *load);

/* The only trial is not valid, and its reason has these words. */
void hosts_assert_spoilt(const char *file, const char *words);

/* What zkherd hosts says, as docs/schema has it; for the caller to json_decref. */
json_t *hosts_list(void);

#endif
