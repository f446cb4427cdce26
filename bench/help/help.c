// SPDX-License-Identifier: Apache-2.0
#include "bench/help/help.h"

#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/terminal.h"
#include "bench/help/answers.h"

#include <stdio.h>
#include <string.h>

#define WORDS_SIZE 1024

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

static void add_word(char words[WORDS_SIZE], const char *word)
{
    size_t length = strlen(words);
    snprintf(words + length, WORDS_SIZE - length, "%s%s", length > 0 ? ", " : "", word);
}

static void name_subcommands(const struct subcommand subcommands[], size_t count,
                             char words[WORDS_SIZE])
{
    words[0] = '\0';
    for (size_t i = 0; i < count; i++)
        add_word(words, subcommands[i].name);
}

static int list(const struct subcommand subcommands[], size_t count)
{
    const struct answer *answer;
    char names[WORDS_SIZE];
    puts("zkherd help TOPIC answers a question:\n");
    for (size_t i = 0; (answer = answers_at(i)) != NULL; i++)
        printf("  %-10s %s\n", answer->topic, answer->question);
    fputs("\nor prints the help of a subcommand, as zkherd SUBCOMMAND --help does:\n\n  ", stdout);
    name_subcommands(subcommands, count, names);
    wrap_write(names, 2, stdout);
    puts("\nzkherd --help says what each subcommand does.");
    return 0;
}

static int refuse(const char *topic, const struct subcommand subcommands[], size_t count)
{
    const struct answer *answer;
    char topics[WORDS_SIZE];
    name_subcommands(subcommands, count, topics);
    for (size_t i = 0; (answer = answers_at(i)) != NULL; i++)
        add_word(topics, answer->topic);
    return complain_usage("help", topic[0] != '\0' ? topic : "''",
                          "no such topic; the topics are %s", topics);
}

static int tell(char *topic, const struct subcommand subcommands[], size_t count)
{
    char option[] = "--help";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(topic, subcommands[i].name) == 0)
            return subcommands[i].main(2, (char *[]){topic, option, NULL});
    }
    const struct answer *answer = answers_find(topic);
    return answer != NULL ? write_answer(answer) : refuse(topic, subcommands, count);
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
