// SPDX-License-Identifier: Apache-2.0
/* `zkherd tap`: what it counts of zkherd's own clients is what they and the servers count; commands
 * that fail, hang and go round the relay; bytes that are no messages. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#define SMALL "--heap", "64"

static struct command command;

/* A number of the result: of a row of `list` whose text `key` is `text`. */
static json_int_t number_of(const json_t *result, const char *list, const char *key,
                            const char *text, const char *column)
{
    json_t *rows = json_object_get(result, list);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(json_string_value(json_object_get(row, key)), text) == 0)
            return json_integer_value(json_object_get(row, column));
    }
    return 0;
}

static json_int_t messages(const json_t *result, const char *operation)
{
    return number_of(result, "operations", "operation", operation, "messages");
}

static json_int_t count_of(const json_t *result, const char *key)
{
    return json_integer_value(json_object_get(result, key));
}

static const char *text_of(const json_t *result, const char *key)
{
    return json_string_value(json_object_get(result, key));
}

/* A column of the run "herd": of its warm-up, its one trial, and attempts at it that were made
 * again, as when a server stalled. */
static uint64_t count_of_herd(const char *column)
{
    struct csv_file trials = csv_file_read(in_work("herd/trials.csv"));
    uint64_t count = 2 * csv_file_count(&trials, 0, column);
    csv_file_deinit(&trials);
    if (access(in_work("herd/made_again.csv"), F_OK) != 0)
        return count;
    struct csv_file again = csv_file_read(in_work("herd/made_again.csv"));
    for (size_t i = 0; i < again.rows; i++)
        count += csv_file_count(&again, i, column);
    csv_file_deinit(&again);
    return count;
}

/* The run compares its own counts with the law and with the servers', and the tap its counts with
 * the same servers': so the relay adds, loses and changes nothing. */
COMMAND_TEST(a_run_through_the_relay_is_counted_as_by_itself)
{
    command_run(&command,
                COMMAND("tap", SMALL, "--servers", "3", "--json", "-o", "tapped", "--",
                        command_program, "run", "--connect", "{}", "--noise", "off", "-r",
                        "nonscalable", "-n", "8", "-t", "1", "--plots", "svg", "-o", "herd"));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "tap");
    assert_string_equal(text_of(result, "reconciled"), "yes");
    assert_int_equal(count_of(result, "unread_bytes"), 0);
    assert_int_equal(count_of(result, "unanswered"), 0);
    /* The set-up session makes znodes and deletes them as well, so only what it never sends is
     * compared: the failed creates of the herd, and its notifications. */
    assert_int_equal(number_of(result, "errors", "operation", "create", "replies"),
                     count_of_herd("creates_failed"));
    assert_int_equal(messages(result, "notification deleted"), count_of_herd("notifications"));
    assert_true(json_is_real(json_object_get(result, "cpu_us_per_message")));
    json_decref(result);
    json_decref(read_manifest("tapped"));
    char *log = read_text(in_work("tapped/latency.hlog"));
    assert_non_null(strstr(log, "Tag=create,"));
    free(log);
    assert_left(2);
}

/* A herd of the run: its delete notified all who waited. */
COMMAND_TEST(a_herd_of_the_run_is_found)
{
    command_run(&command, COMMAND("tap", SMALL, "-o", "tapped", "--", command_program, "run",
                                  "--connect", "{}", "--noise", "off", "-r", "nonscalable", "-n",
                                  "8", "-t", "1", "--no-files"));
    assert_status(&command, 0);
    words_unwrap(command.out);
    assert_has(command.out, "The command used ");
    assert_null(strstr(command.out, "its largest process 0 MiB of memory"));
    struct csv_file herds = csv_file_read(in_work("tapped/herds.csv"));
    assert_string_equal(csv_file_text(&herds, 0, "operation"), "delete");
    assert_int_equal(csv_file_count(&herds, 0, "notified"), 7);
    csv_file_deinit(&herds);
    command_run(&command, COMMAND("report", "tapped"));
    assert_status(&command, 0);
    command_run(&command, COMMAND("compare", "tapped", "tapped"));
    assert_refused(&command, 2, "tapped");
    assert_left(1);
}

