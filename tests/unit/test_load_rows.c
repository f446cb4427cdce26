// SPDX-License-Identifier: Apache-2.0
/* The row of a trial of a load, whether its times stand, and the figures of a cell. */

#include "bench/output/load_series.h"
#include "load/load_result.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

#define SECONDS 10

static struct load_plan plan;
static struct load_result *result;
static struct load_cell cell;
static double cores; /* that the trial could use */
static struct table rows;
static struct load_options options = {.target.driver = DRIVER_THREADS,
                                      .processes = 2,
                                      .depth = 16,
                                      .value_bytes = 1024,
                                      .seed = 7,
                                      .duration_ns = SECONDS * NS_PER_S};

/* A closed loop of ten seconds on two processes in which nothing was answered. */
FIXTURE(set_up_silent)
{
    struct error error;
    plan = (struct load_plan){.fleet = {.sessions = 4, .processes = 2, .depth = 1},
                              .mix = mix_of_reads(80),
                              .seconds = SECONDS,
                              .root = "/r"};
    cell = (struct load_cell){.mix = plan.mix, .sessions = 4, .trial = 3};
    cores = 64;
    rows = (struct table){.type = &load_row_table};
    if (load_result_new(&plan, &result, &error) != ERROR_NONE)
        return -1;
    result->seconds = SECONDS;
    return 0;
}

/* The same, in which one operation was answered: its times stand. */
static int set_up(void **state)
{
    if (set_up_silent(state) != 0)
        return -1;
    histogram_record(&result->measured->service[ROLES][LOAD_KINDS], NS_PER_MS);
    return 0;
}

FIXTURE(tear_down)
{
    load_result_free(result);
    table_deinit(&rows);
    return 0;
}

static const struct table_value *take(void)
{
    static const struct series_record record = {
        .files.run = "run1", .target = "ensemble3", .servers = 3};
    struct table_value *row = table_add(&rows);
    load_row_fill(&cell, result, &options, &record, cores, row);
    return row;
}

static double number(const struct table_value *row, size_t column)
{
    return table_number(&row[column]);
}

/* The exit status that a row deserves, by what its finding would be. */
static int status_of(const struct table_value *row)
{
    return verdict_status(row[load_row_miscounted].flag ? VERDICT_FAILS
                          : row[load_row_valid].flag    ? VERDICT_HOLDS
                                                        : VERDICT_NOT_VALID);
}

static void assert_valid(void)
{
    const struct table_value *row = take();
    assert_string_equal(row[load_row_reason].text, "");
    assert_int_equal(status_of(row), 0);
    assert_true(row[load_row_complete].flag);
    assert_false(row[load_row_driver_bound].flag);
}

