// SPDX-License-Identifier: Apache-2.0
/* When the brake is applied, on counts whose times are written out here. */

#include "capacity/brake.h"

#include "tests/support/test.h"

#define BEGIN_NS (100 * NS_PER_S)

static struct brake brake;
static struct brake_counts counts;
static uint64_t now_ns;

/* The bystander has read for a while, and not every read was fast. */
FIXTURE(begin)
{
    counts = (struct brake_counts){
        .due = 50, .done = 52, .slow = 20, .late = 3, .errors = 4, .losses = 2};
    now_ns = BEGIN_NS;
    brake_begin(&brake, now_ns, &counts);
    return 0;
}

static enum brake_reason look_after(uint64_t passed_ns)
{
    now_ns += passed_ns;
    return brake_look(&brake, now_ns, &counts);
}

static enum brake_reason look(void)
{
    return look_after(BRAKE_LOOK_NS);
}

/* So many reads, answered in time. */
static void answer(uint64_t reads)
{
    counts.due += reads;
    counts.done += reads;
}

static void answer_slowly(uint64_t reads)
{
    answer(reads);
    counts.slow += reads;
}

TEST_BETWEEN(what_was_before_is_forgiven, begin, NULL)
{
    assert_int_equal(look(), BRAKE_NONE);
    for (int i = 0; i < 100; i++) {
        answer(1);
        assert_int_equal(look(), BRAKE_NONE);
    }
}

TEST_BETWEEN(a_quarter_of_the_window, begin, NULL)
{
    answer_slowly(BRAKE_SLOW_READS - 1);
    assert_int_equal(look(), BRAKE_NONE);
    answer_slowly(1);
    assert_int_equal(look(), BRAKE_SLOW);
}

/* Just as many, but spread over more than a window. */
TEST_BETWEEN(what_is_past_counts_no_more, begin, NULL)
{
    for (int i = 0; i < 100; i++) {
        answer(1);
        if (i % BRAKE_SLOW_READS == 0)
            counts.slow++;
        assert_int_equal(look(), BRAKE_NONE);
    }
    answer_slowly(2);
    assert_int_equal(look(), BRAKE_SLOW);
}

/* The window is of time, however often it was looked. */
TEST_BETWEEN(few_looks_see_the_same_window, begin, NULL)
{
    answer_slowly(BRAKE_SLOW_READS - 1);
    assert_int_equal(look_after(BRAKE_WINDOW_NS / 2), BRAKE_NONE);
    answer_slowly(1);
    assert_int_equal(look_after(BRAKE_WINDOW_NS / 2), BRAKE_SLOW);
    begin(NULL);
    answer_slowly(BRAKE_SLOW_READS - 1);
    assert_int_equal(look_after(BRAKE_WINDOW_NS / 2), BRAKE_NONE);
    assert_int_equal(look_after(BRAKE_WINDOW_NS), BRAKE_NONE);
    answer_slowly(1);
    assert_int_equal(look_after(BRAKE_WINDOW_NS / 2), BRAKE_NONE);
}

/* A server that stands still is noticed before it answers. */
TEST_BETWEEN(a_silence, begin, NULL)
{
    counts.due = counts.done;
    counts.waits = true;
    for (int i = 1; i < BRAKE_SLOW_READS; i++) {
        counts.due++;
        assert_int_equal(look(), BRAKE_NONE);
    }
    counts.due++;
    assert_int_equal(look(), BRAKE_SILENT);
}

/* Answered slowly, and overdue: together they are enough. */
TEST_BETWEEN(a_silence_behind_slow_reads, begin, NULL)
{
    counts.due = counts.done;
    answer_slowly(2);
    counts.due += BRAKE_SLOW_READS - 3;
    counts.waits = true;
    assert_int_equal(look(), BRAKE_NONE);
    counts.due++;
    assert_int_equal(look(), BRAKE_SLOW);
}

/* Reads that were due, and that nobody has sent: the bystander itself was not run. */
TEST_BETWEEN(reads_that_were_not_sent_are_no_silence, begin, NULL)
{
    counts.due = counts.done + 100;
    assert_int_equal(look(), BRAKE_NONE);
    counts.late += 100;
    counts.done += 100;
    counts.slow += 99;
    assert_int_equal(look(), BRAKE_NONE);
    counts.slow += 1 + BRAKE_SLOW_READS;
    assert_int_equal(look(), BRAKE_SLOW);
}

/* The whole program may have stood still: the bystander gets one look's time to catch up. */
TEST_BETWEEN(behind_a_pause_a_silence_waits_for_the_next_look, begin, NULL)
{
    counts.due = counts.done + 100;
    counts.waits = true;
    assert_int_equal(look_after(BRAKE_PAUSE_NS + 1), BRAKE_NONE);
    assert_int_equal(look(), BRAKE_SILENT);
    begin(NULL);
    counts.due = counts.done + 100;
    counts.waits = true;
    assert_int_equal(look_after(BRAKE_PAUSE_NS), BRAKE_SILENT);
}

TEST_BETWEEN(errors_and_losses, begin, NULL)
{
    counts.done++;
    counts.errors++;
    assert_int_equal(look(), BRAKE_ERRORS);
    counts.losses++;
    assert_int_equal(look(), BRAKE_LOST);
}

TEST_BETWEEN(the_bound_follows_the_p99_alone, begin, NULL)
{
    assert_int_equal(brake_bound_ns(0), 100 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(10 * NS_PER_MS - 1), 100 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(30 * NS_PER_MS), 300 * NS_PER_MS);
    assert_int_equal(brake_bound_ns(201 * NS_PER_MS), 2 * NS_PER_S);
    assert_int_equal(brake_bound_ns(UINT64_MAX), 2 * NS_PER_S);
}
