// SPDX-License-Identifier: Apache-2.0
/*
 * gnuplot: runs one script of gnuplot. Layer: bench/output.
 *
 * Invariant: what is drawn depends on the script, its variables and the files that it reads, on
 * nothing that the user has set up for gnuplot, for his language or for his fonts.
 */
#ifndef BENCH_OUTPUT_GNUPLOT_H
#define BENCH_OUTPUT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

enum gnuplot_end {
    GNUPLOT_DONE,
    GNUPLOT_NOTHING, /* the script had nothing to draw: it ended with status 3 */
    GNUPLOT_FAILED,  /* why has the reason */
};

/* Runs a script with these variables set ("name='value'; …"); neither text is changed. If
 * `interrupts` (-1: never) becomes readable, gnuplot is ended at once. */
enum gnuplot_end gnuplot_run(char *variables, char *script, int interrupts, char *why, size_t size);

/* Writes text as a gnuplot string, cut to fit: size >= 4. */
void gnuplot_quote(const char *text, char *quoted, size_t size);

/* Whether a descriptor becomes readable within so many milliseconds; -1 never does. */
bool gnuplot_is_interrupted(int interrupts, int patience_ms);

#endif
