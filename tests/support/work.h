// SPDX-License-Identifier: Apache-2.0
/*
 * work: the folders in which the commands of a test run, and their processes.
 *
 * Every test has a nest: a folder of its own in /tmp, with the commands' working directory (work)
 * and their TMPDIR (tmp) in it. A process whose environment has that TMPDIR is one of ours, even
 * if its parents have ended. The program is $ZKHERD, or build/zkherd.
 */
#ifndef TESTS_WORK_H
#define TESTS_WORK_H

#include "tests/support/folder.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND_PROCESSES 64
#define COMMAND_PATH_SIZE 4096

extern char command_program[COMMAND_PATH_SIZE];
extern char work_nest[64], work_folder[80], work_temporary[80];

/* ------------------------------------------------------------------ our processes */

/* Processes of the nest's commands that still run. */
size_t list_ours(pid_t *pids);

void read_name(pid_t pid, char *name, size_t size);

/* One of ours that has this name and is not `but`; 0 if there is none. */
pid_t find_ours(const char *name, pid_t but);

/* ------------------------------------------------------------------ the nest */

int program_find(void **state);

int work_make(void **state);

/* Ends all processes of the nest as well, also after a test that failed. */
int work_remove(void **state);

#define COMMAND_TEST(test) TEST_BETWEEN(test, work_make, work_remove)

/* A path inside the working directory; the caller's until the eighth call after this one. */
__attribute__((format(printf, 1, 2))) const char *in_work(const char *format, ...);

/* ------------------------------------------------------------------ what is left of them */

/* No process and no temporary folder, now or within a while. */
void assert_nothing_runs(void);

/* As above, and so many entries in the working directory. */
void assert_left(size_t entries);

#endif
