// SPDX-License-Identifier: Apache-2.0
/* What --metrics tells, without a run: the format, and which trials count in what. */

#include "bench/metrics/metrics.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"
#include "tests/support/samples.h"
#include "tests/support/test.h"
#include "tests/support/words.h"

#include <math.h>

/* ------------------------------------------------------------------ the format */

static FILE *stream;
static char *text;
static size_t length;

static int begin(void **state)
{
    (void)state;
    stream = open_memstream(&text, &length);
    return stream == NULL;
}

static int end(void **state)
{
    (void)state;
    fclose(stream);
    free(text);
    return 0;
}

static const char *written(void)
{
    fflush(stream);
    return text;
}

TEST_BETWEEN(a_sample_is_one_line, begin, end)
{
    metrics_text_family(stream, "zkherd_a_total", "counter", "Some.");
    metrics_text_count(stream, "zkherd_a_total", UINT64_MAX, METRICS_NO_LABELS);
    metrics_text_count(stream, "zkherd_a_total", 0,
                       METRICS_LABELS({"x", "a\"b\\c\nd{}, "}, {"y", ""}));
    assert_string_equal(written(), "# HELP zkherd_a_total Some.\n# TYPE zkherd_a_total counter\n"
                                   "zkherd_a_total 18446744073709551615\n"
                                   "zkherd_a_total{x=\"a\\\"b\\\\c\\nd{}, \",y=\"\"} 0\n");
}

TEST_BETWEEN(numbers_that_are_none_are_told, begin, end)
{
    metrics_text_real(stream, "r", 0.1, METRICS_NO_LABELS);
    metrics_text_real(stream, "r", 123456.789012, METRICS_NO_LABELS);
    metrics_text_real(stream, "r", INFINITY, METRICS_NO_LABELS);
    metrics_text_real(stream, "r", -INFINITY, METRICS_NO_LABELS);
    metrics_text_real(stream, "r", NAN, METRICS_NO_LABELS);
    assert_string_equal(written(), "r 0.1\nr 123456.789\nr +Inf\nr -Inf\nr NaN\n");
}

/* A value above a bound by less than the histogram resolves counts as the bound. */
TEST_BETWEEN(a_time_is_in_all_buckets_above_it, begin, end)
{
    struct histogram *times = calloc(1, sizeof *times);
    struct metrics_histogram twice = {0};
    assert_non_null(times);
    histogram_record(times, 50000);
    histogram_record(times, 100000);
    histogram_record(times, 101000);
    histogram_record(times, 2000000000);
    metrics_histogram_add(&twice, times);
    metrics_histogram_add(&twice, times);
    metrics_histogram_write(stream, "h", &twice, METRICS_LABELS({"a", "b"}));
    assert_has(written(), "h_bucket{a=\"b\",le=\"0.0001\"} 4\n");
    assert_has(written(), "h_bucket{a=\"b\",le=\"0.00025\"} 6\n");
    assert_has(written(), "h_bucket{a=\"b\",le=\"1\"} 6\n");
    assert_has(written(), "h_bucket{a=\"b\",le=\"2.5\"} 8\n");
    assert_has(written(), "h_bucket{a=\"b\",le=\"+Inf\"} 8\n");
    assert_has(written(), "h_count{a=\"b\"} 8\n");
    assert_true(fabs(twice.sum_s - 4.000502) < 4e-3);
    free(times);
}

/* As in a second of a load in which a reply is just being recorded. */
TEST_BETWEEN(a_copy_in_the_making_has_no_bucket_below_0, begin, end)
{
    struct histogram *times = calloc(1, sizeof *times);
    struct metrics_histogram sum = {0};
    assert_non_null(times);
    histogram_record(times, 5000000);
    times->total = 0;
    metrics_histogram_add(&sum, times);
    metrics_histogram_write(stream, "h", &sum, METRICS_NO_LABELS);
    assert_has(written(), "h_bucket{le=\"0.0001\"} 0\n");
    assert_has(written(), "h_bucket{le=\"0.01\"} 1\n");
    assert_has(written(), "h_sum 0\nh_count 1\n");
    free(times);
}

