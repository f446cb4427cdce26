// SPDX-License-Identifier: Apache-2.0
#include "tests/support/asked.h"

#include "tests/support/words.h"

void await_words(struct command *command, int descriptor, const char *words, size_t times)
{
    static char text[COMMAND_TEXT_SIZE];
    uint64_t until_ns = clock_now_ns() + PATIENCE_NS;
    for (;;) {
        ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
        text[length > 0 ? length : 0] = '\0';
        if (count_words(text, words) >= times)
            return;
        if (!command_runs(command) || clock_now_ns() > until_ns) {
            command_finish(command, 0);
            fail_msg("'%s' is not there %zu times:\n%s%s", words, times, command->out,
                     command->err);
        }
        pause_ms(2);
    }
}

/* Of a terminal that the command has for its standard input. */
static int asked_master;
static char asked_terminal[64];

static void take_terminal(void)
{
    dup2(open(asked_terminal, O_RDWR | O_NOCTTY | O_CLOEXEC), 0);
}

void asked_start(struct command *command, const char *const arguments[])
{
    asked_master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(asked_master >= 0 && grantpt(asked_master) == 0 && unlockpt(asked_master) == 0);
    assert_int_equal(ptsname_r(asked_master, asked_terminal, sizeof asked_terminal), 0);
    command->prepare = take_terminal;
    command_start(command, arguments);
    await_words(command, command->err_descriptor, "? [y/N] ", 1);
}

void asked_answer(struct command *command, const char *text)
{
    assert_int_equal(write(asked_master, text, strlen(text)), strlen(text));
    command_finish(command, PATIENCE_NS);
    close(asked_master);
}
