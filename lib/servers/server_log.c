// SPDX-License-Identifier: Apache-2.0
#include "servers/server_log.h"

#include <stdio.h>
#include <string.h>

const char *server_log_tail(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *log = fopen(path, "re");
    if (log == NULL)
        return text;
    fseek(log, 0, SEEK_END);
    long length = ftell(log);
    /* One byte more than fits shows whether the first line is whole. */
    long start = length >= (long)size ? length - (long)size : 0;
    fseek(log, start, SEEK_SET);
    if (length >= (long)size)
        while (!feof(log) && fgetc(log) != '\n')
            ;
    text[fread(text, 1, size - 1, log)] = '\0';
    fclose(log);
    return text;
}

void server_log_summarize(const char *path, char *text, size_t size)
{
    char tail[16384], joined[2 * sizeof tail] = "";
    size_t length = 0;
    char *rest = tail;
    server_log_tail(path, tail, sizeof tail);
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (*line != '\0' && *line != '\t')
            length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s",
                                       length > 0 ? "; " : "", line);
    }
    const char *end = joined;
    if (length >= size) {
        end = joined + length - (size - 1);
        const char *boundary = strstr(end, "; ");
        end = boundary == NULL ? end : boundary + 2;
    }
    snprintf(text, size, "%s", end);
}

/* -showversion writes a line at the log's beginning: openjdk version "17.0.15" 2025-04-15. */
void server_log_find_java_version(const char *path, char *text, size_t size)
{
    FILE *log = fopen(path, "re");
    char line[256];
    while (log != NULL && fgets(line, sizeof line, log) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strstr(line, " version \"") == NULL)
            continue;
        snprintf(text, size, "%s", line);
        break;
    }
    if (log != NULL)
        fclose(log);
}
