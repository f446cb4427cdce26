// SPDX-License-Identifier: Apache-2.0
/*
 * plan_table: the answers of all searches on the terminal: a table, and sentences. Layer:
 * bench/answer.
 *
 * Invariant: no line is longer than a terminal, unless one word is.
 */
#ifndef BENCH_ANSWER_PLAN_TABLE_H
#define BENCH_ANSWER_PLAN_TABLE_H

#include "bench/answer/plan_answer.h"

#include <stdio.h>

/* An answer, and where it was found. */
struct plan_told {
    const char *target; /* its name */
    struct plan_answer answer;
};

/* Writes the sentences of an answer: what was found, what gave out first, the herd coefficient, the
 * knee. */
void plan_table_write_sentences(const struct plan_question *question, const struct plan_told *told,
                                bool several, FILE *stream);

/* Writes the table and the sentences; several: of several targets. ERROR_NO_MEMORY, and the table
 * is missing. */
MUST_CHECK enum error_kind plan_table_write(const struct plan_question *question,
                                            const struct plan_told *list, size_t count,
                                            bool several, FILE *stream, struct error *error);

#endif
