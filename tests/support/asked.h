// SPDX-License-Identifier: Apache-2.0
/*
 * asked: a command that asks a question on a terminal, and the test's answer.
 */
#ifndef TESTS_ASKED_H
#define TESTS_ASKED_H

#include "tests/support/command.h"

/* Waits until the command has written so many of these words to one of its outputs. */
void await_words(struct command *command, int descriptor, const char *words, size_t times);

/* Starts the command, and waits until it asks. */
void asked_start(struct command *command, const char *const arguments[]);

void asked_answer(struct command *command, const char *text);

#endif
