// SPDX-License-Identifier: Apache-2.0
/* Rows of CSV files as tables. A number is only multiplied, so that all times of a table are in one
 * unit. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/page/internal.h"
#include "bench/page/page.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MAX    4
#define COLUMNS_MAX 32
#define FIELD_SIZE  (3 * PAGE_NUMBER_SIZE + 16)

/* A table with more rows is folded away, and on paper it is named, not printed. */
#define PRINTED_MAX 60

/* From here on a count could not hold the number. */
#define COUNTED_MAX 1e15

/* A row of tables.csv is a column of a table; one whose first fields are empty is of the table
 * above it:
 * section  of the page: figures, or invalid: trials that are not valid
 * name     of the table, for report --table, and of its file
 * title    its caption
 * file     the CSV file with its rows
 * unless   a file whose rows make the table superfluous
 * column   of the CSV file
 * heading  above it
 * as       key: names the row, and sorts those of several sources; text; or what its numbers are
 *          multiplied by, with ~ before it if other programs may have disturbed them
 * paper    the heading where a table must be narrow; empty: the column is left out there */
struct column {
    const char *name, *heading, *paper;
    bool is_key, is_time;
    double factor; /* 0: a text */
};

/* A row of a source. */
struct line {
    const char *keys[KEYS_MAX]; /* "" behind the last */
    const struct page_source *source;
    const struct csv_reader *file;
    size_t row;
};

struct view {
    const char *section, *name, *title, *file, *unless;
    struct column columns[COLUMNS_MAX];
    size_t column_count;
    struct line *lines;
    size_t line_count;
    bool is_labelled; /* each row says of which source it is */
};

const struct csv_reader *page_list(const char *csv, const char *name, struct csv_reader *list)
{
    struct error error;
    if (list->rows == 0) {
        char *text = memory_text(csv);
        FILE *stream = fmemopen(text, strlen(text), "re");
        bool is_read = stream != NULL && csv_reader_init(stream, name, list, &error) == ERROR_NONE;
        assert(is_read);
        fclose(stream);
        free(text);
    }
    return list;
}

/* Reads the table that begins in row *at of tables.csv. False: there is none. */
static bool read_view(size_t *at, struct view *view)
{
    static struct csv_reader reader;
    const struct csv_reader *list = page_list(tables_csv, "tables.csv", &reader);
    if (*at == list->rows)
        return false;
    *view = (struct view){page_text(list, *at, "section"), page_text(list, *at, "name"),
                          page_text(list, *at, "title"),   page_text(list, *at, "file"),
                          page_text(list, *at, "unless"),  .column_count = 0};
    do {
        const char *as = page_text(list, *at, "as");
        bool is_time = as[0] == '~';
        assert(view->column_count < COLUMNS_MAX);
        struct column *column = &view->columns[view->column_count++];
        *column = (struct column){page_text(list, *at, "column"), page_text(list, *at, "heading"),
                                  page_text(list, *at, "paper"), .is_time = is_time};
        column->is_key = strcmp(as, "key") == 0;
        column->factor = strtod(as + is_time, NULL);
    } while (++*at < list->rows && page_text(list, *at, "file")[0] == '\0');
    return true;
}

/* ------------------------------------------------------------------ the rows of a table */

static bool has_column(const struct csv_reader *file, const char *name)
{
    struct error error;
    size_t place;
    return file->columns > 0 && csv_reader_column(file, name, &place, &error) == ERROR_NONE;
}

static bool is_valid(const struct csv_reader *trials, size_t row)
{
    return strcmp(page_text(trials, row, "valid"), "no") != 0 &&
           strcmp(page_text(trials, row, "verdict"), "not valid") != 0 &&
           !(page_number(trials, row, "violations") > 0);
}

/* Adds the rows of a source to those of its table; to trials that are not valid only such. A file
 * without the first column is another subcommand's of the same name. */
