// SPDX-License-Identifier: Apache-2.0
#include "bench/cli/terminal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

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

static void the_width_is_that_of_the_moment(void **state)
{
    (void)state;
    int terminal = open_terminal();
    resize(terminal, 132);
    assert_int_equal(terminal_columns(terminal), 132);
    resize(terminal, 40);
    assert_int_equal(terminal_columns(terminal), 40);
    close(terminal);
}

static void what_has_no_width_has_eighty_columns(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_width_is_that_of_the_moment),
        cmocka_unit_test(what_has_no_width_has_eighty_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
