// SPDX-License-Identifier: Apache-2.0
/* A server with the settings that Debian's zookeeperd comes with: 60 connections from a host; and,
 * for most tests, conf besides srvr, so that it tells this limit. */
#include "tests/support/outcome.h"
#include "tests/support/port.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include "base/process.h"
#include "servers/four_letter.h"
#include "servers/install.h"
#include "servers/internal.h"
#include "servers/supervisor.h"

#include <limits.h>

static struct command command;

static struct supervisor *supervisor;
static struct endpoint stock = {.host = "127.0.0.1"};
static char address[32];

static void configure(const char *words)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/zoo.cfg", supervisor_folder(supervisor));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "tickTime=2000\ninitLimit=10\nsyncLimit=5\ndataDir=./data\nclientPort=%u\n"
            "admin.enableServer=false\n4lw.commands.whitelist=%s\n",
            stock.port, words);
    fclose(file);
}

static struct ports_reservation reservation;

static void launch(const char *words, pid_t *pid)
{
    char java[PATH_MAX];
    struct install install;
    struct error error;
    struct server_ports ports[1];
    assert_int_equal(ports_reserve(0, 1, ports, &reservation, &error), ERROR_NONE);
    stock.port = ports[0].client;
    snprintf(address, sizeof address, "127.0.0.1:%u", stock.port);
    assert_int_equal(install_find_java(java, sizeof java, &error), ERROR_NONE);
    assert_int_equal(install_find_zookeeper(NULL, &install, &error), ERROR_NONE);
    assert_int_equal(supervisor_new("/tmp", &supervisor, &error), ERROR_NONE);
    configure(words);
    const char *const arguments[] = {java,
                                     "-Xmx128m",
                                     "-XX:-UsePerfData",
                                     "-cp",
                                     install.class_path,
                                     "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                     "./zoo.cfg",
                                     NULL};
    assert_int_equal(supervisor_run(supervisor, 0, arguments, "log", 0, pid, &error), ERROR_NONE);
}

/* One that has ended had a port that another program took meanwhile. */
static int start(const char *words)
{
    struct four_letter_identity identity;
    struct error error;
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    pid_t pid;
    program_find(NULL);
    launch(words, &pid);
    while (four_letter_identify(&stock, NS_PER_S, &identity, &error) != ERROR_NONE) {
        if (clock_now_ns() > until_ns)
            return -1;
        if (!process_is_alive(pid)) {
            supervisor_free(supervisor);
            ports_let_go(&reservation);
            launch(words, &pid);
        }
        pause_ms(20);
    }
    ports_let_go(&reservation);
    return 0;
}

FIXTURE(start_telling)
{
    return start("srvr,conf");
}

FIXTURE(stop)
{
    supervisor_free(supervisor);
    return 0;
}

/* Connections that end are soon not counted any more: then the question's own is left. */
static void await_all_room(void)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    char answer[4096], connections[16] = "";
    struct error error;
    while (strcmp(connections, "1") != 0 && clock_now_ns() < until_ns) {
        pause_ms(20);
        if (four_letter_ask(&stock, "srvr", NS_PER_S, answer, sizeof answer, &error) == ERROR_NONE)
            four_letter_line(answer, "\nConnections: ", connections, sizeof connections);
    }
    assert_string_equal(connections, "1");
}

static void assert_list(const json_t *plan, const char *key, size_t count, const int *numbers)
{
    const json_t *list = json_object_get(plan, key);
    assert_int_equal(json_array_size(list), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_integer_value(json_array_get(list, i)), numbers[i]);
}

