// SPDX-License-Identifier: Apache-2.0
/* Private servers, alone and as ensembles: formed, used, broken on purpose, and ended without a
 * trace. */
#include "tests/support/nest.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include "base/process.h"
#include "fleet/setup_session.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"

#include <sys/wait.h>

/* Short ticks make for short elections. */
static struct ensemble_options small(unsigned servers)
{
    struct ensemble_options options = ensemble_options_default();
    options.servers = servers;
    options.heap_mib = 64;
    options.tick_ms = 500;
    return options;
}

static void expect(enum error_kind kind, const struct error *error)
{
    if (kind != ERROR_NONE)
        fail_msg("%s: %s: %s", error->subject, error_words(kind), error->detail);
}

static struct ensemble *start(unsigned servers)
{
    struct ensemble_options options = small(servers);
    return nest_start(&options);
}

/* What a server says that it is now; ROLE_UNKNOWN while it does not say. */
static enum role ask_role(const struct ensemble *ensemble, unsigned index)
{
    const struct endpoint *endpoint = &ensemble->connect.endpoints[index];
    struct four_letter_identity identity;
    struct error error;
    if (four_letter_identify(endpoint, NS_PER_S, &identity, &error) != ERROR_NONE)
        return ROLE_UNKNOWN;
    return role_of_mode(identity.mode);
}

static unsigned count_role(const struct ensemble *ensemble, enum role role)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ensemble->connect.count; i++)
        count += ask_role(ensemble, i) == role;
    return count;
}

/* One that has this role; there must be one. */
static unsigned find_role(const struct ensemble *ensemble, enum role role)
{
    unsigned index = 0;
    while (index < ensemble->connect.count && ask_role(ensemble, index) != role)
        index++;
    assert_true(index < ensemble->connect.count);
    return index;
}

static void await_role(const struct ensemble *ensemble, enum role role, unsigned count)
{
    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    while (count_role(ensemble, role) != count) {
        assert_true(clock_now_ns() < deadline_ns);
        pause_ms(20);
    }
}

/* A session with one server and no other. */
static struct setup_session *open_session(const struct ensemble *ensemble, unsigned index)
{
    struct connect_string one = {.count = 1};
    struct setup_session *setup = NULL;
    struct error error;
    one.endpoints[0] = ensemble->connect.endpoints[index];
    expect(setup_session_new(&one, NULL, PATIENCE_NS, -1, &setup, &error), &error);
    return setup;
}

/* A follower may be a little behind. */
static void assert_appears(struct setup_session *setup, const char *path)
{
    bool exists = false;
    struct error error;
    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    while (!exists && clock_now_ns() < deadline_ns)
        expect(setup_session_exists(setup, path, &exists, &error), &error);
    assert_true(exists);
}

static void assert_tells_of_server(const struct ensemble *ensemble, unsigned index)
{
    static char text[256 * 1024]; /* servers that wait long for each other write much */
    char words[64];
    const struct server_start *start = &ensemble->servers[index].start;
    snprintf(words, sizeof words, "\nclientPort=%u\n", ensemble->connect.endpoints[index].port);
    assert_has(start->settings, words);
    assert_has(start->settings, "\nquorumListenOnAllIPs=false\n");
    assert_has(start->settings, "\nserver.3=127.0.0.1:");
    assert_has(start->command_line, "/java -Xms64m -Xmx64m ");
    snprintf(words, sizeof words, " ./server.%u/zoo.cfg", index + 1);
    assert_has(start->command_line, words);
    assert_has(start->java_version, " version \"");
    assert_has(nest_log(ensemble, index, text, sizeof text), start->java_version);
}

NEST_TEST(three_form_an_ensemble_tell_of_themselves_and_leave_nothing)
{
    struct ensemble *ensemble = start(3);
    pid_t pids[3];
    assert_int_equal(ensemble->connect.count, 3);
    assert_string_equal(ensemble->connect.chroot, "");
    assert_int_equal(count_role(ensemble, ROLE_LEADER), 1);
    assert_int_equal(count_role(ensemble, ROLE_FOLLOWER), 2);
    assert_true(nest_is_alive(ensemble));
    for (unsigned i = 0; i < 3; i++) {
        assert_tells_of_server(ensemble, i);
        pids[i] = ensemble->servers[i].pid;
    }
    bool was_soon = nest_stop(ensemble);
    for (unsigned i = 0; i < 3; i++)
        assert_false(is_running(pids[i]));
    assert_int_equal(nest_count(), 0);
    if (was_soon)
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    ensemble_stop(NULL);
    ensemble_forget(NULL);
}

