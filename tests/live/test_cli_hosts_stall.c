// SPDX-License-Identifier: Apache-2.0
/* What lasts longer than a session at the meeting place lives on its own: measured servers that
 * stand still, and a run that waits. */
#include "tests/support/hosts.h"
#include "tests/support/pause.h"

#include <sys/prctl.h>

/* Longer than a session at the meeting place lives of which nothing is heard. */
#define STALL_MS (SYNC_SESSION_TIMEOUT_MS + 3000)

TEST_GROUP(hosts_start, hosts_stop)

/* So many requests come while the load goes on alone. */
static void await_load(void)
{
    uint64_t begun = count_outside().packets_received + 200, until_ns = clock_now_ns() + PLACE_NS;
    while (count_outside().packets_received < begun) {
        assert_true(clock_now_ns() < until_ns);
        pause_ms(20);
    }
}

/* A server stands still for so long while the load goes on; then the load ends, and its workers. */
static void stand_still(pid_t java, size_t count, int for_ms)
{
    place_await_working(meet, count);
    await_load();
    pause_process(java);
    pause_ms(for_ms);
    kill(java, SIGCONT);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    hosts_end_workers(count);
}

/* It is measured, as on one host. */
HOSTS_TEST(servers_that_stand_still_end_no_load)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND(LOAD, "-n", "6", "--rate", "100", "--duration", "24s", "--warm-up", "0",
                          "--noise", "report", "-o", "out", "--meet", meet, "--workers", "2"));
    stand_still(outside_server->servers[0].pid, 2, STALL_MS);
    if (hosts_run.status != 4) /* times that do not stand */
        assert_status(&hosts_run, 0);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    assert_string_not_equal(csv_file_text(&load, 0, "reconciled"), "no");
    assert_true(csv_file_real(&load, 0, "response_max_us") > STALL_MS * 0.9e3);
    assert_true(csv_file_real(&load, 0, "probe_p50_us") > 0);
    csv_file_deinit(&load);
}

/* The load ends while the meeting place stands still, for less long than would end the meeting. The
 * run waits there for the reply to its order, and sends no load itself; its host may be late. */
HOSTS_TEST(a_meeting_place_that_stands_still_is_no_absence_of_the_run)
{
    static const char words[] = "did not run for ";
    hosts_start_workers(1);
    command_start(&hosts_run,
                  COMMAND(LOAD, "-n", "6", "--rate", "100", "--duration", "4s", "--warm-up", "0",
                          "--noise", "report", "-o", "out", "--meet", meet, "--workers", "1"));
    stand_still(hosts_place->servers[0].pid, 1, 6000);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    const char *absence = strstr(csv_file_text(&load, 0, "reason"), words);
    assert_true(absence == NULL || strtod(absence + strlen(words), NULL) < 2);
    csv_file_deinit(&load);
}

/* ------------------------------------------------------------------ a machine that is not quiet */

static pid_t start_busy(void)
{
    pid_t busy = fork();
    if (busy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ;
    }
    assert_true(busy > 0);
    return busy;
}

/* The run leads the workers all the while. */
HOSTS_TEST(a_run_that_waits_for_quiet_keeps_the_meeting_place)
{
    pid_t busy = start_busy();
    hosts_start_workers(1);
    command_run(&hosts_run, COMMAND(LOAD, AT_A_RATE, "--noise", "report", "--wait-for-quiet", "20s",
                                    "-o", "out", "--meet", meet, "--workers", "1"));
    kill(busy, SIGKILL);
    waitpid(busy, NULL, 0);
    hosts_end_workers(1);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    hosts_assert_counted(&load);
    csv_file_deinit(&load);
}
