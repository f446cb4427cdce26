// SPDX-License-Identifier: Apache-2.0
#include "recipes/formula.h"

#include <stdlib.h>
#include <string.h>

/* Reads a formula from the left, and stops at a sign that does not fit. */
struct reader {
    const char *rest;
    double n;
    bool failed;
};

static bool next_is(struct reader *reader, char sign)
{
    reader->rest += strspn(reader->rest, " ");
    if (*reader->rest != sign)
        return false;
    reader->rest++;
    return true;
}

static double number(struct reader *reader)
{
    if (strspn(reader->rest, "0123456789") == 0) {
        reader->failed = true;
        return 0;
    }
    char *end;
    double value = (double)strtoul(reader->rest, &end, 10);
    reader->rest = end;
    return value;
}

static double sum(struct reader *reader);

/* A number, n or a sum in parentheses, with an optional power. */
static double factor(struct reader *reader)
{
    double value = reader->n;
    if (next_is(reader, '(')) {
        value = sum(reader);
        reader->failed = !next_is(reader, ')') || reader->failed;
    } else if (!next_is(reader, 'n')) {
        value = number(reader);
    }
    if (!next_is(reader, '^'))
        return value;
    double power = 1;
    for (double times = number(reader); times >= 1 && !reader->failed; times--)
        power *= value;
    return power;
}

/* 3n^2/16: adjacent factors are multiplied. */
static double product(struct reader *reader)
{
    double value = factor(reader);
    while (!reader->failed) {
        if (next_is(reader, '/'))
            value /= factor(reader);
        else if (*reader->rest == 'n' || *reader->rest == '(')
            value *= factor(reader);
        else
            break;
    }
    return value;
}

static double sum(struct reader *reader)
{
    double value = product(reader);
    while (!reader->failed) {
        if (next_is(reader, '+'))
            value += product(reader);
        else if (next_is(reader, '-'))
            value -= product(reader);
        else
            break;
    }
    return value;
}

bool formula_is_one(const char *text)
{
    return text[strspn(text, "0123456789n+-/^() ")] == '\0' && strpbrk(text, "0123456789n") != NULL;
}

bool formula_evaluate(const char *text, uint64_t n, double *value)
{
    struct reader reader = {.rest = text, .n = (double)n};
    double result = sum(&reader);
    if (reader.failed || *reader.rest != '\0')
        return false;
    *value = result;
    return true;
}
