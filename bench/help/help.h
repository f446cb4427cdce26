// SPDX-License-Identifier: Apache-2.0
/*
 * help: zkherd help: the help of each subcommand, and short answers to the questions that operators
 * ask, with the command that answers each. Layer: bench/help.
 *
 * docs/questions.md has every question, short answer and command, by make docs.
 */
#ifndef BENCH_HELP_HELP_H
#define BENCH_HELP_HELP_H

#include <stdbool.h>
#include <stddef.h>

struct subcommand {
    const char *name;                   /* NULL behind the last */
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    const char *does;                   /* for the help of the program */
};

/* The text of bench/help/answers.txt. */
extern const char answers_txt[];

/* An answer in that text, as it is printed: paragraphs with an empty line between them, which are
 * the question, a line; the answer for someone in a hurry; the commands, each with an indent of 2
 * and in 80 columns; how to read what they print; what to be careful about. */
struct answer {
    char topic[16]; /* one word, no subcommand's name */
    const char *text;
    size_t length; /* without the last line feed */
};

/* Takes the next answer from what is left of the text; false behind the last. */
bool answer_next(const char **left, struct answer *answer);

/* argv[0] is "help"; the subcommands are those with a help of their own. Returns the exit status.
 */
int help_main(int argc, char **argv, const struct subcommand subcommands[]);

#endif
