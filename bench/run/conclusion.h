// SPDX-License-Identifier: Apache-2.0
/*
 * conclusion: the verdict of all trials of a run, in words. Layer: bench/run.
 */
#ifndef BENCH_RUN_CONCLUSION_H
#define BENCH_RUN_CONCLUSION_H

#include "bench/cli/options.h"
#include "bench/run/trial_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* "holds", "FAILS" if some trial's verdict fails, else "not valid" if some trial is not. */
const char *conclusion_word(const struct table *rows);

/* Writes the word, and below it how many of the planned trials the verdict is of, if the run ended
 * early; which trials fail or are not valid; whether the counts of the others equal their laws; and
 * how the RPCs of the recipes grow, where that is known. colours: the word is green, red or yellow.
 */
void conclusion_write(const struct table *rows, size_t planned, const struct options *options,
                      bool colours, FILE *stream);

#endif
