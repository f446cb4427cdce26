// SPDX-License-Identifier: Apache-2.0
/*
 * page_settings: how results were made: command, versions, machine, servers, options. Layer:
 * bench/page.
 */
#ifndef BENCH_PAGE_PAGE_SETTINGS_H
#define BENCH_PAGE_PAGE_SETTINGS_H

#include "bench/page/page_source.h"

#include <stdio.h>

/* Writes what a manifest says. label: how its results are called in the page. */
void page_settings_write(FILE *stream, const struct page_manifest *manifest, const char *label);

#endif
