// SPDX-License-Identifier: Apache-2.0
/* What --zookeeper takes for a home, and the topologies that it makes with --servers. */

#include "bench/cli/option_table.h"
#include "servers/four_letter.h"
#include "servers/install.h"

#include "tests/support/test.h"

#include <sys/stat.h>
#include <unistd.h>

static struct options options;
static char why[512];
static char place[] = "/tmp/zkherd-test-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    strcpy(strrchr(place, '-'), "-XXXXXX");
    options = (struct options){0};
    return mkdtemp(place) == NULL || chdir(place) != 0;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    options_deinit(&options);
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return chdir("/") != 0 || system(command) != 0;
}

static bool take(const char *name, const char *value)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        if (strcmp(row->name, name) != 0)
            continue;
        struct option_given given = {.row = row, .value = value, .options = &options};
        bool taken = row->parse(&given);
        strcpy(why, given.why);
        assert_true(taken == (why[0] == '\0'));
        return taken;
    }
    fail_msg("no option %s", name);
    return false;
}

static void make_file(const char *name)
{
    FILE *file = fopen(name, "we");
    assert_non_null(file);
    fclose(file);
}

/* A home with an empty jar, in lib or itself. */
static void make_home(const char *folder, const char *jar)
{
    char path[128];
    mkdir(folder, 0700);
    snprintf(path, sizeof path, "%s/%s", folder, jar);
    *strrchr(path, '/') = '\0';
    mkdir(path, 0700);
    path[strlen(path)] = '/';
    make_file(path);
}

static void assert_topology(size_t at, uint64_t servers, const char *name)
{
    assert_int_equal(options.target.server_counts[at], servers);
    assert_string_equal(target_options_home(&options.target, at)->name, name);
}

static void assert_two_by_two(void)
{
    assert_int_equal(options.target.topology_count, 4);
    assert_topology(0, 1, "3.8.0");
    assert_topology(1, 1, "3.10.1");
    assert_topology(2, 3, "3.8.0");
    assert_topology(3, 3, "3.10.1");
}

TEST_BETWEEN(every_number_has_every_home, set_up, tear_down)
{
    make_home("old", "lib/zookeeper-3.8.0.jar");
    make_home("new", "zookeeper-3.10.1.jar");
    assert_true(take("--servers", "1,3"));
    assert_null(target_options_home(&options.target, 1));
    assert_true(take("--zookeeper", "old,new"));
    assert_two_by_two();
    assert_true(take("--zookeeper", "old"));
    assert_int_equal(options.target.topology_count, 2);
    assert_topology(1, 3, "3.8.0");
}

TEST_BETWEEN(the_order_of_the_options_does_not_matter, set_up, tear_down)
{
    make_home("old", "lib/zookeeper-3.8.0.jar");
    make_home("new", "zookeeper-3.10.1.jar");
    assert_true(take("--servers", "1"));
    assert_true(take("--zookeeper", "old,new"));
    assert_true(take("--servers", "1,3"));
    assert_two_by_two();
    assert_false(take("--servers", "1,1"));
}

TEST_BETWEEN(homes_of_one_version_are_numbered, set_up, tear_down)
{
    make_home("a", "lib/zookeeper-3.8.4.jar");
    make_home("b", "lib/zookeeper-3.9.3.jar");
    make_home("c", "lib/zookeeper-3.8.4.jar");
    make_home("d", "lib/zookeeper-3.8.4-patched.jar");
    assert_true(take("--servers", "1"));
    assert_true(take("--zookeeper", "a,b,c,d"));
    assert_topology(0, 1, "3.8.4-1");
    assert_topology(1, 1, "3.9.3");
    assert_topology(2, 1, "3.8.4-2");
    assert_topology(3, 1, "3.8.4-patched");
}

TEST_BETWEEN(too_many_are_refused, set_up, tear_down)
{
    char list[128] = "";
    for (char name[] = "a"; name[0] <= 'f'; name[0]++) {
        make_home(name, "zookeeper-3.8.4.jar");
        snprintf(list + strlen(list), sizeof list - strlen(list), ",%s", name);
    }
    assert_true(take("--servers", "1,3"));
    assert_true(take("--zookeeper", list + 1));
    assert_int_equal(options.target.topology_count, 12);
    assert_false(take("--servers", "1,3,5"));
    assert_non_null(strstr(why, "more than 16"));
}

TEST_BETWEEN(what_is_no_home_is_refused, set_up, tear_down)
{
    make_home("old", "lib/zookeeper-3.8.0.jar");
    make_home("none", "lib/zookeeper-jute-3.8.0.jar");
    make_home("two", "zookeeper-3.8.0.jar");
    make_home("two", "lib/zookeeper-3.9.3.jar");
    make_home("unnamed", "zookeeper.jar");
    static const char *const refused[][2] = {
        {"", "expected folders"},
        {"old,", "expected folders"},
        {"old,,none", "expected folders"},
        {"nowhere", "'nowhere': No such file or directory"},
        {"none", "'none': it has no zookeeper-VERSION.jar"},
        {"two", "'two': it has the jars of several servers"},
        {"unnamed", "'unnamed': beside zookeeper.jar there is no link"},
        {"old,./old/", "'./old/' is given twice"}};
    assert_true(take("--servers", "1"));
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(take("--zookeeper", refused[i][0]));
        assert_non_null(strstr(why, refused[i][1]));
    }
}

/* wanted: with ~ for the folder of all homes. */
static void assert_class_path(const char *home, const char *wanted)
{
    char seen[INSTALL_CLASS_PATH_SIZE] = "";
    struct install install;
    struct error error;
    assert_int_equal(install_find_zookeeper(home, &install, &error), ERROR_NONE);
    for (const char *at = install.class_path; *at != '\0';) {
        bool is_place = strncmp(at, place, strlen(place)) == 0;
        seen[strlen(seen)] = is_place ? '~' : *at;
        at += is_place ? strlen(place) : 1;
    }
    assert_string_equal(seen, wanted);
}

/* The jar of a package names others by absolute paths, where another version may be: the home's own
 * stand before. */
TEST_BETWEEN(a_class_path_is_of_one_release, set_up, tear_down)
{
    make_home("release", "lib/zookeeper-3.8.0.jar");
    assert_class_path("release", "~/release/lib/*:~/release/*");
    make_home("package", "zookeeper.jar");
    make_file("package/zookeeper-3.9.3.jar");
    make_file("package/zookeeper-jute.jar");
    make_file("package/slf4j-simple.jar");
    make_file("package/another.jar");
    assert_class_path("package", "~/package/zookeeper-jute.jar:~/package/zookeeper.jar:"
                                 "~/package/slf4j-simple.jar");
    make_file("release/zookeeper.jar"); /* a link that somebody has made */
    assert_class_path("release", "~/release/lib/*:~/release/*");
}

/* The version that a server answers has no revision behind it, known or not. */
TEST_BETWEEN(a_version_has_no_revision, set_up, tear_down)
{
    static const char *const answers[][2] = {
        {"Zookeeper version: 3.8.0-5a02a05eddb, built on 2022-02-25\n", "3.8.0"},
        {"Zookeeper version: 3.8.0--1, built on 2022-02-25\n", "3.8.0"},
        {"Zookeeper version: 3.4.13-6--1, built on 10/28/2023\n", "3.4.13-6"},
        {"Zookeeper version: 3.10.0-SNAPSHOT-5a02, built on x\n", "3.10.0-SNAPSHOT"}};
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        struct four_letter_identity identity;
        four_letter_read_identity(answers[i][0], &identity);
        assert_string_equal(identity.version, answers[i][1]);
    }
}
