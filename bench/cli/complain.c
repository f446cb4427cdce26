// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/complain.h"

#include "base/text.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_SIZE 8192

void complain_line(const char *prefix, const char *format, ...)
{
    char line[LINE_SIZE + 64], text[LINE_SIZE]; /* what is too long gets a sign */
    size_t length = strlen(strcpy(line, prefix));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, sizeof line - length, format, arguments);
    va_end(arguments);
    printable_text(line, text, sizeof text);
    if (terminal_abilities(STDERR_FILENO).controls)
        fputs(TERMINAL_CLEAR_LINE, stderr); /* of the progress */
    wrap_hanging(text, stderr);
}

int complain(const struct error *error)
{
    const char *words = error_words(error->kind), *advice = error_advice(error->kind);
    const char *system = strerror(error->os_error);
    /* The system's words for an error, unless ours begin them: "Permission denied". */
    bool has_system = error->os_error != 0 && strncasecmp(words, system, strlen(words)) != 0;
    complain_mildly("%s: %s%s%s%s%s%s%s%s", error->subject, words, has_system ? " (" : "",
                    has_system ? system : "", has_system ? ")" : "",
                    error->detail[0] != '\0' ? ": " : "", error->detail,
                    advice[0] != '\0' ? "; " : "", advice);
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
    complain_mildly("%s: %s%s see zkherd%s%s --help", subject, text, asks ? "" : ";",
                    subcommand[0] != '\0' ? " " : "", subcommand);
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

bool complain_conflict(const char *subcommand, const struct conflict conflicts[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct conflict *one = &conflicts[i];
        if (one->applies && one->value == NULL)
            return complain_usage(subcommand, one->option, "%s", one->why) != 0;
        if (one->applies)
            return !complain_value(subcommand, one->option, one->value, one->why);
    }
    return false;
}
