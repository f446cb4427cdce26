// SPDX-License-Identifier: Apache-2.0
#include "tests/support/csv_file.h"

#include <errno.h>
#include <stdlib.h>

char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        fail_msg("%s: %s", path, strerror(errno));
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', file) < 0) {
        fclose(file);
        free(text);
        fail_msg("%s is empty", path);
    }
    fclose(file);
    return text;
}

/* Ends the field at *at, takes its quotes off, and moves behind the comma or the end of the row;
 * *last turns true at the end of the row. */
static char *next_field(char **at, bool *last)
{
    bool quoted = **at == '"';
    char *field = *at + quoted, *from = field, *to = field;
    while (quoted ? from[0] != '"' || from[1] == '"' : *from != ',' && *from != '\n') {
        assert_true(*from != '\0');
        from += quoted && *from == '"';
        *to++ = *from++;
    }
    from += quoted;
    assert_true(*from == ',' || *from == '\n');
    *last = *from == '\n';
    *at = from + 1;
    *to = '\0';
    return field;
}

struct csv_file csv_file_read(const char *path)
{
    struct csv_file table = {.text = read_text(path)};
    size_t count = 0, in_row = 0;
    if (table.text[strlen(table.text) - 1] != '\n')
        fail_msg("%s does not end with the end of a row", path);
    table.fields = calloc(strlen(table.text) + 1, sizeof *table.fields);
    for (char *at = table.text; *at != '\0';) {
        bool last;
        table.fields[count++] = next_field(&at, &last);
        in_row++;
        if (!last)
            continue;
        if (table.columns == 0)
            table.columns = in_row;
        if (in_row != table.columns)
            fail_msg("%s: %zu fields instead of %zu", path, in_row, table.columns);
        in_row = 0;
    }
    table.rows = count / table.columns - 1;
    return table;
}

void csv_file_deinit(struct csv_file *table)
{
    free(table->fields);
    free(table->text);
}

bool csv_file_has(const struct csv_file *table, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->fields[i], column) == 0)
            return true;
    }
    return false;
}

const char *csv_file_text(const struct csv_file *table, size_t row, const char *column)
{
    for (size_t i = 0; i < table->columns; i++) {
        if (strcmp(table->fields[i], column) == 0)
            return table->fields[(row + 1) * table->columns + i];
    }
    fail_msg("there is no column %s", column);
    return "";
}

double csv_file_real(const struct csv_file *table, size_t row, const char *column)
{
    const char *text = csv_file_text(table, row, column);
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0')
        fail_msg("column %s is '%s'", column, text);
    return value;
}

uint64_t csv_file_count(const struct csv_file *table, size_t row, const char *column)
{
    const char *text = csv_file_text(table, row, column);
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0')
        fail_msg("column %s is '%s'", column, text);
    return value;
}
