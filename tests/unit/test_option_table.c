// SPDX-License-Identifier: Apache-2.0
/* What the options of `zkherd run` mean, and the topologies of --servers and --zookeeper; what is
 * refused, and with which words: tests/golden/refusals. */

#include "base/clock.h"
#include "bench/cli/arguments.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "servers/ensemble.h"

#include "tests/support/test.h"

#include <sys/stat.h>
#include <unistd.h>

static struct options options;
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
