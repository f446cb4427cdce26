// SPDX-License-Identifier: Apache-2.0
/* What is kept of a trial of a load: its figures, whether its times stand, and its row. */

#include "bench/output/load_sample.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

#define SECONDS 10

static struct load_plan plan;
static struct load_result *result;
static struct load_cell cell;
static double cores; /* that the trial could use */

/* A closed loop of ten seconds on two processes that ended well. */
static int set_up(void **state)
{
    struct error error;
    (void)state;
    plan = (struct load_plan){.fleet = {.sessions = 4, .processes = 2, .depth = 1},
                              .mix = mix_of_reads(80),
                              .seconds = SECONDS,
                              .root = "/r"};
    cell = (struct load_cell){.mix = plan.mix, .sessions = 4, .trial = 3};
    cores = 64;
    if (load_result_new(&plan, &result, &error) != ERROR_NONE)
        return -1;
    result->seconds = SECONDS;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    load_result_free(result);
    return 0;
}

static struct load_sample take(void)
{
    struct load_sample sample;
    load_sample_take(&cell, result, cores, &sample);
    return sample;
}

static void assert_valid(void)
{
    struct load_sample sample = take();
    assert_string_equal(sample.reason, "");
    assert_true(sample.valid);
    assert_true(sample.complete);
    assert_false(sample.driver_bound);
}

/* The counts stand all the same. */
static void assert_times_do_not_stand(const char *reason, bool driver_bound)
{
    struct load_sample sample = take();
    assert_string_equal(sample.reason, reason);
    assert_false(sample.valid);
    assert_true(sample.complete);
    assert_int_equal(sample.driver_bound, driver_bound);
}

static void record(struct histogram *histogram, uint64_t value_ns, unsigned times)
{
    while (times-- > 0)
        histogram_record(histogram, value_ns);
}

/* 1, 2, … count ms: each percentile is its own number; slots are a thousandth wide. */
static void record_ramp(struct histogram *histogram, unsigned count)
{
    for (uint64_t ms = 1; ms <= count; ms++)
        histogram_record(histogram, ms * NS_PER_MS);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found / expected - 1) < 0.001))
        fail_msg("%g, not %g", found, expected);
}

/* ------------------------------------------------------------------ figures */

TEST_BETWEEN(each_percentile_stands_in_its_column, set_up, tear_down)
{
    static const double percents[] = {0.5, 0.9, 0.99, 0.999, 1};
    (void)state;
    record_ramp(&result->response[LOAD_KINDS], 20000);
    record_ramp(&result->service[LOAD_KINDS], 10000);
    record_ramp(result->lag, 100);
    record_ramp(&result->response[LOAD_GET], 5);
    plan.fleet.driver = DRIVER_SIMULATED; /* whose lag says nothing */
    struct load_sample sample = take();
    for (size_t i = 0; i < 5; i++) {
        assert_near(sample.response_us[i], percents[i] * 20000e3);
        assert_near(sample.service_us[i], percents[i] * 10000e3);
    }
    assert_near(sample.service_mean_us, 5000.5e3);
    assert_near(sample.lag_us[0], 50e3);
    assert_near(sample.lag_us[1], 99e3);
    assert_near(sample.lag_us[2], 100e3);
}

TEST_BETWEEN(of_few_there_is_no_percentile_so_far_out, set_up, tear_down)
{
    record_ramp(&result->response[LOAD_KINDS], 9999);
    record(&result->service[LOAD_KINDS], NS_PER_MS, 1);
    struct load_sample sample = take();
    assert_true(isnan(sample.response_us[3]));
    assert_true(isfinite(sample.response_us[4]));
    assert_true(isfinite(sample.service_us[0]));
    assert_true(isnan(sample.lag_us[0]));
    record(&result->response[LOAD_KINDS], NS_PER_MS, 1);
    assert_true(isfinite(take().response_us[3]));
}

TEST_BETWEEN(rates_are_of_the_measured_seconds, set_up, tear_down)
{
    result->offered = 12345;
    result->answered = 12340;
    result->client_cpu_ns = 5 * NS_PER_S;
    result->server_cpu_ns = 15 * NS_PER_S;
    struct load_sample sample = take();
    assert_true(isnan(sample.offered_per_s)); /* a closed loop offers nothing */
    assert_true(sample.achieved_per_s == 1234);
    assert_true(sample.client_cores == 0.5);
    assert_true(isnan(sample.server_cores));
    result->server_cpu_known = true;
    cell.rate_per_s = 1234;
    sample = take();
    assert_true(sample.offered_per_s == 1234.5);
    assert_true(sample.server_cores == 1.5);
    result->seconds--;
    sample = take();
    assert_true(isnan(sample.achieved_per_s) && isnan(sample.offered_per_s));
    assert_true(isnan(sample.client_cores) && isnan(sample.server_cores));
}

