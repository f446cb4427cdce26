// SPDX-License-Identifier: Apache-2.0
/* The search for the largest size that meets an objective, trial by trial.
 * test_search_characteristics has its errors under noise. */
#include "capacity/search.h"

#include "base/random.h"

#include "tests/support/test.h"

/* ------------------------------------------------------------------ no memory */

static bool memory_is_refused;
static size_t allocations;
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return memory_is_refused && allocations > 1 ? NULL : __real_calloc(count, size);
}

/* ------------------------------------------------------------------ plans and answers */

static const struct search_plan exact = {
    .least = 1, .most = 1000, .votes = 3, .fresh = 5, .trials_most = 1000};

static struct search begin(const struct search_plan *plan)
{
    struct search search;
    assert_true(search_init(&search, plan));
    return search;
}

static struct search_probe next(const struct search *search)
{
    struct search_probe probe = {0};
    assert_true(search_next(search, &probe));
    return probe;
}

/* The next trial is of this size and kind; its verdict is reported. */
static void step(struct search *search, uint64_t size, bool longer, enum judge_verdict verdict)
{
    struct search_probe probe = next(search);
    assert_int_equal(probe.size, size);
    assert_int_equal(probe.longer, longer);
    search_report(search, verdict);
}

/* A whole ballot of short trials: two votes of three. */
static void vote(struct search *search, uint64_t size, enum judge_verdict verdict)
{
    assert_int_not_equal(next(search).stage, SEARCH_CONFIRM);
    step(search, size, false, verdict);
    step(search, size, false, verdict);
}

/* A whole ballot of fresh trials: five that pass, or three that fail. */
static void confirm(struct search *search, uint64_t size, enum judge_verdict verdict)
{
    for (int i = 0; i < (verdict == JUDGE_PASS ? 5 : 3); i++) {
        assert_int_equal(next(search).stage, SEARCH_CONFIRM);
        step(search, size, true, verdict);
    }
}

/* The end: the answer, and the search is freed. */
static struct search_answer end(struct search *search)
{
    struct search_probe probe;
    assert_false(search_next(search, &probe));
    struct search_answer answer = search_answer(search);
    search_deinit(search);
    return answer;
}

typedef enum judge_verdict verdict_function(uint64_t size, uint64_t capacity);

static enum judge_verdict sharp(uint64_t size, uint64_t capacity)
{
    return size <= capacity ? JUDGE_PASS : JUDGE_FAIL;
}

static struct search_answer run(const struct search_plan *plan, verdict_function *verdict_of,
                                uint64_t capacity)
{
    struct search search = begin(plan);
    struct search_probe probe;
    while (search_next(&search, &probe))
        search_report(&search, verdict_of(probe.size, capacity));
    return end(&search);
}

static void assert_interval(const struct search_answer *answer, enum search_reason reason,
                            uint64_t passed, uint64_t failed)
{
    assert_string_equal(search_reason_word(answer->reason), search_reason_word(reason));
    assert_int_equal(answer->passed, passed);
    assert_int_equal(answer->failed, failed);
}

/* ------------------------------------------------------------------ without noise */

TEST(a_sharp_capacity_is_found_exactly)
{
    static const uint64_t proposals[] = {0, 1, 3, 100, 999, 1000, 5000};
    for (uint64_t capacity = 1; capacity < 1000; capacity += 7) {
        for (size_t i = 0; i < sizeof proposals / sizeof proposals[0]; i++) {
            struct search_plan plan = exact;
            plan.proposal = proposals[i];
            plan.look_above = i % 2 == 0;
            struct search_answer answer = run(&plan, sharp, capacity);
            assert_interval(&answer, SEARCH_FOUND, capacity, capacity + 1);
            assert_true(answer.passed_again && answer.failed_again);
            assert_false(answer.stopped);
            assert_int_equal(answer.undecided, 0);
            assert_int_equal(answer.passed_above, 0);
        }
    }
}

TEST(what_nothing_meets_is_said)
{
    struct search_plan plan = exact;
    plan.least = 5;
    plan.proposal = 64;
    struct search_answer answer = run(&plan, sharp, 4);
    assert_interval(&answer, SEARCH_NOTHING_MEETS, 0, 5);
    assert_true(answer.failed_again);
    assert_false(answer.passed_again);
}

TEST(what_everything_meets_is_said)
{
    static const uint64_t mosts[] = {1, 2, 100, 1024, UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        struct search_plan plan = exact;
        plan.most = mosts[i];
        struct search_answer answer = run(&plan, sharp, UINT64_MAX);
        assert_interval(&answer, SEARCH_EVERYTHING_MEETS, mosts[i], 0);
        assert_true(answer.passed_again);
        assert_false(answer.failed_again);
    }
}

