// SPDX-License-Identifier: Apache-2.0
/*
 * jute: reads the fields of a message in ZooKeeper's encoding. Layer: wire.
 *
 * jute (org.apache.jute.BinaryInputArchive): integers of 4 and of 8 bytes with the most significant
 * byte first, a flag of one byte, and bytes, texts and vectors behind their length in 4 bytes. A
 * length of -1 stands for null.
 *
 * Invariant: only the given bytes are read, whatever they contain. From the first field that does
 * not fit on, `malformed` is set, and every field is 0 or empty.
 */
#ifndef WIRE_JUTE_H
#define WIRE_JUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What has not been read yet; begin with {bytes, count, false}. */
struct jute {
    const unsigned char *bytes;
    size_t left;
    bool malformed;
};

/* Bytes of the message itself, without a NUL, gone when the message is. NULL and 0: null. */
struct jute_bytes {
    const char *bytes;
    size_t length;
};

int32_t jute_int(struct jute *jute);
int64_t jute_long(struct jute *jute);
bool jute_flag(struct jute *jute);
struct jute_bytes jute_bytes(struct jute *jute);

/* The number of elements of a vector, which follow: 0 for null. It is at most the number of bytes
 * that are left, because no element is shorter than a byte. */
size_t jute_vector(struct jute *jute);

/* Whether every byte has been read, and every field fitted. */
bool jute_is_read(const struct jute *jute);

#endif
