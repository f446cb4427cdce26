// SPDX-License-Identifier: Apache-2.0
#include "tests/support/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>

size_t count_entries(const char *folder)
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

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

int folder_remove(const char *path)
{
    return nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}