static void add_lines(struct view *view, const struct page_source *source)
{
    const struct csv_reader *file = page_file(source, view->file);
    bool of_invalid = strcmp(view->section, "invalid") == 0;
    if (!has_column(file, view->columns[0].name) ||
        (view->unless[0] != '\0' && page_file(source, view->unless)->rows > 0))
        return;
    for (size_t row = 0; row < file->rows; row++) {
        if (of_invalid && is_valid(file, row))
            continue;
        view->lines = memory_grow(view->lines, view->line_count, sizeof *view->lines);
        struct line *line = &view->lines[view->line_count++];
        *line = (struct line){{"", "", "", ""}, source, file, row};
        for (size_t i = 0, key = 0; i < view->column_count && key < KEYS_MAX; i++) {
            if (view->columns[i].is_key)
                line->keys[key++] = page_text(file, row, view->columns[i].name);
        }
    }
}

/* The same cell of all sources together, in their order. */
static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int order = 0;
    for (size_t i = 0; order == 0 && i < KEYS_MAX; i++) {
        double of_x = page_parse_number(x->keys[i]), of_y = page_parse_number(y->keys[i]);
        order = isnan(of_x) || isnan(of_y) ? strcmp(x->keys[i], y->keys[i])
                                           : (of_x > of_y) - (of_x < of_y);
    }
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order != 0 ? order : (x->row > y->row) - (x->row < y->row);
}

/* ------------------------------------------------------------------ a table */

const char *page_format_number(double number, bool is_narrow, char text[PAGE_NUMBER_SIZE])
{
    bool is_whole = number >= 0 && number == floor(number);
    if (number < COUNTED_MAX && (number >= 1000 || is_whole))
        return text_format_count((uint64_t)(number + 0.5), text, PAGE_NUMBER_SIZE);
    int length = snprintf(text, PAGE_NUMBER_SIZE, is_narrow ? "%#.3g" : "%.4g", number);
    if (text[length - 1] == '.')
        text[length - 1] = '\0';
    return text;
}

static bool is_disturbed(const struct line *line)
{
    return strcmp(page_text(line->file, line->row, "disturbed"), "yes") == 0 ||
           strcmp(page_text(line->file, line->row, "noise_disturbed"), "yes") == 0;
}

/* An end of a figure's interval: that of handoff_p50_us is handoff_p50_us_low. */
static double find_end(const struct line *line, const struct column *column, const char *end)
{
    char *name = memory_format("%s_%s", column->name, end);
    double value = page_number(line->file, line->row, name);
    free(name);
    return value;
}

/* Formats a field. A figure that is not known, with a lower end of its interval, is at least that;
 * a time that other programs may have disturbed is marked. Returns text, or what the file has. */
static const char *format_field(const struct line *line, const struct column *column,
                                bool is_narrow, char text[FIELD_SIZE])
{
    const char *field = page_text(line->file, line->row, column->name);
    if (column->factor == 0)
        return field;
    char number[PAGE_NUMBER_SIZE], from[PAGE_NUMBER_SIZE], to[PAGE_NUMBER_SIZE];
    double value = page_parse_number(field), low = find_end(line, column, "low"),
           high = find_end(line, column, "high");
    bool is_known = !isnan(value), is_marked = column->is_time && is_disturbed(line);
    if (!is_known && isnan(low))
        return "–";
    int length =
        snprintf(text, FIELD_SIZE, "%s%s%s", is_known ? "" : "≥ ", is_marked ? "~" : "",
                 page_format_number((is_known ? value : low) * column->factor, is_narrow, number));
    if (is_known && is_narrow && !isnan(low) && !isnan(high))
        snprintf(text + length, FIELD_SIZE - (size_t)length, " (%s to %s)",
                 page_format_number(low * column->factor, is_narrow, from),
                 page_format_number(high * column->factor, is_narrow, to));
    return text;
}

static bool is_number(const struct column *column, const char *field)
{
    return column->factor != 0 || !isnan(page_parse_number(field));
}

/* A column of numbers alone is aligned as numbers are. */
static bool is_numeric(const struct view *view, const struct column *column)
{
    const struct line *line = view->lines, *end = line + view->line_count;
    while (line < end && is_number(column, page_text(line->file, line->row, column->name)))
        line++;
    return line == end;
}

