// SPDX-License-Identifier: Apache-2.0
#include "tests/support/evidence.h"

#include "measure/csv_reader.h"
#include "measure/statistics.h"
#include "tests/support/csv_file.h"
#include "tests/support/document.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define WORDS_MAX   24
#define VALUES_MAX  8192
#define NUMBERS_MAX 16 /* in a line of a text */

static char complaint[512];

static double refuse(const char *what, const char *of)
{
    snprintf(complaint, sizeof complaint, "%s: %s", of, what);
    return NAN;
}

/* ------------------------------------------------------------------ words */

struct words {
    char text[1024];
    char *list[WORDS_MAX];
    size_t count;
};

/* Quotes keep blanks together, and are taken off. */
static void split(const char *text, struct words *words)
{
    char *to = words->text;
    bool quoted = false, inside = false;
    words->count = 0;
    for (; *text != '\0'; text++) {
        if (*text == ' ' && !quoted) {
            *to++ = '\0';
            inside = false;
            continue;
        }
        if (!inside) {
            assert_true(words->count < WORDS_MAX);
            words->list[words->count++] = to;
        }
        inside = true;
        if (*text == '"')
            quoted = !quoted;
        else
            *to++ = *text;
        assert_true(to < words->text + sizeof words->text - 1);
    }
    *to = '\0';
}

/* ------------------------------------------------------------------ files */

/* The file that was read last. */
static struct file {
    char path[512];
    struct csv_reader csv;
} file;

void evidence_forget(void)
{
    csv_reader_deinit(&file.csv);
    file = (struct file){.path = ""};
}

static bool open_csv(const char *path)
{
    struct error error;
    if (strcmp(file.path, path) == 0)
        return true;
    evidence_forget();
    if (csv_reader_open(path, &file.csv, &error) != ERROR_NONE)
        return false;
    snprintf(file.path, sizeof file.path, "%s", path);
    return true;
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

static const char *field(size_t row, const char *column)
{
    struct error error;
    size_t index;
    if (csv_reader_column(&file.csv, column, &index, &error) == ERROR_NONE)
        return csv_reader_text(&file.csv, row, index);
    refuse("no such column", column);
    return NULL;
}

/* ------------------------------------------------------------------ rows */

/* A row of a CSV file, or the numbers of a line. */
struct row {
    size_t index;
    const double *numbers; /* NULL: of a CSV file */
    size_t count;
};

static double number_of(const struct row *row, const char *name)
{
    if (name[0] == '#') {
        size_t at = (size_t)strtoul(name + 1, NULL, 10);
        return at >= 1 && at <= row->count ? row->numbers[at - 1] : refuse("no such number", name);
    }
    const char *text = row->numbers == NULL ? field(row->index, name) : NULL;
    char *end;
    double number = text == NULL ? NAN : strtod(text, &end);
    return text == NULL || (*text != '\0' && *end == '\0') ? number : refuse("no number", name);
}

/* A number, a column, or a sum of columns. */
static double quantity_of(const struct row *row, const char *quantity)
{
    char *end, copy[256], *rest;
    double sum = strtod(quantity, &end);
    if (end != quantity && *end == '\0')
        return sum;
    sum = 0;
    snprintf(copy, sizeof copy, "%s", quantity);
    for (char *name = strtok_r(copy, "+", &rest); name != NULL; name = strtok_r(NULL, "+", &rest))
        sum += number_of(row, name);
    return sum;
}

static bool fulfils(size_t row, const char *condition)
{
    char column[128];
    size_t length = strcspn(condition, "!>=");
    snprintf(column, sizeof column, "%.*s", (int)length, condition);
    const char *text = field(row, column);
    if (text == NULL)
        return false;
    if (condition[length] == '=')
        return strcmp(text, condition + length + 1) == 0;
    const char *than = condition + length + 2;
    return condition[length] == '!' ? strcmp(text, than) != 0
                                    : strtod(text, NULL) >= strtod(than, NULL);
}

static bool is_condition(const char *word)
{
    return strchr(word, '=') != NULL;
}

static bool fulfils_all(size_t row, const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is_condition(words->list[i]) && !fulfils(row, words->list[i]))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ statistics */

struct values {
    double list[VALUES_MAX];
    size_t count;
};

static bool all_equal(const struct values *values)
{
    for (size_t i = 1; i < values->count; i++) {
        if (!(values->list[i] == values->list[0]))
            return false;
    }
    return true;
}

static double mean(const struct values *values)
{
    return statistics_interval(values->list, values->count, 0.95).value;
}

static double statistic(const char *name, struct values *values)
{
    if (strcmp(name, "count") == 0)
        return (double)values->count;
    for (size_t i = 0; i < values->count; i++) {
        if (isnan(values->list[i]))
            return NAN;
    }
    if (values->count == 0)
        return refuse("no row", name);
    statistics_sort(values->list, values->count);
    if (strcmp(name, "value") == 0)
        return values->count == 1 ? values->list[0] : refuse("several rows", name);
    if (strcmp(name, "all") == 0)
        return all_equal(values) ? values->list[0] : refuse("they differ", name);
    if (strcmp(name, "median") == 0)
        return statistics_median(values->list, values->count);
    if (strcmp(name, "mean") == 0)
        return mean(values);
    if (strcmp(name, "min") == 0)
        return values->list[0];
    return strcmp(name, "max") == 0 ? values->list[values->count - 1]
                                    : refuse("no such statistic", name);
}

/* ------------------------------------------------------------------ figures */

struct figure {
    struct words source, words;
    const char *root;
    struct values values;
};

static void add_row(struct figure *figure, const struct row *row)
{
    const struct words *words = &figure->words;
    assert_true(figure->values.count < VALUES_MAX);
    double value = 0;
    if (words->count > 1 && !is_condition(words->list[1]))
        value = quantity_of(row, words->list[1]);
    if (words->count > 3 && strcmp(words->list[2], "/") == 0)
        value /= quantity_of(row, words->list[3]);
    figure->values.list[figure->values.count++] = value;
}

static bool add_csv(struct figure *figure, const char *path)
{
    if (!open_csv(path))
        return false;
    for (size_t i = 0; i < file.csv.rows; i++) {
        if (fulfils_all(i, &figure->source) && fulfils_all(i, &figure->words))
            add_row(figure, &(struct row){.index = i});
    }
    return true;
}

/* The numbers of a line; one may have commas between its digits. */
static size_t read_numbers(const char *line, size_t length, double numbers[NUMBERS_MAX])
{
    char text[512], *to = text;
    for (size_t i = 0; i < length && to < text + sizeof text - 1; i++) {
        if (line[i] != ',' || !isdigit((unsigned char)line[i + 1]))
            *to++ = line[i];
    }
    *to = '\0';
    size_t count = 0;
    for (char *at = text; *at != '\0' && count < NUMBERS_MAX;) {
        char *end = at;
        if (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1])))
            numbers[count++] = strtod(at, &end);
        at = end + (end == at);
    }
    return count;
}

