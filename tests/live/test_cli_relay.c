// SPDX-License-Identifier: Apache-2.0
/* `zkherd run --relay`: the fourth count in what a run prints and keeps, and what such a run is not
 * compared with. */
#include "tests/support/json_row.h"
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/schema.h"
#include "tests/support/test.h"

#define RUN                                                                                        \
    "run", "--heap", "64", "--noise", "off", "--plots", "svg", "-r", "nonscalable", "-t", "1"

static struct command command;

static bool is_a_server(const json_t *manifest, const char *address)
{
    const json_t *servers = json_object_get(manifest, "servers");
    for (size_t i = 0; i < json_array_size(servers); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(servers, i), "address")),
                   address) == 0)
            return true;
    return false;
}

COMMAND_TEST(the_wire_is_a_fourth_count)
{
    command_run(&command, COMMAND(RUN, "-n", "2,8", "--servers", "3", "--processes", "2", "--relay",
                                  "-o", "relayed"));
    assert_status(&command, 0);
    words_unwrap(command.out);
    assert_has(command.out, "The relay saw the same messages and bytes on the wire in 2 of 2 "
                            "trials; all times contain the relay's");
    struct run_files files = run_files_read("relayed");
    json_t *manifest = read_manifest("relayed");
    assert_true(json_is_true(json_object_get(json_object_get(manifest, "plan"), "relay")));
    for (size_t row = 0; row < files.trials.rows; row++) {
        assert_string_equal(csv_file_text(&files.trials, row, "reconciled"), "yes");
        assert_string_equal(csv_file_text(&files.trials, row, "wire"), "yes");
    }
    for (size_t row = 0; row < files.sessions.rows; row++)
        assert_true(is_a_server(manifest, csv_file_text(&files.sessions, row, "server")));
    json_decref(manifest);
    run_files_deinit(&files);
    assert_left(1);
}

COMMAND_TEST(its_times_are_not_compared_with_those_of_other_runs)
{
    command_run(&command, COMMAND(RUN, "-n", "4", "--driver", "threads", "--pace", "free",
                                  "--relay", "--json", "-o", "relayed"));
    assert_status(&command, 0);
    json_t *result = schema_read_result(&command, "run");
    json_t *of = json_array_get(json_object_get(result, "results"), 0);
    struct csv_file trials = csv_file_read(in_work("relayed/trials.csv"));
    json_t *cell = json_array_get(json_object_get(of, "cells"), 0);
    assert_string_equal(json_string_value(json_object_get(cell, "wire")), "yes");
    assert_string_equal(csv_file_text(&trials, 0, "wire"), "yes");
    csv_file_deinit(&trials);
    json_decref(result);
    command_run(&command,
                COMMAND(RUN, "-n", "4", "--driver", "threads", "--pace", "free", "-o", "direct"));
    assert_status(&command, 0);
    assert_null(strstr(command.out, "relay"));
    trials = csv_file_read(in_work("direct/trials.csv"));
    assert_string_equal(csv_file_text(&trials, 0, "wire"), "na");
    csv_file_deinit(&trials);
    command_run(&command, COMMAND("compare", "direct", "relayed"));
    assert_refused(&command, 2, "relay is true here, false in direct");
    assert_left(2);
}

/* The program, its supervisor, the server, a worker and the relay. */
#define PROCESSES 5

COMMAND_TEST(a_relay_ends_with_a_program_that_is_killed)
{
    pid_t ours[COMMAND_PROCESSES];
    command_start(&command, COMMAND(RUN, "-n", "4", "--workload", "steady", "--duration", "100s",
                                    "--relay", "-o", "killed"));
    while (list_ours(ours) < PROCESSES) {
        assert_true(command_runs(&command));
        pause_ms(1);
    }
    kill(command.pid, SIGKILL);
    command_finish(&command, COMMAND_END_NS);
    assert_int_equal(command.status, 128 + SIGKILL);
    assert_nothing_runs();
}
