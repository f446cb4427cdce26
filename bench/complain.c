// SPDX-License-Identifier: Apache-2.0
#include "bench/complain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int complain(const struct fault *fault)
{
    const char *advice = fault_advice(fault->kind);
    fprintf(stderr, "zkherd: %s: %s", fault->subject, fault_words(fault->kind));
    if (fault->os_error != 0)
        fprintf(stderr, " (%s)", strerror(fault->os_error));
    if (fault->detail[0] != '\0')
        fprintf(stderr, ": %s", fault->detail);
    if (advice[0] != '\0')
        fprintf(stderr, "; %s", advice);
    fputc('\n', stderr);
    return fault_exit_status(fault->kind);
}

int complain_usage(const char *subcommand, const char *subject, const char *why, ...)
{
    va_list arguments;
    va_start(arguments, why);
    fprintf(stderr, "zkherd: %s: ", subject);
    vfprintf(stderr, why, arguments);
    fprintf(stderr, "; see zkherd%s%s --help\n", subcommand[0] ? " " : "", subcommand);
    va_end(arguments);
    return fault_exit_status(FAULT_USAGE);
}

bool complain_value(const char *subcommand, const char *option, const char *value, const char *why)
{
    char subject[300];
    snprintf(subject, sizeof subject, "%s %s", option, value[0] != '\0' ? value : "''");
    complain_usage(subcommand, subject, "%s", why);
    return false;
}

void complain_mildly(const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    fputs("zkherd: ", stderr);
    vfprintf(stderr, what, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}
