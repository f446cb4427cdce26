// SPDX-License-Identifier: Apache-2.0
/* The answers of searches on trials that are made up: figures, sentences, findings, the table. What
 * a search in a simulation says is in tests/golden. */
#include "bench/plan/internal.h"

#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct plan_question asked_question, *const question = &asked_question;
static struct search search;
static struct table rows = {.type = &plan_row_table};
static enum plan_cut cut;
static struct plan_answer answer;
static struct plan_results results;
static struct table findings;
static json_t *json; /* the row for --json */

FIXTURE(tear_down)
{
    search_deinit(&search);
    table_deinit(&rows);
    table_deinit(&results.answers);
    table_deinit(&results.sizes);
    table_deinit(&findings);
    json_decref(json);
    search = (struct search){0};
    rows = (struct table){.type = &plan_row_table};
    findings = (struct table){0};
    json = NULL;
    cut = PLAN_CUT_NOT;
    return 0;
}

/* Begins a search; without bounds it has those of a thousand sessions. */
static void ask(const char *objective, enum plan_unknown unknown, uint64_t least, uint64_t most)
{
    tear_down(NULL);
    *question = (struct plan_question){
        .unknown = unknown, .least = least, .most = most, .resolution_percent = 10};
    assert_true(objective_parse(objective, &question->objective));
    plan_question_complete(question, 1000);
    const struct search_plan plan = plan_question_search(question);
    search_init(&search, &plan);
}

FIXTURE(ask_of_handoffs)
{
    ask("handoff p99 < 50ms", PLAN_WAITERS, 0, 0);
    return 0;
}

/* The trial that the search asks for; each waiter takes a millisecond. */
static void report(const struct search_probe *probe, enum judge_verdict verdict)
{
    struct table_value *row = table_add(&rows);
    row[plan_row_recipe] = table_text(recipe_scalable.name);
    row[plan_row_step] = table_count(search.step_count + 1);
    row[plan_row_stage] = table_text(search_stage_words[probe->stage]);
    row[plan_row_size] = table_count(probe->size);
    row[plan_row_samples] = table_count(1000 - search.step_count);
    row[plan_row_over] = table_count(9);
    row[plan_row_verdict] = table_text(judge_verdict_words[verdict]);
    row[plan_row_handoffs_per_s] = table_real(1e4 / (double)probe->size);
    row[plan_row_measured_us] = row[plan_row_p50_us] =
        table_real((double)probe->size * 1e3 + (double)(search.step_count + 1));
    row[plan_row_reason] = table_text(verdict == JUDGE_NOT_VALID ? "overloaded"
                                      : verdict == JUDGE_BRAKED  ? "a bystander suffered"
                                                                 : "");
    search_report(&search, verdict);
}

/* What is said of the search: its first finding. */
static const char *sentence(void)
{
    return table_row(&findings, 0)[finding_sentence].text;
}

static void finish(void)
{
    const struct series_record record = {.files.run = "r", .target = "standalone", .servers = 1};
    answer = (struct plan_answer){question, &recipe_scalable,      &search, &rows,
                                  cut,      search_answer(&search)};
    table_deinit(&results.sizes);
    table_deinit(&results.answers);
    table_deinit(&findings);
    findings = (struct table){0};
    plan_answer_add(&answer, &record, &results, &findings);
    json_decref(json);
    json = plan_answer_json(table_row(&results.answers, 0), &findings);
}

/* Sizes up to the capacity pass, larger ones have the other verdict; with passes_above, the size
 * that is tried last, above the interval, passes. */
static void run(uint64_t capacity, enum judge_verdict above, bool passes_above, size_t trials_most)
{
    struct search_probe probe;
    for (size_t i = 0; i < trials_most && search_next(&search, &probe); i++) {
        bool passes = probe.size <= capacity || (passes_above && probe.size >= 2 * capacity + 2);
        report(&probe, passes ? JUDGE_PASS : above);
    }
    finish();
}

static void run_to_40(void)
{
    run(40, JUDGE_FAIL, false, SIZE_MAX);
}

#define P99 "handoff p99 < 50ms"

