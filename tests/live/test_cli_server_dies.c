// SPDX-License-Identifier: Apache-2.0
/* A server of --connect that dies, or hangs, while trials are made. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "fleet/setup_session.h"
#include "servers/ensemble.h"

#include <signal.h>

static struct command command;
static const char *const quietly[] = {NO_PROGRAMS, NULL};
static struct ensemble *three; /* not the commands' own */
static char all[3 * 64];       /* a connect string */
static unsigned victim;

/* ------------------------------------------------------------------ the servers */

static bool leads(unsigned index)
{
    struct four_letter_identity identity;
    struct error error;
    assert_int_equal(
        four_letter_identify(&three->connect.endpoints[index], PATIENCE_NS, &identity, &error),
        ERROR_NONE);
    return strcmp(identity.mode, "leader") == 0;
}

/* The first of them that leads, or does not. */
static unsigned find_one(bool that_leads)
{
    unsigned index = 0;
    while (leads(index) != that_leads)
        index++;
    return index;
}

static int start(void **state)
{
    struct ensemble_options options = ensemble_options_default();
    struct error error = {0};
    options.servers = 3;
    options.heap_mib = 128;
    options.fsync = false;
    command.settings = quietly;
    program_find(NULL);
    if (ensemble_start(&options, &three, &error) != ERROR_NONE) {
        print_error("%s: %s: %s\n", error.subject, error_words(error.kind), error.detail);
        return -1;
    }
    const struct endpoint *of = three->connect.endpoints;
    snprintf(all, sizeof all, "%.20s:%u,%.20s:%u,%.20s:%u", of[0].host, of[0].port, of[1].host,
             of[1].port, of[2].host, of[2].port);
    return work_make(state);
}

static int stop(void **state)
{
    int status = work_remove(state);
    ensemble_stop(three);
    return status;
}

#define SERVERS_TEST(test) TEST_BETWEEN(test, start, stop)

/* No session, no ephemeral znode, and no znode but ZooKeeper's own, now or within a while. */
static void assert_nothing_is_left(void)
{
    struct connect_string alone = three->connect;
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    struct four_letter_counters counters = {.ephemerals_count = 1};
    struct setup_session *witness;
    const char *const *found = NULL;
    size_t count = 0;
    struct error error;
    alone.endpoints[0] = three->connect.endpoints[(victim + 1) % 3];
    alone.count = 1;
    while (counters.ephemerals_count > 0 && clock_now_ns() < until_ns) {
        assert_int_equal(four_letter_counters(&alone.endpoints[0], PATIENCE_NS, &counters, &error),
                         ERROR_NONE);
        pause_ms(5);
    }
    assert_int_equal(counters.ephemerals_count, 0);
    assert_int_equal(setup_session_new(&alone, NULL, PATIENCE_NS, -1, &witness, &error),
                     ERROR_NONE);
    do /* its server may be behind the one that has deleted them */
        assert_int_equal(setup_session_list_children(witness, "/", &found, &count, &error),
                         ERROR_NONE);
    while (count > 1 && clock_now_ns() < until_ns);
    assert_int_equal(count, 1);
    setup_session_free(witness);
    assert_left(1);
}

/* ------------------------------------------------------------------ series */

/* What was finished is kept, and what the death did is told: as an error, or in a trial that is not
 * valid. */
static void assert_ended(const char *name)
{
    assert_true(command.status == 3 || command.status == 4);
    assert_int_not_equal(strlen(command.err), 0);
    struct csv_file trials = csv_file_read(in_work("out/%s", name));
    assert_true(trials.rows >= 1);
    assert_string_equal(csv_file_text(&trials, 0, "reconciled"), "yes");
    for (size_t row = 0; row < trials.rows; row++)
        assert_int_equal(csv_file_count(&trials, row, "servers"), 3);
    json_t *manifest = read_manifest("out");
    assert_int_equal(json_integer_value(json_object_get(manifest, "trials_finished")), trials.rows);
    json_decref(manifest);
    csv_file_deinit(&trials);
    assert_nothing_is_left();
}

/* Lets the command finish a trial, and does something to a server. */
static void let_it_suffer(const char *const arguments[], const char *name, bool leader, int signal)
{
    char part[64];
    snprintf(part, sizeof part, "out/%s.part", name);
    victim = find_one(leader);
    command_start(&command, arguments);
    command_await_rows(&command, part, 1);
    assert_int_equal(kill(three->servers[victim].pid, signal), 0);
    command_finish(&command, COMMAND_LIMIT_NS);
    assert_ended(name);
}

#define RUN                                                                                        \
    "run", "--connect", all, "-n", "9", "-r", "scalable", "--noise", "off", "-o", "out", "--hold", \
        "100ms", "-t", "50"

SERVERS_TEST(a_run_ends_when_a_follower_dies)
{
    let_it_suffer(COMMAND(RUN), "trials.csv", false, SIGKILL);
}

SERVERS_TEST(a_run_ends_when_a_follower_hangs)
{
    let_it_suffer(COMMAND(RUN, "--timeout", "5s"), "trials.csv", false, SIGSTOP);
    assert_int_equal(kill(three->servers[victim].pid, SIGCONT), 0);
}

SERVERS_TEST(a_load_ends_when_the_leader_dies)
{
    let_it_suffer(COMMAND("load", "--connect", all, "-n", "9", "-t", "10", "--duration", "1s",
                          "--warm-up", "500ms", "--noise", "off", "-o", "out"),
                  "load.csv", true, SIGKILL);
}
