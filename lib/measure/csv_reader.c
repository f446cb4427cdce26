// SPDX-License-Identifier: Apache-2.0
#include "measure/csv_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the reading is, and the error that ends it. */
struct cursor {
    char *at;
    char *end; /* holds a zero byte */
    size_t line;
    const char *name; /* of the file */
    struct error *error;
};

/* ------------------------------------------------------------------ the text */

static enum error_kind read_all(FILE *stream, const char *name, char **text, size_t *length,
                                struct error *error)
{
    size_t size = 0, used = 0;
    char *buffer = NULL;
    do {
        size = size == 0 ? 65536 : size * 2;
        char *larger = realloc(buffer, size);
        if (larger == NULL) {
            free(buffer);
            return error_raise(error, ERROR_NO_MEMORY, 0, name, "%s", "");
        }
        buffer = larger;
        used += fread(buffer + used, 1, size - used, stream);
    } while (used == size);
    if (ferror(stream)) {
        int os_error = errno;
        free(buffer);
        return error_from_errno(error, os_error, name, "reading it failed");
    }
    buffer[used] = '\0'; /* the loop ends with room for it */
    *text = buffer;
    *length = used;
    return ERROR_NONE;
}

/* Allocates for an upper bound of fields and rows: separators inside quotes are counted too. */
static bool make_room(const char *text, size_t length, struct csv_reader *reader)
{
    size_t commas = 0, feeds = 0;
    for (size_t i = 0; i < length; i++) {
        commas += text[i] == ',';
        feeds += text[i] == '\n';
    }
    reader->fields = malloc((commas + feeds + 1) * sizeof *reader->fields);
    reader->lines = malloc((feeds + 1) * sizeof *reader->lines);
    return reader->fields != NULL && reader->lines != NULL;
}

/* ------------------------------------------------------------------ fields and rows */

static enum error_kind refuse_line(const struct cursor *cursor, size_t line, const char *wrong)
{
    return error_raise(cursor->error, ERROR_MALFORMED, 0, cursor->name, "line %zu: %s", line,
                       wrong);
}

/* Removes the quotes in place and moves behind the closing quote. Returns the end of the field. */
static char *unquote(struct cursor *cursor)
{
    size_t opened = cursor->line;
    char *to = cursor->at;
    for (char *from = cursor->at + 1; from < cursor->end; from++) {
        if (*from == '"' && from[1] != '"') {
            cursor->at = from + 1;
            return to;
        }
        from += *from == '"';
        cursor->line += *from == '\n';
        *to++ = *from;
    }
    refuse_line(cursor, opened, "a quote is opened and not closed");
    return NULL;
}

static char *skip_plain(struct cursor *cursor)
{
    const char *field = cursor->at;
    char *end = cursor->at += strcspn(cursor->at, ",\"\n");
    bool row_ends = *end == '\n' || *end == '\0';
    if (*end != '"')
        return row_ends && end > field && end[-1] == '\r' ? end - 1 : end;
    refuse_line(cursor, cursor->line, "a quote inside a field that is not quoted");
    return NULL;
}

/* Cuts one field off; NULL: it is malformed. *last: whether the row ends with it. */
static char *next_field(struct cursor *cursor, bool *last)
{
    char *field = cursor->at, *end = *field == '"' ? unquote(cursor) : skip_plain(cursor);
    if (end == NULL)
        return NULL;
    if (cursor->at[0] == '\r' && cursor->at[1] == '\n')
        cursor->at++;
    char separator = *cursor->at;
    *last = separator != ',';
    cursor->line += separator == '\n';
    if (separator != '\n' && separator != ',' && cursor->at < cursor->end) {
        refuse_line(cursor, cursor->line, "something stands behind a closing quote");
        return NULL;
    }
    *end = '\0';
    cursor->at += cursor->at < cursor->end;
    return field;
}

static enum error_kind take_row(struct cursor *cursor, size_t row, struct csv_reader *reader)
{
    size_t fields = 0;
    char **to = reader->fields + row * reader->columns;
    reader->lines[row] = cursor->line;
    for (bool last = false; !last; fields++) {
        to[fields] = next_field(cursor, &last);
        if (to[fields] == NULL)
            return cursor->error->kind;
    }
    if (row == 0)
        reader->columns = fields;
    if (fields == reader->columns)
        return ERROR_NONE;
    return error_raise(cursor->error, ERROR_MALFORMED, 0, reader->name,
                       "line %zu: %zu field%s, and not %zu", reader->lines[row], fields,
                       fields == 1 ? "" : "s", reader->columns);
}

static enum error_kind check_names(const struct csv_reader *reader, struct error *error)
{
    for (size_t i = 0; i < reader->columns; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(reader->fields[i], reader->fields[j]) == 0)
                return error_raise(error, ERROR_MALFORMED, 0, reader->name,
                                   "line 1: two columns are called '%.60s'", reader->fields[i]);
        }
    }
    return ERROR_NONE;
}

static enum error_kind take_apart(char *text, size_t length, struct csv_reader *reader,
                                  struct error *error)
{
    struct cursor cursor = {text, text + length, 1, reader->name, error};
    size_t rows = 0;
    if (memchr(text, '\0', length) != NULL)
        return refuse_line(&cursor, 1, "a zero byte: this is no text");
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* spreadsheets put it in front of UTF-8 */
        cursor.at += 3;
    while (cursor.at < cursor.end) {
        if (take_row(&cursor, rows++, reader))
            return error->kind;
    }
    if (rows == 0)
        return refuse_line(&cursor, 1, "the file is empty");
    reader->rows = rows - 1;
    return check_names(reader, error);
}

/* ------------------------------------------------------------------ opening and closing */

enum error_kind csv_reader_init(FILE *stream, const char *name, struct csv_reader *reader,
                                struct error *error)
{
    struct csv_reader made = {0};
    size_t length = 0;
    snprintf(made.name, sizeof made.name, "%s", name);
    enum error_kind kind = read_all(stream, name, &made.text, &length, error);
    if (kind != ERROR_NONE)
        return kind;
    if (make_room(made.text, length, &made))
        kind = take_apart(made.text, length, &made, error);
    else
        kind = error_raise(error, ERROR_NO_MEMORY, 0, name, "%s", "");
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
