// SPDX-License-Identifier: Apache-2.0
#include "tests/support/outcome.h"

void assert_status(const struct command *command, int status)
{
    if (command->status != status)
        fail_msg("exit status %d, not %d\n%s%s", command->status, status, command->err,
                 command->out);
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

static void join(const char *const arguments[], char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (; *arguments != NULL && length < size; arguments++)
        length += (size_t)snprintf(text + length, size - length, "%s ", *arguments);
}

void assert_line_refused(struct command *command, const char *subcommand,
                         const struct refusal *refusal)
{
    char line[256];
    const char *arguments[3 + sizeof refusal->arguments / sizeof refusal->arguments[0]] = {
        "zkherd", subcommand};
    memcpy(arguments + (subcommand == NULL ? 1 : 2), refusal->arguments, sizeof refusal->arguments);
    join(arguments, line, sizeof line);
    command_run(command, arguments);
    if (command->status != 2 || strstr(command->err, refusal->words) == NULL)
        fail_msg("%s: exit status %d, '%s' instead of '%s'", line, command->status, command->err,
                 refusal->words);
    assert_refused(command, 2, refusal->words);
}

void assert_lines_refused(struct command *command, const char *subcommand,
                          const struct refusal *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_line_refused(command, subcommand, &list[i]);
}

void assert_in_vain(const struct command *command, const char *words)
{
    assert_refused(command, 3, words);
    assert_left(0);
}
