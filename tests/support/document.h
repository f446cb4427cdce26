// SPDX-License-Identifier: Apache-2.0
/*
 * document: a document in Markdown as lines of words, and the numbers in it that may have been
 * measured.
 *
 * A line is a paragraph, an item of a list, a heading, a row of a table, or a line of code, which
 * keeps four blanks at its beginning. Blanks within a line are single, so the places of the line
 * breaks in the document do not matter.
 */
#ifndef TESTS_DOCUMENT_H
#define TESTS_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#define DOCUMENT_FIGURES 24 /* of one pattern at most */

struct document {
    char *text;
    char *known; /* for each byte of text: not 0 if something accounts for it */
};

struct span {
    const char *at;
    size_t length;
};

/* Takes superfluous blanks and empty lines out of a text. */
void document_fold_blanks(char *text);

/* From the text of a file; for the caller to document_deinit. */
void document_init(struct document *document, const char *markdown);

void document_deinit(struct document *document);

/* The number of places that have these words. In the words, "…" stands for anything within a line,
 * and a figure is put in braces, which the document does not have. *all and figures[0 …]: the place
 * of the words, and of each figure, of the last place. */
size_t document_find(const struct document *document, const char *words, struct span *all,
                     struct span figures[DOCUMENT_FIGURES]);

/* From the heading with this text to the next one of the same or a higher level. False if no
 * heading, or several, have it. */
bool document_section(const struct document *document, const char *heading, struct span *section);

/* From here on, this part is known. */
void document_know(struct document *document, struct span part);

/* The first number from *at on that may have been measured and is not known, and moves *at behind
 * it; false if there is none. Such a number has a fraction, or a comma between its digits, or a
 * unit or what it counts behind it (1 s, 1 to 2 s, 5 handoffs, 4 of 5), or is all of a table's
 * cell. Not looked at: words in backquotes; in code, what has no unit; the first row of a table;
 * sizes, such as 1,000 clients; the 95 % of an interval. */
bool document_next(const struct document *document, const char **at, struct span *number);

#endif
