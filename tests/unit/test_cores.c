// SPDX-License-Identifier: Apache-2.0
/* The cores that a process may use: quotas as text, cgroups as folders, the affinity. */
#include "base/cores.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/folder.h"

static char mount[64];

static int make_mount(void **state)
{
    (void)state;
    strcpy(mount, P_tmpdir "/test_cores.XXXXXX");
    return mkdtemp(mount) == NULL;
}

static int remove_mount(void **state)
{
    (void)state;
    return folder_remove(mount);
}

/* Writes a file below the mount; its folder's parent must be there. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", mount, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s%s/%s", mount, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_cores(double cores, double expected)
{
    if (cores != expected)
        fail_msg("%g cores, not %g", cores, expected);
}

static void test_a_quota_of_version_2(void **state)
{
    (void)state;
    assert_cores(cores_of_cpu_max("150000 100000\n"), 1.5);
    assert_cores(cores_of_cpu_max("50000 200000\n"), 0.25);
    assert_cores(cores_of_cpu_max("max 100000\n"), INFINITY);
    assert_cores(cores_of_cpu_max("100000\n"), INFINITY);
    assert_cores(cores_of_cpu_max("100000 0\n"), INFINITY);
    assert_cores(cores_of_cpu_max("0 100000\n"), INFINITY);
    assert_cores(cores_of_cpu_max(""), INFINITY);
}

static void test_a_quota_of_version_1(void **state)
{
    (void)state;
    assert_cores(cores_of_cfs("150000\n", "100000\n"), 1.5);
    assert_cores(cores_of_cfs("-1\n", "100000\n"), INFINITY);
    assert_cores(cores_of_cfs("150000\n", "0\n"), INFINITY);
    assert_cores(cores_of_cfs("150000\n", ""), INFINITY);
    assert_cores(cores_of_cfs("", "100000\n"), INFINITY);
}

/* A cgroup may use no more than those above it. */
static void test_the_lowest_quota_counts(void **state)
{
    (void)state;
    put("/a", "cpu.max", "200000 100000\n");
    put("/a/b", "cpu.max", "max 100000\n");
    put("/a/b/c", "cpu.max", "300000 100000\n");
    assert_cores(cores_quota(mount, "0::/a/b/c\n"), 2);
    put("/a/b/c", "cpu.max", "100000 100000\n");
    assert_cores(cores_quota(mount, "0::/a/b/c\n"), 1);
    assert_cores(cores_quota(mount, "0::/a/b\n"), 2);
    assert_cores(cores_quota(mount, "0::/\n"), INFINITY);
    put("", "cpu.max", "50000 100000\n");
    assert_cores(cores_quota(mount, "0::/a/b"), 0.5);
    assert_cores(cores_quota(mount, "0::/\n"), 0.5);
}

static void test_a_hierarchy_of_version_1(void **state)
{
    static const char cgroups[] = "9:name=systemd:/x\n"
                                  "8:cpuset:/x\n"
                                  "2:cpuacct:/x\n"
                                  "1:memory,cpu:/a\n"
                                  "0::/\n";
    (void)state;
    put("/cpu", "cpu.cfs_quota_us", "-1\n");
    put("/cpu/a", "cpu.cfs_quota_us", "125000\n");
    put("/cpu/a", "cpu.cfs_period_us", "50000\n");
    put("/cpu/x", "cpu.cfs_quota_us", "1000\n");
    put("/cpu/x", "cpu.cfs_period_us", "50000\n");
    assert_cores(cores_quota(mount, cgroups), 2.5);
    assert_cores(cores_quota(mount, "2:cpuacct,cpuset:/x\n"), INFINITY);
    assert_cores(cores_quota(mount, "1:cpu,cpuacct:/x\n"), 0.02);
}

/* In a container the path is the host's, and the mount is the container's own cgroup. */
static void test_a_path_that_is_not_mounted(void **state)
{
    (void)state;
    put("", "cpu.max", "150000 100000\n");
    assert_cores(cores_quota(mount, "0::/system.slice/docker-1.scope\n"), 1.5);
}

static void test_a_text_that_names_no_cgroup(void **state)
{
    (void)state;
    put("", "cpu.max", "150000 100000\n");
    assert_cores(cores_quota(mount, ""), INFINITY);
    assert_cores(cores_quota(mount, "\n0\n0:\n"), INFINITY);
}

/* The test's own process, held to one core. */
static void test_the_affinity_counts(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    double before = cores_allowed();
    assert_true(before > 0 && before <= CPU_COUNT(&all));
    CPU_ZERO(&one);
    for (size_t i = 0; CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_cores(cores_allowed(), fmin(before, 1));
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_cores(cores_allowed(), before);
}

int main(void)
{
#define MOUNT_TEST(name) cmocka_unit_test_setup_teardown(name, make_mount, remove_mount)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_quota_of_version_2), cmocka_unit_test(test_a_quota_of_version_1),
        MOUNT_TEST(test_the_lowest_quota_counts),    MOUNT_TEST(test_a_hierarchy_of_version_1),
        MOUNT_TEST(test_a_path_that_is_not_mounted), MOUNT_TEST(test_a_text_that_names_no_cgroup),
        cmocka_unit_test(test_the_affinity_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
