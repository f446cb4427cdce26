// SPDX-License-Identifier: Apache-2.0
/* The files of a run, of trials made by hand: which handoffs have a row, which latencies, and
 * handoffs by their waiters. */
#include "base/clock.h"
#include "bench/run/internal.h"
#include "recipes/registry.h"

#include "tests/support/csv_file.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

#define CLIENTS 20

static char parent[64], folder[80];
static struct options options;
static struct trial_plan plan;
static struct histogram *latency;
static struct trial_result result;
static uint32_t trial;
static struct series_record base;
static struct record results;

FIXTURE(set_up)
{
    struct error error;
    strcpy(parent, "/tmp/zkherd-results-XXXXXX");
    if (mkdtemp(parent) == NULL)
        return -1;
    snprintf(folder, sizeof folder, "%s/out", parent);
    options = (struct options){.plan.locks = 1};
    plan = (struct trial_plan){.recipe = registry_find("scalable"),
                               .fleet.sessions = CLIENTS,
                               .locks = 1,
                               .fleet.processes = 1};
    latency = calloc(METER_KINDS * (1 + ROLES) + 1, sizeof *latency);
    result = (struct trial_result){
        .end = END_DONE,
        .elapsed_ns = NS_PER_S,
        .drain_ns = NS_PER_S,
        .latency = latency,
        .latency_of = (struct histogram(*)[METER_KINDS])(latency + METER_KINDS),
        .late = latency + METER_KINDS * (1 + ROLES),
    };
    trial = 1;
    return latency == NULL || trial_memory_new(&plan, &result.memory, &error) != ERROR_NONE;
}

FIXTURE(tear_down)
{
    trial_memory_free(result.memory);
    free(latency);
    table_deinit(&base.rows);
    record_deinit(&results);
    return folder_remove(parent);
}

static void begin(size_t trials)
{
    static uint64_t levels[] = {CLIENTS};
    struct error error;
    options.plan.clients = (struct levels){.list = levels, .count = 1};
    base = (struct series_record){.rows.type = &trial_row_table, .planned = trials};
    error.kind = file_set_open(&base.files, folder, "standalone", &error);
    file_set_add_table(&base.files, &trial_row_table, &base.csv, &error);
    assert_int_equal(error.kind, ERROR_NONE);
    assert_int_equal(record_open(&results, &options, &base, &error), ERROR_NONE);
}

/* A trial of so many handoffs: each has as many creates as its index. */
static void add(uint64_t handoffs)
{
    const struct background_figures alone = {0};
    const struct cell cell = {.recipe = plan.recipe, .clients = CLIENTS, .trial = trial++};
    struct table_value *row = table_add(&base.rows);
    struct error error;
    result.handoffs = handoffs;
    atomic_store(&result.memory->locks[0].releases, handoffs);
    for (uint64_t handoff = 0; handoff <= handoffs; handoff++)
        ledger_row(&result.memory->ledger, 0, handoff)->tally.of[TALLY_CREATE] = handoff;
    trial_row_fill(&cell, &result, &alone, &options, &base, 64, row);
    assert_int_equal(record_write(&results, row, &result, &error), ERROR_NONE);
}

static void finish(void)
{
    struct error error;
    assert_int_equal(file_set_close(&base.files, &error), ERROR_NONE);
}

static struct csv_file read_file(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return csv_file_read(path);
}

/* ------------------------------------------------------------------ handoffs */

/* With room for two of each trial: of nine each fifth has a row, of one both, of four each third.
 */
TEST_BETWEEN(what_is_more_than_a_trial_s_share_is_thinned, set_up, tear_down)
{
    static const uint64_t kept[][2] = {{1, 0}, {1, 5}, {2, 0}, {2, 1}, {3, 0}, {3, 3}};
    begin(RECORD_HANDOFFS_MAX);
    add(9);
    add(1);
    add(4);
    finish();
    struct csv_file table = read_file("handoffs.csv");
    assert_int_equal(table.rows, 6);
    for (size_t row = 0; row < table.rows; row++) {
        assert_int_equal(csv_file_count(&table, row, "trial"), kept[row][0]);
        assert_int_equal(csv_file_count(&table, row, "handoff"), kept[row][1]);
        assert_int_equal(csv_file_count(&table, row, "creates"), kept[row][1]);
    }
    assert_int_equal(results.thinning, 5); /* of the trial that was thinned the most */
    csv_file_deinit(&table);
}

