// SPDX-License-Identifier: Apache-2.0
/*
 * The questions of zkherd help, and docs/questions.md: both have the same ones. Tests run in the
 * folder that README.md is in.
 */
#include "tests/support/shown.h"
#include "tests/support/test.h"

#include "bench/help/help.h"

#define COMMAND_COLUMNS 76 /* beside the indent of the document, in 80 */

static char document[128 * 1024];

static int read_document(void **state)
{
    (void)state;
    shown_read("docs/questions.md", document, sizeof document);
    return 0;
}

/* The end of the paragraph here if it has these words, however its lines are broken and its names
 * are marked; else NULL. */
static const char *end_of_paragraph(const char *place, const char *words)
{
    for (; *words != '\0'; place++) {
        if (*place == '`')
            continue;
        if (*place != *words && !(*place == '\n' && *words == ' '))
            return NULL;
        words++;
    }
    return strncmp(place, "\n\n", 2) == 0 ? place : NULL;
}

TEST(each_question_and_its_commands_are_in_the_document)
{
    const char *place = document;
    for (size_t i = 0; answers[i].topic != NULL; i++) {
        const struct answer *answer = &answers[i];
        char line[160], text[640], commands[640], *end = commands;
        snprintf(line, sizeof line, "## %zu. %s", i + 1, answer->question);
        if ((place = shown_find_line(place, line)) == NULL)
            fail_msg("docs/questions.md does not have, in its place: %s", line);
        for (const char *c = answer->commands; *c != '\0'; c = strchr(c, '\n') + 1)
            end += sprintf(end, "    %.*s\n", (int)strcspn(c, "\n"), c);
        place += strlen(line) + 3;
        snprintf(text, sizeof text, "**In short.** %s", answer->in_short);
        if ((place = end_of_paragraph(place, text)) == NULL)
            fail_msg("docs/questions.md does not have below question %zu:\n%s", i + 1, text);
        if (strncmp(place + 2, commands, strlen(commands)) != 0)
            fail_msg("docs/questions.md does not have below question %zu:\n%s", i + 1, commands);
        snprintf(line, sizeof line, "On the terminal: `zkherd help %s`.", answer->topic);
        assert_non_null(place = shown_find_line(place, line));
    }
    assert_null(strstr(place, "\n## "));
}

TEST(every_topic_is_another_and_its_commands_fit)
{
    size_t count = 0;
    for (; answers[count].topic != NULL; count++) {
        for (size_t i = 0; i < count; i++)
            assert_string_not_equal(answers[count].topic, answers[i].topic);
        for (const char *c = answers[count].commands; *c != '\0'; c = strchr(c, '\n') + 1)
            assert_true(strcspn(c, "\n") <= COMMAND_COLUMNS);
    }
    assert_int_equal(count, 10);
}

TEST_GROUP(read_document, NULL)
