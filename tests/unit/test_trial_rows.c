// SPDX-License-Identifier: Apache-2.0
/* What is kept of a trial: its percentiles, and whether its times stand. */

#include "base/clock.h"
#include "bench/cli/options.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"
#include "tests/support/row.h"
#include "tests/support/test.h"

#include <math.h>

static struct trial_plan plan;
static struct histogram *histograms; /* late, and the latencies: of the whole, and of each role */
static struct trial_result result;
static struct cell cell;
static struct background_figures background;
static double cores; /* that the trial could use */
static struct options options;
static struct table rows = {.type = &trial_row_table};

/* A trial of ten seconds that ended well, in free pace on two processes. */
FIXTURE(set_up)
{
    struct error error;
    plan = (struct trial_plan){.recipe = registry_find("scalable"),
                               .pace = PACE_FREE,
                               .fleet.sessions = 4,
                               .locks = 1,
                               .fleet.processes = 2};
    cell = (struct cell){.recipe = plan.recipe, .clients = plan.fleet.sessions, .trial = 1};
    background = (struct background_figures){0};
    cores = 64;
    histograms = calloc(1 + METER_KINDS + ROLES * METER_KINDS, sizeof *histograms);
    result = (struct trial_result){.end = END_DONE, .elapsed_ns = 10 * NS_PER_S};
    if (histograms == NULL || trial_memory_new(&plan, &result.memory, &error) != ERROR_NONE)
        return -1;
    result.late = histograms;
    result.latency = histograms + 1;
    result.latency_of = (struct histogram(*)[METER_KINDS])(histograms + 1 + METER_KINDS);
    return 0;
}

FIXTURE(tear_down)
{
    trial_memory_free(result.memory);
    free(histograms);
    table_deinit(&rows);
    return 0;
}

static const struct table_value *take(void)
{
    static const struct series_record record = {
        .files.run = "run1", .target = "ensemble3", .servers = 3};
    struct table_value *row = table_add(&rows);
    trial_row_fill(&cell, &result, &background, &options, &record, cores, row);
    return row;
}

static void assert_valid(void)
{
    const struct table_value *row = take();
    assert_string_equal(row[trial_row_reason].text, "");
    assert_true(row[trial_row_valid].flag);
    assert_true(row[trial_row_complete].flag);
}

/* The counts stand all the same. */
static void assert_times_do_not_stand(const char *reason)
{
    const struct table_value *row = take();
    assert_string_equal(row[trial_row_reason].text, reason);
    assert_false(row[trial_row_valid].flag);
    assert_true(row[trial_row_complete].flag);
}

static void record(struct histogram *histogram, uint64_t value_ns, unsigned times)
{
    while (times-- > 0)
        histogram_record(histogram, value_ns);
}

/* ------------------------------------------------------------------ figures */

/* 1, 2, … 1000 ms: each percentile is its own number; slots are a thousandth wide. */
static void record_ramp(enum meter_kind kind)
{
    for (uint64_t ms = 1; ms <= 1000; ms++)
        histogram_record(&result.latency[kind], ms * NS_PER_MS);
}

TEST_BETWEEN(test_each_percentile_stands_in_its_column, set_up, tear_down)
{
    static const double handoff_us[] = {500e3, 900e3, 990e3, 1000e3};
    static const double acquire_us[] = {500e3, 990e3, 1000e3};
    assert_true(isnan(take()[trial_row_handoff_p50_us].real));
    record_ramp(METER_HANDOFF);
    record_ramp(METER_ACQUIRE);
    record(&result.latency_of[ROLE_LEADER][METER_HANDOFF], 3 * NS_PER_MS, 3);
    record(&result.latency_of[ROLE_LEADER][METER_HANDOFF], 300 * NS_PER_MS, 1);
    const struct table_value *row = take();
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(row[trial_row_handoff_p50_us + i].real / handoff_us[i] - 1) < 0.001);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(row[trial_row_acquire_p50_us + i].real / acquire_us[i] - 1) < 0.001);
    assert_true(fabs(row[trial_row_handoff_of_leader_us].real / 3e3 - 1) < 0.001);
    assert_true(isnan(row[trial_row_handoff_of_follower_us].real));
}

