// SPDX-License-Identifier: Apache-2.0
/* `zkherd worker`, `zkherd hosts`, and loads and locks whose sessions run on several hosts: what
 * they count is what one host counts. */
#include "base/cores.h"
#include "base/text.h"
#include "tests/support/asked.h"
#include "tests/support/hosts.h"

#include <ctype.h>
#include <math.h>

TEST_GROUP(hosts_start, hosts_stop)

/* ------------------------------------------------------------------ what is counted */

static uint64_t sum_where(const struct csv_file *table, size_t trial, const char *const *where)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < table->rows; row++) {
        bool is_of = csv_file_count(table, row, "trial") == trial + 1;
        for (size_t i = 0; where[i] != NULL; i += 2)
            is_of = is_of && strcmp(csv_file_text(table, row, where[i]), where[i + 1]) == 0;
        sum += is_of ? csv_file_count(table, row, "count") : 0;
    }
    return sum;
}

#define SUM_WHERE(table, trial, ...)                                                               \
    sum_where(&(table), trial, (const char *const[]){__VA_ARGS__, NULL})

/* What the hosts have sent has come whole: counts and histograms are those of all operations. */
static void assert_nothing_lost(const char *folder, const struct csv_file *load)
{
    struct csv_file operations = csv_file_read(in_work("%s/operations.csv", folder)),
                    latency = csv_file_read(in_work("%s/latency.csv", folder));
    for (size_t row = 0; row < load->rows; row++) {
        uint64_t gets = csv_file_count(load, row, "gets"), sets = csv_file_count(load, row, "sets");
        assert_int_equal(SUM_WHERE(operations, row, "operation", "get"), gets);
        assert_int_equal(SUM_WHERE(operations, row, "operation", "set"), sets);
        assert_int_equal(SUM_WHERE(latency, row, "role", "all", "operation", "all", "from", "due"),
                         gets + sets);
        assert_int_equal(SUM_WHERE(latency, row, "role", "all", "operation", "all", "from", "sent"),
                         gets + sets);
        assert_int_equal(SUM_WHERE(latency, row, "role", "all", "operation", "set", "from", "due"),
                         sets);
        assert_int_equal(
            SUM_WHERE(latency, row, "role", "standalone", "operation", "get", "from", "sent"),
            gets);
    }
    csv_file_deinit(&operations);
    csv_file_deinit(&latency);
}

static void run_at_a_rate(size_t hosts, const char *folder)
{
    char number[8];
    snprintf(number, sizeof number, "%zu", hosts);
    if (hosts == 0) {
        command_run(&hosts_run, COMMAND(LOAD, AT_A_RATE, "-o", folder));
        return;
    }
    hosts_start_workers(hosts);
    command_run(&hosts_run,
                COMMAND(LOAD, AT_A_RATE, "-o", folder, "--meet", meet, "--workers", number));
    hosts_end_workers(hosts);
}

HOSTS_TEST(hosts_send_what_one_would_have_sent)
{
    static const char *const folders[] = {"none", "two", "three"};
    static const size_t hosts[] = {0, 2, 3};
    static const char *const same[] = {"gets",   "sets",       "offered_per_s", "seed",
                                       "errors", "sessions",   "mix",           "rate_per_s",
                                       "unsent", "over_range", "reconnects"};
    struct csv_file load[3];
    for (size_t i = 0; i < 3; i++) {
        run_at_a_rate(hosts[i], folders[i]);
        load[i] = csv_file_read(in_work("%s/load.csv", folders[i]));
        assert_int_equal(load[i].rows, 1);
        hosts_assert_counted(&load[i]);
        assert_nothing_lost(folders[i], &load[i]);
        for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
            assert_string_equal(csv_file_text(&load[i], 0, same[k]),
                                csv_file_text(&load[0], 0, same[k]));
    }
    assert_int_equal(csv_file_count(&load[0], 0, "gets") + csv_file_count(&load[0], 0, "sets"),
                     600);
    for (size_t i = 0; i < 3; i++)
        csv_file_deinit(&load[i]);
}

