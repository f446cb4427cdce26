// SPDX-License-Identifier: Apache-2.0
/*
 * picture: draws simulated runs and loads, and finds the words of a plot's SVG and their places.
 */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include "tests/support/command.h"
#include "tests/support/csv_file.h"

/* Runs a subcommand in simulation; it draws SVGs alone: a PNG takes ten times as long. */
#define SIMULATED(command, subcommand, folder, ...)                                                \
    picture_simulate(command, subcommand, folder, (const char *const[]){__VA_ARGS__, NULL})
void picture_simulate(struct command *command, const char *subcommand, const char *folder,
                      const char *const options[]);

/* Draws the pictures of a folder again. */
void picture_draw(struct command *command, const char *folder, const char *formats);

/* Changes a field of a CSV file in all rows that have this value in the first column named, or, if
 * that is NULL, in one row. */
void picture_set(const char *path, const char *key, const char *of, size_t row, const char *column,
                 const char *value);

/* A picture: the callee's until the fourth call after this one. */
const char *picture_read(const char *folder, const char *name);

/* Where the marks of a kind are, as gnuplot numbers them, the last of them that of the legend: how
 * many there are; places: NULL, or room for so many. */
struct picture_place {
    double x, y;
};
size_t picture_marks(const char *picture, const char *mark, struct picture_place *places,
                     size_t most);

/* A text of the picture, and its place, in units from the upper left corner. */
struct picture_text {
    char words[128];
    double x, y;
};

/* The next text from *at on; moves *at behind it. False if there is none. */
bool picture_next(const char **at, struct picture_text *text);

/* How many texts of the picture equal these words. */
size_t picture_count(const char *picture, const char *words);

/* Each of these is a text of the picture, once. */
#define ASSERT_SHOWS(picture, ...)                                                                 \
    picture_assert_shows(picture, (const char *const[]){__VA_ARGS__, NULL})
void picture_assert_shows(const char *picture, const char *const words[]);

/* The first text that begins with these words; fails if there is none. */
struct picture_text picture_find(const char *picture, const char *words);

void picture_assert_lacks(const char *picture, const char *words);

#endif
