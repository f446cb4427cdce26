// SPDX-License-Identifier: Apache-2.0
/* Runs of locks that are broken on purpose: each ends with status 1, and says what is wrong. */
#include "tests/support/csv_file.h"
#include "tests/support/outcome.h"
#include "tests/support/outside.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static struct command command;
static const char *const without_plots[] = {NO_PROGRAMS, NULL};

#define BRIEF "-n", "3,5", "-t", "1", "--session-timeout", "4s", "--timeout", "2s"

COMMAND_TEST(each_fails)
{
    static const struct {
        const char *recipe, *words;
    } runs[] = {
        {"broken-nolock", "two holders: session 1 was granted while session 0 held"},
        {"broken-norecheck", "was granted while session 0 held"},
        {"broken-wrongpred", "two holders: session "},
        {"broken-nowatch", "session 1, which waits at /zkherd-"},
        {"broken-leak", "session 0 ended and left its ephemeral znode: session 1 was granted "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char names[64], out[16];
        snprintf(names, sizeof names, "%s,scalable", runs[i].recipe);
        snprintf(out, sizeof out, "out%zu", i);
        command.settings = without_plots;
        command_run(&command, COMMAND("run", "--connect", outside, "-r", names, BRIEF, "-o", out));
        assert_status(&command, 1);
        assert_has(command.err, runs[i].recipe);
        assert_has(command.err, runs[i].words);
        assert_has(command.err, "zkherd: broken-");
        assert_has(command.err, " is broken on purpose: its verdict must fail\n");
        assert_null(strstr(command.err, "scalable is broken"));
        assert_has(command.out, "FAILS");
        assert_has(command.out, "= law");
        assert_null(strstr(command.err, "scalable, "));
        struct run_files files = run_files_read(out);
        assert_int_equal(files.trials.rows, 4);
        for (size_t row = 0; row < files.trials.rows; row++) {
            bool broken = strcmp(csv_file_text(&files.trials, row, "recipe"), "scalable") != 0;
            assert_int_equal(csv_file_count(&files.trials, row, "violations") > 0, broken);
        }
        run_files_deinit(&files);
        assert_left(i + 1);
    }
}

TEST_GROUP(outside_start, outside_stop)
