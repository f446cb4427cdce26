// SPDX-License-Identifier: Apache-2.0
/* What the program says, and leaves, of --connect: nobody is there, somebody else, a server that is
 * of no use, or no chroot. */
#include "tests/support/acl.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/port.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "base/process.h"
#include "servers/install.h"
#include "servers/internal.h"
#include "servers/supervisor.h"

#include <limits.h>

/* A run of a moment. */
#define SMALL "-n", "2", "-t", "1", "-r", "scalable"

static struct command command;

/* ------------------------------------------------------------------ strangers */

/* What listens on a port of its own and is no ZooKeeper, or a strange one. */
struct stranger {
    pid_t pid;
    char address[64];
};

static void answer(int connection, const char *text)
{
    if (write(connection, text, strlen(text)) < 0)
        _exit(1);
}

static void say_nothing(int connection, const char *word)
{
    (void)connection, (void)word;
    pause(); /* the next ones wait in the backlog, accepted by the kernel */
}

static void talk_http(int connection, const char *word)
{
    (void)word;
    answer(connection, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
}

static void open_no_session(int connection, const char *word)
{
    if (strcmp(word, "srvr") != 0)
        pause();
    answer(connection, "Zookeeper version: 3.8.0-1, built on 2022-02-25 08:49 UTC\n"
                       "Connections: 1\nMode: standalone\nNode count: 5\n");
}

_Noreturn static void serve(int listening, void (*reply)(int connection, const char *word))
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        char word[8] = "";
        int connection = accept(listening, NULL, NULL);
        if (reply != say_nothing && read(connection, word, 4) < 0)
            _exit(1);
        reply(connection, word);
        close(connection);
    }
}

static struct stranger stranger_start(void (*reply)(int connection, const char *word))
{
    struct stranger stranger;
    uint16_t port;
    int listening = port_listen(&port);
    snprintf(stranger.address, sizeof stranger.address, "127.0.0.1:%u", port);
    stranger.pid = fork();
    if (stranger.pid == 0)
        serve(listening, reply);
    close(listening);
    return stranger;
}

static void stranger_stop(const struct stranger *stranger)
{
    kill(stranger->pid, SIGKILL);
    waitpid(stranger->pid, NULL, 0);
}

/* The two that take their time, side by side. */
COMMAND_TEST(nobody_answers)
{
    static struct command other;
    struct stranger silent = stranger_start(say_nothing);
    struct stranger half = stranger_start(open_no_session);
    command_start(&command, COMMAND("run", SMALL, "--connect", silent.address));
    command_start(&other, COMMAND("run", SMALL, "--connect", half.address));
    command_finish(&command, COMMAND_LIMIT_NS);
    command_finish(&other, COMMAND_LIMIT_NS);
    stranger_stop(&silent);
    stranger_stop(&half);
    assert_refused(&command, 3, "no answer in time: it accepts connections, but does not answer");
    assert_refused(&other, 3, "no answer in time: no session within 10 s; check that");
    assert_left(0);
}

/* One of several servers is not needed: the run is made with the others, and says so. */
COMMAND_TEST(a_server_that_is_down_is_left_out)
{
    char servers[128];
    snprintf(servers, sizeof servers, "127.0.0.1:1,%s", outside);
    command_run(&command,
                COMMAND("run", SMALL, "--noise", "off", "-o", "out", "--connect", servers));
    assert_status(&command, 0);
    assert_has(command.err, "zkherd: left out, because they do not serve: 127.0.0.1:1 (the "
                            "connection was refused)");
    json_t *manifest = read_manifest("out");
    assert_int_equal(json_array_size(json_object_get(manifest, "servers")), 1);
    assert_has(json_string_value(json_array_get(json_object_get(manifest, "warnings"), 0)),
               "127.0.0.1:1");
    json_decref(manifest);
    command_run(&command, COMMAND("run", SMALL, "--connect", "127.0.0.1:1,127.0.0.1:2"));
    assert_refused(&command, 3, "zkherd: 127.0.0.1:1: the connection was refused");
}

/* What is no ZooKeeper is a mistake, and not a server that is down. */
COMMAND_TEST(a_stranger_among_servers_is_refused)
{
    struct stranger stranger = stranger_start(talk_http);
    char servers[160];
    snprintf(servers, sizeof servers, "%s,%s", outside, stranger.address);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    stranger_stop(&stranger);
    assert_status(&command, 3);
    assert_has(command.err, "what answers there is not ZooKeeper");
    assert_left(0);
}

/* ------------------------------------------------------------------ servers in a strange state */

/* The only one of three servers that runs: read-only, or not serving at all. */
struct lonely {
    bool read_only;
    struct supervisor *supervisor;
    struct ports_reservation reservation;
    pid_t pid;
    char address[64];
};

static void configure_lonely(const struct lonely *lonely, const struct server_ports ports[3])
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/data", supervisor_folder(lonely->supervisor));
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/data/myid", supervisor_folder(lonely->supervisor));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("1\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/zoo.cfg", supervisor_folder(lonely->supervisor));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "dataDir=./data\nclientPortAddress=127.0.0.1\nclientPort=%u\ntickTime=500\ninitLimit=5\n"
        "syncLimit=2\nadmin.enableServer=false\n",
        ports[0].client);
    for (int i = 0; i < 3; i++)
        fprintf(file, "server.%d=127.0.0.1:%u:%u\n", i + 1, ports[i].peer, ports[i].election);
    fclose(file);
}