static void add_lines(struct figure *figure, const char *text, const char *end)
{
    while (text < end) {
        double numbers[NUMBERS_MAX];
        size_t length = strcspn(text, "\n");
        if (text + length > end)
            length = (size_t)(end - text);
        size_t count = read_numbers(text, length, numbers);
        if (count > 0)
            add_row(figure, &(struct row){.numbers = numbers, .count = count});
        text += length + 1;
    }
}

static bool add_text(struct figure *figure, const char *path)
{
    const struct words *source = &figure->source;
    assert_int_equal(source->count, 3);
    char *text = read_text(path);
    document_fold_blanks(text);
    const char *begin = strstr(text, source->list[1]);
    bool once = begin != NULL && strstr(begin + 1, source->list[1]) == NULL;
    const char *end = once ? strstr(begin + strlen(source->list[1]), source->list[2]) : NULL;
    if (end != NULL)
        add_lines(figure, begin + strlen(source->list[1]), end);
    free(text);
    return end != NULL;
}

static bool add_file(struct figure *figure, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", figure->root, name);
    return ends(name, ".csv") ? add_csv(figure, path) : add_text(figure, path);
}

double evidence_figure(const char *root, const char *source, const char *words, const char **why)
{
    static struct figure figure;
    figure.root = root;
    figure.values.count = 0;
    split(source, &figure.source);
    split(words, &figure.words);
    *why = complaint;
    complaint[0] = '\0';
    for (size_t i = 0; i < figure.source.count; i++) {
        const char *name = figure.source.list[i];
        if ((ends(name, ".csv") || ends(name, ".txt")) && !add_file(&figure, name))
            return refuse("not there, or without these words once", name);
    }
    double value = statistic(figure.words.list[0], &figure.values);
    return complaint[0] == '\0' ? value : NAN;
}
