// SPDX-License-Identifier: Apache-2.0
/*
 * scrape: asks for the metrics of a running command through TCP, as Prometheus does, and reads the
 * text without the program's own writer of it.
 */
#ifndef TESTS_SCRAPE_H
#define TESTS_SCRAPE_H

#include "tests/support/test.h"

/* A port of 127.0.0.1 on which nothing listens. */
uint16_t scrape_port(void);

/* A connection to this address, for the caller to close; -1: refused. */
int scrape_connect(const char *address, uint16_t port);

/* Asks by this method for this path; if the command has ended, nobody hears that. */
void scrape_ask(int fd, const char *method, const char *path);

/* What comes until the connection is closed, in any case within half a minute; then closes it. For
 * the caller to free; NULL: nothing came. */
char *scrape_read(int fd);

/* The answer to GET /metrics; NULL: there is none. For the caller to free. */
char *scrape_get(uint16_t port);

/* Waits until the command answers, and returns what scrape_get does. */
char *scrape_await(uint16_t port);

/* The number of a sample, whose name is given with its labels as they stand in the text; 0 if there
 * is none. */
double scrape_value(const char *answer, const char *sample);

/* The answer is one of 200 OK, every line is well-formed, each sample stands below its family's
 * type, and none stands there twice. */
void scrape_assert_format(const char *answer);

/* No counter of the first answer has decreased in the second. */
void scrape_assert_grows(const char *first, const char *second);

#endif
