// SPDX-License-Identifier: Apache-2.0
/* sha256: the digest of a file (FIPS 180-4). Layer: base. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/error.h"

/* 64 hexadecimal digits, and the terminator. */
#define SHA256_TEXT_SIZE 65

/* Writes the digest of the file's bytes. The errors of errno, of reading the file. */
MUST_CHECK enum error_kind sha256_file(const char *path, char digest[SHA256_TEXT_SIZE],
                                       struct error *error);

#endif
