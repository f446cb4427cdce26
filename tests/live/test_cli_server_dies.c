// SPDX-License-Identifier: Apache-2.0
/* A server of --connect that dies, or hangs, while trials are made: it ends one of them, which is
 * made again with those that are left. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

#include "fleet/setup_session.h"
#include "servers/ensemble.h"

#include <signal.h>

#define CLIENTS 9

static struct command command;
static const char *const quietly[] = {NO_PROGRAMS, NULL};
static struct ensemble *three; /* not the commands' own */
static struct setup_session *witness;
static char address[3][64]; /* of its servers, host:port */
static char all[3 * 64];    /* of them all, as a connect string */
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

static void open_witness(void)
{
    struct connect_string alone = three->connect;
    struct error error;
    alone.endpoints[0] = three->connect.endpoints[(victim + 1) % 3];
    alone.count = 1;
    assert_int_equal(setup_session_new(&alone, NULL, PATIENCE_NS, -1, &witness, &error),
                     ERROR_NONE);
}

/* It is a client of its own, which a trial would find. */
static void close_witness(void)
{
    setup_session_free(witness);
    witness = NULL;
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
    for (unsigned i = 0; i < 3; i++)
        snprintf(address[i], sizeof address[i], "%.20s:%u", three->connect.endpoints[i].host,
                 three->connect.endpoints[i].port);
    snprintf(all, sizeof all, "%s,%s,%s", address[0], address[1], address[2]);
    return work_make(state);
}

static int stop(void **state)
{
    int status = work_remove(state);
    close_witness();
    ensemble_stop(three);
    return status;
}

#define SERVERS_TEST(test) TEST_BETWEEN(test, start, stop)

/* ------------------------------------------------------------------ what is on them */

/* The children of a znode, cut to fit; their number. */
static size_t list(const char *path, char names[][SYNC_SESSION_PATH_MAX], size_t most)
{
    const char *const *found = NULL;
    struct error error;
    size_t count = 0;
    assert_int_equal(setup_session_list_children(witness, path, &found, &count, &error),
                     ERROR_NONE);
    for (size_t i = 0; i < count && i < most; i++)
        snprintf(names[i], SYNC_SESSION_PATH_MAX, "%s", found[i]);
    return count;
}

/* How many znodes the first trial has two levels below its own. */
static size_t count_in_trial(void)
{
    char roots[4][SYNC_SESSION_PATH_MAX], folders[4][SYNC_SESSION_PATH_MAX], path[1100];
    size_t sum = 0, count = list("/", roots, 4);
    for (size_t i = 0; i < count && i < 4; i++) {
        if (strncmp(roots[i], "zkherd-", strlen("zkherd-")) != 0)
            continue;
        snprintf(path, sizeof path, "/%.60s/t0000", roots[i]);
        size_t parts = list(path, folders, 4);
        for (size_t k = 0; k < parts && k < 4; k++) {
            snprintf(path, sizeof path, "/%.60s/t0000/%.100s", roots[i], folders[k]);
            sum += list(path, NULL, 0);
        }
    }
    return sum;
}

/* Every client of the first trial has a znode: it is in its middle. */
static void await_the_middle(void)
{
    open_witness();
    while (command_runs(&command) && count_in_trial() < CLIENTS)
        pause_ms(1);
    close_witness();
}

/* No session, no ephemeral znode, and no znode but ZooKeeper's own, now or within a while. */
static void assert_nothing_is_left(void)
{
    const struct endpoint *endpoint = &three->connect.endpoints[(victim + 1) % 3];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    struct four_letter_counters counters = {.ephemerals_count = 1};
    struct error error;
    while (counters.ephemerals_count > 0 && clock_now_ns() < until_ns) {
        assert_int_equal(four_letter_counters(endpoint, PATIENCE_NS, &counters, &error),
                         ERROR_NONE);
        pause_ms(5);
    }
    assert_int_equal(counters.ephemerals_count, 0);
    open_witness();
    assert_int_equal(list("/", NULL, 0), 1);
    assert_left(1);
}

/* ------------------------------------------------------------------ what is said of it */

/* Of the attempt that is not among the trials. */
static void assert_made_again(const char *why)
{
    struct csv_file rows = csv_file_read(in_work("out/made_again.csv"));
    assert_int_equal(rows.rows, 1);
    assert_int_equal(csv_file_count(&rows, 0, "servers"), 3);
    assert_int_equal(csv_file_count(&rows, 0, "attempt"), 1);
    assert_string_equal(csv_file_text(&rows, 0, "valid"), "no");
    assert_has(csv_file_text(&rows, 0, "reason"), "no longer serving: ");
    assert_has(csv_file_text(&rows, 0, "reason"), address[victim]);
    assert_has(csv_file_text(&rows, 0, "reason"), why);
    csv_file_deinit(&rows);
}

