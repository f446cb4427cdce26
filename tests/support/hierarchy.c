// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hierarchy.h"

#include "tests/support/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char hierarchy_folder[64];
char hierarchy_mounts[96];

int hierarchy_make(void **state)
{
    (void)state;
    strcpy(hierarchy_folder, P_tmpdir "/test_hierarchy.XXXXXX");
    bool made = mkdtemp(hierarchy_folder) != NULL;
    snprintf(hierarchy_mounts, sizeof hierarchy_mounts, "%s/mountinfo", hierarchy_folder);
    return !made;
}

int hierarchy_remove(void **state)
{
    (void)state;
    return folder_remove(hierarchy_folder);
}

void hierarchy_put(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", hierarchy_folder, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s%s/%s", hierarchy_folder, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

void hierarchy_mount(const char *folder, const char *type_and_options)
{
    FILE *file = fopen(hierarchy_mounts, "a");
    assert_non_null(file);
    fprintf(file, "30 24 0:26 / %s%s rw,nosuid - %s\n", hierarchy_folder, folder, type_and_options);
    fclose(file);
}
