// SPDX-License-Identifier: Apache-2.0
/*
 * words: finds words in a text.
 */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

#include "tests/support/test.h"

void assert_has(const char *text, const char *words);

#endif
