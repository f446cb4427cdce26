// SPDX-License-Identifier: Apache-2.0
/*
 * answers: the questions that operators ask, with the command that answers each. Layer: bench/help.
 *
 * Invariant: docs/questions.md has every question, short answer and command word for word, in this
 * order; a test compares them.
 */
#ifndef BENCH_HELP_ANSWERS_H
#define BENCH_HELP_ANSWERS_H

#include <stddef.h>

struct answer {
    const char *topic; /* one word, no subcommand's name */
    const char *question;
    const char *in_short; /* the answer, for someone in a hurry */
    const char *commands; /* as one would type them, each line with its end, none over 76 columns */
    const char *reading;  /* what the command prints, and what to make of it */
    const char *caution;
};

/* The answer of this number, from 0; NULL behind the last one. */
const struct answer *answers_at(size_t number);

/* NULL: there is none of this topic. */
const struct answer *answers_find(const char *topic);

#endif
