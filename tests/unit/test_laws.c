// SPDX-License-Identifier: Apache-2.0
/* The sums of the laws against closed forms that were derived, and measured, elsewhere, and against
 * the formulas that people are shown; and the counts of barriers in free pace. */

#include "bench/recipes/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

/* ------------------------------------------------------------------ formulas */

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

/* Whether the text is a formula, by its characters; any other text is words. */
static bool is_formula(const char *text)
{
    return text[strspn(text, "0123456789n+-/^() ")] == '\0' && strpbrk(text, "0123456789n") != NULL;
}

/* The value of a formula for n clients, such as n(n-1)/2 + 7n - 1: exact while all denominators are
 * powers of two and no intermediate value exceeds 2^53. */
static double evaluate(const char *formula, uint64_t n)
{
    struct reader reader = {.rest = formula, .n = (double)n};
    double result = sum(&reader);
    if (reader.failed || *reader.rest != '\0')
        fail_msg("'%s' is no formula", formula);
    return result;
}

/* ------------------------------------------------------------------ drains */

static struct tally drain(const char *recipe, uint64_t n)
{
    struct tally total = {0};
    law_total(registry_find(recipe), n, n, &total);
    return total;
}

/* Of a drain of n clients, by the columns of tally.h. */
static const struct closed_forms {
    const char *recipes[6]; /* then NULL */
    const char *forms;
} closed_forms[] = {
    {{"nonscalable"},
     "rpcs = n^2 + n; creates = n(n + 1)/2; creates_failed = n(n + 1)/2 - n; exists = n(n - 1)/2; "
     "deletes = n; notifications = n(n - 1)/2; names_listed = 0"},
    {{"nonscalable-get"},
     "rpcs = n^2 + n; creates = n(n + 1)/2; creates_failed = n(n + 1)/2 - n; gets = n(n - 1)/2; "
     "deletes = n; notifications = n(n - 1)/2; names_listed = 0"},
    {{"scalable", "reentrant", "election", "scalable-guid"},
     "rpcs = 5n - 2; creates = n; creates_failed = 0; get_children = 2n - 1; exists = n - 1; "
     "notifications = n - 1; names_listed = n^2"},
    {{"scalable-get"},
     "rpcs = 5n - 2; creates = n; creates_failed = 0; get_children = 2n - 1; gets = n - 1; "
     "notifications = n - 1; names_listed = n^2"},
    {{"childwatch"},
     "rpcs = n^2 + n + 1; creates = n; get_children = n^2 - n + 1; deletes = n; notifications = "
     "n^2 - n + 1; notifications_spurious = n; names_listed = 1 + n(n - 1)(4n + 1)/6"},
    {{"scalable-listwatch"},
     "rpcs = 2n^2 - n + 2; creates = n; get_children = n^2 - n + 1; exists = (n - 1)(n - 1); "
     "deletes = n; notifications = n^2; notifications_spurious = 2n - 1; names_listed = 1 + n(n - "
     "1)(4n + 1)/6"},
    {{"walkback"},
     "rpcs = n(n - 1)/2 + 7n - 1; creates = n; get_children = 2n - 1; exists = 2n + n(n - 1)/2; "
     "deletes = 2n; deletes_failed = n - 1; notifications = n - 1; names_listed = n^2 + n - 1"},
    {{"ticket"},
     "rpcs = 5n - 2; creates = n; gets = 3n - 2; multis = n; notifications = n - 1; names_listed = "
     "0"},
    {{"writelock"},
     "rpcs = 8n - 3; creates = n; exists = 3n - 2; get_children = 3n - 1; deletes = n; "
     "notifications = n - 1; names_listed = n^2 + n(n - 1)/2"},
    {{"zoolock"},
     "rpcs = 9n - 4; creates = n; exists = 3n - 2; get_children = 4n - 2; deletes = n; "
     "notifications = n - 1; names_listed = 2n^2 - n"},
    {{"counter"}, "rpcs = n^2 + n; sets = n(n + 1)/2; gets = n(n + 1)/2; notifications = 0"},
    {{"rwlock"},
     "rpcs = 5n - 2; creates = n; get_children = 2n - 1; exists = n - 1; deletes = n; "
     "notifications = n - 1"},
    {{"barrier"},
     "rpcs = 7n - 2; creates = n + 1; get_children = 3n - 1; exists = 2n - 2; deletes = n; "
     "notifications = 2n - 2; names_listed = n^2 + 2n - 1"},
    {{"ready"},
     "rpcs = 9n - 2; creates = 2n; sets = 2n; deletes = 2n; notifications = n - 1; names_listed = "
     "n^2 + 2n - 1"},
    {{"softlock"}, "rpcs = 6n - 1; gets = n; sets = 1; notifications = n - 1; names_listed = n^2"},
};