/* As fast as they are answered, trial after trial; workers have shares of different sizes. */
HOSTS_TEST(trial_after_trial_is_counted_whole)
{
    place_start_worker(&workers[0], meet, "--share", "1");
    place_start_worker(&workers[1], meet, "--share", "3");
    place_await_waiting(meet, 2);
    command_run(&hosts_run,
                COMMAND("load", "--connect", outside, "-m", "get=60,set=40", "-n", "9,5", "-t", "2",
                        "--depth", "8", "--duration", "1s", "--warm-up", "0", "-o", "out", "--meet",
                        meet, "--workers", "2"));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 4);
    hosts_assert_counted(&load);
    for (size_t row = 0; row < load.rows; row++)
        assert_true(csv_file_count(&load, row, "gets") > csv_file_count(&load, row, "sets"));
    csv_file_deinit(&load);
    json_t *manifest = read_manifest("out");
    const json_t *list = json_object_get(manifest, "workers_of_last_trial");
    assert_int_equal(json_array_size(list), 2);
    json_int_t processes = 0;
    for (size_t i = 0; i < 2; i++)
        processes += json_integer_value(json_object_get(json_array_get(list, i), "processes"));
    assert_int_equal(processes, 1 + 3);
    json_decref(manifest);
    hosts_end_workers(2);
    assert_int_equal(count_words(workers[0].err, " has ended"), 4);
    assert_int_equal(count_words(workers[1].err, " has ended"), 4);
}

/* A worker that is to serve one run ends after it. */
HOSTS_TEST(a_worker_of_one_run_ends_with_it)
{
    command_start(&workers[0], COMMAND("worker", "--meet", meet, "--once", "-q"));
    place_await_waiting(meet, 1);
    command_run(&hosts_run,
                COMMAND(LOAD, AT_A_RATE, "-o", "out", "--meet", meet, "--workers", "1"));
    command_finish(&workers[0], COMMAND_LIMIT_NS);
    assert_status(&workers[0], 0);
    assert_string_equal(workers[0].err, "");
}

/* ------------------------------------------------------------------ the list of hosts */

static const char *text_of(const json_t *worker, const char *key)
{
    return json_string_value(json_object_get(worker, key));
}

HOSTS_TEST(hosts_are_listed)
{
    json_t *root = hosts_list();
    assert_true(json_is_null(json_object_get(root, "leader")));
    assert_int_equal(json_array_size(json_object_get(root, "workers")), 0);
    json_decref(root);
    command_start(&workers[0], COMMAND("worker", "--meet", meet, "--share", "3", "--max-clients",
                                       "50", "--max-rate", "900", "--only", "zk1,zk2:99"));
    place_await_waiting(meet, 1);
    root = hosts_list();
    const json_t *worker = json_array_get(json_object_get(root, "workers"), 0);
    assert_int_equal(json_integer_value(json_object_get(worker, "process")), workers[0].pid);
    assert_int_equal(json_integer_value(json_object_get(worker, "share")), 3);
    assert_int_equal(json_integer_value(json_object_get(worker, "max_clients")), 50);
    assert_int_equal(json_integer_value(json_object_get(worker, "max_rate")), 900);
    assert_string_equal(text_of(worker, "only"), "zk1:2181,zk2:99");
    assert_string_equal(text_of(worker, "doing"), "waits");
    assert_true(json_is_true(json_object_get(worker, "usable")));
    assert_int_equal(strlen(text_of(worker, "member")), strlen("member-0000000000"));
    json_decref(root);
    command_run(&hosts_run, COMMAND("hosts", "--meet", meet));
    assert_status(&hosts_run, 0);
    assert_has(hosts_run.out, "1 worker; no run leads them");
    hosts_end_workers(1);
}

static double number_of(const json_t *worker, const char *key)
{
    return json_number_value(json_object_get(worker, key));
}

