// SPDX-License-Identifier: Apache-2.0
#include "tests/support/figures.h"

#include "tests/support/csv_file.h"
#include "tests/support/document.h"
#include "tests/support/evidence.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

/* What an entry has said so far. */
struct check {
    const char *root;
    FILE *complaints;
    size_t count;
    struct document document;
    char name[256], says[2048], from[1024];
    struct span all, figures[DOCUMENT_FIGURES];
    size_t quoted, given; /* figures in the words, and figures that the entry has given */
};

static void __attribute__((format(printf, 2, 3)))
complain(struct check *check, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(check->complaints, "%s: ", check->name);
    vfprintf(check->complaints, format, arguments);
    fputc('\n', check->complaints);
    va_end(arguments);
    check->count++;
}

/* ------------------------------------------------------------------ one figure */

static bool read_word(const char *text, double *number)
{
    static const char *const words[] = {"none",  "one",   "two",  "three", "four",   "five",  "six",
                                        "seven", "eight", "nine", "ten",   "eleven", "twelve"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *number = (double)i;
            return true;
        }
    }
    return false;
}

/* The number, and how much its last digit is worth. False if the text is none. */
static bool read_printed(const char *printed, size_t length, double *number, double *digit)
{
    char text[64], *to = text, *end;
    for (size_t i = 0; i < length && to < text + sizeof text - 1; i++) {
        if (printed[i] != ',')
            *to++ = printed[i];
    }
    *to = '\0';
    const char *point = strchr(text, '.');
    *digit = point == NULL ? 1 : pow(10, -(double)strlen(point + 1));
    if (read_word(text, number))
        return true;
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

int figures_agree(const char *printed, size_t length, double unit, double number)
{
    double shown, digit;
    if (!read_printed(printed, length, &shown, &digit))
        return 0;
    return fabs(number - shown) <= (unit > 0 ? unit : digit) * (0.5 + 1e-9);
}

/* Takes "rounded UNIT" off the end of a figure; 0 if it is not there. */
static double take_unit(char *figure)
{
    static const char rounded[] = " rounded ";
    char *unit = strstr(figure, rounded);
    if (unit == NULL)
        return 0;
    *unit = '\0';
    return strtod(unit + strlen(rounded), NULL);
}

static void check_figure(struct check *check, char *figure)
{
    const char *why;
    if (check->given++ >= check->quoted)
        return;
    struct span printed = check->figures[check->given - 1];
    double unit = take_unit(figure);
    double number = evidence_figure(check->root, check->from, figure, &why);
    if (isnan(number))
        complain(check, "%s: %s: %s", check->from, figure, why);
    else if (!figures_agree(printed.at, printed.length, unit, number))
        complain(check, "\"%.*s\": quotes %.*s, and %s has %.10g (%s)", (int)check->all.length,
                 check->all.at, (int)printed.length, printed.at, check->from, number, figure);
}

/* ------------------------------------------------------------------ one entry */

static void end_entry(struct check *check)
{
    if (check->all.length > 0 && (check->quoted == 0 || check->given != check->quoted))
        complain(check, "%zu figures are given of %zu: %s", check->given, check->quoted,
                 check->says);
    check->all.length = check->quoted = check->given = 0;
}

static void find_words(struct check *check, const char *says)
{
    end_entry(check);
    snprintf(check->says, sizeof check->says, "%s", says);
    size_t places = document_find(&check->document, says, &check->all, check->figures);
    check->quoted = 0;
    for (const char *at = says; places == 1 && (at = strchr(at, '{')) != NULL; at++)
        document_know(&check->document, check->figures[check->quoted++]);
    if (places != 1) {
        complain(check, "has these words %zu times and not once: %s", places, says);
        check->all.length = 0;
    }
}

static bool has_number(const struct check *check)
{
    struct span number;
    const char *at = check->all.at;
    return document_next(&check->document, &at, &number) &&
           number.at < check->all.at + check->all.length;
}

/* Of no run is what was found last, if anything was. */
static void excuse(struct check *check)
{
    if (check->all.length == 0)
        return;
    if (!has_number(check))
        complain(check, "has no number to be excused here: %s", check->says);
    document_know(&check->document, check->all);
    check->all.length = check->quoted = 0;
}

static void find_section(struct check *check, const char *heading)
{
    end_entry(check);
    snprintf(check->says, sizeof check->says, "%s", heading);
    if (!document_section(&check->document, heading, &check->all)) {
        complain(check, "has not one section with this heading: %s", heading);
        check->all.length = 0;
    }
}

/* ------------------------------------------------------------------ one document */

static char *read_below(const struct check *check, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", check->root, name);
    return read_text(path);
}

static void check_unknown(struct check *check)
{
    struct span number;
    for (const char *at = check->document.text; document_next(&check->document, &at, &number);) {
        const char *begin = number.at, *end = number.at + number.length;
        for (int i = 0; i < 60 && begin[-1] != '\n'; i++)
            begin--;
        for (int i = 0; i < 30 && *end != '\n'; i++)
            end++;
        complain(check, "quotes %.*s, which no entry names: %.*s", (int)number.length, number.at,
                 (int)(end - begin), begin);
    }
}

static void end_document(struct check *check)
{
    end_entry(check);
    if (check->document.text == NULL)
        return;
    check_unknown(check);
    document_deinit(&check->document);
    check->document = (struct document){.text = NULL};
}

/* What make docs wrote is not looked at: tests/unit/test_documents.c compares it. */
static void drop_generated(char *text)
{
    for (char *end; (text = strstr(text, "generated by make docs: ")) != NULL; text = end) {
        end = strstr(text, "end of generated");
        assert_non_null(end);
        for (text = strchr(text, '\n'); text < end; text++)
            *text = *text == '\n' ? '\n' : ' ';
    }
}

static void begin_document(struct check *check, const char *name)
{
    end_document(check);
    snprintf(check->name, sizeof check->name, "%s", name);
    char *text = read_below(check, name);
    drop_generated(text);
    document_init(&check->document, text);
    free(text);
}

/* ------------------------------------------------------------------ the list */

static void check_line(struct check *check, const char *key, char *value)
{
    if (strcmp(key, "document") == 0)
        begin_document(check, value);
    else if (check->document.text == NULL)
        complain(check, "'%s' is of no document", key);
    else if (strcmp(key, "says") == 0)
        find_words(check, value);
    else if (strcmp(key, "section") == 0)
        find_section(check, value);
    else if (strcmp(key, "from") == 0)
        snprintf(check->from, sizeof check->from, "%s", value);
    else if (strcmp(key, "figure") == 0)
        check_figure(check, value);
    else if (strcmp(key, "because") == 0)
        excuse(check);
    else
        complain(check, "'%s' is no word of an entry", key);
}

size_t figures_check(const char *root, const char *list, FILE *complaints)
{
    struct check check = {.root = root, .complaints = complaints};
    char *copy = strdup(list), *rest;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = line + strcspn(line, " ");
        if (line[0] == '#')
            continue;
        if (*value != '\0')
            *value++ = '\0';
        check_line(&check, line, value + strspn(value, " "));
    }
    end_document(&check);
    free(copy);
    evidence_forget();
    return check.count;
}
