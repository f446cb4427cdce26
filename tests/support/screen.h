// SPDX-License-Identifier: Apache-2.0
/*
 * screen: a command with a terminal for its standard error, or for all that it writes.
 */
#ifndef TESTS_SCREEN_H
#define TESTS_SCREEN_H

#include "tests/support/command.h"

extern char screen_shown[COMMAND_TEXT_SIZE];

void screen_take_errors(void);

void screen_take_all(void);

/* Runs the command on a terminal of so many columns, an xterm unless its settings say otherwise.
 * take: screen_take_errors or screen_take_all, with anything more that is to be prepared. */
void screen_run(struct command *command, unsigned short columns, void (*take)(void),
                const char *const arguments[]);

/* Whether any line with this beginning contains these words, too; each line overwrites the one
 * before. */
bool screen_has(const char *beginning, const char *words);

/* The columns that a line of the screen takes at most; UTF-8, and no sequence but "erase the rest
 * of the line" after a carriage return, and colours. */
size_t screen_widest(const char *text);

#endif
