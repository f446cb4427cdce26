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
