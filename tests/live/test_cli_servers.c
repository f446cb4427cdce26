// SPDX-License-Identifier: Apache-2.0
/* What the program makes of the servers of --connect: their roles, names, whitelists and versions,
 * and whether they belong together. */
#include "tests/support/csv_file.h"
#include "tests/support/front.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "servers/ensemble.h"

#include <sched.h>
#include <sys/mount.h>

static struct command command;
static struct ensemble *three; /* not the commands' own, for all tests */
static char address[3][64];    /* of its servers, host:port */
static char all[3 * 64];       /* of them all, as a connect string */

static const char *address_of(const struct endpoint *endpoint, char *text, size_t size)
{
    snprintf(text, size, "%.20s:%u", endpoint->host, endpoint->port);
    return text;
}

FIXTURE(start_three)
{
    struct ensemble_options options = ensemble_options_default();
    struct error error = {0};
    options.servers = 3;
    options.heap_mib = 128;
    program_find(NULL);
    if (ensemble_start(&options, &three, &error) != ERROR_NONE) {
        print_error("%s: %s: %s\n", error.subject, error_words(error.kind), error.detail);
        return -1;
    }
    for (unsigned i = 0; i < 3; i++)
        address_of(&three->connect.endpoints[i], address[i], sizeof address[i]);
    snprintf(all, sizeof all, "%s,%s,%s", address[0], address[1], address[2]);
    return 0;
}

static const struct endpoint *one_of_three(unsigned index)
{
    return &three->connect.endpoints[index];
}

FIXTURE(stop_three)
{
    ensemble_stop(three);
    return 0;
}

/* ------------------------------------------------------------------ roles */

static uint64_t sum_of(const struct csv_file *latency, const char *role, const char *kind)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < latency->rows; row++) {
        if (strcmp(csv_file_text(latency, row, "role"), role) == 0 &&
            strcmp(csv_file_text(latency, row, "kind"), kind) == 0)
            sum += csv_file_count(latency, row, "count");
    }
    return sum;
}

static void assert_one_leads(const char *folder)
{
    json_t *manifest = read_manifest(folder), *role;
    json_t *sessions = json_object_get(manifest, "sessions_of_last_trial");
    const char *server;
    int leaders = 0;
    json_object_foreach(json_object_get(manifest, "roles_of_last_trial"), server, role)
    {
        assert_int_equal(json_integer_value(json_object_get(sessions, server)), 3);
        leaders += strcmp(json_string_value(role), "leader") == 0;
    }
    assert_int_equal(json_object_size(sessions), 3);
    assert_int_equal(leaders, 1);
    json_decref(manifest);
}

/* Sessions go to the servers in turn: session i is on server i mod 3, and of its role. */
static void assert_each_session_is_told(const struct csv_file *sessions, const char *folder)
{
    json_t *manifest = read_manifest(folder);
    const json_t *roles = json_object_get(manifest, "roles_of_last_trial");
    for (size_t row = 0; row < sessions->rows; row++) {
        const char *server = address[csv_file_count(sessions, row, "session") % 3];
        assert_string_equal(csv_file_text(sessions, row, "server"), server);
        assert_string_equal(csv_file_text(sessions, row, "role"),
                            json_string_value(json_object_get(roles, server)));
    }
    json_decref(manifest);
}

