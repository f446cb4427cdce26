// SPDX-License-Identifier: Apache-2.0
#include "bench/help/help.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/wrap.h"
#include "bench/help/answers.h"

#include <stdio.h>
#include <string.h>

#define TOPICS_SIZE 1024

static const char usage[] =
    "Usage: zkherd help [TOPIC]\n"
    "Print the help of a subcommand, or the answer to a question: in short, with the\n"
    "command to try, how to read what that prints, and what to be careful about.\n"
    "Without TOPIC: list the topics.\n"
    "\n";

static const char notes[] = "\n"
                            "Examples:\n"
                            "  zkherd help       all topics\n"
                            "  zkherd help slow  why a lock is slow with a thousand clients\n"
                            "  zkherd help run   as zkherd run --help\n";

static const struct option_row rows[] = {OPTION_ROW_HELP("  -h, --help  print this help\n"), {0}};

static void write_lines(const char *lines)
{
    while (*lines != '\0') {
        size_t length = strcspn(lines, "\n");
        printf("  %.*s\n", (int)length, lines);
        lines += length + 1;
    }
}

static int write_answer(const struct answer *answer)
{
    static const char careful[] = "Be careful: ";
    wrap_write(answer->question, 0, stdout);
    putchar('\n');
    wrap_write(answer->in_short, 0, stdout);
    putchar('\n');
    write_lines(answer->commands);
    putchar('\n');
    wrap_write(answer->reading, 0, stdout);
    printf("\n%s", careful);
    wrap_write(answer->caution, sizeof careful - 1, stdout);
    puts("\ndocs/questions.md of the source has what the commands printed, and pictures.");
    return 0;
}

static void add_topic(char topics[TOPICS_SIZE], const char *topic)
{
    size_t length = strlen(topics);
    snprintf(topics + length, TOPICS_SIZE - length, "%s%s", length > 0 ? ", " : "", topic);
}

/* The names of all topics, with a comma and a blank between them. */
static void name_topics(const struct subcommand subcommands[], size_t count,
                        char topics[TOPICS_SIZE])
{
    const struct answer *answer;
    topics[0] = '\0';
    for (size_t i = 0; i < count; i++)
        add_topic(topics, subcommands[i].name);
    for (size_t i = 0; (answer = answers_at(i)) != NULL; i++)
        add_topic(topics, answer->topic);
}

static int list(const struct subcommand subcommands[], size_t count)
{
    const struct answer *answer;
    puts("zkherd help TOPIC answers a question:\n");
    for (size_t i = 0; (answer = answers_at(i)) != NULL; i++)
        printf("  %-10s %s\n", answer->topic, answer->question);
    puts("\nor prints the help of a subcommand, as zkherd SUBCOMMAND --help does:\n");
    for (size_t i = 0; i < count; i++)
        printf("%s%s", i == 0 ? "  " : i % 6 == 0 ? ",\n  " : ", ", subcommands[i].name);
    puts("\n\nzkherd --help says what each subcommand does.");
    return 0;
}

static int tell(char *topic, const struct subcommand subcommands[], size_t count)
{
    char topics[TOPICS_SIZE], option[] = "--help";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(topic, subcommands[i].name) == 0)
            return subcommands[i].main(2, (char *[]){topic, option, NULL});
    }
    const struct answer *answer = answers_find(topic);
    if (answer != NULL)
        return write_answer(answer);
    name_topics(subcommands, count, topics);
    return complain_usage("help", topic[0] != '\0' ? topic : "''",
                          "no such topic; the topics are %s", topics);
}

int help_main(int argc, char **argv, const struct subcommand subcommands[], size_t count)
{
    static const struct arguments arguments = {"help", usage, rows, notes, NULL};
    int first;
    int status = arguments_take(&arguments, argc, argv, NULL, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first + 1 < argc)
        return complain_usage("help", argv[first + 1], "expected one topic");
    return first < argc ? tell(argv[first], subcommands, count) : list(subcommands, count);
}
