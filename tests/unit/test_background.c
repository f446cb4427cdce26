// SPDX-License-Identifier: Apache-2.0
/* What a load beside a trial has measured, and of how many requests there is a 99th percentile. */

#include "bench/background/background.h"
#include "load/load.h"

#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

static struct load_plan plan;
static struct background_plan asked;
static struct load_result *result;

FIXTURE(set_up)
{
    struct error error;
    plan = (struct load_plan){.fleet = {.sessions = 1, .processes = 1, .depth = 1},
                              .mix = mix_of_reads(80),
                              .seconds = BACKGROUND_ALONE_S,
                              .root = "/r"};
    if (load_result_new(&plan, &result, &error) != ERROR_NONE)
        return -1;
    result->contended_ns = NS_PER_S;
    asked = (struct background_plan){.alone_s = BACKGROUND_ALONE_S};
    return 0;
}

FIXTURE(tear_down)
{
    load_result_free(result);
    return 0;
}

static void record(struct histogram *histogram, uint64_t value_ns, unsigned times)
{
    while (times-- > 0)
        histogram_record(histogram, value_ns);
}

static struct background_figures figures(unsigned alone, unsigned contended)
{
    memset(&result->measured->response[ROLES][LOAD_KINDS], 0,
           sizeof result->measured->response[ROLES][LOAD_KINDS]);
    memset(&result->contended->response[ROLES][LOAD_KINDS], 0,
           sizeof result->contended->response[ROLES][LOAD_KINDS]);
    record(&result->measured->response[ROLES][LOAD_KINDS], NS_PER_MS, alone);
    record(&result->contended->response[ROLES][LOAD_KINDS], 2 * NS_PER_MS, contended);
    return background_figures_of(&asked, result);
}

TEST_BETWEEN(of_a_hundred_requests_there_is_a_p99, set_up, tear_down)
{
    struct background_figures found = figures(100, 100);
    assert_int_equal(found.requests, 100);
    assert_true(found.alone_p99_us >= 1000 && found.contended_p99_us >= 2000);
    found = figures(99, 99);
    assert_int_equal(found.requests, 99);
    assert_true(isnan(found.alone_p99_us) && isnan(found.contended_p99_us));
    assert_true(found.alone_p50_us >= 1000 && found.contended_p50_us >= 2000);
    assert_true(found.contended_max_us >= 2000);
}

/* The maximum alone is known. */
TEST_BETWEEN(a_percentile_above_a_minute_is_not_known, set_up, tear_down)
{
    record(&result->contended->response[ROLES][LOAD_KINDS], 90 * NS_PER_S, 100);
    struct background_figures found = background_figures_of(&asked, result);
    assert_true(isinf(found.contended_p50_us) && isinf(found.contended_p99_us));
    assert_true(found.contended_max_us == 90e6);
    assert_int_equal(found.requests, 100);
}

/* Whatever became of them: a request that was never sent has waited for a place until the end. */
TEST_BETWEEN(every_request_that_was_due_is_judged, set_up, tear_down)
{
    record(&result->contended->response[ROLES][LOAD_KINDS], 2 * NS_PER_MS, 90);
    record(&result->contended->response[ROLES][LOAD_KINDS], 90 * NS_PER_S, 4);
    result->contended->over = 14;
    result->contended->failed = 3;
    result->contended->unsent = 5;
    struct background_figures found = background_figures_of(&asked, result);
    assert_int_equal(found.requests, 94);
    assert_int_equal(found.judged, 102);
    assert_int_equal(found.over, 22);
}

/* What was never sent is slower than all others. */
TEST_BETWEEN(what_was_never_sent_is_in_the_percentiles, set_up, tear_down)
{
    asked.percent = 90;
    record(&result->measured->response[ROLES][LOAD_KINDS], NS_PER_MS, 80);
    record(&result->contended->response[ROLES][LOAD_KINDS], 2 * NS_PER_MS, 89);
    result->measured->unsent = 19;
    result->contended->unsent = 10;
    struct background_figures found = background_figures_of(&asked, result);
    assert_true(isnan(found.alone_p99_us)); /* of 99 */
    assert_true(isinf(found.contended_at_us));
    result->measured->unsent = 81;
    found = background_figures_of(&asked, result);
    assert_true(isinf(found.alone_p50_us) && isinf(found.alone_p99_us));
    assert_true(found.contended_p50_us >= 2000 && found.contended_max_us >= 2000);
}

TEST_BETWEEN(the_percentile_is_the_one_that_is_asked_for, set_up, tear_down)
{
    record(&result->contended->response[ROLES][LOAD_KINDS], 2 * NS_PER_MS, 60);
    record(&result->contended->response[ROLES][LOAD_KINDS], 8 * NS_PER_MS, 40);
    assert_true(isnan(background_figures_of(&asked, result).contended_at_us));
    asked.percent = 60;
    double at_us = background_figures_of(&asked, result).contended_at_us;
    assert_true(at_us >= 2000 && at_us < 2010);
    asked.percent = 61;
    at_us = background_figures_of(&asked, result).contended_at_us;
    assert_true(at_us >= 8000 && at_us < 8010);
}

/* What marks it is asked again and again; nothing contends behind its end. */
TEST_BETWEEN(the_contended_time_begins_and_ends_once, set_up, tear_down)
{
    struct setup_session setup = {.timeout_ns = 0};
    struct load_trial trial = {.load = result->load, .experiment.setup = &setup};
    load_background_begin_contention(&trial);
    uint64_t begun_ns = atomic_load(&result->load->contends_ns);
    usleep(1);
    load_background_begin_contention(&trial);
    load_background_end_contention(&trial);
    uint64_t ended_ns = atomic_load(&result->load->ends_ns);
    usleep(1);
    load_background_end_contention(&trial);
    assert_int_equal(atomic_load(&result->load->contends_ns), begun_ns);
    assert_int_equal(atomic_load(&result->load->ends_ns), ended_ns);
    atomic_store(&result->load->contends_ns, UINT64_MAX);
    load_background_begin_contention(&trial);
    assert_int_equal(atomic_load(&result->load->contends_ns), UINT64_MAX);
}
