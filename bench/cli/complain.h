// SPDX-License-Identifier: Apache-2.0
/*
 * complain: the messages of the program on stderr. Layer: bench/cli.
 *
 * Invariant: a message is printable (base/text.h), whatever bytes of a server or a file are in
 * it, and stands in lines of 80 columns, of which those after the first are indented.
 */
#ifndef BENCH_CLI_COMPLAIN_H
#define BENCH_CLI_COMPLAIN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a message that begins with a prefix. */
void complain_line(const char *prefix, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A warning: "zkherd: what"; and a failed verdict, which is no error of the program: "what". */
#define complain_mildly(...)  complain_line("zkherd: ", __VA_ARGS__)
#define complain_plainly(...) complain_line("", __VA_ARGS__)

/* Writes "zkherd: what: why; what to do" and returns the exit status for it. */
int complain(const struct error *error);

/* The same for a wrong command line: "zkherd: option value: why; see ...". Returns 2. */
int complain_usage(const char *subcommand, const char *subject, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* complain_usage for an error that the command line caused, complain for the others. */
int complain_about(const char *subcommand, const struct error *error);

/* complain_usage for the value of an option. Return false, so that a parser can return the call. */
bool complain_value(const char *subcommand, const char *option, const char *value, const char *why);
bool complain_number(const char *subcommand, const char *option, uint64_t number, const char *why);

/* An option that cannot be with what else was given. */
struct conflict {
    bool applies;
    const char *option;
    const char *value; /* its own, or "with --other"; NULL: it says nothing */
    const char *why;
};

/* Complains about the first that applies. Returns whether one does. */
bool complain_conflict(const char *subcommand, const struct conflict conflicts[], size_t count);

#endif