/* Nobody knows better than the test, on the same host. */
static void assert_of_this_host(const json_t *worker)
{
    char name[65] = "", version[64];
    double cores = cores_allowed(),
           memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    assert_int_equal(gethostname(name, sizeof name - 1), 0);
    assert_string_equal(text_of(worker, "host"), name);
    assert_true(number_of(worker, "cores") == (cores < 1 ? 1 : floor(cores)));
    assert_true(number_of(worker, "memory_mib") == floor(memory_bytes / (1024 * 1024)));
    command_run(&second, COMMAND("--version"));
    snprintf(version, sizeof version, "zkherd %s\n", text_of(worker, "version"));
    assert_string_equal(second.out, version);
    /* The meeting place has the same clock. */
    assert_true(number_of(worker, "clock_within_ms") > 0);
    assert_true(fabs(number_of(worker, "clock_ahead_ms")) <= number_of(worker, "clock_within_ms"));
}

/* Each word, with blanks around it, is behind the one before. */
static void assert_in_order(const char *text, const char *const *words)
{
    const char *at = text;
    for (; *words != NULL; words++) {
        size_t length = strlen(*words);
        const char *found = at;
        while ((found = strstr(found, *words)) != NULL &&
               ((found > text && !isspace((unsigned char)found[-1])) ||
                (found[length] != '\0' && !isspace((unsigned char)found[length]))))
            found++;
        if (found == NULL)
            fail_msg("'%s' is not behind the words before it in\n%s", *words, text);
        at = found + length;
    }
}

/* The row of the table is what the JSON has. */
HOSTS_TEST(a_host_is_described)
{
    char cores[16], memory[32], clock[64];
    place_start_worker(&workers[0], meet, "--share", "3");
    place_await_waiting(meet, 1);
    json_t *root = hosts_list();
    const json_t *worker = json_array_get(json_object_get(root, "workers"), 0);
    assert_of_this_host(worker);
    snprintf(cores, sizeof cores, "%.0f", number_of(worker, "cores"));
    text_format_count((uint64_t)number_of(worker, "memory_mib"), memory, sizeof memory);
    snprintf(clock, sizeof clock, "%.1f within %.1f", number_of(worker, "clock_ahead_ms"),
             number_of(worker, "clock_within_ms"));
    command_run(&hosts_run, COMMAND("hosts", "--meet", meet));
    assert_status(&hosts_run, 0);
    static const char *const titles[] = {"member", "host", "cores", "MiB", "ms", "release", NULL};
    assert_in_order(hosts_run.out, titles);
    assert_in_order(hosts_run.out, (const char *const[]){
                                       text_of(worker, "member"), text_of(worker, "host"), cores,
                                       memory, clock, text_of(worker, "version"), "waits", NULL});
    json_decref(root);
    hosts_end_workers(1);
}

/* ------------------------------------------------------------------ one run at a time */

HOSTS_TEST(a_second_run_is_refused)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND(LOAD, ENDLESS, "-o", "out", "--meet", meet, "--workers", "2"));
    place_await_led(meet, true);
    command_run(&second, COMMAND(LOAD, ENDLESS, "-o", "other", "--meet", meet, "--workers", "1"));
    assert_refused(&second, 3, "leads the workers");
    assert_has(second.err, meet);
    assert_has(second.err, "zkherd load on ");
    assert_true(command_runs(&hosts_run));
    command_end(&hosts_run, hosts_run.pid, SIGINT);
    assert_true(hosts_run.status != 0);
    place_await_led(meet, false);
    place_await_waiting(meet, 2);
    hosts_end_workers(2);
}

/* Three loads wait at once, because each waits for half a minute. */
HOSTS_TEST(a_run_waits_for_workers_and_ends_without)
{
    struct meeting *strange = place_open(few_at);
    struct meeting_member member = {.protocol = MEETING_PROTOCOL, .share = 1, .host = "strange"};
    struct error error = {0};
    snprintf(member.doing, sizeof member.doing, "waits");
    snprintf(member.meaning, sizeof member.meaning, "%064d", 7);
    place_expect(meeting_join(strange, &member, &error), &error);
    place_start_worker(&workers[0], some_at, "--share", "1");
    place_await_waiting(some_at, 1);
    command_start(&second,
                  COMMAND(LOAD, AT_A_RATE, "-o", "other", "--meet", few_at, "--workers", "1"));
    place_finish(strange, &second);
    assert_refused(
        &second, 3,
        "few: too few workers: 0 of 1 are there, without member-0000000000 on strange (it is of "
        "another version of zkherd, whose results have another meaning)");
    meeting_free(strange);
    command_run(&hosts_run,
                COMMAND(LOAD, AT_A_RATE, "-o", "out", "--meet", some_at, "--workers", "1..2"));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    csv_file_deinit(&load);
    hosts_end_workers(1);
    place_assert_empty(few_at);
    place_assert_empty(some_at);
}

