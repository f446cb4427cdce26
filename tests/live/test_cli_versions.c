// SPDX-License-Identifier: Apache-2.0
/* Several homes of ZooKeeper in one run: two folders with links to the jar of Debian's package. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#define DEBIAN_JAR "/usr/share/java/zookeeper.jar"

static struct command command;
static char version[32]; /* of the package */

/* The link beside the package's jar has the version in its name. */
static bool find_version(void)
{
    FILE *pipe =
        popen("ls /usr/share/java | sed -n 's/^zookeeper-\\([0-9.]*\\)\\.jar$/\\1/p'", "r");
    assert_non_null(pipe);
    bool found = fscanf(pipe, "%31s", version) == 1;
    pclose(pipe);
    return found && access(DEBIAN_JAR, R_OK) == 0;
}

/* A release whose server's jar has this version in its name. */
static void make_home(const char *name, const char *named, const char *jar)
{
    assert_int_equal(mkdir(in_work("%s", name), 0755), 0);
    assert_int_equal(mkdir(in_work("%s/lib", name), 0755), 0);
    assert_int_equal(symlink(jar, in_work("%s/lib/zookeeper-%s.jar", name, named)), 0);
}

static void make_homes(void)
{
    char named[48];
    if (!find_version())
        skip();
    make_home("stock", version, DEBIAN_JAR);
    snprintf(named, sizeof named, "%s-patched", version);
    make_home("patched", named, DEBIAN_JAR);
}

static void assert_is_of(const char *target, const char *home)
{
    char folder[64];
    snprintf(folder, sizeof folder, "out/%s", target);
    json_t *manifest = read_manifest(folder), *server;
    size_t index;
    assert_string_equal(json_string_value(json_object_get(manifest, "target")), target);
    json_array_foreach(json_object_get(manifest, "servers"), index, server)
    {
        assert_string_equal(json_string_value(json_object_get(server, "zookeeper_home")),
                            in_work("%s", home));
        assert_string_equal(json_string_value(json_object_get(server, "version")), version);
    }
    json_decref(manifest);
    struct run_files files = run_files_read(folder);
    assert_int_equal(files.trials.rows, 2);
    for (size_t row = 0; row < 2; row++)
        assert_string_equal(csv_file_text(&files.trials, row, "target"), target);
    run_files_deinit(&files);
}

COMMAND_TEST(two_homes_are_run_in_turn)
{
    char stock[64], patched[64];
    make_homes();
    snprintf(stock, sizeof stock, "standalone-%s", version);
    snprintf(patched, sizeof patched, "standalone-%s-patched", version);
    command_run(&command, COMMAND("run", "--zookeeper", "patched,stock", "-r", "scalable", "-n",
                                  "3", "-t", "2", "--heap", "128", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_is_of(stock, "stock");
    assert_is_of(patched, "patched");
}

COMMAND_TEST(one_home_has_the_names_of_none)
{
    make_homes();
    command_run(&command, COMMAND("run", "--zookeeper", "/usr/share/java", "-r", "scalable", "-n",
                                  "3", "-t", "1", "--heap", "128", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    json_t *manifest = read_manifest("out"), *server;
    assert_string_equal(json_string_value(json_object_get(manifest, "target")), "standalone");
    server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_string_equal(json_string_value(json_object_get(server, "zookeeper_home")),
                        "/usr/share/java");
    json_decref(manifest);
}

/* What a server is comes from the server. */
COMMAND_TEST(a_jar_under_a_wrong_version_is_refused)
{
    make_homes();
    make_home("wrong", "3.99.0", DEBIAN_JAR);
    command_run(&command, COMMAND("run", "--zookeeper", "stock,wrong", "-n", "3", "--heap", "128",
                                  "--plots", "svg", "-o", "out"));
    assert_refused(&command, 2, "its jar is named after 3.99.0");
    assert_left(3);
}

COMMAND_TEST(a_release_that_does_not_start_is_named)
{
    make_homes();
    make_home("broken", "3.8.9", "/dev/null");
    command_run(&command, COMMAND("run", "--zookeeper", "stock,broken", "-n", "3", "--heap", "128",
                                  "--plots", "svg", "-o", "out"));
    assert_refused(&command, 3, ", ZooKeeper of ");
    assert_has(command.err, "/broken: the server exited unexpectedly: its log ends: ");
    assert_has(command.err, "see whether its release runs with this Java");
    assert_left(3);
}

TEST_GROUP(program_find, NULL)
