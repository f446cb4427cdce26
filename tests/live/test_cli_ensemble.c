// SPDX-License-Identifier: Apache-2.0
/* `zkherd ensemble`: servers that stay, found again, ended, and recognised when they are gone. */
#include "tests/support/outcome.h"
#include "tests/support/port.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#define SMALL "--heap", "64"
/* A run of a moment. */
#define RUN "run", "-n", "3", "-t", "1", "-r", "scalable", "-q"

static struct command command;
static char run_time[96], run_time_setting[128];
static const char *settings[] = {run_time_setting, NULL};

/* A run-time folder of its own for each test: one ensemble a user is one a test here. */
static int make_fresh(void **state)
{
    if (work_make(state) != 0)
        return -1;
    snprintf(run_time, sizeof run_time, "%s/run", work_nest);
    snprintf(run_time_setting, sizeof run_time_setting, "XDG_RUNTIME_DIR=%s", run_time);
    command = (struct command){.settings = settings};
    return mkdir(run_time, 0700);
}

/* A path in the folder in which it is remembered. */
static const char *remembered(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/zkherd/%s", run_time, name);
    return path;
}

static void assert_forgotten(void)
{
    assert_nothing_runs();
    if (access(remembered(""), F_OK) == 0)
        assert_int_equal(count_entries(remembered("")), 0);
}

/* Starts it; the connect string that it printed, and nothing else. */
static const char *start(const char *servers)
{
    static char connect[256];
    command_run(&command, COMMAND("ensemble", "start", SMALL, "--servers", servers));
    assert_status(&command, 0);
    snprintf(connect, sizeof connect, "%.255s", command.out);
    char *end = strchr(connect, '\n');
    assert_non_null(end);
    assert_int_equal(end[1], '\0');
    *end = '\0';
    return connect;
}

static void stop(void)
{
    command_run(&command, COMMAND("ensemble", "stop"));
    assert_status(&command, 0);
    assert_string_equal(command.out, "");
    /* Not within a moment: it has waited. */
    pid_t pids[COMMAND_PROCESSES];
    assert_int_equal(list_ours(pids), 0);
    assert_int_equal(count_entries(work_temporary), 0);
    assert_forgotten();
}

/* The process of a server, by the table of `status` that command has. */
static pid_t pid_in_table(unsigned server)
{
    char beginning[16], role[32];
    int pid = 0;
    snprintf(beginning, sizeof beginning, "\n%6u  ", server);
    const char *row = strstr(command.out, beginning);
    assert_non_null(row);
    assert_int_equal(sscanf(row, " %*u %*s %31s %d", role, &pid), 2);
    assert_true(pid > 0);
    return pid;
}

/* What it says as JSON is the table that command has. */
static void assert_json_is_table(const char *connect)
{
    pid_t last = pid_in_table(3);
    command_run(&command, COMMAND("ensemble", "status", "--json"));
    assert_status(&command, 0);
    json_t *json = schema_read_result(&command, "ensemble");
    const json_t *servers = json_object_get(json, "servers");
    assert_string_equal(json_string_value(json_object_get(json, "connect")), connect);
    assert_true(json_is_true(json_object_get(json, "serves")));
    assert_int_equal(json_array_size(servers), 3);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(servers, 2), "pid")), last);
    json_decref(json);
}

/* Started and stopped with JSON: what was started is told as by `status`, and then ended. */
static void start_and_stop_with_json(void)
{
    command_run(&command, COMMAND("ensemble", "start", SMALL, "--servers", "1", "--json"));
    assert_status(&command, 0);
    json_t *started = schema_read_result(&command, "ensemble");
    const json_t *server = json_array_get(json_object_get(started, "servers"), 0);
    assert_true(json_is_true(json_object_get(started, "serves")));
    assert_string_equal(json_string_value(json_object_get(server, "role")), "standalone");
    command_run(&command, COMMAND("ensemble", "stop", "--json"));
    assert_status(&command, 0);
    json_t *stopped = schema_read_result(&command, "ensemble");
    const json_t *ended = json_array_get(json_object_get(stopped, "servers"), 0);
    assert_true(json_is_false(json_object_get(stopped, "serves")));
    assert_string_equal(json_string_value(json_object_get(ended, "role")), "ended");
    assert_true(
        json_equal(json_object_get(stopped, "connect"), json_object_get(started, "connect")));
    assert_true(json_equal(json_object_get(ended, "pid"), json_object_get(server, "pid")));
    json_decref(started);
    json_decref(stopped);
    assert_forgotten();
}