/* The counts stand all the same. */
static void assert_times_do_not_stand(const char *reason, bool driver_bound)
{
    const struct table_value *row = take();
    assert_string_equal(row[load_row_reason].text, reason);
    assert_false(row[load_row_valid].flag);
    assert_true(row[load_row_complete].flag);
    assert_int_equal(row[load_row_driver_bound].flag, driver_bound);
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

/* ------------------------------------------------------------------ several hosts */

TEST_BETWEEN(hosts_that_begin_apart_do_not_send_together, set_up, tear_down)
{
    const struct load_host host = {.millicores = 2000};
    struct load_hosts hosts = {.busiest = &host, .spread_ns = SECONDS * NS_PER_S / 20};
    plan.company = &hosts;
    assert_valid();
    hosts.spread_ns++;
    assert_times_do_not_stand("the hosts may have begun 0.500 s apart", false);
}

/* ------------------------------------------------------------------ figures */

TEST_BETWEEN(each_percentile_stands_in_its_column, set_up_silent, tear_down)
{
    static const double percents[] = {0.5, 0.9, 0.99, 0.999, 1};
    record_ramp(&result->measured->response[ROLES][LOAD_KINDS], 20000);
    record_ramp(&result->measured->service[ROLES][LOAD_KINDS], 10000);
    record_ramp(&result->measured->lag, 100);
    record_ramp(&result->measured->response[ROLES][LOAD_GET], 5);
    plan.fleet.driver = DRIVER_SIMULATED; /* whose lag says nothing */
    const struct table_value *row = take();
    for (size_t i = 0; i < 5; i++) {
        assert_near(number(row, load_row_response_p50_us + i), percents[i] * 20000e3);
        assert_near(number(row, load_row_service_p50_us + i), percents[i] * 10000e3);
    }
    assert_near(number(row, load_row_service_mean_us), 5000.5e3);
    assert_near(number(row, load_row_lag_p50_us + 0), 50e3);
    assert_near(number(row, load_row_lag_p50_us + 1), 99e3);
    assert_near(number(row, load_row_lag_p50_us + 2), 100e3);
}

TEST_BETWEEN(of_a_part_of_the_seconds_there_is_no_rate, set_up, tear_down)
{
    cell.rate_per_s = 1000;
    result->seconds--;
    result->server_cpu_known = true;
    ASSERT_COLUMNS(&load_row_table, take(), {"offered_per_s", ""}, {"achieved_per_s", ""},
                   {"client_cores", ""}, {"server_cores", ""});
}

/* That a lock is held is an answer to a try, and an error of any other create. */
TEST_BETWEEN(answers_are_told_from_errors, set_up, tear_down)
{
    char text[LOAD_STATUSES][16], other[16];
    for (unsigned kind = 0; kind < LOAD_KINDS; kind++)
        result->measured->replies[kind][ZK_OK] = kind + 1;
    result->measured->replies[LOAD_TRYLOCK][ZK_NODE_EXISTS] = 100;
    result->measured->replies[LOAD_CREATE][ZK_NODE_EXISTS] = 1000;
    for (unsigned status = ZK_OK + 1; status < LOAD_STATUSES; status++) {
        result->measured->replies[LOAD_GET][status] = 1U << status;
        snprintf(text[status], sizeof text[status], "%u",
                 (1U << status) + (status == ZK_NODE_EXISTS ? 1000 : 0));
    }
    snprintf(other, sizeof other, "%u",
             1U << ZK_BAD_VERSION | 1U << ZK_NOT_EMPTY | 1U << ZK_NO_AUTH | 1U << ZK_OTHER_ERROR);
    ASSERT_COLUMNS(&load_row_table, take(), {"gets", "1"}, {"exists", "2"}, {"get_children", "3"},
                   {"sets", "4"}, {"creates", "5"}, {"deletes", "6"}, {"multis", "7"},
                   {"trylocks", "108"}, {"create_deletes", "9"}, {"unlocks", "10"},
                   {"async_deletes", "11"}, {"errors_no_node", text[ZK_NO_NODE]},
                   {"errors_node_exists", text[ZK_NODE_EXISTS]},
                   {"errors_connection_loss", text[ZK_CONNECTION_LOSS]},
                   {"errors_session_expired", text[ZK_SESSION_EXPIRED]}, {"errors_other", other});
}

/* Whatever a worker counts is in the sum, in its window; the lag of a second is the largest. */
TEST_BETWEEN(all_workers_are_in_the_sums, set_up_silent, tear_down)
{
    uint64_t next = 1;
    for (uint32_t i = 0; i < plan.fleet.processes; i++) {
        for (int window = 0; window < LOAD_WINDOWS; window++) {
            struct load_window *counts = &result->load->workers[i].windows[window];
#define X(counter) counts->counter = next++ << (i == 0 ? 16 : 0);
            LOAD_COUNTERS(X)
#undef X
        }
        result->load->seconds[i * SECONDS + 3].lag_ns = 10 + i;
        result->load->seconds[i * SECONDS + 4].lag_ns = 20 - i;
    }
    uint64_t counters = (next - 1) / 2; /* of a worker */
    load_result_add_up(result);
    next = 1;
    for (int window = 0; window < LOAD_WINDOWS; window++) {
        const struct load_window *sum =
            window == LOAD_MEASURED ? result->measured : result->contended;
#define X(counter)                                                                                 \
    assert_int_equal(sum->counter, (next << 16) + counters + next);                                \
    next++;
        LOAD_COUNTERS(X)
#undef X
    }
    assert_int_equal(load_shared_second_sum(result->load, 3).lag_ns, 11);
    assert_int_equal(load_shared_second_sum(result->load, 4).lag_ns, 20);
}

/* Three operations that a rate offers, of which two are followed by one that comes on top of it. */
static void check_followed(enum load_kind kind, enum load_kind follows)
{
    struct load_window *worker = &result->load->workers[0].windows[LOAD_MEASURED];
    atomic_store(&worker->replies[kind][ZK_OK], 3);
    atomic_store(&worker->replies[follows][ZK_OK], 2);
    atomic_store(&worker->unsent, 1);
    record(&worker->response[0][kind], NS_PER_MS, 3);
    record(&worker->response[0][follows], NS_PER_S, 2);
    record(&worker->service[0][kind], NS_PER_MS, 3);
    record(&worker->service[0][follows], NS_PER_S, 2);
    load_result_add_up(result);
    assert_int_equal(result->offered, 4);
    assert_int_equal(result->measured->replies[follows][ZK_OK], 2);
    assert_int_equal(histogram_count(&result->measured->response[ROLES][follows]), 2);
    assert_int_equal(histogram_count(&result->measured->service[0][follows]), 2);
    assert_int_equal(histogram_count(&result->measured->response[ROLES][LOAD_KINDS]), 3);
    assert_int_equal(histogram_count(&result->measured->service[ROLES][LOAD_KINDS]), 3);
}

TEST_BETWEEN(what_follows_from_others_is_in_no_sum, set_up_silent, tear_down)
{
    check_followed(LOAD_TRYLOCK, LOAD_UNLOCK);
    tear_down(NULL);
    set_up_silent(NULL);
    check_followed(LOAD_CREATE_DELETE, LOAD_ASYNC_DELETE);
}

/* ------------------------------------------------------------------ the driver */

#define ADVICE "; what may help: fewer clients, more --processes, a quieter or a larger machine"
#define BUSY   "overloaded: the driver used 80 % of "

/* Where there are more processes than cores, threads, or a quota, no process can use a core that it
 * has not. */
TEST_BETWEEN(a_driver_at_four_fifths_of_its_cores_is_at_its_limit, set_up, tear_down)
{
    static const struct {
        enum driver driver;
        uint32_t processes;
        double cores;
        uint64_t limit_s; /* in ten seconds */
        const char *reason;
    } drivers[] = {
        {DRIVER_EVENTS, 2, 64, 16, BUSY "a core a process" ADVICE},
        {DRIVER_EVENTS, 8, 2, 16, BUSY "the cores that it may use" ADVICE},
        {DRIVER_EVENTS, 2, 2, 16, BUSY "the cores that it may use" ADVICE},
        {DRIVER_EVENTS, 2, 1.5, 12, BUSY "the cores that it may use" ADVICE},
        {DRIVER_THREADS, 1, 4, 32, BUSY "the cores that it may use" ADVICE},
        {DRIVER_THREADS, 8, 4, 32, BUSY "the cores that it may use" ADVICE},
    };
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        plan.fleet.driver = drivers[i].driver;
        plan.fleet.processes = drivers[i].processes;
        cores = drivers[i].cores;
        result->client_cpu_ns = drivers[i].limit_s * NS_PER_S;
        assert_valid();
        result->client_cpu_ns += NS_PER_MS;
        assert_times_do_not_stand(drivers[i].reason, true);
    }
    plan.fleet.processes = 2; /* as many workers as were laid out */
}

