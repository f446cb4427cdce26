// SPDX-License-Identifier: Apache-2.0
/* Which trials count as disturbed, and which are made again. */
#include "bench/output/noise_watch.h"

#include <stdlib.h>

#include "base/memory.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

static struct noise_options options;
static struct noise_watch watch;
static struct table_value columns[noise_row_columns_count], valid, reason;

static const struct noise quiet = {.cores = 2};

/* A watch with room for two more attempts, before any trial. */
static void begin(enum noise_mode mode)
{
    options = (struct noise_options){.mode = mode};
    watch =
        (struct noise_watch){.options = &options, .retries = 2, .knows_others = true, .attempt = 1};
}

static void judge(const struct noise *noise, bool fails, bool stalled)
{
    free(reason.text);
    valid = table_flag(true);
    reason = table_text("");
    const struct noise_row row = {columns, &valid, &reason, true, fails, 7, stalled};
    noise_watch_judge(&watch, noise, &row);
    assert_int_equal(columns[noise_row_noise_disturbed].flag, watch.disturbed);
    assert_int_equal(columns[noise_row_noise_others_packets].count, 7);
}

static void assert_disturbed(const struct noise *noise, bool disturbed)
{
    begin(NOISE_RETRY);
    judge(noise, false, false);
    assert_int_equal(watch.disturbed, disturbed);
    assert_int_equal(valid.flag, !disturbed);
    assert_int_equal(watch.again, disturbed);
}

TEST(the_bound_is_a_share_of_the_cores)
{
    assert_disturbed(&quiet, false);
    assert_disturbed(&(struct noise){.cores = 2, .others_cores = 0.19}, false);
    assert_disturbed(&(struct noise){.cores = 2, .others_cores = 0.21}, true);
    assert_disturbed(&(struct noise){.cores = 64, .others_cores = 1}, false);
    assert_disturbed(&(struct noise){.cores = 2, .others_cores = 0.11, .stolen_cores = 0.1}, true);
    assert_disturbed(&(struct noise){.cores = 2, .throttled_percent = 2}, true);
    assert_disturbed(&(struct noise){.cores = 2, .clock_jump_us = -200e3}, true);
    assert_disturbed(&(struct noise){.cores = 2, .clock_jump_us = 50e3}, false);
}

TEST(servers_that_cannot_be_told_from_others_disturb_nothing)
{
    begin(NOISE_RETRY);
    watch.knows_others = false;
    judge(&(struct noise){.cores = 2, .others_cores = 1.5}, false, false);
    assert_false(watch.disturbed);
    assert_true(valid.flag);
    assert_false(columns[noise_row_noise_others_cores].real >= 0);
    judge(&(struct noise){.cores = 2, .stolen_cores = 1.5}, false, false);
    assert_true(watch.disturbed);
}

TEST(retries_end)
{
    static const struct noise busy = {.cores = 2, .others_cores = 1};
    begin(NOISE_RETRY);
    for (int i = 0; i < 4; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i < 2);
        assert_false(valid.flag);
    }
    assert_int_equal(watch.made_again, 2);
    assert_int_equal(watch.attempts_disturbed, 4);
}

TEST(noise_that_lasts_leaves_retries_to_other_trials)
{
    static const struct noise busy = {.cores = 2, .others_cores = 1};
    begin(NOISE_RETRY);
    watch.retries = 10;
    for (watch.attempt = 1; watch.attempt <= 4; watch.attempt++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, watch.attempt < 3);
    }
}

/* Of trials with one attempt left each: a quiet one begins the row anew. */
TEST(four_disturbed_attempts_in_a_row_end_the_retries)
{
    static const struct noise busy = {.cores = 2, .others_cores = 1};
    begin(NOISE_RETRY);
    watch.retries = 100;
    for (int i = 1; i <= 6; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i < 4);
    }
    judge(&quiet, false, false);
    judge(&busy, false, false);
    assert_true(watch.again);
    assert_int_equal(watch.made_again, 4);
}

/* The search asks for it; and it ends when noise lasts, sooner if nothing was quiet before. */
TEST(votes_are_made_again_once_one_was_quiet)
{
    static const struct noise busy = {.cores = 2, .others_cores = 1};
    begin(NOISE_RETRY);
    watch.votes = true;
    for (int i = 1; i <= NOISE_AT_FIRST; i++) {
        judge(&busy, false, false);
        assert_false(watch.again);
        assert_int_equal(noise_watch_lasts(&watch), i == NOISE_AT_FIRST);
    }
    judge(&quiet, false, false);
    assert_false(noise_watch_lasts(&watch));
    for (int i = 1; i <= NOISE_IN_A_ROW; i++) {
        judge(&busy, false, false);
        assert_int_equal(watch.again, i <= 2); /* retries */
        assert_int_equal(noise_watch_lasts(&watch), i == NOISE_IN_A_ROW);
    }
}

TEST(a_verdict_that_fails_is_not_tried_again)
{
    begin(NOISE_RETRY);
    judge(&(struct noise){.cores = 2, .others_cores = 1}, true, true);
    assert_false(watch.again);
    assert_int_equal(watch.made_again, 0);
}

TEST(a_stall_is_tried_again_on_a_quiet_machine)
{
    begin(NOISE_RETRY);
    judge(&quiet, false, true);
    assert_true(watch.again);
    assert_false(watch.disturbed);
}

/* valid and noise_disturbed never contradict each other; a vote of a search counts all the same. */
TEST(a_report_makes_nothing_again)
{
    begin(NOISE_REPORT);
    watch.votes = true;
    judge(&(struct noise){.cores = 2, .others_cores = 1}, false, false);
    assert_true(watch.disturbed);
    assert_true(valid.flag);
    assert_false(noise_watch_lasts(&watch));
    watch.votes = false;
    judge(&(struct noise){.cores = 2, .others_cores = 1}, false, false);
    assert_false(valid.flag);
    assert_string_equal(reason.text, "disturbed: others used 1.0 of 2 cores");
    assert_false(watch.again);
    assert_true(columns[noise_row_noise_others_cores].real == 1);
    judge(&quiet, false, true);
    assert_true(watch.again);
}

TEST(a_stall_is_tried_again_without_noise)
{
    struct table_value own[noise_row_columns_count] = {0};
    const struct noise_row row = {own, &valid, &reason, true, false, 7, true};
    begin(NOISE_OFF);
    noise_watch_end(&watch, &row);
    assert_true(watch.again);
    assert_int_equal(own[noise_row_noise_disturbed].kind, TABLE_UNKNOWN);
    begin(NOISE_OFF);
    watch.retries = 0;
    noise_watch_end(&watch, &row);
    assert_false(watch.again);
    begin(NOISE_OFF);
    watch.options = NULL;
    noise_watch_end(&watch, &row);
    assert_false(watch.again);
}