/* ------------------------------------------------------------------ limits of a worker */

static void check_limit(const char *option, const char *value, const char *rate, const char *words)
{
    place_start_worker(&workers[0], meet, option, value);
    place_await_waiting(meet, 1);
    if (rate != NULL)
        command_run(&hosts_run, COMMAND(LOAD, "-n", "6", "--rate", rate, "--duration", "1s", "-o",
                                        option, "--meet", meet, "--workers", "1"));
    else
        command_run(&hosts_run, COMMAND(LOAD, "-n", "6", "--duration", "1s", "-o", option, "--meet",
                                        meet, "--workers", "1"));
    char file[32];
    snprintf(file, sizeof file, "%s/load.csv", option);
    hosts_assert_spoilt(file, words);
    place_await_waiting(meet, 1);
    hosts_end_workers(1);
    assert_has(workers[0].err, "was given up: ");
}

/* Of a folder's name the option's dashes are a part. */
HOSTS_TEST(a_worker_takes_no_more_than_it_was_told)
{
    check_limit("--max-clients", "5", "100", "this worker takes fewer sessions (--max-clients)");
    work_remove(NULL);
    work_make(NULL);
    check_limit("--max-rate", "99", "100",
                "this worker takes fewer requests a second (--max-rate)");
    work_remove(NULL);
    work_make(NULL);
    check_limit("--max-rate", "99", NULL,
                "this worker takes no load as fast as it is answered (--max-rate)");
    work_remove(NULL);
    work_make(NULL);
    check_limit("--only", "127.0.0.1:1", "100", "this worker does not load this server (--only)");
}

HOSTS_TEST(a_worker_takes_as_much_as_it_was_told)
{
    command_start(&workers[0], COMMAND("worker", "--meet", meet, "--max-clients", "6", "--max-rate",
                                       "300", "--only", outside));
    place_await_waiting(meet, 1);
    command_run(&hosts_run,
                COMMAND(LOAD, AT_A_RATE, "-o", "out", "--meet", meet, "--workers", "1"));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    csv_file_deinit(&load);
    hosts_end_workers(1);
}

/* ------------------------------------------------------------------ wrong command lines */

HOSTS_TEST(what_cannot_be_is_refused)
{
#define MEETS "--connect", "nowhere", "--meet", "nowhere"
    static const struct refusal loads[] = {
        {{"--meet", "nowhere", "--workers", "1"}, "without --connect"},
        {{MEETS}, "without --workers"},
        {{"--connect", "nowhere", "--workers", "1"}, "without --meet"},
        {{"--connect", "nowhere", "--keep-parts"}, "--keep-parts without --meet"},
        {{MEETS, "--workers", "0"}, "expected how many workers"},
        {{MEETS, "--workers", "4..2"}, "expected how many workers"},
        {{MEETS, "--workers", "2.."}, "expected how many workers"},
        {{MEETS, "--workers", "..2"}, "expected how many workers"},
        {{MEETS, "--workers", "1...2"}, "expected how many workers"},
        {{MEETS, "--workers", "x"}, "expected how many workers"},
        {{MEETS, "--workers", "1001"}, "expected how many workers"},
        {{MEETS, "--workers", "21"}, "more workers than sessions: at most 20"},
        {{MEETS, "--workers", "1", "--keep-parts", "--no-files"}, "--no-files with --keep-parts"},
        {{MEETS, "--workers", "1", "--watch", "5"}, "with --meet"},
        {{MEETS, "--workers", "1", "-P", "2"}, "with --meet"},
        {{"--meet", "", "--workers", "1"}, "--meet"},
    };
    static const struct refusal of_workers[] = {
        {{"-q"}, "missing: where to wait for jobs"},
        {{"--meet", "nowhere", "--share", "0"}, "--share"},
        {{"--meet", "nowhere", "--max-clients", "0"}, "--max-clients"},
        {{"--meet", "nowhere", "--max-rate", "-1"}, "--max-rate"},
        {{"--meet", "nowhere", "--only", ""}, "--only"},
        {{"--meet", "nowhere", "--only", "nowhere/chroot"}, "--only with a chroot"},
    };
    static const struct refusal hosts[] = {
        {{"--json"}, "missing"},
        {{"--meet", ""}, "--meet"},
    };
    ASSERT_LINES_REFUSED(&hosts_run, "load", loads);
    ASSERT_LINES_REFUSED(&hosts_run, "worker", of_workers);
    ASSERT_LINES_REFUSED(&hosts_run, "hosts", hosts);
}

