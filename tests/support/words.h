// SPDX-License-Identifier: Apache-2.0
/*
 * words: finds words in a text.
 */
#ifndef TESTS_WORDS_H
#define TESTS_WORDS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

void assert_has(const char *text, const char *words);

size_t count_words(const char *text, const char *words);

#endif