/* One operation in a hundred may be late; of fewer than a hundred operations nothing is said. */
TEST_BETWEEN(a_driver_that_is_late_is_at_its_limit, set_up, tear_down)
{
    record(&result->measured->lag, NS_PER_MS, 9900);
    record(&result->measured->lag, 5 * NS_PER_MS, 100);
    assert_valid();
    record(&result->measured->lag, 5 * NS_PER_MS, 2);
    assert_times_do_not_stand("overloaded: 1.0 % of 10002 operations were sent more than 1 ms late "
                              "(p99: 5.0 ms)" ADVICE,
                              true);
}

/* A slot above a millisecond is late, the millisecond's own is not; above the range is late, too.
 */
TEST_BETWEEN(of_ninety_nine_operations_nothing_is_said, set_up, tear_down)
{
    record(&result->measured->lag, NS_PER_MS + NS_PER_MS / 500, 99);
    assert_valid();
    record(&result->measured->lag, 2 * HISTOGRAM_HIGHEST_NS, 1);
    assert_true(take()[load_row_driver_bound].flag);
}

/* ------------------------------------------------------------------ all else */

/* All reasons are named. */
TEST_BETWEEN(what_else_is_in_the_times_is_named, set_up, tear_down)
{
    result->absent_ns = 100 * NS_PER_MS;
    assert_valid();
    result->absent_ns = 300 * NS_PER_MS;
    assert_times_do_not_stand("overloaded: the driver did not run for 0.3 s", true);
    result->losses = 1;
    snprintf(result->not_valid, sizeof result->not_valid, "%s", "100 % somebody else's");
    assert_times_do_not_stand(
        "100 % somebody else's; overloaded: the driver did not run for 0.3 s; 1 lost connection",
        true);
    result->absent_ns = 0;
    result->not_valid[0] = '\0';
    result->losses = 3;
    assert_times_do_not_stand("3 lost connections", false);
}

