// SPDX-License-Identifier: Apache-2.0
/* The width of a terminal and what it can show; text in its lines; numbers as bars. */
#include "bench/cli/terminal.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <math.h>
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
static void assert_look(bool colours, bool blocks, struct terminal_abilities look)
{
    assert_true(look.controls || !(colours || blocks));
    assert_int_equal(look.colours, colours);
    assert_int_equal(look.blocks, blocks);
}

TEST(a_terminal_gets_what_it_can_show)
{
    static const struct {
        bool is_terminal;
        const char *term, *no_color, *charset;
        bool controls, colours, blocks;
    } cases[] = {
        {true, "xterm-256color", NULL, utf8, true, true, true},
        {true, "xterm", NULL, "utf8", true, true, true},
        {true, "xterm", NULL, "ANSI_X3.4-1968", true, true, false},
        {true, "xterm", NULL, "", true, true, false},
        {true, "linux", NULL, utf8, true, true, false},
        {true, "dumb", NULL, utf8, false, false, false},
        {true, "", NULL, utf8, false, false, false},
        {true, NULL, NULL, utf8, false, false, false},
        {false, "xterm", NULL, utf8, false, false, false},
        {true, "xterm", "1", utf8, true, false, true},
        {true, "xterm", "0", utf8, true, false, true},
        {true, "xterm", "", utf8, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct terminal_abilities look = terminal_judge(cases[i].is_terminal, cases[i].term,
                                                        cases[i].no_color, cases[i].charset);
        assert_int_equal(look.controls, cases[i].controls);
        assert_look(cases[i].colours, cases[i].blocks, look);
    }
}

/* The locale is that of the environment, whatever that of the program is. */
TEST(a_descriptor_is_judged_by_the_environment)
{
    int terminal = open_terminal(), ends[2];
    setenv("TERM", "xterm", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("NO_COLOR");
    assert_look(true, true, terminal_abilities(terminal));
    assert_int_equal(pipe(ends), 0);
    assert_look(false, false, terminal_abilities(ends[1]));
    setenv("NO_COLOR", "1", 1);
    setenv("LC_ALL", "C", 1);
    assert_look(false, false, terminal_abilities(terminal));
    setenv("LC_ALL", "no such locale", 1);
    assert_look(false, false, terminal_abilities(terminal));
    close(ends[0]);
    close(ends[1]);
    close(terminal);
}

/* ------------------------------------------------------------------ text in lines */

static char written[1024];

static const char *wrapped(const char *text, size_t indent)
{
    FILE *stream = fmemopen(written, sizeof written, "w");
    wrap_write(text, indent, stream);
    fclose(stream);
    return written;
}

#define TEN     "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

TEST(a_line_has_80_columns_at_most)
{
    assert_string_equal(wrapped(SEVENTY "1234567890", 0), SEVENTY "1234567890\n");
    assert_string_equal(wrapped(SEVENTY "12345678901", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "12345678901\n");
}

/* The first line's is there already. */
TEST(the_indent_takes_columns)
{
    assert_string_equal(wrapped(SEVENTY "123456", 4), SEVENTY "123456\n");
    assert_string_equal(wrapped(SEVENTY "1234567", 4),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "    1234567\n");
}

TEST(a_character_takes_one_column)
{
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä", 0), SEVENTY "ä²·ä²·ä²·ä\n");
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä²·ä-", 0),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "ä²·ä²·ä²·ä-\n");
}

TEST(no_word_is_cut)
{
    char word[101] = "", text[128], expected[128];
    memset(word, 'x', sizeof word - 1);
    snprintf(text, sizeof text, "a %s b", word);
    snprintf(expected, sizeof expected, "a\n%s\nb\n", word);
    assert_string_equal(wrapped(text, 0), expected);
}

TEST(words_have_one_blank_between_them)
{
    assert_string_equal(wrapped("one  two   three ", 0), "one two three\n");
    assert_string_equal(wrapped("", 0), "\n");
}

/* ------------------------------------------------------------------ bars */

static char bar[BAR_SIZE];

TEST(blocks_are_exact_to_an_eighth)
{
    assert_string_equal(bar_format(8, 8, 2, true, bar), "██");
    assert_string_equal(bar_format(4, 8, 2, true, bar), "█");
    assert_string_equal(bar_format(5, 8, 2, true, bar), "█▎");
    assert_string_equal(bar_format(3, 8, 1, true, bar), "▍");
    assert_string_equal(bar_format(7, 8, 1, true, bar), "▉");
    /* Halves of an eighth are rounded up. */
    assert_string_equal(bar_format(3, 16, 1, true, bar), "▎");
    assert_string_equal(bar_format(31, 32, 2, true, bar), "██");
}

TEST(signs_are_exact_to_a_column)
{
    assert_string_equal(bar_format(10, 10, 5, false, bar), "#####");
    assert_string_equal(bar_format(5, 10, 5, false, bar), "###");
    assert_string_equal(bar_format(4.9, 10, 5, false, bar), "##");
    assert_string_equal(bar_format(1, 10, 5, false, bar), "#");
}

TEST(little_is_not_nothing)
{
    assert_string_equal(bar_format(1, 1e9, 60, true, bar), "▏");
    assert_string_equal(bar_format(1, 1e9, 60, false, bar), ".");
    assert_string_equal(bar_format(0.99, 10, 5, false, bar), ".");
}

TEST(what_is_no_number_above_0_has_no_bar)
{
    static const double none[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_string_equal(bar_format(none[i], 10, 5, true, bar), "");
        assert_string_equal(bar_format(none[i], 10, 5, false, bar), "");
        assert_string_equal(bar_format(5, none[i], 5, true, bar), "");
    }
}

TEST(no_bar_is_longer_than_the_most)
{
    assert_int_equal(strlen(bar_format(11, 10, BAR_COLUMNS_MAX, false, bar)), BAR_COLUMNS_MAX);
    assert_int_equal(strlen(bar_format(11, 10, BAR_COLUMNS_MAX, true, bar)), BAR_SIZE - 1);
}
