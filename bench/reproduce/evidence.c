// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "bench/reproduce/internal.h"
#include "measure/csv_reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBERS_MAX 32
#define SHARE_Z     1.959964 /* of a normal distribution, 95 % */

/* A row of a CSV file; or a line of a text, with its numbers. */
struct row {
    const struct csv_reader *reader; /* NULL: a line */
    size_t row;
    double numbers[NUMBERS_MAX];
    size_t count;
};

/* A figure, while its rows are taken. */
struct taking {
    const struct figure *figure;
    char **source, **take; /* the words of both lines */
    size_t source_count, take_count;
    const char *of, *per, *low, *high; /* quantities; NULL: none */
    double *values;
    struct interval own; /* of the last row's columns; NaN: none */
    size_t count, all;   /* rows that fulfil all conditions; those of the source alone */
    struct evidence *evidence;
};

/* Says why there is no figure, the first reason alone: which: of what; "": of all. Returns NaN. */
static double refuse(struct taking *taking, const char *why, const char *which)
{
    if (taking->evidence->why == NULL)
        taking->evidence->why = memory_format("%s%s%s", why, which[0] != '\0' ? ": " : "", which);
    return NAN;
}

/* ------------------------------------------------------------------ rows and quantities */

static const char *field(const struct row *row, const char *column, size_t length)
{
    const struct csv_reader *reader = row->reader;
    for (size_t i = 0; reader != NULL && i < reader->columns; i++) {
        const char *name = reader->fields[i];
        if (strncmp(name, column, length) == 0 && name[length] == '\0')
            return csv_reader_text(reader, row->row, i);
    }
    return NULL;
}

static bool is_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && strpbrk(text, "xXpP ") == NULL;
}

/* The number in a column, or at a place of the line, such as #2. */
static double number_of(struct taking *taking, const struct row *row, const char *name,
                        size_t length)
{
    double number = NAN;
    size_t place = name[0] == '#' ? strtoul(name + 1, NULL, 10) : 0;
    const char *text = field(row, name, length);
    if (place > 0)
        return place <= row->count ? row->numbers[place - 1]
                                   : refuse(taking, "no such number in a line", name);
    if (text == NULL)
        return refuse(taking, "no such column", name);
    return is_number(text, &number) ? number : refuse(taking, "no number", name);
}

/* A number, a column, or a sum of columns. */
static double quantity_of(struct taking *taking, const struct row *row, const char *quantity)
{
    double sum = 0;
    if (is_number(quantity, &sum))
        return sum;
    for (sum = 0;; quantity++) {
        size_t length = strcspn(quantity, "+");
        sum += number_of(taking, row, quantity, length);
        quantity += length;
        if (*quantity == '\0')
            return sum;
    }
}

/* column=value, column!=value or column>=number. */
static bool fulfils(struct taking *taking, const struct row *row, const char *condition)
{
    size_t length = strcspn(condition, "!>=");
    const char *text = field(row, condition, length), *than = condition + length;
    if (text == NULL)
        return !isnan(refuse(taking, "no such column", condition));
    if (*than == '=')
        return strcmp(text, than + 1) == 0;
    return *than == '!' ? strcmp(text, than + 2) != 0
                        : strtod(text, NULL) >= strtod(than + 2, NULL);
}

static bool fulfils_all(struct taking *taking, const struct row *row, char *const *words)
{
    bool good = true;
    for (; row->reader != NULL && *words != NULL; words++)
        good = good && (strchr(*words, '=') == NULL || fulfils(taking, row, *words));
    return good;
}

/* What a trial that is not valid has counted stands; what it has measured does not. */
static bool is_left_out(const struct taking *taking, const struct row *row)
{
    const char *valid = field(row, "valid", strlen("valid"));
    return taking->figure->kind == FIGURE_MEASURED && valid != NULL && strcmp(valid, "no") == 0;
}

