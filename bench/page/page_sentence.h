// SPDX-License-Identifier: Apache-2.0
/*
 * page_sentence: a sentence with its verdict, as an item of a list. Layer: bench/page.
 */
#ifndef BENCH_PAGE_PAGE_SENTENCE_H
#define BENCH_PAGE_PAGE_SENTENCE_H

#include <stdio.h>

/* Where nothing is claimed. */
#define PAGE_MEASURED "measured"

/* Writes the verdict, which must be a word of bench/output/verdict.h or PAGE_MEASURED (any other is
 * written as "undetermined"), and the sentence, cut at 1023 bytes. */
void page_sentence(FILE *stream, const char *verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
