// SPDX-License-Identifier: Apache-2.0
/* sha256: the digest of bytes, and of a file (FIPS 180-4). Layer: base. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* 64 hexadecimal digits, and the terminator. */
#define SHA256_TEXT_SIZE 65

/* A digest of bytes that come in pieces. */
#define SHA256_BLOCK 64
struct sha256 {
    uint32_t H[8];
    unsigned char rest[SHA256_BLOCK]; /* that do not fill a block yet */
    uint64_t bytes;                   /* so far */
};

void sha256_begin(struct sha256 *sha256);
void sha256_add(struct sha256 *sha256, const void *bytes, size_t count);
void sha256_end(struct sha256 *sha256, char digest[SHA256_TEXT_SIZE]);

/* Writes the digest of the file's bytes. The errors of errno, of reading the file. */
MUST_CHECK enum error_kind sha256_file(const char *path, char digest[SHA256_TEXT_SIZE],
                                       struct error *error);

#endif