/* The interval that the columns of the row give. */
static void take_interval(struct taking *taking, const struct row *row, double per)
{
    double low, high;
    const char *low_text = taking->low ? field(row, taking->low, strlen(taking->low)) : NULL,
               *high_text = taking->high ? field(row, taking->high, strlen(taking->high)) : NULL;
    taking->own = (struct interval){NAN, NAN, NAN};
    if (low_text != NULL && high_text != NULL && is_number(low_text, &low) &&
        is_number(high_text, &high))
        taking->own = (struct interval){NAN, low / per, high / per};
}

static void take_row(struct taking *taking, const struct row *row)
{
    struct evidence *evidence = taking->evidence;
    if (!fulfils_all(taking, row, taking->source))
        return;
    taking->all++;
    if (!fulfils_all(taking, row, taking->take + 1))
        return;
    if (is_left_out(taking, row)) {
        evidence->left_out++;
        return;
    }
    if (taking->figure->kind == FIGURE_VERDICT) {
        const char *verdict = field(row, "verdict", strlen("verdict"));
        free(evidence->words);
        evidence->words = memory_text(verdict != NULL ? verdict : "");
        taking->count++;
        return;
    }
    double per = taking->per != NULL ? quantity_of(taking, row, taking->per) : 1;
    taking->values = memory_grow(taking->values, taking->count, sizeof *taking->values);
    taking->values[taking->count++] =
        taking->of != NULL ? quantity_of(taking, row, taking->of) / per : 0;
    take_interval(taking, row, per);
}

/* ------------------------------------------------------------------ files */

static void take_csv(struct taking *taking, const char *path, const char *name)
{
    struct csv_reader reader;
    struct error error;
    if (csv_reader_open(path, &reader, &error) != ERROR_NONE) {
        refuse(taking, "no such file", name);
        return;
    }
    for (size_t i = 0; i < reader.rows; i++)
        take_row(taking, &(struct row){.reader = &reader, .row = i});
    csv_reader_deinit(&reader);
}

