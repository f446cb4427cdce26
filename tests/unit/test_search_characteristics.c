// SPDX-License-Identifier: Apache-2.0
/*
 * How often the search is wrong, and by how much: its operating characteristics, on synthetic
 * trials whose capacity is known. Fixed seeds, no clock.
 *
 * docs/operators.md shows the table; a test prints the lines that it lacks. Tests run in the folder
 * that README.md is in.
 */
#include "capacity/search.h"

#include "base/random.h"
#include "measure/statistics.h"

#include "tests/support/csv_file.h"
#include "tests/support/test.h"

#include <math.h>

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
    size_t holds;                /* intervals that hold the capacity */
    size_t not_monotone, others; /* ended so, or otherwise than found */
    size_t low, low_reported;    /* below 0.6 times the capacity; of these, not monotone */
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
        outcome->low += outcome->passed[i] < 0.6;
        outcome->low_reported += outcome->passed[i] < 0.6 && answer.passed_above > 0;
        outcome->others += answer.reason != SEARCH_NOT_MONOTONE && answer.reason != SEARCH_FOUND;
    }
    statistics_sort(outcome->passed, SEARCHES);
    statistics_sort(outcome->failed, SEARCHES);
    statistics_sort(outcome->trials, SEARCHES);
}

/* ------------------------------------------------------------------ the table */

/* The noise of a row of the table, and bounds that its figures keep with a margin. */
static const struct row {
    struct noise noise;
    double passed_p5_least, passed_p95_most, holds_least_percent, trials_p95_most;
} rows[] = {
    {{.name = "sharp", .resolution_percent = 10, .steepness = 40}, 0.88, 1.03, 80, 60},
    {{.name = "medium", .resolution_percent = 10, .steepness = 12}, 0.85, 1.08, 50, 70},
    {{.name = "blunt", .resolution_percent = 10, .steepness = 5}, 0.75, 1.15, 25, 90},
    {{.name = "medium, correlation 0.9",
      .resolution_percent = 10,
      .steepness = 12,
      .correlation = 0.9},
     0.75,
     1.15,
     30,
     80},
    {{.name = "medium, 5 % stalls", .resolution_percent = 10, .steepness = 12, .stalls = 0.05},
     0.80,
     1.08,
     48,
     80},
    {{.name = "medium, 15 % stalls", .resolution_percent = 10, .steepness = 12, .stalls = 0.15},
     0.70,
     1.07,
     40,
     100},
    {{.name = "medium, dip", .resolution_percent = 10, .steepness = 12, .dips = true},
     0.35,
     1.07,
     25,
     70},
    {{.name = "handoffs", .resolution_percent = 10, .samples = true}, 0.82, 1.00, 95, 75},
    {{.name = "handoffs, spread", .resolution_percent = 10, .samples = true, .spread = 0.5},
     0.80,
     1.06,
     60,
     80},
    {{.name = "medium, resolution 25 %", .resolution_percent = 25, .steepness = 12},
     0.76,
     1.06,
     72,
     60},
    {{.name = "handoffs, spread, resolution 25 %",
      .resolution_percent = 25,
      .samples = true,
      .spread = 0.5},
     0.73,
     1.05,
     76,
     65},
};

enum { ROWS = sizeof rows / sizeof rows[0], DIP = 6, LINE_SIZE = 160 };

/* The places of the 5th, 50th and 95th percentile in the sorted results. */
enum { P5 = SEARCHES / 20 - 1, P50 = SEARCHES / 2 - 1, P95 = SEARCHES - SEARCHES / 20 - 1 };

static struct outcome outcomes[ROWS];

FIXTURE(search_for_all_rows)
{
    for (size_t i = 0; i < ROWS; i++)
        search_often(&rows[i].noise, &outcomes[i]);
    return 0;
}

static void format_line(size_t row, char *line)
{
    const struct outcome *outcome = &outcomes[row];
    snprintf(line, LINE_SIZE,
             "| %s | %.2f %.2f %.2f | %.2f %.2f %.2f | %.0f %% | %.0f %.0f | %.1f %% |\n",
             rows[row].noise.name, outcome->passed[P5], outcome->passed[P50], outcome->passed[P95],
             outcome->failed[P5], outcome->failed[P50], outcome->failed[P95],
             100.0 * (double)outcome->holds / SEARCHES, outcome->trials[P50], outcome->trials[P95],
             100.0 * (double)outcome->not_monotone / SEARCHES);
}

/* ------------------------------------------------------------------ what is asserted */

TEST(the_answer_is_near_the_capacity)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct outcome *outcome = &outcomes[i];
        double holds_percent = 100.0 * (double)outcome->holds / SEARCHES;
        if (outcome->passed[P5] < rows[i].passed_p5_least ||
            outcome->passed[P95] > rows[i].passed_p95_most ||
            holds_percent < rows[i].holds_least_percent ||
            outcome->trials[P95] > rows[i].trials_p95_most) {
            char line[LINE_SIZE];
            format_line(i, line);
            fail_msg("%s", line);
        }
    }
}

/* Except where the answers dip, a search ends with both ends of its interval, and reports no answer
 * that is not monotone. */
TEST(few_searches_find_nothing)
{
    for (size_t i = 0; i < ROWS; i++) {
        assert_in_range(outcomes[i].others, 0, SEARCHES / 100);
        if (i != DIP)
            assert_in_range(outcomes[i].not_monotone, 0, SEARCHES / 20);
    }
}

/* A search whose probes meet the dip ends there, and says so unless twice the size that failed is
 * beyond the capacity. */
TEST(a_dip_that_was_met_is_reported)
{
    assert_in_range(outcomes[DIP].low, SEARCHES / 5, SEARCHES / 2);
    assert_in_range(outcomes[DIP].low_reported, outcomes[DIP].low * 2 / 3, outcomes[DIP].low);
}

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