/* Points of a text in LaTeX's small type: its signs are narrower than its letters and digits. */
static double measure_points(const char *text)
{
    double points = 0;
    for (; *text != '\0'; text++)
        points += strchr(" .,:;()|'ijlt", *text) != NULL  ? 2.7
                  : ((unsigned char)*text & 0xC0) == 0x80 ? 0
                                                          : 4.25;
    return points;
}

/* Whether a column has nothing; or, if it is no figure, one text in several rows. */
static bool is_constant(const struct view *view, const struct column *column)
{
    const struct line *line = view->lines, *end = line + view->line_count;
    const char *first = page_text(line->file, line->row, column->name);
    bool is_figure = column->factor != 0 && !column->is_key && strcmp(column->name, "trials") != 0;
    while (line < end && strcmp(page_text(line->file, line->row, column->name), first) == 0)
        line++;
    return line == end && (first[0] == '\0' || (view->line_count > 1 && !is_figure));
}

/* Adds a constant column to a title, unless it is empty. *before: what separates it. */
static void add_constant(struct growing_text *title, const char **before, const struct view *view,
                         const struct column *column)
{
    char text[FIELD_SIZE];
    const struct line *line = &view->lines[0];
    if (page_text(line->file, line->row, column->name)[0] == '\0')
        return;
    growing_text_add(title, "%s%s: %s", *before, column->paper,
                     format_field(line, column, true, text));
    *before = ", ";
}

/* Chooses the columns of a form, and their headings; in a narrow one the title has those that are
 * constant, which not all are: keys tell rows apart. Returns how many there are. */
static size_t choose_columns(const struct view *view, bool is_narrow, const struct column **columns,
                             struct page_heading *headings, struct growing_text *title)
{
    size_t count = 0;
    const char *before = " (";
    growing_text_add(title, "%s", view->title);
    for (size_t i = 0; i < view->column_count; i++) {
        const struct column *column = &view->columns[i];
        if (is_narrow && column->paper[0] == '\0')
            continue;
        if (is_narrow && is_constant(view, column)) {
            add_constant(title, &before, view, column);
            continue;
        }
        columns[count] = column;
        headings[count++] = (struct page_heading){is_narrow ? column->paper : column->heading,
                                                  is_numeric(view, column), 0};
    }
    growing_text_add(title, "%s", before[0] == ',' ? ")" : "");
    return count;
}

static void write_rows(FILE *stream, const struct view *view, const struct page_form *form)
{
    bool labelled = view->is_labelled;
    struct page_heading headings[COLUMNS_MAX + 1] = {{"results", false, 0}};
    const struct column *columns[COLUMNS_MAX];
    struct growing_text title = {0};
    char text[FIELD_SIZE];
    size_t count = choose_columns(view, form->is_narrow, columns, headings + labelled, &title);
    for (size_t j = 0; form->is_narrow && j < labelled + count; j++) {
        headings[j].points = measure_points(headings[j].text);
        for (size_t i = 0; i < view->line_count; i++) {
            const struct line *line = &view->lines[i];
            const char *field = j < labelled
                                    ? line->source->label
                                    : format_field(line, columns[j - labelled], true, text);
            headings[j].points = fmax(headings[j].points, measure_points(field));
        }
    }
    const char *end = form->begin(stream, view->name, title.text, headings, labelled + count);
    free(title.text);
    for (size_t i = 0; i < view->line_count && i < PAGE_ROWS_MAX; i++) {
        const struct line *line = &view->lines[i];
        if (labelled)
            form->cell(stream, 0, false, line->source->label);
        for (size_t j = 0; j < count; j++) {
            const char *field = format_field(line, columns[j], form->is_narrow, text);
            form->cell(stream, labelled + j, is_number(columns[j], field), field);
        }
        fputs(form->row_end, stream);
    }
    fputs(end, stream);
}