TEST(the_resolution_ends_the_bisection)
{
    struct search_plan plan = exact;
    plan.resolution_percent = 20;
    struct search search = begin(&plan);
    for (uint64_t size = 1; size <= 64; size *= 2)
        vote(&search, size, JUDGE_PASS);
    vote(&search, 128, JUDGE_FAIL);
    vote(&search, 96, JUDGE_PASS);
    vote(&search, 112, JUDGE_FAIL); /* 16 is less than a fifth of 96 */
    confirm(&search, 96, JUDGE_PASS);
    confirm(&search, 112, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 96, 112);
}

/* ------------------------------------------------------------------ the way of the search */

TEST(the_size_doubles_then_bisects)
{
    struct search_plan plan = exact;
    plan.least = 3;
    struct search search = begin(&plan);
    vote(&search, 3, JUDGE_PASS);
    vote(&search, 6, JUDGE_PASS);
    vote(&search, 12, JUDGE_FAIL);
    vote(&search, 9, JUDGE_FAIL);
    vote(&search, 7, JUDGE_PASS);
    vote(&search, 8, JUDGE_FAIL);
    confirm(&search, 7, JUDGE_PASS);
    confirm(&search, 8, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 7, 8);
}

TEST(from_a_proposal_that_fails_the_size_halves)
{
    struct search_plan plan = exact;
    plan.least = 10;
    plan.proposal = 50;
    struct search search = begin(&plan);
    vote(&search, 50, JUDGE_FAIL);
    vote(&search, 25, JUDGE_FAIL);
    vote(&search, 12, JUDGE_FAIL);
    vote(&search, 10, JUDGE_PASS); /* not 6 */
    vote(&search, 11, JUDGE_PASS);
    confirm(&search, 11, JUDGE_PASS);
    confirm(&search, 12, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 11, 12);
}

TEST(the_most_is_not_exceeded)
{
    struct search_plan plan = exact;
    plan.most = 100;
    plan.proposal = 5000;
    struct search search = begin(&plan);
    assert_int_equal(next(&search).size, 100);
    search_deinit(&search);
    plan.proposal = 60;
    search = begin(&plan);
    vote(&search, 60, JUDGE_PASS);
    vote(&search, 100, JUDGE_PASS);
    confirm(&search, 100, JUDGE_PASS);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_EVERYTHING_MEETS, 100, 0);
}

/* ------------------------------------------------------------------ ballots */

TEST(the_majority_decides)
{
    struct search_plan plan = exact;
    plan.votes = 5;
    struct search search = begin(&plan);
    static const enum judge_verdict first[] = {JUDGE_FAIL, JUDGE_PASS, JUDGE_PASS, JUDGE_FAIL,
                                               JUDGE_PASS};
    for (size_t i = 0; i < 5; i++)
        step(&search, 1, false, first[i]);
    for (size_t i = 0; i < 3; i++) /* the votes that are left could change nothing */
        step(&search, 2, false, JUDGE_PASS);
    static const enum judge_verdict last[] = {JUDGE_PASS, JUDGE_FAIL, JUDGE_FAIL, JUDGE_FAIL};
    for (size_t i = 0; i < 4; i++)
        step(&search, 4, false, last[i]);
    assert_int_equal(next(&search).size, 3);
    search_deinit(&search);
}

TEST(after_an_undetermined_trial_the_trials_are_long)
{
    struct search search = begin(&exact);
    step(&search, 1, false, JUDGE_PASS);
    step(&search, 1, false, JUDGE_UNDETERMINED);
    step(&search, 1, true, JUDGE_FAIL);
    step(&search, 1, true, JUDGE_PASS);
    step(&search, 2, false, JUDGE_NOT_VALID); /* of the next size: short again */
    step(&search, 2, false, JUDGE_PASS);
    step(&search, 2, false, JUDGE_PASS);
    assert_int_equal(next(&search).size, 4);
    search_deinit(&search);
}

TEST(a_size_without_votes_stays_undecided)
{
    struct search_plan plan = exact;
    plan.proposal = 100;
    struct search search = begin(&plan);
    step(&search, 100, false, JUDGE_NOT_VALID);
    step(&search, 100, false, JUDGE_UNDETERMINED);
    step(&search, 100, true, JUDGE_NOT_VALID);
    step(&search, 100, true, JUDGE_PASS);
    step(&search, 100, true, JUDGE_UNDETERMINED);
    assert_int_equal(search_answer(&search).undecided, 100);
    assert_int_equal(next(&search).size, 50); /* the search goes down */
    search_deinit(&search);
}