TEST_BETWEEN(above_a_minute_the_sum_is_not_known, begin, end)
{
    struct histogram *times = calloc(1, sizeof *times);
    struct metrics_histogram sum = {0};
    assert_non_null(times);
    metrics_histogram_add(&sum, times);
    metrics_histogram_write(stream, "none", &sum, METRICS_NO_LABELS);
    histogram_record(times, UINT64_C(70000000000));
    metrics_histogram_add(&sum, times);
    metrics_histogram_write(stream, "h", &sum, METRICS_NO_LABELS);
    assert_has(written(), "none_sum 0\nnone_count 0\n");
    assert_has(written(),
               "h_bucket{le=\"30\"} 0\nh_bucket{le=\"+Inf\"} 1\nh_sum +Inf\nh_count 1\n");
    free(times);
}

/* ------------------------------------------------------------------ the trials of a run */

static struct run_metrics run;
static struct series series;
static struct series_record record;
static struct options options;
static struct trial_result result;

static void write_metrics(void *context, FILE *into)
{
    run_metrics_write(context, into);
}

static int begin_run(void **state)
{
    options = (struct options){.plan.recipe_count = 2, .target.topology_count = 1};
    options.plan.recipes[0] = registry_find("nonscalable");
    options.plan.recipes[1] = registry_find("scalable");
    static const struct series_user user = {.write_metrics = write_metrics};
    series = (struct series){.user = &user,
                             .context = &run,
                             .records = &record,
                             .record_count = 1,
                             .progress = {.count = 5, .at = 2}};
    snprintf(record.target, sizeof record.target, "standalone");
    result.latency = calloc(METER_KINDS, sizeof *result.latency);
    memset(&run, 0, sizeof run);
    record.rows = (struct table){.type = &trial_row_table};
    run_metrics_init(&run, &options, &series);
    return result.latency == NULL || begin(state);
}

static int end_run(void **state)
{
    free(result.latency);
    return end(state);
}

/* A finished trial of the second recipe. */
static struct sample finished(void)
{
    return (struct sample){.cell = {.recipe = options.plan.recipes[1], .clients = 7, .alike = 1},
                           .total.of = {[TALLY_CREATE] = 10, [TALLY_NOTIFICATION] = 3},
                           .law.of = {[TALLY_CREATE] = 9, [TALLY_NOTIFICATION] = 2},
                           .has_law = true,
                           .valid = true,
                           .drain_s = 0.5};
}

static struct sample done[4];

/* The trial has been finished. */
static void finish(const struct sample *sample)
{
    struct samples samples = {done, record.rows.rows};
    done[samples.count++] = *sample;
    record.rows = *samples_rows(&samples);
    result.total = sample->total;
    run_metrics_begin(&run, &sample->cell);
    run_metrics_add(&run, &result);
}

#define OF_SCALABLE "target=\"standalone\",recipe=\"scalable\"} "

TEST_BETWEEN(each_trial_has_one_verdict, begin_run, end_run)
{
    struct sample valid = finished(), failed = finished(), slow = finished();
    failed.violations = 2;
    slow.valid = false;
    finish(&valid);
    finish(&slow);
    finish(&slow);
    finish(&failed);
    series_write_metrics(&series, stream);
    assert_has(written(), "zkherd_trials_total{verdict=\"valid\"," OF_SCALABLE "1\n");
    assert_has(written(), "zkherd_trials_total{verdict=\"not_valid\"," OF_SCALABLE "2\n");
    assert_has(written(), "zkherd_trials_total{verdict=\"failed\"," OF_SCALABLE "1\n");
    assert_has(written(), "zkherd_violations_total{" OF_SCALABLE "2\n");
    assert_has(written(), "zkherd_trials_total{verdict=\"valid\",target=\"standalone\","
                          "recipe=\"nonscalable\"} 0\n");
}

