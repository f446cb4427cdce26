// SPDX-License-Identifier: Apache-2.0
/*
 * figures: holds the figures that documents quote against the files of the runs from which they
 * are. The list of figures says in its own head what an entry is (tests/figures).
 */
#ifndef TESTS_FIGURES_H
#define TESTS_FIGURES_H

#include <stddef.h>
#include <stdio.h>

/* Checks every entry of a list, and that each document that it names quotes nothing else. Paths in
 * the list and in documents are below `root`. Writes a line to `complaints` for each error, and
 * returns how many there are. */
size_t figures_check(const char *root, const char *list, FILE *complaints);

/* Whether a figure as it is printed is this number, rounded: to its last digit, or to a multiple of
 * `unit` if that is not 0. A half may be rounded up or down. Numbers up to twelve may be words. */
int figures_agree(const char *printed, size_t length, double unit, double number);

#endif
