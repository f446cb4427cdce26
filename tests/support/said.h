// SPDX-License-Identifier: Apache-2.0
/*
 * said: what a function writes to standard error.
 */
#ifndef TESTS_SAID_H
#define TESTS_SAID_H

/* What is written to standard error from here on goes to a file, until said_end. */
void said_begin(void);

/* What was written, until the next call. */
const char *said_end(void);

#endif
