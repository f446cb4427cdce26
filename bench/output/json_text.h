// SPDX-License-Identifier: Apache-2.0
/*
 * json_text: any bytes as a JSON string: arguments, paths, answers of a server. Layer:
 * bench/output.
 *
 * A JSON string is Unicode, and jansson refuses any other bytes.
 */
#ifndef BENCH_OUTPUT_JSON_TEXT_H
#define BENCH_OUTPUT_JSON_TEXT_H

#include <jansson.h>

/* A new string; a byte that is not UTF-8 becomes the text \xff, as shells read it between $''. NULL
 * without memory. */
json_t *json_text(const char *bytes);

/* The same for so many bytes, NULs included. */
json_t *json_text_bytes(const char *bytes, size_t length);

#endif
