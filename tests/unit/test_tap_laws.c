// SPDX-License-Identifier: Apache-2.0
/* The law of the runs of a drain, and the recipes with the same law. */
#include "tests/support/test.h"

#include "bench/output/findings.h"
#include "bench/tap/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

enum { LEVELS = 5, TRIALS = 3, RUNS = LEVELS * TRIALS };

static struct tap_run runs[RUNS];
static struct tap_options options = {.drain = true, .clients.count = LEVELS};
static struct tap tap;

/* Drains of a recipe with 2, 3, 5, 7 and 9 clients. */
static void begin(const char *recipe)
{
    static const uint64_t clients[LEVELS] = {2, 3, 5, 7, 9};
    tap = (struct tap){.options = &options, .runs = runs, .run_count = RUNS};
    traffic_init(&tap.observer.traffic);
    for (size_t i = 0; i < RUNS; i++) {
        struct tally law = {0};
        runs[i] = (struct tap_run){.n = clients[i % LEVELS], .trial = (uint32_t)(i / LEVELS + 1)};
        law_total(registry_find(recipe), runs[i].n, runs[i].n, &law);
        runs[i].counts[OPCODE_CREATE2] = law.of[TALLY_CREATE];
        runs[i].counts[TAP_FAILED + OPCODE_CREATE2] = law.of[TALLY_CREATE_FAILED];
        runs[i].counts[OPCODE_EXISTS] = law.of[TALLY_EXISTS];
        runs[i].counts[OPCODE_GET_DATA] = law.of[TALLY_GET];
        runs[i].counts[OPCODE_GET_CHILDREN2] = law.of[TALLY_GET_CHILDREN];
        runs[i].counts[OPCODE_SET_DATA] = law.of[TALLY_SET];
        runs[i].counts[OPCODE_DELETE] = law.of[TALLY_DELETE];
        runs[i].counts[TAP_FAILED + OPCODE_DELETE] = law.of[TALLY_DELETE_FAILED];
        runs[i].counts[OPCODE_MULTI] = law.of[TALLY_MULTI];
        runs[i].counts[OPCODE_SYNC] = law.of[TALLY_SYNC];
        runs[i].counts[TAP_NOTIFICATIONS + TRAFFIC_DELETED] = law.of[TALLY_NOTIFICATION];
        runs[i].counts[TAP_ALL_NOTIFICATIONS] = law.of[TALLY_NOTIFICATION];
        runs[i].counts[OPCODE_PING] = i;
        runs[i].counts[TAP_ALL] = tally_rpcs(&law);
    }
    tap.first = runs[0];
}

/* The sentence of a finding; "" if there is none. */
static const char *sentence_of(const char *slug)
{
    const struct table *findings = &tap.tables[TAP_FINDINGS];
    for (size_t i = 0; i < findings->rows; i++)
        if (strcmp(table_row(findings, i)[finding_slug].text, slug) == 0)
            return table_row(findings, i)[finding_sentence].text;
    return "";
}

static void judge(void)
{
    tap_fill_rows(&tap);
    tap_fill_laws(&tap);
    tap_judge_laws(&tap);
    tap_judge_expected(&tap);
}

static void end(void)
{
    for (size_t i = 0; i < TAP_TABLES; i++)
        table_deinit(&tap.tables[i]);
    traffic_deinit(&tap.observer.traffic);
}

TEST(a_recipe_with_the_same_law_is_named)
{
    begin("nonscalable");
    judge();
    assert_string_equal(sentence_of("recipe"),
                        "The counts are those of zkherd's recipe nonscalable");
    assert_string_equal(sentence_of("first-run"), "");
    end();
}

/* Whatever its law; those that are broken on purpose are not named. */
TEST(every_recipe_is_recognised)
{
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (!recipe_has_law(recipe))
            continue;
        begin(recipe->name);
        judge();
        assert_true(recipe->broken || strstr(sentence_of("recipe"), recipe->name) != NULL);
        assert_null(strstr(sentence_of("recipe"), "broken"));
        end();
    }
}

TEST(a_recipe_that_is_exceeded_by_one_kind_is_named)
{
    begin("scalable-get");
    for (size_t i = 0; i < RUNS; i++)
        runs[i].counts[OPCODE_EXISTS] += runs[i].n;
    judge();
    assert_string_equal(sentence_of("recipe"), "The counts are those of zkherd's recipe "
                                               "scalable-get, and n exists more");
    end();
    begin("scalable-get");
    for (size_t i = 0; i < RUNS; i++) {
        runs[i].counts[OPCODE_EXISTS] += runs[i].n;
        runs[i].counts[OPCODE_SYNC] += 1;
    }
    judge();
    assert_string_equal(sentence_of("recipe"), "The counts are those of zkherd's recipe "
                                               "scalable-get, and n exists, 1 sync more");
    end();
    begin("scalable-get");
    for (size_t i = 0; i < RUNS; i++) {
        runs[i].counts[OPCODE_EXISTS] += runs[i].n;
        runs[i].counts[OPCODE_SYNC] += 1;
        runs[i].counts[OPCODE_CHECK_WATCHES] += 1;
    }
    judge();
    assert_string_equal(sentence_of("recipe"), "");
    end();
}

/* Curator's mutex with its ensemble tracker: 8n - 2 requests. */
TEST(operations_without_a_law_are_named)
{
    begin("scalable-get");
    for (size_t i = 0; i < RUNS; i++) {
        runs[i].counts[OPCODE_GET_DATA] += 2 * runs[i].n;
        runs[i].counts[OPCODE_CHECK_WATCHES] += runs[i].n;
    }
    judge();
    assert_string_equal(sentence_of("recipe"),
                        "The counts are those of zkherd's recipe scalable-get, and 2\302\267n "
                        "getData, n checkWatches more");
    end();
}

