// SPDX-License-Identifier: Apache-2.0
/* docs/recipes.md: its example is the file that it shows, which obeys its law in the simulation;
 * what it says of wrong laws and broken locks is what zkherd says; and its tables have every word
 * of the headers. Tests run in the folder that README.md is in. */
#include "tests/support/csv_file.h"
#include "tests/support/formula.h"
#include "tests/support/simulate.h"
#include "tests/support/test.h"

#include <regex.h>

#define MANUAL  "docs/recipes.md"
#define EXAMPLE "docs/examples/kazoo.c"

extern const struct recipe recipe_kazoo;

/* ------------------------------------------------------------------ the example runs */

/* Under lockstep; steady if there are more handoffs than clients. */
static struct trial_result *run(const struct recipe *recipe, uint32_t clients, uint64_t handoffs)
{
    static struct trial_plan same;
    struct trial_plan plan = live_plan("scalable", clients);
    plan.recipe = recipe;
    plan.root = "/t";
    if (handoffs > clients) {
        plan.workload = WORKLOAD_STEADY;
        plan.handoffs = handoffs;
    }
    return simulate_trial(&plan, &same);
}

TEST(test_the_example_obeys_its_law)
{
    for (uint32_t clients = 1; clients <= 30; clients++) {
        for (uint64_t rounds = 1; rounds <= 3; rounds++) {
            struct trial_result *result = run(&recipe_kazoo, clients, rounds * clients);
            assert_int_equal(result->end, END_DONE);
            assert_true(result->has_law);
            assert_int_equal(result->violation_count, 0);
            assert_int_equal(result->reconciled, RECONCILED_YES);
            assert_int_equal(result->handoffs, rounds * clients);
            trial_result_free(result);
        }
    }
}

/* What people are told of a drain follows from the same law. */
TEST(test_the_texts_of_the_example_are_its_law)
{
    for (uint64_t clients = 1; clients <= 64; clients++)
        assert_true(formulas_are_the_law(&recipe_kazoo, clients));
}

/* ------------------------------------------------------------------ its mistakes show */

static char *manual;

static void assert_quoted(const char *sentence)
{
    if (strstr(manual, sentence) == NULL)
        fail_msg("%s does not have this: %s", MANUAL, sentence);
}

/* The first violation among four clients is this one, and the manual quotes its sentence, as far as
 * chance does not decide which session it strikes. */
static void assert_caught(const struct recipe *recipe, enum violation_kind kind)
{
    char sentence[256], *session;
    struct trial_result *result = run(recipe, 4, 4);
    assert_true(result->violation_count > 0);
    assert_int_equal(result->memory->violations[0].kind, kind);
    violation_describe(&result->memory->violations[0], sentence, sizeof sentence);
    if ((session = strstr(sentence, "session")) != NULL)
        *session = '\0';
    assert_quoted(sentence);
    trial_result_free(result);
}

/* That the object looks for the folder once. */
static void forgets_a_look(const struct law_view *view, struct tally *cost)
{
    recipe_kazoo.law.arrival(view, cost);
    cost->of[TALLY_EXISTS] = 0;
}

static void wakes_all(const struct law_view *view, struct tally *cost)
{
    recipe_kazoo.law.release(view, cost);
    cost->of[TALLY_NOTIFICATION] = view->waiters;
}

TEST(test_a_wrong_law_is_caught)
{
    struct recipe wrong = recipe_kazoo;
    wrong.law.arrival = forgets_a_look;
    assert_caught(&wrong, VIOLATION_LAW);
    wrong = recipe_kazoo;
    wrong.law.release = wakes_all;
    assert_caught(&wrong, VIOLATION_LAW);
}

TEST(test_a_broken_lock_is_caught)
{
    static const struct {
        const char *recipe;
        enum violation_kind kind;
    } caught[] = {
        {"broken-nolock", VIOLATION_TWO_HOLDERS},
        {"broken-norecheck", VIOLATION_TWO_HOLDERS},
        {"broken-wrongpred", VIOLATION_TWO_HOLDERS},
        {"broken-nowatch", VIOLATION_LOST_WAKEUP},
    };
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        assert_caught(registry_find(caught[i].recipe), caught[i].kind);
}

