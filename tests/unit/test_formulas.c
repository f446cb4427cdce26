// SPDX-License-Identifier: Apache-2.0
/* The formulas that people are shown for a drain of n clients, in `zkherd recipes` and in
 * README.md, against the law that is summed up step by step. Tests run in the folder that README.md
 * is in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS 64

/* What README.md has behind the formula of RPCs, and the n that formulas hold for: multiples. */
struct remark {
    const char *recipe;
    const char *words;
    uint64_t divisor;
};

static struct remark remark_of(const struct recipe *recipe)
{
    static const struct remark remarks[] = {
        {"softlock", " for one task", 1},
        {"rwlock-curator", " (4 divides n)", 4},
    };
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
        if (strcmp(remarks[i].recipe, recipe->name) == 0)
            return remarks[i];
    }
    return (struct remark){recipe->name, "", 1};
}

/* ------------------------------------------------------------------ what a formula comes to */

struct formula {
    const char *text, *rest;
    double n;
};

static bool next_is(struct formula *formula, const char *sign)
{
    formula->rest += strspn(formula->rest, " ");
    if (strncmp(formula->rest, sign, strlen(sign)) != 0)
        return false;
    formula->rest += strlen(sign);
    return true;
}

static double sum(struct formula *formula);

/* A number, n or a sum in parentheses; its square. */
static double factor(struct formula *formula)
{
    double value = formula->n;
    if (next_is(formula, "(")) {
        value = sum(formula);
        if (!next_is(formula, ")"))
            fail_msg("%s: no ) at '%s'", formula->text, formula->rest);
    } else if (!next_is(formula, "n")) {
        char *end;
        value = (double)strtoul(formula->rest, &end, 10);
        if (end == formula->rest)
            fail_msg("%s: no factor at '%s'", formula->text, formula->rest);
        formula->rest = end;
    }
    return next_is(formula, "^2") ? value * value : value;
}

/* 3n^2/16: what stands side by side is multiplied. */
static double product(struct formula *formula)
{
    double value = factor(formula);
    for (;;) {
        if (next_is(formula, "/"))
            value /= factor(formula);
        else if (*formula->rest == 'n' || *formula->rest == '(')
            value *= factor(formula);
        else
            return value;
    }
}

static double sum(struct formula *formula)
{
    double value = product(formula);
    for (;;) {
        if (next_is(formula, "+"))
            value += product(formula);
        else if (next_is(formula, "-"))
            value -= product(formula);
        else
            return value;
    }
}

/* No denominator but a power of two: so no digit is lost. */
static double evaluate(const char *text, uint64_t n)
{
    struct formula formula = {.text = text, .rest = text, .n = (double)n};
    double value = sum(&formula);
    if (*formula.rest != '\0')
        fail_msg("%s: nothing is made of '%s'", text, formula.rest);
    return value;
}

static void test_formulas_are_evaluated(void **state)
{
    (void)state;
    assert_true(evaluate("0", 7) == 0);
    assert_true(evaluate("6n - 1", 7) == 41);
    assert_true(evaluate("n(n-1)/2 + 7n - 1", 7) == 69);
    assert_true(evaluate("2n^2 - n + 2", 7) == 93);
    assert_true(evaluate("3n^2/16 + 17n/4 - 2", 8) == 44);
    assert_true(evaluate("(n + 1)^2 - 2 - 3", 3) == 11);
}

/* ------------------------------------------------------------------ what zkherd recipes shows */

static struct tally drain(const struct recipe *recipe, uint64_t n)
{
    struct tally total = {0};
    law_total(recipe, n, n, &total);
    return total;
}

static void assert_comes_to(const struct recipe *recipe, const char *text, uint64_t n,
                            uint64_t expected)
{
    double value = evaluate(text, n);
    if (value != (double)expected)
        fail_msg("%s: %s is %.3f for n = %llu; the steps of its law add up to %llu", recipe->name,
                 text, value, (unsigned long long)n, (unsigned long long)expected);
}

static void test_formulas_are_the_sums_of_the_laws(void **state)
{
    (void)state;
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        uint64_t divisor = remark_of(recipe).divisor;
        for (uint64_t n = divisor; n <= CLIENTS && recipe_has_law(recipe) && !recipe->broken;
             n += divisor) {
            struct tally total = drain(recipe, n);
            assert_comes_to(recipe, recipe->law.rpcs, n, tally_rpcs(&total));
            assert_comes_to(recipe, recipe->law.notifications, n, total.of[TALLY_NOTIFICATION]);
        }
    }
}

