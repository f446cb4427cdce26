// SPDX-License-Identifier: Apache-2.0
#include "bench/page/page_table.h"

#include "bench/page/html.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 32

void page_table_begin(FILE *stream, const char *caption)
{
    fputs("<section class=\"wide\" tabindex=\"0\" aria-label=\"", stream);
    html_text(stream, caption);
    fputs("\">\n<table>\n", stream);
    html_element(stream, "caption", "%s", caption);
}

void page_table_end(FILE *stream)
{
    fputs("</tbody>\n</table>\n</section>\n", stream);
}

void page_table_heading(FILE *stream, const char *text)
{
    html_element(stream, "th scope=\"col\"", "%s", text);
}

void page_table_text(FILE *stream, const char *text)
{
    fputs("<td>", stream);
    html_text(stream, text);
    fputs("</td>", stream);
}

void page_table_number(FILE *stream, const char *text)
{
    fputs("<td class=\"number\">", stream);
    html_text(stream, text);
    fputs("</td>", stream);
}

/* ------------------------------------------------------------------ the data of a picture */

static size_t find_columns(const struct csv_reader *file, const char *names,
                           size_t columns[COLUMNS_MAX])
{
    size_t count = 0;
    while (*names != '\0' && count < COLUMNS_MAX) {
        char name[64];
        struct error error;
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (csv_reader_column(file, name, &columns[count], &error) == ERROR_NONE)
            count++;
        names += length + (names[length] == ' ');
    }
    return count;
}

static bool is_number(const char *text)
{
    char *end;
    (void)strtod(text, &end);
    return end != text && *end == '\0';
}

static void put_row(FILE *stream, const struct csv_reader *file, size_t row, const size_t *columns,
                    size_t count)
{
    fputs("<tr>", stream);
    for (size_t i = 0; i < count; i++) {
        const char *text = csv_reader_text(file, row, columns[i]);
        (is_number(text) ? page_table_number : page_table_text)(stream, text);
    }
    fputs("</tr>\n", stream);
}

static void put_rows(FILE *stream, const struct csv_reader *file, const size_t *columns,
                     size_t count)
{
    fputs("<thead>\n<tr>\n", stream);
    for (size_t i = 0; i < count; i++)
        page_table_heading(stream, file->fields[columns[i]]);
    fputs("</tr>\n</thead>\n<tbody>\n", stream);
    for (size_t row = 0; row < file->rows && row < PAGE_TABLE_ROWS_MAX; row++)
        put_row(stream, file, row, columns, count);
}

void page_table_data(FILE *stream, const struct csv_reader *file, const char *names,
                     const char *caption, bool printed)
{
    size_t columns[COLUMNS_MAX];
    size_t count = find_columns(file, names, columns);
    fprintf(stream, "<details class=\"%s\">\n",
            printed && file->rows <= PAGE_TABLE_PRINTED_MAX ? "short" : "long");
    html_element(stream, "summary", "The data: %zu row%s", file->rows, file->rows == 1 ? "" : "s");
    if (file->rows > PAGE_TABLE_ROWS_MAX)
        html_element(stream, "p", "The first %d rows; the file has all.", PAGE_TABLE_ROWS_MAX);
    page_table_begin(stream, caption);
    put_rows(stream, file, columns, count);
    page_table_end(stream);
    fputs("</details>\n", stream);
    html_element(stream, "p class=\"paper\"", "%s: %zu row%s.", caption, file->rows,
                 file->rows == 1 ? "" : "s");
}
