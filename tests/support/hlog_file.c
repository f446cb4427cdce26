// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hlog_file.h"

#include <zlib.h>

#define PACKED_HEADER 8

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
