// SPDX-License-Identifier: Apache-2.0
/* A bare loop on each core: its turns, how late it is, and its end. */
#include "measure/core_probe.h"

#include "base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#define STOPPED_MS 60

static struct core_probe *start(void)
{
    struct core_probe *probe;
    struct error error;
    assert_int_equal(core_probe_new(&probe, &error), ERROR_NONE);
    return probe;
}

static pid_t find_child(void)
{
    struct process *list;
    pid_t child = 0;
    size_t count = process_list(&list);
    for (size_t i = 0; i < count; i++)
        child = list[i].parent == getpid() ? list[i].pid : child;
    free(list);
    return child;
}

static void await_turns(struct core_probe *probe)
{
    while (core_probe_take(probe).turns == 0)
        pause_ms(5);
}

TEST(a_loop_that_has_no_core_is_late)
{
    struct core_probe *probe = start();
    await_turns(probe);
    pid_t loop = find_child();
    kill(loop, SIGSTOP);
    pause_ms(STOPPED_MS);
    kill(loop, SIGCONT);
    struct core_probe_times times;
    uint64_t most_ns = 0;
    do { /* an answer may come before the turn that was late */
        times = core_probe_take(probe);
        most_ns = times.max_ns > most_ns ? times.max_ns : most_ns;
        assert_true(times.p50_ns <= times.p99_ns && times.p99_ns <= times.max_ns);
        pause_ms(5);
    } while (most_ns < (STOPPED_MS - 10) * NS_PER_MS);
    core_probe_free(probe);
}

TEST(what_was_taken_is_not_told_again)
{
    uint64_t began_ns = clock_now_ns(), turns = 0, loops = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    struct core_probe *probe = start();
    for (int i = 0; i < 50; i++) {
        pause_ms(5);
        turns += core_probe_take(probe).turns;
    }
    core_probe_free(probe);
    assert_true(turns > 0);
    assert_true(turns <= loops * ((clock_now_ns() - began_ns) / (5 * NS_PER_MS) + 1));
}

TEST(a_probe_leaves_no_process)
{
    struct core_probe *probe = start();
    assert_true(find_child() > 0);
    core_probe_free(probe);
    assert_int_equal(find_child(), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    core_probe_free(NULL);
}
