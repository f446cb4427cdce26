// SPDX-License-Identifier: Apache-2.0
/* What is printed with --json without a server is as the schemas say; tests/golden has the values.
 */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

static const char *const without_programs[] = {NO_JAVA, NULL};
static struct command command = {.settings = without_programs};

COMMAND_TEST(json_is_as_the_schemas_say)
{
    static const struct {
        const char *schema;
        int status;
        const char *arguments[24];
    } cases[] = {
        {"run",
         0,
         {"run", "-d", "simulated", "--servers", "1,3", "-r", "nonscalable,scalable", "-n", "4,8",
          "-t", "2", "-o", "two"}},
        {"run",
         0,
         {"run", "-d", "simulated", "-r", "poll", "-p", "free", "-n", "8", "-t", "1", "-q", "-o",
          "free"}},
        {"run",
         1,
         {"run", "-d", "simulated", "-r", "scalable,broken-nolock", "-n", "4", "-t", "1", "-o",
          "fails"}},
        {"load",
         0,
         {"load", "-d", "simulated", "-n", "2,4", "--rate", "1000", "-t", "1", "--duration", "1s",
          "--warm-up", "0", "-o", "load"}},
        {"paper",
         0,
         {"paper", "table2", "-d", "simulated", "--servers", "1", "-n", "1,4", "-t", "2",
          "--duration", "1s", "--warm-up", "0", "--seed", "1", "-o", "creates"}},
        {"paper",
         1,
         {"paper", "table3", "-d", "simulated", "--servers", "1,3", "-n", "4,8", "--barriers",
          "5,10", "-t", "3", "--seed", "1", "-o", "barriers"}},
        {"plan",
         0,
         {"plan", "--slo", "handoff p90 < 2ms", "-d", "simulated", "--seed", "5", "-r",
          "nonscalable", "--at-most", "4", "--trial-time", "40", "-o", "plan"}},
        {"plan-dry-run",
         0,
         {"plan", "--slo", "handoff p99 < 50ms", "-r", "scalable,ticket", "--at-most", "99",
          "--servers", "1,3", "--dry-run"}},
        {"compare", 0, {"compare", "two", "-o", "compared"}},
        {"report", 0, {"report", "two"}},
        {"recipes", 0, {"recipes"}},
        {"recipes", 0, {"recipes", "ticket"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *arguments[28] = {"zkherd"};
        size_t count = 0;
        for (; cases[i].arguments[count] != NULL; count++)
            arguments[count + 1] = cases[i].arguments[count];
        arguments[count + 1] = "--json";
        command_run(&command, arguments);
        assert_status(&command, cases[i].status);
        json_decref(schema_read_result(&command, cases[i].schema));
    }
    json_decref(read_manifest("two/simulated3"));
    json_decref(read_manifest("load"));
}

/* From then on zkherd heeds an interruption; before, it ends by the signal. */
static bool blocks_interruptions(pid_t pid)
{
    char path[64], *status;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    status = read_text(path);
    const char *blocked = strstr(status, "SigBlk:");
    assert_non_null(blocked);
    bool blocks = strtoull(blocked + strlen("SigBlk:"), NULL, 16) >> (SIGINT - 1) & 1;
    free(status);
    return blocks;
}

/* Each is in its first trial, which would take minutes. */
COMMAND_TEST_SOON(an_interruption_before_the_first_trial_has_ended_is_told)
{
    static const struct {
        const char *schema, *verdict;
        const char *arguments[20];
    } cases[] = {
        {"run", "not valid", {"run", "-r", "nonscalable", "-n", "5000", "-t", "1"}},
        {"load", "not valid", {"load", "-n", "50", "--duration", "3000s"}},
        {"plan",
         "undetermined",
         {"plan", "--slo", "handoff p50 < 60s", "-r", "nonscalable", "--at-least", "5000",
          "--at-most", "5000"}},
        {"paper", "undetermined", {"paper", "table1", "--duration", "3000s"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *arguments[28] = {"zkherd"};
        size_t count = 1;
        for (size_t k = 0; cases[i].arguments[k] != NULL; k++)
            arguments[count++] = cases[i].arguments[k];
        memcpy(arguments + count, COMMAND("-d", "simulated", "--json", "-o", "out") + 1,
               6 * sizeof *arguments);
        command_start(&command, arguments);
        while (!blocks_interruptions(command.pid) && command_runs(&command))
            pause_ms(1);
        command_end(&command, command.pid, SIGINT);
        assert_status(&command, 4);
        json_t *json = schema_read_result(&command, cases[i].schema);
        assert_string_equal(json_string_value(json_object_get(json, "verdict")), cases[i].verdict);
        assert_string_equal(json_string_value(json_object_get(json, "cut_short")), "interrupted");
        json_decref(json);
        assert_left(0);
    }
}

COMMAND_TEST(what_cannot_be_printed_is_no_result)
{
    command.prepare = print_to_a_full_device;
    command_run(&command, COMMAND("run", "-d", "simulated", "-n", "4", "-t", "1", "-q", "--json"));
    assert_status(&command, 3);
    assert_has(command.err, "zkherd: standard output: ");
    /* Who has seen enough needs no complaint. */
    command.prepare = print_to_a_closed_pipe;
    command_run(&command, COMMAND("recipes"));
    assert_status(&command, 3);
    assert_string_equal(command.err, "");
    command.prepare = NULL;
    assert_left(0);
}

TEST_GROUP(program_find, NULL)