/* That a lock is held is an answer to a try, and an error of any other create. */
TEST_BETWEEN(answers_are_told_from_errors, set_up, tear_down)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++)
            result->replies[kind][status] = 100U * (unsigned)kind + (unsigned)status + 1;
    }
    struct load_sample sample = take();
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        uint64_t answered = result->replies[kind][ZK_OK];
        if (kind == LOAD_TRYLOCK)
            answered += result->replies[kind][ZK_NODE_EXISTS];
        assert_int_equal(sample.operations[kind], answered);
    }
    for (int status = 0; status < LOAD_STATUSES; status++) {
        uint64_t errors = 0;
        for (int kind = 0; kind < LOAD_KINDS; kind++) {
            if (status != ZK_OK && (kind != LOAD_TRYLOCK || status != ZK_NODE_EXISTS))
                errors += result->replies[kind][status];
        }
        assert_int_equal(sample.errors_of[status], errors);
    }
}

/* Three operations that a rate offers, of which two are followed by one that comes on top of it. */
static void check_followed(enum load_kind kind, enum load_kind follows)
{
    struct load_worker *worker = &result->load->workers[0];
    atomic_store(&worker->replies[kind][ZK_OK], 3);
    atomic_store(&worker->replies[follows][ZK_OK], 2);
    atomic_store(&worker->unsent, 1);
    record(&worker->response[0][kind], NS_PER_MS, 3);
    record(&worker->response[0][follows], NS_PER_S, 2);
    record(&worker->service[0][kind], NS_PER_MS, 3);
    record(&worker->service[0][follows], NS_PER_S, 2);
    load_result_add_up(result);
    assert_int_equal(result->offered, 4);
    assert_int_equal(result->replies[follows][ZK_OK], 2);
    assert_int_equal(histogram_count(&result->response[follows]), 2);
    assert_int_equal(histogram_count(&result->service_of[0][follows]), 2);
    assert_int_equal(histogram_count(&result->response[LOAD_KINDS]), 3);
    assert_int_equal(histogram_count(&result->service[LOAD_KINDS]), 3);
}

TEST_BETWEEN(unlocks_are_in_no_sum, set_up, tear_down)
{
    check_followed(LOAD_TRYLOCK, LOAD_UNLOCK);
}

TEST_BETWEEN(asynchronous_deletes_are_in_no_sum, set_up, tear_down)
{
    check_followed(LOAD_CREATE_DELETE, LOAD_ASYNC_DELETE);
}

/* ------------------------------------------------------------------ the driver */

#define ADVICE                                                                                     \
    "; what may help: more --processes, a quieter machine, a second machine for the driver"
#define BUSY "the driver, not the server, was the limit: it used 80 % of "
#define LATE "the driver, not the server, was late: "

TEST_BETWEEN(a_driver_at_four_fifths_of_its_cores_is_at_its_limit, set_up, tear_down)
{
    result->client_cpu_ns = 16 * NS_PER_S; /* two processes in ten seconds */
    assert_valid();
    result->client_cpu_ns += NS_PER_MS;
    assert_times_do_not_stand(BUSY "a core a process" ADVICE, true);
}

