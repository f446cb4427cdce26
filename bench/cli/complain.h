// SPDX-License-Identifier: Apache-2.0
/*
 * complain: an error in words, at the edge of the program. Layer: bench/cli.
 *
 * Invariant: what is written is one printable line (base/printable.h), whatever a server or a file
 * put into it; on a terminal the line is broken between words, in 80 columns.
 */
#ifndef BENCH_CLI_COMPLAIN_H
#define BENCH_CLI_COMPLAIN_H

#include "base/error.h"

#include <stdbool.h>

/* Writes "zkherd: what: why; what to do" to stderr and returns the exit status for it. */
int complain(const struct error *error);

/* The same for a wrong command line: "zkherd: option value: why; see ...". Returns 2. */
int complain_usage(const char *subcommand, const char *subject, const char *why, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for an error that a subcommand came upon: what the command line is to blame for names
 * the subcommand's help. */
int complain_about(const char *subcommand, const struct error *error);

/* The same about the value of an option: "zkherd: option value: why; see ...". Returns false, for
 * who has looked at it to return. */
bool complain_value(const char *subcommand, const char *option, const char *value, const char *why);

/* A remark that stops nothing: "zkherd: what". */
void complain_mildly(const char *what, ...) __attribute__((format(printf, 1, 2)));

/* A finding, which is no error of the program's: "what". */
void complain_plainly(const char *what, ...) __attribute__((format(printf, 1, 2)));

#endif