/* ------------------------------------------------------------------ the manual is complete */

TEST(test_the_manual_shows_the_example_as_it_is)
{
    char *example = read_text(EXAMPLE), *shown = strstr(manual, "\n```c\n// SPDX");
    assert_non_null(shown);
    shown += strlen("\n```c\n");
    char *end = strstr(shown, "\n```\n");
    assert_non_null(end);
    size_t length = (size_t)(end - shown) + 1, same = 0;
    while (same < length && example[same] == shown[same])
        same++;
    if (same < length || strlen(example) != length)
        fail_msg("%s shows another text than %s has: %.60s", MANUAL, EXAMPLE, shown + same);
    free(example);
}

/* Whether a row of a table begins with a cell that has this word. */
static bool explains(const char *word)
{
    for (const char *row = manual; (row = strstr(row, "\n| `")) != NULL; row++) {
        const char *cell = row + strlen("\n| "), *end = strstr(cell, " |");
        for (const char *at = cell; (at = strstr(at, word)) != NULL && at < end; at++) {
            if (strchr("` .(>", at[-1]) != NULL && strchr("`( ", at[strlen(word)]) != NULL)
                return true;
        }
    }
    return false;
}

static void drop_comments(char *text)
{
    for (char *from = text; (from = strstr(from, "/*")) != NULL;) {
        char *end = strstr(from, "*/");
        for (; from < end + 2; from++)
            *from = *from == '\n' ? '\n' : ' ';
    }
}

/* Each match of this pattern at the beginning of a line of a header is a word, which the manual has
 * to explain. Returns how many there are. */
static size_t check_words(const char *header, const char *text, const char *pattern)
{
    size_t words = 0;
    regex_t regex;
    regmatch_t found[2];
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
    for (; regexec(&regex, text, 2, found, REG_NOTBOL) == 0; text += found[0].rm_eo) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)(found[1].rm_eo - found[1].rm_so),
                 text + found[1].rm_so);
        if (strstr(word, "_H") == NULL && !explains(word))
            fail_msg("no table of %s explains %s of %s", MANUAL, word, header);
        words++;
    }
    regfree(&regex);
    return words;
}

/* Macros, functions, members, members that are functions, values of an enum in several lines, the
 * first two of one in a line, and columns of a tally. */
static const char *const patterns[] = {
    "^#define ([A-Za-z_]+)",
    "^[a-z][^(]*[ *]([a-z_]+)\\(",
    "^ +[a-z_][^(=;]*[ *]([a-z_]+)(\\[[A-Z_0-9]+\\])?; *$",
    "^    [a-z][a-z_ ]*\\(\\*([a-z_]+)\\)\\(",
    "^    ([A-Z_]+),? *$",
    "^enum [a-z_]+ \\{ ([A-Z_]+)[, ]",
    "^enum [a-z_]+ \\{ [A-Z_]+, ([A-Z_]+)[, ]",
    "^    X\\([A-Z_]+, \"([a-z_]+)\"\\)",
};

TEST(test_the_manual_explains_every_word)
{
    static const struct {
        const char *header;
        size_t words; /* at least: a pattern that finds nothing proves nothing */
    } headers[] = {
        {"lib/recipes/recipe.h", 100},
        {"lib/recipes/queue.h", 20},
        {"lib/recipes/death.h", 10},
        {"lib/measure/tally.h", 20},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char *text = read_text(headers[i].header);
        size_t words = 0;
        drop_comments(text);
        for (size_t j = 0; j < sizeof patterns / sizeof patterns[0]; j++)
            words += check_words(headers[i].header, text, patterns[j]);
        assert_true(words >= headers[i].words);
        free(text);
    }
}

static int set_up(void **state)
{
    (void)state;
    manual = read_text(MANUAL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(manual);
    return 0;
}

TEST_GROUP(set_up, tear_down)
