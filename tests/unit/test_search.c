// SPDX-License-Identifier: Apache-2.0
/*
 * The search for the largest size that meets an objective: trial by trial, and on synthetic trials
 * whose capacity is known: how often it is wrong, and by how much. docs/operators.md shows the
 * table of that; a test prints the lines that it lacks. Tests run in the folder that README.md is
 * in.
 */
#include "base/random.h"
#include "capacity/search.h"
#include "measure/statistics.h"

#include "tests/support/csv_file.h"
#include "tests/support/test.h"

#include <math.h>

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
 * "/": the search settles, and fresh trials are short;
 * "2:+x": single ones: + passes, - fails, ? is undetermined, x not valid, ! braked; "~": from
 * here on the trials are long.
 */
static void play(struct search *search, const char *script)
{
    while (*script != '\0') {
        char *end;
        if (*script == '/') {
            search_settle(search);
            script += 2;
            continue;
        }
        bool fresh = *script == '=', longer = fresh && !search->settles;
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

/* ------------------------------------------------------------------ scripts */

/* Brings a search to its candidate 9, below 10, which failed. */
#define TO_9 "1+ 2+ 4+ 8+ 16- 12- 10- 9+"

#define NONE     SEARCH_END_NONE
#define DECIDED  SEARCH_END_DECIDED
#define TRIED    SEARCH_END_NOT_TRIED
#define OUTDATED SEARCH_END_OUTDATED
#define BUDGET   SEARCH_BUDGET
#define FOUND    SEARCH_FOUND

/* Of the plan `exact` but for what is given. */
static const struct {
    const char *script;
    uint64_t next; /* size of the next trial; 0: the search has ended */
    uint64_t least, most;
    uint32_t resolution_percent, votes;
    bool above;
    struct search_answer answer;
} cases[] = {
    /* The size doubles up to the most, then bisects down to the resolution: 16 is less than a fifth
     * of 96. */
    {"3+ 6+ 12- 9- 7+ 8- =7+ =8-", .least = 3, .answer = {FOUND, 7, DECIDED, 8, DECIDED}},
    {"60+ 100+ =100+", .least = 60, .most = 100,
     .answer = {SEARCH_EVERYTHING_MEETS, 100, DECIDED, 0, NONE}},
    {"5- =5-", .least = 5, .answer = {SEARCH_NOTHING_MEETS, 0, NONE, 5, DECIDED}},
    {"1+ 2+ 4+ 8+ 16+ 32+ 64+ 128- 96+ 112- =96+ =112-", .resolution_percent = 20,
     .answer = {FOUND, 96, DECIDED, 112, DECIDED}},
    /* A majority decides: the votes that are left could change nothing. */
    {"1:-++-+ 2:+++ 4:+---", 3, .votes = 5, .answer = {BUDGET, 2, TRIED, 4, TRIED}},
    /* Trials after an undetermined one are long; of the next size they are short again. */
    {"1:+?~-+ 2:x++", 4, .answer = {BUDGET, 2, TRIED, 0, NONE}},
    /* A size without votes stays undecided, and the search goes down. */
    {"1+ 2+ 4:x?~x+?", 3, .answer = {BUDGET, 2, TRIED, 0, NONE, .undecided = 4}},
    {"1:?~???", .answer = {SEARCH_UNDETERMINED, 0, NONE, 0, NONE, .undecided = 1}},
    /* A candidate that fails afresh sends the search down, though its earlier trials passed; a
     * failure that does not repeat sends it up. Fresh trials of 12 count no longer when 13 has been
     * located. */
    {TO_9 " 9:~-+-+- =8- 6- 5- =4+ =5-",
     .answer = {FOUND, 4, DECIDED, 5, DECIDED, .lost = 8, .lost_most = 9}},
    {TO_9 " =9+ =10+ 11+ =11+ =12+ 14- 13- =12+ =13-", .answer = {FOUND, 12, DECIDED, 13, DECIDED}},
    /* The answer has five fresh trials, also when the first three have passed; without votes among
     * them it is undecided. */
    {TO_9 " 9:~+++-", 9, .answer = {BUDGET, 9, SEARCH_END_UNDER_WAY, 10, TRIED}},
    {TO_9 " 9:~+++--", 10, .answer = {BUDGET, 9, DECIDED, 10, TRIED}},
    {TO_9 " 9:~xxxxxx", 8, .answer = {BUDGET, 8, TRIED, 10, TRIED, .undecided = 9}},
    /* Other programs keep the machine busy until 4 is tried: then what has failed passes. */
    {TO_9 " =9- =8- 6- 5+ =5+ =6+ 7- =6+ =7+ =8+ =9+ =10-",
     .answer = {FOUND, 9, DECIDED, 10, DECIDED}},
    /* 9 and 10 have passed fresh trials before the servers become slower, and 8 has passed. */
    {TO_9 " =9+ =10+ 11- =10- =9- =8- 6- 5- =4+ =5-",
     .answer = {FOUND, 4, DECIDED, 5, DECIDED, .lost = 8, .lost_most = 10}},
    /* 8 and 9 have passed before; 8 has failed twice since. No larger size is tried: 16 is known.
     */
    {TO_9 " =9- =8- 6+ 7+ =7+ =8-", .above = true,
     .answer = {FOUND, 7, DECIDED, 8, DECIDED, .lost = 8, .lost_most = 9}},
    /* A search that settles leaves the size under way, and decides both ends, or the one that it
     * has, and one that passes if the candidate does not. */
    {"/ 1+ =1+", .answer = {BUDGET, 1, DECIDED, 0, NONE}},
    {"1+ 2+ 4+ 8+ 16:- / =8+", .answer = {BUDGET, 8, DECIDED, 0, NONE}},
    {TO_9 " 9:~++ / 9:+++ =10-", .answer = {FOUND, 9, DECIDED, 10, DECIDED}},
    {TO_9 " 9:~? / 9:~+++++ =10-", .answer = {FOUND, 9, DECIDED, 10, DECIDED}},
    {"1+ 2+ 4+ 8+ 16- 12:- / =8+ =16-", .answer = {FOUND, 8, DECIDED, 16, DECIDED}},
    {"1+ 2+ 4+ 8+ 16- 12:- / =8- =4+",
     .answer = {FOUND, 4, DECIDED, 8, DECIDED, .lost = 8, .lost_most = 8}},
    /* No end is decided before its fresh trials have ended, or by those before another move. */
    {TO_9, 9, .answer = {BUDGET, 9, TRIED, 10, TRIED}},
    {TO_9 " =9+ 10:~++", 10, .answer = {BUDGET, 9, DECIDED, 10, SEARCH_END_UNDER_WAY}},
    {TO_9 " =9- =8- 6+", 7, .answer = {BUDGET, 6, TRIED, 8, OUTDATED, .lost = 8, .lost_most = 9}},
    {TO_9 " =9- =8- 6- 5+ =5+ =6+ 7-", 6,
     .answer = {BUDGET, 6, OUTDATED, 7, TRIED, .lost = 8, .lost_most = 9}},
    /* The brake stops a size at once: neither it nor a larger one is tried again, such as 12 and
     * 10, which have failed before. */
    {"1+ 2+ 4:+! 3+ =3+", .above = true, .answer = {FOUND, 3, DECIDED, 4, DECIDED, true}},
    {TO_9 " 9:~+! =8+", .above = true, .answer = {FOUND, 8, DECIDED, 9, DECIDED, true}},
    /* A larger size must pass afresh; if it does, the failure below is tried afresh as well. */
    {"1+ 2- =1+ =2- 4+ =4-", .above = true,
     .answer = {FOUND, 1, DECIDED, 2, DECIDED, .lost = 4, .lost_most = 4}},
    {"1+ 2- =1+ =2- 4+ =4+ =1+ =2-", .above = true,
     .answer = {SEARCH_NOT_MONOTONE, 1, DECIDED, 2, DECIDED, .passed_above = 4}},
    {"1+ 2- =1+ =2- 4+ =4+ =1+ =2+ 8- 6- 5- =4+ =5- 10-", .above = true,
     .answer = {FOUND, 4, DECIDED, 5, DECIDED}},
};

TEST(each_script_is_asked_for_and_ends_in_its_answer)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct search_plan plan = exact;
        struct search_probe probe = {0};
        const struct search_answer expected = cases[i].answer;
        plan.least = cases[i].least > 0 ? cases[i].least : plan.least;
        plan.most = cases[i].most > 0 ? cases[i].most : plan.most;
        plan.votes = cases[i].votes > 0 ? cases[i].votes : plan.votes;
        plan.resolution_percent = cases[i].resolution_percent;
        plan.look_above = cases[i].above;
        struct search search = begin(&plan);
        play(&search, cases[i].script);
        assert_int_equal(search_next(&search, &probe), cases[i].next > 0);
        assert_int_equal(probe.size, cases[i].next);
        const struct search_answer answer = search_answer(&search);
        print_message("%s\n", cases[i].script);
        assert_interval(&answer, expected.reason, expected.passed, expected.failed);
        assert_int_equal(answer.passed_end, expected.passed_end);
        assert_int_equal(answer.failed_end, expected.failed_end);
        assert_int_equal(answer.stopped, expected.stopped);
        assert_int_equal(answer.undecided, expected.undecided);
        assert_int_equal(answer.passed_above, expected.passed_above);
        assert_int_equal(answer.lost, expected.lost);
        assert_int_equal(answer.lost_most, expected.lost_most);
        search_deinit(&search);
    }
}

