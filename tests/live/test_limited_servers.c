// SPDX-License-Identifier: Apache-2.0
/* Servers with a share of the CPU: what limits them, and what is left of that. */
#include "base/cores.h"
#include "base/process.h"
#include "fleet/setup_session.h"
#include "servers/cpu_share.h"
#include "servers/supervisor.h"
#include "tests/support/nest.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERCENT 25
#define WRITES  300

static struct error error;

static void expect(enum error_kind kind)
{
    if (kind != ERROR_NONE)
        fail_msg("%s: %s: %s", error.subject, error_words(kind), error.detail);
}

static void skip_without_cgroups(void)
{
    struct cpu_share share;
    char name[64];
    snprintf(name, sizeof name, "zkherd-test-%d", (int)getpid());
    if (cpu_share_new(name, PERCENT, &share, &error) != ERROR_NONE) {
        print_message("skipped: %s: %s\n", error.subject, error.detail);
        skip();
    }
    cpu_share_remove(&share);
}

static struct ensemble_options with_share(unsigned servers, unsigned percent)
{
    struct ensemble_options options = ensemble_options_default();
    options.servers = servers;
    options.heap_mib = 64;
    options.tick_ms = 500;
    options.cpu_percent = percent;
    return options;
}

static struct ensemble *start(unsigned servers, unsigned percent)
{
    struct ensemble_options options = with_share(servers, percent);
    struct ensemble *ensemble;
    expect(ensemble_start(&options, &ensemble, &error));
    return ensemble;
}

static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void read_cgroups(pid_t pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    read_file(path, text, size);
}

/* The folder of the share that a process is in; fails if it is in none. */
static struct cpu_share share_of(pid_t pid)
{
    char cgroups[8192], line[8192];
    struct cgroup_place place;
    struct cpu_share share = {.folder = ""};
    read_cgroups(pid, cgroups, sizeof cgroups);
    FILE *mounts = fopen("/proc/self/mountinfo", "r");
    while (share.folder[0] == '\0' && fgets(line, sizeof line, mounts) != NULL) {
        if (cgroup_find(line, cgroups, &place) && strstr(place.folder, "/zkherd-server-") != NULL)
            strcpy(share.folder, place.folder);
    }
    fclose(mounts);
    if (share.folder[0] == '\0')
        fail_msg("process %d is in no share: %s", (int)pid, cgroups);
    return share;
}

/* A number of the share's cpu.stat. */
static uint64_t stat_of(const struct cpu_share *share, const char *name)
{
    char path[PATH_MAX + 16], text[1024];
    uint64_t number = 0;
    snprintf(path, sizeof path, "%s/cpu.stat", share->folder);
    read_file(path, text, sizeof text);
    const char *at = strstr(text, name);
    if (at == NULL || sscanf(at + strlen(name), " %" SCNu64, &number) != 1)
        fail_msg("no %s in %s", name, text);
    return number;
}

static void load(const struct ensemble *ensemble)
{
    struct setup_session *session;
    char path[32];
    expect(setup_session_new(&ensemble->connect, NULL, 10 * NS_PER_S, -1, &session, &error));
    for (int i = 0; i < WRITES; i++) {
        snprintf(path, sizeof path, "/load-%d", i);
        expect(setup_session_create(session, path, &error));
    }
    setup_session_free(session);
}

/* The kernel counts the periods in which the share was used: each of them allows one quota. */
TEST_BETWEEN(a_share_limits_its_server_alone, nest_make, nest_remove)
{
    skip_without_cgroups();
    struct ensemble *limited = start(1, PERCENT), *unlimited = start(1, 0);
    char own[8192], cgroups[8192];
    pid_t pid = limited->servers[0].pid;
    struct cpu_share share = share_of(pid);
    uint64_t used_ns = 0;
    load(limited);
    load(unlimited);
    expect(ensemble_cpu_ns(limited, &used_ns, &error));
    uint64_t periods = stat_of(&share, "nr_periods");
    uint64_t quota_ns = UINT64_C(1000) * CPU_SHARE_PERIOD_US * PERCENT / 100;
    print_message("%.1f ms of CPU in %" PRIu64 " periods of %.1f ms\n", (double)used_ns / 1e6,
                  periods, (double)quota_ns / 1e6);
    assert_true(stat_of(&share, "nr_throttled") > 0);
    assert_true(used_ns <= (periods + 2) * quota_ns);

    read_cgroups(getpid(), own, sizeof own);
    read_cgroups(unlimited->servers[0].pid, cgroups, sizeof cgroups);
    assert_string_equal(cgroups, own);

    expect(ensemble_kill(limited, 0, &error));
    expect(ensemble_restart(limited, 0, &error));
    struct cpu_share again = share_of(limited->servers[0].pid);
    assert_string_equal(again.folder, share.folder);
    ensemble_stop(unlimited);
    ensemble_stop(limited);
    assert_int_equal(access(share.folder, F_OK), -1);
    nest_assert_empties();
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    while (process_is_alive(pid))
        usleep(1000);
}

/* The old process is reaped then, and its number may become another's: it must not be kept. */
TEST_BETWEEN(a_process_that_gets_no_share_can_be_replaced, nest_make, nest_remove)
{
    static const char *const arguments[] = {"/bin/sleep", "60", NULL};
    struct supervisor *supervisor;
    pid_t first, pid;
    skip_without_cgroups();
    expect(supervisor_new("/tmp", &supervisor, &error));
    expect(supervisor_run(supervisor, 0, arguments, "log", PERCENT, &pid, &error));
    struct cpu_share share = share_of(pid);
    first = pid;
    end(pid);
    while (rmdir(share.folder) != 0) /* until the kernel has let go of the process */
        usleep(1000);
    assert_int_equal(supervisor_run(supervisor, 0, arguments, "log", PERCENT, &pid, &error),
                     ERROR_NO_CPU_SHARE);
    assert_int_not_equal(pid, first);
    end(pid);
    assert_int_equal(mkdir(share.folder, 0755), 0);
    expect(supervisor_run(supervisor, 0, arguments, "log", PERCENT, &pid, &error));
    assert_string_equal(share_of(pid).folder, share.folder);
    supervisor_free(supervisor);
    assert_int_equal(access(share.folder, F_OK), -1);
}
