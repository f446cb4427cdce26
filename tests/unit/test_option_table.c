// SPDX-License-Identifier: Apache-2.0
/* What the options of `zkherd run` mean, and the topologies of --servers and --zookeeper; what is
 * refused, and with which words: tests/golden/refusals. */

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "servers/install.h"

#include "tests/support/test.h"
#include "tests/support/words.h"

#include <sys/stat.h>
#include <unistd.h>

static struct options options;
static char why[512];
static char place[] = "/tmp/zkherd-test-XXXXXX";

FIXTURE(set_up)
{
    strcpy(strrchr(place, '-'), "-XXXXXX");
    options = (struct options){0};
    return mkdtemp(place) == NULL || chdir(place) != 0;
}

FIXTURE(tear_down)
{
    char command[64];
    options_deinit(&options);
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return chdir("/") != 0 || system(command) != 0;
}

static const struct option_row *row_of(const char *name)
{
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        if (strcmp(row->name, name) == 0)
            return row;
    }
    fail_msg("no option %s", name);
    return NULL;
}

static bool take(const char *name, const char *value)
{
    struct option_given given = {.row = row_of(name), .value = value, .options = &options};
    bool taken = given.row->parse(&given);
    strcpy(why, given.why);
    assert_true(taken == (why[0] == '\0'));
    return taken;
}

/* Parses a command line, with a blank between its words. */
static void parse(const char *line)
{
    static const struct arguments arguments = {"run", "", option_table, "", NULL};
    static char words[1024];
    char *argv[41] = {NULL};
    int argc = 0;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    assert_int_equal(arguments_parse(&arguments, argc, argv, &options, NULL), ARGUMENTS_GO);
}

/* The plan of manifest.json, with ' for ". */
static void assert_plan(const char *expected)
{
    json_t *plan = option_table_plan(&options);
    char *text = json_dumps(plan, JSON_COMPACT);
    for (char *at = text; (at = strchr(at, '"')) != NULL;)
        *at = '\'';
    assert_string_equal(text, expected);
    assert_null(option_table_key(json_object_size(plan)));
    free(text);
    json_decref(plan);
}

TEST_BETWEEN(options_take_their_values, set_up, tear_down)
{
    const struct target_options *target = &options.target;
    parse("run -r scalable,nonscalable:250 -n 8..64x2,100000 -w steady --handoffs=50000000 "
          "--duration 1ms -p free --hold exp:5ms -k 10000 -t 1000 --trace 1,2 -P 1000 "
          "--server-cpus 0.05 --max-clients=9 --max-rate=7 --background get=80,set=20@10 "
          "--placement followers --session-timeout=3600s --timeout=100ms");
    assert_plan("{'recipes':['scalable','nonscalable'],'most_clients':{'nonscalable':250},"
                "'clients':[8,16,32,64,100000],'clients_left_out':[],'workload':'steady',"
                "'handoffs':50000000,'duration_ns':1000000,'pace':'free','hold_ns':5000000,"
                "'hold_exponential':true,'locks':10000,'trials':1000,'traced':[1,2],"
                "'processes':1000,'server_cpu_percent':5,'max_clients':9,'max_rate':7,"
                "'background':'get=80,set=20@10','placement':'followers',"
                "'session_timeout_ms':3600000,'timeout_ms':100}");
    options_deinit(&options);
    parse("run -d threads --fsync=no --heap=600 --servers=1,3 --data=here -o there -q "
          "--connect=zk:2181 --seed=9223372036854775807");
    assert_true(target->fsync_given && target->heap_given && target->servers_given);
    assert_true(target->driver == DRIVER_THREADS && !target->fsync && target->heap_mib == 600);
    assert_true(target->topology_count == 2 && target->server_counts[1] == 3);
    assert_string_equal(target->data, "here");
    assert_string_equal(options.output.out, "there");
    assert_true(target->connect && options.output.quiet);
    assert_null(target->servers.identity);
    assert_int_equal(options.plan.seed, INT64_MAX);
}

/* The name and the password of the variable, and whom znodes admit, wherever --connect stands. */
TEST_BETWEEN(an_identity_is_of_the_servers, set_up, tear_down)
{
    const struct connect_string *servers = &options.target.servers;
    setenv(ROWS_AUTH_VARIABLE, "ann:secret", 1);
    parse("run --acl=creator --connect=zk:2181");
    assert_non_null(servers->identity);
    assert_true(servers->identity->creator);
    assert_string_equal(servers->identity->credentials, "ann:secret");
    options_deinit(&options);
    setenv(ROWS_AUTH_VARIABLE, "ann:secret", 1);
    parse("run --connect=zk:2181 --acl=creator --acl=open");
    assert_false(servers->identity->creator);
    assert_true(identity_is_known(servers->identity));
    options_deinit(&options);
    parse("run --connect=zk:2181 --acl=open");
    assert_null(servers->identity);
}

TEST_BETWEEN(a_row_is_like_its_help, set_up, tear_down)
{
    char shown[64];
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        snprintf(shown, sizeof shown, "[%s]\n", row->value != NULL ? row->value : "");
        if (row->value != NULL && row->value[0] != '\0')
            assert_non_null(strstr(row->help, shown));
        if (row->parse != option_row_never)
            assert_non_null(strstr(row->help, row->name));
        if (row->letter != '\0')
            assert_true(row->help[2] == '-' && row->help[3] == row->letter);
        assert_ptr_equal(row_of(row->name), row);
        for (const struct option_row *other = option_table; other < row; other++)
            assert_true(row->letter == '\0' || row->letter != other->letter);
    }
}

/* ------------------------------------------------------------------ homes */

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

TEST_BETWEEN(what_is_no_home_is_refused, set_up, tear_down)
{
    make_home("old", "lib/zookeeper-3.8.0.jar");
    make_home("none", "lib/zookeeper-jute-3.8.0.jar");
    make_home("two", "zookeeper-3.8.0.jar");
    make_home("two", "lib/zookeeper-3.9.3.jar");
    static const char *const refused[][2] = {
        {"", "'': No such file or directory"},
        {"old,none", "'old,none': No such file or directory"},
        {"nowhere", "'nowhere': No such file or directory"},
        {"none", "'none': there is no zookeeper-VERSION.jar in it"},
        {"two", "'two': it has the jars of several servers"}};
    assert_true(take("--zookeeper", "old"));
    assert_string_equal(options.target.home, "old");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_false(take("--zookeeper", refused[i][0]));
        assert_has(why, refused[i][1]);
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
