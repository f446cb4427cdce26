// SPDX-License-Identifier: Apache-2.0
/* Servers that ask who is there: what zkherd does with credentials and without, and that nothing of
 * them is to be found afterwards. */
#include "tests/support/inspect.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include <ftw.h>
#include <sys/stat.h>

#define SECRET "open-sesame"
#define WE     "ann:" SECRET
#define ROOT   "/zkherd-20200101T000000Z-0000001"
#define RECORD "zkherd run, process 1 on nowhere"

/* Closed to everybody but us. */
#define CLOSED "/closed"

/* As many commands as there are subcommands that open sessions would say the same. */
#define SMALL "-n", "2..8x2", "-t", "1", "-r", "scalable"

static void write_file(const char *name, const char *text, mode_t mode)
{
    const char *path = in_work("%s", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void write_ours(void)
{
    write_file("ours", WE "\n", 0600);
}

/* ------------------------------------------------------------------ the secret */

static bool has_secret(const char *path)
{
    static char bytes[1 << 20];
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false; /* nobody else can read it, then */
    size_t length = fread(bytes, 1, sizeof bytes, file);
    assert_true(length < sizeof bytes);
    fclose(file);
    return memmem(bytes, length, SECRET, strlen(SECRET)) != NULL;
}

static unsigned files_read;

static int look_into(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat, (void)place;
    files_read += type == FTW_F;
    if (type == FTW_F && has_secret(path))
        fail_msg("the password is in %s", path);
    return 0;
}

static void assert_untold(const char *folder)
{
    assert_null(strstr(command.out, SECRET));
    assert_null(strstr(command.err, SECRET));
    files_read = 0;
    assert_int_equal(nftw(in_work("%s", folder), look_into, 8, FTW_PHYS), 0);
    assert_true(files_read >= 3);
}

/* Of the command and its workers. */
static void assert_hidden(void)
{
    pid_t ours[COMMAND_PROCESSES];
    size_t count = list_ours(ours);
    char path[64];
    for (size_t i = 0; i <= count; i++) {
        pid_t pid = i < count ? ours[i] : command.pid;
        snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
        assert_false(has_secret(path));
        snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
        assert_false(has_secret(path));
    }
}

/* ------------------------------------------------------------------ our own session */

static struct identity we = {.credentials = WE, .creator = true};

/* Creates a znode that admits us alone, or deletes it. */
static void with_ours(const char *path, const char *data, bool creates)
{
    struct connect_string servers = outside_server->connect;
    struct setup_session *setup = NULL;
    struct error error;
    servers.identity = &we;
    assert_int_equal(setup_session_new(&servers, NULL, PATIENCE_NS, -1, &setup, &error),
                     ERROR_NONE);
    assert_int_equal(creates ? setup_session_create_holding(setup, path, data, &error)
                             : setup_session_delete_tree(setup, path, &error),
                     ERROR_NONE);
    setup_session_free(setup);
}

/* ------------------------------------------------------------------ runs */

/* No other session is connected, so that all counters are known. */
static int make_alone(void **state)
{
    command = (struct command){.settings = NULL};
    return work_make(state);
}

#define ALONE_TEST(test) TEST_BETWEEN(test, make_alone, work_remove)

/* The times of a busy machine may not stand; who is admitted, and the counts, do. */
static void assert_done(void)
{
    if (command.status != 4)
        assert_status(&command, 0);
}

/* Counts are those of the law, and the servers'. */
static void assert_exact(const char *folder, size_t trials)
{
    struct run_files files = run_files_read(folder);
    assert_int_equal(files.trials.rows, trials);
    for (size_t i = 0; i < files.trials.rows; i++) {
        assert_string_equal(csv_file_text(&files.trials, i, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&files.trials, i, "rpcs"),
                         csv_file_count(&files.trials, i, "law_rpcs"));
        assert_int_equal(csv_file_count(&files.trials, i, "reconnects"), 0);
    }
    run_files_deinit(&files);
}

static void run_with(const char *driver)
{
    write_ours();
    command_run(&command, COMMAND("run", "--auth", "ours", "--acl", "creator", "--connect", outside,
                                  SMALL, "-o", "out", "-d", driver));
    assert_done();
    assert_exact("out", 3);
    assert_untold("out");
    assert_left(2);
}

ALONE_TEST(a_run_with_credentials_counts_exactly)
{
    run_with("events");
}

ALONE_TEST(so_does_one_on_threads)
{
    run_with("threads");
}

ALONE_TEST(a_load_with_credentials_counts_exactly)
{
    static const char *const settings[] = {"ZKHERD_AUTH=" WE, NULL};
    command.settings = settings;
    command_run(&command, COMMAND("load", "--acl", "creator", "--connect", outside, "-n", "5", "-t",
                                  "1", "--duration", "1s", "--warm-up", "100ms", "-m",
                                  "get=40,set=20,create=20,delete=20", "-o", "out"));
    assert_done();
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_string_equal(csv_file_text(&load, 0, "reconciled"), "yes");
    assert_int_equal(csv_file_count(&load, 0, "errors_other"), 0);
    csv_file_deinit(&load);
    assert_untold("out");
    assert_left(1);
}

/* ------------------------------------------------------------------ others */

static enum zk_status list_as_nobody(const char *path)
{
    client_get_children(actors[0].client, path, NO_WATCH);
    return await_reply(&actors[0]);
}

static void await_root(char *root, size_t size)
{
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    do {
        assert_true(command_runs(&command) && clock_now_ns() < until_ns);
        assert_int_equal(list_as_nobody("/"), ZK_OK);
    } while (actors[0].first_child[0] == '\0');
    snprintf(root, size, "/%.60s", actors[0].first_child);
}

INSPECT_TEST(nobody_else_reads_the_znodes_of_a_run)
{
    static const char *const settings[] = {"ZKHERD_AUTH=" WE, NULL};
    char root[80], trial[96];
    command.settings = settings;
    command_start(&command, COMMAND("run", "--acl", "creator", "--connect", outside, "-w", "steady",
                                    "--duration", "100s", "-n", "4", "-t", "1", "-r", "scalable"));
    await_root(root, sizeof root);
    assert_int_equal(list_as_nobody(root), ZK_NO_AUTH);
    snprintf(trial, sizeof trial, "%s/t0000/l0", root);
    while (!is_there(trial))
        assert_true(command_runs(&command));
    assert_int_equal(list_as_nobody(trial), ZK_NO_AUTH);
    client_create(actors[0].client, trial, NULL, 0, EPHEMERAL);
    assert_int_equal(await_reply(&actors[0]), ZK_NO_AUTH);
    assert_hidden();
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_null(strstr(command.err, SECRET));
    assert_left(0);
}

INSPECT_TEST(without_acl_everybody_reads_them)
{
    char root[80];
    write_ours();
    command_start(&command, COMMAND("run", "--auth", "ours", "--connect", outside, "-w", "steady",
                                    "--duration", "100s", "-n", "4", "-t", "1", "-r", "scalable"));
    await_root(root, sizeof root);
    assert_int_equal(list_as_nobody(root), ZK_OK);
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    assert_left(1);
}

/* ------------------------------------------------------------------ who is not admitted */

static void run_closed(const char *auth, const char *file)
{
    char closed[128];
    snprintf(closed, sizeof closed, "%s" CLOSED, outside);
    command_run(&command, COMMAND("run", "--connect", closed, SMALL, "--no-files", auth, file));
}

INSPECT_TEST(a_wrong_password_is_not_admitted)
{
    with_ours(CLOSED, "", true);
    write_ours();
    write_file("wrong", "ann:open-barley\n", 0600);
    run_closed("--auth", "wrong");
    assert_refused(&command, 3, "the ACL of the znode forbids it: to create it takes the");
    assert_has(command.err, "(--auth FILE)");
    run_closed(NULL, NULL);
    assert_refused(&command, 3, "the ACL of the znode forbids it");
    run_closed("--auth", "ours");
    assert_done();
    with_ours(CLOSED, "", false);
    assert_left(2);
}

/* A server that takes no requests of a session without credentials of this scheme. */
static struct ensemble *start_strict(const char *scheme, char *address, size_t size)
{
    const char *java = getenv("JAVA_TOOL_OPTIONS");
    char kept[512], settings[1024];
    struct ensemble_options options = ensemble_options_default();
    struct ensemble *strict = NULL;
    struct error error;
    snprintf(kept, sizeof kept, "%s", java != NULL ? java : "");
    snprintf(settings, sizeof settings,
             "%s -Dzookeeper.authProvider.9=org.apache.zookeeper.server.auth."
             "EnsembleAuthenticationProvider -Dzookeeper.enforce.auth.enabled=true "
             "-Dzookeeper.enforce.auth.schemes=%s",
             kept, scheme);
    setenv("JAVA_TOOL_OPTIONS", settings, 1);
    options.heap_mib = 128;
    assert_int_equal(ensemble_start(&options, &strict, &error), ERROR_NONE);
    setenv("JAVA_TOOL_OPTIONS", kept, 1);
    snprintf(address, size, "127.0.0.1:%u", strict->connect.endpoints[0].port);
    return strict;
}

INSPECT_TEST(servers_that_do_not_take_such_credentials_are_told)
{
    char address[64];
    struct ensemble *strict = start_strict("ensemble", address, sizeof address);
    write_ours();
    command_run(&command, COMMAND("run", "--auth", "ours", "--connect", address, SMALL));
    assert_refused(&command, 3, "the servers do not take a session with such credentials");
    command_run(&command, COMMAND("inspect", "/", "--connect", address));
    assert_refused(&command, 3, "the servers do not take a session with such credentials");
    ensemble_stop(strict);
    assert_left(1);
}

/* No session may lack them: those of trials, of a load beside them, of a bystander, zkherd's own.
 */
INSPECT_TEST(servers_that_require_credentials_have_them_from_every_session)
{
    char address[64];
    struct ensemble *strict = start_strict("digest", address, sizeof address);
    write_ours();
    command_run(&command, COMMAND("run", "--auth", "ours", "--connect", address, SMALL, "-o", "out",
                                  "-d", "threads"));
    assert_done();
    assert_exact("out", 3);
    command_run(&command,
                COMMAND("plan", "--auth", "ours", "--connect", address, "--slo",
                        "handoff p99 < 10s", "-r", "scalable", "--at-most", "4", "--background",
                        "get=80,set=20@100", "--brake", "10s", "-o", "plan"));
    assert_done();
    command_run(&command, COMMAND("clean", "--connect", address, "--auth", "ours"));
    assert_status(&command, 0);
    assert_has(command.out, "no run has left znodes here");
    command_run(&command, COMMAND("run", "--connect", address, SMALL));
    assert_refused(&command, 3, "the servers do not take a session with such credentials");
    ensemble_stop(strict);
    assert_left(3);
}

/* ------------------------------------------------------------------ what is not taken */

INSPECT_TEST(other_files_are_refused)
{
    write_file("shown", WE "\n", 0640);
    write_file("bare", SECRET "\n", 0600);
    write_file("empty", "", 0600);
    static const struct refusal list[] = {
        {{"--auth", "shown", "--connect", "zk:1"}, "shown: not credentials that can be used: it"},
        {{"--auth", "bare", "--connect", "zk:1"}, "bare: not credentials that can be used: there"},
        {{"--auth", "empty", "--connect", "zk:1"}, "empty: not credentials that can be used: it"},
        {{"--auth", "shown"}, "only you may read"},
        {{"--acl", "creator", "--connect", "zk:1"}, "--acl creator: nobody is the creator"},
        {{"--acl", "creator"}, "--acl creator: private servers have no other users"},
        {{"--acl", "all"}, "expected open or creator"},
    };
    ASSERT_LINES_REFUSED(&command, "run", list);
    ASSERT_LINES_REFUSED(&command, "load", list);
    assert_null(strstr(command.err, SECRET));
    write_ours();
    static const struct refusal alone = {{"--auth", "ours"}, "--auth without --connect"};
    assert_line_refused(&command, "run", &alone);
    command_run(&command, COMMAND("run", "--auth", "missing", "--connect", outside));
    assert_refused(&command, 2, "missing: ");
    static const char *const settings[] = {"ZKHERD_AUTH=" SECRET, NULL};
    command.settings = settings;
    command_run(&command, COMMAND("load", "--connect", outside));
    assert_refused(&command, 2, "ZKHERD_AUTH: not credentials that can be used: there is no");
    assert_null(strstr(command.err, SECRET));
    assert_left(4);
}

/* ------------------------------------------------------------------ other subcommands */

INSPECT_TEST(locks_and_roots_of_ours_are_shown_to_us)
{
    with_ours(CLOSED, "", true);
    with_ours(ROOT, RECORD, true);
    write_ours();
    inspect(CLOSED, NULL, NULL);
    assert_refused(&command, 3, "zkherd: /closed: the ACL of the znode forbids it");
    inspect(CLOSED, "--auth", "ours");
    assert_status(&command, 0);
    command_run(&command, COMMAND("clean", "--connect", outside, ROOT));
    assert_status(&command, 0);
    assert_has(command.err, ROOT ": not listed: its ACL forbids reading it");
    command_run(&command, COMMAND("clean", "--connect", outside, ROOT, "--auth", "ours"));
    assert_status(&command, 0);
    assert_has(command.out, "\nremoved " ROOT "\n");
    with_ours(CLOSED, "", false);
    assert_left(1);
}

static int nothing_left_and_stop(void **state)
{
    assert_nothing_left_outside(1);
    return outside_stop(state);
}

TEST_GROUP(outside_start, nothing_left_and_stop)
