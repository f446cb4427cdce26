// SPDX-License-Identifier: Apache-2.0
/* The answers of searches on trials that are made up: figures, sentences, the table. What a search
 * in a simulation says is in tests/golden. */
#include "bench/plan/internal.h"

#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

static struct plan_question asked_question, *const question = &asked_question;
static struct search search;
static struct plan_samples samples;
static struct plan_answer answer;
static char *text;

static int tear_down(void **state)
{
    (void)state;
    search_deinit(&search);
    free(samples.list);
    free(text);
    search = (struct search){0};
    samples = (struct plan_samples){0};
    text = NULL;
    return 0;
}

/* Begins a search; without bounds it has those of a thousand sessions. */
static void ask(const char *objective, enum plan_unknown unknown, uint64_t least, uint64_t most)
{
    char why[200];
    tear_down(NULL);
    *question = (struct plan_question){
        .unknown = unknown, .locks = 1, .least = least, .most = most, .resolution_percent = 10};
    assert_true(objective_parse(objective, &question->objective, why, sizeof why));
    plan_question_complete(question, 1000);
    const struct search_plan plan = plan_question_search(question);
    search_init(&search, &plan);
}

static int ask_of_handoffs(void **state)
{
    (void)state;
    ask("handoff p99 < 50ms", PLAN_WAITERS, 0, 0);
    return 0;
}

/* The trial that the search asks for; each waiter takes a millisecond. */
static void report(const struct search_probe *probe, enum judge_verdict verdict)
{
    struct plan_sample sample = {.probe = *probe,
                                 .count = {1000, 9},
                                 .verdict = verdict,
                                 .handoffs_per_s = 1e4 / (double)probe->size};
    for (int i = 0; i < PLAN_FIGURES; i++)
        sample.latency_us[i] = (double)probe->size * 1e3 + (double)(search.step_count + 1);
    snprintf(sample.reason, sizeof sample.reason, "%s",
             verdict == JUDGE_NOT_VALID ? "overloaded"
             : verdict == JUDGE_BRAKED  ? "a bystander suffered"
                                        : "");
    search_report(&search, verdict);
    plan_samples_add(&samples, &sample);
}

static void take(void)
{
    answer = plan_answer_take(question, &search, &recipe_scalable, &samples);
    free(text);
    text = plan_sentence_found(question, &answer);
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
    take();
}

static void run_to_40(void)
{
    run(40, JUDGE_FAIL, false, SIZE_MAX);
}