/* A text with single blanks and without empty lines; NULL: it cannot be read. */
static char *read_folded(const char *path)
{
    struct growing_text text = {0};
    char *line = NULL;
    size_t size = 0, count;
    FILE *file = fopen(path, "re");
    while (file != NULL && getline(&line, &size, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char **words = list_words(line, '\0', &count);
        for (size_t i = 0; i < count; i++)
            growing_text_add(&text, "%s%s", words[i], i + 1 < count ? " " : "\n");
        free(words);
    }
    if (file != NULL)
        fclose(file);
    free(line);
    return text.text;
}

/* The numbers of a line, without the commas between their digits. */
static void take_line(struct taking *taking, char *line)
{
    struct row row = {0};
    char *to = line;
    for (const char *from = line; *from != '\0'; from++) {
        bool between = *from == ',' && from > line && isdigit((unsigned char)from[-1]) &&
                       isdigit((unsigned char)from[1]);
        if (!between)
            *to++ = *from;
    }
    *to = '\0';
    for (char *at = line; *at != '\0' && row.count < NUMBERS_MAX;) {
        char *digit = at + (*at == '-');
        if (!isdigit((unsigned char)*digit)) {
            at++;
            continue;
        }
        row.numbers[row.count++] = strtod(at, &at);
    }
    if (row.count > 0)
        take_row(taking, &row);
}

/* The lines from the words BEGIN, which the text has once, to the words END. */
static void take_text(struct taking *taking, const char *path, const char *name)
{
    char *text = read_folded(path), *rest;
    char *begin = text != NULL ? strstr(text, taking->source[1]) : NULL;
    char *end = begin != NULL ? strstr(begin + strlen(taking->source[1]), taking->source[2]) : NULL;
    if (end == NULL || strstr(begin + 1, taking->source[1]) != NULL) {
        refuse(taking, text == NULL ? "no such file" : "without these words once", name);
    } else {
        *end = '\0';
        begin += strlen(taking->source[1]);
        for (char *line = strtok_r(begin, "\n", &rest); line != NULL;
             line = strtok_r(NULL, "\n", &rest))
            take_line(taking, line);
    }
    free(text);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static void take_file(struct taking *taking, const char *name, const struct results *results)
{
    const char *below = strncmp(name, REFERENCE_PREFIX, strlen(REFERENCE_PREFIX)) == 0
                            ? name + strlen(REFERENCE_PREFIX)
                            : name;
    char *place = NULL;
    if (results->parts == NULL || parts_find(results->parts, below, &place) == NULL)
        place = memory_text(below);
    char *path = memory_format("%s/%s", results->folder, place);
    (ends_with(name, ".csv") ? take_csv : take_text)(taking, path, below);
    free(path);
    free(place);
}

/* ------------------------------------------------------------------ a statistic */

/* The interval of `count`, as a share of `all`: Wilson's. */
static void share(struct evidence *evidence, double count, double all)
{
    double z2 = SHARE_Z * SHARE_Z, part = count / all, middle = part + z2 / (2 * all),
           half = SHARE_Z * sqrt(part * (1 - part) / all + z2 / (4 * all * all));
    evidence->low = (middle - half) / (1 + z2 / all) * all;
    evidence->high = (middle + half) / (1 + z2 / all) * all;
}

static double mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The interval of trials: of the geometric mean, or of the mean if some are not positive. */
static void interval_of_trials(struct taking *taking)
{
    if (taking->count < STATISTICS_TRIALS_MIN)
        return;
    struct interval interval = statistics_interval_of_logs(taking->values, taking->count, 0.95);
    if (isnan(interval.low))
        interval = statistics_interval(taking->values, taking->count, 0.95);
    taking->evidence->low = interval.low;
    taking->evidence->high = interval.high;
}

static void conclude(struct taking *taking)
{
    const char *which = taking->take[0];
    struct evidence *evidence = taking->evidence;
    double *values = taking->values;
    size_t count = taking->count;
    if (strcmp(which, "count") == 0) {
        evidence->value = (double)count;
        if (taking->all > 0)
            share(evidence, (double)count, (double)taking->all);
        return;
    }
    if (count == 0) {
        refuse(taking, evidence->left_out > 0 ? "no valid trial" : "no such row", "");
        return;
    }
    statistics_sort(values, count);
    evidence->low = taking->own.low;
    evidence->high = taking->own.high;
    if (strcmp(which, "value") == 0) {
        evidence->value = count == 1 ? values[0] : refuse(taking, "several rows", taking->of);
    } else if (strcmp(which, "all") == 0) {
        evidence->differ = values[0] < values[count - 1];
        evidence->value = evidence->differ ? refuse(taking, "they differ", taking->of) : values[0];
    } else if (strcmp(which, "median") == 0 || strcmp(which, "mean") == 0) {
        evidence->value = which[2] == 'd' ? statistics_median(values, count) : mean(values, count);
        interval_of_trials(taking);
    } else if (strcmp(which, "min") == 0 || strcmp(which, "max") == 0) {
        evidence->value = which[1] == 'i' ? values[0] : values[count - 1];
        if (count > 1)
            evidence->low = values[0], evidence->high = values[count - 1];
    } else {
        refuse(taking, "no such statistic", which);
    }
}

/* STATISTIC [QUANTITY [/ QUANTITY]] [CONDITION...] [rounded UNIT] [between LOW HIGH]; the words
 * behind the conditions are taken off. */
static void read_take(struct taking *taking, char **low, char **high)
{
    char **take = taking->take;
    size_t count = taking->take_count;
    if (count > 3 && strcmp(take[count - 3], "between") == 0) {
        *low = memory_text(take[count - 2]), *high = memory_text(take[count - 1]);
        take[count -= 3] = NULL;
    }
    if (count > 2 && strcmp(take[count - 2], "rounded") == 0)
        take[count -= 2] = NULL;
    if (taking->figure->kind != FIGURE_VERDICT && count > 1 && strchr(take[1], '=') == NULL)
        taking->of = take[1];
    if (taking->of != NULL && count > 3 && strcmp(take[2], "/") == 0)
        taking->per = take[3];
    if (*low != NULL || taking->of == NULL)
        return;
    /* The ends of an interval have that interval. */
    size_t length = strlen(taking->of);
    length -= ends_with(taking->of, "_low") ? 4 : ends_with(taking->of, "_high") ? 5 : 0;
    *low = memory_format("%.*s_low", (int)length, taking->of);
    *high = memory_format("%.*s_high", (int)length, taking->of);
}

struct evidence evidence_take(const struct figure *figure, const struct results *results)
{
    struct evidence evidence = {.value = NAN, .low = NAN, .high = NAN};
    char *low = NULL, *high = NULL;
    struct taking taking = {.figure = figure, .own = {NAN, NAN, NAN}, .evidence = &evidence};
    taking.source = list_words(figure->from, '"', &taking.source_count);
    taking.take = list_words(figure->take, '"', &taking.take_count);
    read_take(&taking, &low, &high);
    taking.low = low, taking.high = high;
    for (size_t i = 0; i < taking.source_count; i++) {
        bool is_file = ends_with(taking.source[i], ".csv") || ends_with(taking.source[i], ".txt");
        if (is_file && strchr(taking.source[i], '=') == NULL)
            take_file(&taking, taking.source[i], results);
    }
    if (figure->kind != FIGURE_VERDICT && evidence.why == NULL)
        conclude(&taking);
    else if (evidence.why == NULL && taking.count != 1)
        refuse(&taking, taking.count == 0 ? "no such row" : "several rows", "");
    if (figure->kind == FIGURE_EXACT)
        evidence.low = evidence.high = NAN;
    free(low);
    free(high);
    free(taking.values);
    free(taking.source);
    free(taking.take);
    return evidence;
}

void evidence_deinit(struct evidence *evidence)
{
    free(evidence->words);
    free(evidence->why);
}

/* ------------------------------------------------------------------ claims */

/* A claim of a row: its sentence is what these columns have, and its row is found by the first. */
static void add_claim(struct figures *figures, const struct figure *claims, const struct row *row)
{
    size_t count;
    struct growing_text sentence = {0};
    char **columns = list_words(claims->take, '"', &count);
    for (size_t i = 0; i < count; i++)
        growing_text_add(&sentence, "%s%s", i > 0 ? " " : "",
                         field(row, columns[i], strlen(columns[i])));
    figures->list = memory_grow(figures->list, figures->count, sizeof *figures->list);
    figures->list[figures->count++] = (struct figure){
        .kind = FIGURE_VERDICT,
        .document = memory_text(claims->document),
        .sentence = sentence.text,
        .from = memory_text(claims->from),
        .take = memory_format("verdict \"%s=%s\"", columns[0],
                              field(row, columns[0], strlen(columns[0]))),
    };
    free(columns);
}

static void expand(struct figures *figures, const struct figure *claims,
                   const struct results *reference)
{
    struct csv_reader reader;
    struct error error;
    struct evidence evidence = {0};
    struct taking taking = {.figure = claims, .evidence = &evidence};
    taking.source = list_words(claims->from, '"', &taking.source_count);
    char *path =
        memory_format("%s/%s", reference->folder, taking.source[0] + strlen(REFERENCE_PREFIX));
    if (csv_reader_open(path, &reader, &error) == ERROR_NONE) {
        for (size_t i = 0; i < reader.rows; i++) {
            struct row row = {.reader = &reader, .row = i};
            if (fulfils_all(&taking, &row, taking.source + 1))
                add_claim(figures, claims, &row);
        }
        csv_reader_deinit(&reader);
    }
    evidence_deinit(&evidence);
    free(path);
    free(taking.source);
}

void figures_expand_verdicts(struct figures *figures, const struct results *reference)
{
    struct figures all = {0};
    for (size_t i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->list[i];
        if (figure->kind == FIGURE_VERDICT) {
            expand(&all, figure, reference);
            continue;
        }
        all.list = memory_grow(all.list, all.count, sizeof *all.list);
        all.list[all.count++] = *figure;
        *figure = (struct figure){0};
    }
    figures_deinit(figures);
    *figures = all;
}
