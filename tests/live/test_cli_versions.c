// SPDX-License-Identifier: Apache-2.0
/* A home of ZooKeeper: a folder with a link to the jar of Debian's package. */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#define DEBIAN_JAR "/usr/share/java/zookeeper.jar"

static struct command command;

/* A release whose server's jar has this version in its name. */
static void make_home(const char *name, const char *named, const char *jar)
{
    if (access(DEBIAN_JAR, R_OK) != 0)
        skip();
    assert_int_equal(mkdir(in_work("%s", name), 0755), 0);
    assert_int_equal(mkdir(in_work("%s/lib", name), 0755), 0);
    assert_int_equal(symlink(jar, in_work("%s/lib/zookeeper-%s.jar", name, named)), 0);
}

static void run_home(const char *home)
{
    command_run(&command, COMMAND("run", "--zookeeper", home, "-r", "scalable", "-n", "3", "-t",
                                  "1", "--heap", "128", "--plots", "svg", "-o", "out"));
}

COMMAND_TEST(a_home_is_run)
{
    make_home("patched", "3.8.0-patched", DEBIAN_JAR);
    run_home("patched");
    assert_status(&command, 0);
    json_t *manifest = read_manifest("out"),
           *server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_string_equal(json_string_value(json_object_get(manifest, "target")), "standalone");
    assert_string_equal(json_string_value(json_object_get(server, "zookeeper_home")),
                        in_work("patched"));
    json_decref(manifest);
}

COMMAND_TEST(a_release_that_does_not_start_is_named)
{
    make_home("broken", "3.8.9", "/dev/null");
    run_home("broken");
    assert_refused(&command, 3, ", ZooKeeper of broken: the server exited unexpectedly: its log ");
    assert_has(command.err, "see whether its release runs with this Java");
    assert_left(1);
}

TEST_GROUP(program_find, NULL)
