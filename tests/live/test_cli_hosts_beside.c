// SPDX-License-Identifier: Apache-2.0
/* Workers that meet on the servers that are measured: what they send to each other is in no count,
 * and what others send is. */
#include "tests/support/outside.h"
#include "tests/support/place.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#define WORKERS 2

TEST_GROUP(outside_start, outside_stop)

static struct command command, late, workers[WORKERS];
static char meet[80]; /* by another name than that of --connect */
static char below[80];

static int make(void **state)
{
    static const char *const without_plots[] = {NO_PROGRAMS, NULL};
    command.settings = without_plots;
    const struct endpoint *server = &outside_server->connect.endpoints[0];
    snprintf(meet, sizeof meet, "localhost:%u/lab", server->port);
    snprintf(below, sizeof below, "%s/lab", outside);
    if (work_make(state) != 0)
        return -1;
    for (size_t i = 0; i < WORKERS; i++)
        place_start_worker(&workers[i], meet, "--share", "1");
    place_await_waiting(meet, WORKERS);
    return 0;
}

static int clear_away(void **state)
{
    int status = work_remove(state);
    place_assert_empty(meet);
    assert_nothing_left_outside(2);
    return status;
}

#define BESIDE_TEST(test) TEST_BETWEEN(test, make, clear_away)

static void end_workers(void)
{
    for (size_t i = 0; i < WORKERS; i++)
        place_end_worker(&workers[i]);
}

#define LOAD                                                                                       \
    "load", "--connect", outside, "--timeout", "2m", "--seed", "7", "-m", "get=60,set=40", "-n",   \
        "2", "--rate", "100", "--depth", "100", "--warm-up", "100ms", "--meet", meet, "--workers", \
        "2", "-o", "out"

static void assert_told(void)
{
    if (command.status != 4) /* times that do not stand */
        assert_status(&command, 0);
    assert_has(command.err, "the workers meet on the servers that are measured");
}

/* Members that have no part in the load, and nothing to send but pings: of these they send more
 * than those who take part could have sent. */
BESIDE_TEST(a_load_is_reconciled_without_the_meeting)
{
    struct meeting *idle[4];
    struct error error = {0};
    for (size_t i = 0; i < 4; i++) {
        struct meeting_member member = place_fake_member();
        idle[i] = place_open(meet);
        place_expect(meeting_join(idle[i], &member, &error), &error);
    }
    command_start(&command, COMMAND(LOAD, "-t", "1", "--duration", "12s"));
    for (size_t i = 0; command_runs(&command); i = (i + 1) % 4)
        place_expect(meeting_turn(idle[i], clock_now_ns() + 5 * NS_PER_MS, &error), &error);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_told();
    for (size_t i = 0; i < 4; i++)
        meeting_free(idle[i]);
    end_workers();
    assert_null(strstr(command.err, "other client"));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    assert_string_equal(csv_file_text(&load, 0, "reconciled"), "yes");
    assert_true(csv_file_count(&load, 0, "meeting_requests") > 0);
    assert_int_equal(csv_file_count(&load, 0, "server_notifications"), 0);
    csv_file_deinit(&load);
}

BESIDE_TEST(others_are_told_from_the_meeting)
{
    struct meeting *other = place_open(meet);
    command_start(&command, COMMAND(LOAD, "-t", "1", "--duration", "2s"));
    place_finish(other, &command);
    assert_told();
    meeting_free(other);
    end_workers();
    assert_has(command.err, ": 1 other client is connected");
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_string_equal(csv_file_text(&load, 0, "reconciled"), "na");
    csv_file_deinit(&load);
}

/* From the next trial on it is one of those who meet; it has nine of ten trials to come. */
BESIDE_TEST(who_joins_later_is_no_stranger)
{
    command_start(&command, COMMAND("run", "--connect", outside, "--timeout", "2m", "--noise",
                                    "report", "-r", "scalable", "-n", "48", "-t", "10", "--meet",
                                    meet, "--workers", "2", "-o", "out"));
    place_await_working(meet, WORKERS);
    place_start_worker(&late, meet, "--share", "1");
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_told();
    place_end_worker(&late);
    end_workers();
    struct csv_file trials = csv_file_read(in_work("out/trials.csv"));
    assert_string_equal(csv_file_text(&trials, trials.rows - 1, "reconciled"), "yes");
    csv_file_deinit(&trials);
}

static void assert_reconciled(const char *folder, size_t rows, bool has_law)
{
    struct csv_file trials = csv_file_read(in_work("%s/trials.csv", folder));
    assert_int_equal(trials.rows, rows);
    for (size_t row = 0; row < rows; row++) {
        assert_string_equal(csv_file_text(&trials, row, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&trials, row, "violations"), 0);
        if (has_law)
            assert_int_equal(csv_file_count(&trials, row, "rpcs"),
                             csv_file_count(&trials, row, "law_rpcs"));
    }
    csv_file_deinit(&trials);
}

/* Below a chroot, which is the meeting place's as well. */
BESIDE_TEST(locks_are_reconciled_without_the_meeting)
{
    static const char *const paces[] = {"lockstep", "free"};
    for (size_t i = 0; i < 2; i++) {
        command_run(&command,
                    COMMAND("run", "--connect", below, "--timeout", "2m", "--noise", "report", "-r",
                            "scalable,nonscalable,childwatch", "--pace", paces[i], "-n", "7", "-t",
                            "2", "--meet", meet, "--workers", "2", "-o", paces[i]));
        assert_told();
        assert_reconciled(paces[i], 3 * 2, i == 0);
    }
    end_workers();
}
