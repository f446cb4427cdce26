// SPDX-License-Identifier: Apache-2.0
/* Private servers, alone and as ensembles: formed, used, broken on purpose, and ended without a
 * trace. */
#include "tests/support/live.h"
#include "tests/support/nest.h"
#include "tests/support/pause.h"
#include "tests/support/port.h"
#include "tests/support/test.h"

#include "base/cores.h"
#include "base/process.h"
#include "base/text.h"
#include "fleet/setup_session.h"
#include "servers/cpu_share.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"

#include <inttypes.h>
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
    return identity.role;
}

static unsigned count_role(const struct ensemble *ensemble, enum role role)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ensemble->connect.count; i++)
        count += ask_role(ensemble, i) == role;
    return count;
}

static void assert_tells_of_server(const struct ensemble *ensemble, unsigned index)
{
    char text[16384];
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
    text_read(text, sizeof text, "%s", ensemble->servers[index].log);
    assert_has(text, start->java_version);
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
    nest_stop(ensemble);
    for (unsigned i = 0; i < 3; i++)
        assert_false(is_running(pids[i]));
    assert_int_equal(nest_count(), 0);
    ensemble_stop(NULL);
}

NEST_TEST(settings_reach_the_server)
{
    struct ensemble_options options = small(1);
    struct error error;
    uint64_t rss_kib = 0;
    char text[8192];
    options.tick_ms = 777;
    options.fsync = false;
    struct ensemble *ensemble = nest_start(&options);
    live_expect(four_letter_ask(&ensemble->connect.endpoints[0], "conf", PATIENCE_NS, text,
                                sizeof text, &error),
                &error);
    assert_has(text, "\ntickTime=777\n");
    assert_has(text, "\nminSessionTimeout=1554\n");
    assert_has(text, "\nmaxSessionTimeout=3600000\n");
    assert_has(text, "\nclientPortListenBacklog=65535\n");
    assert_has(ensemble->servers[0].start.settings, "\nforceSync=no\n");
    assert_true(process_rss_kib(ensemble->servers[0].pid, &rss_kib));
    assert_true(rss_kib > 20 * 1024 && rss_kib < 1024 * 1024);
    nest_stop(ensemble);
}

/* ------------------------------------------------------------------ losses */

static void kill_server(const struct ensemble *ensemble, unsigned index)
{
    kill(ensemble->servers[index].pid, SIGKILL);
    assert_ends(ensemble->servers[index].pid);
}

NEST_TEST(a_server_that_dies_is_found_dead)
{
    struct ensemble *ensemble = start(3);
    struct error error = {.detail = ""};
    uint64_t value = 42, each[ENSEMBLE_SERVERS_MAX];
    kill_server(ensemble, 1);
    assert_false(nest_is_alive(ensemble));
    assert_int_equal(ensemble_check(ensemble, &error), ERROR_SERVER_DIED);
    assert_has(error.subject, "server 2 of 3 (127.0.0.1:");
    assert_int_equal(ensemble_cpu_ns(ensemble, each, &value, &error), ERROR_SERVER_DIED);
    assert_int_equal(value, 42);
    assert_has(error.detail, "it was killed (SIGKILL)"); /* of which its log knows nothing */

    /* Hung ones hinder the end no more than dead ones. */
    pause_process(ensemble->servers[0].pid);
    nest_stop(ensemble);
    assert_int_equal(nest_count(), 0);
}

/* Of a terminal's signals its server gets none, and it heeds none. */
NEST_TEST(a_supervisor_outlives_signals)
{
    struct ensemble *ensemble = start(1);
    pid_t pid = ensemble->servers[0].pid, supervisor = parent_of(pid);
    assert_int_equal(parent_of(supervisor), getpid());
    assert_int_not_equal(getsid(pid), getsid(0));
    kill(supervisor, SIGINT);
    kill(supervisor, SIGTERM);
    kill(supervisor, SIGHUP);
    assert_int_equal(ask_role(ensemble, 0), ROLE_STANDALONE);
    assert_true(nest_is_alive(ensemble));
    nest_stop(ensemble);
}

/* A worker's end is not the program's, what the program has started hinders no end, and no pipe of
 * the program stays open. */
