// SPDX-License-Identifier: Apache-2.0
/* The folder of --data: where private servers keep their data, and what is left of it. */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <sched.h>
#include <sys/mount.h>

/* A run of a moment on small servers. */
#define SMALL                                                                                      \
    "-n", "2", "-t", "1", "-r", "scalable", "-q", "--heap", "64", "--plots", "svg", "-o", "out"

static struct command command;

static int clear_away(void **state)
{
    umount2(in_work("disk"), MNT_DETACH); /* where a test has mounted it */
    return work_remove(state);
}

/* What a manifest says of the data, for the caller to json_decref. */
static json_t *read_data(const char *run)
{
    json_t *manifest = read_manifest(run);
    json_t *data = json_incref(json_object_get(manifest, "data"));
    json_decref(manifest);
    assert_non_null(data);
    return data;
}

static void assert_lay_in(const json_t *data, const char *folder)
{
    char beginning[256];
    snprintf(beginning, sizeof beginning, "%s/zkherd-server-", folder);
    const char *told = json_string_value(json_object_get(data, "folder"));
    assert_non_null(told);
    assert_int_equal(strncmp(told, beginning, strlen(beginning)), 0);
}

static void assert_settings_have(const char *run, const char *words)
{
    json_t *manifest = read_manifest(run);
    json_t *server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_has(json_string_value(json_object_get(server, "settings")), words);
    json_decref(manifest);
}

TEST_BETWEEN(a_folder_that_is_not_there_comes_and_goes, work_make, clear_away)
{
    command_run(&command, COMMAND("run", SMALL, "--data", "data", "--fsync", "no"));
    assert_status(&command, 0);
    assert_left(1); /* out */
    json_t *data = read_data("out");
    assert_lay_in(data, in_work("data"));
    assert_true(json_is_false(json_object_get(data, "fsync")));
    json_decref(data);
    assert_settings_have("out", in_work("data/zkherd-server-"));
}

TEST_BETWEEN(topologies_have_a_folder_each, work_make, clear_away)
{
    command_run(&command, COMMAND("run", SMALL, "--data", "data", "--servers", "1,3"));
    assert_status(&command, 0);
    assert_left(1);
    json_t *one = read_data("out/standalone"), *three = read_data("out/ensemble3");
    assert_lay_in(one, in_work("data/standalone"));
    assert_lay_in(three, in_work("data/ensemble3"));
    json_decref(one);
    json_decref(three);
}

/* An empty folder stays. The mount is seen by this process and its children only, and ends with
 * them. */
TEST_BETWEEN(the_file_system_is_told, work_make, clear_away)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mkdir(in_work("disk"), 0755) != 0 ||
        mount("none", in_work("disk"), "tmpfs", 0, "size=200m") != 0) {
        print_message("skipped: needs the right to mount\n");
        skip();
    }
    command_run(&command, COMMAND("run", SMALL, "--data", in_work("disk/")));
    assert_status(&command, 0);
    json_t *data = read_data("out");
    assert_true(json_is_true(json_object_get(data, "fsync")));
    assert_string_equal(json_string_value(json_object_get(data, "file_system")), "tmpfs");
    json_decref(data);
    assert_int_equal(count_entries(in_work("disk")), 0);
}

/* What lies there stays, and no server is started for nothing. */
TEST_BETWEEN(a_folder_that_is_not_empty, work_make, clear_away)
{
    assert_int_equal(mkdir(in_work("data"), 0755), 0);
    assert_int_equal(mkdir(in_work("data/dear"), 0755), 0);
    static const char *const servers[] = {"1", "1,3"};
    command.settings = (const char *const[]){NO_JAVA, NULL};
    for (size_t i = 0; i < 2; i++) {
        command_run(&command, COMMAND("run", SMALL, "--data", "data", "--servers", servers[i]));
        assert_refused(&command, 2, "zkherd: data: the folder is not empty; name");
        assert_left(1);
        assert_int_equal(count_entries(in_work("data")), 1);
    }
    command.settings = NULL;
}

TEST_BETWEEN(folders_that_cannot_be_made, work_make, clear_away)
{
    static const char *const servers[] = {"1", "1,3"};
    close(open(in_work("file"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (size_t i = 0; i < 2; i++) {
        command_run(&command, COMMAND("run", SMALL, "--data", "no/where", "--servers", servers[i]));
        assert_status(&command, 3);
        assert_has(command.err, "zkherd: no/where: system error (No such file or directory)");
        command_run(&command, COMMAND("run", SMALL, "--data", "file", "--servers", servers[i]));
        assert_status(&command, 3);
        assert_has(command.err, "zkherd: file: system error (Not a directory)");
        assert_left(1);
    }
}
