// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/complain.h"

#include "base/printable.h"
#include "bench/cli/terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LINE_SIZE 8192

/* A line of stderr, put together. What of it is others' is not known apart. */
struct line {
    char text[LINE_SIZE];
    size_t length;
};

__attribute__((format(printf, 2, 0))) static void append_list(struct line *line, const char *format,
                                                              va_list arguments)
{
    size_t room = sizeof line->text - line->length;
    int length = vsnprintf(line->text + line->length, room, format, arguments);
    line->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    append_list(line, format, arguments);
    va_end(arguments);
}

static void write_line(const struct line *line)
{
    /* So that a line that is full, and may have been cut, is cut with a sign of it. */
    char text[LINE_SIZE - 1];
    printable_bytes(line->text, line->length, text, sizeof text);
    if (!isatty(STDERR_FILENO)) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    if (terminal_look(STDERR_FILENO).controls)
        fputs(TERMINAL_CLEAR_LINE, stderr); /* of the progress */
    wrap_hanging(text, stderr);
}

/* The system's words for an error, unless ours begin them: "Permission denied". */
static void append_os_error(struct line *line, const struct error *error)
{
    const char *words = error_words(error->kind), *system = strerror(error->os_error);
    if (error->os_error != 0 && strncasecmp(words, system, strlen(words)) != 0)
        append(line, " (%s)", system);
}

int complain(const struct error *error)
{
    const char *advice = error_advice(error->kind);
    struct line line = {.length = 0};
    append(&line, "zkherd: %s: %s", error->subject, error_words(error->kind));
    append_os_error(&line, error);
    if (error->detail[0] != '\0')
        append(&line, ": %s", error->detail);
    if (advice[0] != '\0')
        append(&line, "; %s", advice);
    write_line(&line);
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
    struct line line = {.length = 0};
    va_list arguments;
    append(&line, "zkherd: %s: ", subject);
    va_start(arguments, why);
    append_list(&line, why, arguments);
    va_end(arguments);
    bool asks = line.text[line.length - 1] == '?'; /* "did you mean 'run'?" */
    append(&line, "%s see zkherd%s%s --help", asks ? "" : ";", subcommand[0] ? " " : "",
           subcommand);
    write_line(&line);
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

__attribute__((format(printf, 2, 0))) static void write_list(const char *start, const char *what,
                                                             va_list arguments)
{
    struct line line = {.length = 0};
    append(&line, "%s", start);
    append_list(&line, what, arguments);
    write_line(&line);
}

void complain_mildly(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    write_list("zkherd: ", what, arguments);
    va_end(arguments);
}

void complain_plainly(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    write_list("", what, arguments);
    va_end(arguments);
}
