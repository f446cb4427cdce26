// SPDX-License-Identifier: Apache-2.0
/* Handoffs by their waiters, of a trial whose ledger is made by hand. */
#include "bench/run/internal.h"

#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>

#define CLIENTS 300

static struct trial_plan plan = {.recipe = &recipe_scalable, .fleet.sessions = CLIENTS, .locks = 1};
static struct trial_result result;
static struct waiters *waiters;
static char *text;

FIXTURE(set_up)
{
    struct error error;
    result = (struct trial_result){.handoffs = CLIENTS};
    return trial_memory_new(&plan, &result.memory, &error) != ERROR_NONE ||
           (waiters = waiters_new(&recipe_scalable, CLIENTS)) == NULL;
}

FIXTURE(tear_down)
{
    waiters_free(waiters);
    trial_memory_free(result.memory);
    free(text);
    text = NULL;
    return 0;
}

/* The next handoff: with so many waiters, and that took so long. */
static void hand_over(uint32_t waiting, uint64_t handoff_ns)
{
    uint64_t handoff = atomic_fetch_add(&result.memory->locks[0].releases, 1) + 1;
    struct ledger_row *row = ledger_row(&result.memory->ledger, 0, handoff);
    row->waiters = waiting;
    row->handoff_ns = handoff_ns;
    row->tally.of[TALLY_CREATE] = 2;
    row->tally.of[TALLY_NOTIFICATION] = waiting;
}

/* The rows of waiters.csv for what has been handed over. */
static const char *written(bool timed)
{
    struct error error;
    double beta;
    size_t length = 0;
    assert_int_equal(waiters_add(waiters, &result, timed, &beta, &error), ERROR_NONE);
    struct options options = {.plan.recipe_count = 1};
    const struct outcome outcome = {
        .options = &options, .run = "run", .recipes = {{.waiters = waiters}}};
    FILE *stream = open_memstream(&text, &length);
    waiters_write(stream, &outcome);
    fclose(stream);
    return strchr(text, '\n') + 1; /* behind the header */
}

static size_t count_lines(const char *lines)
{
    size_t count = 0;
    for (; *lines != '\0'; lines++)
        count += *lines == '\n';
    return count;
}

/* 1, 2-3, 4-7: what lies at an end of one is not in its neighbours. */
TEST_BETWEEN(each_number_of_waiters_is_in_one_octave, set_up, tear_down)
{
    for (uint32_t waiting = 1; waiting <= 8; waiting++)
        hand_over(waiting, 1000);
    assert_string_equal(written(true), "run,scalable,1,1,1.00,1,2.000,1.000,2.000,1.0,,,,,,1\n"
                                       "run,scalable,2,3,2.50,2,2.000,2.500,2.000,1.0,,,,,,2\n"
                                       "run,scalable,4,7,5.50,4,2.000,5.500,2.000,1.0,,,,,,4\n"
                                       "run,scalable,8,15,8.00,1,2.000,8.000,2.000,1.0,,,,,,1\n");
    uint64_t handoffs = 0;
    for (size_t octave = 0; octave < WAITERS_OCTAVES; octave++)
        handoffs += waiters_octave_sum(waiters, octave).of[WAITERS_HANDOFFS];
    assert_int_equal(handoffs, 8);
}

TEST_BETWEEN(a_99th_percentile_takes_a_hundred_handoffs, set_up, tear_down)
{
    for (int i = 0; i < 99; i++)
        hand_over(1, 1000);
    for (int i = 0; i < 100; i++)
        hand_over(4, 2000);
    assert_string_equal(written(true),
                        "run,scalable,1,1,1.00,99,2.000,1.000,2.000,1.0,,,,,,99\n"
                        "run,scalable,4,7,4.00,100,2.000,4.000,2.000,2.0,,,2.0,,,100\n");
}

/* A trial whose times do not stand: its counts do. */
TEST_BETWEEN(counts_of_a_trial_without_times, set_up, tear_down)
{
    for (int i = 0; i < 100; i++)
        hand_over(1, 1000);
    assert_string_equal(written(false), "run,scalable,1,1,1.00,100,2.000,1.000,2.000,,,,,,,0\n");
}

/* Of two trials one has times: their mean number of waiters is its own. */
TEST_BETWEEN(the_handoffs_with_times_are_counted_apart, set_up, tear_down)
{
    struct error error;
    double beta;
    hand_over(4, 1000);
    assert_int_equal(waiters_add(waiters, &result, false, &beta, &error), ERROR_NONE);
    trial_memory_free(result.memory);
    assert_int_equal(trial_memory_new(&plan, &result.memory, &error), ERROR_NONE);
    hand_over(7, 3000);
    hand_over(7, 3000);
    assert_string_equal(written(true), "run,scalable,4,7,6.00,3,2.000,6.000,2.000,3.0,,,,,,2\n");
    const struct waiters_level sum = waiters_octave_sum(waiters, 2);
    assert_true(sum.of[WAITERS_TIMED] == 2 && sum.of[WAITERS_TIMED_WAITING] == 14);
    assert_true(sum.of[WAITERS_HANDOFFS] == 3 && sum.of[WAITERS_WAITING] == 18);
}

/* Adds trials of one handoff each, and returns the row of their octave. */
static const char *written_of_trials(const uint64_t *handoffs_ns, size_t count)
{
    struct error error;
    double beta;
    for (size_t i = 0; i + 1 < count; i++) {
        hand_over(1, handoffs_ns[i]);
        assert_int_equal(waiters_add(waiters, &result, true, &beta, &error), ERROR_NONE);
        trial_memory_free(result.memory);
        assert_int_equal(trial_memory_new(&plan, &result.memory, &error), ERROR_NONE);
    }
    hand_over(1, handoffs_ns[count - 1]);
    return written(true);
}

/* The same estimator without an interval and, from five trials on, with one. */
TEST_BETWEEN(few_trials_have_a_geometric_mean, set_up, tear_down)
{
    static const uint64_t handoffs_ns[] = {1000, 2000, 32000, 4000, 4000};
    assert_string_equal(written_of_trials(handoffs_ns, 4),
                        "run,scalable,1,1,1.00,4,2.000,1.000,2.000,4.0,,,,,,4\n");
    tear_down(NULL);
    set_up(NULL);
    assert_string_equal(written_of_trials(handoffs_ns, 5),
                        "run,scalable,1,1,1.00,5,2.000,1.000,2.000,4.0,0.8,20.0,,,,5\n");
}

/* Row 0, and a release that nobody waited for, or that handed on nothing. */
TEST_BETWEEN(what_is_no_handoff_is_in_no_row, set_up, tear_down)
{
    hand_over(0, 1000);
    hand_over(5, 0);
    assert_int_equal(count_lines(written(true)), 0);
}