static void assert_none(const char *words)
{
    static const char *const actions[] = {"status", "stop"};
    for (size_t i = 0; i < 2; i++) {
        command_run(&command, COMMAND("ensemble", actions[i]));
        assert_refused(&command, 3, i == 0 ? words : "no private ensemble is running");
        assert_has(command.err, "; start one: zkherd ensemble start");
    }
}

/* ------------------------------------------------------------------ in good order */

TEST_BETWEEN(three_servers_stay_until_they_are_stopped, make_fresh, work_remove)
{
    char connect[256];
    assert_none("zkherd: ensemble: no private ensemble is running; ");
    snprintf(connect, sizeof connect, "%s", start("3"));
    assert_int_equal(count_words(connect, "127.0.0.1:"), 3);
    assert_int_equal(count_words(command.err, ": leader\n"), 1);
    assert_int_equal(count_words(command.err, ": follower\n"), 2);

    command_run(&command, COMMAND(RUN, "--connect", connect, "-o", "first"));
    assert_status(&command, 0);
    command_run(&command, COMMAND(RUN, "--connect", connect, "-o", "second"));
    assert_status(&command, 0);

    command_run(&command, COMMAND("ensemble", "status"));
    assert_status(&command, 0);
    assert_int_equal(count_words(command.out, "\n"), 4);
    assert_int_equal(count_words(command.out, "  leader  "), 1);
    assert_int_equal(count_words(command.out, "  follower  "), 2);
    assert_int_equal(count_words(command.out, " MiB  "), 1);
    for (const char *line = command.out; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
    for (unsigned i = 1; i <= 3; i++) {
        char name[32];
        read_name(pid_in_table(i), name, sizeof name);
        assert_string_equal(name, "java");
    }
    assert_json_is_table(connect);

    command_run(&command, COMMAND("ensemble", "start", SMALL));
    assert_refused(&command, 3, "a private ensemble is already running; use that one, or end it");
    assert_has(command.err, connect);
    stop();
    assert_none("zkherd: ensemble: no private ensemble is running; ");
    start_and_stop_with_json();
    assert_left(2);
}

/* Whoever reads what it prints comes to the end of it. */
TEST_BETWEEN(a_shell_may_take_its_output, make_fresh, work_remove)
{
    char line[COMMAND_PATH_SIZE + 512], out[256] = "";
    snprintf(line, sizeof line, "TMPDIR=%s %s %s ensemble start --heap 64 --servers 1 2>/dev/null",
             work_temporary, run_time_setting, command_program);
    alarm(60); /* instead of waiting for ever */
    FILE *shell = popen(line, "re");
    assert_non_null(shell);
    assert_true(fread(out, 1, sizeof out - 1, shell) > 0);
    assert_int_equal(pclose(shell), 0);
    alarm(0);
    assert_has(out, "127.0.0.1:");
    stop();
}

/* A run on them, by their connect string alone, knows what they were started with. */
static void assert_recorded(const char *connect)
{
    char servers[256];
    snprintf(servers, sizeof servers, "%.255s", connect);
    command_run(&command, COMMAND(RUN, "--connect", servers, "-o", "out"));
    assert_status(&command, 0);
    json_t *manifest = read_manifest("out");
    const json_t *server = json_array_get(json_object_get(manifest, "servers"), 0);
    assert_has(json_string_value(json_object_get(server, "jvm_command")), " -Xmx64m ");
    assert_has(json_string_value(json_object_get(server, "jvm")), " version \"");
    assert_has(json_string_value(json_object_get(server, "configuration")), "forceSync=no\n");
    const json_t *data = json_object_get(manifest, "data");
    assert_true(json_is_false(json_object_get(data, "fsync")));
    assert_has(json_string_value(json_object_get(data, "folder")), in_work("data/zkherd-server-"));
    json_decref(manifest);
}

TEST_BETWEEN(options_reach_the_servers, make_fresh, work_remove)
{
    command_run(&command, COMMAND("ensemble", "start", SMALL, "--servers", "1", "--fsync", "no",
                                  "--data", "data"));
    assert_status(&command, 0);
    assert_int_equal(count_entries(in_work("data")), 1);
    assert_int_equal(count_entries(work_temporary), 0);
    command.out[strcspn(command.out, "\n")] = '\0';
    assert_recorded(command.out);
    stop();
    assert_left(1);
}

/* ------------------------------------------------------------------ starts in vain */

TEST_BETWEEN(a_start_that_fails_leaves_nothing, make_fresh, work_remove)
{
    char port[16];
    assert_int_equal(mkdir(in_work("data"), 0700), 0);
    assert_int_equal(mkdir(in_work("data/dear"), 0700), 0);
    command_run(&command, COMMAND("ensemble", "start", "--data", "data"));
    assert_refused(&command, 2, "zkherd: data: the folder is not empty");
    assert_forgotten();
    assert_int_equal(count_entries(in_work("data")), 1);

    command_run(&command, COMMAND("ensemble", "start", "--heap", "900000"));
    assert_refused(&command, 3, "3 servers: out of memory: 2700300 MiB are needed (3 times");
    assert_forgotten();

    uint16_t taken;
    int fd = port_listen(&taken);
    snprintf(port, sizeof port, "%u", taken);
    command_run(&command, COMMAND("ensemble", "start", SMALL, "--port", port));
    assert_refused(&command, 3, "the port is in use; stop what listens there, or choose another");
    assert_has(command.err, port);
    assert_forgotten();
    close(fd);
}

TEST_BETWEEN(nobody_is_told_where_it_is, make_fresh, work_remove)
{
    static const char *const options[] = {NULL, "--json"};
    command.prepare = print_to_a_full_device;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        command_run(&command, COMMAND("ensemble", "start", SMALL, "--servers", "1", options[i]));
        assert_status(&command, 3);
        assert_has(command.err, "zkherd: standard output: no space left");
        assert_forgotten();
    }
}