NEST_TEST(a_worker_ends_nothing_and_hinders_nothing)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0); /* inheritable on purpose */
    struct ensemble *ensemble = start(1);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    pid_t worker = fork();
    if (worker == 0)
        _exit(0);
    waitpid(worker, NULL, 0);
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

/* ------------------------------------------------------------------ starts that fail */

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

/* ------------------------------------------------------------------ shares of the CPU */

#define PERCENT 25
#define WRITES  300

static void skip_without_cgroups(void)
{
    struct error error;
    struct cpu_share share;
    char name[64];
    snprintf(name, sizeof name, "zkherd-test-%d", (int)getpid());
    if (cpu_share_new(name, PERCENT, &share, &error) != ERROR_NONE) {
        print_message("skipped: %s: %s\n", error.subject, error.detail);
        skip();
    }
    cpu_share_remove(&share);
}

static struct ensemble *start_limited(unsigned percent)
{
    struct ensemble_options options = small(1);
    options.cpu_percent = percent;
    return nest_start(&options);
}

static void read_cgroups(pid_t pid, char *text, size_t size)
{
    text_read(text, size, "/proc/%d/cgroup", (int)pid);
}

/* The folder of the share that a process is in; fails if it is in none. */
static struct cpu_share share_of(pid_t pid)
{
    char process[64];
    struct cgroup cgroups[CGROUPS_MAX];
    struct cpu_share share = {.folder = ""};
    snprintf(process, sizeof process, "/proc/%d", (int)pid);
    for (size_t i = cgroups_find(process, cgroups); i-- > 0;) {
        if (strstr(cgroups[i].folder, "/zkherd-server-") != NULL)
            strcpy(share.folder, cgroups[i].folder);
    }
    if (share.folder[0] == '\0')
        fail_msg("process %d is in no share", (int)pid);
    return share;
}

/* A number of the share's cpu.stat. */
static uint64_t stat_of(const struct cpu_share *share, const char *name)
{
    char text[1024];
    uint64_t number = 0;
    text_read(text, sizeof text, "%s/cpu.stat", share->folder);
    const char *at = strstr(text, name);
    if (at == NULL || sscanf(at + strlen(name), " %" SCNu64, &number) != 1)
        fail_msg("no %s in %s", name, text);
    return number;
}

static void load(const struct ensemble *ensemble)
{
    struct setup_session *session;
    struct error error;
    char path[32];
    live_expect(setup_session_new(&ensemble->connect, NULL, 10 * NS_PER_S, -1, &session, &error),
                &error);
    for (int i = 0; i < WRITES; i++) {
        snprintf(path, sizeof path, "/load-%d", i);
        live_expect(setup_session_create(session, path, "", &error), &error);
    }
    setup_session_free(session);
}

/* The kernel counts the periods in which the share was used: each of them allows one quota. */
NEST_TEST(a_share_limits_its_server_alone)
{
    skip_without_cgroups();
    struct ensemble *limited = start_limited(PERCENT), *unlimited = start_limited(0);
    char own[8192], cgroups[8192];
    struct error error;
    pid_t pid = limited->servers[0].pid;
    struct cpu_share share = share_of(pid);
    uint64_t used_ns = 0, each[ENSEMBLE_SERVERS_MAX];
    load(limited);
    load(unlimited);
    live_expect(ensemble_cpu_ns(limited, each, &used_ns, &error), &error);
    uint64_t periods = stat_of(&share, "nr_periods");
    uint64_t quota_ns = UINT64_C(1000) * CPU_SHARE_PERIOD_US * PERCENT / 100;
    print_message("%.1f ms of CPU in %" PRIu64 " periods of %.1f ms\n", (double)used_ns / 1e6,
                  periods, (double)quota_ns / 1e6);
    assert_true(stat_of(&share, "nr_throttled") > 0);
    assert_true(used_ns <= (periods + 2) * quota_ns);

    read_cgroups(getpid(), own, sizeof own);
    read_cgroups(unlimited->servers[0].pid, cgroups, sizeof cgroups);
    assert_string_equal(cgroups, own);

    ensemble_stop(unlimited);
    ensemble_stop(limited);
    assert_int_equal(access(share.folder, F_OK), -1);
    nest_assert_empties();
}
