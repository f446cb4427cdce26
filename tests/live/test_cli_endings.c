// SPDX-License-Identifier: Apache-2.0
/* Runs that end before their time: by a signal, by the death of a worker, by that of the server. */
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

/* A long run: trials of a few tenths of a second, the first of them soon over. */
#define LONG "-n", "2,4", "-t", "200", "-r", "scalable,nonscalable", "--hold", "20ms", "-o", "out"

static struct command command;

/* Waits until so many trials are over. */
static void await_trials(size_t trials)
{
    command_await_rows(&command, "out/trials.csv.part", trials);
}

/* Whole trials, at least this many, and a manifest that says why there are no more. */
static void assert_kept(size_t trials, const char *cut_short)
{
    struct run_files files = run_files_read("out");
    assert_true(files.trials.rows >= trials);
    assert_cut_short("out", cut_short, files.trials.rows);
    run_files_deinit(&files);
}

static void assert_interrupted(void)
{
    command.settings = NULL;
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: run: interrupted: ");
    assert_has(command.err, " of 800 trials are kept\n");
    assert_has(command.out, "results in out\n");
    assert_kept(2, "interrupted");
    assert_left(1);
}

/* Instead of gnuplot: these lines of shell. */
static void install_gnuplot(const char *lines)
{
    static char setting[512];
    static const char *settings[] = {setting, NULL};
    char path[96];
    snprintf(path, sizeof path, "%s/bin", work_nest);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/bin/gnuplot", work_nest);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fprintf(script, "#!/bin/sh\n%s\n", lines);
    assert_int_equal(fchmod(fileno(script), 0755), 0);
    assert_int_equal(fclose(script), 0);
    snprintf(setting, sizeof setting, "PATH=%s/bin:/usr/bin:/bin", work_nest);
    command.settings = settings;
}

/* Says that there is nothing to draw: what is asked then is how soon all else has ended. */
#define DRAWS_NOTHING "exit 3"
/* Begins a picture, and takes its time. */
#define DRAWS_SLOWLY(name) "echo half >out/plots/" name ".svg; exec sleep 60"

static void await_the_plots(const char *name)
{
    while (command_runs(&command) && access(in_work("out/plots/%s.svg", name), F_OK) != 0)
        pause_ms(5);
}

/* Ctrl-C reaches every process of the terminal's group. */
COMMAND_TEST_SOON(ctrl_c)
{
    install_gnuplot(DRAWS_NOTHING);
    command_start(&command, COMMAND("run", LONG, "-P", "2"));
    await_trials(2);
    pause_ms(50);
    command_end(&command, -command.pid, SIGINT);
    assert_interrupted();
}

/* SIGHUP is blocked and read with it (signals_block). */
COMMAND_TEST_SOON(sigterm_with_connect)
{
    install_gnuplot(DRAWS_NOTHING);
    command_start(&command, COMMAND("run", LONG, "-P", "2", "--connect", outside));
    await_trials(2);
    pause_ms(50);
    command_end(&command, command.pid, SIGTERM);
    assert_interrupted();
    assert_nothing_left_outside(1);
}

/* What there is of the run is drawn, by gnuplot itself. */
COMMAND_TEST(an_interrupted_run_is_drawn)
{
    command_start(&command, COMMAND("run", LONG, "--connect", outside));
    await_trials(5); /* a whole round: each recipe with both numbers of clients */
    kill(command.pid, SIGINT);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_interrupted();
    assert_int_equal(count_entries(in_work("out/plots")), 10);
    char *picture = read_text(in_work("out/plots/rpcs.svg"));
    assert_has(picture, "RPCs of a drain of n clients");
    free(picture);
    char *page = read_text(in_work("out/report.html"));
    assert_has(page, "<strong>undetermined</strong> The trials of out ended early, after ");
    assert_has(page, "<h3>Requests against clients</h3>");
    free(page);
    assert_nothing_left_outside(1);
}

/* By then the servers are done with: nobody waits for the plots. */
COMMAND_TEST_SOON(interrupted_again_while_plots_are_drawn)
{
    install_gnuplot(DRAWS_SLOWLY("rpcs"));
    command_start(&command, COMMAND("run", LONG, "--connect", outside));
    await_trials(2);
    kill(-command.pid, SIGINT);
    await_the_plots("rpcs");
    assert_nothing_left_outside(1);
    assert_true(command_runs(&command));
    command_end(&command, -command.pid, SIGINT);
    assert_interrupted();
    assert_int_not_equal(access(in_work("out/plots"), F_OK), 0);
    assert_has(command.err, " of 800 trials are kept\n");
}

/* Thousands of locks take their time, be it to lay them out or to clear them away. */
COMMAND_TEST_SOON(interrupted_while_locks_are_laid_out)
{
    command_start(&command, COMMAND("run", "-n", "4000", "-k", "4000", "-t", "1", "-r", "scalable",
                                    "-o", "out", "--connect", outside));
    while (command_runs(&command) && count_outside().znode_count < 500)
        pause_ms(20);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: run: interrupted: before a trial ended: nothing is kept\n");
    assert_left(0);
    assert_nothing_left_outside(1);
}

