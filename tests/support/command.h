// SPDX-License-Identifier: Apache-2.0
/*
 * command: runs the program as a user runs it, in a test's nest.
 */
#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H

#include "tests/support/soon.h"
#include "tests/support/work.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define COMMAND_TEXT_SIZE (256 * 1024)
/* A command that takes longer hangs; on a busy machine others take minutes. */
#define COMMAND_LIMIT_NS (300 * NS_PER_S)

/* The longest orderly end on a busy machine: the program gives its workers three seconds and its
 * private servers two. */
#define COMMAND_END_NS (15 * NS_PER_S)

/* The arguments of a command, argv[0] included. */
#define COMMAND(...) ((const char *const[]){"zkherd", __VA_ARGS__, NULL})

/* With this setting the program finds no gnuplot, so no test waits for plots. */
#define NO_PROGRAMS "PATH=/nonexistent"

/* With these two it finds no Java either, and cannot start a server. */
#define NO_JAVA NO_PROGRAMS, "JAVA_HOME"

/* A command's settings and results. It is large, so it is always in static storage. */
struct command {
    const char *const *settings; /* NAME=value to set, NAME to unset, then NULL; or NULL */
    void (*prepare)(void);       /* runs in the child before the program; or NULL */
    pid_t pid;
    int out_descriptor, err_descriptor;
    uint64_t started_ns, took_ns;
    int status; /* of the exit; 128 and more: the signal that ended it */
    char out[COMMAND_TEXT_SIZE];
    char err[COMMAND_TEXT_SIZE]; /* each message in one line */
};

void command_start(struct command *command, const char *const arguments[]);

/* Waits for a started command to end by itself within this time from now. */
void command_finish(struct command *command, uint64_t limit_ns);

void command_run(struct command *command, const char *const arguments[]);

/* Sends a signal to a started command, its group (a negative number), or a process that the command
 * needs, and waits for the command's end, which must be soon (SOON_TEST). */
void command_end(struct command *command, pid_t whom, int signal);

#define COMMAND_TEST_SOON(test) SOON_TEST(test, work_make, work_remove)

/* Whether a started command still runs; does not take its status. */
bool command_runs(const struct command *command);

/* Waits until a file that the command is writing has so many lines below its header's. */
void command_await_rows(struct command *command, const char *name, size_t wanted);

/* ------------------------------------------------------------------ for prepare */

void print_to_a_full_device(void);

void print_to_a_closed_pipe(void);

void become_nobody(void);

#endif
