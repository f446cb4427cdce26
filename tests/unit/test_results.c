// SPDX-License-Identifier: Apache-2.0
/* The files that grow trial by trial, of trials made by hand: which handoffs have a row, and which
 * latencies. */

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
    assert_int_equal(file_set_open(&base.files, folder, "standalone", &error), ERROR_NONE);
    assert_int_equal(file_set_add_table(&base.files, &trial_row_table, &base.csv, &error),
                     ERROR_NONE);
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

/* ------------------------------------------------------------------ no trial */

TEST_BETWEEN(without_a_trial_nothing_is_kept, set_up, tear_down)
{
    begin(1);
    assert_int_equal(access(folder, F_OK), 0);
    finish();
    assert_int_equal(count_entries(parent), 0);
}