static void await_process(const char *name)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    while (find_ours(name, 0) == 0 && clock_now_ns() < until_ns)
        pause_ms(1);
    assert_int_not_equal(find_ours(name, 0), 0);
}

SOON_TEST(a_start_that_is_interrupted_leaves_nothing, make_fresh, work_remove)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        command_start(&command, COMMAND("ensemble", "start", SMALL));
        await_process("java");
        command_end(&command, -command.pid, signals[i]);
        assert_int_equal(command.status, 128 + signals[i]);
        assert_forgotten();
    }
    assert_none("zkherd: ensemble: no private ensemble is running; ");
}

TEST_BETWEEN(two_starts_at_once_make_one_ensemble, make_fresh, work_remove)
{
    static struct command other;
    other.settings = settings;
    command_start(&other, COMMAND("ensemble", "start", SMALL));
    await_process("zkherd-servers");
    pause_process(other.pid);
    command_run(&command, COMMAND("ensemble", "start", SMALL));
    assert_refused(&command, 3, "it is just being started; use that one");
    assert_none("no private ensemble is running: one is being started; ");
    kill(other.pid, SIGCONT);
    command_finish(&other, COMMAND_LIMIT_NS);
    assert_status(&other, 0);
    stop();
}

/* ------------------------------------------------------------------ losses */