/* One of the forms: the name of a column, " = ", and its formula. */
static void check_form(const char *recipe, const char *form, uint64_t n, const struct tally *total)
{
    uint64_t found = tally_rpcs(total);
    size_t length = strcspn(form, " ");
    bool is_column = strncmp(form, "rpcs ", 5) == 0;
    for (int kind = 0; kind < TALLY_KINDS && !is_column; kind++) {
        const char *column = tally_columns[kind];
        is_column = strlen(column) == length && strncmp(column, form, length) == 0;
        found = total->of[kind];
    }
    assert_true(is_column);
    if ((double)found != evaluate(form + length + strlen(" = "), n))
        fail_msg("%s of %lu: %s: found %lu", recipe, (unsigned long)n, form, (unsigned long)found);
}

TEST(test_drains_cost_their_closed_forms)
{
    for (size_t i = 0; i < sizeof closed_forms / sizeof closed_forms[0]; i++) {
        for (size_t r = 0; closed_forms[i].recipes[r] != NULL; r++) {
            for (uint64_t n = 1; n <= 300; n++) {
                const struct tally total = drain(closed_forms[i].recipes[r], n);
                char forms[400], *rest = forms;
                snprintf(forms, sizeof forms, "%s; ", closed_forms[i].forms);
                for (char *end; (end = strstr(rest, "; ")) != NULL; rest = end + 2) {
                    *end = '\0';
                    check_form(closed_forms[i].recipes[r], rest, n, &total);
                }
            }
        }
    }
}

/* Whoever queues again finds all the others: n - 1 questions a handoff from then on. */
TEST(test_walkback_goes_on)
{
    for (uint64_t n = 2; n <= 20; n++) {
        for (uint64_t more = 1; more <= 3 * n; more++) {
            struct tally before = {0}, after = {0};
            law_total(registry_find("walkback"), n, n + more - 1, &before);
            law_total(registry_find("walkback"), n, n + more, &after);
            assert_int_equal(tally_rpcs(&after) - tally_rpcs(&before), 7 + n - 1);
        }
    }
}

/* All but the first are woken once; of readers that are let in together each lists the others as
 * well. */
TEST(test_rwlock)
{
    uint64_t lists_of_readers = 0;
    for (uint64_t n = 1; n <= 300; n++) {
        assert_int_equal(drain("rwlock", n).of[TALLY_NAMES_LISTED], n * n + lists_of_readers);
        lists_of_readers += n % 4 == 0 ? 0 : n % 4 - 1;
    }
}

/* The i-th of V writers wakes all R readers but those that the ones before it have let in. */
TEST(test_rwlock_curator)
{
    for (uint64_t n = 1; n <= 300; n++) {
        struct tally total = drain("rwlock-curator", n);
        uint64_t writers = (n + 3) / 4, readers = n - writers;
        uint64_t herd = writers * readers - 3 * writers * (writers - 1) / 2;
        assert_int_equal(total.of[TALLY_NOTIFICATION], herd + writers - 1);
        assert_int_equal(total.of[TALLY_CREATE], n);
        assert_int_equal(total.of[TALLY_GET_CHILDREN], n + herd + writers - 1);
        assert_int_equal(total.of[TALLY_GET], n - 1 + herd - readers);
        assert_int_equal(total.of[TALLY_DELETE], n);
        if (n % 4 == 0) {
            assert_int_equal(16 * tally_rpcs(&total), 3 * n * n + 68 * n - 32);
            assert_int_equal(32 * total.of[TALLY_NOTIFICATION], 3 * n * n + 20 * n - 32);
        }
    }
    /* Of eight, six readers list the seven left, the second writer the last four, its readers 3. */
    assert_int_equal(drain("rwlock-curator", 8).of[TALLY_NAMES_LISTED], 36 + 6 * 7 + 4 + 3 * 3);
}