/* All else is whole then. */
static void assert_ends_without_plots(const char *subcommand)
{
    char words[80];
    command_end(&command, -command.pid, SIGINT);
    command.settings = NULL;
    assert_status(&command, 4);
    snprintf(words, sizeof words, "zkherd: %s: interrupted: the plots are not drawn\n", subcommand);
    assert_has(command.err, words);
    assert_has(command.out, "results in out\n");
    assert_int_not_equal(access(in_work("out/plots"), F_OK), 0);
    json_t *manifest = read_manifest("out");
    json_t *warnings = json_object_get(manifest, "warnings");
    assert_has(json_string_value(json_array_get(warnings, json_array_size(warnings) - 1)),
               "interrupted: the plots are not drawn");
    json_decref(manifest);
    assert_left(1);
}

COMMAND_TEST_SOON(ctrl_c_while_plots_are_drawn)
{
    install_gnuplot(DRAWS_SLOWLY("rpcs"));
    command_start(&command, COMMAND("run", "-n", "2,4", "-t", "1", "-r", "scalable", "-o", "out",
                                    "--connect", outside));
    await_the_plots("rpcs");
    assert_ends_without_plots("run");
    struct run_files files = run_files_read("out");
    assert_int_equal(files.trials.rows, 2);
    run_files_deinit(&files);
    assert_nothing_left_outside(1);
}

static void skip_without_cgroups(void)
{
    command_finish(&command, COMMAND_END_NS);
    if (strstr(command.err, "the CPU of a server cannot be limited") == NULL)
        return;
    print_message("skipped: %s", command.err);
    skip();
}

/* The servers that have so little of the CPU start for seconds. */
static void interrupt_the_start(const char *const arguments[], const char *words)
{
    command_start(&command, arguments);
    while (command_runs(&command) && find_ours("java", 0) == 0)
        pause_ms(2);
    if (!command_runs(&command))
        skip_without_cgroups();
    assert_true(command_runs(&command));
    command_end(&command, -command.pid, SIGINT);
    assert_status(&command, 4);
    assert_has(command.err, words);
    assert_left(0);
}

COMMAND_TEST_SOON(interrupted_while_the_server_starts)
{
    interrupt_the_start(COMMAND("run", LONG, "--server-cpus", "0.2"),
                        "zkherd: run: interrupted: before a trial ended: nothing is kept");
}

/* A port that takes connections, and answers nothing. Returns its socket. */
static int listen_mutely(char *address, size_t size)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof own;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&own, length), 0);
    assert_int_equal(listen(listener, 8), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&own, &length), 0);
    snprintf(address, size, "127.0.0.1:%u", ntohs(own.sin_port));
    return listener;
}

/* By the time a connection comes, the program waits for an answer. */
static void interrupt_the_question(int listener, const char *const arguments[], const char *words)
{
    command_start(&command, arguments);
    int asked = accept(listener, NULL, NULL);
    assert_true(asked >= 0);
    assert_true(command_runs(&command));
    command_end(&command, command.pid, SIGINT);
    close(asked);
    assert_status(&command, 4);
    assert_has(command.err, words);
    assert_null(strstr(command.err, "no answer"));
    assert_left(0);
}

COMMAND_TEST_SOON(interrupted_before_the_servers_answer)
{
    char address[32];
    int listener = listen_mutely(address, sizeof address);
    interrupt_the_question(listener, COMMAND("run", LONG, "--connect", address),
                           "zkherd: run: interrupted: before a trial ended: nothing is kept");
    interrupt_the_question(listener, COMMAND("load", "-o", "out", "--connect", address),
                           "zkherd: load: interrupted: before a trial ended: nothing is kept");
    interrupt_the_question(listener, COMMAND("paper", "-o", "out", "--connect", address),
                           "zkherd: paper table1: interrupted: before a trial ended: nothing is "
                           "kept");
    interrupt_the_question(listener, COMMAND("paper", "table3", "--connect", address),
                           "zkherd: paper table3: interrupted: before a trial ended: nothing is "
                           "kept");
    interrupt_the_question(listener, COMMAND("claims", "--connect", address),
                           "zkherd: claims: interrupted: before a claim ended: nothing is kept");
    close(listener);
}

/* Nothing can be put in order then, but nothing goes on either. */
COMMAND_TEST(sigkill)
{
    command_start(&command, COMMAND("run", LONG, "-P", "2"));
    await_trials(1);
    assert_true(find_ours("java", 0) != 0);
    kill(command.pid, SIGKILL);
    command_finish(&command, COMMAND_END_NS);
    assert_int_equal(command.status, 128 + SIGKILL);
    assert_nothing_runs();
}

/* One of the two workers of a trial that goes on for a while: all four are in line. The warm-up has
 * one worker. */
