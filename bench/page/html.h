// SPDX-License-Identifier: Apache-2.0
/*
 * html: text and elements of an HTML page. Layer: bench/page.
 *
 * What is written is also well-formed XML: every element is closed.
 *
 * Invariant: a text that is passed to a function here is shown as it is; it never becomes markup.
 * Its characters that cannot be seen are shown as in base/printable.h. Errors stay in the stream.
 */
#ifndef BENCH_PAGE_HTML_H
#define BENCH_PAGE_HTML_H

#include <stdio.h>

/* Writes a text, which may be foreign, of any length; also good between double quotes. */
void html_text(FILE *stream, const char *text);

/* The same for a text of a format, cut at 2047 bytes. */
void html_format(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes an element with such a text, and ends the line. tag: its name, with attributes or without:
 * "th scope=\"col\""; no part of it is foreign. */
void html_element(FILE *stream, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
