// SPDX-License-Identifier: Apache-2.0
#include "tests/support/work.h"

#define PATH_SIZE 4096

char work_folder[64];

int work_make(void **state)
{
    (void)state;
    strcpy(work_folder, "/tmp/zkherd-work-XXXXXX");
    return mkdtemp(work_folder) == NULL ? -1 : 0;
}

int work_remove(void **state)
{
    (void)state;
    return folder_remove(work_folder);
}

__attribute__((format(printf, 1, 2))) const char *in_work(const char *format, ...)
{
    static char paths[8][PATH_SIZE];
    static size_t turn;
    char *path = paths[turn++ % 8];
    va_list arguments;
    va_start(arguments, format);
    int length = snprintf(path, PATH_SIZE, "%s/", work_folder);
    vsnprintf(path + length, PATH_SIZE - (size_t)length, format, arguments);
    va_end(arguments);
    return path;
}