/* A writer holds; three readers, a writer and a reader wait. */
TEST(test_readers_behind_a_writer_are_granted_together)
{
    struct law_lock lock;
    struct tally cost = {0};
    law_lock_init(&lock, registry_find("rwlock"), 6);
    for (int i = 0; i < 6; i++)
        law_lock_arrival(&lock, &cost);
    assert_int_equal(lock.view.holders, 1);
    assert_int_equal(lock.view.waiters, 5);
    law_lock_release(&lock, &cost);
    assert_int_equal(lock.view.holders, 3);
    assert_int_equal(law_lock_first(&lock), 1);
    for (int readers = 2; readers > 0; readers--) {
        cost = (struct tally){0};
        law_lock_release(&lock, &cost);
        assert_int_equal(lock.view.holders, readers);
        assert_int_equal(cost.of[TALLY_NOTIFICATION], 0); /* nobody watches it */
    }
    cost = (struct tally){0};
    law_lock_release(&lock, &cost);
    assert_int_equal(cost.of[TALLY_NOTIFICATION], 1);
    assert_int_equal(law_lock_first(&lock), 4);
    assert_int_equal(lock.view.holders, 1);
    assert_int_equal(lock.view.waiters, 1);
}

/* Of n clients, three of which may hold. */
TEST(test_a_semaphore_has_its_closed_form)
{
    extern const struct recipe recipe_semaphore;
    for (uint64_t n = 1; n <= 64; n++) {
        struct tally total = {0};
        law_total(&recipe_semaphore, n, n, &total);
        assert_int_equal(tally_rpcs(&total), n < 4 ? 6 * n : 9 * n - 11);
        assert_int_equal(total.of[TALLY_NOTIFICATION], n < 4 ? n : 3 * n - 7);
    }
}

/* The formulas of `zkherd recipes` and of the documents. */
TEST(test_formulas_are_the_sums_of_the_laws)
{
    const struct recipe *recipe;
    for (size_t r = 0; (recipe = registry_at(r)) != NULL; r++) {
        unsigned every = recipe->law_texts_every > 0 ? recipe->law_texts_every : 1;
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        assert_true(is_formula(recipe->law.rpcs) && is_formula(recipe->law.notifications));
        for (uint64_t n = every; n <= 64; n += every) {
            struct tally total = {0};
            law_total(recipe, n, n, &total);
            assert_true(evaluate(recipe->law.rpcs, n) == (double)tally_rpcs(&total));
            assert_true(evaluate(recipe->law.notifications, n) ==
                        (double)total.of[TALLY_NOTIFICATION]);
        }
    }
}

/* ------------------------------------------------------------------ laws by cases */

/* Of each step, in the order of enum law_step. */
static void assert_formulas(const struct recipe *recipe, enum tally_kind kind,
                            const char *const formulas[4])
{
    struct law_row row = {0};
    assert_true(law_table_row(recipe, kind, &row));
    for (size_t step = 0; step < LAW_STEPS; step++)
        assert_string_equal(row.of[step], formulas[step]);
}

#define FORMULAS(...) ((const char *const[LAW_STEPS]){__VA_ARGS__})

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
    tally_add(cost, TALLY_GET_CHILDREN, view->waiters > 2 ? view->waiters * view->waiters : 7);
    tally_add(cost, TALLY_NAMES_LISTED,
              view->waiters > 1 ? 2 * view->waiters * view->waiters + view->waiters : 9);
}