TEST_BETWEEN(a_trial_that_was_cut_short_says_why, set_up, tear_down)
{
    result->end = END_DEADLINE;
    snprintf(result->reason, sizeof result->reason, "%s", "nothing moved for 60 s, 100 % sure");
    result->client_cpu_ns = 100 * NS_PER_S;
    record(&result->measured->lag, NS_PER_S, 100);
    const struct table_value *row = take();
    assert_false(row[load_row_valid].flag);
    assert_false(row[load_row_complete].flag);
    assert_false(row[load_row_driver_bound].flag); /* of a part of the time nothing is known */
    assert_string_equal(row[load_row_reason].text, result->reason);
}

/* Nothing else matters then. */
TEST_BETWEEN(a_count_that_differs_is_told, set_up, tear_down)
{
    result->losses = 2;
    result->reconcile = (struct reconcile_result){.reconciled = RECONCILED_NO,
                                                  .counter = server_counters_writes,
                                                  .servers = 1234,
                                                  .sessions = 1233};
    assert_times_do_not_stand("the servers counted 1234 writes, the sessions 1233", false);
    assert_int_equal(status_of(take()), 1);
}

TEST_BETWEEN(a_load_without_an_answer_has_no_times, set_up_silent, tear_down)
{
    assert_times_do_not_stand("no operation that was due in the measured time was answered; what "
                              "may help: a longer --duration",
                              false);
    record(&result->measured->service[ROLES][LOAD_KINDS], 2 * HISTOGRAM_HIGHEST_NS, 1);
    assert_valid();
}

/* Up to half of what was due, the median is known. */
TEST_BETWEEN(most_must_be_sent, set_up, tear_down)
{
    result->offered = 1000;
    result->measured->unsent = 500;
    assert_valid();
    result->measured->unsent = 501;
    assert_times_do_not_stand(
        "the offered rate was out of reach: 50.1 % of 1000 operations were never sent, so not even "
        "the median of the response times is known; what may help: a lower --rate, more --depth",
        false);
    plan.fleet.driver = DRIVER_SIMULATED; /* in which that is the servers' doing as well */
    assert_int_equal(status_of(take()), 4);
}

/* ------------------------------------------------------------------ the row */

#define ASSERT_ROW(row, ...) ASSERT_COLUMNS(&load_row_table, row, __VA_ARGS__)

TEST_BETWEEN(what_was_measured_is_in_the_row, set_up, tear_down)
{
    cell.rate_per_s = 1000;
    result->offered = 10010;
    result->measured->answered = 9990;
    result->measured->errors = 11;
    result->measured->delayed = 12;
    result->measured->unsent = 13;
    result->client_cpu_ns = 5 * NS_PER_S;
    result->server_cpu_known = true;
    result->server_cpu_ns = NS_PER_S;
    result->client_rss_kib = 14;
    result->reconnects = 15;
    result->total.of[TALLY_GET] = 16;
    result->servers = (struct server_counters_count){
        .known = true, .writes = 17, .reads = 18, .packets_received = 19, .notifications = 20};
    result->reconcile.reconciled = RECONCILED_YES;
    const struct table_value *row = take();
    ASSERT_ROW(row, {"offered_per_s", "1001.00"}, {"achieved_per_s", "999.00"}, {"errors", "11"},
               {"delayed", "12"}, {"unsent", "13"}, {"client_cores", "0.500"},
               {"server_cores", "0.100"}, {"client_rss_kib", "14"}, {"reconnects", "15"},
               {"rpcs", "16"}, {"server_writes", "17"}, {"server_reads", "18"},
               {"server_packets_received", "19"}, {"server_notifications", "20"},
               {"reconciled", "yes"});
    result->servers.known = false;
    result->server_cpu_known = false;
    result->reconcile.reconciled = RECONCILED_NA;
    row = take();
    ASSERT_ROW(row, {"server_writes", ""}, {"server_reads", ""}, {"server_packets_received", ""},
               {"server_notifications", ""}, {"server_cores", ""}, {"reconciled", "na"},
               {"fan_out_mean", ""}, {"fan_out_max", ""});
    result->reconcile.reconciled = RECONCILED_NO;
    ASSERT_ROW(take(), {"reconciled", "no"}, {"valid", "no"});
}

