// SPDX-License-Identifier: Apache-2.0
/* Where the kernel's texts say that the cgroup of a process is mounted. */
#include "base/cores.h"

#include "tests/support/test.h"

static struct cgroup_place place;

static void assert_found(const char *mount_line, const char *cgroups, const char *mount,
                         const char *folder)
{
    assert_true(cgroup_find(mount_line, cgroups, &place));
    assert_string_equal(place.mount, mount);
    assert_string_equal(place.folder, folder);
}

static const char hybrid[] = "12:cpuset:/set\n"
                             "6:name=systemd:/user.slice/session-1.scope\n"
                             "4:cpu,cpuacct:/user.slice\n"
                             "0::/user.slice/session-1.scope\n";

TEST(test_a_hierarchy_of_several_controllers)
{
    assert_found("35 25 0:31 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:15 - cgroup cgroup "
                 "rw,cpu,cpuacct\n",
                 hybrid, "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct/user.slice");
    assert_found("35 25 0:31 / /c rw - cgroup none rw,cpuset,cpuacct,cpu\n",
                 "3:cpuacct,cpu,cpuset:/a/b", "/c", "/c/a/b");
}

TEST(test_version_2_beside_version_1)
{
    assert_found("27 25 0:24 / /sys/fs/cgroup/unified rw,relatime shared:10 master:1 - cgroup2 "
                 "cgroup2 rw,nsdelegate\n",
                 hybrid, "/sys/fs/cgroup/unified",
                 "/sys/fs/cgroup/unified/user.slice/session-1.scope");
}

TEST(test_a_mount_whose_root_is_a_cgroup)
{
    static const char mount[] =
        "35 25 0:31 /docker/4f /sys/fs/cgroup/cpu ro - cgroup cgroup ro,cpu";
    assert_found(mount, "4:cpu:/docker/4f\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu");
    assert_found(mount, "4:cpu:/docker/4f/a\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu/a");
    assert_found(mount, "4:cpu:/docker/4fa\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu");
    assert_found(mount, "4:cpu:/\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu");
    assert_found(mount, "4:cpu:/docker/4f/../5e\n", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu");
}

TEST(test_names_that_the_kernel_escapes)
{
    assert_found("35 25 0:31 /a\\134x2db /my\\040groups rw - cgroup2 none rw", "0::/a\\x2db/c",
                 "/my groups", "/my groups/c");
}

TEST(test_what_has_no_cpu_controller)
{
    static const char *const mounts[] = {
        "",
        "22 27 0:21 / /proc rw,relatime - proc proc rw",
        "36 25 0:32 / /sys/fs/cgroup/cpuset rw shared:16 - cgroup cgroup rw,cpuset,cpuacct",
        "36 25 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=cpu",
        "36 25 0:32 / /tmp/cpu rw,cpu - tmpfs tmpfs rw,cpu",
        "36 25 0:32 / /sys/fs/cgroup/cpu rw",
    };
    for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++)
        assert_false(cgroup_find(mounts[i], hybrid, &place));
}

TEST(test_a_process_that_is_in_no_such_cgroup)
{
    static const char *const cgroups[] = {"", "\n0\n0:\n", "4:cpuacct,cpuset:/a\n", "0::/a\n"};
    for (size_t i = 0; i < sizeof cgroups / sizeof cgroups[0]; i++)
        assert_false(cgroup_find("35 25 0:31 / /c rw - cgroup none rw,cpu", cgroups[i], &place));
    assert_false(cgroup_find("35 25 0:31 / /c rw - cgroup2 none rw", "4:cpu:/a\n", &place));
}