NEST_TEST(settings_reach_the_server)
{
    struct ensemble_options options = small(1);
    struct error error;
    uint64_t rss_kib = 0;
    char text[8192];
    options.tick_ms = 777;
    options.fsync = false;
    options.jute_maxbuffer_bytes = 4096;
    struct ensemble *ensemble = nest_start(&options);
    expect(four_letter_ask(&ensemble->connect.endpoints[0], "conf", PATIENCE_NS, text, sizeof text,
                           &error),
           &error);
    assert_has(text, "\ntickTime=777\n");
    assert_has(text, "\nminSessionTimeout=1554\n");
    assert_has(text, "\nmaxSessionTimeout=3600000\n");
    assert_has(text, "\nclientPortListenBacklog=65535\n");
    assert_has(ensemble->servers[0].start.settings, "\nforceSync=no\n");
    assert_has(ensemble->servers[0].start.command_line, " -Djute.maxbuffer=4096 ");
    assert_true(process_rss_kib(ensemble->servers[0].pid, &rss_kib));
    assert_true(rss_kib > 20 * 1024 && rss_kib < 1024 * 1024);
    nest_stop(ensemble);
}

NEST_TEST(the_end_of_a_log_has_whole_lines)
{
    char text[8192], later[8192], cut[200];
    struct ensemble *ensemble = start(1);
    do { /* it may still be writing, of a slow disk for one */
        nest_log(ensemble, 0, text, sizeof text);
        nest_log(ensemble, 0, cut, sizeof cut);
    } while (strcmp(nest_log(ensemble, 0, later, sizeof later), text) != 0);
    size_t length = strlen(text);
    assert_true(strlen(cut) > 0 && strlen(cut) < length);
    assert_string_equal(cut, text + length - strlen(cut));
    assert_int_equal(text[length - strlen(cut) - 1], '\n');
    assert_string_equal(nest_log(ensemble, 0, cut, 1), "");
    nest_stop(ensemble);
}

/* ------------------------------------------------------------------ losses */

static void kill_server(const struct ensemble *ensemble, unsigned index)
{
    kill(ensemble->servers[index].pid, SIGKILL);
    assert_ends(ensemble->servers[index].pid);
}

static uint64_t read_cpu_ns(const struct ensemble *ensemble)
{
    uint64_t cpu_ns = 0;
    struct error error;
    expect(ensemble_cpu_ns(ensemble, &cpu_ns, &error), &error);
    return cpu_ns;
}

static enum role await_service(const struct ensemble *ensemble, unsigned index)
{
    uint64_t deadline_ns = clock_now_ns() + PATIENCE_NS;
    enum role role;
    while ((role = ask_role(ensemble, index)) == ROLE_UNKNOWN) {
        assert_true(clock_now_ns() < deadline_ns);
        pause_ms(20);
    }
    return role;
}

/* Killed, and seen dead, but not taken for one that died. */
static void assert_is_killed(struct ensemble *ensemble, unsigned index, pid_t pid)
{
    struct error error = {.detail = ""};
    assert_true(ensemble->servers[index].killed);
    assert_false(is_running(pid));
    assert_int_equal(ask_role(ensemble, index), ROLE_UNKNOWN);
    expect(ensemble_check(ensemble, &error), &error);
    assert_int_equal(ensemble_kill(ensemble, index, &error), ERROR_SERVER_DIED);
}

/* More often than the supervisor has places: each new JVM takes the place of the one before. */
#define REPLACED 12
static void assert_may_be_replaced_often(struct ensemble *ensemble, unsigned index)
{
    struct error error;
    for (int times = 0; times < REPLACED; times++) {
        pid_t pid = ensemble->servers[index].pid;
        expect(ensemble_kill(ensemble, index, &error), &error);
        expect(ensemble_restart(ensemble, index, &error), &error);
        assert_int_not_equal(ensemble->servers[index].pid, pid);
    }
}

