// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

TEST(what_has_no_width_has_eighty_columns)
{
    int terminal = open_terminal(), ends[2];
    resize(terminal, 0);
    assert_int_equal(terminal_columns(terminal), 80);
    close(terminal);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(terminal_columns(ends[1]), 80);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(terminal_columns(ends[1]), 80);
}

static const char utf8[] = "UTF-8";

/* Colours and blocks need a terminal that obeys. */
static void assert_look(bool colours, bool blocks, struct terminal_look look)
{
    assert_true(look.controls || !(colours || blocks));
    assert_int_equal(look.colours, colours);
    assert_int_equal(look.blocks, blocks);
}

TEST(a_terminal_gets_what_it_can_show)
{
    assert_look(true, true, terminal_judge(true, "xterm-256color", NULL, utf8));
    assert_look(true, true, terminal_judge(true, "xterm", NULL, "utf8"));
    assert_look(true, false, terminal_judge(true, "xterm", NULL, "ANSI_X3.4-1968"));
    assert_look(true, false, terminal_judge(true, "xterm", NULL, ""));
    assert_look(true, false, terminal_judge(true, "linux", NULL, utf8));
    assert_look(false, false, terminal_judge(true, "dumb", NULL, utf8));
    assert_look(false, false, terminal_judge(true, "", NULL, utf8));
    assert_look(false, false, terminal_judge(true, NULL, NULL, utf8));
}

TEST(what_is_no_terminal_gets_plain_text)
{
    assert_look(false, false, terminal_judge(false, "xterm", NULL, utf8));
    assert_false(terminal_judge(false, "xterm", NULL, utf8).controls);
    assert_false(terminal_judge(true, "dumb", NULL, utf8).controls);
    assert_true(terminal_judge(true, "linux", "1", "").controls);
}

TEST(no_color_forbids_colours_unless_empty)
{
    assert_look(false, true, terminal_judge(true, "xterm", "1", utf8));
    assert_look(false, true, terminal_judge(true, "xterm", "0", utf8));
    assert_look(true, true, terminal_judge(true, "xterm", "", utf8));
}

/* The locale is that of the environment, whatever that of the program is. */
TEST(a_descriptor_is_judged_by_the_environment)
{
    int terminal = open_terminal(), ends[2];
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    assert_look(true, true, terminal_look(terminal));
    assert_int_equal(pipe(ends), 0);
    assert_look(false, false, terminal_look(ends[1]));
    setenv("NO_COLOR", "1", 1);
    setenv("LC_ALL", "C", 1);
    assert_look(false, false, terminal_look(terminal));
    setenv("LC_ALL", "no such locale", 1);
    assert_look(false, false, terminal_look(terminal));
    close(ends[0]);
    close(ends[1]);
    close(terminal);
}
