// SPDX-License-Identifier: Apache-2.0
/* What the program says, and leaves, where something that it needs is missing: memory, a
 * descriptor, a folder, space. tests/golden/environment has what needs no server. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "base/cores.h"
#include "servers/cpu_share.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* A run of a moment. */
#define SMALL "-n", "2", "-t", "1", "-r", "scalable", "--plots", "svg"

static struct command command;

static void with(const char *const *settings, void (*prepare)(void))
{
    command.settings = settings;
    command.prepare = prepare;
}

static int make_fresh(void **state)
{
    with(NULL, NULL);
    return work_make(state);
}

static int clear_away(void **state)
{
    umount2(in_work("disk"), MNT_DETACH); /* where a test has mounted it */
    return work_remove(state);
}

/* On servers of somebody else, where the root znode has been made by then; the messages:
 * tests/golden/environment. */
TEST_BETWEEN(a_folder_that_cannot_be_made, make_fresh, clear_away)
{
    command_run(&command, COMMAND("run", SMALL, "--connect", outside, "-o", "no/where"));
    assert_refused(&command, 3, "zkherd: no/where: system error (No such file or directory)");
    assert_left(0);
    assert_nothing_left_outside(1);
}

/* ------------------------------------------------------------------ programs */

/* Each topology fits alone, but all of them run beside each other. Other programs may give memory
 * back meanwhile: a third of it is missing. */
TEST_BETWEEN(too_little_memory_for_all_topologies, make_fresh, clear_away)
{
    uint64_t available_kib = 0;
    char line[128], heap[32];
    FILE *file = fopen("/proc/meminfo", "r");
    assert_non_null(file);
    while (available_kib == 0 && fgets(line, sizeof line, file) != NULL)
        (void)!sscanf(line, "MemAvailable: %" SCNu64, &available_kib);
    fclose(file);
    snprintf(heap, sizeof heap, "%" PRIu64, available_kib / 1024 / 3 - 100);
    command_run(&command, COMMAND("run", SMALL, "--servers", "1,3", "--heap", heap));
    assert_in_vain(&command, "zkherd: 4 servers: out of memory");
}

/* ------------------------------------------------------------------ folders */

/* As another user, to whom the folder is closed. */
TEST_BETWEEN(a_folder_that_is_closed, make_fresh, clear_away)
{
    if (access(command_program, X_OK) != 0 || geteuid() != 0) {
        print_message("skipped: needs root, to become somebody else\n");
        skip();
    }
    with(NULL, become_nobody);
    command_run(&command, COMMAND("run", SMALL, "--connect", outside, "-o", "out"));
    if (command.status == 127) {
        print_message("skipped: the program is where nobody else may run it\n");
        skip();
    }
    assert_in_vain(&command, "zkherd: out: permission denied: cannot make the folder");
    assert_nothing_left_outside(1);
}

/* ------------------------------------------------------------------ cgroups */

/* The folder below which the program would create cgroups; "" if there is none. */
static char cgroup[PATH_MAX];

static void find_cgroup(void)
{
    static char cgroups[8192];
    struct error ignored;
    FILE *file = fopen("/proc/self/cgroup", "r");
    assert_non_null(file);
    cgroups[fread(cgroups, 1, sizeof cgroups - 1, file)] = '\0';
    fclose(file);
    cgroup[0] = '\0';
    (void)!cpu_share_find_parent("/proc/self/mountinfo", cgroups, cgroup, &ignored);
}

/* As in a container. */
static void make_cgroups_read_only(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(cgroup, cgroup, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, cgroup, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0)
        _exit(127);
}

TEST_BETWEEN(a_share_without_the_right_to_create_cgroups, make_fresh, clear_away)
{
    find_cgroup();
    with((const char *const[]){NO_PROGRAMS, NULL}, make_cgroups_read_only);
    command_run(&command, COMMAND("--version"));
    if (cgroup[0] == '\0' || command.status == 127) {
        print_message("skipped: needs a cgroup and the right to mount\n");
        skip();
    }
    with(NULL, make_cgroups_read_only);
    command_run(&command, COMMAND("run", SMALL, "--server-cpus", "0.5"));
    assert_in_vain(&command,
                   ".1: the CPU of a server cannot be limited (Read-only file system): creating "
                   "this cgroup failed; run as root, or in a cgroup in which this user may");
    assert_has(command.err, cgroup);
}

/* The manifest of a run with these shares; skips where there can be none. */
static json_t *run_with_shares(const char *servers, const char *cpus)
{
    command_run(&command, COMMAND("run", SMALL, "--servers", servers, "--server-cpus", cpus, "-q",
                                  "-o", "out"));
    if (strstr(command.err, "the CPU of a server cannot be limited") != NULL) {
        print_message("skipped: %s", command.err);
        skip();
    }
    assert_status(&command, 0);
    assert_left(1);
    return read_manifest("out");
}

