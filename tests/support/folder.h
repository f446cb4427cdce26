// SPDX-License-Identifier: Apache-2.0
/*
 * folder: counts what is in a folder, and removes it.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include "tests/support/test.h"

#include <dirent.h>

/* Hidden ones are not counted. */
size_t count_entries(const char *folder);

/* Removes the folder with all that is in it; returns 0 if it does not exist any more. */
int folder_remove(const char *path);

#endif
