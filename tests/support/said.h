// SPDX-License-Identifier: Apache-2.0
/*
 * said: catches what a function writes to standard error.
 */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

/* From here on to said_end, standard error goes to a file. */
void said_begin(void);

/* What was written, until the next call; and the same with each sentence on a line of its own. */
const char *said_end(void);
const char *said_sentences(void);

#endif
