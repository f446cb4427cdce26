// SPDX-License-Identifier: Apache-2.0
/*
 * findings: what results come to, a row each: findings.csv. Layer: bench/output.
 *
 * Whoever judges adds a row. The conclusion on the terminal, the list in --json, the page and the
 * exit status are loops over the rows.
 *
 * Invariant: a sentence begins with its subject, ends without a full stop, and stands in its row
 * alone. The figure is that of the sentence, with its interval where there is one.
 */
#ifndef BENCH_OUTPUT_FINDINGS_H
#define BENCH_OUTPUT_FINDINGS_H

#include "base/error.h"
#include "measure/statistics.h"
#include "measure/table.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* MEASURED: nothing is expected of the figure. */
enum verdict {
    VERDICT_HOLDS,
    VERDICT_FAILS,
    VERDICT_UNDETERMINED,
    VERDICT_NOT_VALID,
    VERDICT_MEASURED,
    VERDICTS
};

extern const struct verdict_row {
    const char *word; /* "holds", "fails", "undetermined", "not valid" or "measured" */
    int status;       /* the exit status */
    unsigned weight;  /* the heavier verdict outweighs the other; 0: holds, or measured */
    const char *colour;
} verdict_rows[VERDICTS];
#define verdict_word(verdict)   (verdict_rows[verdict].word)
#define verdict_status(verdict) (verdict_rows[verdict].status)

/* VERDICT_UNDETERMINED of any other text. */
enum verdict verdict_of_word(const char *word);

/* The heavier one; VERDICT_HOLDS of two without a weight. */
enum verdict verdict_worse(enum verdict a, enum verdict b);

/* The claim that a ratio is above 1, or falls below it: holds if its interval is on that side of 1,
 * fails if it is on the other, and is undetermined if it contains 1 or there is none. */
enum verdict verdict_of_ratio(const struct interval *ratio, bool falls);

#define FINDING_COLUMNS(X, T)                                                                      \
    X(T, slug, TEXT, "", 0, KEY, "the kind of finding, a word")                                    \
    X(T, subject, TEXT, "", 0, KEY, "what it is about: a recipe, a claim, a setting")              \
    X(T, verdict, TEXT, "", 0, EXACT,                                                              \
      "`holds`, `fails`, `undetermined`, `not valid`, or `measured`: a figure that nothing is "    \
      "expected of")                                                                               \
    X(T, figure, REAL, "", 6, NONE, "the number of the sentence; empty if it has none")            \
    X(T, low, REAL, "", 6, NONE, "lower end of its 95 % interval; empty if there is none")         \
    X(T, high, REAL, "", 6, NONE, "upper end")                                                     \
    X(T, unit, TEXT, "", 0, NONE, "of the three; empty for a plain number")                        \
    X(T, n, COUNT, "", 0, NONE, "trials that the finding is of")                                   \
    X(T, sentence, TEXT, "", 0, NONE, "the finding in words")
TABLE_DECLARE(finding, FINDING_COLUMNS);

/* All but the sentence. */
struct finding {
    const char *slug;
    const char *subject;
    enum verdict verdict;
    struct interval figure; /* NaN: none */
    const char *unit;       /* NULL: none */
    uint64_t n;
};

#define FINDING_NO_FIGURE     ((struct interval){NAN, NAN, NAN})
#define FINDING_FIGURE(value) ((struct interval){(value), NAN, NAN})

/* The address of a finding; and of one that nothing is expected of. */
#define FINDING(verdict, slug, subject, figure, unit, n)                                           \
    (&(const struct finding){slug, subject, verdict, figure, unit, n})
#define FINDING_MEASURED(...) FINDING(VERDICT_MEASURED, __VA_ARGS__)

/* Adds a row to a table whose type this sets. */
void findings_add(struct table *findings, const struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The verdict of all of them: the worst. */
enum verdict findings_verdict(const struct table *findings);

/* Writes what was measured, a sentence a line, and below it, if there are others, the verdict of
 * all and their sentences. colours: the verdict is green, red or yellow. For --brief the verdict
 * with the first sentences of those that make the exit status other than 0, or, where nothing is
 * judged, the first that were measured; each is cut to a line. */
#define FINDINGS_BRIEF 4
void findings_print(const struct table *findings, bool brief, bool colours, FILE *stream);

/* Prints the sentences of those that make the exit status other than 0 to stderr, each behind
 * `where`, and with_verdict behind its verdict: for outputs that findings_print is not part of. */
void findings_complain(const struct table *findings, const char *where, bool with_verdict);

/* The verdict of the findings in a folder, with the first clause of the first sentence that decides
 * it: "not valid: CLAUSE; 2 more in findings.csv"; "" without a judgement, or if they cannot be
 * read. The caller's to free. */
char *findings_summary(const char *folder);

#endif