static void lonely_start(struct lonely *lonely)
{
    char java[PATH_MAX], mode[64];
    struct install install;
    struct error error;
    struct server_ports ports[3];
    assert_int_equal(ports_reserve(0, 3, ports, &lonely->reservation, &error), ERROR_NONE);
    snprintf(mode, sizeof mode, "-Dreadonlymode.enabled=%s", lonely->read_only ? "true" : "false");
    snprintf(lonely->address, sizeof lonely->address, "127.0.0.1:%u", ports[0].client);
    assert_int_equal(install_find_java(java, sizeof java, &error), ERROR_NONE);
    assert_int_equal(install_find_zookeeper(NULL, &install, &error), ERROR_NONE);
    assert_int_equal(supervisor_new("/tmp", &lonely->supervisor, &error), ERROR_NONE);
    configure_lonely(lonely, ports);
    const char *const arguments[] = {java,
                                     "-Xmx64m",
                                     "-XX:-UsePerfData",
                                     mode,
                                     "-cp",
                                     install.class_path,
                                     "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                                     "./zoo.cfg",
                                     NULL};
    assert_int_equal(
        supervisor_run(lonely->supervisor, 0, arguments, "log", 0, &lonely->pid, &error),
        ERROR_NONE);
}

/* Runs until the message is this one: the server takes a few seconds to find out about itself. One
 * that has ended had a port that another program took meanwhile. */
static void run_until(struct lonely *lonely, const char *words)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    do {
        pause_ms(50);
        if (!process_is_alive(lonely->pid)) {
            supervisor_free(lonely->supervisor);
            ports_let_go(&lonely->reservation);
            lonely_start(lonely);
        }
        command_run(&command, COMMAND("run", SMALL, "--connect", lonely->address));
    } while (strstr(command.err, words) == NULL && clock_now_ns() < until_ns);
    ports_let_go(&lonely->reservation);
    assert_in_vain(&command, words);
    assert_has(command.err, lonely->address);
}

/* The other commands that need a session say so as well, and do not wait for one. */
static void assert_all_say(const struct lonely *lonely, const char *words)
{
    command_run(&command, COMMAND("inspect", "/locks", "--connect", lonely->address));
    assert_in_vain(&command, words);
    command_run(&command, COMMAND("clean", "--connect", lonely->address));
    assert_in_vain(&command, words);
}

COMMAND_TEST(a_server_without_its_ensemble)
{
    static const char lost_words[] =
        "the server is not serving requests; wait until its ensemble has a quorum";
    static const char read_only_words[] =
        "the server is read-only; bring its ensemble back to a quorum";
    struct lonely read_only = {.read_only = true}, lost = {.read_only = false};
    lonely_start(&lost);
    lonely_start(&read_only);
    run_until(&lost, lost_words);
    run_until(&read_only, read_only_words);
    assert_all_say(&lost, lost_words);
    assert_all_say(&read_only, read_only_words);
    supervisor_free(lost.supervisor);
    supervisor_free(read_only.supervisor);
}

/* ------------------------------------------------------------------ chroots */

COMMAND_TEST(a_chroot_that_is_not_there)
{
    char servers[128];
    snprintf(servers, sizeof servers, "%s/no/where", outside);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    assert_in_vain(&command, "zkherd: /no/where: the chroot does not exist; create it first");
    assert_nothing_left_outside(1);
}

/* The znode stays. */
COMMAND_TEST(a_chroot_without_permission)
{
    char servers[128];
    acl_create("/locked", ZOO_PERM_READ);
    snprintf(servers, sizeof servers, "%s/locked", outside);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    assert_in_vain(&command, "zkherd: /locked/try-zkherd-");
    assert_in_vain(&command, "the ACL of the znode forbids it: to create it takes the permission c "
                             "of the znode above it; give credentials");
    assert_nothing_left_outside(2);
}

/* Whoever began would leave znodes that somebody else has to remove. */
COMMAND_TEST(a_chroot_where_nothing_can_be_deleted)
{
    char servers[128];
    acl_create("/half", ZOO_PERM_READ | ZOO_PERM_CREATE);
    snprintf(servers, sizeof servers, "%s/half", outside);
    command_run(&command, COMMAND("run", SMALL, "--connect", servers));
    assert_in_vain(&command, "zkherd: /half/try-zkherd-");
    assert_in_vain(&command,
                   "the ACL of the znode forbids it: to delete it takes the permission d");
    command_run(&command, COMMAND("claims", "--only", "C9", "--connect", servers, "-q"));
    assert_in_vain(&command, "zkherd: /half/try-zkherd-");
    assert_nothing_left_outside(3);
}

/* The run itself is as good as any: but what it made it may no longer remove. The last test: the
 * znodes stay. */
COMMAND_TEST(a_chroot_where_nothing_can_be_deleted_any_more)
{
    char servers[128], words[160];
    acl_create("/sticky", ZOO_PERM_ALL);
    snprintf(servers, sizeof servers, "%s/sticky", outside);
    command_start(&command, COMMAND("run", "-n", "2", "-t", "1000", "-r", "scalable", "--connect",
                                    servers, "-o", "out", "-q"));
    command_await_rows(&command, "out/trials.csv.part", 1);
    acl_allow("/sticky", ZOO_PERM_READ | ZOO_PERM_CREATE);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: /sticky/zkherd-");
    assert_has(command.err, ": znodes of this run remain: the ACL of the znode forbids it: to "
                            "delete it takes the permission d of the znode above it; remove them:");
    snprintf(words, sizeof words, " zkCli.sh -server %s deleteall /sticky/zkherd-", outside);
    assert_has(command.err, words);
}

TEST_GROUP(outside_start, outside_stop)