#define P99  "handoff p99 < 50ms"
#define BACK "background p99 < 50ms"

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
     "nothing meets " P99 ": the best is 60 waiters, with p99 = 60 ms; no fewer were tried."},
    {"handoffs > 5/s", PLAN_WAITERS, 0, 64, 64, JUDGE_FAIL, false, SIZE_MAX,
     "64 waiters meet handoffs > 5/s (5 of 5 fresh trials passed), at 156 handoffs a second; no "
     "more were tried: --at-most 64."},
    {P99, PLAN_WAITERS, 0, 0, 999, JUDGE_FAIL, false, SIZE_MAX,
     "999 waiters meet " P99 " (5 of 5 fresh trials passed), with p99 = 999 ms; no more were "
     "tried: --max-clients allows no more sessions."},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_NOT_VALID, false, SIZE_MAX,
     "whether 1 waiter meets " P99 " is undecided: 4 of 4 trials were not valid (overloaded)."},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_UNDETERMINED, false, SIZE_MAX,
     "whether 1 waiter meets " P99 " is undecided: 4 of 4 trials came too near to the limit for so "
     "few samples (1,000 at most; 1,568 with as many over the limit would pass)."},
    {"handoffs > 5/s", PLAN_WAITERS, 0, 64, 8, JUDGE_UNDETERMINED, false, SIZE_MAX,
     "8 waiters meet handoffs > 5/s (5 of 5 fresh trials passed), at 1250 handoffs a second; "
     "whether 9 do is undecided: 4 of 4 trials came too near to the limit."},
    {P99, PLAN_WAITERS, 0, 0, 8, JUDGE_FAIL, true, SIZE_MAX,
     "8 waiters meet " P99 " (5 of 5 fresh trials passed), with p99 = 8.03 ms; 9 do not (3 of 3 "
     "fresh trials failed), but 18 do (5 of 5 fresh trials passed): the answers are not monotone."},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_FAIL, true, SIZE_MAX,
     "1 waiter does not meet " P99 " (3 of 3 fresh trials failed), but 2 do (5 of 5 fresh trials "
     "passed): the answers are not monotone."},
    {P99, PLAN_WAITERS, 0, 0, 6, JUDGE_BRAKED, false, SIZE_MAX,
     "6 waiters meet " P99 " (5 of 5 fresh trials passed), with p99 = 6.01 ms; at 7 a trial was "
     "ended: a bystander suffered."},
    {P99, PLAN_WAITERS, 0, 0, 40, JUDGE_FAIL, false, 9,
     "whether 8 waiters meet " P99
     " is undecided, with p99 = 8.01 ms: 2 of 2 trials passed, and no "
     "fresh trial was made; the search ended early: it was out of trials after 9 trials."},
    {P99, PLAN_WAITERS, 0, 0, 5, JUDGE_FAIL, false, 16,
     "whether 5 waiters meet " P99 " is undecided, with p99 = 5.01 ms: 2 of 2 trials passed, 4 of "
     "4 fresh trials passed, and the search ended before there were enough; whether 6 do is "
     "undecided: 2 of 2 trials failed, and no fresh trial was made; the search ended early: it was "
     "out of trials after 16 trials."},
    {P99, PLAN_WAITERS, 0, 0, 0, JUDGE_FAIL, false, 2,
     "no size is known to meet " P99 "; whether 1 does is undecided: 2 of 2 trials failed, and no "
     "fresh trial was made; the search ended early: it was out of trials after 2 trials."},
    {BACK, PLAN_RATE, 0, 0, 0, JUDGE_FAIL, false, SIZE_MAX,
     "nothing meets " BACK ": the best is 100 requests a second, with p99 = 100 ms; no fewer were "
     "tried."},
    {BACK, PLAN_RATE, 0, 0, UINT64_MAX, JUDGE_FAIL, false, SIZE_MAX,
     "100,000 requests a second meet " BACK " (5 of 5 fresh trials passed), with p99 = 1 min 40 s; "
     "no more were tried: without --at-most a search has at most 100,000 requests a second."},
};

TEST_BETWEEN(what_was_found_is_told, NULL, tear_down)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char sentence[400];
        snprintf(sentence, sizeof sentence, "scalable: %s", cases[i].sentence);
        ask(cases[i].objective, cases[i].unknown, cases[i].least, cases[i].most);
        run(cases[i].capacity, cases[i].above, cases[i].passes_above, cases[i].trials_most);
        assert_string_equal(text, sentence);
        assert_int_equal(answer.trials, samples.count);
    }
}

/* The fields of answers.csv and of --json. */
static void assert_fields(const char *passed, const char *passed_reason, const char *failed,
                          const char *failed_reason, const char *reason)
{
    const char *const expected[][2] = {{"passed", passed},
                                       {"passed_reason", passed_reason},
                                       {"failed", failed},
                                       {"failed_reason", failed_reason},
                                       {"reason", reason}};
    const struct series_record record = {.files.run = "r", .target = "standalone", .servers = 1};
    json_t *object = plan_answer_json(&answer, &record, question);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const json_t *field = json_object_get(object, expected[i][0]);
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(field));
        const char *found = json_is_null(field)     ? ""
                            : json_is_string(field) ? json_string_value(field)
                                                    : number;
        assert_string_equal(found, expected[i][1]);
    }
    assert_string_equal(json_string_value(json_array_get(json_object_get(object, "sentences"), 0)),
                        text);
    json_decref(object);
}

