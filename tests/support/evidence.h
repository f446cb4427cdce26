// SPDX-License-Identifier: Apache-2.0
/*
 * evidence: what the files of a kept run say.
 *
 * A source names rows of files, in words:
 *
 *     PATH… [CONDITION…]         rows of CSV files with the same columns. A condition is
 * column=value, column!=value or column>=number; all of them hold PATH BEGIN END             lines
 * of a text, from the words BEGIN to the next words END; its rows are the lines with a number, and
 * #1 is the first number of each
 *
 * A figure says what is taken of these rows:
 *
 *     STATISTIC [QUANTITY [/ QUANTITY]] [CONDITION…]
 *
 * A quantity is a column, a sum of columns (sent+received) or a number; it is taken of each row.
 * The statistics: count (of rows; without a quantity), value (of the only row), all (rows that have
 * the same), median, mean, min, max. What has blanks is put in quotes.
 */
#ifndef TESTS_EVIDENCE_H
#define TESTS_EVIDENCE_H

/* The figure; NaN if there is none, and then *why says why (valid until the next call). Paths are
 * below `root`. The files are read once; evidence_forget takes them out of memory. */
double evidence_figure(const char *root, const char *source, const char *figure, const char **why);

void evidence_forget(void);

#endif
