// SPDX-License-Identifier: Apache-2.0
/* Where the cgroup of a process is mounted, where CPU shares are created, and the quotas that they
 * get; cgroups are folders here. */
#include "base/cores.h"
#include "servers/cpu_share.h"

#include <errno.h>
#include <sys/stat.h>

#include "tests/support/hierarchy.h"
#include "tests/support/test.h"

static struct error error;

static void assert_parent(const char *cgroups, const char *expected)
{
    char parent[PATH_MAX], path[256];
    assert_int_equal(cpu_share_find_parent(hierarchy_mounts, cgroups, parent, &error), ERROR_NONE);
    snprintf(path, sizeof path, "%s%s", hierarchy_folder, expected);
    assert_string_equal(parent, path);
}

static void assert_no_parent(const char *cgroups, const char *subject, const char *why)
{
    char parent[PATH_MAX] = "unchanged";
    assert_int_equal(cpu_share_find_parent(hierarchy_mounts, cgroups, parent, &error),
                     ERROR_NO_CPU_SHARE);
    assert_string_equal(parent, "unchanged");
    assert_string_equal(error.subject, subject);
    assert_non_null(strstr(error.detail, why));
}

TEST_BETWEEN(test_version_1_is_divided_below_its_own_cgroup, hierarchy_make, hierarchy_remove)
{
    hierarchy_mount("/cpu,cpuacct", "cgroup cgroup rw,cpu,cpuacct");
    assert_parent("4:cpu,cpuacct:/a/b\n", "/cpu,cpuacct/a/b");
}

TEST_BETWEEN(test_version_2_is_divided_where_the_controller_is_enabled, hierarchy_make,
             hierarchy_remove)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw");
    hierarchy_put("", "cgroup.subtree_control", "cpuset cpu memory\n");
    hierarchy_put("/user", "cgroup.subtree_control", "cpu pids\n");
    hierarchy_put("/user/scope", "cgroup.subtree_control", "cpuset memory\n");
    hierarchy_put("/user/scope/own", "cgroup.subtree_control", "\n");
    assert_parent("0::/user/scope/own\n", "/user");
    assert_parent("0::/\n", "/");
    hierarchy_put("/user", "cgroup.subtree_control", "pids\n");
    assert_parent("0::/user/scope/own\n", "");
}

TEST_BETWEEN(test_version_2_without_the_controller, hierarchy_make, hierarchy_remove)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw");
    hierarchy_put("", "cgroup.subtree_control", "cpuset memory pids\n");
    hierarchy_put("/user", "cgroup.subtree_control", "");
    assert_no_parent("0::/user\n", hierarchy_folder, "no cgroup of this process has cpu in its");
}

TEST_BETWEEN(test_version_2_beside_version_1, hierarchy_make, hierarchy_remove)
{
    hierarchy_mount("/unified", "cgroup2 cgroup2 rw");
    hierarchy_mount("/cpu", "cgroup cgroup rw,cpu");
    hierarchy_put("/unified", "cgroup.subtree_control", "");
    assert_parent("1:cpu:/a\n0::/\n", "/cpu/a");
}

TEST_BETWEEN(test_no_hierarchy, hierarchy_make, hierarchy_remove)
{
    assert_no_parent("1:cpu:/a\n", hierarchy_mounts, "no cgroup hierarchy with the controller cpu");
    hierarchy_mount("/memory", "cgroup cgroup rw,memory");
    assert_no_parent("1:cpu:/a\n", hierarchy_mounts, "no cgroup hierarchy with the controller cpu");
}

/* ------------------------------------------------------------------ quotas */

static struct cpu_share share_in(const char *folder)
{
    struct cpu_share share;
    snprintf(share.folder, sizeof share.folder, "%s%s", hierarchy_folder, folder);
    return share;
}

