// SPDX-License-Identifier: Apache-2.0
/*
 * background_option: the value of --background, as text and as numbers. Layer: bench/cli.
 *
 * Invariant: the mix of a value that was accepted is one of mix.h, and a rate that was given lies
 * in the bounds of the option's row.
 */
#ifndef BENCH_CLI_BACKGROUND_OPTION_H
#define BENCH_CLI_BACKGROUND_OPTION_H

#include "bench/cli/option_row.h"
#include "bench/cli/options.h"

#define BACKGROUND_OPTION_LEAST_PER_S 1
#define BACKGROUND_OPTION_MOST_PER_S  10000000
#define BACKGROUND_OPTION_EXPECTED                                                                 \
    "expected a mix and its operations a second, such as get=80,set=20@1000"

/* size of a text that holds every value. */
#define BACKGROUND_OPTION_TEXT_SIZE 160

/* Parsers, into a struct background_options: MIX@RATE; and MIX@RATE or MIX, with a rate of 0. */
bool background_option_parse(struct option_given *given);
bool background_option_parse_open(struct option_given *given);

/* Formats what was given as it is parsed, and "none" if nothing was; returns text.
 * size >= BACKGROUND_OPTION_TEXT_SIZE. */
const char *background_option_format(const struct background_options *background, char *text,
                                     size_t size);

#endif
