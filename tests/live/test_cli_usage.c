// SPDX-License-Identifier: Apache-2.0
/* What is there is not touched, each help fits a screen, and a crash has a sentence. What is
 * refused: tests/golden/refusals. */
#include "tests/support/outcome.h"
#include "tests/support/test.h"

static const char *const without_java[] = {NO_JAVA, NULL};

static struct command command = {.settings = without_java};

/* Whatever is there is somebody's: it is not touched, not even when it is empty. */
COMMAND_TEST(an_existing_folder_is_not_touched)
{
    struct stat before, after;
    assert_int_equal(mkdir(in_work("mine"), 0700), 0);
    assert_int_equal(stat(in_work("mine"), &before), 0);
    command_run(&command, COMMAND("run", "-n", "2", "-t", "1", "-o", "mine"));
    assert_refused(&command, 2, "zkherd: mine: already exists");
    command_run(&command, COMMAND("run", "-n", "2", "-t", "1", "-o", "mine/"));
    assert_refused(&command, 2, "already exists");
    command_run(&command, COMMAND("run", "--servers", "1,3", "-o", "mine"));
    assert_refused(&command, 2, "zkherd: mine: already exists");
    assert_left(1);
    assert_int_equal(count_entries(in_work("mine")), 0);
    assert_int_equal(stat(in_work("mine"), &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    assert_int_equal(before.st_ino, after.st_ino);
}

static size_t columns_of(const char *line)
{
    size_t columns = 0;
    for (; *line != '\n'; line++)
        columns += ((unsigned char)*line & 0xc0) != 0x80; /* what goes on with a letter is none */
    return columns;
}

/* Each help is for a terminal of 50 lines of 80 columns, and ends with examples. */
COMMAND_TEST(help_fits_a_screen)
{
    static const char *const asked[][5] = {
        {"zkherd", "--help"},
        {"zkherd", "run", "--help"},
        {"zkherd", "compare", "--help"},
        {"zkherd", "claims", "--help"},
        {"zkherd", "ensemble", "--help"},
        {"zkherd", "inspect", "--help"},
        {"zkherd", "clean", "--help"},
        {"zkherd", "recipes", "--help"},
        {"zkherd", "plan", "--help"},
        {"zkherd", "plot", "--help"},
        {"zkherd", "report", "--help"},
        {"zkherd", "load", "--help"},
        {"zkherd", "tap", "--help"},
        {"zkherd", "autopsy", "--help"},
        {"zkherd", "help", "--help"},
    };
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        size_t lines = 0;
        command_run(&command, asked[i]);
        assert_status(&command, 0);
        for (const char *line = command.out; *line != '\0'; line = strchr(line, '\n') + 1) {
            if (columns_of(line) > 80)
                fail_msg("more than 80 columns: %.*s", (int)strcspn(line, "\n"), line);
            lines++;
        }
        assert_true(lines <= 50);
        const char *examples = strstr(command.out, "\n\nExamples:\n  zkherd ");
        assert_non_null(examples);
        assert_null(strstr(examples + 2, "\n\n"));
    }
}

/* A sanitizer has a report of its own for the others. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const int signals[] = {SIGABRT};
#else
static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
#endif

/* As what the client library does with a damaged reply ends the program. */
COMMAND_TEST(a_crash_is_said)
{
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        char out[16];
        snprintf(out, sizeof out, "out%zu", i);
        command_start(&command, COMMAND("run", "-q", "-d", "simulated", "-n", "2", "-t", "1", "-p",
                                        "free", "-w", "steady", "--duration", "9h", "-o", out));
        /* In its trial: the folder itself is made and removed before, to see whether it can be. */
        while (access(in_work("%s/trials.csv.part", out), F_OK) != 0) {
            assert_true(command_runs(&command));
            pause_ms(1);
        }
        command_end(&command, command.pid, signals[i]);
        assert_status(&command, 128 + signals[i]);
        assert_has(command.err, "zkherd: it has crashed, perhaps in the ZooKeeper client library");
    }
}
