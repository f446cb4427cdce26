// SPDX-License-Identifier: Apache-2.0
/* The questions of zkherd help. */
#include "tests/support/test.h"

#include "bench/help/help.h"

#define COMMAND_COLUMNS 76 /* beside the indent of the document, in 80 */

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
