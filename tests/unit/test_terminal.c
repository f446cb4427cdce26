// SPDX-License-Identifier: Apache-2.0
/* The width of a terminal and what it can show; numbers as bars; cells of any bytes; complaints;
 * the line of a trial. */
#include "base/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/progress.h"
#include "bench/cli/terminal.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

static FILE *file;
static int standard_error = -1;

/* From here on to said_end, standard error goes to a file. */
static void said_begin(void)
{
    file = tmpfile();
    assert_non_null(file);
    standard_error = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
}

/* What was written. */
static const char *said_end(void)
{
    static char text[16384];
    fflush(stderr);
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* A terminal nobody sits at. Who reads what is written to it does not matter here. */
static int open_terminal(void)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    return terminal;
}

static void resize(int terminal, unsigned short columns)
{
    const struct winsize size = {.ws_row = 24, .ws_col = columns};
    assert_int_equal(ioctl(terminal, TIOCSWINSZ, &size), 0);
}

TEST(the_width_is_that_of_the_moment)
{
    int terminal = open_terminal();
    resize(terminal, 132);
    assert_int_equal(terminal_columns(terminal), 132);
    resize(terminal, 40);
    assert_int_equal(terminal_columns(terminal), 40);
    close(terminal);
}

TEST(a_terminal_gets_what_it_can_show)
{
    static const struct {
        const char *term, *no_color;
        bool controls, colours;
    } cases[] = {{"xterm", "", true, true},   {"xterm", NULL, true, true},
                 {"xterm", "0", true, false}, {"dumb", "", false, false},
                 {"", "", false, false},      {NULL, "", false, false}};
    int terminal = open_terminal(), ends[2];
    assert_int_equal(pipe(ends), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsetenv("TERM");
        unsetenv("NO_COLOR");
        if (cases[i].term != NULL)
            setenv("TERM", cases[i].term, 1);
        if (cases[i].no_color != NULL)
            setenv("NO_COLOR", cases[i].no_color, 1);
        assert_int_equal(terminal_abilities(terminal).controls, cases[i].controls);
        assert_int_equal(terminal_abilities(terminal).colours, cases[i].colours);
        assert_false(terminal_abilities(ends[1]).controls || terminal_abilities(ends[1]).colours);
    }
    close(ends[0]);
    close(ends[1]);
    close(terminal);
}

/* ------------------------------------------------------------------ bars */

static char bar[BAR_SIZE];

TEST(bars_are_exact_to_a_column)
{
    static const struct {
        double value, most;
        const char *bar;
    } cases[] = {{10, 10, "#####"}, {5, 10, "###"},     {4.9, 10, "##"}, {1, 10, "#"},
                 {0.99, 10, "."},   {11, 10, "#####"},  {0, 10, ""},     {-1, 10, ""},
                 {NAN, 10, ""},     {INFINITY, 10, ""}, {5, 0, ""},      {5, NAN, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(bar_format(cases[i].value, cases[i].most, 5, bar), cases[i].bar);
}

/* ------------------------------------------------------------------ cells */

/* ------------------------------------------------------------------ complaints */

#define HOSTILE  "\x1b]0;owned\x07\u202e\r\n\xff"
#define HARMLESS "\\x1b]0;owned\\x07\\u202e\\x0d\\x0a\\xff"

TEST(an_error_is_printable_and_in_lines_of_80_columns)
{
    struct error error;
    error_raise(&error, ERROR_NO_LOCK, 0, "/a" HOSTILE, "its child '%s'", HOSTILE);
    said_begin();
    assert_int_equal(complain(&error), 2);
    assert_string_equal(said_end(),
                        "zkherd: /a" HARMLESS ": not a lock: its child\n    '" HARMLESS
                        "'; name the folder of a queue, or the\n    znode that is the lock\n");
}

TEST(a_line_that_is_too_long_is_cut_with_a_sign)
{
    char long_one[10000];
    memset(long_one, 'a', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    said_begin();
    complain_mildly("%s", long_one);
    const char *line = said_end();
    assert_true(strlen(line) < sizeof long_one);
    assert_string_equal(line + strlen(line) - 5, "a...\n");
}

/* ------------------------------------------------------------------ the line of a trial */

TEST(no_line_is_longer_than_the_terminal_is_wide)
{
    const struct progress_name longest = {"a-host.of-a.long-domain.example-12181",
                                          "broken-norecheck-and-more n=1000000", 1000000, 1000000};
    const struct progress progress = {.count = 729, .at = 122};
    const struct trial_progress most = {.arrivals = 250,
                                        .handoffs = UINT64_MAX - 1,
                                        .handoffs_due = UINT64_MAX - 1,
                                        .rpcs = UINT64_MAX,
                                        .elapsed_ns = 2 * NS_PER_S};
    for (unsigned columns = 3; columns < 300; columns++) {
        char line[PROGRESS_LINE_SIZE];
        progress_format(&progress, &longest, &most, UINT64_MAX, columns, line);
        assert_true(strlen(line) <= columns);
    }
}
