// SPDX-License-Identifier: Apache-2.0
/*
 * work: a folder of its own in /tmp for each test.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char work_folder[64];

int work_make(void **state);
int work_remove(void **state);

#define WORK_TEST(test) TEST_BETWEEN(test, work_make, work_remove)

/* A path inside the working directory; the caller's until the eighth call after this one. */
__attribute__((format(printf, 1, 2))) const char *in_work(const char *format, ...);

#endif
