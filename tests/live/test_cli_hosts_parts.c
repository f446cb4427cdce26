// SPDX-License-Identifier: Apache-2.0
/* What the files of a load say of each of its hosts: the parts are the whole, to the last slot of
 * every histogram. */
#include "tests/support/hlog_file.h"
#include "tests/support/hosts.h"

#include <math.h>

#define MEETS(count, folder) "-o", folder, "--meet", meet, "--workers", count

TEST_GROUP(hosts_start, hosts_stop)

static bool is_there(const char *folder, const char *file)
{
    return access(in_work("%s/%s", folder, file), F_OK) == 0;
}

static uint64_t sum_of(const struct csv_file *table, const char *column)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < table->rows; row++)
        sum += csv_file_count(table, row, column);
    return sum;
}

static void assert_near(double found, double expected, double within)
{
    if (!(fabs(found - expected) <= within))
        fail_msg("%f instead of %f", found, expected);
}

/* ------------------------------------------------------------------ histograms */

/* Adds the intervals of this tag, and behind `end` those of each of its parts; returns how many
 * they are. */
static size_t add_tagged(const char *log, const char *tag, const char *end, uint64_t *counts)
{
    char found[HLOG_TAG_SIZE];
    size_t length = strlen(tag), intervals = 0;
    for (const char *line = log; (line = hlog_file_next(line, found)) != NULL;) {
        if (strncmp(found, tag, length) != 0 || strncmp(found + length, end, strlen(end)) != 0 ||
            (end[0] == '\0' && found[length] != '\0'))
            continue;
        hlog_file_add(line, counts);
        intervals++;
    }
    return intervals;
}

static uint64_t assert_parts_are_the_whole(const char *log, const char *tag)
{
    static uint64_t whole[HISTOGRAM_COUNTS], parts[HISTOGRAM_COUNTS];
    uint64_t sum = 0;
    memset(whole, 0, sizeof whole);
    memset(parts, 0, sizeof parts);
    assert_int_equal(add_tagged(log, tag, "", whole), 1);
    size_t hosts = add_tagged(log, tag, ".host", parts);
    if (hosts < 1 || hosts > WORKERS)
        fail_msg("%s has parts of %zu hosts", tag, hosts);
    for (size_t slot = 0; slot < HISTOGRAM_COUNTS; slot++) {
        if (parts[slot] != whole[slot])
            fail_msg("%s, slot %zu: %llu of all hosts, %llu of the load", tag, slot,
                     (unsigned long long)parts[slot], (unsigned long long)whole[slot]);
        sum += whole[slot];
    }
    return sum;
}

/* Every tag but those of seconds, which are no times of operations of their own. */
static void assert_log_is_of_parts(const char *log, uint64_t operations)
{
    char tag[HLOG_TAG_SIZE];
    size_t tags = 0;
    for (const char *line = log; (line = hlog_file_next(line, tag)) != NULL;) {
        if (strncmp(tag, "second", 6) == 0 || strstr(tag, ".host") != NULL)
            continue;
        uint64_t sum = assert_parts_are_the_whole(log, tag);
        if (strncmp(tag, "all.", 4) == 0)
            assert_int_equal(sum, operations);
        tags++;
    }
    assert_int_equal(tags, 2 * 3 * 2); /* all, get, set; sent and due; all and standalone */
}

/* Tags of parts, such as all.due.all.host1; returns how many there are. */
static size_t count_parts(const char *log, const char *of)
{
    char tag[HLOG_TAG_SIZE];
    size_t count = 0;
    for (const char *line = log; (line = hlog_file_next(line, tag)) != NULL;)
        count += strstr(tag, of) != NULL;
    return count;
}

/* ------------------------------------------------------------------ counts */

static bool is_same(const struct csv_file *whole, size_t row, const struct csv_file *parts,
                    size_t part, const char *const *keys)
{
    bool same = true;
    for (size_t i = 0; keys[i] != NULL; i++)
        same = same &&
               strcmp(csv_file_text(whole, row, keys[i]), csv_file_text(parts, part, keys[i])) == 0;
    return same;
}

/* Rows with the same keys of all hosts sum to that of the load, in this column; and no host has a
 * row that the load has not. */