/* A minute and more is in no slot, and still a value: only the largest is known. */
TEST_BETWEEN(a_percentile_above_the_range_is_not_known, set_up, tear_down)
{
    record(&result->measured->response[ROLES][LOAD_KINDS], NS_PER_S, 90);
    record(&result->measured->response[ROLES][LOAD_KINDS], 70 * NS_PER_S, 9);
    record(&result->measured->response[ROLES][LOAD_KINDS], 99 * NS_PER_S, 1);
    const struct table_value *row = take();
    assert_near(number(row, load_row_response_p50_us + 1), 1e6);
    assert_true(isinf(number(row, load_row_response_p50_us + 2)));
    assert_true(number(row, load_row_response_p50_us + 4) == 99e6);
    ASSERT_ROW(row, {"response_p99_us", ""}, {"response_max_us", "99000000.0"},
               {"over_range", "10"});
}

/* What was never sent is in no histogram, and slower than all that is. */
TEST_BETWEEN(a_percentile_among_what_was_never_sent_is_not_known, set_up_silent, tear_down)
{
    record_ramp(&result->measured->response[ROLES][LOAD_KINDS], 8500);
    record_ramp(&result->measured->service[ROLES][LOAD_KINDS], 8500);
    result->measured->unsent = 1500;
    result->offered = 10000;
    const struct table_value *row = take();
    assert_near(number(row, load_row_response_p50_us), 5000e3);
    assert_near(number(row, load_row_service_p90_us), 7650e3);
    assert_near(number(row, load_row_response_max_us), 8500e3);
    assert_true(isinf(number(row, load_row_response_p999_us)));
    ASSERT_ROW(row, {"response_p90_us", ""}, {"response_p99_us", ""}, {"response_p999_us", ""},
               {"over_range", "0"}, {"unsent", "1500"}, {"valid", "yes"});
}

/* ------------------------------------------------------------------ the figures of a cell */

static const struct {
    size_t cell, row;
} figures[] = {
#define X(A, B, name, unit, decimals) {load_cells_##name, load_row_##name},
    LOAD_CELL_FIGURES(X, , )
#undef X
};
#define FIGURES (sizeof figures / sizeof figures[0])

/* The cells of the rows, until the next call. */
static const struct table *cells_of_rows(void)
{
    static struct table cells;
    table_deinit(&cells);
    cells = (struct table){0};
    load_cells_add(&rows, &cells);
    return &cells;
}

/* A valid trial, each figure of which is another multiple of the value; for the caller to change.
 */
static struct table_value *add(uint32_t reads, uint64_t rate_per_s, uint32_t sessions, double value)
{
    struct table_value *row = table_add(&rows);
    row[load_row_mix] = table_text("a mix");
    row[load_row_reads_percent] = table_count(reads);
    row[load_row_rate_per_s] = table_count_if(rate_per_s > 0, rate_per_s);
    row[load_row_sessions] = table_count(sessions);
    for (size_t i = 0; i < FIGURES; i++)
        row[figures[i].row] = table_real((double)(i + 1) * value);
    row[load_row_errors] = table_count(1);
    row[load_row_complete] = row[load_row_valid] = table_flag(true);
    return row;
}

static double figure(size_t at, size_t column)
{
    return table_number(&table_row(cells_of_rows(), at)[column]);
}

TEST_BETWEEN(a_figure_is_the_geometric_mean_of_its_own, set_up, tear_down)
{
    add(80, 0, 4, 100);
    add(80, 0, 4, 400);
    for (size_t i = 0; i < FIGURES; i++)
        assert_near(figure(0, figures[i].cell), (double)(i + 1) * 200);
}

TEST_BETWEEN(five_trials_have_an_interval, set_up, tear_down)
{
    for (int trial = 1; trial <= 5; trial++) {
        add(80, 0, 4, 100 * trial);
        assert_int_equal(isnan(figure(0, load_cells_achieved_per_s_low)), trial < 5);
        assert_int_equal(isnan(figure(0, load_cells_achieved_per_s_high)), trial < 5);
    }
}

