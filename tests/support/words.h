// SPDX-License-Identifier: Apache-2.0
/*
 * words: finds words in a text.
 */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

#include "tests/support/test.h"

void assert_has(const char *text, const char *words);

/* Takes the line breaks out of the sentences of what zkherd has printed: numbers of another length
 * move them. */
void words_unwrap(char *text);

/* assert_has, whatever the breaks of lines. */
void assert_told(const char *text, const char *words);

size_t count_words(const char *text, const char *words);

#endif