static void assert_rows_sum(const char *folder, const char *file, const char *column,
                            const char *const *keys)
{
    struct csv_file whole = csv_file_read(in_work("%s/%s", folder, file)),
                    parts = csv_file_read(in_work("%s/hosts_%s", folder, file));
    size_t taken = 0;
    assert_true(whole.rows > 0);
    for (size_t row = 0; row < whole.rows; row++) {
        uint64_t sum = 0;
        for (size_t part = 0; part < parts.rows; part++) {
            if (!is_same(&whole, row, &parts, part, keys))
                continue;
            sum += csv_file_count(&parts, part, column);
            taken++;
        }
        if (sum != csv_file_count(&whole, row, column))
            fail_msg("%s, row %zu: %s of all hosts is %llu", file, row, column,
                     (unsigned long long)sum);
    }
    assert_int_equal(taken, parts.rows);
    csv_file_deinit(&whole);
    csv_file_deinit(&parts);
}

/* What was answered in the measured time has its seconds in timeline.csv. */
static void assert_hosts_sum(const char *folder, const struct csv_file *load)
{
    struct csv_file hosts = csv_file_read(in_work("%s/hosts.csv", folder)),
                    timeline = csv_file_read(in_work("%s/timeline.csv", folder));
    uint64_t operations = sum_of(&hosts, "operations");
    assert_int_equal(hosts.rows, WORKERS);
    assert_int_equal(operations, sum_of(&timeline, "operations"));
    assert_true(operations > 0);
    assert_near(csv_file_real(load, 0, "achieved_per_s") * csv_file_real(load, 0, "seconds"),
                (double)operations, 0.5);
    assert_int_equal(sum_of(&hosts, "errors"), csv_file_count(load, 0, "errors"));
    assert_int_equal(sum_of(&hosts, "unsent"), csv_file_count(load, 0, "unsent"));
    assert_int_equal(sum_of(&hosts, "host_sessions"), csv_file_count(load, 0, "sessions"));
    assert_int_equal(sum_of(&hosts, "processes"), csv_file_count(load, 0, "processes"));
    for (size_t row = 0; row < hosts.rows; row++) {
        assert_true(csv_file_count(&hosts, row, "operations") < operations);
        for (size_t other = 0; other < row; other++)
            assert_string_not_equal(csv_file_text(&hosts, row, "member"),
                                    csv_file_text(&hosts, other, "member"));
    }
    csv_file_deinit(&hosts);
    csv_file_deinit(&timeline);
}

/* In the order of the rows of hosts.csv, which is that in which they have joined. */
static void assert_parts_are_numbered(const char *folder, const char *log)
{
    static uint64_t counts[HISTOGRAM_COUNTS];
    static const char *const key[] = {"member", NULL};
    struct csv_file hosts = csv_file_read(in_work("%s/hosts.csv", folder)),
                    latency = csv_file_read(in_work("%s/hosts_latency.csv", folder));
    assert_int_equal(csv_file_count(&hosts, 0, "processes"), 2);
    for (size_t host = 0; host < WORKERS; host++) {
        uint64_t sum = 0;
        char tag[HLOG_TAG_SIZE];
        snprintf(tag, sizeof tag, "all.due.all.host%zu", host + 1);
        memset(counts, 0, sizeof counts);
        assert_int_equal(add_tagged(log, tag, "", counts), 1);
        for (size_t row = 0; row < latency.rows; row++) {
            if (is_same(&hosts, host, &latency, row, key) &&
                strcmp(csv_file_text(&latency, row, "role"), "all") == 0 &&
                strcmp(csv_file_text(&latency, row, "operation"), "all") == 0 &&
                strcmp(csv_file_text(&latency, row, "from"), "due") == 0)
                sum += csv_file_count(&latency, row, "count");
        }
        for (size_t slot = 0; slot < HISTOGRAM_COUNTS; slot++)
            sum -= counts[slot];
        assert_int_equal(sum, 0);
    }
    csv_file_deinit(&hosts);
    csv_file_deinit(&latency);
}

/* ------------------------------------------------------------------ the meeting */