COMMAND_TEST(latencies_are_told_by_role)
{
    command_run(&command, COMMAND("run", "--connect", all, "-n", "9", "-t", "2", "-r",
                                  "scalable,childwatch", "--plots", "svg", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out, "\nscalable: handoff p50 by the holder's server: leader ");
    struct run_files files = run_files_read("out");
    assert_int_equal(sum_of(&files.latency, "all", "acquire"), 4 * 9);
    assert_int_equal(sum_of(&files.latency, "leader", "acquire"), 4 * 3);
    assert_each_session_is_told(&files.sessions, "out");
    run_files_deinit(&files);
    assert_one_leads("out");
    assert_left(1);
}

/* ------------------------------------------------------------------ names */

static char hosts_file[96];

static void write_hosts(const char *text)
{
    FILE *file = fopen(hosts_file, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Names are what our file says, to this command alone. */
static void take_our_hosts(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(hosts_file, "/etc/hosts", NULL, MS_BIND, NULL) != 0)
        _exit(125);
}

static bool has_a_trial(const char *folder)
{
    struct stat status;
    return stat(in_work("%s/trials.csv.part", folder), &status) == 0 && status.st_size > 1500;
}

static void await_a_trial(const char *folder)
{
    uint64_t until_ns = clock_now_ns() + COMMAND_LIMIT_NS;
    while (!has_a_trial(folder) && command_runs(&command) && clock_now_ns() < until_ns)
        pause_ms(5);
}

static void assert_named(const char *folder, const char *name, const char *its_address)
{
    json_t *manifest = read_manifest(folder);
    json_t *server = json_array_get(json_object_get(manifest, "servers"), 0);
    json_t *sessions = json_object_get(manifest, "sessions_of_last_trial");
    assert_string_equal(json_string_value(json_object_get(server, "endpoint")), name);
    assert_string_equal(json_string_value(json_object_get(server, "address")), its_address);
    assert_non_null(json_object_get(sessions, its_address));
    json_decref(manifest);
}

COMMAND_TEST(a_name_is_resolved_once)
{
    char name[64];
    snprintf(name, sizeof name, "zk.test:%s", strchr(address[0], ':') + 1);
    snprintf(hosts_file, sizeof hosts_file, "%s/hosts", work_nest);
    /* Of two addresses the first listens to nobody. */
    write_hosts("127.0.0.99 zk.test\n127.0.0.1 zk.test\n");
    command.prepare = take_our_hosts;
    command_start(&command, COMMAND("run", "--connect", name, "-n", "2,3", "-t", "8", "-r",
                                    "scalable", "--plots", "svg", "-o", "out"));
    command.prepare = NULL;
    await_a_trial("out");
    write_hosts("127.0.0.1 another\n");
    command_finish(&command, COMMAND_LIMIT_NS);
    if (command.status == 125) {
        print_message("skipped: needs the right to mount\n");
        skip();
    }
    assert_status(&command, 0);
    assert_named("out", name, address[0]);
    assert_left(1);
}

/* ------------------------------------------------------------------ servers with a mind of their
 * own
 */

/* Runs two trials on server 1 and, behind a front of this manner, server 0; returns the front's
 * address. */
static const char *run_beside_front(enum manner manner, const char *folder)
{
    static char servers[160];
    struct front front = front_start(one_of_three(0), manner);
    snprintf(servers, sizeof servers, "%s,%s", address[1], front.address);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "4", "-t", "2", "-r",
                                  "scalable", "--plots", "svg", "-o", folder));
    front_stop(&front);
    return strchr(servers, ',') + 1;
}

/* It ran well, held nothing against the servers' counts, and said so once. */
static void assert_not_reconciled(const char *why, const char *folder, uint64_t of_unknown_role)
{
    assert_status(&command, 0);
    assert_int_equal(count_words(command.err, "cannot cross-check against the servers' counters: "),
                     1);
    assert_has(command.err, why);
    struct run_files files = run_files_read(folder);
    assert_int_equal(files.trials.rows, 2);
    for (size_t row = 0; row < files.trials.rows; row++)
        assert_string_equal(csv_file_text(&files.trials, row, "reconciled"), "na");
    assert_int_equal(sum_of(&files.latency, "unknown", "acquire"), of_unknown_role);
    run_files_deinit(&files);
}

#define REFUSES_MNTR "%s refuses mntr, which tells its counters: add it to 4lw.commands.whitelist"