/* The arrivals of a drain are no handoffs; with --max-rate what spans several steps has no time. */
TEST_BETWEEN(test_times_are_of_what_a_trial_does, set_up, tear_down)
{
    static const size_t spans[] = {trial_row_elapsed_s, trial_row_drain_s, trial_row_handoffs_per_s,
                                   trial_row_acquire_p50_us, trial_row_recovery_s};
    result.drain_ns = 4 * NS_PER_S;
    result.recovery_ns = 2 * NS_PER_S;
    result.handoffs = 20;
    record_ramp(METER_HANDOFF);
    record_ramp(METER_ACQUIRE);
    assert_true(take()[trial_row_handoffs_per_s].real == 5);
    assert_true(take()[trial_row_recovery_s].real == 2);
    plan.workload = WORKLOAD_STEADY;
    assert_true(take()[trial_row_handoffs_per_s].real == 2);
    plan.max_rate = 100;
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
        assert_true(isnan(take()[spans[i]].real));
    assert_true(take()[trial_row_handoff_p50_us].real > 0);
}

/* A lost connection adds requests or loses some: under lockstep the counts are no law's then. */
TEST_BETWEEN(test_lockstep_without_a_connection_is_not_complete, set_up, tear_down)
{
    result.losses = 1;
    assert_true(take()[trial_row_complete].flag);
    plan.pace = PACE_LOCKSTEP;
    assert_false(take()[trial_row_complete].flag);
}

/* ------------------------------------------------------------------ the driver */

#define ADVICE    "; what may help: fewer clients, more --processes, a quieter or a larger machine"
#define A_CORE    "overloaded: the driver used 80 % of a core a process" ADVICE
#define THE_CORES "overloaded: the driver used 80 % of the cores that it may use" ADVICE

/* More processes than cores, threads, and a quota: no process can use a core that it has not. */
TEST_BETWEEN(test_a_driver_at_four_fifths_of_its_cores_is_at_its_limit, set_up, tear_down)
{
    static const struct {
        enum driver driver;
        uint32_t processes;
        double cores;
        uint64_t limit_s; /* in ten seconds */
        const char *reason;
    } drivers[] = {{DRIVER_EVENTS, 2, 64, 16, A_CORE},
                   {DRIVER_EVENTS, 8, 2, 16, THE_CORES},
                   {DRIVER_EVENTS, 2, 1.5, 12, THE_CORES},
                   {DRIVER_THREADS, 1, 4, 32, THE_CORES}};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
        plan.fleet.driver = drivers[i].driver;
        plan.fleet.processes = drivers[i].processes;
        cores = drivers[i].cores;
        result.client_cpu_ns = drivers[i].limit_s * NS_PER_S;
        assert_valid();
        result.client_cpu_ns += NS_PER_MS;
        assert_times_do_not_stand(drivers[i].reason);
    }
}

/* Of a tenth of a second nothing is known; nor does a simulation have a driver that is busy. */
TEST_BETWEEN(test_a_short_trial_and_a_simulation_are_not_overloaded, set_up, tear_down)
{
    result.client_cpu_ns = 100 * NS_PER_S;
    result.elapsed_ns = NS_PER_S / 5 - 1;
    assert_valid();
    result.elapsed_ns++;
    assert_false(take()[trial_row_valid].flag);
    plan.fleet.driver = DRIVER_SIMULATED;
    assert_valid();
}

/* One hold in a hundred may end late; of fewer than a hundred nothing is said. */
TEST_BETWEEN(test_late_holds_are_told_by_their_share, set_up, tear_down)
{
    record(result.late, NS_PER_MS / 2, 9800);
    record(result.late, 5 * NS_PER_MS, 98);
    assert_valid();
    record(result.late, 5 * NS_PER_MS, 327);
    assert_times_do_not_stand(
        "overloaded: 4.2 % of 10225 holds ended more than 1 ms late (p99: 5.0 ms)" ADVICE);
    memset(result.late, 0, sizeof *result.late);
    record(result.late, 5 * NS_PER_MS, 99);
    assert_valid();
    record(result.late, 5 * NS_PER_MS, 1);
    assert_false(take()[trial_row_valid].flag);
    memset(result.late, 0, sizeof *result.late);
    record(result.late, 5 * NS_PER_MS, 99);
    record(result.late, 2 * HISTOGRAM_HIGHEST_NS, 1);
    assert_false(take()[trial_row_valid].flag);
}

