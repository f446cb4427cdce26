// SPDX-License-Identifier: Apache-2.0
/* The table of a run, of trials made by hand: whatever they are, it fits and is aligned. */
#include "bench/run/internal.h"

#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

static struct sample list[8];
static uint64_t levels[] = {10, 1000, 100000};
static struct samples samples;
static struct options options;
static char *text;

/* Trials of n² + n RPCs, one at each level. */
static void lay_out(const struct recipe *recipe, size_t level_count)
{
    samples = (struct samples){list, level_count};
    options = (struct options){.plan.recipes = {recipe},
                               .plan.recipe_count = 1,
                               .plan.clients.list = levels,
                               .plan.clients.count = level_count,
                               .target.topology_count = 1};
    for (size_t i = 0; i < level_count; i++) {
        uint64_t n = levels[i];
        list[i] = (struct sample){
            .cell = {.recipe = recipe, .clients = (uint32_t)n, .trial = 1},
            .has_law = true,
            .valid = true,
            .complete = true,
            .drain_s = 0.001 * (double)n,
            .handoff_us = {1234, 1500, 2345, 3000},
        };
        list[i].total.of[TALLY_CREATE] = n * (n + 1) / 2;
        list[i].total.of[TALLY_DELETE] = n;
        list[i].total.of[TALLY_EXISTS] = n * (n - 1) / 2;
        list[i].total.of[TALLY_NOTIFICATION] = n * (n - 1) / 2;
        list[i].total.of[TALLY_BYTES_SENT] = 100 * n * n;
    }
}

static const char *write_in(size_t width)
{
    size_t length = 0;
    free(text);
    FILE *stream = open_memstream(&text, &length);
    table_write(samples_outcome(&samples, &options), width, stream);
    fclose(stream);
    return text;
}

static size_t widest(const char *lines)
{
    size_t most = 0;
    for (const char *line = lines; *line != '\0'; line = strchr(line, '\n') + 1)
        most = strcspn(line, "\n") > most ? strcspn(line, "\n") : most;
    return most;
}

static void assert_has(const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}

/* It is in the conclusion, then. */
TEST(a_verdict_that_all_have_is_no_column)
{
    lay_out(&recipe_nonscalable, 2);
    assert_string_equal(
        write_in(80),
        "                                      notifi-         drain handoff handoff\n"
        "recipe      clients      RPCs CREATEs cations      kB     s  p50 ms  p99 ms\n"
        "nonscalable      10       110      55      45      10 0.010    1.23    2.35\n"
        "nonscalable    1000 1,001,000 500,500 499,500 100,000 1.000    1.23    2.35\n");
    list[0].violations = 1;
    write_in(80);
    assert_has("       110 FAILS ");
    assert_has(" 1,001,000 = law ");
    list[0].violations = 0;
    list[1].valid = list[1].complete = false;
    write_in(80);
    assert_has(" 1,001,000 not valid ");
    assert_null(strstr(text, "counts of"));
    list[1].valid = list[1].complete = true;
    list[0].has_law = list[1].has_law = false;
    assert_null(strstr(write_in(80), "verdict"));
}

/* Times of trials that are not valid are in no median. */
TEST(times_are_of_valid_trials)
{
    lay_out(&recipe_nonscalable, 1);
    list[1] = list[0];
    list[1].valid = false;
    list[1].drain_s = 20;
    samples.count = 2;
    write_in(80);
    assert_has(" 0.010    1.23    2.35\n");
}

/* Its counts equal their law whatever its times are worth. */
TEST(a_trial_without_times_leaves_the_verdict_of_the_counts)
{
    lay_out(&recipe_nonscalable, 2);
    list[2] = list[3] = list[1];
    samples.count = 4;
    list[2].valid = false;
    write_in(80);
    assert_null(strstr(text, "verdict"));
    assert_has("\nnonscalable, 1,000 clients: counts of 3 of 3 trials, times of 2\n");
    /* One that was aborted is in neither, and has no law of its own. */
    list[3].valid = list[3].complete = list[3].has_law = false;
    write_in(80);
    assert_has("\nnonscalable, 1,000 clients: counts of 2 of 3 trials, times of 1\n");
    assert_null(strstr(text, "10 clients"));
    list[0].has_law = list[1].has_law = list[2].has_law = false;
    write_in(80);
    assert_has("\nnonscalable, 1,000 clients: ");
}

/* If no other is there, the counts are those of the aborted one. */
TEST(counts_are_of_complete_trials)
{
    lay_out(&recipe_nonscalable, 1);
    list[1] = list[2] = list[0];
    samples.count = 3;
    list[1].total = list[2].total = (struct tally){.of = {[TALLY_CREATE] = 7}};
    list[1].valid = list[1].complete = list[2].valid = list[2].complete = false;
    write_in(80);
    assert_has("      10  110      55      45 10 ");
    list[0].complete = false;
    write_in(80);
    assert_has("      10    7 not valid       7       0  0 ");
    /* What was released until a verdict failed is no drain. */
    list[0].valid = true;
    list[0].violations = 1;
    write_in(80);
    assert_has("      10    7 FAILS         7       0  0     -    1.23    2.35\n");
}

/* 10^10 requests, and a recipe with the longest of names: RPCs to the last one. */
TEST(large_counts_and_long_names_fit)
{
    lay_out(&recipe_scalable_listwatch, 3);
    list[0].violations = 1; /* so that the column of verdicts is there */
    assert_true(widest(write_in(80)) <= 80);
    assert_has(" 10,000,100,000 = law ");
    assert_has(" 5.0G ");
    assert_has(" 499.5k ");
    assert_null(strstr(text, "CREATEs cations"));
    assert_has("\nNo room for CREATEs, MB, p99 ms: see trials.csv.\n"
               "k, M, G: rounded; the exact counts are in trials.csv.\n");
    write_in(200);
    assert_has(" 5,000,050,000 ");
    assert_has(" 1,000,000 "); /* MB */
    assert_null(strstr(text, "rounded"));
    assert_null(strstr(text, "No room"));
    lay_out(&recipe_nonscalable, 1);
    write_in(47);
    assert_has("\nNo room for CREATEs, kB, p99 ms: see trials.csv.\n");
    assert_null(strstr(text, "rounded"));
}

/* Every line of the table ends in the same column, however its numbers are written. */
TEST(lines_are_aligned)
{
    for (size_t width = 60; width < 130; width++) {
        lay_out(&recipe_scalable, 3);
        const char *line = strchr(strchr(write_in(width), '\n') + 1, '\n') + 1;
        size_t first = strcspn(line, "\n");
        assert_true(width < 75 || first <= width);
        for (int i = 0; i < 3; i++, line = strchr(line, '\n') + 1)
            assert_int_equal(strcspn(line, "\n"), first);
    }
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    return 0;
}

TEST_GROUP(NULL, free_text)