/* Writes the table as LaTeX, which is not shown: a button saves it (tables.js). */
static void write_latex(FILE *stream, const struct view *view)
{
    char *latex = NULL, *line;
    size_t length;
    FILE *text = open_memstream(&latex, &length);
    memory_or_end(text);
    write_rows(text, view, &page_forms[PAGE_LATEX]);
    memory_or_end(fclose(text) == 0 ? latex : NULL);
    fputs("<pre hidden=\"hidden\">", stream);
    for (char *rest = latex; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
        html_text(stream, line);
        fputc('\n', stream);
    }
    fputs("</pre>\n", stream);
    free(latex);
}

/* Folded away; printed: on paper it is not. */
static void write_folded(FILE *stream, const struct view *view, bool printed)
{
    char *title = memory_format("%s: %zu row%s", view->title, view->line_count,
                                text_plural(view->line_count));
    fprintf(stream, "<details class=\"%s\">\n", printed ? "short" : "long");
    html_element(stream, "summary", "%s", title);
    if (view->line_count > PAGE_ROWS_MAX)
        html_element(stream, "p", "The first %d rows; the file has all.", PAGE_ROWS_MAX);
    write_rows(stream, view, &page_form_html);
    fputs("</details>\n", stream);
    html_element(stream, "p class=\"paper\"", "%s.", title);
    free(title);
}

/* ------------------------------------------------------------------ the tables of sources */

/* Gathers the rows of all sources, which are the caller's to free. False: there is none. */
static bool gather_lines(struct view *view, const struct page_sources *sources)
{
    view->is_labelled = sources->count > 1;
    for (size_t i = 0; i < sources->count; i++)
        add_lines(view, &sources->list[i]);
    if (view->is_labelled && view->line_count > 0)
        qsort(view->lines, view->line_count, sizeof *view->lines, compare_lines);
    return view->line_count > 0;
}

void page_tables_write(FILE *stream, const struct page_sources *sources, const char *section)
{
    struct view view;
    for (size_t at = 0; read_view(&at, &view); free(view.lines)) {
        if (strcmp(view.section, section) != 0 || !gather_lines(&view, sources))
            continue;
        if (view.line_count > PRINTED_MAX)
            write_folded(stream, &view, false);
        else {
            write_rows(stream, &view, &page_form_html);
            write_latex(stream, &view);
        }
    }
}

const char *page_table_next(const struct page_sources *sources, size_t *at)
{
    struct view view;
    bool has_rows = false;
    while (!has_rows && read_view(at, &view)) {
        has_rows = gather_lines(&view, sources);
        free(view.lines);
    }
    return has_rows ? view.name : NULL;
}

const char *page_table_lacks(const struct page_sources *sources, const char *name)
{
    struct view view;
    bool is_it = false, has_rows = false;
    for (size_t at = 0; !is_it && read_view(&at, &view);)
        is_it = strcmp(view.name, name) == 0;
    for (size_t i = 0; is_it && i < sources->count; i++)
        has_rows = has_rows || page_file(&sources->list[i], view.file)->rows > 0;
    return is_it && !has_rows ? view.file : NULL;
}

void page_table_write(FILE *stream, const struct page_sources *sources, const char *name,
                      const struct page_form *form)
{
    struct view view;
    for (size_t at = 0; read_view(&at, &view); free(view.lines)) {
        if (strcmp(view.name, name) == 0 && gather_lines(&view, sources))
            write_rows(stream, &view, form);
    }
}

void page_data_write(FILE *stream, const struct page_source *source, const char *title,
                     const char *file, const char *columns, bool printed)
{
    char *caption = memory_format("%s: %s of %s", title, file, source->label),
         *names = memory_text(columns), *rest = names, *name;
    struct view view = {.section = "", .name = "", .title = caption, .file = file, .unless = ""};
    while ((name = strsep(&rest, " ")) != NULL && view.column_count < COLUMNS_MAX)
        view.columns[view.column_count++] =
            (struct column){.name = name, .heading = name, .paper = ""};
    add_lines(&view, source);
    write_folded(stream, &view, printed && view.line_count <= PRINTED_MAX);
    free(view.lines);
    free(names);
    free(caption);
}
