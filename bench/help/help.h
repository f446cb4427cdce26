// SPDX-License-Identifier: Apache-2.0
/*
 * help: zkherd help: the help of each subcommand, and short answers to the questions that operators
 * ask, with the command that answers each. Layer: bench/help.
 *
 * docs/questions.md has every question, short answer and command, by make docs.
 */
#ifndef BENCH_HELP_HELP_H
#define BENCH_HELP_HELP_H

struct subcommand {
    const char *name;                   /* NULL behind the last */
    int (*main)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    const char *does;                   /* for the help of the program */
};

struct answer {
    const char *topic; /* one word, no subcommand's name; NULL behind the last */
    const char *question;
    const char *in_short; /* the answer, for someone in a hurry */
    const char *commands; /* as one would type them, each line with its end, none over 76 columns */
    const char *reading;  /* what the command prints, and what to make of it */
    const char *caution;
};

extern const struct answer answers[];

/* argv[0] is "help"; the subcommands are those with a help of their own. Returns the exit status.
 */
int help_main(int argc, char **argv, const struct subcommand subcommands[]);

#endif
