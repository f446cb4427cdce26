// SPDX-License-Identifier: Apache-2.0
/*
 * picture: the SVG of a plot, by its words and their places.
 */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "tests/support/table.h"

/* A text of the picture, and where it stands, in units from its upper left corner. */
struct picture_text {
    char words[128];
    double x, y;
};

/* The next text from *at on; moves *at behind it. False if there is none. */
bool picture_next(const char **at, struct picture_text *text);

/* How many texts of the picture are these words. */
size_t picture_count(const char *picture, const char *words);

/* The first text that begins with these words; fails if there is none. */
struct picture_text picture_find(const char *picture, const char *words);

void picture_assert_lacks(const char *picture, const char *words);

#endif
