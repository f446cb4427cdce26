// SPDX-License-Identifier: Apache-2.0
/* How results differ, in words: a figure of the largest cell that each has in common with the
 * first, which is the baseline. zkherd compare has all ratios, with their intervals. */
#include "base/memory.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A figure in the rows of cells.csv. The first key is the size of a cell. */
static const struct figure {
    enum page_kind kind;
    const char *column, *valid; /* the number of valid trials of a cell */
    const char *keys[3];        /* columns that are equal in both rows; the words name two */
    const char *words[3];
    const char *more, *less;
} figures[] = {{PAGE_RUN,
                "drain_s",
                "trials_valid",
                {"clients", "recipe", "recipe"},
                {"Draining ", " clients with ", " takes "},
                "times as long",
                "less time"},
               {PAGE_LOAD,
                "achieved_per_s",
                "valid",
                {"sessions", "mix", "rate_per_s"},
                {"A load of ", " sessions with ", " is answered "},
                "times as often",
                "less often"}};

#define FIGURES (sizeof figures / sizeof figures[0])

/* A row of a source: of the baseline, or of another one. */
struct side {
    const struct page_source *source;
    const struct csv_reader *cells;
    size_t row;
};

/* NaN: no trial of it is valid. */
static double figure_of(const struct figure *figure, const struct side *side)
{
    double value = page_number(side->cells, side->row, figure->column);
    return page_number(side->cells, side->row, figure->valid) > 0 && value > 0 ? value : NAN;
}

static const char *key_of(const struct figure *figure, const struct side *side, size_t key)
{
    return page_text(side->cells, side->row, figure->keys[key]);
}

static bool is_same_cell(const struct figure *figure, const struct side sides[2])
{
    size_t i = 0;
    while (i < 3 && strcmp(key_of(figure, &sides[0], i), key_of(figure, &sides[1], i)) == 0)
        i++;
    return i == 3;
}

/* Finds the largest cell in both, of one size that with the greatest figure. False: there is none.
 */
static bool find_largest(const struct figure *figure, struct side sides[2])
{
    struct side at[2] = {sides[0], sides[1]};
    double largest = -1, greatest = -1;
    for (at[0].row = 0; at[0].row < at[0].cells->rows; at[0].row++) {
        double size = page_number(at[0].cells, at[0].row, figure->keys[0]),
               value = figure_of(figure, &at[0]);
        at[1].row = 0;
        while (at[1].row < at[1].cells->rows && !is_same_cell(figure, at))
            at[1].row++;
        if (isnan(value) || isnan(figure_of(figure, &at[1])) || size < largest ||
            (size == largest && value <= greatest))
            continue;
        largest = size;
        greatest = value;
        memcpy(sides, at, sizeof at);
    }
    return greatest > 0;
}

static size_t servers_of(const struct side *side)
{
    return json_array_size(json_object_get(side->source->records[0].manifest, "servers"));
}

/* "on 3 servers"; "in after", if the other has as many. The caller's to free. */
static char *name_place(const struct side *side, const struct side *other)
{
    size_t servers = servers_of(side);
    return servers > 0 && servers != servers_of(other)
               ? memory_format("on %zu server%s", servers, servers == 1 ? "" : "s")
               : memory_format("in %s", side->source->label);
}

static void write_difference(FILE *stream, const struct figure *figure, const struct side sides[2])
{
    double ratio = figure_of(figure, &sides[1]) / figure_of(figure, &sides[0]);
    bool more = ratio >= 1;
    char *than = name_place(&sides[0], &sides[1]), *place = name_place(&sides[1], &sides[0]),
         *much = more ? memory_format("%.*f", ratio < 10, ratio)
                      : memory_format("%.0f %%", 100 * (1 - ratio));
    fputs("<li>", stream);
    html_element(stream, "strong", "%s %s", much, more ? "times" : "less");
    html_format(stream, "%s%s%s%s%s%s %s %s %s %s", figure->words[0], key_of(figure, &sides[0], 0),
                figure->words[1], key_of(figure, &sides[0], 1), figure->words[2], much,
                more ? figure->more : figure->less, place, more ? "as" : "than", than);
    fputs("</li>\n", stream);
    free(than);
    free(place);
    free(much);
}

size_t page_differences_write(FILE *stream, const struct page_sources *sources, size_t most)
{
    const struct page_source *first = &sources->list[0];
    size_t written = 0;
    for (size_t at = FIGURES; at < sources->count * FIGURES && written < most; at++) {
        const struct page_source *source = &sources->list[at / FIGURES];
        const struct figure *figure = &figures[at % FIGURES];
        struct side sides[2] = {{first, page_file(first, "cells.csv"), 0},
                                {source, page_file(source, "cells.csv"), 0}};
        if (first->kind != figure->kind || source->kind != figure->kind ||
            !find_largest(figure, sides))
            continue;
        write_difference(stream, figure, sides);
        written++;
    }
    return written;
}