/* With the numbers of clients that it has by default. */
COMMAND_TEST(what_is_possible_is_measured)
{
    static const int kept[] = {8, 16, 32}, left_out[] = {64, 128, 256};
    char words[256];
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    await_all_room();
    command_run(&command, COMMAND("run", "-r", "scalable,nonscalable", "-t", "1", "--connect",
                                  address, "-o", "out"));
    assert_status(&command, 0);
    snprintf(words, sizeof words,
             "zkherd: n = 64 to 256 left out: %s takes 60 connections from this host at a "
             "time (maxClientCnxns), 4 of them for zkherd's own use; use fewer clients, "
             "maxClientCnxns=0 in",
             address);
    assert_has(command.err, words);
    snprintf(words, sizeof words, "zkherd: on %s: at most 32 sessions at a time, ", address);
    assert_has(command.err, words);
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 6);
    run_files_deinit(&files);
    json_t *manifest = read_manifest("out");
    const json_t *plan = json_object_get(manifest, "plan");
    assert_list(plan, "clients", 3, kept);
    assert_list(plan, "clients_left_out", 3, left_out);
    assert_has(json_string_value(json_array_get(json_object_get(manifest, "warnings"), 0)),
               "n = 64 to 256 left out: ");
    json_decref(manifest);
}

/* It plans what the search would do: no size that the server does not take. */
COMMAND_TEST(a_dry_run_keeps_to_the_limit)
{
    char words[256];
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    command_run(&command, COMMAND("plan", "--slo", "handoff p90 < 20 ms", "-r", "scalable",
                                  "--dry-run", "--connect", address));
    assert_status(&command, 0);
    snprintf(words, sizeof words,
             "\nNo more than 54 waiters are tried: %s takes 60 connections from this host",
             address);
    assert_has(command.out, "\nscalable     200        57 "); /* with the bystander and set-up */
    words_unwrap(command.out);
    assert_has(command.out, words);
    command_run(&command, COMMAND("plan", "--slo", "handoff p90 < 20ms", "-r", "scalable",
                                  "--at-least", "60", "--dry-run", "--connect", address));
    assert_in_vain(&command, "60 at a time (maxClientCnxns), 4 of them for zkherd's own use, and "
                             "the smallest number of --clients is 62");
    command_run(&command, COMMAND("plan", "--slo", "handoff p90 < 20ms", "-r", "scalable",
                                  "--dry-run", "--json", "--connect", "127.0.0.1:1"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "plan-dry-run");
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json, "sentences"), 0)),
        "How many sessions the servers allow is not known: 127.0.0.1:1: the connection was "
        "refused.");
    json_decref(json);
}

/* C13 makes do with six sessions, C16 does not with what the server takes. */
COMMAND_TEST(claims_that_need_more_sessions_are_undetermined)
{
    char words[256];
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    await_all_room();
    command_run(&command,
                COMMAND("claims", "--connect", address, "--only", "C13,C16", "-o", "tried"));
    assert_status(&command, 4);
    snprintf(words, sizeof words,
             "%s takes 60 connections from this host at a time (maxClientCnxns): claims that need "
             "more are undetermined",
             address);
    assert_has(command.err, words);
    assert_has(command.out, "1 hold, 0 fail, 1 undetermined (C16)");
}

COMMAND_TEST(too_many_for_anything)
{
    char words[256];
    command.settings = NULL;
    await_all_room();
    command_run(&command, COMMAND("run", "-n", "57,100", "--connect", address));
    snprintf(words, sizeof words,
             "zkherd: %s: too few connections from this host are allowed: 60 at a time "
             "(maxClientCnxns), 4 of them for zkherd's own use, and the smallest number of "
             "--clients is 57; set maxClientCnxns=0 in zoo.cfg",
             address);
    assert_in_vain(&command, words);
}

/* Nothing is left out then; what the server refuses is named. */
COMMAND_TEST(a_refused_session_names_the_limit_that_is_not_told)
{
    command.settings = (const char *const[]){NO_PROGRAMS, NULL};
    stop(state);
    assert_int_equal(start("srvr"), 0);
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "56", "-t", "1", "--connect",
                                  address, "-o", "out", "-q"));
    assert_status(&command, 0);
    await_all_room();
    command_run(&command, COMMAND("run", "-r", "scalable", "-n", "80", "-t", "1", "--connect",
                                  address, "-o", "refused", "-q"));
    assert_status(&command, 3);
    /* A session is refused, or the word that asks the server why. */
    assert_has(command.err, "maxClientCnxns");
}

TEST_GROUP(start_telling, stop)
