// SPDX-License-Identifier: Apache-2.0
/*
 * picture: finds the words of a plot's SVG and their places.
 */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "tests/support/csv_file.h"

/* A text of the picture, and its place, in units from the upper left corner. */
struct picture_text {
    char words[128];
    double x, y;
};

/* The next text from *at on; moves *at behind it. False if there is none. */
bool picture_next(const char **at, struct picture_text *text);

/* How many texts of the picture equal these words. */
size_t picture_count(const char *picture, const char *words);

/* The first text that begins with these words; fails if there is none. */
struct picture_text picture_find(const char *picture, const char *words);

void picture_assert_lacks(const char *picture, const char *words);

#endif
