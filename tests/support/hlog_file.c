// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hlog_file.h"

#include <zlib.h>

#define PACKED_HEADER 8
#define VARINT_BYTES  9

/* Returns how many bytes they are. */
static size_t from_base64(const char *text, unsigned char *bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t length = 0;
    for (size_t i = 0; text[i] != '\0' && text[i] != '=' && text[i] != '\n'; i++) {
        const char *digit = strchr(digits, text[i]);
        assert_non_null(digit);
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (i % 4 != 0)
            bytes[length++] = (unsigned char)(bits >> (6 - i % 4 * 2));
    }
    return length;
}

uint64_t hlog_file_number(const unsigned char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++)
        number = number << 8 | bytes[i];
    return number;
}

size_t hlog_file_unpack(const char *line, unsigned char *encoded, size_t size)
{
    size_t width = strcspn(line, "\n");
    const char *text = line;
    for (size_t i = 0; i < width; i++)
        text = line[i] == ',' ? line + i + 1 : text;
    unsigned char *packed = malloc(width + 1);
    assert_non_null(packed);
    size_t length = from_base64(text, packed);
    uLongf room = (uLongf)size;
    assert_true(length > PACKED_HEADER);
    assert_int_equal(hlog_file_number(packed, 4), 0x1c849314);
    assert_int_equal(hlog_file_number(packed + 4, 4), length - PACKED_HEADER);
    assert_int_equal(
        uncompress(encoded, &room, packed + PACKED_HEADER, (uLong)(length - PACKED_HEADER)), Z_OK);
    free(packed);
    return room;
}

const char *hlog_file_next(const char *from, char tag[HLOG_TAG_SIZE])
{
    const char *line = strstr(from, "\nTag=");
    if (line == NULL)
        return NULL;
    assert_int_equal(sscanf(line, "\nTag=%79[^,],", tag), 1);
    return line + 1;
}

/* Seven bits a byte, the lowest first; the ninth byte has all eight. The lowest bit is the sign. */
static const unsigned char *take_varint(const unsigned char *at, int64_t *number)
{
    uint64_t bits = 0;
    bool more = true;
    for (int i = 0; more; i++) {
        bool last = i == VARINT_BYTES - 1;
        bits |= (uint64_t)(last ? *at : *at & 0x7f) << 7 * i;
        more = !last && (*at & 0x80) != 0;
        at++;
    }
    *number = (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
    return at;
}

void hlog_file_add(const char *line, uint64_t counts[HISTOGRAM_COUNTS])
{
    static unsigned char encoded[HLOG_HEADER_BYTES + (HISTOGRAM_COUNTS + 1) * VARINT_BYTES];
    size_t length = hlog_file_unpack(line, encoded, sizeof encoded - VARINT_BYTES), slot = 0;
    const unsigned char *at = encoded + HLOG_HEADER_BYTES, *end = encoded + length;
    while (at < end) {
        int64_t number;
        at = take_varint(at, &number);
        if (number < 0) { /* so many slots are empty */
            slot += (size_t)-number;
            continue;
        }
        assert_true(slot < HISTOGRAM_COUNTS);
        counts[slot++] += (uint64_t)number;
    }
    assert_ptr_equal(at, end);
}
