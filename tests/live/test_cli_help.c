// SPDX-License-Identifier: Apache-2.0
/* zkherd help: questions, the help of subcommands, topics that do not exist. */
#include "tests/support/outcome.h"
#include "tests/support/test.h"

#include "bench/help/help.h"

static const char *const without_java[] = {NO_JAVA, NULL};

static struct command command = {.settings = without_java}, other = {.settings = without_java};

static void run_and_check(struct command *one, const char *const arguments[])
{
    command_run(one, arguments);
    assert_status(one, 0);
    assert_string_equal(one->err, "");
    for (const char *line = one->out; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strcspn(line, "\n") > 80)
            fail_msg("a line of more than 80 bytes: %.*s", (int)strcspn(line, "\n"), line);
    }
}

COMMAND_TEST(all_topics_are_listed)
{
    const struct answer *answer;
    run_and_check(&command, COMMAND("help"));
    for (answer = answers; answer->topic != NULL; answer++) {
        char line[128];
        snprintf(line, sizeof line, "\n  %-10s %s\n", answer->topic, answer->question);
        assert_has(command.out, line);
    }
    assert_has(command.out, "run, load, ");
    assert_left(0);
}

COMMAND_TEST(each_question_is_answered)
{
    const struct answer *answer;
    for (answer = answers; answer->topic != NULL; answer++) {
        run_and_check(&command, COMMAND("help", answer->topic));
        assert_memory_equal(command.out, answer->question, strlen(answer->question));
        assert_memory_equal(command.out + strlen(answer->question), "\n\n", 2);
        assert_memory_equal(command.out + strlen(answer->question) + 2, answer->in_short, 40);
        assert_has(command.out, "\n\n  zkherd ");
        assert_has(command.out, "\nBe careful: ");
    }
    run_and_check(&command, COMMAND("help", "many"));
    assert_has(command.out, "\n  zkherd plan --slo 'handoff p95 < 10ms' --resolution 25 \\\n"
                            "      -r nonscalable,childwatch,scalable\n");
    assert_left(0);
}

COMMAND_TEST(the_help_of_a_subcommand_is_its_own)
{
    static const char *const names[] = {"run", "claims", "help"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        command_run(&command, COMMAND("help", names[i]));
        command_run(&other, COMMAND(names[i], "--help"));
        assert_status(&command, 0);
        assert_string_equal(command.out, other.out);
    }
    assert_left(0);
}
