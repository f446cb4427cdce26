// SPDX-License-Identifier: Apache-2.0
/* The pictures of all sources, which the scripts in plots/ have drawn, each with words for those
 * who do not see it and with its data as a table; and the handoffs of a trace to go through. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 64)
#define COLUMNS_MAX    32

/* A table with more rows is named on paper, and not printed. */
#define PRINTED_MAX 60

/* Groups that are told; a reader of more reads the table. */
#define GROUPS_MAX 12

/* A row of pictures.csv, which says of each picture, in the order of a page:
 * name     plots/NAME.svg
 * file     the CSV file from which it is drawn
 * title    what it shows
 * about    how it shows that: sentences
 * columns  of the file, with blanks between: the table behind the picture
 * group, x, y: of each group, the least and the greatest y are told, with their x */
const struct csv_reader *page_pictures(void)
{
    static struct csv_reader pictures;
    struct error error;
    if (pictures.rows == 0) {
        char *text = memory_text(pictures_csv);
        FILE *stream = fmemopen(text, strlen(text), "re");
        bool is_read = stream != NULL &&
                       csv_reader_init(stream, "pictures.csv", &pictures, &error) == ERROR_NONE;
        assert(is_read);
        fclose(stream);
        free(text);
    }
    return &pictures;
}

static const char *word(size_t picture, const char *column)
{
    return page_text(page_pictures(), picture, column);
}

/* What it is drawn from. */
static const struct csv_reader *data_of(size_t picture, const struct page_source *source)
{
    return page_file(source, word(picture, "file"));
}

static FILE *open_picture(const struct page_source *source, size_t picture)
{
    char path[FILE_PATH_SIZE];
    snprintf(path, sizeof path, "%s/plots/%s.svg", source->folder, word(picture, "name"));
    return fopen(path, "re");
}

