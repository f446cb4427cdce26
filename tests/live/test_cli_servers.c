// SPDX-License-Identifier: Apache-2.0
/* What the program makes of the servers of --connect: their roles, names, whitelists and versions,
 * and whether they belong together. */
#include "tests/live/command.h"

#include "zk/ensemble.h"

static struct command command;
static struct ensemble *three; /* not the commands' own, for all tests */
static char address[3][64];    /* of its servers, host:port */
static char all[3 * 64];       /* of them all, as a connect string */

static const char *address_of(const struct endpoint *endpoint, char *text, size_t size)
{
    snprintf(text, size, "%.20s:%u", endpoint->host, endpoint->port);
    return text;
}

static int start_three(void **state)
{
    (void)state;
    struct ensemble_options options = ensemble_options_default();
    struct fault fault = {0};
    options.servers = 3;
    options.heap_mib = 128;
    find_program();
    if (ensemble_start(&options, &three, &fault) != FAULT_NONE) {
        print_error("%s: %s: %s\n", fault.subject, fault_words(fault.kind), fault.detail);
        return -1;
    }
    for (unsigned i = 0; i < 3; i++)
        address_of(&ensemble_connect(three)->endpoints[i], address[i], sizeof address[i]);
    snprintf(all, sizeof all, "%s,%s,%s", address[0], address[1], address[2]);
    return 0;
}

static int stop_three(void **state)
{
    (void)state;
    ensemble_stop(three);
    return 0;
}

/* ------------------------------------------------------------------ roles */

static uint64_t sum_of(const struct table *latency, const char *role, const char *kind)
{
    uint64_t sum = 0;
    for (size_t row = 0; row < latency->rows; row++) {
        if (strcmp(table_text(latency, row, "role"), role) == 0 &&
            strcmp(table_text(latency, row, "kind"), kind) == 0)
            sum += table_count(latency, row, "count");
    }
    return sum;
}

/* What is not of all is of a leader or of a follower. */
static void assert_roles_add_up(const struct table *latency)
{
    for (size_t row = 0; row < latency->rows; row++) {
        const char *kind = table_text(latency, row, "kind");
        assert_int_equal(sum_of(latency, "leader", kind) + sum_of(latency, "follower", kind),
                         sum_of(latency, "all", kind));
    }
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

static void latencies_are_told_by_role(void **state)
{
    (void)state;
    command_run(&command, COMMAND("run", "--connect", all, "-n", "9", "-t", "2", "-r",
                                  "scalable,childwatch", "-o", "out"));
    assert_status(&command, 0);
    assert_has(command.out,
               "\nscalable, 9 clients: median handoff by the server of who is granted: "
               "leader ");
    struct run_files files = run_files_read("out");
    assert_roles_add_up(&files.latency);
    assert_int_equal(sum_of(&files.latency, "all", "acquire"), 4 * 9);
    assert_int_equal(sum_of(&files.latency, "leader", "acquire"), 4 * 3);
    run_files_deinit(&files);
    assert_one_leads("out");
    assert_left(1);
}

static void one_role_has_no_rows_of_its_own(void **state)
{
    (void)state;
    command_run(&command, COMMAND("run", "--connect", all, "-n", "3", "-t", "1", "-r", "scalable",
                                  "--placement", "leader", "-o", "out"));
    assert_status(&command, 0);
    assert_null(strstr(command.out, "by the server of"));
    struct run_files files = run_files_read("out");
    assert_int_equal(sum_of(&files.latency, "all", "acquire"), 3);
    for (size_t row = 0; row < files.latency.rows; row++)
        assert_string_equal(table_text(&files.latency, row, "role"), "all");
    run_files_deinit(&files);
    assert_left(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        COMMAND_TEST(latencies_are_told_by_role),
        COMMAND_TEST(one_role_has_no_rows_of_its_own),
    };
    return cmocka_run_group_tests(tests, start_three, stop_three);
}