static const struct {
    const char *objective;
    enum plan_unknown unknown;
    uint64_t least, most, capacity;
    enum judge_verdict above;
    bool passes_above;
    size_t trials_most;
    const char *sentence;
} cases[] = {
    {P99, PLAN_WAITERS, 60, 0, 0, JUDGE_FAIL, false, SIZE_MAX,
     P99 ": 60 waiters failed (3 of 3 fresh)"},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_FAIL, false, SIZE_MAX,
     P99 ": 1 waiter failed (3 of 3 fresh)"},
    {P99, PLAN_WAITERS, 0, 64, 64, JUDGE_FAIL, false, SIZE_MAX,
     P99 ": 64 waiters passed (5 of 5 fresh); more were not tried: --at-most"},
    {P99, PLAN_WAITERS, 0, 0, 999, JUDGE_FAIL, false, SIZE_MAX,
     P99 ": 999 waiters passed (5 of 5 fresh); more were not tried: --max-clients allows no more "
         "sessions"},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_NOT_VALID, false, SIZE_MAX,
     P99 ": 1 waiter undecided (4 of 4 no vote); 4 not valid (overloaded)"},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_UNDETERMINED, false, SIZE_MAX,
     P99 ": 1 waiter undecided (4 of 4 no vote); 4 too near to the limit; 1,000 samples at most, "
         "1,568 would do"},
    {P99, PLAN_WAITERS, 0, 0, 8, JUDGE_FAIL, true, SIZE_MAX,
     P99 ": 8 waiters passed (5 of 5 fresh), 9 failed (3 of 3 fresh), 18 passed (5 of 5 fresh)"},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_FAIL, true, SIZE_MAX,
     P99 ": 1 waiter failed (3 of 3 fresh), 2 passed (5 of 5 fresh)"},
    {P99, PLAN_WAITERS, 0, 0, 6, JUDGE_BRAKED, false, SIZE_MAX,
     P99
     ": 6 waiters passed (5 of 5 fresh), 7 ended (1 of 1 no vote); a trial was ended: a bystander "
     "suffered"},
    {P99, PLAN_WAITERS, 0, 0, 40, JUDGE_FAIL, false, 9,
     P99 ": 8 waiters passed (2 of 2); out of trials"},
    {P99, PLAN_WAITERS, 0, 0, 5, JUDGE_FAIL, false, 16,
     P99 ": 5 waiters passed (2 of 2), 6 failed (2 of 2); out of trials"},
    {P99, PLAN_WAITERS, 0, 0, 5, JUDGE_FAIL, false, 19,
     P99 ": 5 waiters passed (5 of 5 fresh), 6 failed (2 of 2); out of trials"},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_FAIL, false, 1,
     P99 ": 1 waiter undecided (0 of 1 no vote); out of trials"},
    {P99, PLAN_LOCKS, 0, 0, UINT64_MAX, JUDGE_FAIL, false, SIZE_MAX,
     P99 ": 500 hot locks passed (5 of 5 fresh); more were not tried: --max-clients allows no more "
         "sessions"},
};

static size_t count_no_votes(void)
{
    size_t count = 0;
    for (size_t i = 0; i < rows.rows; i++) {
        const struct table_value *row = table_row(&rows, i);
        count +=
            plan_row_judged(row) == JUDGE_UNDETERMINED || plan_row_judged(row) == JUDGE_NOT_VALID;
    }
    return count;
}

/* Only what ended before its end, or is undecided, is no answer. */
TEST_BETWEEN(what_was_found_is_said, NULL, tear_down)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[400];
        snprintf(expected, sizeof expected, "scalable: %s", cases[i].sentence);
        ask(cases[i].objective, cases[i].unknown, cases[i].least, cases[i].most);
        run(cases[i].capacity, cases[i].above, cases[i].passes_above, cases[i].trials_most);
        assert_string_equal(sentence(), expected);
        assert_int_equal((size_t)json_integer_value(json_object_get(json, "trials")), rows.rows);
        assert_int_equal(json_integer_value(json_object_get(json, "no_votes")), count_no_votes());
        const struct table_value *finding = table_row(&findings, 0);
        bool is_open = cases[i].trials_most != SIZE_MAX || strstr(expected, "undecided") != NULL;
        assert_string_equal(finding[finding_verdict].text, is_open ? "undetermined" : "measured");
        assert_int_equal(finding[finding_n].count, rows.rows);
    }
}

static const char *field(const char *key)
{
    static char number[32];
    const json_t *value = json_object_get(json, key);
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    return json_is_null(value) ? "" : json_is_string(value) ? json_string_value(value) : number;
}

/* The fields of answers.csv and of --json. */
static void assert_fields(const char *passed, const char *passed_reason, const char *failed,
                          const char *failed_reason, const char *reason)
{
    assert_string_equal(field("passed"), passed);
    assert_string_equal(field("passed_reason"), passed_reason);
    assert_string_equal(field("failed"), failed);
    assert_string_equal(field("failed_reason"), failed_reason);
    assert_string_equal(field("reason"), reason);
    assert_string_equal(json_string_value(json_array_get(json_object_get(json, "sentences"), 0)),
                        sentence());
}