TEST_BETWEEN(servers_that_ended_are_told, make_fresh, work_remove)
{
    char connect[256], *last;
    snprintf(connect, sizeof connect, "%s", start("3"));
    command_run(&command, COMMAND("ensemble", "status"));
    pid_t second = pid_in_table(2), third = pid_in_table(3);
    kill(second, SIGKILL);
    kill(third, SIGKILL);
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    do {
        command_run(&command, COMMAND("ensemble", "status"));
    } while (strstr(command.out, "not serving") == NULL && clock_now_ns() < until_ns);
    assert_status(&command, 3);
    assert_int_equal(count_words(command.out, "  not serving  "), 1);
    assert_int_equal(count_words(command.out, "  ended  "), 2);

    /* And a run that meets it, by its living server or by a dead one. */
    command_run(&command, COMMAND(RUN, "--connect", connect));
    assert_refused(&command, 3, "the server is not serving requests; wait until its ensemble has");
    assert_true(command.took_ns < 5 * NS_PER_S);
    last = strrchr(connect, ',') + 1;
    command_run(&command, COMMAND(RUN, "--connect", last));
    assert_refused(&command, 3, "the connection was refused");
    assert_true(command.took_ns < 5 * NS_PER_S);
    stop();
    assert_left(0);
}

TEST_BETWEEN(a_supervisor_that_was_killed_is_cleared_up_after, make_fresh, work_remove)
{
    for (int i = 0; i < 2; i++) {
        start("1");
        kill(find_ours("zkherd-servers", 0), SIGKILL);
        /* The server ends with its supervisor, a moment later. */
        while (find_ours("zkherd-servers", 0) != 0 || find_ours("java", 0) != 0)
            pause_ms(1);
        assert_int_equal(count_entries(work_temporary), 1);
        if (i == 0) {
            assert_none("that which was started has been killed, and what it left is cleared");
            assert_forgotten();
        }
    }
    start("1"); /* the same for the next start */
    assert_int_equal(count_entries(work_temporary), 1);
    stop();
}

static void remember(const char *text)
{
    mkdir(remembered(""), 0700);
    FILE *file = fopen(remembered("ensemble"), "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* As after a restart of the machine: the numbers are those of others by now. */
TEST_BETWEEN(no_stranger_is_ended_and_no_other_folder_removed, make_fresh, work_remove)
{
    char text[256];
    assert_int_equal(mkdir(in_work("dear"), 0700), 0);
    pid_t stranger = fork();
    if (stranger == 0) {
        alarm(60);
        pause();
        _exit(0);
    }
    snprintf(text, sizeof text, "127.0.0.1:1\n%d\n%s\n", (int)stranger, in_work("dear"));
    remember(text);
    assert_none("what it left is cleared away");
    remember(text);
    command_run(&command, COMMAND("ensemble", "stop"));
    assert_refused(&command, 3, "what it left is cleared away");
    remember("nonsense\n\n");
    assert_none("what it left is cleared away");
    assert_forgotten();
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    assert_left(1);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
}

TEST_BETWEEN(a_folder_that_others_may_enter_is_refused, make_fresh, work_remove)
{
    static const char *const actions[] = {"start", "status", "stop"};
    assert_int_equal(mkdir(remembered(""), 0700), 0);
    assert_int_equal(chmod(remembered(""), 0777), 0);
    for (size_t i = 0; i < 3; i++) {
        command_run(&command, COMMAND("ensemble", actions[i]));
        assert_refused(&command, 3,
                       "permission denied: it must belong to this user, with mode 700");
    }
    assert_int_equal(rmdir(remembered("")), 0);
    char link[160];
    snprintf(link, sizeof link, "%s/zkherd", run_time);
    assert_int_equal(symlink(work_folder, link), 0);
    command_run(&command, COMMAND("ensemble", "start"));
    assert_status(&command, 3);
    assert_has(command.err, "to remember a private ensemble in");
    assert_left(0);
}
