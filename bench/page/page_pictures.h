// SPDX-License-Identifier: Apache-2.0
/*
 * page_pictures: the pictures that a page may have, and what is said about each. Layer: bench/page.
 *
 * The scripts in plots/ draw them (bench/output/plots.h); here are the words for readers, and the
 * columns that are drawn, for the table behind the picture.
 */
#ifndef BENCH_PAGE_PAGE_PICTURES_H
#define BENCH_PAGE_PAGE_PICTURES_H

#include "bench/page/page_source.h"

/* Constant. */
struct page_picture {
    const char *name;    /* plots/NAME.svg */
    const char *source;  /* the CSV file from which it is drawn */
    const char *title;   /* what it shows */
    const char *about;   /* how it shows that: sentences */
    const char *columns; /* of the file, with blanks between: the table */
    /* Of each group, the least and the greatest y are told, with their x. */
    const char *group; /* "": the file is one group */
    const char *x;
    const char *y;
};

/* Picture `index`, in the order of a page; NULL behind the last. */
const struct page_picture *page_pictures_get(size_t index);

/* Whether the folder has this picture as SVG. */
bool page_pictures_has(const struct page_picture *picture, const struct page_source *source);

/* The whole file of the picture, for the caller to free; NULL if it is not there or cannot be read.
 */
char *page_pictures_read(const struct page_picture *picture, const struct page_source *source);

/* The sentence about the values, with the words before it, in a text that the caller frees; NULL
 * without memory. */
char *page_pictures_describe(const struct page_picture *picture, const struct page_source *source);

#endif
