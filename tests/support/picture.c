// SPDX-License-Identifier: Apache-2.0
#include "tests/support/picture.h"

#include "tests/support/outcome.h"

void picture_simulate(struct command *command, const char *subcommand, const char *folder,
                      const char *const options[])
{
    const char *arguments[32] = {"zkherd",  subcommand, "-d", "simulated", "-q",
                                 "--plots", "svg",      "-o", folder};
    for (size_t i = 0; options[i] != NULL; i++)
        arguments[9 + i] = options[i];
    command_run(command, arguments);
    assert_status(command, 0);
    assert_string_equal(command->err, "");
}

void picture_draw(struct command *command, const char *folder, const char *formats)
{
    command_run(command, COMMAND("plot", folder, "--plots", formats));
    assert_status(command, 0);
    assert_string_equal(command->err, "");
}

void picture_set(const char *path, const char *key, const char *of, size_t row, const char *column,
                 const char *value)
{
    struct csv_file table = csv_file_read(path);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    for (size_t line = 0; line <= table.rows; line++) {
        bool its = key == NULL ? line == row + 1
                               : line > 0 && strcmp(csv_file_text(&table, line - 1, key), of) == 0;
        for (size_t i = 0; i < table.columns; i++) {
            const char *text = its && strcmp(table.fields[i], column) == 0
                                   ? value
                                   : table.fields[line * table.columns + i];
            const char *quote = strchr(text, ',') != NULL ? "\"" : "";
            fprintf(file, "%s%s%s%s", i > 0 ? "," : "", quote, text, quote);
        }
        fputc('\n', file);
    }
    assert_int_equal(fclose(file), 0);
    csv_file_deinit(&table);
}

const char *picture_read(const char *folder, const char *name)
{
    static char *read[4];
    static size_t next;
    next = (next + 1) % 4;
    free(read[next]);
    return read[next] = read_text(in_work("%s/plots/%s.svg", folder, name));
}

size_t picture_marks(const char *picture, const char *mark, struct picture_place *places,
                     size_t most)
{
    size_t count = 0;
    for (const char *at = picture; (at = strstr(at, mark)) != NULL; at++) {
        struct picture_place place;
        if (sscanf(at + strlen(mark), " transform='translate(%lf,%lf)", &place.x, &place.y) != 2)
            continue;
        assert_true(places == NULL || count < most);
        if (places != NULL)
            places[count] = place;
        count++;
    }
    return count;
}

bool picture_next(const char **at, struct picture_text *text)
{
    static const char place[] = "translate(", begin[] = "<text>", end[] = "</text>";
    const char *from = strstr(*at, begin);
    if (from == NULL)
        return false;
    const char *placed = from;
    while (placed > *at && strncmp(placed, place, strlen(place)) != 0)
        placed--;
    assert_int_equal(sscanf(placed, "translate(%lf,%lf)", &text->x, &text->y), 2);
    from += strlen(begin);
    const char *to = strstr(from, end);
    assert_non_null(to);
    snprintf(text->words, sizeof text->words, "%.*s", (int)(to - from), from);
    *at = to;
    return true;
}

size_t picture_count(const char *picture, const char *words)
{
    struct picture_text text;
    size_t count = 0;
    while (picture_next(&picture, &text))
        count += strcmp(text.words, words) == 0;
    return count;
}

void picture_assert_shows(const char *picture, const char *const words[])
{
    for (; *words != NULL; words++) {
        if (picture_count(picture, *words) != 1)
            fail_msg("'%s' is there %zu times", *words, picture_count(picture, *words));
    }
}

struct picture_text picture_find(const char *picture, const char *words)
{
    struct picture_text text;
    const char *at = picture;
    while (picture_next(&at, &text)) {
        if (strncmp(text.words, words, strlen(words)) == 0)
            return text;
    }
    fail_msg("the picture lacks '%s'", words);
    return text;
}

void picture_assert_lacks(const char *picture, const char *words)
{
    struct picture_text text;
    while (picture_next(&picture, &text)) {
        if (strcasestr(text.words, words) != NULL)
            fail_msg("the picture says '%s'", text.words);
    }
}