/* ------------------------------------------------------------------ what README.md shows */

#define CELLS          7
#define LINE_MAX_BYTES 256

static char readme[64 * 1024];

/* Its section on the locks. */
static const char *read_section(void)
{
    FILE *file = fopen("README.md", "re");
    if (file == NULL)
        fail_msg("README.md is not here: run this in the folder that it is in");
    size_t length = fread(readme, 1, sizeof readme - 1, file);
    fclose(file);
    assert_true(length < sizeof readme - 1);
    readme[length] = '\0';
    const char *section = strstr(readme, "\n## The locks\n");
    assert_non_null(section);
    char *next = strstr(section + 1, "\n## ");
    assert_non_null(next);
    *next = '\0';
    return section;
}

/* Cuts "| a | b |" into its cells; how many there are. */
static size_t cut_cells(char *line, char *cells[CELLS])
{
    size_t count = 0;
    for (char *bar = strchr(line, '|'), *next; (next = strchr(bar + 1, '|')) != NULL; bar = next) {
        assert_true(count < CELLS);
        char *cell = bar + 1 + strspn(bar + 1, " "), *end = next;
        while (end > cell && end[-1] == ' ')
            end--;
        cells[count++] = cell;
        if (end < next)
            *end = '\0';
    }
    return count;
}

/* n² as programs write it, n^2. */
static void spell_squares(char *text, char *spelled, size_t size)
{
    size_t length = 0;
    while (*text != '\0') {
        bool square = strncmp(text, "²", strlen("²")) == 0;
        assert_true(length + 3 < size);
        if (square)
            spelled[length++] = '^';
        spelled[length++] = square ? '2' : *text;
        text += square ? strlen("²") : 1;
    }
    spelled[length] = '\0';
}

static void assert_count(const char *cell, uint64_t expected)
{
    char count[32];
    assert_string_equal(cell, text_format_count(expected, count, sizeof count));
}

/* name, how it waits, RPCs, notifications, and what was measured of 64 clients. */
static void check_row(const struct recipe *recipe, char *cells[CELLS])
{
    char formula[80], expected[80];
    spell_squares(cells[2], formula, sizeof formula);
    snprintf(expected, sizeof expected, "%s%s", recipe->law.rpcs, remark_of(recipe).words);
    assert_string_equal(formula, expected);
    spell_squares(cells[3], formula, sizeof formula);
    assert_string_equal(formula, recipe->law.notifications);
    if (!recipe_has_law(recipe))
        return;
    struct tally total = drain(recipe, 64);
    assert_count(cells[4], tally_rpcs(&total));
    assert_count(cells[5], total.of[TALLY_NOTIFICATION]);
}

/* Whether the row "| `name` | ..." is there; *line is then the row. */
static bool find_row(const char *section, const char *name, char line[LINE_MAX_BYTES])
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n| `%s` |", name);
    const char *row = strstr(section, begin);
    if (row == NULL)
        return false;
    size_t length = strcspn(row + 1, "\n");
    assert_true(length < LINE_MAX_BYTES);
    snprintf(line, length + 1, "%s", row + 1);
    return true;
}

static size_t count_rows(const char *section)
{
    size_t rows = 0;
    while ((section = strstr(section, "\n| `")) != NULL) {
        rows++;
        section++;
    }
    return rows;
}

static void test_readme_has_every_recipe_and_its_formulas(void **state)
{
    (void)state;
    const char *section = read_section();
    const struct recipe *recipe;
    size_t recipes = 0;
    for (; (recipe = registry_at(recipes)) != NULL; recipes++) {
        char line[LINE_MAX_BYTES], *cells[CELLS];
        if (!find_row(section, recipe->name, line))
            fail_msg("README.md has no row of %s", recipe->name);
        assert_int_equal(cut_cells(line, cells), recipe->broken ? 3 : CELLS);
        if (!recipe->broken)
            check_row(recipe, cells);
    }
    assert_int_equal(count_rows(section), recipes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas_are_evaluated),
        cmocka_unit_test(test_formulas_are_the_sums_of_the_laws),
        cmocka_unit_test(test_readme_has_every_recipe_and_its_formulas),
    };
    return cmocka_run_group_tests_name("formulas", tests, NULL, NULL);
}