HOSTS_TEST(what_is_of_one_host_says_so)
{
    static const struct refusal list[] = {
        {{"--meet", "nowhere"}, "only zkherd load and zkherd run take workers"},
        {{"--workers", "2"}, "docs/hosts.md says why"},
    };
    ASSERT_LINES_REFUSED(&hosts_run, "plan", list);
    ASSERT_LINES_REFUSED(&hosts_run, "paper", list);
    ASSERT_LINES_REFUSED(&hosts_run, "claims", list);
}

/* No cell has fewer sessions than workers, whichever it is. */
HOSTS_TEST(no_worker_is_without_a_session)
{
    command_run(&hosts_run, COMMAND("load", MEETS, "-n", "8,2", "--workers", "4"));
    assert_refused(&hosts_run, 2, "more workers than sessions: at most 2");
}

/* ------------------------------------------------------------------ ends */

HOSTS_TEST(a_worker_that_is_ended_spoils_the_trial)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND(LOAD, ENDLESS, "-o", "out", "--meet", meet, "--workers", "2"));
    place_await_working(meet, 2);
    place_end_worker(&workers[0]);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    hosts_assert_spoilt("out/load.csv", "worker member-"); /* has given up, or has gone */
    place_await_waiting(meet, 1);
    place_end_worker(&workers[1]);
}

/* Its session with the meeting place ends with its timeout. */
HOSTS_TEST(a_worker_that_dies_spoils_the_trial)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND(LOAD, ENDLESS, "-o", "out", "--meet", meet, "--workers", "2"));
    place_await_working(meet, 2);
    command_end(&workers[0], workers[0].pid, SIGKILL);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    hosts_assert_spoilt("out/load.csv", "has gone: its session with the meeting place has ended");
    place_await_waiting(meet, 1);
    place_end_worker(&workers[1]);
}

static void assert_attempt(const struct csv_file *rows, size_t row, uint64_t trial,
                           uint64_t attempt, uint64_t hosts)
{
    assert_int_equal(csv_file_count(rows, row, "trial"), trial);
    assert_int_equal(csv_file_count(rows, row, "attempt"), attempt);
    assert_int_equal(csv_file_count(rows, row, "hosts"), hosts);
    assert_int_equal(csv_file_count(rows, row, "processes"), hosts);
    assert_int_equal(csv_file_count(rows, row, "sessions"), 6);
}