/* ------------------------------------------------------------------ fresh trials */

/* Brings a search to its candidate 9, below 10, which failed. */
static struct search at_candidate(const struct search_plan *changed)
{
    struct search_plan plan = *changed;
    plan.proposal = 8;
    struct search search = begin(&plan);
    vote(&search, 8, JUDGE_PASS);
    vote(&search, 16, JUDGE_FAIL);
    vote(&search, 12, JUDGE_FAIL);
    vote(&search, 10, JUDGE_FAIL);
    vote(&search, 9, JUDGE_PASS);
    return search;
}

TEST(a_candidate_that_fails_sends_the_search_down)
{
    struct search search = at_candidate(&exact);
    step(&search, 9, true, JUDGE_FAIL);
    step(&search, 9, true, JUDGE_PASS); /* the earlier trials do not count: they were passes */
    step(&search, 9, true, JUDGE_FAIL);
    step(&search, 9, true, JUDGE_PASS);
    step(&search, 9, true, JUDGE_FAIL);
    confirm(&search, 8, JUDGE_FAIL);
    vote(&search, 4, JUDGE_PASS);
    vote(&search, 6, JUDGE_FAIL);
    vote(&search, 5, JUDGE_FAIL);
    confirm(&search, 4, JUDGE_PASS);
    confirm(&search, 5, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 4, 5);
}

TEST(a_failure_that_does_not_repeat_sends_the_search_up)
{
    struct search search = at_candidate(&exact);
    confirm(&search, 9, JUDGE_PASS);
    confirm(&search, 10, JUDGE_PASS);
    vote(&search, 11, JUDGE_PASS);
    confirm(&search, 11, JUDGE_PASS);
    confirm(&search, 12, JUDGE_PASS);
    vote(&search, 14, JUDGE_FAIL);
    vote(&search, 13, JUDGE_FAIL);
    /* 12 has stood. */
    confirm(&search, 13, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 12, 13);
    assert_true(answer.passed_again && answer.failed_again);
}

/* The answer has five trials, also when the first three have passed. */
TEST(all_fresh_trials_of_the_candidate_are_run)
{
    struct search search = at_candidate(&exact);
    for (size_t i = 0; i < 3; i++)
        step(&search, 9, true, JUDGE_PASS);
    step(&search, 9, true, JUDGE_FAIL);
    assert_false(search_answer(&search).passed_again);
    step(&search, 9, true, JUDGE_FAIL);
    assert_true(search_answer(&search).passed_again);
    assert_int_equal(next(&search).size, 10);
    search_deinit(&search);
}

TEST(a_candidate_without_fresh_votes_is_undecided)
{
    struct search search = at_candidate(&exact);
    for (size_t i = 0; i < 6; i++)
        step(&search, 9, true, JUDGE_NOT_VALID);
    struct search_answer answer = search_answer(&search);
    assert_int_equal(answer.undecided, 9);
    assert_int_equal(answer.passed, 8);
    search_deinit(&search);
}

/* ------------------------------------------------------------------ undecided sizes */

/* From 0.8 to 1.25 times the capacity no trial decides. */
static enum judge_verdict grey(uint64_t size, uint64_t capacity)
{
    if (5 * size >= 4 * capacity && 4 * size <= 5 * capacity)
        return JUDGE_UNDETERMINED;
    return sharp(size, capacity);
}

TEST(both_ends_are_found_around_undecided_sizes)
{
    for (uint64_t capacity = 20; capacity <= 700; capacity += 20) {
        struct search_answer answer = run(&exact, grey, capacity);
        assert_interval(&answer, SEARCH_FOUND, 4 * capacity / 5 - 1, 5 * capacity / 4 + 1);
        assert_int_equal(answer.undecided, 4 * capacity / 5);
        assert_true(answer.passed_again && answer.failed_again);
    }
}

static enum judge_verdict blind_above(uint64_t size, uint64_t capacity)
{
    return size <= capacity ? JUDGE_PASS : JUDGE_NOT_VALID;
}

/* The driver gives out before the servers do. */
TEST(where_nothing_larger_can_be_decided_the_search_ends)
{
    struct search_plan plan = exact;
    plan.proposal = 100;
    struct search search = begin(&plan);
    struct search_probe probe;
    uint64_t largest = 0;
    while (search_next(&search, &probe)) {
        largest = probe.size > largest ? probe.size : largest;
        search_report(&search, blind_above(probe.size, 130));
    }
    assert_int_equal(largest, 262); /* one doubling of the smallest that was not decided */
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_UNDETERMINED, 130, 0);
    assert_int_equal(answer.undecided, 131);
    assert_true(answer.passed_again);
}

