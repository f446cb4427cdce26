// SPDX-License-Identifier: Apache-2.0
/*
 * gnuplot: runs one script of gnuplot. Layer: bench/output.
 *
 * Invariant: a plot depends on the script, its variables and the files that it reads, and not on
 * the user's settings of gnuplot, language or fonts.
 */
#ifndef BENCH_OUTPUT_GNUPLOT_H
#define BENCH_OUTPUT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

enum gnuplot_end {
    GNUPLOT_DONE,
    GNUPLOT_NOTHING, /* the script had nothing to draw: exit status 3 */
    GNUPLOT_FAILED,  /* the reason is in `why` */
};

/* Runs a script with these variables ("name='value'; …"); neither text is changed. Ends gnuplot at
 * once when `interrupts` (-1: never) becomes readable. */
enum gnuplot_end gnuplot_run(char *variables, char *script, int interrupts, char *why, size_t size);

/* Writes a text as a gnuplot string, cut to `size` bytes. size >= 4. */
void gnuplot_quote(const char *text, char *quoted, size_t size);

/* Whether a descriptor becomes readable within so many milliseconds. -1: never. */
bool gnuplot_is_interrupted(int interrupts, int patience_ms);

#endif