/* More processes than cores, threads, and a quota: no process can use a core that it has not. */
TEST_BETWEEN(a_driver_is_held_against_the_cores_that_it_may_use, set_up, tear_down)
{
    static const struct {
        enum driver driver;
        uint32_t processes;
        double cores;
        uint64_t limit_s;
    } drivers[] = {
        {DRIVER_EVENTS, 8, 2, 16},  {DRIVER_EVENTS, 2, 2, 16},  {DRIVER_EVENTS, 2, 1.5, 12},
        {DRIVER_THREADS, 1, 4, 32}, {DRIVER_THREADS, 8, 4, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        plan.fleet.driver = drivers[i].driver;
        plan.fleet.processes = drivers[i].processes;
        cores = drivers[i].cores;
        result->client_cpu_ns = drivers[i].limit_s * NS_PER_S;
        assert_valid();
        result->client_cpu_ns += NS_PER_MS;
        assert_times_do_not_stand(BUSY "the cores that it may use" ADVICE, true);
    }
    plan.fleet.processes = 2; /* as many workers as were laid out */
}

/* One operation in a hundred may be late; of fewer than a hundred operations nothing is said. */
TEST_BETWEEN(a_driver_that_is_late_is_at_its_limit, set_up, tear_down)
{
    record(result->lag, NS_PER_MS, 9900);
    record(result->lag, 5 * NS_PER_MS, 100);
    assert_valid();
    record(result->lag, 5 * NS_PER_MS, 2);
    assert_times_do_not_stand(LATE "1.0 % of 10002 operations were sent more than 1 ms behind "
                                   "their time (p99: 5.0 ms)" ADVICE,
                              true);
}

TEST_BETWEEN(of_ninety_nine_operations_nothing_is_said, set_up, tear_down)
{
    record(result->lag, 5 * NS_PER_MS, 99);
    assert_valid();
    record(result->lag, 2 * HISTOGRAM_HIGHEST_NS, 1);
    assert_times_do_not_stand(LATE "100.0 % of 100 operations were sent more than 1 ms behind "
                                   "their time (p99: 5.0 ms)" ADVICE,
                              true);
}

/* A slot above a millisecond is late, the millisecond's own is not. */
TEST_BETWEEN(a_millisecond_is_not_late, set_up, tear_down)
{
    record(result->lag, NS_PER_MS, 100);
    assert_valid();
    record(result->lag, NS_PER_MS + NS_PER_MS / 500, 100);
    assert_false(take().valid);
}

TEST_BETWEEN(busy_and_late_are_both_told, set_up, tear_down)
{
    result->client_cpu_ns = 20 * NS_PER_S;
    record(result->lag, 5 * NS_PER_MS, 100);
    assert_times_do_not_stand(
        "the driver, not the server, was the limit: it used 100 % of a core a process" ADVICE
        "; " LATE "100.0 % of 100 operations were sent more than 1 ms behind their time (p99: 5.0 "
        "ms)" ADVICE,
        true);
}

TEST_BETWEEN(a_driver_that_stood_still_is_at_its_limit, set_up, tear_down)
{
    result->absent_ns = 100 * NS_PER_MS;
    assert_valid();
    result->absent_ns = 300 * NS_PER_MS;
    assert_times_do_not_stand(
        "the driver, not the server, stood still: the driver did not run for 0.3 s; "
        "what may help: more --processes, a quieter machine, a second machine for the driver",
        true);
}

TEST_BETWEEN(a_simulation_has_no_driver_that_is_busy, set_up, tear_down)
{
    plan.fleet.driver = DRIVER_SIMULATED;
    result->client_cpu_ns = 100 * NS_PER_S;
    record(result->lag, NS_PER_S, 1000);
    assert_valid();
}

/* ------------------------------------------------------------------ all else */

TEST_BETWEEN(lost_connections_are_in_the_times, set_up, tear_down)
{
    result->losses = 1;
    assert_times_do_not_stand("a session lost its connection", false);
    result->losses = 3;
    assert_times_do_not_stand("sessions lost their connections 3 times", false);
}

/* Sessions lose their connections where servers are killed on purpose. */
TEST_BETWEEN(losses_by_faults_are_no_matter, set_up, tear_down)
{
    result->losses = 3;
    plan.fault_count = 1;
    assert_true(take().valid);
    plan.fault_count = 0;
    assert_false(take().valid);
}

TEST_BETWEEN(another_client_is_named, set_up, tear_down)
{
    snprintf(result->not_valid, sizeof result->not_valid, "%s", "100 % somebody else's");
    assert_times_do_not_stand("100 % somebody else's", false);
}

TEST_BETWEEN(a_trial_that_was_cut_short_says_why, set_up, tear_down)
{
    result->end = END_DEADLINE;
    snprintf(result->reason, sizeof result->reason, "%s", "nothing moved for 60 s, 100 % sure");
    result->client_cpu_ns = 100 * NS_PER_S;
    record(result->lag, NS_PER_S, 100);
    struct load_sample sample = take();
    assert_false(sample.valid);
    assert_false(sample.complete);
    assert_false(sample.driver_bound); /* of a part of the time nothing is known */
    assert_string_equal(sample.reason, result->reason);
}

/* Nothing else matters then. */
TEST_BETWEEN(a_count_that_differs_is_told, set_up, tear_down)
{
    result->losses = 2;
    result->reconciled = RECONCILED_NO;
    result->difference = (struct reconcile_result){
        .counter = SERVER_COUNTERS_WRITES, .servers = 1234, .sessions = 1233};
    assert_times_do_not_stand("the servers counted 1234 writes, the sessions 1233", false);
    assert_int_equal(take().reconciled, RECONCILED_NO);
}

/* ------------------------------------------------------------------ the row */

static struct load_options options = {.target.driver = DRIVER_THREADS,
                                      .processes = 2,
                                      .depth = 16,
                                      .value_bytes = 1024,
                                      .seed = 7,
                                      .duration_ns = SECONDS * NS_PER_S};

static char *row_of(const struct load_sample *sample)
{
    const struct load_context context = {"run1", "ensemble3", 3, &options};
    char *text = NULL;
    size_t size;
    struct csv csv = {.stream = open_memstream(&text, &size)};
    assert_non_null(csv.stream);
    load_sample_write(sample, &context, &csv);
    fclose(csv.stream);
    return text;
}

static void assert_columns(const struct load_sample *sample, const char *const expected[][2],
                           size_t count)
{
    char *row = row_of(sample);
    for (size_t i = 0; i < count; i++)
        assert_field(load_sample_columns, row, expected[i][0], expected[i][1]);
    free(row);
}

#define ASSERT_COLUMNS(sample, ...)                                                                \
    do {                                                                                           \
        const char *const expected[][2] = {__VA_ARGS__};                                           \
        assert_columns((sample), expected, sizeof expected / sizeof expected[0]);                  \
    } while (0)

/* A mix of one kind has no comma. */
TEST_BETWEEN(what_was_asked_for_is_in_the_row, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    struct load_sample sample = take();
    char *row = row_of(&sample);
    assert_fields(load_sample_columns, row);
    free(row);
    ASSERT_COLUMNS(&sample, {"run", "run1"}, {"target", "ensemble3"}, {"servers", "3"},
                   {"driver", "threads"}, {"processes", "2"}, {"mix", "get=100"},
                   {"reads_percent", "100"}, {"sessions", "4"}, {"depth", "16"},
                   {"value_bytes", "1024"}, {"rate_per_s", ""}, {"trial", "3"}, {"seed", "7"},
                   {"seconds", "10"}, {"offered_per_s", ""}, {"valid", "yes"}, {"reason", ""});
    cell.rate_per_s = 5000;
    sample = take();
    ASSERT_COLUMNS(&sample, {"rate_per_s", "5000"}, {"offered_per_s", "0.00"});
}

TEST_BETWEEN(each_kind_and_each_error_has_its_column, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    for (unsigned kind = 0; kind < LOAD_KINDS; kind++)
        result->replies[kind][ZK_OK] = kind + 1;
    for (unsigned status = ZK_OK + 1; status < LOAD_STATUSES; status++)
        result->replies[LOAD_GET][status] = 1U << status;
    struct load_sample sample = take();
    ASSERT_COLUMNS(&sample, {"gets", "1"}, {"exists", "2"}, {"get_children", "3"}, {"sets", "4"},
                   {"creates", "5"}, {"deletes", "6"}, {"multis", "7"}, {"trylocks", "8"},
                   {"create_deletes", "9"}, {"unlocks", "10"}, {"async_deletes", "11"});
    char no_node[16], exists[16], loss[16], expired[16], other[16];
    snprintf(no_node, sizeof no_node, "%u", 1U << ZK_NO_NODE);
    snprintf(exists, sizeof exists, "%u", 1U << ZK_NODE_EXISTS);
    snprintf(loss, sizeof loss, "%u", 1U << ZK_CONNECTION_LOSS);
    snprintf(expired, sizeof expired, "%u", 1U << ZK_SESSION_EXPIRED);
    snprintf(other, sizeof other, "%u",
             1U << ZK_BAD_VERSION | 1U << ZK_NOT_EMPTY | 1U << ZK_NO_AUTH | 1U << ZK_OTHER_ERROR);
    ASSERT_COLUMNS(&sample, {"errors_no_node", no_node}, {"errors_node_exists", exists},
                   {"errors_connection_loss", loss}, {"errors_session_expired", expired},
                   {"errors_other", other});
}

TEST_BETWEEN(what_was_measured_is_in_the_row, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    cell.rate_per_s = 1000;
    result->offered = 10010;
    result->answered = 9990;
    result->errors = 11;
    result->delayed = 12;
    result->unsent = 13;
    result->client_cpu_ns = 5 * NS_PER_S;
    result->server_cpu_known = true;
    result->server_cpu_ns = NS_PER_S;
    result->client_rss_kib = 14;
    result->reconnects = 15;
    result->total.of[TALLY_GET] = 16;
    result->servers = (struct server_counters_count){
        .known = true, .writes = 17, .reads = 18, .packets_received = 19, .notifications = 20};
    result->reconciled = RECONCILED_YES;
    struct load_sample sample = take();
    ASSERT_COLUMNS(&sample, {"offered_per_s", "1001.00"}, {"achieved_per_s", "999.00"},
                   {"errors", "11"}, {"delayed", "12"}, {"unsent", "13"}, {"client_cores", "0.500"},
                   {"server_cores", "0.100"}, {"client_rss_kib", "14"}, {"reconnects", "15"},
                   {"rpcs", "16"}, {"server_writes", "17"}, {"server_reads", "18"},
                   {"server_packets_received", "19"}, {"server_notifications", "20"},
                   {"reconciled", "yes"});
    result->servers.known = false;
    result->server_cpu_known = false;
    result->reconciled = RECONCILED_NA;
    sample = take();
    ASSERT_COLUMNS(&sample, {"server_writes", ""}, {"server_reads", ""},
                   {"server_packets_received", ""}, {"server_notifications", ""},
                   {"server_cores", ""}, {"reconciled", "na"});
    sample.reconciled = RECONCILED_NO;
    sample.valid = false;
    ASSERT_COLUMNS(&sample, {"reconciled", "no"}, {"valid", "no"});
}

/* A minute and more is in no slot, and still a value: only the largest is known. */
TEST_BETWEEN(a_percentile_above_the_range_is_not_known, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    record(&result->response[LOAD_KINDS], NS_PER_S, 90);
    record(&result->response[LOAD_KINDS], 70 * NS_PER_S, 9);
    record(&result->response[LOAD_KINDS], 99 * NS_PER_S, 1);
    struct load_sample sample = take();
    assert_near(sample.response_us[1], 1e6);
    assert_true(isinf(sample.response_us[2]));
    assert_true(sample.response_us[4] == 99e6);
    ASSERT_COLUMNS(&sample, {"response_p99_us", ""}, {"response_max_us", "99000000.0"},
                   {"over_range", "10"});
}

/* What a simulation cannot know, and what no write has fired, is no zero. */
TEST_BETWEEN(what_is_not_known_is_empty, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    result->fired = 1;
    struct load_sample sample = take();
    ASSERT_COLUMNS(&sample, {"client_cores", "0.000"}, {"fan_out_max", "0"});
    result->fired = 0;
    plan.fleet.driver = DRIVER_SIMULATED;
    sample = take();
    ASSERT_COLUMNS(&sample, {"client_cores", ""}, {"fan_out_mean", ""}, {"fan_out_max", ""});
    assert_true(isnan(load_sample_client_cores(result, 0)));
}

TEST_BETWEEN(each_percentile_has_its_column, set_up, tear_down)
{
    cell.mix = mix_of_reads(100);
    struct load_sample sample = take();
    ASSERT_COLUMNS(&sample, {"response_p50_us", ""}, {"service_max_us", ""}, {"lag_p99_us", ""});
    for (unsigned i = 0; i < 5; i++) {
        sample.response_us[i] = 10 + i;
        sample.service_us[i] = 20 + i;
    }
    for (unsigned i = 0; i < 3; i++)
        sample.lag_us[i] = 30 + i;
    sample.service_mean_us = 25;
    ASSERT_COLUMNS(
        &sample, {"response_p50_us", "10.0"}, {"response_p90_us", "11.0"},
        {"response_p99_us", "12.0"}, {"response_p999_us", "13.0"}, {"response_max_us", "14.0"},
        {"service_p50_us", "20.0"}, {"service_p90_us", "21.0"}, {"service_p99_us", "22.0"},
        {"service_p999_us", "23.0"}, {"service_max_us", "24.0"}, {"service_mean_us", "25.0"},
        {"lag_p50_us", "30.0"}, {"lag_p99_us", "31.0"}, {"lag_max_us", "32.0"});
}