/* ------------------------------------------------------------------ verdicts by a capacity */

static void assert_decided(const struct search_answer *answer)
{
    assert_int_equal(answer->passed_end, DECIDED);
    assert_int_equal(answer->failed_end, DECIDED);
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

/* ------------------------------------------------------------------ the budget */

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

enum { SEARCHES = 1000 };

/* ------------------------------------------------------------------ synthetic trials */

/* What the trials of a world are like. */
struct noise {
    const char *name;
    uint32_t resolution_percent; /* of the searches */
    double steepness;   /* of the logistic probability to pass, in ln(size / capacity); long trials
                           are twice as steep */
    double correlation; /* of a trial's noise with that of the trial before */
    double stalls;      /* the share of trials that fail whatever their size is */
    bool dips;          /* sizes of 0.45 to 0.6 times the capacity fail nine times in ten */
    bool samples;       /* trials have 1,000 handoffs, long ones 4,000, and are judged by them; the
                           share over the limit grows with the 6th power of the size */
    double spread;      /* of that share's logarithm, from trial to trial */
};

struct world {
    const struct noise *noise;
    double capacity;
    double last; /* the noise of the trial before, normal */
    struct random random;
};

/* The sum of twelve uniform numbers less six is normal enough. */
static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

/* A uniform number from 0 to 1, correlated with that of the trial before. */
static double next_chance(struct world *world)
{
    double rho = world->noise->correlation;
    if (rho == 0)
        return random_unit(&world->random);
    world->last = rho * world->last + sqrt(1 - rho * rho) * normal(&world->random);
    return erfc(-world->last / sqrt(2)) / 2;
}

/* How many of so many independent handoffs are over the limit: the gaps are exponential. */
static uint64_t draw_over(struct random *random, uint64_t samples, double share)
{
    uint64_t over = 0;
    double mean = -1 / log1p(-fmin(share, 0.5)), at = 0;
    while ((at += 1 + floor(random_exponential(random, mean))) <= (double)samples)
        over++;
    return over;
}

static enum judge_verdict judge_samples(struct world *world, const struct search_probe *probe)
{
    static const struct objective p99 = {.percentile_hundredths = 9900, .limit_ns = 50000000};
    uint64_t samples = probe->longer ? 4000 : 1000;
    double share = 0.01 * pow((double)probe->size / world->capacity, 6) *
                   exp(world->noise->spread * normal(&world->random));
    return judge_percentile(&p99, samples, draw_over(&world->random, samples, share));
}

static enum judge_verdict run_trial(struct world *world, const struct search_probe *probe)
{
    const struct noise *noise = world->noise;
    if (noise->samples)
        return judge_samples(world, probe);
    double relative = (double)probe->size / world->capacity;
    double passes = 1 / (1 + pow(relative, noise->steepness * (probe->longer ? 2 : 1)));
    if (noise->dips && relative > 0.45 && relative < 0.6)
        passes = 0.1;
    return next_chance(world) < passes * (1 - noise->stalls) ? JUDGE_PASS : JUDGE_FAIL;
}

/* ------------------------------------------------------------------ many searches */

struct outcome {
    double passed[SEARCHES], failed[SEARCHES]; /* relative to the capacity */
    double trials[SEARCHES];
    size_t holds;        /* intervals that hold the capacity */
    size_t not_monotone; /* ended so */
};

static struct search_answer search_once(struct world *world, size_t *trials)
{
    struct search search;
    struct search_probe probe;
    struct search_plan plan = {.least = 1,
                               .most = 10000,
                               .votes = 3,
                               .fresh = 5,
                               .resolution_percent = world->noise->resolution_percent,
                               .look_above = true,
                               .trials_most = 300};
    search_init(&search, &plan);
    while (search_next(&search, &probe))
        search_report(&search, run_trial(world, &probe));
    struct search_answer answer = search_answer(&search);
    *trials = search.step_count;
    search_deinit(&search);
    return answer;
}

static void search_often(const struct noise *noise, struct outcome *outcome)
{
    struct world world = {.noise = noise};
    memset(outcome, 0, sizeof *outcome);
    random_init(&world.random, 11);
    for (size_t i = 0; i < SEARCHES; i++) {
        size_t trials;
        world.capacity = 20 * pow(100, random_unit(&world.random)); /* 20 to 2,000 */
        struct search_answer answer = search_once(&world, &trials);
        outcome->passed[i] = (double)answer.passed / world.capacity;
        outcome->failed[i] = (double)answer.failed / world.capacity;
        outcome->trials[i] = (double)trials;
        outcome->holds += outcome->passed[i] <= 1 && 1 <= outcome->failed[i];
        outcome->not_monotone += answer.reason == SEARCH_NOT_MONOTONE;
    }
    statistics_sort(outcome->passed, SEARCHES);
    statistics_sort(outcome->failed, SEARCHES);
    statistics_sort(outcome->trials, SEARCHES);
}

/* ------------------------------------------------------------------ the table */

/* The noise of each row of the table. */
static const struct noise rows[] = {
    {.name = "sharp", .resolution_percent = 10, .steepness = 40},
    {.name = "medium", .resolution_percent = 10, .steepness = 12},
    {.name = "blunt", .resolution_percent = 10, .steepness = 5},
    {.name = "medium, correlation 0.9",
     .resolution_percent = 10,
     .steepness = 12,
     .correlation = 0.9},
    {.name = "medium, 5 % stalls", .resolution_percent = 10, .steepness = 12, .stalls = 0.05},
    {.name = "medium, 15 % stalls", .resolution_percent = 10, .steepness = 12, .stalls = 0.15},
    {.name = "medium, dip", .resolution_percent = 10, .steepness = 12, .dips = true},
    {.name = "handoffs", .resolution_percent = 10, .samples = true},
    {.name = "handoffs, spread", .resolution_percent = 10, .samples = true, .spread = 0.5},
    {.name = "medium, resolution 25 %", .resolution_percent = 25, .steepness = 12},
    {.name = "handoffs, spread, resolution 25 %",
     .resolution_percent = 25,
     .samples = true,
     .spread = 0.5},
};

enum { ROWS = sizeof rows / sizeof rows[0], LINE_SIZE = 160 };

/* The places of the 5th, 50th and 95th percentile in the sorted results. */
enum { P5 = SEARCHES / 20 - 1, P50 = SEARCHES / 2 - 1, P95 = SEARCHES - SEARCHES / 20 - 1 };

static struct outcome outcomes[ROWS];

FIXTURE(search_for_all_rows)
{
    for (size_t i = 0; i < ROWS; i++)
        search_often(&rows[i], &outcomes[i]);
    return 0;
}

static void format_line(size_t row, char *line)
{
    const struct outcome *outcome = &outcomes[row];
    snprintf(line, LINE_SIZE,
             "| %s | %.2f %.2f %.2f | %.2f %.2f %.2f | %.0f %% | %.0f %.0f | %.1f %% |\n",
             rows[row].name, outcome->passed[P5], outcome->passed[P50], outcome->passed[P95],
             outcome->failed[P5], outcome->failed[P50], outcome->failed[P95],
             100.0 * (double)outcome->holds / SEARCHES, outcome->trials[P50], outcome->trials[P95],
             100.0 * (double)outcome->not_monotone / SEARCHES);
}

/* ------------------------------------------------------------------ what is asserted */

/* Whatever else the search does, the figures would be others. */
TEST(the_document_shows_this_table)
{
    char *text = read_text("docs/operators.md");
    size_t lacking = 0;
    for (size_t i = 0; i < ROWS; i++) {
        char line[LINE_SIZE];
        format_line(i, line);
        if (strstr(text, line) == NULL && ++lacking > 0)
            print_message("%s", line);
    }
    free(text);
    assert_int_equal(lacking, 0);
}

TEST_GROUP(search_for_all_rows, NULL)