/* And so is the next one made. Of the attempt nothing is in the files of the trials. */
HOSTS_TEST(a_trial_is_made_again_with_the_workers_that_are_left)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND("load", "--connect", outside, "--timeout", PATIENCE, "-t", "2", "-n", "6",
                          "--rate", "100", "--duration", "5s", "--warm-up", "0", "-o", "out",
                          "--meet", meet, "--workers", "1..2"));
    place_await_working(meet, 2);
    command_end(&workers[0], workers[0].pid, SIGKILL);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    place_await_waiting(meet, 1);
    place_end_worker(&workers[1]);
    struct csv_file load = csv_file_read(in_work("out/load.csv")),
                    again = csv_file_read(in_work("out/made_again.csv")),
                    hosts = csv_file_read(in_work("out/hosts.csv"));
    hosts_assert_counted(&load);
    assert_int_equal(load.rows, 2);
    assert_attempt(&load, 0, 1, 2, 1);
    assert_attempt(&load, 1, 2, 1, 1);
    assert_int_equal(again.rows, 1);
    assert_attempt(&again, 0, 1, 1, 2);
    assert_string_equal(csv_file_text(&again, 0, "valid"), "no");
    assert_has(csv_file_text(&again, 0, "reason"),
               "has gone: its session with the meeting place has ended");
    assert_has(csv_file_text(&again, 0, "reason"), "made again with the workers that are there");
    assert_int_equal(hosts.rows, 2);
    for (size_t row = 0; row < hosts.rows; row++)
        assert_int_equal(csv_file_count(&hosts, row, "host_sessions"), 6);
    assert_has(hosts_run.err, "trial 1 of 2 is made again with the workers that are there, 1 at "
                              "least");
    assert_has(hosts_run.err, "1 trial was made again, because other programs, a server or a "
                              "worker disturbed it: the attempt before is in made_again.csv");
    csv_file_deinit(&load);
    csv_file_deinit(&again);
    csv_file_deinit(&hosts);
}

/* Those are taken that have joined first. */
HOSTS_TEST(a_worker_that_waits_takes_the_place_of_one_that_has_gone)
{
    hosts_start_workers(1);
    place_start_worker(&workers[1], meet, "--share", "1");
    place_await_waiting(meet, 2);
    command_start(&hosts_run,
                  COMMAND("load", "--connect", outside, "--timeout", PATIENCE, "-t", "1", "-n", "6",
                          "--rate", "100", "--duration", "5s", "--warm-up", "0", "-o", "out",
                          "--meet", meet, "--workers", "1"));
    place_await_working(meet, 1);
    command_end(&workers[0], workers[0].pid, SIGKILL);
    command_finish(&hosts_run, COMMAND_LIMIT_NS);
    place_await_waiting(meet, 1);
    place_end_worker(&workers[1]);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    assert_int_equal(load.rows, 1);
    assert_attempt(&load, 0, 1, 2, 1);
    csv_file_deinit(&load);
}

/* Znodes of the trial on the measured servers, which has its own set-up. */
HOSTS_TEST(workers_remove_the_znodes_of_a_run_that_has_gone)
{
    hosts_start_workers(2);
    command_start(&hosts_run,
                  COMMAND(LOAD, ENDLESS, "-o", "out", "--meet", meet, "--workers", "2"));
    place_await_working(meet, 2);
    command_end(&hosts_run, hosts_run.pid, SIGKILL);
    place_await_waiting(meet, 2); /* when the servers have ended the run's session */
    assert_nothing_left_outside(1);
    hosts_end_workers(2);
    assert_has(workers[0].err, "its znodes are removed");
    assert_has(workers[1].err, "its znodes are removed");
}

/* ------------------------------------------------------------------ locks in lockstep */

#define LOCKS                                                                                      \
    "run", "--connect", outside, "--timeout", PATIENCE, "--seed", "7", "-n", "7,10", "-r",         \
        "nonscalable,childwatch,scalable,rwlock", "-t", "1", "--noise", "report"

static void assert_same_columns(const char *file, const char *const *columns)
{
    char path[64];
    snprintf(path, sizeof path, "alone/%s", file);
    struct csv_file alone = csv_file_read(in_work("%s", path));
    snprintf(path, sizeof path, "shared/%s", file);
    struct csv_file shared = csv_file_read(in_work("%s", path));
    assert_true(alone.rows > 0);
    assert_int_equal(shared.rows, alone.rows);
    for (size_t row = 0; row < alone.rows; row++) {
        for (size_t i = 0; columns[i] != NULL; i++) {
            const char *one = csv_file_text(&alone, row, columns[i]);
            const char *many = csv_file_text(&shared, row, columns[i]);
            if (strcmp(one, many) != 0)
                fail_msg("%s, row %zu, %s: %s on three hosts, %s on one", file, row, columns[i],
                         many, one);
        }
    }
    csv_file_deinit(&alone);
    csv_file_deinit(&shared);
}

