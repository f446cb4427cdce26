// SPDX-License-Identifier: Apache-2.0
#include "tests/support/formula.h"

#include "recipes/law.h"

#include <stdio.h>
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

static bool is_value(const struct recipe *recipe, const char *text, uint64_t clients, uint64_t sum)
{
    double value = -1;
    if (!formula_is_one(text) || (formula_evaluate(text, clients, &value) && value == (double)sum))
        return true;
    printf("%s: '%s' is %.15g for n = %llu, where the law's functions add up to %llu\n",
           recipe->name, text, value, (unsigned long long)clients, (unsigned long long)sum);
    return false;
}

bool formulas_are_the_law(const struct recipe *recipe, uint64_t clients)
{
    struct tally total = {0};
    if (!recipe_has_law(recipe) ||
        (recipe->law_texts_every > 0 && clients % recipe->law_texts_every != 0))
        return true;
    law_total(recipe, clients, clients, &total);
    return is_value(recipe, recipe->law.rpcs, clients, tally_rpcs(&total)) &&
           is_value(recipe, recipe->law.notifications, clients, total.of[TALLY_NOTIFICATION]);
}
