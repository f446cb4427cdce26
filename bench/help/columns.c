// SPDX-License-Identifier: Apache-2.0
/* What a column of the files is, by the tables of docs/files.md, which is part of the program. */
#include "bench/help/columns.h"
#include "bench/cli/terminal.h"

#include <string.h>

extern const char files_md[];

/* The CSV file that a table is of: that of the last heading, or of the paragraph before the table;
 * empty: of none. */
struct place {
    const char *text;
    size_t length;
};

static void find_place(const char *line, struct place *place)
{
    const char *csv = memmem(line, strcspn(line, "\n"), ".csv", strlen(".csv"));
    if (strncmp(line, "## ", 3) == 0)
        *place = (struct place){line + 3, csv != NULL ? strcspn(line + 3, "\n") : 0};
    else if (line[0] == '`' && csv != NULL && strncmp(csv, ".csv`: ", 7) == 0)
        *place = (struct place){line + 1, (size_t)(csv - line) + 3};
}

/* The meaning in a row whose columns have this one; NULL: no such row, or an empty one. */
static const char *find_meaning(const char *row, const char *name)
{
    char quoted[80];
    const char *end = strstr(row, " | ");
    if (strncmp(row, "| `", 3) != 0 || end == NULL)
        return NULL;
    snprintf(quoted, sizeof quoted, "`%s`", name);
    const char *found = strstr(row, quoted);
    return found != NULL && found < end && end[3] != '|' ? end + 3 : NULL;
}

size_t columns_print(const char *name, FILE *stream)
{
    struct place place = {"", 0};
    size_t count = 0;
    for (const char *line = files_md; *line != '\0'; line = strchr(line, '\n') + 1) {
        find_place(line, &place);
        const char *meaning = find_meaning(line, name);
        if (meaning == NULL || place.length == 0)
            continue;
        wrap_sentence(stream, "%.*s: %.*s", (int)place.length, place.text,
                      (int)(strcspn(meaning, "\n") - strlen(" |")), meaning);
        count++;
    }
    return count;
}