TEST(where_nothing_can_be_decided_the_search_ends)
{
    struct search search = begin(&exact);
    for (size_t i = 0; i < 4; i++)
        step(&search, 1, i > 0, JUDGE_UNDETERMINED);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_UNDETERMINED, 0, 0);
    assert_int_equal(answer.undecided, 1);
}

/* ------------------------------------------------------------------ the brake */

TEST(the_brake_stops_a_size_at_once)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    struct search search = begin(&plan);
    vote(&search, 1, JUDGE_PASS);
    vote(&search, 2, JUDGE_PASS);
    step(&search, 4, false, JUDGE_PASS);
    step(&search, 4, false, JUDGE_BRAKED);
    vote(&search, 3, JUDGE_PASS);
    confirm(&search, 3, JUDGE_PASS);
    struct search_answer answer = end(&search); /* 4 is not tried again, and 8 is not tried */
    assert_interval(&answer, SEARCH_FOUND, 3, 4);
    assert_true(answer.stopped && answer.passed_again);
    assert_false(answer.failed_again);
}

/* 12 and 10 have failed before the brake stops 9: they are not tried again. */
TEST(the_brake_stops_larger_sizes_too)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    struct search search = at_candidate(&plan);
    step(&search, 9, true, JUDGE_PASS);
    step(&search, 9, true, JUDGE_BRAKED);
    confirm(&search, 8, JUDGE_PASS);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 8, 9);
    assert_true(answer.stopped);
}

/* ------------------------------------------------------------------ not monotone */

/* Sizes of 0.4 to 0.6 times the capacity fail. */
static enum judge_verdict dip(uint64_t size, uint64_t capacity)
{
    bool is_in = 5 * size >= 2 * capacity && 5 * size <= 3 * capacity;
    return is_in ? JUDGE_FAIL : sharp(size, capacity);
}

TEST(a_larger_size_that_passes_is_reported)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    struct search_answer answer = run(&plan, dip, 140); /* 56 to 84 fail, and with them 64 */
    assert_interval(&answer, SEARCH_NOT_MONOTONE, 55, 56);
    assert_int_equal(answer.passed_above, 112);
    assert_true(answer.passed_again && answer.failed_again);
    plan.look_above = false;
    answer = run(&plan, dip, 140);
    assert_interval(&answer, SEARCH_FOUND, 55, 56);
    assert_int_equal(answer.passed_above, 0);
}

/* 16 is known, and no smaller than twice what failed. */
TEST(a_size_above_is_tried_only_if_none_is_known)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    plan.proposal = 16;
    struct search search = begin(&plan);
    vote(&search, 16, JUDGE_FAIL);
    vote(&search, 8, JUDGE_FAIL);
    vote(&search, 4, JUDGE_PASS);
    vote(&search, 6, JUDGE_PASS);
    vote(&search, 7, JUDGE_PASS);
    confirm(&search, 7, JUDGE_PASS);
    confirm(&search, 8, JUDGE_FAIL);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 7, 8);
}

/* ------------------------------------------------------------------ the budget, and the steps */

TEST(the_budget_ends_a_search)
{
    static const uint64_t passed[] = {0, 1, 2, 4, 8, 8, 8, 10, 11}; /* after so many ballots */
    for (size_t budget = 1; budget < 30; budget++) {
        struct search_plan plan = exact;
        plan.trials_most = budget;
        struct search search = begin(&plan);
        struct search_probe probe;
        while (search_next(&search, &probe))
            search_report(&search, sharp(probe.size, 11));
        /* 1, 2, 4, 8, 16, 12, 10, 11: two trials each; five and three to confirm. */
        assert_int_equal(search.step_count, budget < 24 ? budget : 24);
        assert_int_equal(search_answer(&search).passed_again, budget >= 21);
        struct search_answer answer = end(&search);
        assert_int_equal(answer.reason, budget < 24 ? SEARCH_BUDGET : SEARCH_FOUND);
        assert_int_equal(answer.passed, passed[budget / 2 < 8 ? budget / 2 : 8]);
    }
}