NEST_TEST(a_leader_that_is_killed_comes_back_with_its_data)
{
    struct ensemble *ensemble = start(3);
    struct error error;
    unsigned lost = find_role(ensemble, ROLE_LEADER);
    pid_t pid = ensemble->servers[lost].pid;
    struct setup_session *setup = open_session(ensemble, lost);
    expect(setup_session_create(setup, "/before", &error), &error);
    setup_session_free(setup);
    uint64_t before_ns = read_cpu_ns(ensemble);
    expect(ensemble_kill(ensemble, lost, &error), &error);
    assert_is_killed(ensemble, lost, pid);
    uint64_t killed_ns = read_cpu_ns(ensemble);
    assert_true(killed_ns >= before_ns);

    /* Else it might be back in time to be elected again. */
    await_role(ensemble, ROLE_LEADER, 1);
    expect(ensemble_restart(ensemble, lost, &error), &error);
    assert_int_equal(await_service(ensemble, lost), ROLE_FOLLOWER);
    assert_false(ensemble->servers[lost].killed);
    assert_true(read_cpu_ns(ensemble) > killed_ns + 100 * NS_PER_MS);
    setup = open_session(ensemble, lost);
    assert_appears(setup, "/before");
    setup_session_free(setup);

    assert_may_be_replaced_often(ensemble, lost);
    kill_server(ensemble, lost);
    assert_int_equal(ensemble_check(ensemble, &error), ERROR_SERVER_DIED);
    nest_stop(ensemble);
    assert_int_equal(nest_count(), 0);
}

NEST_TEST(a_server_that_dies_is_found_dead)
{
    struct ensemble *ensemble = start(3);
    struct error error = {.detail = ""};
    uint64_t value = 42;
    kill_server(ensemble, 1);
    assert_false(nest_is_alive(ensemble));
    assert_int_equal(ensemble_check(ensemble, &error), ERROR_SERVER_DIED);
    assert_has(error.subject, "server 2 of 3 (127.0.0.1:");
    assert_int_equal(ensemble_cpu_ns(ensemble, &value, &error), ERROR_SERVER_DIED);
    assert_int_equal(value, 42);
    assert_has(error.detail, "it was killed (SIGKILL)"); /* of which its log knows nothing */

    /* Hung ones hinder the end no more than dead ones. */
    pause_process(ensemble->servers[0].pid);
    nest_stop(ensemble);
    assert_int_equal(nest_count(), 0);
}

/* Starts an ensemble, leaves a child behind that has forgotten nothing, tells their processes, and
 * waits to be killed. */
static void be_a_program(int report)
{
    struct ensemble_options options = small(3);
    struct ensemble *ensemble;
    struct error error;
    pid_t pids[4];
    char folder[128];
    snprintf(folder, sizeof folder, "%s/data", nest); /* to be made, and to be removed */
    options.data_folder = folder;
    if (ensemble_start(&options, &ensemble, &error) != ERROR_NONE)
        _exit(1);
    for (unsigned i = 0; i < 3; i++)
        pids[i] = ensemble->servers[i].pid;
    pids[3] = fork();
    if (pids[3] == 0)
        alarm(120);
    else if (write(report, pids, sizeof pids) != (ssize_t)sizeof pids)
        _exit(1);
    pause();
}

NEST_TEST_SOON(ends_with_a_program_that_is_killed)
{
    int report[2];
    pid_t pids[4] = {0};
    assert_int_equal(pipe(report), 0);
    pid_t program = fork();
    if (program == 0)
        be_a_program(report[1]);
    close(report[1]);
    assert_int_equal(read(report[0], pids, sizeof pids), sizeof pids);
    close(report[0]);
    assert_int_equal(nest_count(), 1);
    struct lateness_mark killed = lateness_mark();
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    for (unsigned i = 0; i < 3; i++)
        assert_ends(pids[i]);
    nest_assert_empties();
    soon_ended(killed);
    assert_true(is_running(pids[3]));
    kill(pids[3], SIGKILL);
}

NEST_TEST_SOON(outlives_signals_and_falls_with_its_supervisor)
{
    struct ensemble *ensemble = start(1);
    pid_t pid = ensemble->servers[0].pid, supervisor = parent_of(pid);
    assert_int_equal(parent_of(supervisor), getpid());
    assert_int_not_equal(getsid(pid), getsid(0));
    kill(supervisor, SIGINT);
    kill(supervisor, SIGTERM);
    kill(supervisor, SIGHUP);
    pause_ms(100);
    assert_true(nest_is_alive(ensemble));
    assert_int_equal(ask_role(ensemble, 0), ROLE_STANDALONE);
    struct lateness_mark killed = lateness_mark();
    kill(supervisor, SIGKILL);
    assert_ends(pid);
    soon_ended(killed);
    assert_false(nest_is_alive(ensemble));
    ensemble_stop(ensemble);
    assert_int_equal(nest_count(), 1); /* that much is lost then */
}

