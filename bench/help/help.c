// SPDX-License-Identifier: Apache-2.0
#include "bench/help/help.h"

#include "base/memory.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/rows.h"
#include "bench/cli/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A line "# TOPIC" is above each answer. */
bool answer_next(const char **left, struct answer *answer)
{
    if (**left == '\0')
        return false;
    const char *topic = *left + strlen("# "), *line_end = strchr(topic, '\n');
    snprintf(answer->topic, sizeof answer->topic, "%.*s", (int)(line_end - topic), topic);
    answer->text = line_end + 1;
    const char *end = strstr(answer->text, "\n\n# ");
    *left = end != NULL ? end + strlen("\n\n") : strchr(answer->text, '\0');
    answer->length = end != NULL ? (size_t)(end - answer->text) : strlen(answer->text) - 1;
    return true;
}

static int write_answer(const struct answer *answer)
{
    printf("%.*s\n\n", (int)answer->length, answer->text);
    puts("docs/questions.md of the source has what the commands printed, and pictures.");
    return 0;
}

/* A topic of its own. */
#define PRIVATE "servers"

static const char private_does[] = "options of run, load and plan for the servers that they start";

static int write_private(void)
{
    printf("%s\n\n", private_does);
    for (const struct option_row *row = rows_private; row->name != NULL; row++)
        fputs(row->help, stdout);
    puts("\nHow many servers --servers says. zkherd-run(1) has each option's values.");
    return 0;
}

static void add_word(struct growing_text *words, const char *word)
{
    growing_text_add(words, "%s%s", words->length > 0 ? ", " : "", word);
}

static int list(const struct growing_text *names)
{
    struct answer answer;
    puts("zkherd help TOPIC answers a question:\n");
    for (const char *left = answers_txt; answer_next(&left, &answer);)
        printf("  %-10s %.*s\n", answer.topic, (int)strcspn(answer.text, "\n"), answer.text);
    printf("  %-10s %s\n", PRIVATE, private_does);
    fputs("\nor prints the help of a subcommand, as zkherd SUBCOMMAND --help does:\n\n  ", stdout);
    wrap_write(names->text, 2, stdout);
    puts("\nzkherd --help says what each subcommand does.");
    return 0;
}

int help_main(int argc, char **argv, const struct subcommand subcommands[])
{
    static const struct arguments arguments = {"help", usage, rows, notes, NULL};
    char option[] = "--help";
    struct growing_text topics = {0};
    int first, status = arguments_take(&arguments, argc, argv, NULL, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first + 1 < argc)
        return complain_usage("help", argv[first + 1], "expected one topic");
    char *topic = first < argc ? argv[first] : NULL;
    for (const struct subcommand *one = subcommands; one->name != NULL; one++) {
        if (topic != NULL && strcmp(topic, one->name) == 0) {
            free(topics.text);
            return one->main(2, (char *[]){topic, option, NULL});
        }
        add_word(&topics, one->name);
    }
    if (topic == NULL) {
        status = list(&topics);
        free(topics.text);
        return status;
    }
    if (strcmp(topic, PRIVATE) == 0)
        status = write_private();
    add_word(&topics, PRIVATE);
    struct answer answer;
    for (const char *left = answers_txt; status == ARGUMENTS_GO && answer_next(&left, &answer);) {
        add_word(&topics, answer.topic);
        if (strcmp(answer.topic, topic) == 0)
            status = write_answer(&answer);
    }
    if (status == ARGUMENTS_GO)
        status = complain_usage("help", topic[0] != '\0' ? topic : "''",
                                "no such topic; the topics are %s", topics.text);
    free(topics.text);
    return status;
}
