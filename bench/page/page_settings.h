// SPDX-License-Identifier: Apache-2.0
/*
 * page_settings: how results were made: command, versions, machine, servers, options. Layer:
 * bench/page.
 */
#ifndef BENCH_PAGE_PAGE_SETTINGS_H
#define BENCH_PAGE_PAGE_SETTINGS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes what each manifest of a source says; what an earlier one says too, once. */
void page_settings_write(FILE *stream, const struct page_source *source);

#endif
