// SPDX-License-Identifier: Apache-2.0
/* Private servers: started, watched over and ended, also when things go wrong. */
#include "tests/support/nest.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include "base/process.h"
#include "servers/ensemble.h"
#include "servers/four_letter.h"

#include <sys/wait.h>

static struct ensemble_options small(void)
{
    struct ensemble_options options = ensemble_options_default();
    options.heap_mib = 128;
    return options;
}

static const struct endpoint *endpoint_of(const struct ensemble *ensemble)
{
    return &ensemble->connect.endpoints[0];
}

static struct ensemble *start(void)
{
    struct ensemble_options options = small();
    return nest_start(&options);
}

static void assert_serves(const struct ensemble *ensemble)
{
    struct four_letter_identity identity;
    struct error error;
    assert_int_equal(four_letter_identify(endpoint_of(ensemble), PATIENCE_NS, &identity, &error),
                     ERROR_NONE);
    assert_string_equal(identity.mode, "standalone");
}

NEST_TEST(starts_serves_and_leaves_nothing)
{
    struct ensemble *ensemble = start();
    pid_t pid = ensemble->servers[0].pid;
    assert_string_equal(endpoint_of(ensemble)->host, "127.0.0.1");
    assert_serves(ensemble);
    assert_true(nest_is_alive(ensemble));
    assert_int_equal(nest_count(), 1);
    bool was_soon = nest_stop(ensemble);
    assert_false(is_running(pid));
    assert_int_equal(nest_count(), 0);
    if (was_soon)
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    ensemble_stop(NULL);
    ensemble_forget(NULL);
}

NEST_TEST(tells_of_itself)
{
    struct ensemble *ensemble = start();
    struct error error;
    uint64_t cpu_ns = 0, later_ns = 0, rss_kib = 0;
    char setting[64], text[8192], later[8192], cut[200];
    assert_int_equal(ensemble_cpu_ns(ensemble, &cpu_ns, &error), ERROR_NONE);
    assert_true(cpu_ns > 50 * NS_PER_MS && cpu_ns < 60 * NS_PER_S);
    for (int i = 0; i < 20; i++)
        assert_serves(ensemble);
    assert_int_equal(ensemble_cpu_ns(ensemble, &later_ns, &error), ERROR_NONE);
    assert_true(later_ns > cpu_ns);
    assert_true(process_rss_kib(ensemble->servers[0].pid, &rss_kib));
    assert_true(rss_kib > 20 * 1024 && rss_kib < 1024 * 1024);

    snprintf(setting, sizeof setting, "\nclientPort=%u\n", endpoint_of(ensemble)->port);
    assert_has(ensemble->servers[0].start.settings, setting);
    assert_has(ensemble->servers[0].start.settings, "\nforceSync=yes\n");
    assert_has(ensemble->servers[0].start.command_line, "/java -Xms128m -Xmx128m ");
    assert_has(ensemble->servers[0].start.java_version, " version \"");

    /* It may still be writing, of a slow disk for one. */
    do {
        nest_log(ensemble, 0, text, sizeof text);
        nest_log(ensemble, 0, cut, sizeof cut);
    } while (strcmp(nest_log(ensemble, 0, later, sizeof later), text) != 0);
    assert_has(text, ensemble->servers[0].start.java_version);
    size_t length = strlen(text);
    assert_true(strlen(cut) > 0 && strlen(cut) < length);
    assert_string_equal(cut, text + length - strlen(cut));
    assert_int_equal(text[length - strlen(cut) - 1], '\n');
    assert_string_equal(nest_log(ensemble, 0, cut, 1), "");
    nest_stop(ensemble);
}

NEST_TEST(settings_reach_the_server)
{
    struct ensemble_options options = small();
    options.tick_ms = 777;
    options.fsync = false;
    options.jute_maxbuffer_bytes = 4096;
    struct ensemble *ensemble;
    struct error error;
    char text[4096];
    assert_int_equal(ensemble_start(&options, &ensemble, &error), ERROR_NONE);
    assert_int_equal(
        four_letter_ask(endpoint_of(ensemble), "conf", PATIENCE_NS, text, sizeof text, &error),
        ERROR_NONE);
    assert_has(text, "\ntickTime=777\n");
    assert_has(text, "\nminSessionTimeout=1554\n");
    assert_has(text, "\nmaxSessionTimeout=3600000\n");
    assert_has(text, "\nclientPortListenBacklog=65535\n");
    assert_has(ensemble->servers[0].start.settings, "\nforceSync=no\n");
    assert_has(ensemble->servers[0].start.command_line, " -Djute.maxbuffer=4096 ");
    nest_stop(ensemble);
}

NEST_TEST(two_servers_run_side_by_side)
{
    struct ensemble *first = start(), *second = start();
    assert_int_not_equal(endpoint_of(first)->port, endpoint_of(second)->port);
    nest_stop(first);
    assert_serves(second);
    assert_int_equal(nest_count(), 1);
    nest_stop(second);
    assert_int_equal(nest_count(), 0);
}