static void assert_text(const char *name, const char *expected)
{
    char path[256], text[64];
    snprintf(path, sizeof path, "%s%s", hierarchy_folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

TEST_BETWEEN(test_quotas, hierarchy_make, hierarchy_remove)
{
    static const struct {
        unsigned percent;
        const char *version_1, *version_2;
    } cases[] = {{1, "1000", "1000 100000"},
                 {25, "25000", "25000 100000"},
                 {100, "100000", "100000 100000"},
                 {350, "350000", "350000 100000"},
                 {0, "-1", "max 100000"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hierarchy_put("/1", "cpu.cfs_period_us", "");
        hierarchy_put("/1", "cpu.cfs_quota_us", "");
        hierarchy_put("/2", "cgroup.controllers", "cpu");
        hierarchy_put("/2", "cpu.max", "");
        struct cpu_share one = share_in("/1"), two = share_in("/2");
        assert_int_equal(cpu_share_set(&one, cases[i].percent, &error), ERROR_NONE);
        assert_int_equal(cpu_share_set(&two, cases[i].percent, &error), ERROR_NONE);
        assert_text("/1/cpu.cfs_period_us", "100000");
        assert_text("/1/cpu.cfs_quota_us", cases[i].version_1);
        assert_text("/2/cpu.max", cases[i].version_2);
    }
}

TEST_BETWEEN(test_a_file_that_cannot_be_written, hierarchy_make, hierarchy_remove)
{
    char path[256];
    hierarchy_put("/1", "cpu.cfs_period_us", "");
    struct cpu_share share = share_in("/1");
    assert_int_equal(cpu_share_set(&share, 25, &error), ERROR_NO_CPU_SHARE);
    snprintf(path, sizeof path, "%s/1/cpu.cfs_quota_us", hierarchy_folder);
    assert_string_equal(error.subject, path);
    assert_int_equal(error.os_error, ENOENT);
    assert_string_equal(error.detail, "writing 25000 to it failed");
    assert_int_equal(cpu_share_put(&share, 42, &error), ERROR_NO_CPU_SHARE);
    assert_string_equal(error.detail, "writing 42 to it failed");
}

/* ------------------------------------------------------------------ mounts */

static const char hybrid[] = "12:cpuset:/set\n"
                             "6:name=systemd:/user.slice/session-1.scope\n"
                             "4:cpu,cpuacct:/user.slice\n"
                             "0::/user.slice/session-1.scope\n";

/* Of several controllers; of version 2 beside version 1; where the root of the mount is a cgroup;
 * and with names that the kernel escapes. */
TEST(test_the_place_of_a_cgroup)
{
    static const char docker[] =
        "35 25 0:31 /docker/4f /sys/fs/cgroup/cpu ro - cgroup cgroup ro,cpu";
    static const struct {
        const char *line, *cgroups, *mount, *folder;
    } cases[] = {
        {"35 25 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:15 - cgroup cgroup "
         "rw,cpu,cpuacct\n",
         hybrid, "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/user.slice"},
        {"35 25 0:31 / /c rw - cgroup none rw,cpuset,cpuacct,cpu\n", "3:cpuacct,cpu,cpuset:/a/b",
         "/c", "/c/a/b"},
        {"27 25 0:24 / /sys/fs/cgroup/unified rw,relatime shared:10 master:1 - cgroup2 cgroup2 "
         "rw,nsdelegate\n",
         hybrid, "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified/user.slice/session-1.scope"},
        {docker, "4:cpu:/docker/4f\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu"},
        {docker, "4:cpu:/docker/4f/a\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/a"},
        {docker, "4:cpu:/docker/4fa\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu"},
        {docker, "4:cpu:/\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu"},
        {docker, "4:cpu:/docker/4f/../5e\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu"},
        {"35 25 0:31 /a\\134x2db /my\\040groups rw - cgroup2 none rw", "0::/a\\x2db/c",
         "/my groups", "/my groups/c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cgroup_place place;
        assert_true(cgroup_find(cases[i].line, cases[i].cgroups, &place));
        assert_string_equal(place.mount, cases[i].mount);
        assert_string_equal(place.folder, cases[i].folder);
    }
}

/* No controller of the CPU is mounted there, or the process is in no such cgroup. */
TEST(test_what_is_no_place)
{
    static const char v1[] = "35 25 0:31 / /c rw - cgroup none rw,cpu";
    static const char *const cases[][2] = {
        {"", hybrid},
        {"22 27 0:21 / /proc rw,relatime - proc proc rw", hybrid},
        {"36 25 0:32 / /sys/fs/cgroup/cpuset rw shared:16 - cgroup cgroup rw,cpuset,cpuacct",
         hybrid},
        {"36 25 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=cpu", hybrid},
        {"36 25 0:32 / /tmp/cpu rw,cpu - tmpfs tmpfs rw,cpu", hybrid},
        {"36 25 0:32 / /sys/fs/cgroup/cpu rw", hybrid},
        {v1, ""},
        {v1, "\n0\n0:\n"},
        {v1, "4:cpuacct,cpuset:/a\n"},
        {v1, "0::/a\n"},
        {"35 25 0:31 / /c rw - cgroup2 none rw", "4:cpu:/a\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cgroup_place place;
        assert_false(cgroup_find(cases[i][0], cases[i][1], &place));
    }
}
