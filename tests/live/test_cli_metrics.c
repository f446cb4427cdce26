// SPDX-License-Identifier: Apache-2.0
/* --metrics of `zkherd run` and `zkherd load`: whatever is told while trials go on agrees with the
 * rows of the files, and nobody who asks, or does not, disturbs them. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/port.h"
#include "tests/support/scrape.h"
#include "tests/support/test.h"

#include <math.h>
#include <signal.h>

#define SCRAPES_MAX 100
/* Between the questions of those who ask at once. */
#define BREATH_MS 100
#define AT_ONCE   4

static struct command command;
static const char *const without_java[] = {NO_JAVA, NULL};
static char port[8];
static uint16_t port_number;

static int make(void **state)
{
    command.settings = NULL;
    command.prepare = NULL;
    port_number = scrape_port();
    snprintf(port, sizeof port, "%u", port_number);
    return work_make(state);
}

/* ------------------------------------------------------------------ all that is told */

struct scrapes {
    char *list[SCRAPES_MAX];
    size_t count;
};

static struct scrapes scrapes;

/* Of more than there is room for, every second one is kept. */
static void keep(char *answer)
{
    if (scrapes.count == SCRAPES_MAX) {
        for (size_t i = 0; i < SCRAPES_MAX; i += 2) {
            free(scrapes.list[i]);
            scrapes.list[i / 2] = scrapes.list[i + 1];
        }
        scrapes.count = SCRAPES_MAX / 2;
    }
    scrapes.list[scrapes.count++] = answer;
}

/* Several ask at once, again and again, until the command has ended; others connect and ask
 * nothing. */