/* The handoff of a death has a row however thinned its trial is. */
TEST_BETWEEN(the_handoff_of_a_death_is_kept, set_up, tear_down)
{
    begin(RECORD_HANDOFFS_MAX);
    result.had_death = true;
    result.died_session = 4;
    result.died_handoff = 3;
    add(9);
    finish();
    struct csv_file table = read_file("handoffs.csv");
    assert_int_equal(table.rows, 3);
    assert_int_equal(csv_file_count(&table, 1, "handoff"), 3);
    assert_int_equal(csv_file_count(&table, 1, "died"), 4);
    assert_string_equal(csv_file_text(&table, 2, "died"), "");
    csv_file_deinit(&table);
}

/* ------------------------------------------------------------------ latencies */

static void record(enum meter_kind kind, uint64_t times)
{
    for (uint64_t i = 1; i <= times; i++)
        histogram_record(&latency[kind], i * 1000);
}

/* A kind without a value has no row, and the 99.9th percentile is there from 1,000 values on. */
TEST_BETWEEN(a_percentile_far_out_needs_many_values, set_up, tear_down)
{
    record(METER_HANDOFF, 999);
    record(METER_RELEASE, 1000);
    begin(1);
    add(1);
    finish();
    struct csv_file table = read_file("latency.csv");
    assert_int_equal(table.rows, 2);
    for (size_t row = 0; row < 2; row++) {
        bool many = strcmp(csv_file_text(&table, row, "kind"), "release") == 0;
        assert_string_equal(csv_file_text(&table, row, "role"), "all");
        assert_int_equal(csv_file_count(&table, row, "count"), many ? 1000 : 999);
        assert_in_range(csv_file_real(&table, row, "p50_us"), 499, 502);
        assert_in_range(csv_file_real(&table, row, "p90_us"), 898, 903);
        assert_in_range(csv_file_real(&table, row, "p99_us"), 988, 993);
        if (many)
            assert_in_range(csv_file_real(&table, row, "p999_us"), 998, 1001);
        else
            assert_string_equal(csv_file_text(&table, row, "p999_us"), "");
        assert_int_equal(csv_file_count(&table, row, "over_range"), 0);
    }
    csv_file_deinit(&table);
}

/* With --max-rate others take their steps, with pauses, between an arrival and its grant. */
TEST_BETWEEN(a_paced_trial_has_no_time_of_an_acquisition, set_up, tear_down)
{
    plan.max_rate = 100;
    record(METER_ACQUIRE, 5);
    record(METER_HANDOFF, 5);
    begin(1);
    add(1);
    finish();
    struct csv_file table = read_file("latency.csv");
    assert_int_equal(table.rows, 1);
    assert_string_equal(csv_file_text(&table, 0, "kind"), "handoff");
    csv_file_deinit(&table);
}

/* ------------------------------------------------------------------ no trial */

/* Nor is a file opened behind an error. */
TEST_BETWEEN(without_a_trial_nothing_is_kept, set_up, tear_down)
{
    struct error first = {.kind = ERROR_NO_SPACE};
    begin(1);
    size_t opened = count_entries(folder);
    file_set_add_csv(&base.files, "second.csv", "column", &base.csv, &first);
    assert_int_equal(count_entries(folder), opened);
    finish();
    assert_int_equal(count_entries(parent), 0);
}

TEST(that_counts_are_not_compared_is_a_warning_once)
{
    static const struct target_options target = {.topology_count = 1};
    static const struct output_options output = {.quiet = true};
    static const char *const reasons[] = {"", "other clients", "other clients", ""};
    const struct series series = {.options = {.target = &target, .output = &output}};
    struct series_record record = {.manifest.warnings = json_array()};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        assert_true(series_keeps(&series, &record, NULL, reasons[i]));
    assert_int_equal(json_array_size(record.manifest.warnings), 1);
    manifest_deinit(&record.manifest);
}

/* ------------------------------------------------------------------ the exit status of a series */