/* The trial of this row of another file. */
static size_t trial_of(const struct csv_file *trials, const struct csv_file *file, size_t row)
{
    size_t trial = 0;
    while (strcmp(csv_file_text(trials, trial, "recipe"), csv_file_text(file, row, "recipe")) !=
               0 ||
           csv_file_count(trials, trial, "clients") != csv_file_count(file, row, "clients"))
        trial++;
    return trial;
}

/* Two clocks are never known exactly: the times lie apart by more than the clocks may drift, up and
 * down by 1 ms for each second, if the lower one is not cut off at 0. */
static void assert_apart(void)
{
    struct csv_file trials = csv_file_read(in_work("shared/trials.csv")),
                    apart = csv_file_read(in_work("shared/hosts_handoffs.csv"));
    assert_true(apart.rows > 0);
    for (size_t row = 0; row < apart.rows; row++) {
        double least_us = csv_file_real(&apart, row, "least_us"),
               most_us = csv_file_real(&apart, row, "most_us"),
               elapsed_s = csv_file_real(&trials, trial_of(&trials, &apart, row), "elapsed_s");
        assert_string_not_equal(csv_file_text(&apart, row, "released_at"),
                                csv_file_text(&apart, row, "granted_at"));
        assert_true(least_us < most_us);
        assert_true(least_us == 0 || most_us - least_us > 2 * 1e3 * elapsed_s + 1);
    }
    csv_file_deinit(&trials);
    csv_file_deinit(&apart);
}

/* The memory of five processes; a little less of those that a worker has forked. */
static void assert_no_more_memory(void)
{
    struct csv_file alone = csv_file_read(in_work("alone/trials.csv")),
                    shared = csv_file_read(in_work("shared/trials.csv"));
    for (size_t row = 0; row < shared.rows; row++) {
        double times = csv_file_real(&shared, row, "client_rss_kib") /
                       csv_file_real(&alone, row, "client_rss_kib");
        assert_true(times > 0.5 && times < 1);
    }
    csv_file_deinit(&alone);
    csv_file_deinit(&shared);
}

/* Message for message and handoff for handoff, but for who of a herd wins; and what the servers
 * counted is what the hosts did.
 */
HOSTS_TEST(locks_on_three_hosts_count_as_on_one)
{
    static const char *const of_trials[] = {"recipe",
                                            "clients",
                                            "handoffs",
                                            "creates",
                                            "creates_failed",
                                            "exists",
                                            "gets",
                                            "get_children",
                                            "deletes",
                                            "notifications",
                                            "names_listed",
                                            "rpcs",
                                            "law_rpcs",
                                            "law_notifications",
                                            "violations",
                                            "notifications_spurious",
                                            "fairness_jain",
                                            "reconciled",
                                            NULL};
    static const char *const of_handoffs[] = {
        "recipe", "clients",      "handoff", "waiters",       "granted",      "creates", "exists",
        "gets",   "get_children", "deletes", "notifications", "names_listed", NULL};
    command_run(&hosts_run, COMMAND(LOCKS, "-P", "5", "--out", in_work("alone")));
    if (hosts_run.status != 4) /* times that do not stand */
        assert_status(&hosts_run, 0);
    place_start_worker(&workers[0], meet, "--share", "3");
    place_start_worker(&workers[1], meet, "--share", "1");
    place_start_worker(&workers[2], meet, "--share", "1");
    place_await_waiting(meet, WORKERS);
    command_run(&hosts_run,
                COMMAND(LOCKS, "--meet", meet, "--workers", "3", "--out", in_work("shared")));
    if (hosts_run.status != 4)
        assert_status(&hosts_run, 0);
    hosts_end_workers(WORKERS);
    assert_no_more_memory();
    assert_same_columns("trials.csv", of_trials);
    assert_same_columns("handoffs.csv", of_handoffs);
    assert_apart();
}

