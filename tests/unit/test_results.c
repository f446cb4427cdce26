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

static int set_up(void **state)
{
    struct error error;
    (void)state;
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

static int tear_down(void **state)
{
    (void)state;
    trial_memory_free(result.memory);
    free(latency);
    table_deinit(&base.rows);
    record_deinit(&results);
    return folder_remove(parent);
}

static void begin_with(size_t trials, bool has_trace)
{
    static uint64_t levels[] = {CLIENTS};
    struct error error;
    options.plan.clients = options.plan.traced = (struct levels){.list = levels, .count = 1};
    options.plan.traced.count = has_trace;
    base = (struct series_record){.rows.type = &trial_row_table, .planned = trials};
    assert_int_equal(file_set_open(&base.files, folder, "standalone", &error), ERROR_NONE);
    assert_int_equal(file_set_add_table(&base.files, &trial_row_table, &base.csv, &error),
                     ERROR_NONE);
    assert_int_equal(record_open(&results, &options, &base, &error), ERROR_NONE);
}

static void begin(size_t trials)
{
    begin_with(trials, false);
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
    trial_row_take(&cell, &result, &alone, &options, &base, 64, row);
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

TEST_BETWEEN(every_handoff_has_a_row_where_there_is_room, set_up, tear_down)
{
    begin(1);
    add(CLIENTS - 1);
    finish();
    struct csv_file table = read_file("handoffs.csv");
    assert_int_equal(table.rows, CLIENTS);
    for (size_t row = 0; row < table.rows; row++) {
        assert_int_equal(csv_file_count(&table, row, "handoff"), row);
        assert_int_equal(csv_file_count(&table, row, "creates"), row);
    }
    assert_int_equal(results.thinning, 1);
    csv_file_deinit(&table);
}

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

/* ------------------------------------------------------------------ messages */

TEST_BETWEEN(a_traced_message_has_its_row, set_up, tear_down)
{
    static const char *const columns[] = {"time_us",   "handoff", "waiters",    "session", "event",
                                          "operation", "status",  "latency_us", "wakes"};
    static const char *const expected[][9] = {
        {"-0.250", "1", "2", "7", "grant", "", "", "", ""},
        {"0.000", "1", "2", "4", "release", "", "", "", ""},
        {"1.500", "1", "2", "4", "request", "delete", "", "", ""},
        {"2.000", "1", "2", "5", "notification", "deleted", "", "", "no"},
        {"3.250", "1", "2", "4", "reply", "delete", "no_node", "1.750", ""},
        {"4.000", "1", "2", "6", "notification", "child", "", "", "yes"},
        {"5.000", "1", "2", "6", "grant", "", "", "", ""},
    };
    static const struct trace_event events[] = {
        {.kind = TRACE_NOTIFICATION, .at_ns = 9000, .session = 5, .event = EVENT_DELETED},
        {.kind = TRACE_RELEASE, .at_ns = 7000, .session = 4},
        {.kind = TRACE_REQUEST, .at_ns = 8500, .session = 4, .operation = OP_DELETE},
        {.kind = TRACE_REPLY,
         .at_ns = 10250,
         .latency_ns = 1750,
         .session = 4,
         .operation = OP_DELETE,
         .status = ZK_NO_NODE},
        {.kind = TRACE_NOTIFICATION,
         .at_ns = 11000,
         .session = 6,
         .event = EVENT_CHILD,
         .wakes = true},
        {.kind = TRACE_GRANT, .at_ns = 12000, .session = 6},
        /* Its process read the clock before the release, and the handoff's number after it. */
        {.kind = TRACE_GRANT, .at_ns = 6750, .session = 7},
    };
    struct trace_event places[7];
    struct trace *trace = &result.memory->trace;
    *trace = (struct trace){.events = places, .places = 7};
    ledger_row(&result.memory->ledger, 0, 1)->released_ns = 7000;
    ledger_row(&result.memory->ledger, 0, 1)->waiters = 2;
    for (size_t i = 0; i < 7; i++) {
        struct trace_event event = events[i];
        event.handoff = 1;
        trace_note(trace, &event);
    }
    begin_with(1, true);
    add(1);
    finish();
    struct csv_file table = read_file("trace.csv");
    assert_int_equal(table.rows, 7);
    for (size_t row = 0; row < table.rows; row++) {
        assert_string_equal(csv_file_text(&table, row, "recipe"), "scalable");
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
            assert_string_equal(csv_file_text(&table, row, columns[i]), expected[row][i]);
    }
    csv_file_deinit(&table);
}

TEST_BETWEEN(without_a_trace_there_is_no_file, set_up, tear_down)
{
    char path[128];
    begin(1);
    add(1);
    finish();
    snprintf(path, sizeof path, "%s/trace.csv", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

/* ------------------------------------------------------------------ latencies */

static void record(enum meter_kind kind, uint64_t times)
{
    for (uint64_t i = 1; i <= times; i++)
        histogram_record(&latency[kind], i * 1000);
}

/* A kind without a value has no row, and the 99.9th percentile is there from 10,000 values on. */
TEST_BETWEEN(a_percentile_far_out_needs_many_values, set_up, tear_down)
{
    record(METER_HANDOFF, 9999);
    record(METER_RELEASE, 10000);
    begin(1);
    add(1);
    finish();
    struct csv_file table = read_file("latency.csv");
    assert_int_equal(table.rows, 2);
    for (size_t row = 0; row < 2; row++) {
        bool many = strcmp(csv_file_text(&table, row, "kind"), "release") == 0;
        assert_string_equal(csv_file_text(&table, row, "role"), "all");
        assert_int_equal(csv_file_count(&table, row, "count"), many ? 10000 : 9999);
        assert_in_range(csv_file_real(&table, row, "p50_us"), 4995, 5010);
        assert_in_range(csv_file_real(&table, row, "p90_us"), 8990, 9020);
        assert_in_range(csv_file_real(&table, row, "p99_us"), 9890, 9920);
        if (many)
            assert_in_range(csv_file_real(&table, row, "p999_us"), 9985, 10005);
        else
            assert_string_equal(csv_file_text(&table, row, "p999_us"), "");
        assert_int_equal(csv_file_count(&table, row, "over_range"), 0);
    }
    csv_file_deinit(&table);
}

/* What spans several steps has the waits for the rate in it. */
TEST_BETWEEN(a_limited_rate_has_no_times_over_several_steps, set_up, tear_down)
{
    record(METER_HANDOFF, 3);
    record(METER_ACQUIRE, 3);
    record(METER_RELEASE, 3);
    plan.max_rate = 1;
    begin(1);
    add(1);
    finish();
    struct csv_file table = read_file("latency.csv");
    assert_int_equal(table.rows, 2);
    for (size_t row = 0; row < 2; row++)
        assert_string_not_equal(csv_file_text(&table, row, "kind"), "acquire");
    csv_file_deinit(&table);
}

/* ------------------------------------------------------------------ sessions, and no trial */

TEST_BETWEEN(each_session_has_its_row, set_up, tear_down)
{
    struct shared_session *session = &result.memory->fleet->sessions[7];
    result.memory->sessions[7].acquisitions = 3;
    strcpy(session->server, "127.0.0.1:2181");
    session->role = ROLE_FOLLOWER;
    begin(1);
    add(1);
    finish();
    struct csv_file table = read_file("sessions.csv");
    assert_int_equal(table.rows, CLIENTS);
    assert_int_equal(csv_file_count(&table, 7, "session"), 7);
    assert_int_equal(csv_file_count(&table, 7, "acquisitions"), 3);
    assert_string_equal(csv_file_text(&table, 7, "server"), "127.0.0.1:2181");
    assert_string_equal(csv_file_text(&table, 7, "role"), "follower");
    assert_int_equal(csv_file_count(&table, 8, "acquisitions"), 0);
    csv_file_deinit(&table);
}

TEST_BETWEEN(without_a_trial_nothing_is_kept, set_up, tear_down)
{
    begin(1);
    assert_int_equal(access(folder, F_OK), 0);
    finish();
    assert_int_equal(count_entries(parent), 0);
}
