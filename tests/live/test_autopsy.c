// SPDX-License-Identifier: Apache-2.0
/* The logs of a server alone tell what a trial on it has counted: holders, their order, handoffs
 * and waiters; also while the server runs, and of a holder whose session expires. */
#include "tests/support/csv_file.h"
#include "tests/support/live.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"

#include "fleet/shared.h"
#include "trial/trial_memory.h"

#include <inttypes.h>

#define SESSION_MS 4000

static struct command command;

/* Reads the folder of the server, which runs. */
static json_t *read_logs(void)
{
    static char data[PATH_MAX + 32];
    snprintf(data, sizeof data, "%s/server.1/data", live_ensemble->folder);
    command_run(&command, COMMAND("autopsy", "--json", "-o", "found", data));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "autopsy");
    assert_int_equal(json_array_size(json_object_get(result, "flaws")), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "unattributed")), 0);
    return result;
}

/* The number of the lock below a trial's root. */
static uint64_t find_lock(const struct trial_plan *plan, const struct csv_file *locks)
{
    size_t length = strlen(plan->root);
    for (size_t row = 0; row < locks->rows; row++) {
        const char *path = csv_file_text(locks, row, "path");
        if (strncmp(path, plan->root, length) == 0 && path[length] == '/')
            return row;
    }
    fail_msg("no lock below %s", plan->root);
    return 0;
}

/* The row of a lock's handoff: the last of each lock stand together. */
static size_t find_row(const struct csv_file *rows, uint64_t lock, uint64_t handoff)
{
    size_t row = 0;
    while (csv_file_count(rows, row, "lock") != lock ||
           csv_file_count(rows, row, "handoff") != handoff)
        row++;
    return row;
}

static const char *session_name(const struct trial_result *result, uint32_t session)
{
    static char name[32];
    snprintf(name, sizeof name, "0x%" PRIx64,
             (uint64_t)result->memory->fleet->sessions[session].id);
    return name;
}

/* A row of the ledger against the log's. At free pace a client may have sent its first create, and
 * so wait in the ledger, while the server has not yet received it: only then may the numbers of
 * waiters differ. */
static void assert_row(const struct trial_result *result, size_t handoff,
                       const struct csv_file *handoffs, size_t row, bool in_steps)
{
    const struct ledger_row *told = ledger_row(&result->memory->ledger, 0, handoff);
    uint64_t waiters = csv_file_count(handoffs, row, "waiters");
    assert_int_equal(csv_file_count(handoffs, row, "granted"), told->granted);
    if (in_steps || handoff + waiters == result->memory->plan->fleet.sessions)
        assert_int_equal(waiters, told->waiters);
    else
        assert_true(waiters <= told->waiters);
    if (!in_steps)
        return;
    assert_int_equal(csv_file_count(handoffs, row, "creates"), told->tally.of[TALLY_CREATE]);
    assert_int_equal(csv_file_count(handoffs, row, "deletes"), told->tally.of[TALLY_DELETE]);
    assert_int_equal(csv_file_count(handoffs, row, "creates_failed"),
                     told->tally.of[TALLY_CREATE_FAILED]);
}

static void assert_equal(const struct trial_plan *plan, const struct trial_result *result,
                         bool in_steps)
{
    struct csv_file locks = csv_file_read(in_work("found/locks.csv")),
                    handoffs = csv_file_read(in_work("found/handoffs.csv")),
                    holds = csv_file_read(in_work("found/holds.csv"));
    uint64_t lock = find_lock(plan, &locks), failed = 0;
    size_t used = trial_memory_rows_used(result->memory, 0);
    for (size_t handoff = 0; handoff < used; handoff++) {
        const struct ledger_row *told = ledger_row(&result->memory->ledger, 0, handoff);
        size_t row = find_row(&handoffs, lock, handoff);
        assert_row(result, handoff, &handoffs, row, in_steps);
        failed += csv_file_count(&handoffs, row, "creates_failed");
        if (told->holder != 0)
            assert_string_equal(csv_file_text(&holds, find_row(&holds, lock, handoff), "session"),
                                session_name(result, told->holder - 1));
    }
    assert_int_equal(failed, result->total.of[TALLY_CREATE_FAILED]);
    assert_int_equal(csv_file_count(&locks, lock, "grants"), plan->fleet.sessions);
    csv_file_deinit(&locks);
    csv_file_deinit(&handoffs);
    csv_file_deinit(&holds);
}

static void check_drain(const char *recipe, uint32_t clients, enum pace pace)
{
    struct trial_plan plan = live_plan(recipe, clients);
    plan.pace = pace;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    json_decref(read_logs());
    assert_equal(&plan, result, pace == PACE_LOCKSTEP);
    trial_result_free(result);
    assert_int_equal(folder_remove(in_work("found")), 0);
}

COMMAND_TEST(a_log_tells_what_a_drain_counted)
{
    for (uint32_t clients = 8; clients <= 32; clients *= 4) {
        check_drain("nonscalable", clients, PACE_LOCKSTEP);
        check_drain("scalable", clients, PACE_LOCKSTEP);
        check_drain("nonscalable", clients, PACE_FREE);
        check_drain("scalable", clients, PACE_FREE);
    }
}

/* The holder dies without a word: its znode outlives it by its timeout. */
static void check_expiry(const char *recipe)
{
    struct trial_plan plan = live_plan(recipe, 6);
    plan.death = (struct death){DEATH_CRASH, DEATH_HOLDER, 2};
    plan.fleet.session_timeout_ms = SESSION_MS;
    struct trial_result *result = live_trial(&plan);
    live_assert_good(result);
    json_t *told = read_logs();
    struct csv_file locks = csv_file_read(in_work("found/locks.csv")),
                    expired = csv_file_read(in_work("found/expired.csv"));
    uint64_t lock = find_lock(&plan, &locks);
    size_t row = 0;
    while (csv_file_count(&expired, row, "lock") != lock)
        row++;
    assert_int_equal(csv_file_count(&locks, lock, "expired"), 1);
    assert_int_equal(csv_file_count(&expired, row, "held"), 1);
    assert_int_equal(csv_file_count(&expired, row, "waiters"), 3);
    assert_int_equal(csv_file_count(&expired, row, "timeout_ms"), SESSION_MS);
    assert_true(csv_file_count(&expired, row, "silent_ms") >= SESSION_MS);
    assert_string_equal(
        csv_file_text(&expired, row, "session"),
        session_name(result, ledger_row(&result->memory->ledger, 0, 2)->holder - 1));
    assert_int_equal(json_array_size(json_object_get(told, "expired")), expired.rows);
    json_decref(told);
    csv_file_deinit(&locks);
    csv_file_deinit(&expired);
    trial_result_free(result);
    assert_int_equal(folder_remove(in_work("found")), 0);
}

COMMAND_TEST(a_holder_that_expired_is_found)
{
    check_expiry("nonscalable");
    check_expiry("scalable");
}

static int start(void **state)
{
    return program_find(state) != 0 ? -1 : live_start_with(1, 500);
}

TEST_GROUP(start, live_stop)