/* In free pace each client creates, is granted and deletes once, whoever it waits for; every
 * message of a trial is in one count, and the servers have the same. Handoffs have times where
 * sequence numbers tell who followed whom. */
HOSTS_TEST(locks_at_free_pace_on_three_hosts_are_counted_whole)
{
    hosts_start_workers(WORKERS);
    command_run(&hosts_run,
                COMMAND("run", "--connect", outside, "--timeout", PATIENCE, "--noise", "report",
                        "-r", "scalable,rwlock,nonscalable", "--pace", "free", "-n", "7,20", "-t",
                        "2", "--hold", "2ms", "--meet", meet, "--workers", "3", "--out", "out"));
    if (hosts_run.status != 4) /* times that do not stand */
        assert_status(&hosts_run, 0);
    hosts_end_workers(WORKERS);
    struct csv_file trials = csv_file_read(in_work("out/trials.csv")),
                    apart = csv_file_read(in_work("out/hosts_handoffs.csv")),
                    handoffs = csv_file_read(in_work("out/handoffs.csv")),
                    latency = csv_file_read(in_work("out/latency.csv"));
    assert_int_equal(trials.rows, 3 * 2 * 2);
    assert_int_equal(handoffs.rows, 0);
    for (size_t row = 0; row < trials.rows; row++) {
        uint64_t clients = csv_file_count(&trials, row, "clients");
        double drain_s = csv_file_real(&trials, row, "drain_s"),
               elapsed_s = csv_file_real(&trials, row, "elapsed_s");
        assert_string_equal(csv_file_text(&trials, row, "reconciled"), "yes");
        assert_int_equal(csv_file_count(&trials, row, "violations"), 0);
        assert_string_equal(csv_file_text(&trials, row, "order_inversions"), "");
        assert_int_equal(csv_file_count(&trials, row, "handoffs"), clients);
        assert_int_equal(csv_file_count(&trials, row, "deletes"), clients);
        assert_int_equal(csv_file_count(&trials, row, "creates") -
                             csv_file_count(&trials, row, "creates_failed"),
                         clients);
        assert_true(drain_s > 0 && drain_s < elapsed_s);
    }
    /* Those of the queue alone are timed: one less than its clients in each trial. */
    uint64_t acquired = 0, inside = 0;
    for (size_t trial = 0; trial < 2; trial++) {
        acquired += SUM_WHERE(latency, trial, "role", "all", "kind", "acquire");
        inside += SUM_WHERE(latency, trial, "role", "all", "kind", "handoff");
    }
    assert_int_equal(acquired, 3 * 2 * (7 + 20));
    assert_int_equal(inside + apart.rows, 2 * (7 - 1 + 20 - 1));
    for (size_t row = 0; row < apart.rows; row++) {
        assert_string_equal(csv_file_text(&apart, row, "recipe"), "scalable");
        assert_string_not_equal(csv_file_text(&apart, row, "released_at"),
                                csv_file_text(&apart, row, "granted_at"));
    }
    csv_file_deinit(&trials);
    csv_file_deinit(&apart);
    csv_file_deinit(&handoffs);
    csv_file_deinit(&latency);
}

HOSTS_TEST(what_hosts_cannot_share_is_refused)
{
    static const char *const options[][3] = {
        {"--workload", "steady", "--workload drain"},
        {"--locks", "2", "one lock"},
        {"--trace", "1", "several clocks"},
        {"-r", "barrier", "in one memory"},
        {"-r", "counter", "add --pace free"},
        {"-r", "softlock", "--recipes softlock: not with --meet: its "},
        {"-r", "broken-leak", "in one memory"},
        {"--background", "get=100@10", "this host's"}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *pace = strcmp(options[i][0], "--background") == 0 ? "free" : "lockstep";
        command_run(&hosts_run,
                    COMMAND("run", "--connect", outside, "--meet", meet, "--workers", "2", "-n",
                            "8", "--pace", pace, options[i][0], options[i][1]));
        assert_status(&hosts_run, 2);
        assert_has(hosts_run.err, options[i][2]);
    }
}