/* ------------------------------------------------------------------ stalls and reconnects */

TEST_BETWEEN(test_the_times_of_a_stalled_trial_do_not_stand, set_up, tear_down)
{
    result.stalls = (struct stalls){1, 20 * NS_PER_S, 20 * NS_PER_S, "127.0.0.1:2182", 0};
    assert_times_do_not_stand("stalled: 127.0.0.1:2182 owed an answer, and nothing was received "
                              "for 20.0 s; 1 stall in all, for 20.0 s");
    assert_int_equal(take()[trial_row_stalls].count, 1);
    result.stalls = (struct stalls){3, 25 * NS_PER_S, 20 * NS_PER_S, "127.0.0.1:2182", 0};
    assert_times_do_not_stand("stalled: 127.0.0.1:2182 owed an answer, and nothing was received "
                              "for 20.0 s; 3 stalls in all, for 25.0 s");
}

/* The session whose reply is taken away connects again as planned, and nobody else. */
TEST_BETWEEN(test_a_planned_reconnect_is_no_error, set_up, tear_down)
{
    plan.death = (struct death){.how = DEATH_LOST_REPLY};
    result.had_death = true;
    result.reconnects = 1;
    assert_valid();
    result.reconnects = 2;
    assert_times_do_not_stand("reconnected: 1 lost connection, which is in the times");
    plan.death.how = DEATH_CRASH; /* nobody connects again */
    result.reconnects = 1;
    assert_false(take()[trial_row_valid].flag);
    plan.death.how = DEATH_LOST_REPLY;
    result.had_death = false; /* it has not come to that */
    assert_false(take()[trial_row_valid].flag);
}

/* Whether it was noticed in the trial, which ended then, or behind it. */
TEST_BETWEEN(test_a_load_in_the_background_that_ended_too_early_is_told, set_up, tear_down)
{
    static const enum fleet_end ends[] = {END_ALONE, END_DONE};
    snprintf(background.ended, sizeof background.ended, "session 3 expired");
    for (size_t i = 0; i < 2; i++) {
        result.end = ends[i];
        const struct table_value *row = take();
        assert_string_equal(row[trial_row_reason].text,
                            "the load in the background ended too early: session 3 expired");
        assert_false(row[trial_row_valid].flag);
        assert_int_equal(row[trial_row_complete].flag, ends[i] == END_DONE);
    }
}

TEST_BETWEEN(test_a_background_that_was_late_or_cut_off_is_told, set_up, tear_down)
{
    static const struct {
        struct background_figures figures;
        const char *reason; /* "": the times stand */
    } cases[] = {
        {{.sent = 100, .contended_sent = 100, .sent_late = 1, .contended_sent_late = 1}, ""},
        {{.sent = 100, .contended_sent = 100, .sent_late = 2, .contended_sent_late = 1},
         "overloaded: of 100 requests of the load in the background, alone, 2 were sent more than "
         "1 ms late; what may help: a lower rate, a quieter machine"},
        {{.sent = 100, .contended_sent = 100, .sent_late = 1, .contended_sent_late = 2},
         "overloaded: of 100 requests of the load in the background, beside the lock, 2 were sent "
         "more than 1 ms late; what may help: a lower rate, a quieter machine"},
        {{.absent_ns = 100 * NS_PER_MS}, ""},
        {{.absent_ns = 300 * NS_PER_MS},
         "overloaded: the driver of the load in the background did not run for 0.3 s"},
        {{.losses = 2}, "the load in the background lost 2 connections"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        background = cases[i].figures;
        const struct table_value *row = take();
        assert_string_equal(row[trial_row_reason].text, cases[i].reason);
        assert_int_equal(row[trial_row_valid].flag, cases[i].reason[0] == '\0');
        assert_true(row[trial_row_complete].flag);
    }
}