static void assert_row(const char *row)
{
    char *table = NULL;
    size_t size = 0;
    const struct plan_search told = {.answer = answer};
    FILE *stream = open_memstream(&table, &size);
    plan_table_write(question, &told, 1, false, stream);
    fclose(stream);
    if (strstr(table, row) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", table, row);
    free(table);
}

/* The time is up after so many trials. */
static void cut_after(size_t trials, uint64_t capacity)
{
    ask_of_handoffs(NULL);
    run(capacity, JUDGE_FAIL, false, trials);
    answer.cut = PLAN_CUT_BY_TIME;
    free(text);
    text = plan_sentence_found(question, &answer);
}

/* In the table, the file and the sentence alike. */
TEST_BETWEEN(no_size_is_called_met_or_not_met_without_fresh_trials, NULL, tear_down)
{
    cut_after(14, 5);
    assert_row("\nscalable        –       -         –  5.01 ms  5.01 ms     2,000  -\n");
    assert_non_null(strstr(text, ": whether 5 waiters meet " P99 " is undecided, with p99 = 5.01 "
                                 "ms: 2 of 2 trials passed, 2 of 2 fresh trials passed, and the"));
    assert_fields("",
                  "2 of 2 trials passed, 2 of 2 fresh trials passed, and the search ended before "
                  "there were enough",
                  "", "2 of 2 trials failed, and no fresh trial was made", "out of time");
    cut_after(19, 5);
    assert_row("\nscalable        5  5 of 5         –  5.01 ms");
    assert_non_null(strstr(text, "whether 6 do is undecided: 2 of 2 trials failed, 2 of 2 fresh "
                                 "trials failed, and the search ended before there were enough"));
    cut_after(SIZE_MAX, 5);
    assert_row("\nscalable        5  5 of 5         6  5.01 ms");
    assert_fields("5", "", "6", "", "found");
}

/* It failed on the way up and passed afresh, twice: it is not called a failure. */
TEST_BETWEEN(a_size_that_failed_and_passed_afresh_is_undecided, ask_of_handoffs, tear_down)
{
    for (struct search_probe probe; samples.count < 19 && search_next(&search, &probe);)
        report(&probe, probe.size < 6 || probe.stage == SEARCH_CONFIRM ? JUDGE_PASS : JUDGE_FAIL);
    take();
    assert_int_equal(answer.found.failed, 6);
    assert_row("\nscalable        5  5 of 5         –");
    assert_non_null(strstr(text, "; whether 6 do is undecided: 2 of 2 trials failed, 0 of 2 fresh "
                                 "trials failed, and the search ended before there were enough;"));
}

/* 2 to 8 pass on the way, and no longer when they are tried afresh. */
TEST_BETWEEN(that_what_passed_failed_later_is_told, ask_of_handoffs, tear_down)
{
    for (struct search_probe probe; search_next(&search, &probe);) {
        uint64_t capacity = samples.count < 10 ? 8 : 1;
        report(&probe, probe.size <= capacity ? JUDGE_PASS : JUDGE_FAIL);
    }
    take();
    assert_string_equal(text,
                        "scalable: 1 waiter meets " P99 " (5 of 5 fresh trials passed), with p99 = "
                        "1.03 ms; 2 do not (3 of 3 fresh trials failed); 2 to 8 passed at first "
                        "and failed later, as on servers or a machine that became slower.");
    assert_fields("1", "", "2", "", "found");
}

TEST_BETWEEN(an_end_before_the_end_has_a_reason, ask_of_handoffs, tear_down)
{
    static const char *const words[] = {"out of trials", "out of time", "cut short"};
    run(40, JUDGE_FAIL, false, 9);
    for (answer.cut = PLAN_CUT_NOT; answer.cut <= PLAN_CUT_SHORT; answer.cut++)
        assert_string_equal(plan_answer_reason(&answer), words[answer.cut]);
}

/* What has bounded the sizes need not be what was given. */
TEST(the_limit_is_the_one_that_was_met)
{
    static const char by_default[] = "without --at-most a search has at most 1,001 sessions";
    struct plan_question asked = {.unknown = PLAN_WAITERS, .locks = 1};
    plan_question_complete(&asked, UINT64_MAX);
    assert_int_equal(asked.most, 1000);
    assert_string_equal(asked.most_by, by_default);
    plan_question_fit(&asked, 1001);
    assert_string_equal(asked.most_by, by_default);
    plan_question_fit(&asked, 55);
    assert_int_equal(asked.most, 54);
    assert_string_equal(asked.most_by,
                        "the servers accept no more connections from this host (maxClientCnxns)");
}

/* The trials that chose the size do not enter: of all its steps the fresh ones came last. */
TEST_BETWEEN(figures_are_those_of_the_fresh_trials, ask_of_handoffs, tear_down)
{
    double steps = 0;
    run_to_40();
    assert_int_equal(answer.best, 40);
    for (size_t i = 0; i < samples.count; i++) {
        const struct search_probe *probe = &samples.list[i].probe;
        if (probe->size == 40 && probe->stage == SEARCH_CONFIRM)
            steps += (double)(i + 1) / 5;
    }
    assert_true(fabs(answer.measured_us - 40e3 - steps) < 1e-6);
    assert_true(fabs(answer.handoffs_per_s - 250) < 1e-6);
}

/* Of the fresh trials that failed at the smallest size that failed, what most of them say. */
TEST_BETWEEN(what_gave_out_is_that_of_most_failures, ask_of_handoffs, tear_down)
{
    uint32_t fresh = 0;
    run_to_40();
    assert_null(answer.gave_out);
    for (size_t i = 0; i < samples.count; i++) {
        struct plan_sample *sample = &samples.list[i];
        bool is_fresh = sample->probe.stage == SEARCH_CONFIRM && sample->verdict == JUDGE_FAIL;
        sample->is_explained = true;
        sample->gave_out.limit = is_fresh && fresh++ > 0 ? UTILISATION_FAN_OUT : UTILISATION_DISK;
    }
    assert_int_equal(fresh, 3);
    take();
    assert_int_equal(answer.gave_out->limit, UTILISATION_FAN_OUT);
}

/* A trial that was ended at another size says nothing of the one that failed. */
TEST_BETWEEN(the_brake_is_that_of_the_size_that_failed, ask_of_handoffs, tear_down)
{
    run_to_40();
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < samples.count; j++) {
            struct plan_sample *sample = &samples.list[j];
            bool is_it = (sample->probe.size == answer.found.failed) == (i == 1);
            sample->verdict = is_it ? JUDGE_BRAKED : JUDGE_PASS;
        }
        take();
        assert_int_equal(answer.brake != NULL, i == 1);
    }
}

