// SPDX-License-Identifier: Apache-2.0
#include "bench/target/root.h"

#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "zkherd-"

const char *root_path(char *text, size_t size)
{
    char time[32];
    clock_format_utc(clock_utc_ns(), 1, time, sizeof time);
    /* As long in every run: a path's length is paid for in bytes. */
    snprintf(text, size, "/" PREFIX "%s-%07d", time, (int)getpid());
    return text;
}

/* In the shape a 0 stands for a digit, and any other character for itself. */
static bool has_shape(const char *text, const char *shape)
{
    for (; *shape != '\0'; text++, shape++) {
        if (*shape == '0' ? !isdigit((unsigned char)*text) : *text != *shape)
            return false;
    }
    return *text == '\0';
}

bool root_is_name(const char *name)
{
    return has_shape(name, PREFIX "00000000T000000Z-0000000");
}

/* Trials are counted with four digits or more, those that are discarded apart. */
bool root_is_child(const char *name)
{
    bool is_trial = (name[0] == 't' || name[0] == 'w') && strlen(name) > strlen("0000") &&
                    name[1 + strspn(name + 1, "0123456789")] == '\0';
    return is_trial || strcmp(name, ROOT_MARK) == 0;
}

const char *root_record(char *text, size_t size)
{
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    snprintf(text, size, ROOT_RECORD "process %d on %s", (int)getpid(), host);
    return text;
}