/* kazoo's Lock, unchanged: the recipe in docs/examples/kazoo.c has the same law. */
COMMAND_TEST(the_law_of_kazoos_lock_is_found)
{
    static const struct {
        const char *counted, *law;
    } laws[] = {
        {"create", "n"},       {"exists", "n"},
        {"getData", "n - 1"},  {"getChildren", "2\302\267n - 1"},
        {"delete", "n"},       {"notification deleted", "n - 1"},
        {"closeSession", "n"}, {"all requests", "6\302\267n - 2"},
    };
    char script[COMMAND_PATH_SIZE];
    assert_non_null(realpath("docs/examples/clients/kazoo_lock.py", script));
    command_run(&command, COMMAND("tap", SMALL, "--drain", "-n", "2,3,5,7,9", "--json", "-o",
                                  "kazoo", "--", "/usr/bin/python3", script, "{n}", "{connect}"));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "tap");
    json_t *list = json_object_get(result, "laws");
    assert_int_equal(json_array_size(list), sizeof laws / sizeof laws[0]);
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        json_t *row = NULL;
        for (size_t k = 0; k < json_array_size(list); k++)
            if (strcmp(text_of(json_array_get(list, k), "counted"), laws[i].counted) == 0)
                row = json_array_get(list, k);
        assert_non_null(row);
        assert_string_equal(text_of(row, "law"), laws[i].law);
        assert_int_equal(count_of(row, "equal"), 15);
        assert_int_equal(count_of(row, "differ_most"), 0);
    }
    assert_string_equal(text_of(result, "like"), "The counts are those of zkherd's recipe "
                                                 "scalable-get, and n exists more.");
    assert_string_equal(text_of(result, "first_time"),
                        "The first run, which is not counted, had more: 2 create, 2 exists, 2 "
                        "exists failed. That is what clients make once.");
    assert_int_equal(number_of(result, "findings", "slug", "law", "n"), 15);
    json_t *clients = json_object_get(result, "clients");
    for (size_t i = 0; i < json_array_size(clients); i++)
        assert_string_equal(text_of(json_array_get(clients, i), "library"), "kazoo");
    assert_string_equal(text_of(result, "reconciled"), "yes");
    json_decref(result);
    json_decref(read_manifest("kazoo"));
    /* Its page has what the relay saw. */
    command_run(&command, COMMAND("report", "kazoo"));
    assert_status(&command, 0);
    char *page = read_text(in_work("kazoo/report.html"));
    assert_non_null(strstr(page, "What the relay saw: messages by operation"));
    assert_non_null(strstr(page, "Writes that notified sessions"));
    free(page);
    assert_left(1);
}

/* One notification passes of a znode whose data and children a session watches when it is deleted;
 * the server counts two. Curator's TreeCache watches so. */
COMMAND_TEST(a_deletion_that_the_server_counts_twice_is_told)
{
    static const char script[] = "import sys, threading\n"
                                 "from kazoo.client import KazooClient\n"
                                 "client, told = KazooClient(sys.argv[1]), threading.Event()\n"
                                 "client.start()\n"
                                 "client.create('/watched')\n"
                                 "client.get('/watched', lambda event: told.set())\n"
                                 "client.get_children('/watched', lambda event: None)\n"
                                 "client.delete('/watched')\n"
                                 "told.wait()\n"
                                 "client.stop()\n";
    command_run(&command, COMMAND("tap", SMALL, "--json", "--no-files", "--", "/usr/bin/python3",
                                  "-c", script, "{connect}"));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "tap");
    assert_int_equal(messages(result, "notification deleted"), 1);
    assert_string_equal(text_of(result, "reconciled"), "yes");
    assert_non_null(strstr(text_of(result, "comparison"), ", deletions twice of which"));
    json_decref(result);
    assert_left(0);
}

COMMAND_TEST(a_command_that_fails_makes_the_tap_not_valid)
{
    command_run(&command, COMMAND("tap", SMALL, "--no-files", "--", "sh", "-c", "exit 7"));
    assert_status(&command, 4);
    assert_non_null(strstr(command.out, "The command ended with status 7"));
    /* Of a drain only runs before the first that fails count. */
    command_run(
        &command,
        COMMAND(
            "tap", SMALL, "--no-files", "--drain", "-n", "2", "--", "sh", "-c",
            "test ! -e second || exit $ZKHERD_N; test ! -e first || touch second; touch first"));
    assert_status(&command, 4);
    assert_has(command.out, "Runs that ended well: 1 of 3; one failed");
    assert_left(2);
}

