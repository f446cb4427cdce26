// SPDX-License-Identifier: Apache-2.0
#include "measure/hlog.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* 0x10 in the last byte of a cookie: counts are 64-bit varints. */
#define COOKIE            UINT32_C(0x1c849313)
#define COMPRESSED_COOKIE UINT32_C(0x1c849314)

#define VARINT_BYTES_MAX 9

/* Most significant bytes first. */
struct header {
    uint32_t cookie, length, normalizing_offset, digits;
    uint64_t lowest, highest, ratio; /* of its integers to values: a double */
};

enum { ENCODED_BYTES_MAX = (int)sizeof(struct header) + VARINT_BYTES_MAX * HISTOGRAM_COUNTS };

/* Zigzag, then seven bits a byte, the lowest first; the ninth byte has all eight. */
static unsigned char *put_varint(unsigned char *at, int64_t number)
{
    uint64_t bits = (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
    for (int i = 1; i < VARINT_BYTES_MAX && bits >= 0x80; i++) {
        *at++ = (unsigned char)(bits | 0x80);
        bits >>= 7;
    }
    *at++ = (unsigned char)bits;
    return at;
}

static uint32_t slots_used(const struct histogram *histogram)
{
    uint32_t used = 0;
    if (histogram->blocks != 0)
        used = (64 - (uint32_t)__builtin_clzll(histogram->blocks)) * HISTOGRAM_HALF_SLOTS;
    while (used > 0 && histogram->counts[used - 1] == 0)
        used--;
    return used;
}

/* A run of empty slots is written as its negative length, a single one as 0. */
static unsigned char *put_counts(unsigned char *at, const struct histogram *histogram)
{
    uint32_t used = slots_used(histogram);
    for (uint32_t slot = 0; slot < used;) {
        uint32_t empty = 0;
        while (histogram->counts[slot + empty] == 0)
            empty++;
        if (empty > 1)
            at = put_varint(at, -(int64_t)empty);
        else
            at = put_varint(at, (int64_t)histogram->counts[slot]);
        slot += empty > 1 ? empty : 1;
    }
    return at;
}

/* Returns the packed histogram, the caller's to free. */
static unsigned char *pack(const struct histogram *histogram, size_t *length)
{
    const uint64_t one_as_double = UINT64_C(0x3ff0000000000000);
    uint32_t head[2];
    uLong room = compressBound(ENCODED_BYTES_MAX);
    unsigned char *encoded = memory_new(ENCODED_BYTES_MAX, 1),
                  *packed = memory_new(sizeof head + room, 1),
                  *counts = encoded + sizeof(struct header), *end = put_counts(counts, histogram);
    const struct header header = {.cookie = htobe32(COOKIE),
                                  .length = htobe32((uint32_t)(end - counts)),
                                  .digits = htobe32(HISTOGRAM_DIGITS),
                                  .lowest = htobe64(HISTOGRAM_LOWEST_NS),
                                  .highest = htobe64(HISTOGRAM_HIGHEST_NS),
                                  .ratio = htobe64(one_as_double)};
    memcpy(encoded, &header, sizeof header);
    int packs = compress(packed + sizeof head, &room, encoded, (uLong)(end - encoded));
    memory_or_end(packs == Z_OK ? packed : NULL); /* it lacks nothing else */
    head[0] = htobe32(COMPRESSED_COOKIE);
    head[1] = htobe32((uint32_t)room);
    memcpy(packed, head, sizeof head);
    *length = sizeof head + room;
    free(encoded);
    return packed;
}

void hlog_write_header(FILE *stream, uint64_t start_utc_ns, const char *comment)
{
    char date[32];
    clock_format_utc(start_utc_ns, 0, date, sizeof date);
    if (comment != NULL) {
        fputs("#[", stream);
        for (; *comment != '\0'; comment++) /* a line break would end the comment */
            putc(*comment == '\n' || *comment == '\r' ? ' ' : *comment, stream);
        fputs("]\n", stream);
    }
    fprintf(stream,
            "#[Histogram log format version 1.3]\n"
            "#[StartTime: %" PRIu64 ".%03" PRIu64 " (seconds since epoch), %s]\n"
            "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
            "\"Interval_Compressed_Histogram\"\n",
            start_utc_ns / NS_PER_S, start_utc_ns % NS_PER_S / NS_PER_MS, date);
}

void hlog_write_interval(FILE *stream, const char *tag, double start_s, double length_s,
                         const struct histogram *histogram)
{
    assert(tag == NULL || strpbrk(tag, ", \t\r\n") == NULL);
    size_t length;
    unsigned char *packed = pack(histogram, &length);
    uint32_t used = slots_used(histogram);
    double max_ms = used > 0 ? (double)histogram_slot_last_ns(used - 1) / 1e6 : 0;
    if (histogram->overflow > 0)
        fprintf(stream,
                "#[Above the range of the next line%s%s: %" PRIu64 ", the largest %.6f s]\n",
                tag != NULL ? ", " : "", tag != NULL ? tag : "", histogram->overflow,
                (double)histogram->max_ns / 1e9);
    if (tag != NULL)
        fprintf(stream, "Tag=%s,", tag);
    fprintf(stream, "%.6f,%.6f,%.6f,", start_s, length_s, max_ms);
    text_write_base64(packed, length, stream);
    putc('\n', stream);
    free(packed);
}
