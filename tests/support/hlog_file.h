// SPDX-License-Identifier: Apache-2.0
/*
 * hlog_file: reads a log of histograms by the description of its format: the library only writes
 * such logs.
 */
#ifndef TESTS_HLOG_FILE_H
#define TESTS_HLOG_FILE_H

#include "tests/support/test.h"

#define HLOG_HEADER_BYTES 40 /* of an encoded histogram; behind it are the counts */

/* A number of so many bytes, the highest first. */
uint64_t hlog_file_number(const unsigned char *bytes, size_t length);

/* The encoded histogram of the log's line that begins here, whose end may be the text's; returns
 * its length. */
size_t hlog_file_unpack(const char *line, unsigned char *encoded, size_t size);

#endif
