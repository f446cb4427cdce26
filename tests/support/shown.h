// SPDX-License-Identifier: Apache-2.0
/*
 * shown: what a document shows as printed by a command, between ```text and ```.
 */
#ifndef TESTS_SHOWN_H
#define TESTS_SHOWN_H

#include <stddef.h>

#define SHOWN_BEGIN "\n```text\n"

/* The next block at or behind this place, from its SHOWN_BEGIN on; NULL: there is none. */
const char *shown_next(const char *place);

/* Fails unless the lines of a block are lines of what was printed, one behind the other; "..."
 * stands for lines that are left out. */
void shown_check(const char *block, const char *printed);

/* Where this is a whole line of the text, at or behind this place: the line feed before it; or
 * NULL. The first line of a text has none. */
const char *shown_find_line(const char *place, const char *line);

/* Reads a file into the text behind a line feed of its own. */
void shown_read(const char *path, char *text, size_t size);

#endif