/* Nor does a pipe of the program stay open. */
NEST_TEST_SOON(a_worker_that_forgets_ends_nothing_and_one_that_does_not_hinders_nothing)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0); /* inheritable on purpose */
    struct ensemble *ensemble = start(1);
    close(ends[1]);
    alarm(10); /* instead of waiting for ever */
    assert_int_equal(read(ends[0], &byte, 1), 0);
    alarm(0);
    close(ends[0]);
    pid_t forgetful = fork();
    if (forgetful == 0) {
        ensemble_forget(ensemble);
        _exit(0);
    }
    waitpid(forgetful, NULL, 0);
    pause_ms(100);
    assert_int_equal(ask_role(ensemble, 0), ROLE_STANDALONE);

    pid_t stubborn = fork();
    if (stubborn == 0) {
        alarm(120);
        pause();
        _exit(0);
    }
    nest_stop(ensemble);
    assert_int_equal(nest_count(), 0);
    assert_true(is_running(stubborn));
    kill(stubborn, SIGKILL);
    waitpid(stubborn, NULL, 0);
}

/* ------------------------------------------------------------------ starts in vain */

/* The dead one is named, though others run, and its log is told. */
NEST_TEST(a_server_that_dies_at_the_start_is_named)
{
    nest_install_java("case \"$*\" in */server.2/zoo.cfg)\n"
                      "  echo 'this one shall not live' >&2; exit 1\n"
                      "esac\n"
                      "exec java \"$@\"");
    struct ensemble_options options = small(3);
    struct error error = nest_start_in_vain(&options, ERROR_SERVER_DIED);
    assert_has(error.subject, "server 2 of 3 (127.0.0.1:");
    assert_has(error.detail, "this one shall not live");
}

NEST_TEST(a_bad_setting_is_told_in_the_log_s_words)
{
    struct ensemble_options options = small(1);
    options.tick_ms = UINT64_C(1000000000000);
    struct error error = nest_start_in_vain(&options, ERROR_SERVER_DIED);
    assert_has(error.detail, "NumberFormatException: For input string: \"1000000000000\"");
    assert_has(error.detail, "; ");             /* several lines, made one, */
    assert_null(strpbrk(error.detail, "\n\t")); /* without stack frames */
}

NEST_TEST(ports_are_not_tried_for_ever)
{
    nest_install_java("echo 'java.net.BindException: Address already in use' >&2; exit 1");
    struct ensemble_options options = small(1);
    struct error error = nest_start_in_vain(&options, ERROR_PORT_TAKEN);
    assert_has(error.detail, "Address already in use");
}

/* How often the script that stands for java has run, by its own account. */
static size_t count_tries(void)
{
    char path[128], line[8];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/.java/tries", nest);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL)
        count++;
    fclose(file);
    return count;
}

/* Only the elected leader needs the port for its followers: it runs on without, and is elected
 * again and again. By this script's doing that port is one of ours, in the first attempt. */
NEST_TEST(a_leader_without_its_port_is_replaced)
{
    uint16_t port;
    char script[512];
    int fd = port_listen(&port);
    snprintf(script, sizeof script,
             "echo x >> \"$JAVA_HOME/tries\"\n"
             "if [ $(wc -l < \"$JAVA_HOME/tries\") -le 3 ]; then\n"
             "  sed -i 's/=127.0.0.1:[0-9]*:/=127.0.0.1:%u:/' server.?/zoo.cfg\n"
             "fi\n"
             "java \"$@\"", /* not exec: the JVM is a child of what the supervisor runs */
             port);
    nest_install_java(script);
    struct ensemble *ensemble = start(3);
    assert_int_equal(count_tries(), 6);
    assert_int_equal(count_role(ensemble, ROLE_LEADER), 1);
    nest_stop(ensemble);
    close(fd);
}

TEST(stops_are_soon)
{
    nest_stops_are_soon();
}
