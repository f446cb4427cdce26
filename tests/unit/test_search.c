// SPDX-License-Identifier: Apache-2.0
/* The search for the largest size that meets an objective, trial by trial.
 * test_search_characteristics has its errors under noise. */
#include "capacity/search.h"

#include "base/random.h"

#include "tests/support/test.h"

/* ------------------------------------------------------------------ plans and answers */

static const struct search_plan exact = {
    .least = 1, .most = 1000, .votes = 3, .fresh = 5, .trials_most = 1000};

static struct search begin(const struct search_plan *plan)
{
    struct search search;
    search_init(&search, plan);
    return search;
}

static struct search_probe next(const struct search *search)
{
    struct search_probe probe = {0};
    assert_true(search_next(search, &probe));
    return probe;
}

static enum judge_verdict verdict_by(char sign)
{
    static const char signs[] = "+-?x!";
    return (enum judge_verdict)(strchr(signs, sign) - signs);
}

/* The next trial is of this size and kind; its verdict is reported. */
static void step(struct search *search, uint64_t size, bool longer, char sign)
{
    struct search_probe probe = next(search);
    assert_int_equal(probe.size, size);
    assert_int_equal(probe.longer, longer);
    search_report(search, verdict_by(sign));
}

/*
 * The trials that must be asked for, in their order, and their verdicts. "8+ 16-": ballots of two
 * short trials that pass, or fail; "=8+ =9-": of fresh trials, five that pass or three that fail;
 * "2:+x": single ones: + passes, - fails, ? is undetermined, x not valid, ! braked; "~": from
 * here on the trials are long.
 */
