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

/* The environment is to blame, and nothing is left. */
void assert_in_vain(const struct command *command, const char *words);

#endif