/* Starts one, tells its process, leaves a child behind that has forgotten nothing, and waits
 * to be killed. */
static void be_a_program(int report)
{
    pid_t told[2];
    struct ensemble_options options = small();
    struct ensemble *ensemble;
    struct error error;
    if (ensemble_start(&options, &ensemble, &error) != ERROR_NONE)
        _exit(1);
    told[0] = ensemble->servers[0].pid;
    told[1] = fork();
    if (told[1] == 0) {
        alarm(120);
        pause();
        _exit(0);
    }
    if (write(report, told, sizeof told) != (ssize_t)sizeof told)
        _exit(1);
    pause();
}

NEST_TEST_SOON(ends_with_a_program_that_is_killed)
{
    int report[2];
    pid_t told[2] = {0, 0};
    assert_int_equal(pipe(report), 0);
    pid_t program = fork();
    if (program == 0)
        be_a_program(report[1]);
    close(report[1]);
    assert_int_equal(read(report[0], told, sizeof told), sizeof told);
    close(report[0]);
    assert_true(is_running(told[0]));
    assert_int_equal(nest_count(), 1);
    struct lateness_mark killed = lateness_mark();
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    assert_ends(told[0]);
    nest_assert_empties();
    soon_ended(killed);
    assert_true(is_running(told[1]));
    kill(told[1], SIGKILL);
}

NEST_TEST_SOON(outlives_signals_and_falls_with_its_supervisor)
{
    struct ensemble *ensemble = start();
    pid_t pid = ensemble->servers[0].pid, supervisor = parent_of(pid);
    assert_int_equal(parent_of(supervisor), getpid());
    assert_int_not_equal(getsid(pid), getsid(0));
    kill(supervisor, SIGINT);
    kill(supervisor, SIGTERM);
    kill(supervisor, SIGHUP);
    pause_ms(100);
    assert_true(nest_is_alive(ensemble));
    assert_serves(ensemble);
    struct lateness_mark killed = lateness_mark();
    kill(supervisor, SIGKILL);
    assert_ends(pid);
    soon_ended(killed);
    assert_false(nest_is_alive(ensemble));
    ensemble_stop(ensemble);
    assert_int_equal(nest_count(), 1); /* that much is lost then */
}

NEST_TEST_SOON(a_worker_that_forgets_ends_nothing_and_one_that_does_not_hinders_nothing)
{
    struct ensemble *ensemble = start();
    pid_t forgetful = fork();
    if (forgetful == 0) {
        ensemble_forget(ensemble);
        _exit(0);
    }
    waitpid(forgetful, NULL, 0);
    pause_ms(100);
    assert_serves(ensemble);

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

NEST_TEST(holds_nothing_of_the_program_open)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0); /* inheritable on purpose */
    struct ensemble *ensemble = start();
    close(ends[1]);
    alarm(10); /* instead of waiting for ever */
    assert_int_equal(read(ends[0], &byte, 1), 0);
    alarm(0);
    assert_true(nest_is_alive(ensemble));
    close(ends[0]);
    nest_stop(ensemble);
}

NEST_TEST(a_bad_setting_is_told_in_the_log_s_words)
{
    struct ensemble_options options = small();
    options.tick_ms = UINT64_C(1000000000000);
    struct error error = nest_start_in_vain(&options, ERROR_SERVER_DIED);
    assert_has(error.detail, "NumberFormatException: For input string: \"1000000000000\"");
    assert_has(error.detail, "; ");          /* several lines, */
    assert_null(strchr(error.detail, '\n')); /* made one */
    assert_null(strchr(error.detail, '\t')); /* without stack frames */
}

NEST_TEST(a_port_that_is_snatched_away_is_replaced)
{
    /* The first two ports are taken, by this script's account of it. */
    nest_install_java("echo x >> \"$JAVA_HOME/tries\"\n"
                      "if [ $(wc -l < \"$JAVA_HOME/tries\") -le 2 ]; then\n"
                      "  echo 'java.net.BindException: Address already in use' >&2; exit 1\n"
                      "fi\n"
                      "java \"$@\""); /* not exec: the JVM is a child of what the supervisor runs */
    struct ensemble *ensemble = start();
    struct endpoint endpoint = *endpoint_of(ensemble);
    char text[8192];
    assert_serves(ensemble);
    assert_null(strstr(nest_log(ensemble, 0, text, sizeof text), "BindException"));
    nest_stop(ensemble);
    assert_int_equal(nest_count(), 0);
    struct four_letter_identity identity;
    struct error error;
    assert_int_equal(four_letter_identify(&endpoint, PATIENCE_NS, &identity, &error),
                     ERROR_REFUSED);
}

NEST_TEST(ports_are_not_tried_for_ever)
{
    nest_install_java("echo 'java.net.BindException: Address already in use' >&2; exit 1");
    struct ensemble_options options = small();
    struct error error = nest_start_in_vain(&options, ERROR_PORT_TAKEN);
    assert_has(error.detail, "Address already in use");
}

TEST(stops_are_soon)
{
    nest_stops_are_soon();
}
