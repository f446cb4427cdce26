// SPDX-License-Identifier: Apache-2.0
#include "measure/csv.h"

#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void begin_field(struct csv *csv)
{
    if (csv->in_row)
        putc(',', csv->stream);
    csv->in_row = true;
}

void csv_header(struct csv *csv, const char *names)
{
    size_t length = strlen(names);
    if (length > 0 && names[length - 1] == ',')
        length--;
    begin_field(csv);
    fwrite(names, 1, length, csv->stream);
    csv_end_row(csv);
}

void csv_text(struct csv *csv, const char *text)
{
    begin_field(csv);
    if (text == NULL)
        return;
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, csv->stream);
        return;
    }
    putc('"', csv->stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putc('"', csv->stream);
        putc(*text, csv->stream);
    }
    putc('"', csv->stream);
}

void csv_count(struct csv *csv, uint64_t count)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRIu64, count);
}

void csv_signed(struct csv *csv, int64_t number)
{
    begin_field(csv);
    fprintf(csv->stream, "%" PRId64, number);
}

void csv_count_if(struct csv *csv, bool known, uint64_t count)
{
    if (known)
        csv_count(csv, count);
    else
        csv_text(csv, NULL);
}

void csv_real(struct csv *csv, double number, int decimals)
{
    begin_field(csv);
    if (isfinite(number))
        fprintf(csv->stream, "%.*f", decimals, number);
}

void csv_end_row(struct csv *csv)
{
    putc('\n', csv->stream);
    csv->in_row = false;
}

/* ------------------------------------------------------------------ reading */

/* The position in a text, which ends in a zero byte. */
struct cursor {
    char *at;
    size_t line;
};

/* Cuts one field off, without its quotes. *last: whether the row ends with it. NULL, with what is
 * wrong with it and the cursor's line: it is malformed. */
static char *next_field(struct cursor *cursor, bool *last, const char **wrong)
{
    char *field = cursor->at, *at = field, *end = field;
    bool is_quoted = *field == '"';
    size_t line = cursor->line;
    if (is_quoted) {
        for (at++; *at != '\0' && (*at != '"' || at[1] == '"'); *end++ = *at++) {
            at += *at == '"';
            line += *at == '\n';
        }
        *wrong = "a quote is opened and not closed";
        if (*at == '\0')
            return NULL;
        at += at[1] == '\r' && at[2] == '\n' ? 2 : 1;
    } else {
        end = at += strcspn(at, ",\"\n");
        end -= end > field && end[-1] == '\r' && *at != ',';
    }
    cursor->line = line;
    *wrong = is_quoted ? "something stands behind a closing quote"
                       : "a quote inside a field that is not quoted";
    if (*at != ',' && *at != '\n' && *at != '\0')
        return NULL;
    *last = *at != ',';
    cursor->line += *at == '\n';
    cursor->at = at + (*at != '\0');
    *end = '\0';
    return field;
}

static enum error_kind read_row(struct cursor *cursor, size_t row, struct csv_reader *reader,
                                struct error *error)
{
    size_t first = row * reader->columns, fields = 0, line = cursor->line;
    const char *wrong;
    reader->lines = memory_grow(reader->lines, row, sizeof *reader->lines);
    reader->lines[row] = line;
    for (bool last = false; !last; fields++) {
        char *field = next_field(cursor, &last, &wrong);
        if (field == NULL)
            return error_raise(error, ERROR_MALFORMED, 0, reader->name, "line %zu: %s",
                               cursor->line, wrong);
        reader->fields = memory_grow(reader->fields, first + fields, sizeof *reader->fields);
        reader->fields[first + fields] = field;
    }
    if (row == 0)
        reader->columns = fields;
    return fields == reader->columns ? ERROR_NONE
                                     : error_raise(error, ERROR_MALFORMED, 0, reader->name,
                                                   "line %zu: %zu field%s, and not %zu", line,
                                                   fields, fields == 1 ? "" : "s", reader->columns);
}

static enum error_kind read_rows(struct csv_reader *reader, struct error *error)
{
    struct cursor cursor = {reader->text, 1};
    size_t rows = 0;
    if (strncmp(cursor.at, "\xEF\xBB\xBF", 3) == 0) /* spreadsheets put it in front of UTF-8 */
        cursor.at += 3;
    while (*cursor.at != '\0') {
        if (read_row(&cursor, rows++, reader, error) != ERROR_NONE)
            return error->kind;
    }
    if (rows == 0)
        return error_raise(error, ERROR_MALFORMED, 0, reader->name, "line 1: the file is empty");
    reader->rows = rows - 1;
    for (size_t i = 0; i < reader->columns; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(reader->fields[i], reader->fields[j]) == 0)
                return error_raise(error, ERROR_MALFORMED, 0, reader->name,
                                   "line 1: two columns are called '%.60s'", reader->fields[i]);
        }
    }
    return ERROR_NONE;
}

enum error_kind csv_reader_init(FILE *stream, const char *name, struct csv_reader *reader,
                                struct error *error)
{
    struct csv_reader made = {0};
    size_t size = 0;
    enum error_kind kind;
    snprintf(made.name, sizeof made.name, "%s", name);
    ssize_t length = getdelim(&made.text, &size, '\0', stream);
    if (length < 0 && !feof(stream))
        kind = error_from_errno(error, errno, name, "reading it failed");
    else if (length < 0)
        kind = error_raise(error, ERROR_MALFORMED, 0, name, "line 1: the file is empty");
    else if (made.text[length - 1] == '\0')
        kind = error_raise(error, ERROR_MALFORMED, 0, name, "line 1: a zero byte: this is no text");
    else
        kind = read_rows(&made, error);
    if (kind == ERROR_NONE)
        *reader = made;
    else
        csv_reader_deinit(&made);
    return kind;
}

enum error_kind csv_reader_open(const char *path, struct csv_reader *reader, struct error *error)
{
    FILE *stream = fopen(path, "re");
    if (stream == NULL)
        return error_from_errno(error, errno, path, "cannot be opened for reading");
    enum error_kind kind = csv_reader_init(stream, path, reader, error);
    fclose(stream);
    return kind;
}

void csv_reader_deinit(struct csv_reader *reader)
{
    free(reader->text);
    free(reader->fields);
    free(reader->lines);
    *reader = (struct csv_reader){0};
}

/* ------------------------------------------------------------------ contents */

enum error_kind csv_reader_column(const struct csv_reader *reader, const char *name, size_t *column,
                                  struct error *error)
{
    for (size_t i = 0; i < reader->columns; i++) {
        if (strcmp(reader->fields[i], name) == 0) {
            *column = i;
            return ERROR_NONE;
        }
    }
    return error_raise(error, ERROR_MALFORMED, 0, reader->name,
                       "line 1: there is no column called '%s'", name);
}

const char *csv_reader_text(const struct csv_reader *reader, size_t row, size_t column)
{
    return reader->fields[(row + 1) * reader->columns + column];
}

enum error_kind csv_reader_refuse(const struct csv_reader *reader, size_t row, size_t column,
                                  const char *why, struct error *error)
{
    return error_raise(error, ERROR_MALFORMED, 0, reader->name, "line %zu: %s: '%.60s' %s",
                       reader->lines[row + 1], reader->fields[column],
                       csv_reader_text(reader, row, column), why);
}