TEST_BETWEEN(the_table_fits_a_terminal, ask_of_handoffs, tear_down)
{
    static const struct utilisation_finding found = {.limit = UTILISATION_FAN_OUT};
    char *table = NULL;
    size_t size = 0;
    run_to_40();
    struct plan_search told[] = {{.answer = answer}, {.answer = answer}};
    told[0].answer.target = "standalone";
    told[1].answer.target = "ensemble3";
    told[1].answer.gave_out = &found;
    FILE *stream = open_memstream(&table, &size);
    plan_table_write(question, told, 2, true, stream);
    fclose(stream);
    for (const char *line = table; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
    assert_non_null(strstr(table, "\nstandalone  scalable       40  5 of 5        44    40 ms"
                                  "       250  -\n"));
    assert_non_null(strstr(table, "\nensemble3   scalable       40  5 of 5        44    40 ms"
                                  "       250  fan-out\n"));
    free(table);
}

/* ------------------------------------------------------------------ limit */

static const struct utilisation_finding finding = {UTILISATION_SERVER_CPU, "server CPU 97 %"};

/* No line is longer than the screen, and the words are there, line feeds and indents aside. */
static void assert_says(enum plan_unknown unknown, const char *words)
{
    char *told = NULL, flat[2000] = "";
    size_t size;
    FILE *stream = open_memstream(&told, &size);
    const struct plan_question asked = {.unknown = unknown, .locks = 2};
    plan_sentences_write(&asked, &answer, true, stream);
    fclose(stream);
    for (char *line = strtok(told, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 84); /* bytes: an ellipsis has three */
        strcat(flat, flat[0] != '\0' ? " " : "");
        strcat(flat, line + strspn(line, " "));
    }
    if (strstr(flat, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", flat, words);
    free(told);
}

static int begin(void **state)
{
    (void)state;
    answer = (struct plan_answer){
        .target = "standalone",
        .recipe = &recipe_nonscalable,
        .found = {.reason = SEARCH_FOUND, .failed = 200, .failed_end = SEARCH_END_DECIDED},
        .gave_out = &finding};
    return 0;
}

TEST_BETWEEN(the_limit_is_told_with_its_evidence, begin, NULL)
{
    assert_says(PLAN_SESSIONS, "standalone, nonscalable, 200 sessions: what gave out first: the "
                               "servers' CPU (server CPU 97 %).");
}
