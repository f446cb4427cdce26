// SPDX-License-Identifier: Apache-2.0
/*
 * docs/tutorial.md: each simulated command prints what stands below it. Tests run in the folder
 * that README.md is in.
 */
#include "tests/support/outcome.h"
#include "tests/support/shown.h"
#include "tests/support/test.h"

#define WORDS 24

static const char before[] = "\n    zkherd ", simulated[] = "run -d simulated ";

static const char *const without_plots[] = {NO_PROGRAMS, NULL};

static struct command command = {.settings = without_plots};

static char document[64 * 1024], printed[COMMAND_TEXT_SIZE + 2];

static int read_document(void **state)
{
    (void)state;
    shown_read("docs/tutorial.md", document, sizeof document);
    return 0;
}

/* The words of the line, behind "zkherd". */
static void run_command(const char *line)
{
    static char text[256];
    const char *arguments[WORDS + 1] = {"zkherd"};
    size_t count = 1;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS);
        arguments[count++] = word;
    }
    command_run(&command, arguments);
    assert_true(command.status == 0 || strstr(line, "broken") != NULL);
    snprintf(printed, sizeof printed, "\n%s", command.out);
}

COMMAND_TEST(each_simulated_command_prints_what_is_shown)
{
    const char *place = document;
    size_t commands = 0;
    while ((place = strstr(place, before)) != NULL) {
        place += sizeof before - 1;
        if (strncmp(place, simulated, sizeof simulated - 1) != 0)
            continue;
        run_command(place);
        const char *block = shown_next(place), *end = strchr(place, '\n');
        assert_ptr_equal(block, end + 1);
        shown_check(block, printed);
        commands++;
    }
    assert_true(commands >= 6);
}

TEST_GROUP(read_document, NULL)