static pid_t await_a_worker(void)
{
    char name[32];
    pid_t pids[COMMAND_PROCESSES];
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    while ((list_ours(pids) < 3 || count_outside().ephemerals_count < 4) &&
           command_runs(&command) && clock_now_ns() < until_ns)
        pause_ms(10);
    read_name(command.pid, name, sizeof name);
    pid_t worker = find_ours(name, command.pid);
    assert_true(worker > 0);
    return worker;
}

/* Trials of four seconds: three, when all are in line. */
#define SLOW "-n", "4", "-t", "200", "-r", "scalable", "--hold", "1s", "-P", "2", "-o", "out"

static void kill_a_worker(void)
{
    await_trials(1);
    kill(await_a_worker(), SIGKILL);
    command_finish(&command, COMMAND_END_NS);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: worker: a worker process exited unexpectedly: signal 9; ");
    assert_kept(1, "a worker process exited unexpectedly");
    assert_int_equal(count_entries(in_work("out/plots")), 10);
    assert_left(1);
}

COMMAND_TEST(a_worker_is_killed)
{
    command_start(&command, COMMAND("run", SLOW, "--connect", outside));
    kill_a_worker();
    assert_nothing_left_outside(1);
}

/* As the client library ends a process in which it gets no memory. */
COMMAND_TEST(a_worker_is_aborted)
{
    command_start(&command, COMMAND("run", SLOW, "--connect", outside));
    await_trials(1);
    kill(await_a_worker(), SIGABRT);
    command_finish(&command, COMMAND_END_NS);
    assert_status(&command, 4);
    assert_has(command.err, "zkherd: worker: a worker process aborted; an assertion failed, for "
                            "example the client library's when it gets no memory or no thread: run "
                            "fewer clients");
    assert_null(strstr(command.err, "dmesg"));
    assert_left(1);
    assert_nothing_left_outside(1);
}

#define ENDLESS                                                                                    \
    "-q", "-n", "4", "-t", "1", "-r", "scalable", "-p", "free", "-w", "steady", "--duration",      \
        "2h", "-P", "2", "--timeout", "3s", "-o", "out"

COMMAND_TEST(a_worker_hangs)
{
    command_start(&command, COMMAND("run", ENDLESS, "--connect", outside));
    pause_process(await_a_worker()); /* it never reads */
    command_finish(&command, 40 * NS_PER_S);
    assert_refused(&command, 4,
                   "zkherd: worker: a worker process hangs: 1 of 2 took their last readings, and "
                   "the servers answer; ");
    assert_left(0);
    /* What the stopped worker could not close ends with its sessions' timeout. */
}

/* The server has been silent for a moment, and not for all the time in which zkherd was stopped. */
COMMAND_TEST(zkherd_itself_stands_still)
{
    command_start(&command, COMMAND("run", "-n", "4", "-t", "1", "-r", "scalable", "-p", "free",
                                    "-w", "steady", "--duration", "8s", "-P", "2", "--timeout",
                                    "4s", "--noise", "off", "--no-files", "--connect", outside));
    await_a_worker();
    pause_process(outside_server->servers[0].pid);
    pause_ms(500); /* the watchdog looks */
    kill(-command.pid, SIGSTOP);
    pause_ms(6000);
    kill(-command.pid, SIGCONT);
    pause_ms(500); /* it looks again */
    kill(outside_server->servers[0].pid, SIGCONT);
    command_finish(&command, 40 * NS_PER_S);
    if (strstr(command.err, "nothing moved") != NULL)
        fail_msg("%s", command.err);
    assert_has(command.out, "scalable");
    assert_left(0);
}

/* It is the server's error, whatever has become of the workers. The last on the server, which
 * has sessions left. */
COMMAND_TEST(a_worker_hangs_and_so_does_the_server)
{
    char words[128];
    snprintf(words, sizeof words, "zkherd: %s: no answer in time: it accepts connections", outside);
    command_start(&command, COMMAND("run", ENDLESS, "--connect", outside));
    pause_process(await_a_worker()); /* it never reads */
    pause_process(outside_server->servers[0].pid);
    command_finish(&command, 40 * NS_PER_S);
    kill(outside_server->servers[0].pid, SIGCONT);
    assert_status(&command, 3);
    assert_string_equal(command.out, "");
    assert_has(command.err, words);
    assert_complaint(strstr(command.err, "zkherd: /zkherd-"),
                     ": znodes of this run remain: no answer in time");
    assert_left(0);
}

static void kill_the_server(void)
{
    await_trials(1);
    pid_t java = find_ours("java", 0);
    assert_true(java > 0);
    command_end(&command, java, SIGKILL);
    command.settings = NULL;
    assert_status(&command, 3);
    assert_complaint(strstr(command.err, "zkherd: "),
                     ": the server exited unexpectedly: it was killed");
    assert_kept(1, "the server exited unexpectedly");
    assert_left(1);
}

COMMAND_TEST_SOON(the_server_is_killed)
{
    install_gnuplot(DRAWS_NOTHING);
    command_start(&command, COMMAND("run", LONG));
    kill_the_server();
}

TEST_GROUP(outside_start, outside_stop)
