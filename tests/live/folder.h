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
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Hidden ones are not counted. */
static inline size_t count_entries(const char *folder)
{
    size_t count = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        fail_msg("%s: %s", folder, strerror(errno));
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* With all that is in it; 0 if it is gone. */
static inline int folder_remove(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
