// SPDX-License-Identifier: Apache-2.0
/* The cores that a process may use: quotas as text, cgroups as folders, the affinity. */
#include "base/cores.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/stat.h>

#include "tests/support/hierarchy.h"
#include "tests/support/test.h"

static void assert_cores(double cores, double expected)
{
    if (cores != expected)
        fail_msg("%g cores, not %g", cores, expected);
}

TEST_BETWEEN(test_a_quota_of_version_2, hierarchy_make, hierarchy_remove)
{
    static const struct {
        const char *text;
        double cores;
    } cases[] = {{"150000 100000\n", 1.5},
                 {"50000 200000\n", 0.25},
                 {"max 100000\n", INFINITY},
                 {"100000\n", INFINITY},
                 {"100000 0\n", INFINITY},
                 {"0 100000\n", INFINITY},
                 {"", INFINITY}};
    hierarchy_mount("", "cgroup2 cgroup2 rw");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hierarchy_put("", "cpu.max", cases[i].text);
        assert_cores(cores_quota(hierarchy_mounts, "0::/\n"), cases[i].cores);
    }
}

TEST_BETWEEN(test_a_quota_of_version_1, hierarchy_make, hierarchy_remove)
{
    static const struct {
        const char *quota_us, *period_us;
        double cores;
    } cases[] = {{"150000\n", "100000\n", 1.5},
                 {"-1\n", "100000\n", INFINITY},
                 {"150000\n", "0\n", INFINITY},
                 {"150000\n", "", INFINITY},
                 {"", "100000\n", INFINITY}};
    hierarchy_mount("", "cgroup cgroup rw,cpu");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hierarchy_put("", "cpu.cfs_quota_us", cases[i].quota_us);
        hierarchy_put("", "cpu.cfs_period_us", cases[i].period_us);
        assert_cores(cores_quota(hierarchy_mounts, "1:cpu:/\n"), cases[i].cores);
    }
}

/* A cgroup may use no more than those above it. */
TEST_BETWEEN(test_the_lowest_quota_counts, hierarchy_make, hierarchy_remove)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw,nsdelegate");
    hierarchy_put("/a", "cpu.max", "200000 100000\n");
    hierarchy_put("/a/b", "cpu.max", "max 100000\n");
    hierarchy_put("/a/b/c", "cpu.max", "300000 100000\n");
    assert_cores(cores_quota(hierarchy_mounts, "0::/a/b/c\n"), 2);
    hierarchy_put("/a/b/c", "cpu.max", "100000 100000\n");
    assert_cores(cores_quota(hierarchy_mounts, "0::/a/b/c\n"), 1);
    assert_cores(cores_quota(hierarchy_mounts, "0::/a/b\n"), 2);
    assert_cores(cores_quota(hierarchy_mounts, "0::/\n"), INFINITY);
    hierarchy_put("", "cpu.max", "50000 100000\n");
    assert_cores(cores_quota(hierarchy_mounts, "0::/a/b"), 0.5);
    assert_cores(cores_quota(hierarchy_mounts, "0::/\n"), 0.5);
}

TEST_BETWEEN(test_a_hierarchy_of_version_1, hierarchy_make, hierarchy_remove)
{
    static const char cgroups[] = "9:name=systemd:/x\n"
                                  "8:cpuset:/x\n"
                                  "2:cpuacct:/x\n"
                                  "1:memory,cpu:/a\n"
                                  "0::/\n";
    hierarchy_mount("/cpuset", "cgroup cgroup rw,cpuset");
    hierarchy_mount("/cpu,cpuacct", "cgroup cgroup rw,cpu,cpuacct");
    hierarchy_mount("/unified", "cgroup2 cgroup2 rw");
    hierarchy_put("/cpu,cpuacct", "cpu.cfs_quota_us", "-1\n");
    hierarchy_put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "125000\n");
    hierarchy_put("/cpu,cpuacct/a", "cpu.cfs_period_us", "50000\n");
    hierarchy_put("/cpu,cpuacct/x", "cpu.cfs_quota_us", "1000\n");
    hierarchy_put("/cpu,cpuacct/x", "cpu.cfs_period_us", "50000\n");
    assert_cores(cores_quota(hierarchy_mounts, cgroups), 2.5);
    assert_cores(cores_quota(hierarchy_mounts, "2:cpuacct,cpuset:/x\n"), INFINITY);
    assert_cores(cores_quota(hierarchy_mounts, "1:cpu,cpuacct:/x\n"), 0.02);
    hierarchy_put("/unified", "cgroup.procs", "");
    hierarchy_put("/unified/x", "cpu.max", "1000 100000\n");
    assert_cores(cores_quota(hierarchy_mounts, "1:cpu,cpuacct:/x\n0::/x\n"), 0.01);
}

/* In a container the path is the host's, and the mount is the container's own cgroup. */
TEST_BETWEEN(test_a_path_that_is_not_mounted, hierarchy_make, hierarchy_remove)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw");
    hierarchy_put("", "cpu.max", "150000 100000\n");
    assert_cores(cores_quota(hierarchy_mounts, "0::/system.slice/docker-1.scope\n"), 1.5);
}

/* ------------------------------------------------------------------ the affinity */

#define CORES_MOST 65536
#define SETS       (CORES_MOST / CPU_SETSIZE)

static bool is_large_machine;

int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set);

/* A large machine has 2048 cores, of which the process may use the last. */
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    if (!is_large_machine)
        return __real_sched_getaffinity(pid, size, set);
    if (size < 2048 / 8) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(size, set);
    CPU_SET_S(2047, size, set);
    return 0;
}

TEST(test_the_affinity_counts_on_a_large_machine)
{
    is_large_machine = true;
    double cores = cores_allowed();
    is_large_machine = false;
    assert_true(cores > 0 && cores <= 1);
}

/* The test's own process, held to one core. */
TEST(test_the_affinity_counts)
{
    cpu_set_t all[SETS], one[SETS];
    assert_int_equal(sched_getaffinity(0, sizeof all, all), 0);
    double before = cores_allowed();
    assert_true(before > 0 && before <= CPU_COUNT_S(sizeof all, all));
    CPU_ZERO_S(sizeof one, one);
    for (size_t i = 0; CPU_COUNT_S(sizeof one, one) == 0; i++) {
        if (CPU_ISSET_S(i, sizeof all, all))
            CPU_SET_S(i, sizeof one, one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, one), 0);
    assert_cores(cores_allowed(), fmin(before, 1));
    assert_int_equal(sched_setaffinity(0, sizeof all, all), 0);
    assert_cores(cores_allowed(), before);
}
