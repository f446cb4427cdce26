// SPDX-License-Identifier: Apache-2.0
#include "bench/output/picture.h"

#include <stdio.h>
#include <string.h>

#define TAIL_SIZE 16

/* The end of a file. White space may follow it. */
static const char *end_of(const char *format)
{
    if (strcmp(format, "svg") == 0)
        return "</svg>";
    return strcmp(format, "png") == 0 ? "IEND\xae\x42\x60\x82" : "%%EOF";
}

static size_t read_tail(const char *path, char tail[TAIL_SIZE])
{
    FILE *file = fopen(path, "re");
    size_t length = 0;
    if (file == NULL)
        return 0;
    if (fseek(file, -TAIL_SIZE, SEEK_END) == 0)
        length = fread(tail, 1, TAIL_SIZE, file);
    fclose(file);
    return length;
}

bool picture_is_whole(const char *path, const char *format)
{
    char tail[TAIL_SIZE];
    const char *end = end_of(format);
    size_t size = strlen(end), length = read_tail(path, tail);
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == '\r'))
        length--;
    return length >= size && memcmp(tail + length - size, end, size) == 0;
}
