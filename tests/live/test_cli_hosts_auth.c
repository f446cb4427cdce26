// SPDX-License-Identifier: Apache-2.0
/* Workers, and runs that lead them, at a meeting place that admits one user alone; and who is told
 * the password of a worker. */
#include "tests/support/asked.h"
#include "tests/support/hosts.h"

#include <sys/stat.h>

#define WE     "ann:open-sesame"
#define OURS   "--auth", "ours"
#define AS_ANN OURS, "--acl", "creator"
#define FORBID "the ACL of the znode forbids it"

static const char *const no_credentials[] = {NO_PROGRAMS, NULL};
static struct identity we = {.credentials = WE, .creator = true};
static char closed_at[96];

static void write_file(const char *name, const char *text)
{
    const char *path = in_work("%s", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0600), 0);
}

/* Below the chroot of the others' place, whose server it is. */
static int make_closed(void **state)
{
    snprintf(closed_at, sizeof closed_at, "%s/closed", few_at);
    int status = hosts_make(state);
    write_file("ours", WE "\n");
    write_file("wrong", "ann:open-barley\n");
    return status;
}

#define CLOSED_TEST(test) TEST_BETWEEN(test, make_closed, hosts_clear_away)

static struct meeting *open_ours(void)
{
    struct connect_string where;
    struct meeting *meeting = NULL;
    struct error error = {0};
    place_expect(connect_parse(closed_at, &where, &error), &error);
    where.identity = &we;
    place_expect(meeting_open(&where, -1, false, &meeting, &error), &error);
    return meeting;
}

static void start_ours(void)
{
    workers[0].settings = no_credentials;
    command_start(&workers[0], COMMAND("worker", "--meet", closed_at, AS_ANN, "--only", outside,
                                       "--share", "1"));
    await_words(&workers[0], workers[0].err_descriptor, "waits for jobs at", 1);
}

/* ------------------------------------------------------------------ below an ACL */

#define SHORT_LOAD LOAD, AT_A_RATE, "--meet", closed_at, "--workers", "1"

/* Neither at the measured servers nor at the meeting place is anything left. */
static void check_not_admitted(struct meeting *meeting, const char *const arguments[])
{
    command_start(&hosts_run, arguments);
    place_finish(meeting, &hosts_run);
    assert_refused(&hosts_run, 3, FORBID);
    assert_has(hosts_run.err, "(--auth FILE)");
    assert_nothing_left_outside(1);
    assert_int_equal(place_children(meeting, "/members", NULL), 1);
    assert_int_equal(place_children(meeting, "/jobs", NULL), 0);
    assert_false(place_is_led(meeting));
}

CLOSED_TEST(nobody_else_meets_below_an_acl)
{
    start_ours();
    struct meeting *meeting = open_ours();
    check_not_admitted(meeting, COMMAND("hosts", "--meet", closed_at));
    check_not_admitted(meeting, COMMAND("hosts", "--meet", closed_at, "--auth", "wrong"));
    check_not_admitted(meeting, COMMAND("worker", "--meet", closed_at));
    check_not_admitted(meeting, COMMAND(SHORT_LOAD, "-o", "out"));
    check_not_admitted(meeting,
                       COMMAND(SHORT_LOAD, "-o", "out", "--auth", "wrong", "--acl", "creator"));
    meeting_free(meeting);
    hosts_end_workers(1);
}

/* Every session logs in, which the servers count, too. */
CLOSED_TEST(those_who_log_in_meet_and_count_below_an_acl)
{
    start_ours();
    command_run(&hosts_run, COMMAND("hosts", "--meet", closed_at, OURS));
    assert_status(&hosts_run, 0);
    assert_has(hosts_run.out, "1 worker; no run leads them");
    command_run(&hosts_run, COMMAND(SHORT_LOAD, "-o", "out", AS_ANN));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    hosts_assert_counted(&load);
    assert_int_equal(csv_file_count(&load, 0, "errors_other"), 0);
    csv_file_deinit(&load);
    hosts_end_workers(1);
    struct meeting *meeting = open_ours();
    assert_int_equal(place_children(meeting, "/members", NULL), 0);
    assert_int_equal(place_children(meeting, "/jobs", NULL), 0);
    assert_false(place_is_led(meeting));
    meeting_free(meeting);
}

/* Its folder may be read, and other workers. */
CLOSED_TEST(a_member_that_may_not_be_read_keeps_nobody_from_others)
{
    struct meeting_member member = place_fake_member();
    struct connect_string where;
    struct meeting *ours = NULL;
    struct error error = {0};
    hosts_start_workers(1);
    place_expect(connect_parse(meet, &where, &error), &error);
    where.identity = &we;
    place_expect(meeting_open(&where, -1, false, &ours, &error), &error);
    place_expect(meeting_join(ours, &member, &error), &error);
    command_start(&hosts_run, COMMAND("hosts", "--meet", meet));
    place_finish(ours, &hosts_run);
    assert_status(&hosts_run, 0);
    assert_has(hosts_run.out, "no worker: its znode holds something else, or may not be read");
    command_start(&hosts_run,
                  COMMAND(LOAD, AT_A_RATE, "-o", "out", "--meet", meet, "--workers", "1"));
    place_finish(ours, &hosts_run);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    csv_file_deinit(&load);
    meeting_free(ours);
    hosts_end_workers(1);
}

/* ------------------------------------------------------------------ who is told the password */

/* Whoever can write a job names the servers at which the worker would log in. */
CLOSED_TEST(a_worker_with_credentials_says_who_may_have_them)
{
    static const char *const variable[] = {"ZKHERD_AUTH=" WE, NULL};
    workers[0].settings = no_credentials;
    command_run(&workers[0], COMMAND("worker", "--meet", "nowhere", OURS));
    assert_refused(&workers[0], 2, "without --only, any server that a job names is told");
    workers[0].settings = variable;
    command_run(&workers[0], COMMAND("worker", "--meet", "nowhere"));
    assert_refused(&workers[0], 2, "--auth or ZKHERD_AUTH: without --only");
}

TEST_GROUP(hosts_start, hosts_stop)
