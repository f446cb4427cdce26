// SPDX-License-Identifier: Apache-2.0
/* The formulas of `zkherd recipes` against laws whose formulas are known. */

#include "bench/recipes/law_table.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

enum column { ARRIVAL_FREE = 1, ARRIVAL_HELD, RELEASE_WAITED, RELEASE_ALONE };

static char table[8192];

static void write_table(const struct recipe *recipe)
{
    memset(table, 0, sizeof table);
    FILE *stream = fmemopen(table, sizeof table, "w");
    assert_non_null(stream);
    law_table_write(recipe, stream);
    fclose(stream);
}

/* The row of this label: its words are a blank apart, its fields more. NULL if there is none. */
static const char *row_of(const char *label)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n  %s  ", label);
    const char *at = strstr(table, begin);
    return at == NULL ? NULL : at + 3;
}

static void expect(const char *label, enum column column, const char *formula)
{
    const char *field = row_of(label);
    assert_non_null(field);
    for (int i = 0; i < (int)column; i++) {
        field = strstr(field, "  ");
        assert_non_null(field);
        field += strspn(field, " ");
    }
    char found[64] = "";
    const char *blanks = strstr(field, "  ");
    size_t length = strcspn(field, "\n");
    if (blanks != NULL && (size_t)(blanks - field) < length)
        length = (size_t)(blanks - field);
    strncat(found, field, length);
    assert_string_equal(found, formula);
}

static void arrival(const struct law_view *view, struct tally *cost)
{
    uint64_t w = view->waiters;
    tally_add(cost, TALLY_CREATE, view->held ? 2 * w * w + 3 * w + 4 : 5);
    tally_add(cost, TALLY_EXISTS, view->held && view->arrivals_since_grant == 0 ? 1 : 0);
    tally_add(cost, TALLY_GET, !view->held && view->releases > 0 ? 2 : 0);
    tally_add(cost, TALLY_NAMES_LISTED, view->held ? 10 + w * w - 3 * w : 0);
}

static void release(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, 1);
    tally_add(cost, TALLY_SET, view->waiters);
    if (view->waiters > 0)
        tally_add(cost, TALLY_EXISTS, view->next_found + 7);
    tally_add(cost, TALLY_BYTES_SENT, 99);
}

static const struct recipe invented = {.name = "invented", .law = {arrival, release, "", ""}};

TEST(test_the_formulas_are_those_of_the_law)
{
    write_table(&invented);
    expect("CREATE", ARRIVAL_FREE, "5");
    expect("CREATE", ARRIVAL_HELD, "2W^2 + 3W + 4");
    expect("CREATE", RELEASE_WAITED, "0");
    expect("EXISTS", ARRIVAL_FREE, "0");
    expect("EXISTS", ARRIVAL_HELD, "h");
    expect("EXISTS", RELEASE_WAITED, "k + 7");
    expect("EXISTS", RELEASE_ALONE, "0");
    expect("getData", ARRIVAL_FREE, "2r");
    expect("names listed", ARRIVAL_HELD, "W^2 - 3W + 10");
    expect("setData", RELEASE_WAITED, "W");
    expect("setData", RELEASE_ALONE, "0");
    expect("DELETE", RELEASE_WAITED, "1");
    expect("DELETE", RELEASE_ALONE, "1");
}

/* As a semaphore has it, of which one waiter has the mutex. */
static void arrival_by_cases(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_CREATE, view->waiters > 0 ? 1 : 2);
    tally_add(cost, TALLY_GET, view->next_found > 2 && view->held ? 1 : 0);
    tally_add(cost, TALLY_SET, view->arrivals_since_grant == 0 && view->releases > 0 ? 1 : 0);
}

static void release_by_cases(const struct law_view *view, struct tally *cost)
{
    tally_add(cost, TALLY_DELETE, view->waiters > 0 ? 2 : 1);
    tally_add(cost, TALLY_NOTIFICATION, view->waiters > 1 ? 3 : view->waiters);
    tally_add(cost, TALLY_EXISTS, view->waiters > 19 ? 1 : 0);
}

static const struct recipe by_cases = {.name = "cases",
                                       .law = {arrival_by_cases, release_by_cases, "", ""}};

TEST(test_what_no_formula_says_is_not_put_in_one)
{
    write_table(&by_cases);
    expect("CREATE", ARRIVAL_FREE, "2");
    expect("CREATE", ARRIVAL_HELD, "?");
    expect("getData", ARRIVAL_FREE, "0");
    expect("getData", ARRIVAL_HELD, "?");
    expect("setData", ARRIVAL_FREE, "?");
    expect("DELETE", RELEASE_WAITED, "2");
    expect("DELETE", RELEASE_ALONE, "1");
    expect("notifications", RELEASE_WAITED, "?");
    expect("EXISTS", RELEASE_WAITED, "?");
    assert_non_null(strstr(table, "\n  ?: goes by cases"));
}

/* Theirs either are formulas, or are put in words. */
TEST(test_the_laws_of_the_recipes_are_formulas)
{
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (!recipe_has_law(recipe) || recipe->broken || recipe->law_in_words != NULL)
            continue;
        write_table(recipe);
        if (strchr(table, '?') != NULL)
            fail_msg("%s: the law goes by cases:\n%s", recipe->name, table);
    }
}

TEST(test_what_costs_nothing_has_no_row)
{
    write_table(&invented);
    assert_null(row_of("multi"));
    assert_null(row_of("notifications"));
    assert_null(strstr(table, "bytes")); /* they have no law */
}

/* A letter is explained where a formula has it, and nowhere else. */
TEST(test_letters_are_explained)
{
    write_table(&invented);
    assert_non_null(strstr(table, "\n  h: "));
    assert_non_null(strstr(table, "\n  k: "));
    assert_non_null(strstr(table, "\n  r: "));
    write_table(registry_find("nonscalable"));
    assert_null(strstr(table, "\n  h: "));
    assert_null(strstr(table, "\n  k: "));
    assert_null(strstr(table, "\n  r: "));
}

/* The lecture's herd: all who wait are told, all but one in vain. */
TEST(test_the_herd_of_nonscalable)
{
    write_table(registry_find("nonscalable"));
    expect("CREATE", ARRIVAL_FREE, "1");
    expect("CREATE", RELEASE_WAITED, "W");
    expect("EXISTS", RELEASE_WAITED, "W - 1");
    expect("notifications", RELEASE_WAITED, "W");
    expect("notifications", RELEASE_ALONE, "0");
}