TEST(a_recipe_of_which_something_lacks_is_not_named)
{
    begin("scalable-get");
    for (size_t i = 0; i < RUNS; i++)
        runs[i].counts[OPCODE_GET_DATA] = 0;
    judge();
    assert_null(strstr(sentence_of("recipe"), "scalable-get"));
    end();
}

/* One run differs by 3, which the law survives. */
TEST(the_law_is_that_of_most_runs)
{
    begin("scalable");
    runs[4].counts[TAP_ALL] += 3;
    judge();
    const struct table *laws = &tap.tables[TAP_LAWS];
    const struct table_value *row = table_row(laws, laws->rows - 1);
    assert_string_equal(row[tap_law_counted].text, "all requests");
    assert_int_equal(row[tap_law_equal].count, RUNS - 1);
    assert_int_equal(row[tap_law_differ_most].count, 3);
    assert_non_null(strstr(sentence_of("law"), " requests in 14 of 15 runs"));
    end();
}

TEST(counts_without_a_law_have_an_exponent)
{
    begin("scalable");
    for (size_t i = 0; i < RUNS; i++)
        runs[i].counts[TAP_ALL] = runs[i].n * runs[i].n * runs[i].n;
    judge();
    const struct table *laws = &tap.tables[TAP_LAWS];
    const struct table_value *row = table_row(laws, laws->rows - 1);
    assert_int_equal(row[tap_law_law].kind, TABLE_UNKNOWN);
    assert_int_equal(row[tap_law_equal].kind, TABLE_UNKNOWN);
    assert_true(row[tap_law_exponent].real > 2.999 && row[tap_law_exponent].real < 3.001);
    assert_string_equal(sentence_of("law"),
                        "Requests grow as n^3.00 (3.00 to 3.00), and equal no polynomial in n");
    end();
}

/* What --expect says of 15 runs, and the verdict. */
TEST(runs_must_have_what_is_expected)
{
    static const struct {
        const char *value;
        enum verdict verdict;
        const char *sentence; /* the first */
    } cases[] = {
        {"5n-2", VERDICT_HOLDS, "As expected, all requests: 5\302\267n - 2 in all 15 runs"},
        {"5*n - 4/2", VERDICT_HOLDS, "As expected, all requests: 5\302\267n - 2 in all 15 runs"},
        {"create2 failed=0,notifications=n - 1, all requests = 2 \302\267 n + 3n - 2",
         VERDICT_HOLDS, "As expected, create2 failed: 0 in all 15 runs"},
        {"n^2", VERDICT_FAILS,
         "Not as expected, all requests: n\302\262 in 0 of 15 runs; with n = 2 there were 8, not "
         "4; "
         "the runs have 5\302\267n - 2"},
        {"getData=n - 1,getChildren2=2n - 1", VERDICT_FAILS,
         "As expected, getData: n - 1 in all 15 runs"},
    };
    const struct option_row row = {.member = OPTION_MEMBER(struct tap_options, expected)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct option_given given = {.row = &row, .value = cases[i].value, .options = &options};
        begin("scalable-get");
        assert_true(tap_parse_expected(&given));
        if (i == sizeof cases / sizeof cases[0] - 1)
            runs[7].counts[OPCODE_GET_CHILDREN2]++;
        judge();
        assert_string_equal(sentence_of("expected"), cases[i].sentence);
        assert_int_equal(findings_verdict(&tap.tables[TAP_FINDINGS]), cases[i].verdict);
        end();
    }
    static const char *const refused[] = {"",   "n n", "6m",      "crate=n",
                                          "n,", "1/0", "create=", "n^3"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct option_given given = {.row = &row, .value = refused[i], .options = &options};
        assert_false(tap_parse_expected(&given));
    }
    options.expected.count = 0;
}

TEST(a_herd_is_told_by_its_growth)
{
    static const struct {
        const char *recipe, *sentence;
    } cases[] = {
        {"nonscalable", "Herd: requests grow with n\302\262"},
        {"scalable", "No herd: requests grow with n; with n = 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(cases[i].recipe);
        judge();
        assert_int_equal(
            strncmp(sentence_of("herds"), cases[i].sentence, strlen(cases[i].sentence)), 0);
        end();
    }
}

/* Of each kind that any run has, every run has a row; pings have none. */
TEST(every_run_has_the_same_counts)
{
    begin("scalable");
    runs[7].counts[TAP_NOTIFICATIONS + TRAFFIC_CREATED] = 1;
    judge();
    const struct table *table = &tap.tables[TAP_RUNS];
    assert_int_equal(table->rows, RUNS * tap.tables[TAP_LAWS].rows);
    for (size_t i = 0; i < table->rows; i++)
        assert_string_not_equal(table_row(table, i)[tap_run_counted].text, "ping");
    end();
}

TEST(the_first_run_is_compared_with_the_least_of_its_size)
{
    begin("scalable");
    tap.first.counts[OPCODE_CREATE2] += 2;
    tap.first.counts[TAP_FAILED + OPCODE_EXISTS] += 1;
    tap.first.counts[OPCODE_PING] += 5;
    tap.first.counts[OPCODE_DELETE] -= 1;
    runs[LEVELS].counts[OPCODE_SYNC] = 1;
    runs[1].counts[OPCODE_GET_CHILDREN2] = 0; /* another size */
    judge();
    assert_string_equal(
        sentence_of("first-run"),
        "The first run, which is not counted, had more: 2 create2, 1 exists failed. "
        "That is what clients make once");
    end();
}
