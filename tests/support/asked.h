// SPDX-License-Identifier: Apache-2.0
/*
 * asked: waits for what a command has said.
 */
#ifndef TESTS_ASKED_H
#define TESTS_ASKED_H

#include "tests/support/command.h"

/* Waits until the command has written so many of these words to one of its outputs. */
void await_words(struct command *command, int descriptor, const char *words, size_t times);

#endif