static void play(struct search *search, const char *script)
{
    while (*script != '\0') {
        char *end;
        bool fresh = *script == '=', longer = fresh;
        uint64_t size = strtoull(script + fresh, &end, 10);
        size_t trials = !fresh ? 2 : *end == '+' ? 5 : 3;
        if (*end == ':') {
            for (end++; *end != ' ' && *end != '\0'; end++) {
                if (*end == '~')
                    longer = true;
                else
                    step(search, size, longer, *end);
            }
        } else {
            for (size_t i = 0; i < trials; i++) {
                assert_int_equal(next(search).stage == SEARCH_CONFIRM, fresh);
                step(search, size, longer, *end);
            }
            end++;
        }
        script = end + (*end == ' ');
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
    assert_string_equal(search_reason_words[answer->reason], search_reason_words[reason]);
    assert_int_equal(answer->passed, passed);
    assert_int_equal(answer->failed, failed);
}

static void assert_decided(const struct search_answer *answer)
{
    assert_int_equal(answer->passed_end, SEARCH_END_DECIDED);
    assert_int_equal(answer->failed_end, SEARCH_END_DECIDED);
}

/* ------------------------------------------------------------------ without noise */

TEST(a_sharp_capacity_is_found_exactly)
{
    for (uint64_t capacity = 1; capacity < 1000; capacity += 7) {
        for (int above = 0; above < 2; above++) {
            struct search_plan plan = exact;
            plan.look_above = above == 1;
            struct search_answer answer = run(&plan, sharp, capacity);
            assert_interval(&answer, SEARCH_FOUND, capacity, capacity + 1);
            assert_decided(&answer);
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
    struct search_answer answer = run(&plan, sharp, 4);
    assert_interval(&answer, SEARCH_NOTHING_MEETS, 0, 5);
    assert_int_equal(answer.failed_end, SEARCH_END_DECIDED);
    assert_int_equal(answer.passed_end, SEARCH_END_NONE);
}

TEST(what_everything_meets_is_said)
{
    static const uint64_t mosts[] = {1, 2, 100, 1024, UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof mosts / sizeof mosts[0]; i++) {
        struct search_plan plan = exact;
        plan.most = mosts[i];
        struct search_answer answer = run(&plan, sharp, UINT64_MAX);
        assert_interval(&answer, SEARCH_EVERYTHING_MEETS, mosts[i], 0);
        assert_int_equal(answer.passed_end, SEARCH_END_DECIDED);
        assert_int_equal(answer.failed_end, SEARCH_END_NONE);
    }
}

/* ------------------------------------------------------------------ the way of the search */

/* Brings a search to its candidate 9, below 10, which failed. */
#define TO_9 "1+ 2+ 4+ 8+ 16- 12- 10- 9+"

static void assert_found(struct search_plan plan, const char *script, uint64_t passed,
                         uint64_t failed)
{
    struct search search = begin(&plan);
    play(&search, script);
    struct search_answer answer = end(&search);
    assert_interval(&answer, failed > 0 ? SEARCH_FOUND : SEARCH_EVERYTHING_MEETS, passed, failed);
    assert_int_equal(answer.passed_end, SEARCH_END_DECIDED);
    assert_int_equal(answer.failed_end, failed > 0 ? SEARCH_END_DECIDED : SEARCH_END_NONE);
}

/* Ends before the search does, which next asks for this size. */
static struct search_answer assert_next(struct search_plan plan, const char *script, uint64_t size)
{
    struct search search = begin(&plan);
    play(&search, script);
    assert_int_equal(next(&search).size, size);
    struct search_answer answer = search_answer(&search);
    search_deinit(&search);
    return answer;
}

/* 16 is less than a fifth of 96. */
TEST(the_resolution_ends_the_bisection)
{
    struct search_plan plan = exact;
    plan.resolution_percent = 20;
    assert_found(plan, "1+ 2+ 4+ 8+ 16+ 32+ 64+ 128- 96+ 112- =96+ =112-", 96, 112);
}

TEST(the_size_doubles_then_bisects)
{
    struct search_plan plan = exact;
    plan.least = 3;
    assert_found(plan, "3+ 6+ 12- 9- 7+ 8- =7+ =8-", 7, 8);
}

TEST(the_most_is_not_exceeded)
{
    struct search_plan plan = exact;
    plan.least = 60;
    plan.most = 100;
    assert_found(plan, "60+ 100+ =100+", 100, 0);
}

/* ------------------------------------------------------------------ ballots */

/* The votes that are left could change nothing. */
TEST(the_majority_decides)
{
    struct search_plan plan = exact;
    plan.votes = 5;
    assert_next(plan, "1:-++-+ 2:+++ 4:+---", 3);
}

/* Of the next size they are short again. */
TEST(after_an_undetermined_trial_the_trials_are_long)
{
    assert_next(exact, "1:+?~-+ 2:x++", 4);
}

/* The search goes down. */
TEST(a_size_without_votes_stays_undecided)
{
    assert_int_equal(assert_next(exact, "1+ 2+ 4:x?~x+?", 3).undecided, 4);
}

/* ------------------------------------------------------------------ fresh trials */

/* The earlier trials do not count: they were passes. */
TEST(a_candidate_that_fails_sends_the_search_down)
{
    assert_found(exact, TO_9 " 9:~-+-+- =8- 6- 5- =4+ =5-", 4, 5);
}

/* The fresh trials of 12 count no longer when 13 has been located. */
TEST(a_failure_that_does_not_repeat_sends_the_search_up)
{
    assert_found(exact, TO_9 " =9+ =10+ 11+ =11+ =12+ 14- 13- =12+ =13-", 12, 13);
}

/* The answer has five trials, also when the first three have passed. */
TEST(all_fresh_trials_of_the_candidate_are_run)
{
    assert_int_equal(assert_next(exact, TO_9 " 9:~+++-", 9).passed_end, SEARCH_END_UNDER_WAY);
    assert_int_equal(assert_next(exact, TO_9 " 9:~+++--", 10).passed_end, SEARCH_END_DECIDED);
}

TEST(a_candidate_without_fresh_votes_is_undecided)
{
    struct search_answer answer = assert_next(exact, TO_9 " 9:~xxxxxx", 8);
    assert_int_equal(answer.undecided, 9);
    assert_int_equal(answer.passed, 8);
}

/* ------------------------------------------------------------------ servers that change */

/* Other programs keep the machine busy until 4 is tried: then what has failed passes. */
TEST(an_early_failure_is_tried_afresh_before_it_is_the_answer)
{
    struct search search = begin(&exact);
    play(&search, TO_9 " =9- =8- 6- 5+ =5+ =6+ 7- =6+ =7+ =8+ =9+ =10-");
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 9, 10);
    assert_decided(&answer);
    assert_int_equal(answer.lost, 0);
}

/* 9 and 10 have passed fresh trials before the servers become slower, and 8 has passed. */
TEST(an_early_pass_is_tried_afresh_before_it_is_the_answer)
{
    struct search search = begin(&exact);
    play(&search, TO_9 " =9+ =10+ 11- =10- =9- =8- 6- 5- =4+ =5-");
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 4, 5);
    assert_decided(&answer);
    assert_int_equal(answer.lost, 8);
    assert_int_equal(answer.lost_most, 10);
}

/* 8 and 9 have passed before; 8 has failed twice since. */
TEST(what_passed_and_failed_later_is_told)
{
    struct search search = begin(&exact);
    play(&search, TO_9 " =9- =8- 6+ 7+ =7+ =8-");
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 7, 8);
    assert_int_equal(answer.lost, 8);
    assert_int_equal(answer.lost_most, 9);
}

