// SPDX-License-Identifier: Apache-2.0
/*
 * plot_formats: the formats of plots, a bit each: svg, png, pdf, eps. Layer: bench/cli.
 */
#ifndef BENCH_CLI_PLOT_FORMATS_H
#define BENCH_CLI_PLOT_FORMATS_H

#include <stdbool.h>

#define PLOT_FORMATS 4

/* The format of bit i, as a user types it and as a file's name ends. */
extern const char *const plot_formats[PLOT_FORMATS];

/* Reads a list such as "svg,pdf". False, with *formats as before, if the list is empty or has any
 * other word. */
bool plot_formats_parse(const char *list, unsigned *formats);

#endif
