// SPDX-License-Identifier: Apache-2.0
/* The pictures that the scripts in plots/ have drawn of all sources, each with words for those who
 * do not see it and with its data as a table; and the handoffs of a trace to go through. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <stdlib.h>
#include <string.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)

/* A row of pictures.csv, in the order of a page:
 * name     plots/NAME.svg
 * file     the CSV file from which it is drawn
 * title    what it shows
 * about    how it shows that: sentences
 * columns  of the file, with blanks between: the table behind the picture */
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

/* The sources that have something to show in a picture: it was drawn, or the page draws it. */
struct shown {
    const struct page_source *list[PAGE_SOURCES_MAX];
    size_t count;
};

static struct shown find_shown(const struct page_sources *sources, size_t picture)
{
    struct shown shown = {.count = 0};
    for (size_t i = 0; i < sources->count; i++) {
        const struct page_source *source = &sources->list[i];
        FILE *image = open_picture(source, picture);
        if ((image != NULL || is_anatomy(picture)) &&
            page_file(source, word(picture, "file"))->rows > 0)
            shown.list[shown.count++] = source;
        if (image != NULL)
            fclose(image);
    }
    return shown;
}

/* ------------------------------------------------------------------ a picture */

/* Writes the handoffs to go through, if the table has them as a whole. */
static void write_handoffs(FILE *stream, const struct csv_reader *trace)
{
    if (trace->rows <= PAGE_ROWS_MAX)
        html_frame(stream, anatomy_html, (const struct html_slot[]){{NULL, NULL}});
    else
        html_element(stream, "p", "trace.csv has more than %d rows: --trace fewer handoffs.",
                     PAGE_ROWS_MAX);
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
    bool begun = false;
    for (size_t picture = 0; picture < list_pictures()->rows; picture++) {
        const struct shown shown = find_shown(sources, picture);
        if (shown.count == 0 || is_anatomy(picture))
            continue;
        fputs(begun ? "" : "<div class=\"plots\">\n", stream);
        begun = true;
        fprintf(stream, "<div%s>\n", shown.count > 1 ? " class=\"whole\"" : "");
        html_element(stream, "h3", "%s", word(picture, "title"));
        write_picture(stream, picture, &shown, sources->count == 1);
        fputs("</div>\n", stream);
    }
    fputs(begun ? "</div>\n" : "", stream);
}

void page_anatomy_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t picture = 0; picture < list_pictures()->rows; picture++) {
        const struct shown shown = find_shown(sources, picture);
        if (shown.count > 0 && is_anatomy(picture))
            write_picture(stream, picture, &shown, sources->count == 1);
    }
}