static void scrape_to_the_end(void)
{
    int silent[AT_ONCE], asking[AT_ONCE];
    scrapes = (struct scrapes){.list = {scrape_await(port_number)}, .count = 1};
    for (size_t i = 0; i < AT_ONCE; i++)
        silent[i] = scrape_connect("127.0.0.1", port_number);
    for (bool answered = true; answered;) {
        answered = false;
        for (size_t i = 0; i < AT_ONCE; i++) {
            asking[i] = scrape_connect("127.0.0.1", port_number);
            if (asking[i] >= 0)
                scrape_ask(asking[i], "GET", "/metrics");
        }
        for (size_t i = 0; i < AT_ONCE; i++) {
            char *answer = asking[i] >= 0 ? scrape_read(asking[i]) : NULL;
            if (answer != NULL)
                keep(answer);
            answered = answered || answer != NULL;
        }
        pause_ms(BREATH_MS);
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        close(silent[i]);
}

static void forget_scrapes(void)
{
    while (scrapes.count > 0)
        free(scrapes.list[--scrapes.count]);
}

static void assert_well_told(void)
{
    for (size_t i = 0; i < scrapes.count; i++) {
        scrape_assert_format(scrapes.list[i]);
        if (i > 0)
            scrape_assert_grows(scrapes.list[i - 1], scrapes.list[i]);
    }
}

__attribute__((format(printf, 2, 3))) static double told(const char *answer, const char *format,
                                                         ...)
{
    char sample[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sample, sizeof sample, format, arguments);
    va_end(arguments);
    return scrape_value(answer, sample);
}

/* Told of finished trials alone: their sum. Told of the running one, too: no more than its own. */
static void assert_told(const char *answer, bool live, double value, double finished,
                        double with_next)
{
    bool runs = live && told(answer, "zkherd_trial_number") > 0;
    if (value < finished || value > (runs ? with_next : finished))
        fail_msg("%g is told, after %g, before %g", value, finished, with_next);
}

/* ------------------------------------------------------------------ of a run */

/* The sum of a column over a recipe's rows among the first ones. */
static double sum_of(const struct csv_file *trials, size_t rows, const char *recipe,
                     const char *column)
{
    double sum = 0;
    for (size_t row = 0; row < rows && row < trials->rows; row++) {
        if (strcmp(csv_file_text(trials, row, "recipe"), recipe) == 0)
            sum += csv_file_real(trials, row, column);
    }
    return sum;
}

static size_t finished_trials(const char *answer, const char *recipe)
{
    static const char *const verdicts[] = {"valid", "not_valid", "failed"};
    double sum = 0;
    for (size_t i = 0; i < 3; i++)
        sum += told(answer, "zkherd_trials_total{verdict=\"%s\",target=\"standalone\"%s%s%s}",
                    verdicts[i], recipe != NULL ? ",recipe=\"" : "", recipe != NULL ? recipe : "",
                    recipe != NULL ? "\"" : "");
    return (size_t)sum;
}

static void assert_recipe_told(const char *answer, const struct csv_file *trials, size_t finished,
                               const char *recipe)
{
    static const struct {
        const char *metric, *label, *column;
        bool live;
    } pairs[] = {
        {"rpcs_total", "type=\"creates\",", "creates", true},
        {"rpcs_total", "type=\"exists\",", "exists", true},
        {"rpcs_total", "type=\"gets\",", "gets", true},
        {"rpcs_total", "type=\"get_children\",", "get_children", true},
        {"rpcs_total", "type=\"sets\",", "sets", true},
        {"rpcs_total", "type=\"deletes\",", "deletes", true},
        {"rpcs_total", "type=\"multis\",", "multis", true},
        {"rpcs_total", "type=\"syncs\",", "syncs", true},
        {"rpcs_failed_total", "type=\"creates_failed\",", "creates_failed", true},
        {"rpcs_failed_total", "type=\"deletes_failed\",", "deletes_failed", true},
        {"notifications_total", "", "notifications", true},
        {"handoffs_total", "", "handoffs", true},
        {"sent_bytes_total", "", "bytes_sent", true},
        {"received_bytes_total", "", "bytes_received", true},
        {"law_rpcs_total", "", "law_rpcs", false},
        {"compared_rpcs_total", "", "rpcs", false},
        {"law_notifications_total", "", "law_notifications", false},
        {"compared_notifications_total", "", "notifications", false},
        {"violations_total", "", "violations", false},
        {"stalls_total", "", "stalls", false},
        {"reconnects_total", "", "reconnects", false},
        {"server_writes_total", "", "server_writes", false},
        {"server_notifications_total", "", "server_notifications", false},
        {"server_packets_received_total", "", "server_packets_received", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        double value = told(answer, "zkherd_%s{%starget=\"standalone\",recipe=\"%s\"}",
                            pairs[i].metric, pairs[i].label, recipe);
        assert_told(answer, pairs[i].live, value, sum_of(trials, finished, recipe, pairs[i].column),
                    sum_of(trials, finished + 1, recipe, pairs[i].column));
    }
}

/* The last finished trial of a recipe. */
static void assert_last_told(const char *answer, const struct csv_file *trials, size_t finished,
                             const char *recipe)
{
    size_t row = finished;
    while (row-- > 0) {
        if (strcmp(csv_file_text(trials, row, "recipe"), recipe) != 0)
            continue;
        double drain_s =
            told(answer, "zkherd_last_drain_seconds{target=\"standalone\",recipe=\"%s\"}", recipe);
        assert_true(fabs(drain_s - csv_file_real(trials, row, "drain_s")) < 1e-6);
        assert_true(told(answer, "zkherd_last_drain_clients{target=\"standalone\",recipe=\"%s\"}",
                         recipe) == csv_file_real(trials, row, "clients"));
        return;
    }
}

static void assert_handoffs_timed(const char *answer, const char *recipe)
{
    struct csv_file latency = csv_file_read(in_work("out/latency.csv"));
    uint64_t count = 0;
    for (size_t row = 0; row < latency.rows; row++) {
        if (strcmp(csv_file_text(&latency, row, "recipe"), recipe) == 0 &&
            strcmp(csv_file_text(&latency, row, "kind"), "handoff") == 0 &&
            strcmp(csv_file_text(&latency, row, "role"), "all") == 0)
            count += csv_file_count(&latency, row, "count");
    }
    assert_true(count > 0);
    assert_true(told(answer, "zkherd_handoff_seconds_count{target=\"standalone\",recipe=\"%s\"}",
                     recipe) == (double)count);
    csv_file_deinit(&latency);
}

static void assert_run_told(const char *answer, const struct csv_file *trials)
{
    static const char *const recipes[] = {"nonscalable", "scalable"};
    size_t finished = 0;
    for (size_t i = 0; i < 2; i++)
        finished += finished_trials(answer, recipes[i]);
    for (size_t i = 0; i < 2; i++) {
        assert_recipe_told(answer, trials, finished, recipes[i]);
        assert_last_told(answer, trials, finished, recipes[i]);
    }
}

/* In whatever moment it is asked. Behind the last trial the servers are stopped meanwhile: somebody
 * asks then. */
TEST_BETWEEN(a_run_tells_what_its_files_say, make, work_remove)
{
    command_start(&command,
                  COMMAND("run", "--metrics", port, "-q", "-P", "2", "-r", "nonscalable,scalable",
                          "-n", "4,16", "-t", "3", "--plots", "svg", "-o", "out"));
    scrape_to_the_end();
    command_finish(&command, COMMAND_LIMIT_NS);
    struct csv_file trials = csv_file_read(in_work("out/trials.csv"));
    const char *last = scrapes.list[scrapes.count - 1];
    assert_well_told();
    assert_int_equal(trials.rows, 12);
    for (size_t i = 0; i < scrapes.count; i++)
        assert_run_told(scrapes.list[i], &trials);
    assert_int_equal(finished_trials(last, "nonscalable") + finished_trials(last, "scalable"), 12);
    assert_true(told(last, "zkherd_trials_planned") == 12);
    assert_true(told(last, "zkherd_trial_number") == 0);
    assert_handoffs_timed(last, "nonscalable");
    assert_handoffs_timed(last, "scalable");
    csv_file_deinit(&trials);
    forget_scrapes();
    assert_left(1);
}

/* ------------------------------------------------------------------ of a load */

#define ALL                                                                                        \
    "get=20,exists=10,children=10,set=20,create=15,delete=10,multi=5,trylock=2,create-delete=8"

/* The sum of a column of a table of one cell over its first trials. NULL: of all rows. */
static double sum_of_trials(const struct csv_file *table, size_t trials, const char *key,
                            const char *word, const char *column)
{
    double sum = 0;
    for (size_t row = 0; row < table->rows; row++) {
        if (csv_file_count(table, row, "trial") <= trials &&
            (key == NULL || strcmp(csv_file_text(table, row, key), word) == 0))
            sum += csv_file_real(table, row, column);
    }
    return sum;
}

static double told_of_load(const char *answer, const char *metric, const char *labels)
{
    return told(answer, "zkherd_%s{%starget=\"standalone\"}", metric, labels);
}

static void assert_table_told(const char *answer, const struct csv_file *table, const char *metric,
                              const char *labels, const char *column, bool live)
{
    size_t finished = finished_trials(answer, NULL);
    assert_told(answer, live, told_of_load(answer, metric, labels),
                sum_of_trials(table, finished, NULL, NULL, column),
                sum_of_trials(table, finished + 1, NULL, NULL, column));
}

static double requests_told(const char *answer)
{
    static const char *const types[] = {"creates", "exists",  "gets",  "get_children",
                                        "sets",    "deletes", "multis"};
    double sum = 0;
    for (size_t i = 0; i < 7; i++)
        sum += told(answer, "zkherd_rpcs_total{type=\"%s\",target=\"standalone\"}", types[i]);
    return sum;
}

/* Each operation and status has a row in each trial that has it. */
static void assert_replies_told(const char *answer, const struct csv_file *operations)
{
    size_t finished = finished_trials(answer, NULL);
    for (size_t row = 0; row < operations->rows; row++) {
        const char *operation = csv_file_text(operations, row, "operation"),
                   *status = csv_file_text(operations, row, "status");
        double before = 0, after = 0;
        for (size_t i = 0; i < operations->rows; i++) {
            bool same = strcmp(csv_file_text(operations, i, "operation"), operation) == 0 &&
                        strcmp(csv_file_text(operations, i, "status"), status) == 0;
            size_t trial = csv_file_count(operations, i, "trial");
            before += same && trial <= finished ? csv_file_real(operations, i, "count") : 0;
            after += same && trial <= finished + 1 ? csv_file_real(operations, i, "count") : 0;
        }
        assert_told(answer, true,
                    told(answer,
                         "zkherd_replies_total{operation=\"%s\",status=\"%s\","
                         "target=\"standalone\"}",
                         operation, status),
                    before, after);
    }
}

static void assert_load_told(const char *answer, const struct csv_file *load,
                             const struct csv_file *timeline, const struct csv_file *operations)
{
    size_t finished = finished_trials(answer, NULL);
    assert_told(answer, true, requests_told(answer),
                sum_of_trials(load, finished, NULL, NULL, "rpcs"),
                sum_of_trials(load, finished + 1, NULL, NULL, "rpcs"));
    assert_table_told(answer, load, "delayed_total", "", "delayed", true);
    assert_table_told(answer, load, "unsent_total", "", "unsent", true);
    assert_table_told(answer, load, "server_writes_total", "", "server_writes", false);
    assert_table_told(answer, load, "server_packets_received_total", "", "server_packets_received",
                      false);
    assert_table_told(answer, load, "server_marks_total", "", "marks", false);
    assert_table_told(answer, timeline, "response_seconds_count", "operations=\"reads\",", "reads",
                      true);
    assert_table_told(answer, timeline, "response_seconds_count", "operations=\"writes\",",
                      "writes", true);
    assert_replies_told(answer, operations);
}

static void assert_service_timed(const char *answer)
{
    struct csv_file latency = csv_file_read(in_work("out/latency.csv"));
    double count = 0;
    for (size_t row = 0; row < latency.rows; row++) {
        if (strcmp(csv_file_text(&latency, row, "role"), "all") == 0 &&
            strcmp(csv_file_text(&latency, row, "operation"), "all") == 0 &&
            strcmp(csv_file_text(&latency, row, "from"), "sent") == 0)
            count += csv_file_real(&latency, row, "count");
    }
    assert_true(count > 0);
    assert_true(told_of_load(answer, "service_seconds_count", "") == count);
    csv_file_deinit(&latency);
}

/* A second that has ended is told while its trial goes on. */
static bool has_told_seconds(void)
{
    for (size_t i = 0; i < scrapes.count; i++) {
        if (finished_trials(scrapes.list[i], NULL) == 0 &&
            told_of_load(scrapes.list[i], "response_seconds_count", "operations=\"reads\",") > 0 &&
            told(scrapes.list[i], "zkherd_offered_operations_per_second") == 500 &&
            told(scrapes.list[i], "zkherd_sessions") == 4)
            return true;
    }
    return false;
}

TEST_BETWEEN(a_load_tells_what_its_files_say, make, work_remove)
{
    command_start(&command, COMMAND("load", "--metrics", port, "-q", "-P", "2", "-m", ALL, "-n",
                                    "4", "--rate", "500", "--duration", "2s", "--warm-up", "200ms",
                                    "-t", "2", "--plots", "svg", "-o", "out"));
    scrape_to_the_end();
    command_finish(&command, COMMAND_LIMIT_NS);
    struct csv_file load = csv_file_read(in_work("out/load.csv")),
                    timeline = csv_file_read(in_work("out/timeline.csv")),
                    operations = csv_file_read(in_work("out/operations.csv"));
    const char *last = scrapes.list[scrapes.count - 1];
    assert_well_told();
    for (size_t i = 0; i < scrapes.count; i++)
        assert_load_told(scrapes.list[i], &load, &timeline, &operations);
    assert_int_equal(finished_trials(last, NULL), 2);
    assert_true(told(last, "zkherd_trials_planned") == 2);
    assert_service_timed(last);
    assert_true(has_told_seconds());
    csv_file_deinit(&load);
    csv_file_deinit(&timeline);
    csv_file_deinit(&operations);
    forget_scrapes();
    assert_left(1);
}

/* ------------------------------------------------------------------ whoever asks */

/* Goes on until it is interrupted, without servers. */
#define ENDLESS                                                                                    \
    "run", "--metrics", port, "-q", "-d", "simulated", "-r", "nonscalable", "-n", "300", "-t",     \
        "1000", "-o"

static void end(int status)
{
    kill(command.pid, SIGINT);
    command_finish(&command, COMMAND_END_NS);
    assert_status(&command, status);
}

static void assert_answered(const char *method, const char *path, const char *status,
                            const char *words)
{
    int fd = scrape_connect("127.0.0.1", port_number);
    assert_true(fd >= 0);
    scrape_ask(fd, method, path);
    char *answer = scrape_read(fd);
    assert_non_null(answer);
    assert_has(answer, status);
    assert_has(answer, words);
    free(answer);
}

TEST_BETWEEN(other_paths_and_methods_are_refused, make, work_remove)
{
    command_start(&command, COMMAND(ENDLESS, "out"));
    free(scrape_await(port_number));
    assert_answered("GET", "/metrics", "HTTP/1.1 200 ", "zkherd_rpcs_total{");
    assert_answered("GET", "/", "HTTP/1.1 404 ", "the metrics are at /metrics");
    assert_answered("GET", "/metrics/", "HTTP/1.1 404 ", "the metrics are at /metrics");
    assert_answered("POST", "/metrics", "HTTP/1.1 405 ", "Allow: GET\r\n");
    assert_answered("DELETE", "/metrics", "HTTP/1.1 405 ", "Allow: GET\r\n");
    assert_answered("nonsense", "", "HTTP/1.1 400 ", "");
    assert_int_equal(scrape_connect("127.0.0.2", port_number), -1);
    end(4);
}

/* Also one that is connected. */
TEST_BETWEEN(an_interrupt_frees_the_port, make, work_remove)
{
    for (int i = 0; i < 2; i++) {
        char out[16];
        snprintf(out, sizeof out, "out%d", i);
        command_start(&command, COMMAND(ENDLESS, out));
        free(scrape_await(port_number));
        int silent = scrape_connect("127.0.0.1", port_number);
        end(4);
        assert_int_equal(scrape_connect("127.0.0.1", port_number), -1);
        close(silent);
    }
}

/* A connection that began before the workers of the second trial does not live on in them. */
TEST_BETWEEN(a_connection_ends_while_workers_run, make, work_remove)
{
    command_start(&command,
                  COMMAND("run", "--metrics", port, "-q", "-p", "free", "-w", "steady",
                          "--duration", "2s", "-r", "ticket", "-n", "4", "-t", "2", "-o", "out"));
    char *answer = scrape_await(port_number);
    while (told(answer, "zkherd_trial_number") < 1) {
        free(answer);
        answer = scrape_await(port_number);
    }
    int silent = scrape_connect("127.0.0.1", port_number);
    while (told(answer, "zkherd_trial_number") < 2) {
        free(answer);
        answer = scrape_await(port_number);
    }
    free(answer);
    scrape_ask(silent, "GET", "/metrics");
    answer = scrape_read(silent);
    scrape_assert_format(answer);
    free(answer);
    answer = scrape_get(port_number);
    assert_true(told(answer, "zkherd_trial_number") == 2);
    free(answer);
    command_finish(&command, COMMAND_LIMIT_NS);
}

/* ------------------------------------------------------------------ the port */

/* Before a server is started: without Java that would be another error. */
TEST_BETWEEN(a_port_that_is_taken_is_said_first, make, work_remove)
{
    char words[80];
    int taken = port_listen(&port_number);
    snprintf(port, sizeof port, "%u", port_number);
    snprintf(words, sizeof words, "--metrics %s: the port is in use", port);
    command.settings = without_java;
    command_run(&command, COMMAND("run", "--metrics", port, "-n", "2"));
    assert_refused(&command, 3, words);
    command_run(&command, COMMAND("load", "--metrics", port, "-n", "2"));
    assert_refused(&command, 3, words);
    assert_left(0);
    close(taken);
}
