// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/complain.h"

#include "base/memory.h"
#include "base/printable.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_SIZE 8192

/* Prints a line on stderr. What of it is others' is not known apart. */
static void print(const char *line)
{
    char text[LINE_SIZE];
    printable_bytes(line, strlen(line), text, sizeof text);
    if (terminal_look(STDERR_FILENO).controls)
        fputs(TERMINAL_CLEAR_LINE, stderr); /* of the progress */
    wrap_hanging(text, stderr);
}

int complain(const struct error *error)
{
    const char *words = error_words(error->kind), *advice = error_advice(error->kind);
    const char *system = strerror(error->os_error);
    struct growing_text line = {0};
    growing_text_add(&line, "zkherd: %s: %s", error->subject, words);
    /* The system's words for an error, unless ours begin them: "Permission denied". */
    if (error->os_error != 0 && strncasecmp(words, system, strlen(words)) != 0)
        growing_text_add(&line, " (%s)", system);
    if (error->detail[0] != '\0')
        growing_text_add(&line, ": %s", error->detail);
    if (advice[0] != '\0')
        growing_text_add(&line, "; %s", advice);
    print(line.text);
    free(line.text);
    return error_exit_status(error->kind);
}

int complain_about(const char *subcommand, const struct error *error)
{
    return error->kind == ERROR_USAGE
               ? complain_usage(subcommand, error->subject, "%s", error->detail)
               : complain(error);
}

int complain_usage(const char *subcommand, const char *subject, const char *why, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(text, sizeof text, why, arguments);
    va_end(arguments);
    bool asks = text[strlen(text) - 1] == '?'; /* "did you mean 'run'?" */
    char *line = memory_format("zkherd: %s: %s%s see zkherd%s%s --help", subject, text,
                               asks ? "" : ";", subcommand[0] ? " " : "", subcommand);
    print(line);
    free(line);
    return error_exit_status(ERROR_USAGE);
}

bool complain_value(const char *subcommand, const char *option, const char *value, const char *why)
{
    char subject[300];
    snprintf(subject, sizeof subject, "%s %s", option, value[0] != '\0' ? value : "''");
    complain_usage(subcommand, subject, "%s", why);
    return false;
}

bool complain_number(const char *subcommand, const char *option, uint64_t number, const char *why)
{
    char value[32];
    snprintf(value, sizeof value, "%llu", (unsigned long long)number);
    return complain_value(subcommand, option, value, why);
}

void complain_mildly(const char *what, ...)
{
    static const char prefix[] = "zkherd: ";
    char text[LINE_SIZE + sizeof prefix];
    va_list arguments;
    strcpy(text, prefix);
    va_start(arguments, what);
    vsnprintf(text + strlen(prefix), LINE_SIZE, what, arguments);
    va_end(arguments);
    print(text);
}

void complain_plainly(const char *what, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    print(text);
}
