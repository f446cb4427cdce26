// SPDX-License-Identifier: Apache-2.0
/* What is computed from the trials of a run: the times of those that are not valid are in none of
 * it, their counts are; a trial that failed, or was cut short, is in no fit. */

#include "bench/cli/options.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"

#include "tests/support/samples.h"
#include "tests/support/test.h"

#include <math.h>

#define LEVELS 6
#define TRIALS 5

static struct options options;
static struct sample list[LEVELS * TRIALS];
static struct samples samples = {list, LEVELS *TRIALS};
static struct waiters *waiters;
static uint64_t levels[LEVELS] = {8, 16, 32, 64, 128, 256};

/* 5 RPCs and 2 s a client, in every trial alike. */
static int set_up(void **state)
{
    const struct recipe *recipe = registry_find("scalable");
    struct error error;
    (void)state;
    options = (struct options){.plan.recipes = {recipe},
                               .plan.recipe_count = 1,
                               .plan.clients.list = levels,
                               .plan.clients.count = LEVELS,
                               .plan.locks = 1};
    for (size_t i = 0; i < LEVELS * TRIALS; i++) {
        uint32_t clients = (uint32_t)levels[i / TRIALS];
        list[i] = (struct sample){
            .cell = {.recipe = recipe, .clients = clients, .trial = 1 + (uint32_t)i % TRIALS},
            .total.of[TALLY_EXISTS] = UINT64_C(5) * clients,
            .elapsed_s = 2 * clients,
            .drain_s = 2 * clients,
            .handoff_us = {1000, 1000, 1000, 1000},
            .handoff_of_us[ROLE_LEADER] = 1000,
            .handoff_of_us[ROLE_FOLLOWER] = 2000,
            .recovery_s = 1,
            .beta = 0.5,
            .complete = true,
            .valid = true,
        };
    }
    return waiters_new(recipe, levels[LEVELS - 1], &waiters, &error) == ERROR_NONE ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    waiters_free(waiters);
    return 0;
}

/* The last trial at the most clients, as different as can be. */
static struct sample *strange_trial(void)
{
    struct sample *sample = &samples.list[samples.count - 1];
    sample->elapsed_s = sample->drain_s = 1e6;
    sample->handoff_us[0] = sample->handoff_us[2] = 1e9;
    sample->handoff_of_us[ROLE_LEADER] = 1e9;
    sample->recovery_s = 1e6;
    sample->beta = 1e6;
    return sample;
}

static char *write_fits(void)
{
    char *text = NULL;
    size_t size;
    struct csv csv = {.stream = open_memstream(&text, &size)};
    static struct series_record base = {.files.run = "run1"};
    const struct record record = {.options = &options,
                                  .waiters = {waiters},
                                  .base = &base,
                                  .outcome = samples_outcome(&samples, &options)};
    assert_non_null(csv.stream);
    fits_write(&record, &csv);
    fclose(csv.stream);
    return text;
}

/* The exact polynomial in the row of this metric. */
static void assert_fitted(const char *metric, const char *coefficients)
{
    char begin[64], end[64];
    char *text = write_fits();
    snprintf(begin, sizeof begin, "run1,scalable,%s,clients,6,1.0000,", metric);
    snprintf(end, sizeof end, ",O(n),%s,", coefficients);
    const char *row = strstr(text, begin);
    if (row == NULL || strstr(row, end) == NULL || strstr(row, end) > strchr(row, '\n'))
        fail_msg("%s is not fitted as %s: %s", metric, coefficients, text);
    free(text);
}

static void assert_all_fitted(void)
{
    assert_fitted("rpcs", "0.000000,5.000000,0.000000,0.000000,0.000000");
    assert_fitted("elapsed_s", "0.000000,2.000000,0.000000,0.000000,0.000000");
    assert_fitted("drain_s", "0.000000,2.000000,0.000000,0.000000,0.000000");
}

static void write_all(const struct outcome *outcome, FILE *stream)
{
    table_write(outcome, 80, stream);
    conclusion_sentences(outcome, stream);
}

static void assert_told(const char *words, bool told)
{
    char *text = samples_told(&samples, &options, write_all);
    if ((strstr(text, words) != NULL) != told)
        fail_msg("\"%s\" is%s in: %s", words, told ? " not" : "", text);
    free(text);
}

/* ------------------------------------------------------------------ fits */

TEST_BETWEEN(test_a_trial_that_is_not_valid_is_in_no_fit_of_times, set_up, tear_down)
{
    assert_all_fitted();
    assert_told("50.0 %", true);
    strange_trial()->valid = false;
    assert_all_fitted();
    assert_told("50.0 %", false); /* four are too few for an interval */
}

TEST_BETWEEN(test_the_counts_of_a_trial_that_is_not_valid_are_fitted, set_up, tear_down)
{
    struct sample *sample = strange_trial();
    sample->valid = false;
    sample->total.of[TALLY_EXISTS] += 5;
    char *text = write_fits(); /* the mean at 256 is one more than 5n */
    assert_null(strstr(text, "run1,scalable,rpcs,clients,6,1.0000,1.0000,1.0000,O(n),0.000000,5"));
    assert_non_null(strstr(text, "run1,scalable,rpcs,clients,6,"));
    free(text);
}

TEST_BETWEEN(test_a_trial_whose_verdict_failed_is_in_no_fit, set_up, tear_down)
{
    struct sample *sample = strange_trial();
    sample->violations = 1;
    sample->total.of[TALLY_EXISTS] += 5;
    assert_all_fitted();
}

TEST_BETWEEN(test_a_trial_that_was_cut_short_is_in_no_fit, set_up, tear_down)
{
    struct sample *sample = strange_trial();
    sample->complete = sample->valid = false;
    sample->total.of[TALLY_EXISTS] += 5;
    assert_all_fitted();
}

/* ------------------------------------------------------------------ medians */

/* All trials but one: a median over all would be the odd ones'. */
static void spoil_all_but_one(size_t level)
{
    for (size_t i = 1; i < TRIALS; i++) {
        struct sample *sample = &samples.list[level * TRIALS + i];
        sample->valid = false;
        sample->drain_s = 777;
        sample->handoff_us[0] = sample->handoff_us[2] = 777e3;
        sample->handoff_of_us[ROLE_LEADER] = 777e3;
        sample->recovery_s = 777;
    }
}

TEST_BETWEEN(test_medians_of_times_are_over_the_valid_trials, set_up, tear_down)
{
    spoil_all_but_one(LEVELS - 1);
    assert_told("512.000", true);
    assert_told("777", false);
    assert_told("1,280", true); /* the counts stand */
    assert_told("leader 1.00 ms", true);
    assert_told("died in 30 trials; the next grant came 1.000 s after", true);
}

TEST_BETWEEN(test_where_no_trial_is_valid_no_time_is_told, set_up, tear_down)
{
    spoil_all_but_one(LEVELS - 1);
    samples.list[(LEVELS - 1) * TRIALS].valid = false;
    assert_told("512.000", false);
    assert_told("1,280", true);
    assert_told("leader", false);
}
