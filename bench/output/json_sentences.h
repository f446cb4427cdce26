// SPDX-License-Identifier: Apache-2.0
/*
 * json_sentences: what is told in sentences (bench/cli/terminal.h), as a list of texts. Layer:
 * bench/output.
 *
 * Invariant: a text is a sentence as it was written, without the breaks of its lines.
 */
#ifndef BENCH_OUTPUT_JSON_SENTENCES_H
#define BENCH_OUTPUT_JSON_SENTENCES_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

struct json_sentences {
    FILE *stream; /* to write them to; NULL without memory */
    char *text;
    size_t size;
};

/* The stream is open until json_sentences_end. */
void json_sentences_begin(struct json_sentences *sentences);

/* A new list of what was written; an empty line is no sentence. NULL without memory. */
json_t *json_sentences_end(struct json_sentences *sentences);

#endif
