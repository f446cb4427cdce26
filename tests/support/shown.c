// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LINE_SIZE 512

const char *shown_next(const char *place)
{
    return strstr(place, SHOWN_BEGIN);
}

const char *shown_find_line(const char *place, const char *line)
{
    char whole[LINE_SIZE];
    assert_true(strlen(line) < sizeof whole - 3);
    snprintf(whole, sizeof whole, "\n%s\n", line);
    return strstr(place, whole);
}

void shown_check(const char *block, const char *printed)
{
    bool next = false;
    for (const char *line = block + strlen(SHOWN_BEGIN); strncmp(line, "```", 3) != 0;) {
        char text[LINE_SIZE];
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
        line += strlen(text) + 1;
        if (strcmp(text, "...") == 0) {
            next = false;
            continue;
        }
        const char *found = shown_find_line(printed, text);
        if (found == NULL || (next && found != printed))
            fail_msg("a document shows what was not printed there: %s", text);
        printed = found + strlen(text) + 1;
        next = true;
    }
}

void shown_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        fail_msg("%s is not here", path);
    text[0] = '\n';
    size_t length = 1 + fread(text + 1, 1, size - 2, file);
    fclose(file);
    assert_true(length < size - 1);
    text[length] = '\0';
}