/* One that falters is known to be a ZooKeeper by then, and is asked again. */
COMMAND_TEST(refused_words_stop_nothing)
{
    char servers[160], why[160];
    snprintf(why, sizeof why, REFUSES_MNTR, run_beside_front(REFUSES_WORDS, "words"));
    assert_not_reconciled(why, "words", 2 * 2);
    snprintf(why, sizeof why, REFUSES_MNTR, run_beside_front(REFUSES_COUNTERS, "counters"));
    assert_not_reconciled(why, "counters", 0);
    run_beside_front(FALTERS, "falters");
    assert_not_reconciled("a server did not give its counters (mntr) at once", "falters", 0);
    struct front fronts[] = {front_start(one_of_three(0), REFUSES_WORDS),
                             front_start(one_of_three(1), REFUSES_WORDS)};
    snprintf(why, sizeof why, REFUSES_MNTR, fronts[0].address);
    snprintf(servers, sizeof servers, "%s,%s", fronts[0].address, fronts[1].address);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "4", "-t", "2", "-r",
                                  "scalable", "--plots", "svg", "-o", "all"));
    front_stop(&fronts[0]);
    front_stop(&fronts[1]);
    assert_not_reconciled(why, "all", 0);
    assert_left(4);
}

static void assert_warned(const char *words)
{
    json_t *manifest = read_manifest("out");
    json_t *warnings = json_object_get(manifest, "warnings");
    assert_has(json_string_value(json_array_get(warnings, 0)), words);
    json_decref(manifest);
    assert_left(1);
}

COMMAND_TEST(mixed_versions_are_told)
{
    char words[128];
    snprintf(words, sizeof words, "%s runs 9.", run_beside_front(ANOTHER_VERSION, "out"));
    assert_status(&command, 0);
    assert_has(command.err, words);
    assert_int_equal(count_words(command.err, "the servers are of different versions: "), 1);
    assert_warned(words);
}

/* ------------------------------------------------------------------ servers that do not belong
 * together */

/* How many znodes the three have below their root. */
static size_t count_znodes(void)
{
    struct setup_session *setup = NULL;
    struct error error;
    size_t children = 0;
    assert_int_equal(setup_session_new(&three->connect, NULL, 5 * NS_PER_S, -1, &setup, &error),
                     ERROR_NONE);
    assert_int_equal(setup_session_list_children(setup, "/", NULL, &children, &error), ERROR_NONE);
    setup_session_free(setup);
    return children;
}

static void assert_nothing_is_left(size_t znodes)
{
    assert_int_equal(count_znodes(), znodes);
    assert_nothing_left_outside(1);
    assert_left(0);
}

/* Whichever of them is named first. */
COMMAND_TEST(two_ensembles_are_refused)
{
    char servers[2 * sizeof all], words[256];
    size_t znodes = count_znodes();
    assert_int_equal(outside_start(state), 0);
    snprintf(servers, sizeof servers, "%s,%s", all, outside);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "2", "-t", "1"));
    snprintf(words, sizeof words,
             "zkherd: %s: not a server of the same ensemble: a znode created through "
             "%s is not visible there",
             outside, address[0]);
    assert_refused(&command, 2, words);
    assert_nothing_is_left(znodes);
    snprintf(servers, sizeof servers, "%s,%s", outside, address[2]);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "2", "-t", "1"));
    snprintf(words, sizeof words, "zkherd: %s: not a server of the same ensemble", address[2]);
    assert_refused(&command, 2, words);
    assert_nothing_is_left(znodes);
}

/* Servers that tell nothing are found out all the same. */
COMMAND_TEST(two_ensembles_without_words_are_refused)
{
    char servers[160];
    size_t znodes = count_znodes();
    struct front front = front_start(one_of_three(0), REFUSES_WORDS);
    snprintf(servers, sizeof servers, "%s,%s", outside, front.address);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "2", "-t", "1"));
    front_stop(&front);
    assert_refused(&command, 2, "not a server of the same ensemble");
    assert_nothing_is_left(znodes);
    outside_stop(state);
}

COMMAND_TEST(a_server_named_twice_is_refused)
{
    char servers[256];
    snprintf(servers, sizeof servers, "%s,%s,localhost:%s", address[0], address[1],
             strchr(address[0], ':') + 1);
    command_run(&command, COMMAND("run", "--connect", servers, "-n", "2", "-t", "1"));
    assert_refused(&command, 2,
                   " (127.0.0.1) are the same server: name each once; see zkherd run --help");
    assert_left(0);
}

TEST_GROUP(start_three, stop_three)
