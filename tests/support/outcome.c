// SPDX-License-Identifier: Apache-2.0
#include "tests/support/outcome.h"

void assert_status(const struct command *command, int status)
{
    if (command->status != status)
        fail_msg("exit status %d, not %d\n%s%s", command->status, status, command->out,
                 command->err);
}

void assert_complaint(const char *err, const char *words)
{
    const char *why = strstr(err, ": ");
    why = why == NULL ? NULL : strstr(why + 2, ": ");
    const char *end = strchr(err, '\n');
    if (strncmp(err, "zkherd: ", 8) != 0 || why == NULL || strstr(why, "; ") == NULL ||
        end == NULL || end[1] != '\0' || end[-1] == ' ')
        fail_msg("'%s' is not one line 'zkherd: what: why; what to do'", err);
    assert_has(err, words);
}

void assert_refused(const struct command *command, int status, const char *words)
{
    assert_status(command, status);
    assert_string_equal(command->out, "");
    assert_complaint(command->err, words);
}

void assert_in_vain(const struct command *command, const char *words)
{
    assert_refused(command, 3, words);
    assert_left(0);
}