/* Once, on the screen and in the manifest. */
static void assert_warned(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void assert_warned(const char *format, ...)
{
    char words[400];
    size_t found = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    json_t *manifest = read_manifest("out"), *warnings = json_object_get(manifest, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        found += strstr(json_string_value(json_array_get(warnings, i)), words) != NULL;
    json_decref(manifest);
    assert_int_equal(found, 1);
    assert_int_equal(count_words(command.err, words), 1);
}

/* Attempt and servers of a row. What the server's death did is not in it; that the times of a busy
 * machine may not stand is another matter, and the only one for which the command may complain. */
static void assert_trial(const struct csv_file *trials, size_t row, uint64_t attempt,
                         uint64_t servers)
{
    assert_int_equal(csv_file_count(trials, row, "attempt"), attempt);
    assert_int_equal(csv_file_count(trials, row, "servers"), servers);
    assert_null(strstr(csv_file_text(trials, row, "reason"), address[victim]));
    if (command.status == 0)
        assert_string_equal(csv_file_text(trials, row, "valid"), "yes");
}

/* All were made with the two that are left, the first of them again. */
static void assert_made_with_two(const struct csv_file *trials)
{
    assert_int_equal(trials->rows, 2);
    assert_trial(trials, 0, 2, 2);
    assert_trial(trials, 1, 1, 2);
    assert_made_again("(the connection was refused)");
    assert_warned("no longer serving: %s (the connection was refused); trial 1 of 2 is made again "
                  "with 2 servers",
                  address[victim]);
    assert_int_equal(count_words(command.err, "were made with more servers"), 0);
}

/* ------------------------------------------------------------------ a run */

static void assert_as_the_law_says(const struct csv_file *trials)
{
    for (size_t row = 0; row < trials->rows; row++) {
        assert_int_equal(csv_file_count(trials, row, "rpcs"),
                         csv_file_count(trials, row, "law_rpcs"));
        assert_int_equal(csv_file_count(trials, row, "notifications"), CLIENTS - 1);
        assert_string_equal(csv_file_text(trials, row, "reconciled"), "yes");
    }
}

#define RUN                                                                                        \
    "run", "--connect", all, "-n", "9", "-r", "scalable", "--noise", "off", "-o", "out", "--hold"

static void begin_to_run(const char *const arguments[], unsigned index)
{
    victim = index;
    command_start(&command, arguments);
}

static void end_the_victim(int signal)
{
    assert_int_equal(kill(three->servers[victim].pid, signal), 0);
    command_finish(&command, COMMAND_LIMIT_NS);
    if (command.status != 4)
        assert_status(&command, 0);
}

SERVERS_TEST(a_run_goes_on_without_a_follower)
{
    /* Nine holds are long enough for a busy machine to find the middle of them. */
    begin_to_run(COMMAND(RUN, "500ms", "-t", "2"), find_one(false));
    await_the_middle();
    end_the_victim(SIGKILL);
    struct run_files files = run_files_read("out");
    assert_made_with_two(&files.trials);
    assert_as_the_law_says(&files.trials);
    run_files_deinit(&files);
    assert_nothing_is_left();
}

/* Sessions connect to it that never get an answer, and so may that of the run itself. Until it is
 * noticed, trials have been made with all. */
SERVERS_TEST(a_server_that_hangs_is_left_out)
{
    begin_to_run(COMMAND(RUN, "100ms", "-t", "3", "--timeout", "5s"), find_one(false));
    command_await_rows(&command, "out/trials.csv.part", 1);
    end_the_victim(SIGSTOP);
    struct run_files files = run_files_read("out");
    size_t before = files.trials.rows;
    while (before > 0 && csv_file_count(&files.trials, before - 1, "servers") == 2)
        before--;
    assert_int_equal(files.trials.rows, 3);
    assert_in_range(before, 1, 2);
    assert_trial(&files.trials, before, 2, 2);
    assert_as_the_law_says(&files.trials);
    run_files_deinit(&files);
    assert_made_again("(no answer in time)");
    assert_warned("trial %zu of 3 is made again with 2 servers", before + 1);
    assert_warned("%zu of 3 trials were made with more servers than the others, which had 2",
                  before);
    assert_nothing_is_left();
    assert_int_equal(kill(three->servers[victim].pid, SIGCONT), 0);
}

/* ------------------------------------------------------------------ a load */

SERVERS_TEST(a_load_goes_on_without_its_leader)
{
    begin_to_run(COMMAND("load", "--connect", all, "-n", "9", "-t", "2", "--duration", "2s",
                         "--warm-up", "1s", "--noise", "off", "-o", "out"),
                 find_one(true));
    await_the_middle();
    end_the_victim(SIGKILL);
    struct csv_file trials = csv_file_read(in_work("out/load.csv"));
    assert_made_with_two(&trials);
    for (size_t row = 0; row < trials.rows; row++)
        assert_string_equal(csv_file_text(&trials, row, "reconciled"), "yes");
    csv_file_deinit(&trials);
    assert_nothing_is_left();
}