/* Neither what was not tried afresh, nor what was before another size was located. */
TEST(no_end_is_decided_before_its_fresh_trials_have_ended)
{
    static const struct {
        const char *script;
        uint64_t next;
        enum search_end passed, failed;
    } cuts[] = {
        {TO_9, 9, SEARCH_END_NOT_TRIED, SEARCH_END_NOT_TRIED},
        {TO_9 " 9:~+", 9, SEARCH_END_UNDER_WAY, SEARCH_END_NOT_TRIED},
        {TO_9 " =9+ 10:~++", 10, SEARCH_END_DECIDED, SEARCH_END_UNDER_WAY},
        {TO_9 " =9- =8- 6+", 7, SEARCH_END_NOT_TRIED, SEARCH_END_OUTDATED},
        {TO_9 " =9- =8- 6- 5+ =5+ =6+ 7-", 6, SEARCH_END_OUTDATED, SEARCH_END_NOT_TRIED},
    };
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        const struct search_answer answer = assert_next(exact, cuts[i].script, cuts[i].next);
        assert_int_equal(answer.reason, SEARCH_BUDGET);
        assert_int_equal(answer.passed_end, cuts[i].passed);
        assert_int_equal(answer.failed_end, cuts[i].failed);
    }
}

struct change {
    uint64_t before, after; /* the capacity */
};

/* Whenever the change comes, if a size is located after it, or if half of the trials are. */
TEST(the_answer_is_that_of_the_servers_as_they_are_at_the_end)
{
    static const struct change changes[] = {{16, 208}, {1, 300},   {100, 130}, {2, 999},
                                            {208, 16}, {130, 100}, {300, 1},   {700, 600}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        for (size_t at = 1; at < 80; at++) {
            struct search_plan plan = exact;
            plan.look_above = true;
            struct search search = begin(&plan);
            struct search_probe probe;
            while (search_next(&search, &probe))
                search_report(&search,
                              sharp(probe.size,
                                    search.step_count < at ? changes[i].before : changes[i].after));
            if (search.moved_at > at || search.step_count >= 2 * at) {
                struct search_answer answer = end(&search);
                assert_interval(&answer, SEARCH_FOUND, changes[i].after, changes[i].after + 1);
                assert_decided(&answer);
            } else {
                search_deinit(&search);
            }
        }
    }
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
        assert_decided(&answer);
    }
}

static enum judge_verdict blind_above(uint64_t size, uint64_t capacity)
{
    return size <= capacity ? JUDGE_PASS : JUDGE_NOT_VALID;
}

/* The driver gives out before the servers do. */
TEST(where_nothing_larger_can_be_decided_the_search_ends)
{
    struct search search = begin(&exact);
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
    assert_int_equal(answer.passed_end, SEARCH_END_DECIDED);
}

TEST(where_nothing_can_be_decided_the_search_ends)
{
    struct search search = begin(&exact);
    play(&search, "1:?~???");
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_UNDETERMINED, 0, 0);
    assert_int_equal(answer.undecided, 1);
}

/* ------------------------------------------------------------------ the brake */

static void assert_stopped(struct search_plan plan, const char *script, uint64_t passed)
{
    plan.look_above = true;
    struct search search = begin(&plan);
    play(&search, script);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, passed, passed + 1);
    assert_true(answer.stopped);
    assert_decided(&answer);
}