/* What load.csv has, told in other units and with fewer digits. */
static void assert_meeting_told(const struct csv_file *load)
{
    double spread_us = csv_file_real(load, 0, "start_spread_us"),
           p50_us = csv_file_real(load, 0, "probe_p50_us"),
           p99_us = csv_file_real(load, 0, "probe_p99_us"), spread_ms, probe_ms, percent;
    uint64_t requests = csv_file_count(load, 0, "meeting_requests"),
             rpcs = csv_file_count(load, 0, "rpcs");
    assert_int_equal(csv_file_count(load, 0, "hosts"), WORKERS);
    assert_true(spread_us > 0);
    assert_true(p50_us > 0 && p50_us <= p99_us);
    assert_true(requests > 0);
    words_unwrap(hosts_run.out);
    const char *told = strstr(hosts_run.out, "\nworkers: the last began ");
    if (told == NULL)
        fail_msg("'%s' does not tell of the workers", hosts_run.out);
    assert_int_equal(sscanf(told,
                            "\nworkers: the last began %lf ms after the first at most; a probe of "
                            "a host without load took %lf ms at most at the 99th percentile; the "
                            "meeting place got %lf %% as many requests as the servers.",
                            &spread_ms, &probe_ms, &percent),
                     3);
    assert_near(spread_ms, spread_us / 1e3, 0.051);
    assert_near(probe_ms, p99_us / 1e3, 0.0051);
    assert_near(percent, 100 * (double)requests / (double)rpcs, 0.0051);
}

/* ------------------------------------------------------------------ loads */

/* The first of the hosts has two processes. */
HOSTS_TEST(parts_of_hosts_are_the_whole)
{
    static const char *const of_operations[] = {"trial", "operation", "status", NULL};
    static const char *const of_latency[] = {"trial", "role", "operation", "from", NULL};
    for (size_t i = 0; i < WORKERS; i++) {
        place_start_worker(&workers[i], meet, "--share", i == 0 ? "2" : "1");
        place_await_waiting(meet, i + 1);
    }
    command_run(&hosts_run, COMMAND(LOAD, AT_A_RATE, MEETS("3", "out"), "--keep-parts"));
    hosts_end_workers(WORKERS);
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    assert_int_equal(load.rows, 1);
    assert_int_equal(csv_file_count(&load, 0, "processes"), 2 + 1 + 1);
    hosts_assert_counted(&load);
    assert_hosts_sum("out", &load);
    assert_rows_sum("out", "operations.csv", "count", of_operations);
    assert_rows_sum("out", "latency.csv", "count", of_latency);
    assert_rows_sum("out", "latency.csv", "over_range", of_latency);
    char *log = read_text(in_work("out/latency.hlog"));
    assert_log_is_of_parts(log,
                           csv_file_count(&load, 0, "gets") + csv_file_count(&load, 0, "sets"));
    assert_parts_are_numbered("out", log);
    free(log);
    assert_meeting_told(&load);
    csv_file_deinit(&load);
}

/* Of the histograms the log has one for each host, that of all its responses. */
HOSTS_TEST(without_its_option_no_part_is_kept)
{
    hosts_start_workers(2);
    command_run(&hosts_run, COMMAND(LOAD, AT_A_RATE, MEETS("2", "out")));
    hosts_end_workers(2);
    assert_true(is_there("out", "hosts.csv"));
    assert_false(is_there("out", "hosts_operations.csv"));
    assert_false(is_there("out", "hosts_latency.csv"));
    char *log = read_text(in_work("out/latency.hlog"));
    assert_int_equal(count_parts(log, ".host"), 2);
    assert_int_equal(count_parts(log, "all.due.all.host"), 2);
    assert_true(assert_parts_are_the_whole(log, "all.due.all") > 0);
    free(log);
}

HOSTS_TEST(a_load_of_one_host_has_no_parts)
{
    command_run(&hosts_run,
                COMMAND(LOAD, "-n", "6", "--rate", "100", "--duration", "1s", "-o", "out"));
    struct csv_file load = csv_file_read(in_work("out/load.csv"));
    hosts_assert_counted(&load);
    assert_int_equal(csv_file_count(&load, 0, "hosts"), 0);
    assert_int_equal(csv_file_count(&load, 0, "meeting_requests"), 0);
    assert_string_equal(csv_file_text(&load, 0, "start_spread_us"), "");
    assert_string_equal(csv_file_text(&load, 0, "probe_p50_us"), "");
    assert_string_equal(csv_file_text(&load, 0, "probe_p99_us"), "");
    csv_file_deinit(&load);
    assert_false(is_there("out", "hosts.csv"));
    char *log = read_text(in_work("out/latency.hlog"));
    assert_int_equal(count_parts(log, ".host"), 0);
    free(log);
    assert_null(strstr(hosts_run.out, "workers: "));
}