/* A law is compared with the trials that have one. */
TEST_BETWEEN(a_trial_without_a_law_is_compared_with_none, begin_run, end_run)
{
    struct sample with = finished(), without = finished();
    without.has_law = false;
    finish(&with);
    finish(&without);
    series_write_metrics(&series, stream);
    assert_has(written(), "zkherd_rpcs_total{type=\"creates\"," OF_SCALABLE "20\n");
    assert_has(written(), "zkherd_law_rpcs_total{" OF_SCALABLE "9\n");
    assert_has(written(), "zkherd_compared_rpcs_total{" OF_SCALABLE "10\n");
    assert_has(written(), "zkherd_law_notifications_total{" OF_SCALABLE "2\n");
    assert_has(written(), "zkherd_compared_notifications_total{" OF_SCALABLE "3\n");
}

/* A paced trial has no such time. */
TEST_BETWEEN(a_time_that_is_not_known_is_left_out, begin_run, end_run)
{
    struct sample paced = finished();
    paced.drain_s = NAN;
    finish(&paced);
    series_write_metrics(&series, stream);
    assert_null(strstr(written(), "zkherd_last_drain_seconds{"));
    assert_has(written(), "zkherd_last_drain_clients{" OF_SCALABLE "7\n");
    assert_null(strstr(written(), "zkherd_time_left_seconds"));
}

/* What the servers counted in it is not known, and not 0 either. */
TEST_BETWEEN(what_servers_do_not_tell_is_in_no_sum, begin_run, end_run)
{
    struct sample known = finished(), unknown = finished();
    known.servers = (struct server_counters_count){
        .known = true, .writes = 5, .notifications = 6, .packets_received = 7};
    unknown.servers = known.servers;
    unknown.servers.known = false;
    finish(&known);
    finish(&unknown);
    series_write_metrics(&series, stream);
    assert_has(written(), "zkherd_server_writes_total{" OF_SCALABLE "5\n");
    assert_has(written(), "zkherd_server_notifications_total{" OF_SCALABLE "6\n");
    assert_has(written(), "zkherd_server_packets_received_total{" OF_SCALABLE "7\n");
}

static uint64_t creates_told(void)
{
    static const char sample[] = "zkherd_rpcs_total{type=\"creates\"," OF_SCALABLE;
    const char *at = NULL;
    series_write_metrics(&series, stream);
    for (const char *next = written(); (next = strstr(next, sample)) != NULL; next++)
        at = next;
    assert_non_null(at);
    return strtoull(at + strlen(sample), NULL, 10);
}

/* The running trial counts, when it is told; one that is given up stays as it was told, and one
 * that is finished counts once. */
TEST_BETWEEN(no_counter_decreases, begin_run, end_run)
{
    const struct trial_plan plan = {
        .fleet.sessions = 7, .fleet.processes = 1, .locks = 1, .recipe = options.plan.recipes[1]};
    const struct cell cell = {
        .recipe = options.plan.recipes[1], .clients = 7, .trial = 1, .alike = 1};
    const struct rounds_trial of_round = {.number = 1};
    struct trial_memory *memory;
    struct error error;
    struct sample sample = finished();
    assert_int_equal(trial_memory_new(&plan, &memory, &error), ERROR_NONE);
    const struct trial_progress trial = {.memory = memory, .handoffs = 1};
    series.trial = &of_round;
    run_metrics_begin(&run, &cell);
    assert_int_equal(creates_told(), 0);
    tally_add(&memory->workers[0].total, TALLY_CREATE, 4);
    run.trial = &trial;
    assert_int_equal(creates_told(), 4);
    tally_add(&memory->workers[0].total, TALLY_CREATE, 2);
    assert_int_equal(creates_told(), 6);
    assert_has(written(), "zkherd_handoffs_total{" OF_SCALABLE "1\n");
    assert_has(written(), "zkherd_trial_number 3\n");
    run.trial = NULL;
    assert_int_equal(creates_told(), 6);
    finish(&sample);
    assert_int_equal(creates_told(), 10);
    trial_memory_free(memory);
}