TEST(test_what_no_formula_says_is_not_put_in_one)
{
    static const struct recipe cases = {.name = "cases",
                                        .law = {arrival_by_cases, release_by_cases, "", ""}};
    struct law_row row = {0};
    assert_false(law_table_row(&cases, TALLY_MULTI, &row));
    assert_formulas(&cases, TALLY_CREATE, FORMULAS("2", "1, 2 at 0", "0", "0"));
    assert_formulas(&cases, TALLY_GET, FORMULAS("0", "?", "0", "0"));
    assert_formulas(&cases, TALLY_SET, FORMULAS("?", "?", "0", "0"));
    assert_formulas(&cases, TALLY_DELETE, FORMULAS("0", "0", "2", "1"));
    assert_formulas(&cases, TALLY_NOTIFICATION, FORMULAS("0", "0", "3, 1 at 1", "0"));
    assert_formulas(&cases, TALLY_EXISTS, FORMULAS("0", "0", "?", "0"));
    assert_formulas(&cases, TALLY_GET_CHILDREN, FORMULAS("0", "0", "?", "7"));
    assert_formulas(&cases, TALLY_NAMES_LISTED, FORMULAS("0", "0", "2W^2 + W, 9 at 1", "9"));
}

/* ------------------------------------------------------------------ barriers in free pace */

#define CLIENTS  4
#define BARRIERS 3

#define OTHERS (CLIENTS - 1)
#define WAITS  (OTHERS * CLIENTS * BARRIERS) /* each waits for each other */

/* Nobody is in anybody's way: one creates ready, and all have left when the first lists. */
static const struct tally fewest = {.of = {[TALLY_CREATE] = (CLIENTS + 1) * BARRIERS,
                                           [TALLY_EXISTS] = OTHERS * BARRIERS,
                                           [TALLY_GET_CHILDREN] = 2 * CLIENTS * BARRIERS,
                                           [TALLY_DELETE] = CLIENTS * BARRIERS}};

TEST(test_no_count_may_be_off_by_one)
{
    static const enum tally_kind kinds[] = {
        TALLY_CREATE, TALLY_CREATE_FAILED, TALLY_EXISTS, TALLY_GET,  TALLY_GET_CHILDREN,
        TALLY_SET,    TALLY_DELETE,        TALLY_MULTI,  TALLY_SYNC, TALLY_DELETE_FAILED};
    char why[100];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct tally total = fewest;
        total.of[kinds[i]]++;
        assert_false(law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why));
    }
}

/* What is more than the fewest of each, or less; and what differs is named. */
TEST(test_counts_are_between_the_fewest_and_the_most)
{
    static const struct {
        int create, failed, exists, list, delete, notified;
        const char *why; /* "": they agree; NULL: they do not */
    } cases[] = {
        {.why = ""},
        {.delete = -1, .why = "deletes: 11, where there are 12 to 12"},
        {.exists = -1},
        {.create = -1, .exists = 1}, /* a znode less, looked for instead: the sums are right */
        /* All find all znodes, and one of them is first. */
        {.create = OTHERS * BARRIERS,
         .failed = OTHERS * BARRIERS,
         .exists = -OTHERS * BARRIERS,
         .why = ""},
        {.create = OTHERS * BARRIERS + 1,
         .failed = OTHERS * BARRIERS + 1,
         .exists = -OTHERS * BARRIERS,
         .list = 1},
        {.exists = WAITS, .list = WAITS, .notified = WAITS + OTHERS * BARRIERS, .why = ""},
        {.exists = WAITS, .list = WAITS, .notified = WAITS + OTHERS * BARRIERS + 1},
        {.exists = WAITS + 1, .list = WAITS + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char why[100] = "";
        struct tally total = fewest;
        total.of[TALLY_CREATE] += (uint64_t)cases[i].create;
        total.of[TALLY_CREATE_FAILED] += (uint64_t)cases[i].failed;
        total.of[TALLY_EXISTS] += (uint64_t)cases[i].exists;
        total.of[TALLY_GET_CHILDREN] += (uint64_t)cases[i].list;
        total.of[TALLY_DELETE] += (uint64_t)cases[i].delete;
        total.of[TALLY_NOTIFICATION] += (uint64_t)cases[i].notified;
        bool agrees = law_barriers_agree(&total, CLIENTS, BARRIERS, why, sizeof why);
        assert_int_equal(agrees, cases[i].why != NULL && cases[i].why[0] == '\0');
        if (cases[i].why != NULL && !agrees)
            assert_string_equal(why, cases[i].why);
    }
}
