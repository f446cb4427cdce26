// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_plots.h"

#include "bench/page/html.h"
#include "bench/page/page_anatomy.h"
#include "bench/page/page_pictures.h"
#include "bench/page/page_table.h"
#include "bench/page/svg.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX_SIZE  48 /* two numbers of any size */
#define CAPTION_SIZE 512

/* It has a section of its own. */
static bool is_anatomy(const struct page_picture *picture)
{
    return strcmp(picture->name, "anatomy") == 0;
}

static bool has_any_picture(const struct page_source *source)
{
    const struct page_picture *picture;
    for (size_t i = 0; (picture = page_pictures_get(i)) != NULL; i++) {
        if (page_pictures_has(picture, source))
            return true;
    }
    return false;
}

/* Of a folder with pictures, one that it lacks had nothing to show. */
static bool is_shown(const struct page_picture *picture, const struct page_source *source)
{
    if (page_source_file(source, picture->source)->rows == 0)
        return false;
    return page_pictures_has(picture, source) || !has_any_picture(source);
}

/* Can be scrolled by keyboard where it is wider than the screen. */
static void put_picture(FILE *stream, const struct page_picture *picture, const char *text,
                        const char *prefix, const struct svg_words *words)
{
    fprintf(stream, "<div class=\"picture\" role=\"group\" tabindex=\"0\" aria-label=\"");
    html_text(stream, picture->title);
    fputs("\">\n", stream);
    if (!svg_write(stream, text, prefix, words))
        html_element(stream, "p", "plots/%s.svg is no picture that zkherd has drawn.",
                     picture->name);
    fputs("</div>\n", stream);
}

static enum error_kind write_picture(FILE *stream, const struct page_picture *picture,
                                     const struct page_source *source, const char *prefix,
                                     struct error *error)
{
    char *text = page_pictures_read(picture, source);
    char *description = page_pictures_describe(picture, source);
    const struct svg_words words = {picture->title, description};
    enum error_kind kind = ERROR_NONE;
    if (text == NULL || description == NULL)
        kind = error_raise(error, ERROR_NO_MEMORY, 0, source->folder, "%s", "");
    else
        put_picture(stream, picture, text, prefix, &words);
    free(description);
    free(text);
    return kind;
}

/* alone: there is no other source beside. */
static enum error_kind write_figure(FILE *stream, const struct page_picture *picture,
                                    const struct page_source *source, bool alone,
                                    const char *prefix, struct error *error)
{
    char caption[CAPTION_SIZE];
    enum error_kind kind = ERROR_NONE;
    fputs("<div>\n", stream);
    if (is_anatomy(picture))
        page_anatomy_write(stream, page_source_file(source, picture->source));
    fputs("<figure>\n", stream);
    if (page_pictures_has(picture, source))
        kind = write_picture(stream, picture, source, prefix, error);
    else
        html_element(stream, "p", "Not drawn as SVG: zkherd plot draws it, if it can be drawn.");
    html_element(stream, "figcaption", "%s: %s", source->label, picture->about);
    fputs("</figure>\n", stream);
    snprintf(caption, sizeof caption, "%s: %s of %.400s", picture->title, picture->source,
             source->label);
    page_table_data(stream, page_source_file(source, picture->source), picture->columns, caption,
                    alone);
    fputs("</div>\n", stream);
    return kind;
}

static bool is_shown_of_any(const struct page_picture *picture, const struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        if (is_shown(picture, &sources->list[i]))
            return true;
    }
    return false;
}

static enum error_kind write_row(FILE *stream, size_t place, const struct page_sources *sources,
                                 struct error *error)
{
    const struct page_picture *picture = page_pictures_get(place);
    enum error_kind kind = ERROR_NONE;
    fputs("<div class=\"row\">\n", stream);
    for (size_t i = 0; kind == ERROR_NONE && i < sources->count; i++) {
        char prefix[PREFIX_SIZE];
        snprintf(prefix, sizeof prefix, "p%zu-%zu", place, i);
        if (is_shown(picture, &sources->list[i]))
            kind = write_figure(stream, picture, &sources->list[i], sources->count == 1, prefix,
                                error);
    }
    fputs("</div>\n", stream);
    return kind;
}

static bool is_among_plots(const struct page_picture *picture, const struct page_sources *sources)
{
    return !is_anatomy(picture) && is_shown_of_any(picture, sources);
}

bool page_plots_any(const struct page_sources *sources)
{
    const struct page_picture *picture;
    for (size_t i = 0; (picture = page_pictures_get(i)) != NULL; i++) {
        if (is_among_plots(picture, sources))
            return true;
    }
    return false;
}

enum error_kind page_plots_write(FILE *stream, const struct page_sources *sources,
                                 struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    const struct page_picture *picture;
    for (size_t i = 0; kind == ERROR_NONE && (picture = page_pictures_get(i)) != NULL; i++) {
        if (!is_among_plots(picture, sources))
            continue;
        html_element(stream, "h3", "%s", picture->title);
        kind = write_row(stream, i, sources, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the anatomy of a handoff */

static size_t anatomy_place(void)
{
    size_t place = 0;
    while (!is_anatomy(page_pictures_get(place)))
        place++;
    return place;
}

bool page_plots_has_anatomy(const struct page_sources *sources)
{
    return is_shown_of_any(page_pictures_get(anatomy_place()), sources);
}

enum error_kind page_plots_write_anatomy(FILE *stream, const struct page_sources *sources,
                                         struct error *error)
{
    return write_row(stream, anatomy_place(), sources, error);
}