bool page_has_picture(const struct page_source *source, size_t picture)
{
    FILE *file = open_picture(source, picture);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

/* ------------------------------------------------------------------ a picture */

/* The rows of each group with the least and the greatest y: where they are, with their x. */
static void put_groups(FILE *stream, size_t picture, const struct csv_reader *file)
{
    struct {
        const char *name;
        size_t least, greatest;
    } groups[GROUPS_MAX];
    const char *group = word(picture, "group"), *x = word(picture, "x"), *y = word(picture, "y");
    size_t count = 0;
    for (size_t row = 0; row < file->rows; row++) {
        const char *name = page_text(file, row, group);
        double value = page_number(file, row, y);
        size_t i = 0;
        while (i < count && strcmp(groups[i].name, name) != 0)
            i++;
        if (i == GROUPS_MAX)
            continue;
        if (i == count) {
            groups[i].name = name;
            groups[i].least = groups[i].greatest = row;
            count++;
        }
        /* The first row of a group may have no y. */
        if (!(value >= page_number(file, groups[i].least, y)) && !isnan(value))
            groups[i].least = row;
        if (!(value <= page_number(file, groups[i].greatest, y)) && !isnan(value))
            groups[i].greatest = row;
    }
    for (size_t i = 0; i < count; i++) {
        size_t least = groups[i].least, greatest = groups[i].greatest;
        if (!isnan(page_number(file, least, y)))
            html_format(stream, " %s %s: %s from %s (%s %s) to %s (%s %s).", group, groups[i].name,
                        y, page_text(file, least, y), x, page_text(file, least, x),
                        page_text(file, greatest, y), x, page_text(file, greatest, x));
    }
}

/* What a picture contains cannot reach the page: a browser runs no script of an image, and loads
 * nothing for it. Can be scrolled by keyboard where it is wider than the screen. */
static void put_image(FILE *stream, size_t picture, const struct page_source *source, FILE *file)
{
    unsigned char part[3 * 4096];
    size_t got;
    fputs("<div class=\"picture\" role=\"group\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, word(picture, "title"));
    fputs("\">\n<img alt=\"", stream);
    html_text(stream, word(picture, "about"));
    put_groups(stream, picture, data_of(picture, source));
    fputs("\" src=\"data:image/svg+xml;base64,", stream);
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        text_write_base64(part, got, stream);
    fputs("\"/>\n</div>\n", stream);
}

/* ------------------------------------------------------------------ the table behind it */

static void put_rows(FILE *stream, const struct csv_reader *file, const char *names)
{
    size_t columns[COLUMNS_MAX], count = 0;
    for (; *names != '\0' && count < COLUMNS_MAX; names += strspn(names, " ")) {
        char name[64];
        struct error error;
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        names += length;
        if (csv_reader_column(file, name, &columns[count], &error) != ERROR_NONE)
            continue;
        html_element(stream, "th scope=\"col\"", "%s", name);
        count++;
    }
    html_table_rows(stream);
    for (size_t row = 0; row < file->rows && row < PAGE_ROWS_MAX; row++) {
        fputs("<tr>", stream);
        for (size_t i = 0; i < count; i++) {
            const char *text = csv_reader_text(file, row, columns[i]);
            char *end;
            (void)strtod(text, &end);
            html_cell(stream, end != text && *end == '\0', text);
        }
        fputs("</tr>\n", stream);
    }
}

/* Folded away; a column that the file lacks is left out. alone: the page has room for the table on
 * paper. */
static void put_table(FILE *stream, size_t picture, const struct page_source *source, bool alone)
{
    const struct csv_reader *file = data_of(picture, source);
    const char *plural = file->rows == 1 ? "" : "s";
    fprintf(stream, "<details class=\"%s\">\n",
            alone && file->rows <= PRINTED_MAX ? "short" : "long");
    html_element(stream, "summary", "The data: %zu row%s", file->rows, plural);
    if (file->rows > PAGE_ROWS_MAX)
        html_element(stream, "p", "The first %d rows; the file has all.", PAGE_ROWS_MAX);
    html_table_begin(stream, memory_format("%s: %s of %s", word(picture, "title"),
                                           word(picture, "file"), source->label));
    put_rows(stream, file, word(picture, "columns"));
    html_table_end(stream);
    fputs("</details>\n", stream);
    html_element(stream, "p class=\"paper\"", "%s: %s of %s: %zu row%s.", word(picture, "title"),
                 word(picture, "file"), source->label, file->rows, plural);
}

/* ------------------------------------------------------------------ the anatomy of a handoff */

static bool is_anatomy(size_t picture)
{
    return strcmp(word(picture, "name"), "anatomy") == 0;
}

static bool is_same_handoff(const struct csv_reader *trace, size_t row, size_t other)
{
    static const char *const keys[] = {"recipe", "clients", "trial", "lock", "handoff"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(page_text(trace, row, keys[i]), page_text(trace, other, keys[i])) != 0)
            return false;
    }
    return true;
}

/* The handoffs to go through: those that the table has as a whole. */
static void put_anatomy(FILE *stream, const struct csv_reader *trace)
{
    size_t rows = trace->rows < PAGE_ROWS_MAX ? trace->rows : PAGE_ROWS_MAX;
    while (rows > 0 && rows < trace->rows && is_same_handoff(trace, rows - 1, PAGE_ROWS_MAX))
        rows--;
    if (rows == 0)
        return;
    char *count = memory_format("%zu", rows);
    char *cut = memory_format("<p>The first %zu of the %zu rows of trace.csv are drawn; a run that "
                              "traces fewer handoffs has all of them here.</p>\n",
                              rows, trace->rows);
    const struct html_slot slots[] = {
        {"rows", count}, {"cut", rows < trace->rows ? cut : ""}, {NULL, NULL}};
    html_frame(stream, anatomy_html, slots);
    free(count);
    free(cut);
}

/* ------------------------------------------------------------------ the sections */

static bool has_number(size_t picture, const struct page_source *source)
{
    const struct csv_reader *file = data_of(picture, source);
    size_t row = 0;
    while (row < file->rows && isnan(page_number(file, row, word(picture, "y"))))
        row++;
    return row < file->rows;
}

/* A picture that a folder with pictures lacks had nothing to show. */
static bool is_shown(size_t picture, const struct page_source *source)
{
    if (!has_number(picture, source) && !page_has_picture(source, picture))
        return false;
    if (data_of(picture, source)->rows == 0 || page_has_picture(source, picture))
        return data_of(picture, source)->rows > 0;
    for (size_t i = 0; i < page_pictures()->rows; i++) {
        if (page_has_picture(source, i))
            return false;
    }
    return true;
}

/* Whether each group of rows is one point: a curve of it would say nothing that the tables do not.
 */
static bool is_point(size_t picture, const struct page_source *source)
{
    const struct csv_reader *file = data_of(picture, source);
    const char *group = word(picture, "group"), *x = word(picture, "x"), *y = word(picture, "y");
    for (size_t row = 1; row < file->rows; row++) {
        size_t first = 0;
        while (strcmp(page_text(file, first, group), page_text(file, row, group)) != 0)
            first++;
        if (strcmp(page_text(file, first, x), page_text(file, row, x)) != 0 ||
            strcmp(page_text(file, first, y), page_text(file, row, y)) != 0)
            return false;
    }
    return true;
}

static void write_figure(FILE *stream, size_t picture, const struct page_source *source, bool alone)
{
    FILE *file = open_picture(source, picture);
    fputs("<div>\n", stream);
    if (is_anatomy(picture))
        put_anatomy(stream, data_of(picture, source));
    fputs("<figure>\n", stream);
    if (file != NULL)
        put_image(stream, picture, source, file);
    else
        html_element(stream, "p", "Not drawn as SVG: zkherd plot draws it, if it can be drawn.");
    html_element(stream, "figcaption", "%s: %s", source->label, word(picture, "about"));
    fputs("</figure>\n", stream);
    put_table(stream, picture, source, alone);
    fputs("</div>\n", stream);
    if (file != NULL)
        fclose(file);
}

/* What a picture is shown of. */
struct shown {
    const struct page_source *list[PAGE_SOURCES_MAX];
    size_t count;
    bool points; /* it would show single points alone */
};

static struct shown find_shown(size_t picture, const struct page_sources *sources)
{
    struct shown shown = {.points = true};
    for (size_t i = 0; i < sources->count; i++) {
        if (!is_shown(picture, &sources->list[i]))
            continue;
        shown.list[shown.count++] = &sources->list[i];
        shown.points = shown.points && is_point(picture, &sources->list[i]);
    }
    return shown;
}

/* Those of several sources side by side. */
static void write_picture(FILE *stream, size_t picture, const struct shown *shown, bool alone)
{
    fputs(shown->count > 1 ? "<div class=\"row\">\n" : "", stream);
    for (size_t i = 0; i < shown->count; i++)
        write_figure(stream, picture, shown->list[i], alone);
    fputs(shown->count > 1 ? "</div>\n" : "", stream);
}

void page_plots_write(FILE *stream, const struct page_sources *sources)
{
    struct growing_text left_out = {0};
    bool begun = false;
    for (size_t picture = 0; picture < page_pictures()->rows; picture++) {
        const struct shown shown = find_shown(picture, sources);
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
                     "Left out, because each curve would be a single point: %s. The figures below "
                     "and the CSV files have them.",
                     left_out.text);
    free(left_out.text);
}

void page_anatomy_write(FILE *stream, const struct page_sources *sources)
{
    for (size_t picture = 0; picture < page_pictures()->rows; picture++) {
        const struct shown shown = find_shown(picture, sources);
        if (shown.count > 0 && is_anatomy(picture))
            write_picture(stream, picture, &shown, sources->count == 1);
    }
}