static int found_verdict;

static enum error_kind plan_one(void *context, struct error *error)
{
    (void)error;
    ((struct series *)context)->planned = 1;
    return ERROR_NONE;
}

static enum error_kind keep_one(void *context, struct error *error)
{
    (void)error;
    ((struct series *)context)->kept = 1;
    return ERROR_NONE;
}

static enum error_kind fail_to_join(void *context, struct error *error)
{
    (void)context;
    return error_raise(error, ERROR_NO_SPACE, 0, "cells.csv", "%s", "");
}

static int print_nothing(void *context)
{
    (void)context;
    return found_verdict;
}

/* A file that could not be written at the end: what fails outweighs it, what is not valid does not.
 */
TEST(an_error_behind_the_last_trial_is_in_the_exit_status)
{
    static const int verdicts[] = {0, 4, 1}, statuses[] = {3, 3, 1};
    static const struct series_user user = {
        .lay_out = plan_one, .run = keep_one, .join = fail_to_join, .print_results = print_nothing};
    static uint64_t one_client[] = {1}, one_server[] = {1};
    static struct levels clients = {.list = one_client, .count = 1};
    static const struct target_options target = {.driver = DRIVER_SIMULATED,
                                                 .server_counts = one_server,
                                                 .topology_count = 1,
                                                 .max_clients = UINT64_MAX};
    static const struct output_options output = {
        .out = OUTPUT_NOWHERE, .no_files = true, .quiet = true};
    const struct series_options of_one = {.subcommand = "run",
                                          .target = &target,
                                          .output = &output,
                                          .clients = &clients,
                                          .processes = 1};
    static struct series series;
    for (size_t i = 0; i < 3; i++) {
        found_verdict = verdicts[i];
        assert_int_equal(series_run(&series, &of_one, &user, &series, 0, NULL), statuses[i]);
        series_deinit(&series);
    }
}

/* ------------------------------------------------------------------ waiters */

#define MOST 300

static struct trial_plan waiters_plan = {
    .recipe = &recipe_scalable, .fleet.sessions = MOST, .locks = 1};
static struct trial_result waiters_result;
static struct waiters *waiters;
static char *text;

FIXTURE(begin_waiters)
{
    struct error error;
    waiters_result = (struct trial_result){.handoffs = MOST};
    return trial_memory_new(&waiters_plan, &waiters_result.memory, &error) != ERROR_NONE ||
           (waiters = waiters_new(&recipe_scalable, MOST)) == NULL;
}

FIXTURE(end_waiters)
{
    waiters_free(waiters);
    trial_memory_free(waiters_result.memory);
    free(text);
    text = NULL;
    return 0;
}

/* The next handoff: with so many waiters, and that took so long. */
static void hand_over(uint32_t waiting, uint64_t handoff_ns)
{
    uint64_t handoff = atomic_fetch_add(&waiters_result.memory->locks[0].releases, 1) + 1;
    struct ledger_row *row = ledger_row(&waiters_result.memory->ledger, 0, handoff);
    row->waiters = waiting;
    row->handoff_ns = handoff_ns;
    row->tally.of[TALLY_CREATE] = 2;
    row->tally.of[TALLY_NOTIFICATION] = waiting;
}

/* Adds the trial, and empties its ledger. */
static void add_handoffs(bool timed)
{
    struct waiters_trial times;
    struct error error;
    assert_int_equal(waiters_measure(waiters, &waiters_result, &times, &error), ERROR_NONE);
    waiters_add(waiters, &waiters_result, timed ? &times : NULL);
    trial_memory_free(waiters_result.memory);
    assert_int_equal(trial_memory_new(&waiters_plan, &waiters_result.memory, &error), ERROR_NONE);
}

/* The rows of waiters.csv for what has been handed over. */
static const char *written(bool timed)
{
    size_t length = 0;
    add_handoffs(timed);
    const struct options of_one = {.plan.recipe_count = 1};
    const struct outcome outcome = {
        .options = &of_one, .run = "run", .recipes = {{.waiters = waiters}}};
    FILE *stream = open_memstream(&text, &length);
    waiters_write(stream, &outcome);
    fclose(stream);
    return strchr(text, '\n') + 1; /* behind the header */
}

