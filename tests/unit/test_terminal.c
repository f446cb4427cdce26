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
TEST(columns_are_those_of_characters_and_of_the_indent)
{
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·", 4), SEVENTY "ä²·ä²·\n");
    assert_string_equal(wrapped(SEVENTY "ä²·ä²·ä", 4),
                        "123456789 123456789 123456789 123456789 123456789 123456789 123456789\n"
                        "    ä²·ä²·ä\n");
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
