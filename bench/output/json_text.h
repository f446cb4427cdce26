// SPDX-License-Identifier: Apache-2.0
/*
 * json_text: bytes that may be no text, as JSON: arguments, paths, what a server answers. Layer:
 * bench/output.
 *
 * JSON holds Unicode alone, and jansson makes nothing at all of a string with any other byte in it.
 */
#ifndef BENCH_OUTPUT_JSON_TEXT_H
#define BENCH_OUTPUT_JSON_TEXT_H

#include <jansson.h>

/* A new string; a byte that belongs to no UTF-8 is written \xff, as shells take it between $''.
 * NULL if there is no memory. */
json_t *json_text(const char *bytes);

/* The same of so many bytes, of which any may be a NUL. */
json_t *json_text_bytes(const char *bytes, size_t length);

#endif
