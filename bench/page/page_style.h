// SPDX-License-Identifier: Apache-2.0
/*
 * page_style: how a page looks, on a light and on a dark screen, and on paper. Layer: bench/page.
 *
 * Invariant: no colour says what a word does not say too, and text has a contrast of 4.5 to 1 at
 * least.
 */
#ifndef BENCH_PAGE_PAGE_STYLE_H
#define BENCH_PAGE_PAGE_STYLE_H

/* The text of an element <style>. */
extern const char page_style[];

/* Behind it, on a page with handoffs to go through (bench/page/page_anatomy.h). */
extern const char page_style_anatomy[];

#endif