static void assert_line(const char *line)
{
    char *table = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&table, &size);
    plan_sizes_print(question, &results.sizes, 80, stream);
    fclose(stream);
    if (strstr(table, line) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", table, line);
    free(table);
}

/* The time is up after so many trials. */
static void cut_after(size_t trials, uint64_t capacity)
{
    ask_of_handoffs(NULL);
    cut = PLAN_CUT_BY_TIME;
    run(capacity, JUDGE_FAIL, false, trials);
}

/* In the table, the file and the sentence alike. */
TEST_BETWEEN(no_size_is_called_met_or_not_met_without_fresh_trials, NULL, tear_down)
{
    cut_after(14, 5);
    assert_line("\nscalable        5  passed  2 of 2     5.01");
    assert_line("\nscalable        6  failed  2 of 2     6.01");
    assert_fields("", "the search ended before there were enough fresh trials", "",
                  "no fresh trial was made", "out of time");
    cut_after(19, 5);
    assert_line("\nscalable        5  passed  5 of 5 fresh     5.01");
    assert_string_equal(field("failed_reason"),
                        "the search ended before there were enough fresh trials");
    cut_after(SIZE_MAX, 5);
    assert_line("\nscalable        6  failed  3 of 3 fresh     6.02");
    assert_fields("5", "", "6", "", "found");
    ask_of_handoffs(NULL);
    run(100, JUDGE_FAIL, false, 4);
    search_settle(&search);
    run(100, JUDGE_FAIL, false, SIZE_MAX);
    assert_fields("2", "", "", "no size failed", "out of time");
}

/* It failed on the way up and passed afresh, twice: it is not called a failure. */
TEST_BETWEEN(a_size_that_failed_and_passed_afresh_is_undecided, ask_of_handoffs, tear_down)
{
    for (struct search_probe probe; rows.rows < 19 && search_next(&search, &probe);)
        report(&probe, probe.size < 6 || probe.stage == SEARCH_CONFIRM ? JUDGE_PASS : JUDGE_FAIL);
    finish();
    assert_int_equal(answer.found.failed, 6);
    assert_string_equal(field("failed"), "");
    assert_line("\nscalable        6  failed  2 of 2 ");
    assert_non_null(strstr(sentence(), ", 6 failed (2 of 2);"));
}

/* Of the fresh trials that failed at the smallest size that failed, what most of them say, if other
 * programs disturbed none; else the sentence says that. */
TEST_BETWEEN(what_gave_out_is_that_of_most_failures, ask_of_handoffs, tear_down)
{
    uint32_t fresh = 0;
    run_to_40();
    assert_string_equal(field("gave_out"), "");
    assert_int_equal(findings.rows, 1);
    for (size_t i = 0; i < rows.rows; i++) {
        struct table_value *row = &rows.values[i * plan_row_table.count];
        bool is_fresh = strcmp(row[plan_row_stage].text, "confirm") == 0 &&
                        strcmp(row[plan_row_verdict].text, "fail") == 0;
        enum utilisation_limit limit =
            is_fresh && fresh++ > 0 ? UTILISATION_FAN_OUT : UTILISATION_DISK;
        row[plan_row_gave_out] = table_text(utilisation_limit[limit].words);
        row[plan_row_evidence] = table_text("under way: much");
    }
    assert_int_equal(fresh, 3);
    finish();
    assert_string_equal(field("gave_out"), "the fan-out");
    assert_string_equal(table_row(&findings, 1)[finding_sentence].text,
                        "scalable: gave out first: the fan-out (under way: much)");
    assert_int_equal(json_array_size(json_object_get(json, "sentences")), 2);
    assert_line("  failed  3 of 3 fresh    44.0");
    assert_line("  fan-out\n");
    for (size_t i = 0; i < rows.rows; i++)
        rows.values[i * plan_row_table.count + plan_row_noise_disturbed] = table_flag(i > 0);
    finish();
    assert_string_equal(field("gave_out"), "");
    assert_non_null(strstr(sentence(), "failed (3 of 3 fresh, disturbed)"));
}

/* A trial that was ended at another size says nothing of the one that failed. */
TEST_BETWEEN(the_brake_is_that_of_the_size_that_failed, ask_of_handoffs, tear_down)
{
    run_to_40();
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < rows.rows; j++) {
            struct table_value *row = &rows.values[j * plan_row_table.count];
            bool is_it = (row[plan_row_size].count == answer.found.failed) == (i == 1);
            free(row[plan_row_verdict].text);
            row[plan_row_verdict] = table_text(is_it ? "braked" : "pass");
            free(row[plan_row_reason].text);
            row[plan_row_reason] = table_text("too slow");
        }
        finish();
        assert_int_equal(strstr(sentence(), "; a trial was ended: too slow") != NULL, i == 1);
    }
}