/* 4 is not tried again, and 8 is not tried. */
TEST(the_brake_stops_a_size_at_once)
{
    assert_stopped(exact, "1+ 2+ 4:+! 3+ =3+", 3);
}

/* 12 and 10 have failed before the brake stops 9: they are not tried again. */
TEST(the_brake_stops_larger_sizes_too)
{
    assert_stopped(exact, TO_9 " 9:~+! =8+", 8);
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
    assert_decided(&answer);
    plan.look_above = false;
    answer = run(&plan, dip, 140);
    assert_interval(&answer, SEARCH_FOUND, 55, 56);
    assert_int_equal(answer.passed_above, 0);
}

static void assert_above(const char *script, enum search_reason reason, uint64_t passed,
                         uint64_t failed, uint64_t above)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    struct search search = begin(&plan);
    play(&search, script);
    struct search_answer answer = end(&search);
    assert_interval(&answer, reason, passed, failed);
    assert_decided(&answer);
    assert_int_equal(answer.passed_above, above);
}

/* And if it does, the failure below is tried afresh as well. */
TEST(a_larger_size_must_pass_afresh)
{
    assert_above("1+ 2- =1+ =2- 4+ =4-", SEARCH_FOUND, 1, 2, 0);
    assert_above("1+ 2- =1+ =2- 4+ =4+ =1+ =2-", SEARCH_NOT_MONOTONE, 1, 2, 4);
    assert_above("1+ 2- =1+ =2- 4+ =4+ =1+ =2+ 8- 6- 5- =4+ =5- 10-", SEARCH_FOUND, 4, 5, 0);
}

/* 16 is known, and no smaller than twice what failed. */
TEST(a_size_above_is_tried_only_if_none_is_known)
{
    struct search_plan plan = exact;
    plan.look_above = true;
    assert_found(plan, TO_9 " =9- =8- 6+ 7+ =7+ =8-", 7, 8);
}

/* ------------------------------------------------------------------ the budget */

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
        assert_int_equal(search_answer(&search).passed_end == SEARCH_END_DECIDED, budget >= 21);
        struct search_answer answer = end(&search);
        assert_int_equal(answer.reason, budget < 24 ? SEARCH_BUDGET : SEARCH_FOUND);
        assert_int_equal(answer.passed, passed[budget / 2 < 8 ? budget / 2 : 8]);
    }
}

/* ------------------------------------------------------------------ any verdicts at all */

struct seen {
    uint64_t stopped; /* the smallest */
    size_t moved_at;
    uint8_t located[65], again[65]; /* ballots of each size; again: since the search moved */
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
        if (search->moved_at != seen->moved_at)
            memset(seen->again, 0, sizeof seen->again);
        seen->moved_at = search->moved_at;
        assert_int_equal(++ballots[probe.size], 1);
    }
}

static void check_answer(const struct search_answer *answer)
{
    assert_int_not_equal(answer->reason, SEARCH_BUDGET);
    assert_true(answer->failed == 0 || answer->passed < answer->failed);
    assert_true(answer->undecided == 0 || answer->passed < answer->undecided);
    if (answer->reason == SEARCH_FOUND)
        assert_decided(answer);
}

TEST(any_verdicts_lead_to_an_end)
{
    struct random random;
    random_init(&random, 17);
    for (size_t i = 0; i < 20000; i++) {
        struct search_plan plan = {.least = 1 + random_below(&random, 4),
                                   .most = 5 + random_below(&random, 60),
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
    play(&search, "1+ 2+ 4+ 8:+");
    const struct search_forecast forecast = search_foresee(&search); /* of a capacity of 8 */
    size_t short_trials = 0, long_trials = 0;
    for (struct search_probe probe; search_next(&search, &probe);) {
        short_trials += !probe.longer;
        long_trials += probe.longer;
        search_report(&search, sharp(probe.size, 8));
    }
    assert_int_equal(forecast.short_trials, short_trials);
    assert_int_equal(forecast.long_trials, long_trials);
    assert_int_equal(search_foresee(&search).short_trials, 0);
    assert_int_equal(search_foresee(&search).long_trials, 0);
    struct search_answer answer = end(&search);
    assert_interval(&answer, SEARCH_FOUND, 8, 9);
}
