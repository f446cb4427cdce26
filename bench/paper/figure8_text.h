// SPDX-License-Identifier: Apache-2.0
/*
 * figure8_text: Figure 8 for people. Layer: bench/paper.
 */
#ifndef BENCH_PAPER_FIGURE8_TEXT_H
#define BENCH_PAPER_FIGURE8_TEXT_H

#include "bench/cli/options.h"
#include "bench/paper/figure8.h"

#include <stdio.h>

/* For struct paper_results; context is a struct figure8. */
enum error_kind figure8_text_print(const void *context, const struct load_options *options,
                                   unsigned columns, FILE *stream, struct error *error);
void figure8_text_explain(const void *context, const struct load_options *options, FILE *stream);

#endif
