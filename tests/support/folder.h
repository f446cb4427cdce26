// SPDX-License-Identifier: Apache-2.0
/*
 * folder: what is in a folder, and its end.
 */
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>

/* Hidden ones are not counted. */
size_t count_entries(const char *folder);

/* With all that is in it; 0 if it is gone. */
int folder_remove(const char *path);

#endif
