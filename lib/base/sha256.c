// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 64

/* The names of FIPS 180-4, section 6.2. */
static const uint32_t K[BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32 - bits);
}

static void hash_block(uint32_t H[8], const unsigned char *block)
{
    uint32_t W[BLOCK], v[8];
    for (size_t t = 0; t < 16; t++)
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (size_t t = 16; t < BLOCK; t++)
        W[t] = (rotated(W[t - 2], 17) ^ rotated(W[t - 2], 19) ^ W[t - 2] >> 10) + W[t - 7] +
               (rotated(W[t - 15], 7) ^ rotated(W[t - 15], 18) ^ W[t - 15] >> 3) + W[t - 16];
    memcpy(v, H, sizeof v);
    for (size_t t = 0; t < BLOCK; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t T1 = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + K[t] + W[t];
        uint32_t T2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(&v[1], &v[0], 7 * sizeof v[0]);
        v[4] += T1;
        v[0] = T1 + T2;
    }
    for (size_t i = 0; i < 8; i++)
        H[i] += v[i];
}

/* Behind the file come a bit, zeros, and its length in bits: in its last block, or one more. */
enum error_kind sha256_file(const char *path, char digest[SHA256_TEXT_SIZE], struct error *error)
{
    uint32_t H[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint64_t bytes = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return error_from_errno(error, errno, path, "%s", "");
    errno = 0;
    for (bool has_ended = false, is_last = false; !is_last;) {
        unsigned char block[BLOCK] = {0};
        size_t length = fread(block, 1, BLOCK, file);
        bytes += length;
        if (length < BLOCK && !has_ended) {
            has_ended = true;
            block[length++] = 0x80;
        }
        is_last = has_ended && length <= BLOCK - 8;
        for (size_t i = 0; is_last && i < 8; i++)
            block[BLOCK - 1 - i] = (unsigned char)(bytes * 8 >> 8 * i);
        hash_block(H, block);
    }
    int os_error = ferror(file) ? errno : 0;
    fclose(file);
    if (os_error != 0)
        return error_from_errno(error, os_error, path, "%s", "");
    for (size_t i = 0; i < 8; i++)
        snprintf(digest + 8 * i, 9, "%08x", H[i]);
    return ERROR_NONE;
}