static void assert_at_least(double least)
{
    assert_false(isfinite(figure(0, load_cells_response_p99_us)) ||
                 isfinite(figure(0, load_cells_response_p99_us_high)));
    assert_near(figure(0, load_cells_response_p99_us_low), least);
}

/* Above a minute, or as long as the longest that was sent; of another trial the time itself. */
TEST_BETWEEN(a_time_that_is_not_known_has_a_least, set_up, tear_down)
{
    struct table_value *row = add(80, 100, 4, 7);
    row[load_row_response_p99_us] = table_real(INFINITY);
    row[load_row_response_max_us] = table_real(100e3);
    assert_at_least(100e3);
    add(80, 100, 4, 7)[load_row_response_p99_us] = table_real(400e3);
    assert_at_least(200e3);
    row = add(80, 100, 4, 7);
    row[load_row_response_p99_us] = table_real(INFINITY);
    row[load_row_response_max_us] = table_real(99e6);
    row[load_row_over_range] = table_count(1);
    assert_at_least(cbrt(100e3 * 400e3 * 60e6));
}

TEST_BETWEEN(trials_that_are_not_valid_count_only_if_none_is, set_up, tear_down)
{
    add(80, 0, 4, 100)[load_row_valid].flag = false;
    add(80, 0, 4, 400)[load_row_valid].flag = false;
    struct table_value *cut_short = add(80, 0, 4, 1e6);
    cut_short[load_row_valid].flag = cut_short[load_row_complete].flag = false;
    assert_near(figure(0, load_cells_achieved_per_s), 2 * 200);
    assert_near(figure(0, load_cells_errors), 2); /* of the trials that reached their end */
    add(80, 0, 4, 7);
    assert_near(figure(0, load_cells_achieved_per_s), 2 * 7);
}

TEST_BETWEEN(the_largest_rate_is_of_a_valid_cell, set_up, tear_down)
{
    struct table findings = {0};
    add(80, 0, 4, 100);
    add(80, 0, 4, 900)[load_row_valid].flag = false;
    add(80, 0, 8, 400)[load_row_valid].flag = false;
    add(80, 0, 9, 50);
    load_cells_add_findings(cells_of_rows(), &findings);
    assert_int_equal(findings.rows, 1);
    assert_near(table_number(&table_row(&findings, 0)[finding_figure]), 2 * 100);
    assert_near(table_number(&table_row(&findings, 0)[finding_n]), 1);
    table_deinit(&findings);
}

static enum verdict verdict_of_cell(void)
{
    return load_cells_verdict(table_row(cells_of_rows(), 0));
}

TEST_BETWEEN(a_cell_is_valid_if_all_of_its_trials_are, set_up, tear_down)
{
    add(80, 0, 4, 100);
    assert_int_equal(verdict_of_cell(), VERDICT_HOLDS);
    add(80, 0, 4, 100)[load_row_valid].flag = false;
    assert_int_equal(verdict_of_cell(), VERDICT_NOT_VALID);
    add(80, 0, 4, 100)[load_row_miscounted] = table_flag(true);
    assert_int_equal(verdict_of_cell(), VERDICT_FAILS);
}

TEST_BETWEEN(cells_are_in_the_order_of_the_plan, set_up, tear_down)
{
    static const struct {
        uint32_t reads;
        uint64_t rate_per_s;
        uint32_t sessions;
    } order[] = {{0, 0, 9}, {0, 10, 8}, {0, 100, 4}, {50, 10, 2}, {50, 10, 100}, {100, 5, 1}};
    static const size_t trials[] = {3, 0, 5, 2, 4, 1, 0, 3, 5, 1, 2, 4};
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        add(order[trials[i]].reads, order[trials[i]].rate_per_s, order[trials[i]].sessions, 1);
    const struct table *cells = cells_of_rows();
    assert_int_equal(cells->rows, sizeof order / sizeof order[0]);
    for (size_t i = 0; i < cells->rows; i++) {
        const struct table_value *found = table_row(cells, i);
        assert_int_equal(found[load_cells_trials].count, 2);
        assert_int_equal(found[load_cells_reads_percent].count, order[i].reads);
        assert_int_equal(found[load_cells_rate_per_s].count, order[i].rate_per_s);
        assert_int_equal(found[load_cells_sessions].count, order[i].sessions);
    }
}
