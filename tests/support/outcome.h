// SPDX-License-Identifier: Apache-2.0
/*
 * outcome: checks the exit status and the output of a command that has ended.
 */
#ifndef TESTS_OUTCOME_H
#define TESTS_OUTCOME_H

#include "tests/support/command.h"
#include "tests/support/words.h"

void assert_status(const struct command *command, int status);

/* One line "zkherd: what: why; what to do", with these words in it. */
void assert_complaint(const char *err, const char *words);

/* The command refused: one line on stderr, nothing on stdout. */
void assert_refused(const struct command *command, int status, const char *words);

/* A command line that is wrong, from behind the program's name or its subcommand, and words of the
 * complaint. */
struct refusal {
    const char *arguments[9]; /* then NULL */
    const char *words;
};

/* Runs a wrong command line of a subcommand; NULL: its first argument is one. It is refused with
 * exit status 2. */
void assert_line_refused(struct command *command, const char *subcommand,
                         const struct refusal *refusal);

/* So are all of an array. */
#define ASSERT_LINES_REFUSED(command, subcommand, list)                                            \
    assert_lines_refused(command, subcommand, list, sizeof(list) / sizeof(list)[0])
void assert_lines_refused(struct command *command, const char *subcommand,
                          const struct refusal *list, size_t count);

/* The environment is to blame, and nothing is left. */
void assert_in_vain(const struct command *command, const char *words);

#endif
