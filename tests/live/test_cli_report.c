// SPDX-License-Identifier: Apache-2.0
/* The page that a subcommand writes at its end, and zkherd report. */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

static struct command command;

static void run(const char *const arguments[])
{
    command_run(&command, arguments);
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
}

/* Whatever made the page: the files say all that is in it. */
static void assert_same_later(const char *folder)
{
    char *before = read_text(in_work("%s/report.html", folder));
    assert_has(before, "</html>\n");
    run(COMMAND("report", folder));
    assert_has(command.out, "/report.html\n");
    char *later = read_text(in_work("%s/report.html", folder));
    assert_string_equal(before, later);
    free(before);
    free(later);
}

COMMAND_TEST(a_run_and_later_are_the_same)
{
    run(COMMAND("run", "-d", "simulated", "-n", "2,4", "-t", "2", "--servers", "1,3", "--plots",
                "svg", "-q", "-o", "out"));
    assert_same_later("out/simulated1");
    assert_same_later("out/simulated3");
    assert_same_later("out");
    run(COMMAND("report", "out", "--json"));
    json_t *json = schema_read_result(&command, "report");
    assert_string_equal(json_string_value(json_object_get(json, "file")), "out/report.html");
    const json_t *folders = json_object_get(json, "folders");
    assert_int_equal(json_array_size(folders), 1);
    assert_string_equal(json_string_value(json_array_get(folders, 0)), "out");
    json_decref(json);
    char *page = read_text(in_work("out/report.html"));
    assert_has(page, "<h1>zkherd: run simulated1, run simulated3</h1>");
    assert_has(page, "No server was measured");
    free(page);
}

COMMAND_TEST(a_load_and_later_are_the_same)
{
    run(COMMAND("load", "-d", "simulated", "-n", "2", "--duration", "1s", "--warm-up", "0", "-t",
                "1", "--servers", "1,3", "--plots", "svg", "-q", "-o", "out"));
    assert_same_later("out/simulated1");
    assert_same_later("out");
}

COMMAND_TEST(what_cannot_be_reported_is_refused)
{
    run(COMMAND("run", "-d", "simulated", "-n", "2", "-t", "1", "-r", "scalable", "--plots", "svg",
                "-q", "-o", "out"));
    command_run(&command, COMMAND("report", "out", "out"));
    assert_refused(&command, 2, "--out: name the file of the page of several folders");
    command_run(&command, COMMAND("report", "out", "-o", "out/trials.csv"));
    assert_refused(&command, 2, "out/trials.csv: already exists");
    command_run(&command, COMMAND("report", "none", "--json"));
    assert_refused(&command, 2, "none: not the folder of a run: there is no such folder");
    command_run(&command, COMMAND("report", "out/plots"));
    assert_refused(&command, 2, "there are no results in it");
    command_run(&command, COMMAND("report"));
    assert_refused(&command, 2, "expected a folder with results");
}
