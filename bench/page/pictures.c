// SPDX-License-Identifier: Apache-2.0
/* The pictures that the scripts in plots/ have drawn of all sources, each with words for those who
 * do not see it and with its data as a table; and the handoffs of a trace to go through. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)

/* A row of pictures.csv, in the order of a page:
 * name     plots/NAME.svg
 * file     the CSV file from which it is drawn
 * title    what it shows
 * about    how it shows that: sentences
 * columns  of the file, with blanks between: the table behind the picture
 * x, y     what a curve is of */
static const struct csv_reader *list_pictures(void)
{
    static struct csv_reader pictures;
    return page_list(pictures_csv, "pictures.csv", &pictures);
}

static const char *word(size_t picture, const char *column)
{
    return page_text(list_pictures(), picture, column);
}

static bool is_anatomy(size_t picture)
{
    return strcmp(word(picture, "name"), "anatomy") == 0;
}

/* NULL: it was not drawn. */
static FILE *open_picture(const struct page_source *source, size_t picture)
{
    char path[FILE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/plots/%s.svg", source->folder, word(picture, "name"));
    return fopen(path, "re");
}

/* ------------------------------------------------------------------ which are shown */

static bool is_drawn(const struct page_source *source, size_t picture)
{
    FILE *file = open_picture(source, picture);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* A picture that a folder with pictures lacks had nothing to show. */
static bool is_shown(const struct page_source *source, size_t picture)
{
    const struct csv_reader *file = page_file(source, word(picture, "file"));
    size_t row = 0;
    if (is_drawn(source, picture))
        return file->rows > 0;
    for (size_t i = 0; i < list_pictures()->rows; i++) {
        if (is_drawn(source, i))
            return false;
    }
    while (row < file->rows && isnan(page_number(file, row, word(picture, "y"))))
        row++;
    return row < file->rows;
}

/* Whether all rows have one x: a curve would say nothing that the tables do not. */
static bool is_point(const struct page_source *source, size_t picture)
{
    const struct csv_reader *file = page_file(source, word(picture, "file"));
    const char *x = word(picture, "x");
    size_t row = 1;
    while (row < file->rows && strcmp(page_text(file, row, x), page_text(file, 0, x)) == 0)
        row++;
    return row >= file->rows;
}

/* The sources that have something to show in a picture. */
struct shown {
    const struct page_source *list[PAGE_SOURCES_MAX];
    size_t count;
    bool points; /* it would show single points alone */
};

static struct shown find_shown(const struct page_sources *sources, size_t picture)
{
    struct shown shown = {.points = true};
    for (size_t i = 0; i < sources->count; i++) {
        if (!is_shown(&sources->list[i], picture))
            continue;
        shown.list[shown.count++] = &sources->list[i];
        shown.points = shown.points && is_point(&sources->list[i], picture);
    }
    return shown;
}

/* ------------------------------------------------------------------ a picture */

/* Writes the handoffs to go through: those that the table has as a whole. */
static void write_handoffs(FILE *stream, const struct csv_reader *trace)
{
    static const char *const keys[] = {"recipe", "clients", "trial", "lock", "handoff", NULL};
    size_t rows = trace->rows < PAGE_ROWS_MAX ? trace->rows : PAGE_ROWS_MAX;
    while (rows > 0 && rows < trace->rows &&
           page_are_alike(trace, rows - 1, trace, PAGE_ROWS_MAX, keys))
        rows--;
    if (rows == 0)
        return;
    char count[32], cut[200] = "";
    snprintf(count, sizeof count, "%zu", rows);
    if (rows < trace->rows)
        snprintf(cut, sizeof cut,
                 "<p>The first %zu of the %zu rows of trace.csv are drawn; a run that traces fewer "
                 "handoffs has all of them here.</p>\n",
                 rows, trace->rows);
    html_frame(stream, anatomy_html,
               (const struct html_slot[]){{"rows", count}, {"cut", cut}, {NULL, NULL}});
}

/* The content of a picture cannot reach the page: a browser runs no script of an image, and loads
 * nothing for it. Can be scrolled by keyboard where it is wider than the screen. */
static void write_image(FILE *stream, size_t picture, FILE *image)
{
    unsigned char part[3 * 4096];
    size_t got;
    fputs("<div class=\"picture\" role=\"group\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, word(picture, "title"));
    fputs("\">\n<img alt=\"", stream);
    html_text(stream, word(picture, "about"));
    fputs(" The table below has the data.\" src=\"data:image/svg+xml;base64,", stream);
    while ((got = fread(part, 1, sizeof part, image)) > 0)
        text_write_base64(part, got, stream);
    fputs("\"/>\n</div>\n", stream);
    fclose(image);
}

/* Writes a picture of several sources side by side. alone: the page is of one source, and has room
 * for the data on paper. */
static void write_picture(FILE *stream, size_t picture, const struct shown *shown, bool alone)
{
    fputs(shown->count > 1 ? "<div class=\"row\">\n" : "", stream);
    for (size_t i = 0; i < shown->count; i++) {
        const struct page_source *source = shown->list[i];
        FILE *image = open_picture(source, picture);
        fputs("<div>\n", stream);
        if (is_anatomy(picture))
            write_handoffs(stream, page_file(source, word(picture, "file")));
        fputs("<figure>\n", stream);
        if (image != NULL)
            write_image(stream, picture, image);
        else
            html_element(stream, "p",
                         "Not drawn as SVG: zkherd plot draws it, if it can be drawn.");
        html_element(stream, "figcaption", "%s: %s", source->label, word(picture, "about"));
        fputs("</figure>\n", stream);
        page_data_write(stream, source, word(picture, "title"), word(picture, "file"),
                        word(picture, "columns"), alone);
        fputs("</div>\n", stream);
    }
    fputs(shown->count > 1 ? "</div>\n" : "", stream);
}

void page_plots_write(FILE *stream, const struct page_sources *sources)
{
    struct growing_text left_out = {0};
    bool begun = false;
    for (size_t picture = 0; picture < list_pictures()->rows; picture++) {
        const struct shown shown = find_shown(sources, picture);
        if (shown.count == 0 || is_anatomy(picture))
            continue;
        if (shown.points) {
            growing_text_add(&left_out, "%s%s", left_out.length > 0 ? "; " : "",
                             word(picture, "title"));
            continue;
        }
        fputs(begun ? "" : "<div class=\"plots\">\n", stream);
        begun = true;
        fprintf(stream, "<div%s>\n", shown.count > 1 ? " class=\"whole\"" : "");
        html_element(stream, "h3", "%s", word(picture, "title"));
        write_picture(stream, picture, &shown, sources->count == 1);
        fputs("</div>\n", stream);
    }
    fputs(begun ? "</div>\n" : "", stream);
    if (left_out.length > 0)
        html_element(stream, "p",
                     "Left out, because they would have one place on the x axis: %s. The figures "
                     "below and the CSV files have them.",
                     left_out.text);
    free(left_out.text);
}

void page_anatomy_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t picture = 0; picture < list_pictures()->rows; picture++) {
        const struct shown shown = find_shown(sources, picture);
        if (shown.count > 0 && is_anatomy(picture))
            write_picture(stream, picture, &shown, sources->count == 1);
    }
}
