// SPDX-License-Identifier: Apache-2.0
/* How results differ, in words: a figure of the largest cell that each has in common with the
 * first, which is the baseline. zkherd compare has all ratios, with their intervals. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 3

/* A figure in the rows of cells.csv. */
static const struct figure {
    const char *kind;
    const char *column, *valid; /* the number of valid trials of a cell */
    const char *keys[KEYS];     /* columns that name a cell, the first its size */
    const char *words[3];       /* around the first two keys */
    const char *more, *less;
} figures[] = {{"run",
                "drain_s",
                "trials_valid",
                {"clients", "recipe", "recipe"},
                {"Draining ", " clients with ", " takes "},
                "times as long",
                "less time"},
               {"load",
                "achieved_per_s",
                "valid",
                {"sessions", "mix", "rate_per_s"},
                {"A load of ", " sessions with ", " is answered "},
                "times as often",
                "less often"}};

#define FIGURES (sizeof figures / sizeof figures[0])

/* NaN without such a row, and if no trial of it is valid. */
static double figure_of(const struct figure *figure, const struct csv_reader *cells, size_t row)
{
    double value = page_number(cells, row, figure->column);
    return page_number(cells, row, figure->valid) > 0 && value > 0 ? value : NAN;
}

/* The row of `cells` with the keys of a row of another file; behind the last if there is none. */
static size_t find_cell(const struct figure *figure, const struct csv_reader *cells,
                        const struct csv_reader *other, size_t row)
{
    size_t found = 0, key = 0;
    while (found < cells->rows && key < KEYS) {
        const char *name = figure->keys[key++];
        if (strcmp(page_text(cells, found, name), page_text(other, row, name)) != 0) {
            found++;
            key = 0;
        }
    }
    return found;
}

/* Finds the largest cell that both have, of one size that with the greatest figure: its row in the
 * first, and the ratio of the other's figure to that. False: there is none. */
static bool find_largest(const struct figure *figure, const struct csv_reader *first,
                         const struct csv_reader *other, size_t *largest, double *ratio)
{
    double most = -1, greatest = -1;
    for (size_t row = 0; row < first->rows; row++) {
        double size = page_number(first, row, figure->keys[0]),
               value = figure_of(figure, first, row),
               others = figure_of(figure, other, find_cell(figure, other, first, row));
        if (isnan(value) || isnan(others) || size < most || (size == most && value <= greatest))
            continue;
        most = size;
        greatest = value;
        *largest = row;
        *ratio = others / value;
    }
    return greatest > 0;
}

/* "on 3 servers"; "in after", if the other has as many. The caller's to free. */
static char *name_place(const struct page_source *source, const struct page_source *other)
{
    return source->servers > 0 && source->servers != other->servers
               ? memory_format("on %zu server%s", source->servers, text_plural(source->servers))
               : memory_format("in %s", source->label);
}

size_t page_differences_write(FILE *stream, const struct page_sources *sources, size_t most)
{
    const struct page_source *first = &sources->list[0];
    const struct csv_reader *cells = page_file(first, "cells.csv");
    size_t written = 0, row = 0;
    double ratio = 1;
    for (size_t at = FIGURES; at < sources->count * FIGURES && written < most; at++) {
        const struct page_source *source = &sources->list[at / FIGURES];
        const struct figure *figure = &figures[at % FIGURES];
        if (strcmp(first->kind->word, figure->kind) != 0 ||
            strcmp(source->kind->word, figure->kind) != 0 ||
            !find_largest(figure, cells, page_file(source, "cells.csv"), &row, &ratio))
            continue;
        bool more = ratio >= 1;
        char *than = name_place(first, source), *place = name_place(source, first),
             *much = more ? memory_format("%.*f", ratio < 10, ratio)
                          : memory_format("%.0f %%", 100 * (1 - ratio));
        fputs("<li>", stream);
        html_element(stream, "strong", "%s %s", much, more ? "times" : "less");
        html_format(stream, "%s%s%s%s%s%s %s %s %s %s", figure->words[0],
                    page_text(cells, row, figure->keys[0]), figure->words[1],
                    page_text(cells, row, figure->keys[1]), figure->words[2], much,
                    more ? figure->more : figure->less, place, more ? "as" : "than", than);
        fputs("</li>\n", stream);
        free(than);
        free(place);
        free(much);
        written++;
    }
    return written;
}