/* 1, 2-3, 4-7: what lies at an end of one is not in its neighbours. A release for which no
 * client waits, or that hands on nothing, is in none. */
TEST_BETWEEN(each_number_of_waiters_is_in_one_octave, begin_waiters, end_waiters)
{
    for (uint32_t waiting = 1; waiting <= 8; waiting++)
        hand_over(waiting, 1000);
    hand_over(0, 1000);
    hand_over(5, 0);
    assert_string_equal(written(true), "run,scalable,1,1,1.00,1,2.000,1.000,2.000,1.0,,,,,,1\n"
                                       "run,scalable,2,3,2.50,2,2.000,2.500,2.000,1.0,,,,,,2\n"
                                       "run,scalable,4,7,5.50,4,2.000,5.500,2.000,1.0,,,,,,4\n"
                                       "run,scalable,8,15,8.00,1,2.000,8.000,2.000,1.0,,,,,,1\n");
    uint64_t handoffs = 0;
    for (size_t octave = 0; octave < WAITERS_OCTAVES; octave++)
        handoffs += waiters_octave_sum(waiters, octave).of[WAITERS_HANDOFFS];
    assert_int_equal(handoffs, 8);
}

TEST_BETWEEN(a_99th_percentile_takes_a_hundred_handoffs, begin_waiters, end_waiters)
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
TEST_BETWEEN(counts_of_a_trial_without_times, begin_waiters, end_waiters)
{
    for (int i = 0; i < 100; i++)
        hand_over(1, 1000);
    assert_string_equal(written(false), "run,scalable,1,1,1.00,100,2.000,1.000,2.000,,,,,,,0\n");
}

/* A client that goes on to another lock arrives while this one drains: no law is of its rows. */
TEST_BETWEEN(rows_of_clients_that_visit_every_lock_have_no_law, begin_waiters, end_waiters)
{
    static const struct recipe *const recipes[] = {&recipe_scalable, &recipe_softlock};
    for (size_t i = 0; i < 2; i++) {
        const struct trial_plan plan_of_two = {
            .recipe = recipes[i], .fleet.sessions = 4, .locks = 2, .workload = WORKLOAD_DRAIN};
        struct trial_result of_two = {.handoffs = 2, .has_law = true};
        struct error error;
        assert_int_equal(trial_memory_new(&plan_of_two, &of_two.memory, &error), ERROR_NONE);
        atomic_store(&of_two.memory->locks[0].releases, 1);
        struct ledger_row *row = ledger_row(&of_two.memory->ledger, 0, 1);
        row->waiters = 1;
        row->handoff_ns = 1000;
        waiters_add(waiters, &of_two, NULL);
        trial_memory_free(of_two.memory);
        assert_int_equal(waiters_octave_sum(waiters, 0).of[WAITERS_LAWFUL], 1);
        assert_int_equal(waiters_octave_sum(waiters, 0).of[WAITERS_HANDOFFS], 1 + i);
    }
}

/* Of two trials one has times: their mean number of waiters is its own. */
TEST_BETWEEN(the_handoffs_with_times_are_counted_apart, begin_waiters, end_waiters)
{
    hand_over(4, 1000);
    add_handoffs(false);
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
    for (size_t i = 0; i + 1 < count; i++) {
        hand_over(1, handoffs_ns[i]);
        add_handoffs(true);
    }
    hand_over(1, handoffs_ns[count - 1]);
    return written(true);
}

/* The same estimator without an interval and, from five trials on, with one. */
TEST_BETWEEN(few_trials_have_a_geometric_mean, begin_waiters, end_waiters)
{
    static const uint64_t handoffs_ns[] = {1000, 2000, 32000, 4000, 4000};
    assert_string_equal(written_of_trials(handoffs_ns, 4),
                        "run,scalable,1,1,1.00,4,2.000,1.000,2.000,4.0,,,,,,4\n");
    end_waiters(NULL);
    begin_waiters(NULL);
    assert_string_equal(written_of_trials(handoffs_ns, 5),
                        "run,scalable,1,1,1.00,5,2.000,1.000,2.000,4.0,0.8,20.0,,,,5\n");
}