TEST_BETWEEN(shares_of_more_than_the_machine, make_fresh, clear_away)
{
    char cpus[32];
    snprintf(cpus, sizeof cpus, "%.2f", floor(cores_allowed() * 100) / 100);
    json_t *manifest = run_with_shares("3", cpus);
    const json_t *warning = json_array_get(json_object_get(manifest, "warnings"), 0);
    assert_has(json_string_value(warning),
               "the shares of --server-cpus add up to more than the cores");
    json_decref(manifest);
}

/* ------------------------------------------------------------------ limits */

/* Root could raise the limit again: not without this capability. */
static void allow_few_descriptors(void)
{
    prctl(PR_CAPBSET_DROP, 24 /* CAP_SYS_RESOURCE */);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){100, 100});
}

TEST_BETWEEN(too_few_descriptors, make_fresh, clear_away)
{
    with(NULL, allow_few_descriptors);
    command_run(&command, COMMAND("run", "-n", "200", "-t", "1"));
    assert_in_vain(&command,
                   "too few file descriptors: 456 are needed in one process, 100 are allowed; "
                   "raise the limit (ulimit -n)");
    command_run(&command, COMMAND("run", "-n", "200", "-t", "1", "--connect", outside));
    assert_in_vain(&command, "too few file descriptors");
}

static rlim_t descriptors;

static void limit_descriptors(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){descriptors, descriptors});
}

/* Wherever they run out while the files of two targets are opened. */
TEST_BETWEEN(descriptors_that_run_out, make_fresh, clear_away)
{
    with((const char *const[]){NO_PROGRAMS, NULL}, limit_descriptors);
    for (descriptors = 6, command.status = 3; command.status != 0; descriptors++) {
        command_run(&command, COMMAND("run", SMALL, "-q", "-d", "simulated", "--servers", "1,3",
                                      "-o", "out"));
        if (command.status != 0)
            assert_in_vain(&command, "too few file descriptors");
    }
    assert_true(descriptors > 6 + 5);
    assert_left(1);
}

/* What finished before is there, whole; and it is said which file has no room, once. */
static void assert_out_of_space(const char *folder)
{
    assert_status(&command, 3);
    assert_has(command.err, "no space left");
    assert_has(command.err, folder);
    const char *complaint = strchr(command.err, '\n'); /* behind what was said before the run */
    assert_non_null(complaint);
    assert_complaint(complaint + 1, "writing it failed; free some space");
    struct run_files files = run_files_read(folder);
    assert_true(files.trials.rows > 0);
    assert_cut_short(folder, "no space left", files.trials.rows);
    run_files_deinit(&files);
    assert_nothing_runs();
    assert_nothing_left_outside(1);
}

#define MANY "-n", "8,16", "-t", "50", "-r", "scalable"

/* A limit that comes while it runs: nobody knew. */
TEST_BETWEEN(a_file_that_may_not_grow, make_fresh, clear_away)
{
    with((const char *const[]){NO_PROGRAMS, NULL}, NULL);
    command_start(&command, COMMAND("run", MANY, "--connect", outside, "-o", "out"));
    command_await_rows(&command, "out/trials.csv.part", 1);
    prlimit(command.pid, RLIMIT_FSIZE, &(struct rlimit){6 * 1024, 6 * 1024}, NULL);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_out_of_space("out");
    assert_left(1);
}

/* The mount is seen by this process and its children only, and ends with them. */
static void mount_small_disk(const char *options)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mkdir(in_work("disk"), 0755) != 0 ||
        mount("none", in_work("disk"), "tmpfs", 0, options) != 0) {
        print_message("skipped: needs the right to mount\n");
        skip();
    }
}

/* All that is left of the disk. */
static void fill_disk(void)
{
    static const char block[4096];
    int file = open(in_work("disk/others"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    while (write(file, block, sizeof block) > 0)
        ;
    close(file);
}

TEST_BETWEEN(a_disk_that_fills_up, make_fresh, clear_away)
{
    mount_small_disk("size=1m");
    with((const char *const[]){NO_PROGRAMS, NULL}, NULL);
    command_start(&command, COMMAND("run", MANY, "--connect", outside, "-o", "disk/out"));
    command_await_rows(&command, "disk/out/trials.csv.part", 1);
    fill_disk();
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_out_of_space("disk/out");
    assert_left(1);
}

TEST_GROUP(outside_start, outside_stop)
