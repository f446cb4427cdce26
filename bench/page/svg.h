// SPDX-License-Identifier: Apache-2.0
/*
 * svg: a picture of gnuplot, as an element of an HTML page. Layer: bench/page.
 *
 * Invariants: an id of the picture, and each reference to it, has the prefix, so that pictures with
 * different prefixes can stand in one page; what is written refers to nothing outside itself.
 */
#ifndef BENCH_PAGE_SVG_H
#define BENCH_PAGE_SVG_H

#include <stdbool.h>
#include <stdio.h>

/* What a reader who does not see the picture is told. */
struct svg_words {
    const char *title;
    const char *description;
};

/*
 * Writes the picture in this text, which is a whole file, as an element <svg>. gnuplot's own
 * titles, which name its parts for programs, are left out. Returns false, and writes nothing, if
 * the text is not such a picture: if it has no element <svg> with a viewBox, or elements that
 * gnuplot does not write, such as a script.
 */
bool svg_write(FILE *stream, const char *picture, const char *prefix,
               const struct svg_words *words);

#endif
