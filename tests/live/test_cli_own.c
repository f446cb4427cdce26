// SPDX-License-Identifier: Apache-2.0
/* A lock of one's own, as the program is told of it: a skeleton, its file as a recipe of every
 * subcommand that takes one, and what the files of a run say of it. */
#include "tests/support/outcome.h"
#include "tests/support/run_files.h"
#include "tests/support/test.h"

static struct command command;

static void make_skeleton(const char *name)
{
    command.settings = NULL;
    command_run(&command, COMMAND("recipes", "--new", name));
    assert_status(&command, 0);
}

/* Of all trials. */
static void assert_law_holds(const char *folder, size_t trials)
{
    struct run_files files = run_files_read(folder);
    assert_int_equal(files.trials.rows, trials);
    for (size_t i = 0; i < trials; i++)
        assert_string_equal(csv_file_text(&files.trials, i, "rpcs"),
                            csv_file_text(&files.trials, i, "law_rpcs"));
    run_files_deinit(&files);
}

/* As the head of the file says. */
COMMAND_TEST(a_skeleton_passes_its_test)
{
    make_skeleton("my-lock2");
    assert_non_null(strstr(command.out, "zkherd run -d simulated -r ./my-lock2.c"));
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "./my-lock2.c", "-n",
                                  "1..8+1,16..64x2", "-t", "1", "-o", "drain"));
    assert_status(&command, 0);
    assert_string_equal(command.err, "");
    assert_law_holds("drain", 11);
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "./my-lock2.c", "-n", "2,16",
                                  "-t", "1", "-w", "steady", "-o", "steady"));
    assert_status(&command, 0);
    assert_law_holds("steady", 2);
    command_run(&command, COMMAND("run", "-d", "simulated", "-r", "./my-lock2.c", "-n", "16", "-t",
                                  "20", "-p", "free", "-o", "free"));
    assert_status(&command, 0);
}

COMMAND_TEST(no_file_is_overwritten)
{
    make_skeleton("mine");
    char *before = read_text(in_work("mine.c"));
    command_run(&command, COMMAND("recipes", "--new", "mine"));
    assert_refused(&command, 2, "mine.c: already exists");
    char *after = read_text(in_work("mine.c"));
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_left(1);
}

/* Beside zkherd's own, in processes, on a server; the manifest says which file that was. */
COMMAND_TEST(a_recipe_of_a_file_runs_on_servers)
{
    make_skeleton("mine");
    command_run(&command, COMMAND("run", "-r", "./mine.c,scalable:4", "-n", "4,9", "-t", "1",
                                  "--processes", "2", "-o", "out"));
    assert_status(&command, 0);
    assert_law_holds("out", 3);
    json_t *manifest = read_manifest("out");
    const json_t *own = json_object_get(json_object_get(manifest, "own_recipes"), "mine");
    assert_string_equal(json_string_value(json_object_get(own, "file")), "./mine.c");
    assert_int_equal(strlen(json_string_value(json_object_get(own, "sha256"))), 64);
    assert_int_equal(json_object_size(json_object_get(manifest, "own_recipes")), 1);
    json_decref(manifest);
    assert_nothing_runs();
}

COMMAND_TEST(other_subcommands_take_it_too)
{
    make_skeleton("mine");
    command_run(&command, COMMAND("recipes", "./mine.c"));
    assert_status(&command, 0);
    assert_non_null(strstr(command.out, "A drain of n: 5n - 2 RPCs, n - 1 notifications"));
    command_run(&command, COMMAND("recipes", "--json", "./mine.c"));
    assert_status(&command, 0);
    assert_non_null(strstr(command.out, "\"recipe\": \"mine\""));
    command_run(&command,
                COMMAND("plan", "--dry-run", "--slo", "handoff p99 < 9ms", "-r", "./mine.c"));
    assert_status(&command, 0);
    assert_non_null(strstr(command.out, "mine"));
}

COMMAND_TEST(what_cannot_run_is_refused)
{
    make_skeleton("mine");
    assert_int_equal(mkdir(in_work("d"), 0700), 0);
    assert_int_equal(link(in_work("mine.c"), in_work("d/mine.c")), 0);
    const struct refusal refusals[] = {
        {{"-r", "./mine.c,d/mine.c"}, "a recipe is named twice"},
        {{"-r", "./none.txt"}, "./none.txt: not a recipe that can be run"},
        {{"-r", "mine.c"}, "no recipe is called 'mine.c'"},
    };
    ASSERT_LINES_REFUSED(&command, "run", refusals);
    static const char *const no_compiler[] = {"CC=gcc-none", NULL};
    command.settings = no_compiler;
    command_run(&command, COMMAND("run", "-r", "./mine.c"));
    assert_refused(&command, 3, "install the package gcc, or set CC");
    assert_left(2);
}

TEST_GROUP(program_find, NULL)
