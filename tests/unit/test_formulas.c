// SPDX-License-Identifier: Apache-2.0
/* The formulas that people are shown for a drain of n clients, in `zkherd recipes` and in
 * docs/locks.md, against the law that is summed up step by step. Tests run in the folder that
 * README.md is in. */

#include "base/text.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/formula.h"
#include "tests/support/test.h"

#define CLIENTS 64

/* What docs/locks.md has behind the formula of RPCs. */
static const char *remark_of(const struct recipe *recipe)
{
    static const struct {
        const char *recipe, *words;
    } remarks[] = {{"softlock", " for one task"}, {"rwlock-curator", " (4 divides n)"}};
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++) {
        if (strcmp(remarks[i].recipe, recipe->name) == 0)
            return remarks[i].words;
    }
    return "";
}

/* ------------------------------------------------------------------ what a formula comes to */

static double evaluate(const char *text, uint64_t n)
{
    double value = 0;
    assert_true(formula_is_one(text));
    if (!formula_evaluate(text, n, &value))
        fail_msg("nothing is made of '%s'", text);
    return value;
}

TEST(test_formulas_are_evaluated)
{
    assert_true(evaluate("0", 7) == 0);
    assert_true(evaluate("6n - 1", 7) == 41);
    assert_true(evaluate("n(n-1)/2 + 7n - 1", 7) == 69);
    assert_true(evaluate("2n^2 - n + 2", 7) == 93);
    assert_true(evaluate("3n^2/16 + 17n/4 - 2", 8) == 44);
    assert_true(evaluate("(n + 1)^2 - 2 - 3", 3) == 11);
    assert_true(evaluate("n^3 + 2^0", 3) == 28);
}

TEST(test_what_is_no_formula_is_told)
{
    static const char *const torn[] = {"n^2 ++ 7n", "(n - 1", "n - 1)", "5n -", "n^", "2 3"};
    static const char *const words[] = {"no law", "-", "", "O(n)", "n for one task"};
    double value = 7;
    for (size_t i = 0; i < sizeof torn / sizeof torn[0]; i++) {
        assert_true(formula_is_one(torn[i]));
        assert_false(formula_evaluate(torn[i], 3, &value));
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_false(formula_is_one(words[i]));
    assert_true(value == 7);
}

/* ------------------------------------------------------------------ what zkherd recipes shows */

static struct tally drain(const struct recipe *recipe, uint64_t n)
{
    struct tally total = {0};
    law_total(recipe, n, n, &total);
    return total;
}

TEST(test_formulas_are_the_sums_of_the_laws)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        bool is_told = !recipe_has_law(recipe) || recipe->broken;
        assert_true(is_told || formula_is_one(recipe->law.rpcs));
        assert_true(is_told || formula_is_one(recipe->law.notifications));
        for (uint64_t n = 1; n <= CLIENTS; n++)
            assert_true(formulas_are_the_law(recipe, n));
    }
}

TEST(test_a_wrong_text_is_found)
{
    struct recipe recipe = *registry_find("scalable"), sharing = *registry_find("rwlock-curator");
    recipe.law.rpcs = "n^2 + 7n";
    assert_false(formulas_are_the_law(&recipe, 8));
    recipe.law.rpcs = "5n -- 2";
    assert_false(formulas_are_the_law(&recipe, 8));
    recipe.law.rpcs = "in words";
    assert_true(formulas_are_the_law(&recipe, 8));
    recipe.law.notifications = "n";
    assert_false(formulas_are_the_law(&recipe, 8));
    assert_true(formulas_are_the_law(&sharing, 5));
    sharing.law_texts_every = 0;
    assert_false(formulas_are_the_law(&sharing, 5));
}

/* ------------------------------------------------------------------ what docs/locks.md shows */

#define CELLS          7
#define LINE_MAX_BYTES 256

static char document[64 * 1024];

/* Its section on the locks. */
static const char *read_section(void)
{
    FILE *file = fopen("docs/locks.md", "re");
    if (file == NULL)
        fail_msg("docs/locks.md is not here: run this in the folder that README.md is in");
    size_t length = fread(document, 1, sizeof document - 1, file);
    fclose(file);
    assert_true(length < sizeof document - 1);
    document[length] = '\0';
    const char *section = strstr(document, "\n## The locks\n");
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
    snprintf(expected, sizeof expected, "%s%s", recipe->law.rpcs, remark_of(recipe));
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

TEST(test_the_document_has_every_recipe_and_its_formulas)
{
    const char *section = read_section();
    const struct recipe *recipe;
    size_t recipes = 0;
    for (; (recipe = registry_at(recipes)) != NULL; recipes++) {
        char line[LINE_MAX_BYTES], *cells[CELLS];
        if (!find_row(section, recipe->name, line))
            fail_msg("docs/locks.md has no row of %s", recipe->name);
        assert_int_equal(cut_cells(line, cells), recipe->broken ? 3 : CELLS);
        if (!recipe->broken)
            check_row(recipe, cells);
    }
    assert_int_equal(count_rows(section), recipes);
}
