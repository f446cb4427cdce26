// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CUT         "..."
#define CUT_LENGTH  (sizeof CUT - 1)
#define ESCAPE_SIZE sizeof "\\U0010ffff"
#define ASCII_END   0x80

struct range {
    uint32_t first, last;
};

/* Controls, marks of direction, line and paragraph separators, and Unicode's
 * Default_Ignorable_Code_Point. XML, and so SVG, forbids U+FFFE and U+FFFF. */
static const struct range unseen[] = {
    {0x0, 0x1f},      {0x7f, 0x9f},     {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/* East_Asian_Width is Wide or Fullwidth; rounded to whole blocks. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23f3},
    {0x25fd, 0x25fe},   {0x2600, 0x27bf},   {0x2b1b, 0x2b55},   {0x2e80, 0xa4cf},
    {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe6f},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18dff}, {0x1aff0, 0x1b2ff},
    {0x1f000, 0x1faff}, {0x20000, 0x3fffd},
};

static bool is_in(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count && code >= ranges[i].first; i++) {
        if (code <= ranges[i].last)
            return true;
    }
    return false;
}

static bool is_unseen(uint32_t code)
{
    return is_in(code, unseen, sizeof unseen / sizeof unseen[0]);
}

size_t printable_decode(const char *bytes, size_t length, uint32_t *code)
{
    /* By the length of a sequence: the pattern of its first byte, and the least number of this
     * length. */
    static const struct {
        unsigned char mask, first;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && i < length; i++) {
        unsigned char first = (unsigned char)bytes[0];
        if ((first & forms[i].mask) != forms[i].first)
            continue;
        uint32_t value = first & (unsigned char)~forms[i].mask;
        for (size_t j = 1; j <= i; j++) {
            if (((unsigned char)bytes[j] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | ((unsigned char)bytes[j] & 0x3f);
        }
        bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
        if (value < forms[i].least || value > 0x10ffff || is_surrogate)
            return 0;
        *code = value;
        return i + 1;
    }
    return 0;
}

/* Writes the printable form of the first character or byte (ESCAPE_SIZE bytes). Returns its length;
 * *used: the bytes of the text that it stands for. */
static size_t make_printable(const char *bytes, size_t length, char *made, size_t *used)
{
    uint32_t code = 0;
    size_t read = printable_decode(bytes, length, &code);
    *used = read > 0 ? read : 1;
    if (read > 0 && !is_unseen(code)) {
        memcpy(made, bytes, read);
        return read;
    }
    int written;
    if (read <= 1)
        written = snprintf(made, ESCAPE_SIZE, "\\x%02x", (unsigned char)bytes[0]);
    else if (code <= 0xffff)
        written = snprintf(made, ESCAPE_SIZE, "\\u%04" PRIx32, code);
    else
        written = snprintf(made, ESCAPE_SIZE, "\\U%08" PRIx32, code);
    return (size_t)written;
}

const char *printable_bytes(const void *bytes, size_t length, char *text, size_t size)
{
    const char *from = bytes;
    size_t at = 0, cut_at = 0, used;
    assert(size > CUT_LENGTH);
    while (length > 0) {
        char made[ESCAPE_SIZE];
        size_t made_length = make_printable(from, length, made, &used);
        if (at + made_length >= size) {
            memcpy(text + cut_at, CUT, CUT_LENGTH + 1);
            return text;
        }
        memcpy(text + at, made, made_length);
        at += made_length;
        if (at + CUT_LENGTH < size)
            cut_at = at;
        from += used;
        length -= used;
    }
    text[at] = '\0';
    return text;
}

const char *printable_text(const char *foreign, char *text, size_t size)
{
    return printable_bytes(foreign, strlen(foreign), text, size);
}

/* The columns of the first character; *bytes: its length. */
static size_t columns_of(const char *text, size_t length, size_t *bytes)
{
    uint32_t code = 0;
    *bytes = printable_decode(text, length, &code);
    if (*bytes == 0)
        *bytes = 1;
    return code >= ASCII_END && is_in(code, wide, sizeof wide / sizeof wide[0]) ? 2 : 1;
}

size_t printable_columns(const char *text, size_t length)
{
    size_t columns = 0, bytes;
    for (size_t at = 0; at < length; at += bytes)
        columns += columns_of(text + at, length - at, &bytes);
    return columns;
}

char *printable_cut(char *text, size_t columns)
{
    size_t length = strlen(text), cut_at = 0, width = 0, bytes;
    assert(columns >= CUT_LENGTH);
    for (size_t at = 0; at < length; at += bytes) {
        width += columns_of(text + at, length - at, &bytes);
        if (width > columns) {
            memcpy(text + cut_at, CUT, CUT_LENGTH + 1);
            return text;
        }
        if (width + CUT_LENGTH <= columns)
            cut_at = at + bytes;
    }
    return text;
}
