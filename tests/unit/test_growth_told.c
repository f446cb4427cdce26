// SPDX-License-Identifier: Apache-2.0
/* What a run says of how its costs grow, and what fits.csv has of it, of trials made by hand. */
#include "bench/run/internal.h"

#include "recipes/law.h"
#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

#define TRIALS_MAX 64

static struct sample list[TRIALS_MAX];
static struct samples samples;
static uint64_t levels[] = {4, 8, 16, 32, 64, 128};
static struct options options;
static char *text;

/* A trial whose counts are the law's, and whose drain took n² microseconds. */
static struct sample *add(const struct recipe *recipe, uint64_t n)
{
    struct sample *sample = &list[samples.count++];
    *sample = (struct sample){.cell = {.recipe = recipe, .clients = (uint32_t)n, .trial = 1},
                              .has_law = true,
                              .valid = true,
                              .complete = true,
                              .beta = NAN,
                              .drain_s = 1e-6 * (double)(n * n)};
    law_total(recipe, n, n, &sample->law);
    sample->total = sample->law;
    sample->total.of[TALLY_BYTES_SENT] = 100 * n + n % 7;
    return sample;
}

/* One trial at each of the first so many levels. */
static void lay_out(const struct recipe *recipe, size_t level_count)
{
    samples = (struct samples){list, 0};
    options = (struct options){.plan.recipes = {recipe},
                               .plan.recipe_count = 1,
                               .plan.clients.list = levels,
                               .plan.clients.count = level_count,
                               .plan.locks = 1};
    for (size_t i = 0; i < level_count; i++)
        add(recipe, levels[i]);
}

static const char *told(void)
{
    free(text);
    text = samples_told(&samples, &options, fits_tell);
    return text;
}

/* The rows of fits.csv. */
static const char *written(void)
{
    struct waiters *waiters = NULL;
    struct error error;
    size_t length = 0;
    assert_int_equal(waiters_new(options.plan.recipes[0], 128, &waiters, &error), ERROR_NONE);
    /* One octave, so that there is a row of handoff_us, which has β. */
    waiters->levels[1] = (struct waiters_level){.handoffs = 1, .timed = 1, .handoff_us = 5};
    static struct series_record base;
    const struct record record = {.options = &options,
                                  .base = &base,
                                  .waiters = {waiters},
                                  .outcome = samples_outcome(&samples, &options)};
    free(text);
    FILE *stream = open_memstream(&text, &length);
    struct csv csv = {.stream = stream};
    fits_write(&record, &csv);
    fclose(stream);
    waiters_free(waiters);
    return text;
}

static void assert_has(const char *words)
{
    if (strstr(text, words) == NULL)
        fail_msg("'%s' lacks '%s'", text, words);
}

/* ------------------------------------------------------------------ counts */

/* Readers and writers come in fours: elsewhere their law is no polynomial of n. */
TEST(a_law_that_is_no_polynomial_at_these_levels_is_a_law)
{
    const struct recipe *recipe = &recipe_rwlock_curator;
    lay_out(recipe, 2);
    told();
    assert_has("rwlock-curator: RPCs: exactly 3/16·n² + 17/4·n - 2 at every n: O(n²)\n");
    add(recipe, 5);
    told();
    assert_has("rwlock-curator: RPCs: exactly the law at every n: O(n²)\n");
}

/* A count that is off, or a trial that failed or has no law, and it is a fit's to say. */
TEST(what_is_off_its_law_is_not_that_law)
{
    lay_out(&recipe_nonscalable, 4);
    list[2].total.of[TALLY_EXISTS]++;
    assert_null(strstr(told(), "exactly n²"));
    assert_has("nonscalable: RPCs grow as n^1.");
    assert_has("\nHow RPCs, bytes and times grow is undetermined: 4 client counts, ");
    lay_out(&recipe_nonscalable, 4);
    list[2].violations = 1;
    assert_null(strstr(told(), "exactly n²"));
    lay_out(&recipe_nonscalable, 4);
    list[2].has_law = false;
    assert_null(strstr(told(), "exactly n²"));
    lay_out(&recipe_nonscalable, 4);
    options.plan.pace = PACE_FREE;
    assert_null(strstr(told(), "exactly n²"));
    assert_has("How RPCs, bytes and times grow is undetermined: ");
    lay_out(&recipe_nonscalable, 4);
    options.plan.locks = 2;
    assert_null(strstr(told(), "exactly n²"));
    lay_out(&recipe_nonscalable, 4);
    options.plan.workload = WORKLOAD_STEADY;
    assert_null(strstr(told(), "exactly n²"));
}

/* ------------------------------------------------------------------ an extra waiter */

TEST(an_extra_waiter_is_told_of_the_trials_at_the_most_clients)
{
    lay_out(&recipe_nonscalable, 1);
    for (int i = 0; i < 6; i++)
        add(&recipe_nonscalable, 8)->beta = 0.5;
    for (int i = 0; i < 5; i++)
        add(&recipe_nonscalable, 16)->beta = 0.02 + 0.001 * i;
    told();
    assert_has("\n    each extra waiter adds 2.2 % (95 % CI 2.0 to 2.4) to an uncontended "
               "handoff\n");
    assert_non_null(strstr(written(), ",0.022000,0.020037,0.023963\n"));
    /* Of the trials whose times stand. */
    for (size_t i = 7; i < samples.count; i++)
        list[i].valid = false;
    told();
    assert_has("each extra waiter adds 50.0 %");
}

TEST(four_trials_have_no_interval_for_an_extra_waiter)
{
    lay_out(&recipe_nonscalable, 1);
    for (int i = 0; i < 4; i++)
        add(&recipe_nonscalable, 8)->beta = 0.02 + 0.001 * i;
    assert_null(strstr(told(), "extra waiter"));
    assert_non_null(strstr(written(), ",0.021500,,\n"));
    add(&recipe_nonscalable, 8)->beta = 0.024;
    assert_non_null(strstr(told(), "extra waiter"));
}

static int free_text(void **state)
{
    (void)state;
    free(text);
    return 0;
}

TEST_GROUP(NULL, free_text)