TEST(every_trial_is_a_step)
{
    struct search search = at_candidate(&exact);
    step(&search, 9, true, JUDGE_UNDETERMINED);
    assert_int_equal(search.step_count, 11);
    assert_int_equal(search.steps[3].probe.size, 16);
    assert_int_equal(search.steps[3].verdict, JUDGE_FAIL);
    assert_false(search.steps[3].probe.longer);
    assert_string_equal(search_stage_word(search.steps[3].probe.stage), "locate");
    assert_int_equal(search.steps[10].probe.size, 9);
    assert_int_equal(search.steps[10].verdict, JUDGE_UNDETERMINED);
    assert_true(search.steps[10].probe.longer);
    assert_string_equal(search_stage_word(search.steps[10].probe.stage), "confirm");
    search_deinit(&search);
}

/* A search that has begun allocates nothing. */
TEST(memory_is_allocated_at_the_beginning)
{
    struct search search;
    allocations = 0;
    memory_is_refused = true;
    assert_false(search_init(&search, &exact));
    memory_is_refused = false;
    assert_null(search.steps);
    assert_null(search.sizes);
    allocations = 0;
    struct search_answer answer = run(&exact, sharp, 77);
    assert_interval(&answer, SEARCH_FOUND, 77, 78);
    assert_int_equal(allocations, 2);
}

/* ------------------------------------------------------------------ any verdicts at all */

struct seen {
    uint64_t stopped;               /* the smallest */
    uint8_t located[65], again[65]; /* ballots of each size */
};

static void check_probe(const struct search *search, struct seen *seen)
{
    struct search_probe probe = next(search);
    assert_in_range(probe.size, search->plan.least, search->plan.most);
    assert_true(probe.size < seen->stopped);
    if (search->ballot.of[JUDGE_PASS] + search->ballot.of[JUDGE_FAIL] +
            search->ballot.of[JUDGE_UNDETERMINED] + search->ballot.of[JUDGE_NOT_VALID] ==
        0) {
        uint8_t *ballots = probe.stage == SEARCH_CONFIRM ? seen->again : seen->located;
        assert_int_equal(++ballots[probe.size], 1);
    }
}

static void check_answer(const struct search_answer *answer)
{
    assert_int_not_equal(answer->reason, SEARCH_BUDGET);
    assert_true(answer->failed == 0 || answer->passed < answer->failed);
    assert_true(answer->undecided == 0 || answer->passed < answer->undecided);
    if (answer->reason == SEARCH_FOUND)
        assert_true(answer->passed_again && (answer->failed_again || answer->stopped));
}

TEST(any_verdicts_lead_to_an_end)
{
    struct random random;
    random_init(&random, 17);
    for (size_t i = 0; i < 20000; i++) {
        struct search_plan plan = {.least = 1 + random_below(&random, 4),
                                   .most = 5 + random_below(&random, 60),
                                   .proposal = random_below(&random, 70),
                                   .votes = 1 + 2 * (uint32_t)random_below(&random, 2),
                                   .fresh = 3,
                                   .resolution_percent = (uint32_t)random_below(&random, 30),
                                   .look_above = random_below(&random, 2) == 1,
                                   .trials_most = 1300};
        struct search search = begin(&plan);
        struct seen seen = {.stopped = UINT64_MAX};
        struct search_probe probe;
        while (search_next(&search, &probe)) {
            check_probe(&search, &seen);
            uint64_t drawn = random_below(&random, 40);
            enum judge_verdict verdict = (enum judge_verdict)(drawn / 10);
            if (drawn == 39)
                verdict = JUDGE_BRAKED;
            if (verdict == JUDGE_BRAKED)
                seen.stopped = probe.size;
            search_report(&search, verdict);
        }
        struct search_answer answer = end(&search);
        check_answer(&answer);
    }
}

/* ------------------------------------------------------------------ what remains */

/* At each step what is foreseen is what follows, if the capacity is that which is supposed: twice
 * the size while all pass, then the middle. The search itself is not changed. */
TEST(what_remains_is_foreseen)
{
    struct search search = begin(&exact);
    struct search_forecast forecast;
    vote(&search, 1, JUDGE_PASS);
    vote(&search, 2, JUDGE_PASS);
    vote(&search, 4, JUDGE_PASS);
    step(&search, 8, false, JUDGE_PASS);
    assert_true(search_foresee(&search, &forecast)); /* of a capacity of 8 */
    size_t short_trials = 0, long_trials = 0;
    for (struct search_probe probe; search_next(&search, &probe);) {
        short_trials += !probe.longer;
        long_trials += probe.longer;
        search_report(&search, sharp(probe.size, 8));
    }
    assert_int_equal(forecast.short_trials, short_trials);
    assert_int_equal(forecast.long_trials, long_trials);
    assert_true(search_foresee(&search, &forecast));
    assert_int_equal(forecast.short_trials + forecast.long_trials, 0);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 8, 9);
}
