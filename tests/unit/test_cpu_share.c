// SPDX-License-Identifier: Apache-2.0
/* Where the cgroup of a process is mounted, where CPU shares are created, and the quotas that they
 * get; and the cores that a process may use: cgroups are folders here. */
#include "base/cores.h"
#include "servers/cpu_share.h"

#include "tests/support/folder.h"
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/stat.h>

/* All hierarchies of a test are below a folder, which has the mountinfo. */
static char hierarchy_folder[64];

FIXTURE(hierarchy_make)
{
    strcpy(hierarchy_folder, P_tmpdir "/test_hierarchy.XXXXXX");
    return mkdtemp(hierarchy_folder) == NULL;
}

FIXTURE(hierarchy_remove)
{
    return folder_remove(hierarchy_folder);
}

static void write_to(const char *folder, const char *name, const char *mode, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s%s", hierarchy_folder, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s%s/%s", hierarchy_folder, folder, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Writes a file into a folder, whose parent must be there. */
static void hierarchy_put(const char *folder, const char *name, const char *text)
{
    write_to(folder, name, "w", text);
}

/* A hierarchy is mounted in a folder. */
static void hierarchy_mount(const char *folder, const char *type_and_options)
{
    char line[256];
    snprintf(line, sizeof line, "30 24 0:26 / %s%s rw,nosuid - %s\n", hierarchy_folder, folder,
             type_and_options);
    write_to("", "mountinfo", "a", line);
}

#define HIERARCHY_TEST(name) TEST_BETWEEN(name, hierarchy_make, hierarchy_remove)

static struct error error;

static void assert_parent(const char *cgroups, const char *expected)
{
    char parent[PATH_MAX], path[256];
    hierarchy_put("", "cgroup", cgroups);
    assert_int_equal(cpu_share_find_parent(hierarchy_folder, parent, &error), ERROR_NONE);
    snprintf(path, sizeof path, "%s%s", hierarchy_folder, expected);
    assert_string_equal(parent, path);
}

static void assert_no_parent(const char *cgroups, const char *why)
{
    char parent[PATH_MAX] = "unchanged";
    hierarchy_put("", "cgroup", cgroups);
    assert_int_equal(cpu_share_find_parent(hierarchy_folder, parent, &error), ERROR_NO_CPU_SHARE);
    assert_string_equal(parent, "unchanged");
    assert_string_equal(error.subject, hierarchy_folder);
    assert_non_null(strstr(error.detail, why));
}

HIERARCHY_TEST(test_version_1_is_divided_below_its_own_cgroup)
{
    hierarchy_mount("/cpu,cpuacct", "cgroup cgroup rw,cpu,cpuacct");
    assert_parent("4:cpu,cpuacct:/a/b\n", "/cpu,cpuacct/a/b");
}

HIERARCHY_TEST(test_version_2_is_divided_where_the_controller_is_enabled)
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

HIERARCHY_TEST(test_version_2_without_the_controller)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw");
    hierarchy_put("", "cgroup.subtree_control", "cpuset memory pids\n");
    hierarchy_put("/user", "cgroup.subtree_control", "");
    assert_no_parent("0::/user\n", "no cgroup of this process has cpu in its");
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

HIERARCHY_TEST(test_quotas)
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

HIERARCHY_TEST(test_a_file_that_cannot_be_written)
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

static struct cgroup place;

static size_t find_place(const char *mount_line, const char *cgroups)
{
    struct cgroup all[CGROUPS_MAX];
    hierarchy_put("", "mountinfo", mount_line);
    hierarchy_put("", "cgroup", cgroups);
    size_t count = cgroups_find(hierarchy_folder, all);
    place = all[0];
    return count;
}

/* Of several controllers; of version 2 beside version 1; where the root of the mount is a cgroup;
 * and with names that the kernel escapes. */
HIERARCHY_TEST(test_the_place_of_a_cgroup)
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
        assert_int_equal(find_place(cases[i].line, cases[i].cgroups), 1);
        assert_string_equal(place.mount, cases[i].mount);
        assert_string_equal(place.folder, cases[i].folder);
    }
}

/* No controller of the CPU is mounted there, or the process is in no such cgroup. */
HIERARCHY_TEST(test_what_is_no_place)
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
        assert_int_equal(find_place(cases[i][0], cases[i][1]), 0);
    }
}

/* ------------------------------------------------------------------ cores */

static void assert_cores(double cores, double expected)
{
    if (cores != expected)
        fail_msg("%g cores, not %g", cores, expected);
}

static double quota_of(const char *cgroups)
{
    hierarchy_put("", "cgroup", cgroups);
    return cores_quota(hierarchy_folder);
}

HIERARCHY_TEST(test_a_quota_of_version_2)
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
        assert_cores(quota_of("0::/\n"), cases[i].cores);
    }
}

HIERARCHY_TEST(test_a_quota_of_version_1)
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
        assert_cores(quota_of("1:cpu:/\n"), cases[i].cores);
    }
}

/* A cgroup may use no more than those above it. */
HIERARCHY_TEST(test_the_lowest_quota_counts)
{
    hierarchy_mount("", "cgroup2 cgroup2 rw,nsdelegate");
    hierarchy_put("/a", "cpu.max", "200000 100000\n");
    hierarchy_put("/a/b", "cpu.max", "max 100000\n");
    hierarchy_put("/a/b/c", "cpu.max", "300000 100000\n");
    assert_cores(quota_of("0::/a/b/c\n"), 2);
    hierarchy_put("/a/b/c", "cpu.max", "100000 100000\n");
    assert_cores(quota_of("0::/a/b/c\n"), 1);
    assert_cores(quota_of("0::/a/b\n"), 2);
    assert_cores(quota_of("0::/\n"), INFINITY);
    hierarchy_put("", "cpu.max", "50000 100000\n");
    assert_cores(quota_of("0::/a/b"), 0.5);
    assert_cores(quota_of("0::/\n"), 0.5);
}

/* ------------------------------------------------------------------ the affinity */

#define CORES_MOST 65536
#define SETS       (CORES_MOST / CPU_SETSIZE)

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