COMMAND_TEST(a_command_that_cannot_be_executed_is_refused)
{
    command_run(&command, COMMAND("tap", SMALL, "--no-files", "--", "./no-such-command"));
    assert_refused(&command, 2, "./no-such-command: ");
    assert_left(0);
}

/* It and what it has started are ended. */
COMMAND_TEST(a_command_that_hangs_is_ended_after_the_duration)
{
    command_run(&command, COMMAND("tap", SMALL, "--no-files", "--duration", "500ms", "--", "sh",
                                  "-c", "trap '' TERM; sleep 1000 & sleep 1000"));
    assert_status(&command, 4);
    assert_has(command.out, "The command has opened no connection to the relay");
    assert_left(0);
}

COMMAND_TEST(clients_that_go_round_the_relay_are_told)
{
    command_run(&command, COMMAND("ensemble", "start", SMALL, "--servers", "1"));
    assert_status(&command, 0);
    char servers[64];
    snprintf(servers, sizeof servers, "%.*s", (int)strcspn(command.out, "\n"), command.out);
    command_run(&command, COMMAND("tap", "--connect", servers, "--json", "--no-files", "--",
                                  command_program, "run", "--connect", servers, "--noise", "off",
                                  "-r", "scalable", "-n", "4", "-t", "1", "--no-files"));
    assert_status(&command, 4);
    json_t *result = schema_read_result(&command, "tap");
    assert_string_equal(text_of(result, "reconciled"), "na");
    assert_non_null(strstr(text_of(result, "comparison"), "do not connect through the relay"));
    assert_int_equal(count_of(result, "connections"), 0);
    json_decref(result);
    command_run(&command, COMMAND("ensemble", "stop"));
    assert_status(&command, 0);
}

/* ------------------------------------------------------------------ bytes that are no messages */

static int connect_to(unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* What the server answers until it closes the connection. */
static size_t send_all(unsigned port, const char *bytes, size_t count, char *answer, size_t size)
{
    size_t length = 0;
    int fd = connect_to(port);
    assert_int_equal(send(fd, bytes, count, MSG_NOSIGNAL), count);
    for (ssize_t got; (got = recv(fd, answer + length, size - 1 - length, 0)) > 0;)
        length += (size_t)got;
    answer[length] = '\0';
    close(fd);
    return length;
}

COMMAND_TEST(garbage_ends_its_own_connection_alone)
{
    static const char garbage[] = "\0\0\0\4abcd", too_long[] = "\177\377\377\377";
    char answer[8192], connect[64] = "";
    int port = 0;
    command_start(&command, COMMAND("tap", SMALL, "--no-files"));
    while (strchr(connect, '\n') == NULL) {
        pause_ms(5);
        assert_true(command_runs(&command));
        (void)!pread(command.out_descriptor, connect, sizeof connect - 1, 0);
    }
    assert_int_equal(sscanf(connect, "127.0.0.1:%d", &port), 1);
    (void)send_all((unsigned)port, too_long, sizeof too_long - 1, answer, sizeof answer);
    (void)send_all((unsigned)port, garbage, sizeof garbage - 1, answer, sizeof answer);
    assert_true(send_all((unsigned)port, "srvr", 4, answer, sizeof answer) > 0);
    assert_non_null(strstr(answer, "Mode: standalone"));
    command_end(&command, command.pid, SIGINT);
    assert_status(&command, 4);
    words_unwrap(command.out);
    assert_non_null(strstr(command.out, "does not open a session"));
    assert_left(0);
}

COMMAND_TEST(wrong_options_are_refused)
{
    static const struct refusal refusals[] = {
        {{"--listen", "nowhere"}, "no address of a host in numbers"},
        {{"--listen", "203.0.113.7"}, "this host has no such address"},
        {{"--drain"}, "the command is missing"},
        {{"--drain", "--", "true"}, "the command does not know n"},
        {{"--drain", "-n", "0", "--", "true"}, "expected at most 85 numbers"},
        {{"--drain", "-n", "1..300+1", "--", "true", "{n}"}, "900 runs with --trials"},
        {{"--expect", "n", "--", "true"}, "only runs of --drain"},
        {{"--"}, "the command behind it is empty"},
        {{"--servers", "1,3"}, "a tap has one ensemble"},
    };
    ASSERT_LINES_REFUSED(&command, "tap", refusals);
}
