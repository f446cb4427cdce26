// SPDX-License-Identifier: Apache-2.0
/*
 * load: the command line and the table of `zkherd load`. Layer: bench/load.
 */
#ifndef BENCH_LOAD_LOAD_H
#define BENCH_LOAD_LOAD_H

#include "bench/cli/options.h"
#include "measure/table.h"

#include <stdio.h>

/* Parses argv[1] … of the subcommand. ARGUMENTS_GO (bench/cli/arguments.h): the caller owns
 * *options, to load_options_deinit. Else the exit status: the help is printed, or the mistake has
 * been complained about. */
int load_command_line_parse(int argc, char **argv, struct load_options *options);

/* Writes a table of these cells (bench/output/load_rows.h) for a terminal of so many columns; a
 * mix that all rows share is on a line above. */
void load_table_write(const struct table *cells, const struct load_options *options, unsigned width,
                      FILE *stream);

#endif
